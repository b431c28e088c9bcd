#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "airlot/report.h"
#include "report/numbers.h"
#include "report/phrases.h"

namespace airlot {
namespace {

using Json = nlohmann::ordered_json;

using report::Short;

std::string MeanAndSd(const Moments& moments, const TableStyle& style) {
  if (moments.count == 0) return "NA";
  if (moments.count == 1) return Short(moments.mean);
  return fmt::format("{} {} {}", Short(moments.mean), style.utf8 ? "±" : "+-", Short(moments.sd));
}

// Returns what it takes to come to a target; a mean over all runs is a lower bound where some did
// not come there.
std::string CostText(const Arrivals& arrivals, const Moments& cost, const TableStyle& style) {
  if (arrivals.reached == 0) return "NA";
  if (arrivals.reached == cost.count) return MeanAndSd(cost, style);
  return fmt::format("{} {}", style.utf8 ? "≥" : ">=", Short(cost.mean));
}

// Draws what it took the strategies to come to a target.
std::string DrawArrivals(const std::string& title, std::span<const StrategySummary> summaries,
                         std::size_t target, Arrivals TargetSummary::*kind,
                         const TableStyle& style) {
  std::vector<std::vector<std::string>> rows(1, {title, "time, s", "energy, J", "runs"});
  for (const StrategySummary& summary : summaries) {
    const Arrivals& arrivals = summary.targets[target].*kind;
    rows.push_back({summary.strategy, CostText(arrivals, arrivals.time_s, style),
                    CostText(arrivals, arrivals.energy_j, style),
                    fmt::format("{} of {}", arrivals.reached, summary.runs)});
  }
  return DrawTable(rows, style);
}

// Tells whether some run lost the target again after it had reached it.
bool IsLost(const StrategySummary& summary, std::size_t target) {
  const TargetSummary& at = summary.targets[target];
  return at.held.rounds.mean != at.first.rounds.mean || at.held.reached != at.first.reached;
}

// Draws how far devices went beyond their budgets; nothing, where no budgets are known.
std::string DrawBudgets(std::span<const StrategySummary> summaries, const TableStyle& style) {
  std::vector<std::vector<std::string>> rows(
      1, {"energy budgets", "devices over", "worst, times", "beyond, J"});
  std::size_t devices = 0;
  for (const StrategySummary& summary : summaries) {
    if (!summary.budget) {
      rows.push_back({summary.strategy, "NA", "NA", "NA"});
      continue;
    }
    const BudgetSummary& budget = *summary.budget;
    devices = std::max(devices, budget.devices);
    const std::string infinite = style.utf8 ? "∞" : "inf";
    rows.push_back(
        {summary.strategy,
         fmt::format("{} of {}", Short(budget.devices_over.mean), Short(double(budget.devices))),
         std::isinf(budget.worst_ratio) ? infinite : report::RatioText(budget.worst_ratio, false),
         Short(budget.excess_j.mean)});
  }
  return devices == 0 ? "" : DrawTable(rows, style);
}

// An infinite ratio is null, as one that is not known.
Json RatioJson(const std::optional<BudgetSummary>& budget) {
  if (!budget || !std::isfinite(budget->worst_ratio)) return nullptr;
  return budget->worst_ratio;
}

Json BookedJson(const Books& books) {
  Json booked = Json::array();
  if (books.upload_time) booked.push_back("upload");
  if (books.compute_time) booked.push_back("compute");
  if (books.download_time) booked.push_back("download");
  return booked;
}

Json ToJson(const Moments& moments) {
  if (moments.count == 0) return {{"count", 0}, {"mean", nullptr}, {"sd", nullptr}};
  return {{"count", moments.count}, {"mean", moments.mean}, {"sd", moments.sd}};
}

// Nothing is said of a cost where no run came to the target.
Json ToJson(const Arrivals& arrivals) {
  const auto cost = [&](const Moments& moments) {
    return ToJson(arrivals.reached == 0 ? Moments{} : moments);
  };
  return {{"reached", arrivals.reached},
          {"time_s", cost(arrivals.time_s)},
          {"energy_j", cost(arrivals.energy_j)},
          {"rounds", cost(arrivals.rounds)}};
}

}  // namespace

std::string DrawSummary(std::span<const StrategySummary> summaries, const TableStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < summaries.front().targets.size(); ++i) {
    const double percent = 100 * summaries.front().targets[i].target;
    text += DrawArrivals(fmt::format("to {:.4g} % accuracy", percent), summaries, i,
                         &TargetSummary::first, style);
    const bool is_lost = std::ranges::any_of(
        summaries, [&](const StrategySummary& summary) { return IsLost(summary, i); });
    if (!is_lost) continue;
    text += DrawArrivals(fmt::format("to hold {:.4g} %", percent), summaries, i,
                         &TargetSummary::held, style);
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
  return DrawTable(rows, style) + DrawBudgets(summaries, style);
}

std::string SummaryJson(const Scenario& scenario, std::span<const StrategySummary> summaries) {
  Json strategies = Json::array();
  for (const StrategySummary& summary : summaries) {
    Json targets = Json::array();
    for (const TargetSummary& target : summary.targets) {
      Json one{{"target", target.target}};
      one.update(ToJson(target.first));
      one["held"] = ToJson(target.held);
      targets.push_back(std::move(one));
    }
    const std::optional<BudgetSummary>& budget = summary.budget;
    strategies.push_back({{"strategy", summary.strategy},
                          {"runs", summary.runs},
                          {"targets", targets},
                          {"final_accuracy", ToJson(summary.final_accuracy)},
                          {"participants_per_round", ToJson(summary.participants)},
                          {"fairness", ToJson(summary.fairness)},
                          {"time_s", ToJson(summary.time_s)},
                          {"energy_j", ToJson(summary.energy_j)},
                          {"over_budget", budget ? Json(budget->devices_over.mean) : Json()},
                          {"worst_budget_ratio", RatioJson(budget)},
                          {"over_budget_j", budget ? Json(budget->excess_j.mean) : Json()}});
  }
  const Json json{{"scenario", scenario.name},
                  {"booked", BookedJson(scenario.books)},
                  {"strategies", strategies},
                  {"verdict", VerdictText(summaries, scenario)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace airlot
