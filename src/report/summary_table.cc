#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "airlot/report.h"
#include "report/numbers.h"

namespace airlot {
namespace {

using Json = nlohmann::ordered_json;

using report::Short;

std::string MeanAndSd(const Moments& moments, const TableStyle& style) {
  if (moments.count < 2) return Short(moments.mean);
  return fmt::format("{} {} {}", Short(moments.mean), style.utf8 ? "±" : "+-", Short(moments.sd));
}

// The mean over those that reached it; how many did, unless all.
std::string Reached(const Moments& moments, std::size_t runs, const TableStyle& style) {
  if (moments.count == 0) return "NA";
  const std::string text = MeanAndSd(moments, style);
  return moments.count == runs ? text : fmt::format("{} ({} of {})", text, moments.count, runs);
}

Json ToJson(const Moments& moments) {
  if (moments.count == 0) return {{"count", 0}, {"mean", nullptr}, {"sd", nullptr}};
  return {{"count", moments.count}, {"mean", moments.mean}, {"sd", moments.sd}};
}

}  // namespace

std::string DrawSummary(std::span<const StrategySummary> summaries, const TableStyle& style) {
  std::vector<std::vector<std::string>> rows(1, {"strategy"});
  for (const TargetSummary& target : summaries.front().targets) {
    rows[0].push_back(fmt::format("s to {:.4g} %", 100 * target.target));
    rows[0].push_back(fmt::format("J to {:.4g} %", 100 * target.target));
  }
  for (const char* head : {"final %", "devices/round", "fairness"}) rows[0].emplace_back(head);
  for (const StrategySummary& summary : summaries) {
    auto& row = rows.emplace_back(1, summary.strategy);
    for (const TargetSummary& target : summary.targets) {
      row.push_back(Reached(target.time_s, summary.runs, style));
      row.push_back(Reached(target.energy_j, summary.runs, style));
    }
    row.push_back(fmt::format("{:.1f}", 100 * summary.final_accuracy.mean));
    row.push_back(Short(summary.participants.mean));
    row.push_back(fmt::format("{:.2f}", summary.fairness.mean));
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
  return Json{{"scenario", scenario}, {"strategies", strategies}}.dump(2) + "\n";
}

}  // namespace airlot
