#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/parts.h"

namespace airlot::report {
namespace {

constexpr std::size_t kMostPoints = 1000;  // A figure is narrower than a curve of more points.

Track TrackOf(const KeptRun& run, double (*x_of)(const RoundRecord&)) {
  Track track;
  for (const RoundRecord& record : run.records) {
    if (!record.accuracy) continue;
    track.x.push_back(x_of(record));
    track.y.push_back(*record.accuracy);
  }
  return track;
}

std::vector<Curve> CurvesOf(const KeptRuns& runs, const Looks& looks,
                            double (*x_of)(const RoundRecord&)) {
  std::vector<Curve> curves;
  for (const std::string& strategy : runs.comparison.strategies) {
    std::vector<Track> tracks;
    for (const KeptRun* run : RunsOf(runs, strategy)) {
      Track track = TrackOf(*run, x_of);
      if (!track.x.empty()) tracks.push_back(std::move(track));
    }
    if (tracks.empty()) continue;
    const bool are_shares = runs.provenance.score == Score::kAccuracy;
    curves.push_back(MeanCurveOf(strategy, looks, tracks, kMostPoints, are_shares));
  }
  return curves;
}

bool HasTail(const Curve& curve) { return !curve.tail.empty(); }

// Says of how many runs the curves are the mean.
std::string HowOf(const std::vector<Curve>& curves) {
  if (curves.empty()) return "";
  const auto [least, most] = std::ranges::minmax(curves, {}, &Curve::runs);
  std::string text = "The curves are of one run.";
  if (most.runs > 1) {
    text = fmt::format(
        "The curves are means over {} runs{}, as far as all of them came.",
        least.runs == most.runs ? fmt::format("{}", most.runs)
                                : fmt::format("{} to {}", least.runs, most.runs),
        most.runs >= kLeastForBand ? ", with a pointwise 95 % confidence band of the mean" : "");
  }
  if (std::ranges::any_of(curves, HasTail)) {
    text +=
        " From where the first of a strategy's runs ends, a thin line without a band is the mean "
        "over the runs that still go on, fewer and fewer of them. The ring is the mean of the ends "
        "of all runs, which the table of whole runs has in numbers.";
  }
  if (least.runs < kLeastForBand) text += " Fewer than three runs have no 95 % band.";
  return text + " The dotted lines are the targets.";
}

// Returns " Figure 1 of the paper shows accuracy against time, too." for a scenario of the paper.
std::string PaperFigureOf(const std::string& scenario) {
  const auto papers = PaperScenarios();
  const auto found = std::ranges::find(papers, scenario, &PaperScenario::name);
  if (found == papers.end()) return "";
  return fmt::format(" Figure {} of the paper shows accuracy against time, too.",
                     found - papers.begin() + 1);
}

// Says which strategies are drawn where there are too many.
std::string ChoiceOf(const Looks& looks, const Comparison& comparison) {
  if (looks.hidden() == 0) return "";
  return fmt::format(
      " Of {} strategies, {} are drawn at first: those that the verdict names, the paper's as far "
      "as there is room, and those that reach the highest target most often and soonest. The "
      "others are thin and grey or, with scripts, switched on by their buttons.",
      comparison.strategies.size(), looks.shown());
}

}  // namespace

std::vector<const KeptRun*> RunsOf(const KeptRuns& runs, const std::string& strategy) {
  std::vector<const KeptRun*> all, complete;
  for (const KeptRun& run : runs.runs) {
    if (run.strategy != strategy || run.records.empty()) continue;
    all.push_back(&run);
    if (run.stage == RunStage::kComplete) complete.push_back(&run);
  }
  return complete.empty() ? all : complete;
}

Part AccuracyPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks) {
  const Score score = runs.provenance.score;
  const bool is_percent = score == Score::kAccuracy;
  const AxisChoice accuracy{.label = fmt::format("test {}", ScoreName(score)),
                            .name = "accuracy",
                            .is_percent = is_percent,
                            .may_be_below_0 = !is_percent};
  const std::string title = is_percent ? "Accuracy" : std::string(ScoreName(score));
  const auto& targets = runs.comparison.scenario.targets;
  Part part{.id = prefix + "accuracy",
            .title = title,
            .text = fmt::format(
                "How good the model is for what it has cost so far: time, energy of all devices, "
                "rounds.{}",
                is_percent ? ""
                           : " The model predicts numbers, and R² is the share of their "
                             "variance that it explains: 1 at best, and below 0 where it does "
                             "worse than their mean.")};
  const auto add = [&](const char* name, const char* against, const AxisChoice& x,
                       double (*x_of)(const RoundRecord&)) {
    const std::vector<Curve> curves = CurvesOf(runs, looks, x_of);
    part.figures.push_back(
        DrawLines({prefix + name, fmt::format("{} against {}", title, against), HowOf(curves)}, x,
                  accuracy, curves, targets));
  };
  add("accuracy-time", "time",
      {.label = "time (s): " + BookedTimes(runs.comparison.scenario.books),
       .name = "time_s",
       .is_log = true},
      [](const RoundRecord& record) { return record.time_s; });
  part.figures.back().place = Figure::Place::kWide;
  part.figures.back().caption +=
      PaperFigureOf(runs.comparison.scenario.name) + ChoiceOf(looks, runs.comparison);
  add("accuracy-energy", "energy",
      {.label = "energy of all devices (J)", .name = "energy_j", .is_log = true},
      [](const RoundRecord& record) { return record.energy_j; });
  add("accuracy-rounds", "rounds", {.label = "rounds", .name = "round"},
      [](const RoundRecord& record) { return double(record.round); });
  return part;
}

}  // namespace airlot::report
