#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "airlot/report.h"
#include "report/numbers.h"

namespace airlot {
namespace {

using Json = nlohmann::ordered_json;

using report::Short;

std::string MeanAndSd(const Moments& moments, const TableStyle& style) {
  if (moments.count == 0) return "NA";
  if (moments.count == 1) return Short(moments.mean);
  return fmt::format("{} {} {}", Short(moments.mean), style.utf8 ? "±" : "+-", Short(moments.sd));
}

Json ToJson(const Moments& moments) {
  if (moments.count == 0) return {{"count", 0}, {"mean", nullptr}, {"sd", nullptr}};
  return {{"count", moments.count}, {"mean", moments.mean}, {"sd", moments.sd}};
}

}  // namespace

std::string DrawSummary(std::span<const StrategySummary> summaries, const TableStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < summaries.front().targets.size(); ++i) {
    std::vector<std::vector<std::string>> rows(
        1, {fmt::format("to {:.4g} % accuracy", 100 * summaries.front().targets[i].target),
            "time, s", "energy, J", "runs"});
    for (const StrategySummary& summary : summaries) {
      const TargetSummary& target = summary.targets[i];
      rows.push_back({summary.strategy, MeanAndSd(target.time_s, style),
                      MeanAndSd(target.energy_j, style),
                      fmt::format("{} of {}", target.time_s.count, summary.runs)});
    }
    text += DrawTable(rows, style);
  }
  return text + DrawWholeRuns(summaries, style);
}

std::string DrawWholeRuns(std::span<const StrategySummary> summaries, const TableStyle& style) {
  std::vector<std::vector<std::string>> rows(
      1, {"the whole run", "accuracy, %", "devices/round", "fairness"});
  for (const StrategySummary& summary : summaries) {
    const Moments percent{.count = summary.final_accuracy.count,
                          .mean = 100 * summary.final_accuracy.mean,
                          .sd = 100 * summary.final_accuracy.sd};
    rows.push_back(
        {summary.strategy, MeanAndSd(percent, style), MeanAndSd(summary.participants, style),
         summary.fairness.count == 0 ? "NA" : fmt::format("{:.2f}", summary.fairness.mean)});
  }
  return DrawTable(rows, style);
}

std::string SummaryJson(std::string_view scenario, std::span<const StrategySummary> summaries) {
  Json strategies = Json::array();
  for (const StrategySummary& summary : summaries) {
    Json targets = Json::array();
    for (const TargetSummary& target : summary.targets) {
      targets.push_back({{"target", target.target},
                         {"reached", target.time_s.count},
                         {"time_s", ToJson(target.time_s)},
                         {"energy_j", ToJson(target.energy_j)},
                         {"rounds", ToJson(target.rounds)}});
    }
    strategies.push_back({{"strategy", summary.strategy},
                          {"runs", summary.runs},
                          {"targets", targets},
                          {"final_accuracy", ToJson(summary.final_accuracy)},
                          {"participants_per_round", ToJson(summary.participants)},
                          {"fairness", ToJson(summary.fairness)},
                          {"time_s", ToJson(summary.time_s)},
                          {"energy_j", ToJson(summary.energy_j)}});
  }
  const Json json{{"scenario", scenario}, {"strategies", strategies}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace airlot
