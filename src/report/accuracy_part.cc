#include <fmt/format.h>

#include <cmath>

#include "report/parts.h"

namespace airlot::report {
namespace {

Track TrackOf(const RunResult& run, double (*x_of)(const RoundRecord&)) {
  Track track;
  for (const RoundRecord& record : run.records) {
    if (std::isnan(record.accuracy)) continue;
    track.x.push_back(x_of(record));
    track.y.push_back(record.accuracy);
  }
  return track;
}

std::vector<Curve> CurvesOf(const ScenarioRuns& runs, double (*x_of)(const RoundRecord&)) {
  std::vector<Curve> curves;
  for (const std::string& strategy : runs.plan.strategies) {
    std::vector<Track> tracks;
    for (const RunResult* run : RunsOf(runs, strategy)) {
      Track track = TrackOf(*run, x_of);
      if (!track.x.empty()) tracks.push_back(std::move(track));
    }
    if (tracks.empty()) continue;
    curves.push_back({strategy, tracks.size(), MeanCurve(tracks)});
  }
  return curves;
}

}  // namespace

std::vector<const RunResult*> RunsOf(const ScenarioRuns& runs, const std::string& strategy) {
  std::vector<const RunResult*> all, complete;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    if (runs.runs[i].strategy != strategy) continue;
    all.push_back(&runs.runs[i]);
    if (runs.is_complete[i] != 0) complete.push_back(&runs.runs[i]);
  }
  return complete.empty() ? all : complete;
}

Part AccuracyPart(const std::string& prefix, const ScenarioRuns& runs) {
  const std::size_t seeds = runs.plan.seeds.size();
  const std::string how = fmt::format(
      "{} Dotted: the targets.",
      seeds >= kLeastForBand ? fmt::format("Mean over {} seeds with its 95 % band.", seeds)
                             : fmt::format("{}, too few for a 95 % band.",
                                           seeds == 1 ? "One seed" : "Mean over two seeds"));
  const AxisChoice accuracy{.label = "test accuracy", .name = "accuracy", .is_percent = true};
  const auto& targets = runs.plan.scenario.targets;
  Part part{.id = prefix + "accuracy",
            .title = "Accuracy",
            .text =
                "How good the model is for what it has cost so far: simulated time, energy of "
                "all devices, and rounds."};
  part.figures.push_back(
      DrawLines({prefix + "accuracy-time", "Accuracy against time", how},
                {.label = "simulated time (s)", .name = "time_s", .is_log = true}, accuracy,
                CurvesOf(runs, [](const RoundRecord& record) { return record.time_s; }), targets));
  part.figures.back().place = Figure::Place::kWide;
  part.figures.push_back(DrawLines(
      {prefix + "accuracy-energy", "Accuracy against energy", how},
      {.label = "energy of all devices (J)", .name = "energy_j", .is_log = true}, accuracy,
      CurvesOf(runs, [](const RoundRecord& record) { return record.energy_j; }), targets));
  part.figures.push_back(DrawLines(
      {prefix + "accuracy-rounds", "Accuracy against rounds", how},
      {.label = "rounds", .name = "round"}, accuracy,
      CurvesOf(runs, [](const RoundRecord& record) { return double(record.round); }), targets));
  return part;
}

}  // namespace airlot::report
