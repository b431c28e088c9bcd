#include "report/sweep_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

namespace airlot::report {
namespace {

// Returns a target, times `unit`, with so many digits that no two targets look alike.
std::string NumberOf(double target, double unit, const std::vector<double>& targets) {
  int digits = 4;
  const auto text = [&](double one) { return fmt::format("{:.{}g}", unit * one, digits); };
  const auto is_alone = [&] {
    return std::ranges::count(targets, text(target), text) <= 1 || digits >= 17;
  };
  while (!is_alone()) ++digits;
  return text(target);
}

}  // namespace

std::vector<double> TargetsOf(const KeptSweep& kept) {
  std::vector<double> targets;
  for (const SweptCell& cell : kept.cells) {
    if (!cell.scenario) continue;
    targets.insert(targets.end(), cell.scenario->targets.begin(), cell.scenario->targets.end());
  }
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

Score ScoreOf(const KeptSweep& kept) {
  for (const SweptCell& cell : kept.cells) {
    if (!cell.summaries.empty()) return cell.summaries.front().score;
  }
  return Score::kAccuracy;
}

std::vector<RunMetric> MetricsOf(const KeptSweep& kept) {
  const std::vector<double> targets = TargetsOf(kept);
  const Score score = ScoreOf(kept);
  const bool is_percent = score == Score::kAccuracy;
  std::vector<RunMetric> metrics;
  for (const double target : targets) {
    const std::string number = NumberOf(target, is_percent ? 100 : 1, targets);
    const std::string goal =
        is_percent ? number + " %" : fmt::format("{} {}", ScoreName(score), number);
    const auto add = [&](std::string_view quantity, std::string_view unit, std::string name,
                         double EvaluatedRound::*there, double RunOutcome::*whole) {
      std::string title = fmt::format("{} to {}", quantity, goal);
      title[0] = char(std::toupper(static_cast<unsigned char>(title[0])));
      metrics.push_back({{.id = fmt::format("{}-{}", quantity, number),
                          .title = title,
                          .label = fmt::format("{} to {} ({})", quantity, goal, unit),
                          .name = std::move(name),
                          .head = fmt::format("{} to {}", unit, goal),
                          .target = target},
                         [=](const RunOutcome& run) -> std::optional<double> {
                           const EvaluatedRound* at = FirstReached(run, target);
                           return at == nullptr ? run.*whole : at->*there;
                         }});
    };
    add("time", "s", "time_s", &EvaluatedRound::time_s, &RunOutcome::time_s);
    add("energy", "J", "energy_j", &EvaluatedRound::energy_j, &RunOutcome::energy_j);
  }
  metrics.push_back({{.id = "accuracy",
                      .title = is_percent ? "Accuracy at the end" : "R² at the end",
                      .label = fmt::format("{} at the end", ScoreName(score)),
                      .name = "final_accuracy",
                      .head = is_percent ? "accuracy, %" : std::string(ScoreName(score)),
                      .is_percent = is_percent,
                      .is_main = true},
                     [](const RunOutcome& run) -> std::optional<double> {
                       if (run.evaluations.empty()) return std::nullopt;
                       return run.evaluations.back().accuracy;
                     }});
  metrics.push_back({{.id = "participants",
                      .title = "Participants of a round",
                      .label = "participants of a round",
                      .name = "participants",
                      .head = "participants"},
                     [](const RunOutcome& run) { return std::optional(run.participants); }});
  metrics.push_back({{.id = "over-budget",
                      .title = "Devices over budget",
                      .label = "devices over budget",
                      .name = "devices_over_budget",
                      .head = "over budget",
                      .is_main = true},
                     [](const RunOutcome& run) -> std::optional<double> {
                       if (!run.budget) return std::nullopt;
                       return double(run.budget->devices_over);
                     }});
  return metrics;
}

bool IsAsked(const SweptCell& cell, const SweepMetric& metric) {
  if (!cell.scenario) return false;
  return !metric.target ||
         std::ranges::find(cell.scenario->targets, *metric.target) != cell.scenario->targets.end();
}

}  // namespace airlot::report
