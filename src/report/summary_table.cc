#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "airlot/report.h"
#include "base/atomic_file.h"
#include "report/numbers.h"
#include "report/phrases.h"
#include "report/statistics.h"
#include "runs/file_names.h"

namespace airlot {
namespace {

using Json = nlohmann::ordered_json;

using report::Short;

std::string_view PlusMinus(const TableStyle& style) { return style.utf8 ? "±" : "+-"; }

// Returns a mean and the half of its 95 % interval. (61)
std::string MeanAndHalf(const Moments& moments, const TableStyle& style) {
  if (moments.count == 0) return "NA";
  const std::optional<double> half = report::HalfWidth(moments);
  if (!half) return Short(moments.mean);
  return fmt::format("{} {} {}", Short(moments.mean), PlusMinus(style), Short(*half));
}

// Says below the tables what stands behind the sign; nothing, where no number has it.
std::string SignText(std::span<const StrategySummary> summaries, const TableStyle& style) {
  const auto [least, most] = std::ranges::minmax(summaries, {}, &StrategySummary::runs);
  if (most.runs < 2) return "";
  return fmt::format("{} is half of the 95 % interval of the mean over {} (Student's t)\n",
                     PlusMinus(style),
                     least.runs == most.runs ? report::CountOf(most.runs, "seed") : "the seeds");
}

// Returns what it takes to come to a target; a mean over all runs is a lower bound where some did
// not come there.
std::string CostText(const Arrivals& arrivals, const Moments& cost, const TableStyle& style) {
  if (arrivals.reached == 0) return "NA";
  if (arrivals.reached == cost.count) return MeanAndHalf(cost, style);
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

// Returns the same with two digits behind the point.
std::string FairnessText(const Moments& fairness, const TableStyle& style) {
  if (fairness.count == 0) return "NA";
  const std::optional<double> half = report::HalfWidth(fairness);
  if (!half) return fmt::format("{:.2f}", fairness.mean);
  return fmt::format("{:.2f} {} {:.2f}", fairness.mean, PlusMinus(style), *half);
}

// Returns the rows of how far devices went beyond their budgets; none, where no budgets are known.
std::vector<std::vector<std::string>> BudgetRows(std::span<const StrategySummary> summaries,
                                                 const TableStyle& style, bool has_halves) {
  const auto shown = [&](const Moments& moments) {
    return has_halves ? MeanAndHalf(moments, style) : Short(moments.mean);
  };
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
         fmt::format("{} of {}", shown(budget.devices_over), Short(double(budget.devices))),
         std::isinf(budget.worst_ratio) ? infinite : report::RatioText(budget.worst_ratio, false),
         shown(budget.excess_j)});
  }
  if (devices == 0) rows.clear();
  return rows;
}

// Where the numbers are so long that intervals do not fit beside them, there are none.
std::string DrawBudgets(std::span<const StrategySummary> summaries, const TableStyle& style) {
  constexpr std::size_t kMostColumns = 80;
  const auto rows = BudgetRows(summaries, style, true);
  if (rows.empty()) return "";
  std::string table = DrawTable(rows, {.utf8 = style.utf8});
  const std::size_t width = report::CharactersOf(table.substr(0, table.find('\n')));
  if (width <= (style.columns > 0 ? std::min(style.columns, kMostColumns) : kMostColumns)) {
    return table;
  }
  return DrawTable(BudgetRows(summaries, style, false), style);
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

// The ends of the 95 % interval are null for a single run and where `has_interval` is not set.
Json ToJson(const Moments& moments, bool has_interval = true) {
  Json json{{"count", moments.count},
            {"mean", moments.mean},
            {"sd", moments.sd},
            {"low", nullptr},
            {"high", nullptr}};
  if (moments.count == 0) json["mean"] = json["sd"] = nullptr;
  const std::optional<double> half = report::HalfWidth(moments);
  if (half && has_interval) {
    json["low"] = moments.mean - *half;
    json["high"] = moments.mean + *half;
  }
  return json;
}

// The ends of a share's interval are cut to [0, 1]. (61)
Json ShareToJson(const Moments& share) {
  Json json = ToJson(share);
  if (json["low"].is_null()) return json;
  const report::Band band =
      report::CutToShares({share.mean, json["low"].get<double>(), json["high"].get<double>()});
  json["low"] = band.low;
  json["high"] = band.high;
  return json;
}

// Nothing is said of a cost where no run came to the target. Where only some did, the mean is a
// lower bound, which has no interval.
Json ToJson(const Arrivals& arrivals) {
  const auto cost = [&](const Moments& moments) {
    return ToJson(arrivals.reached == 0 ? Moments{} : moments, arrivals.reached == moments.count);
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
    const Score score = summaries.front().score;
    const std::string goal =
        report::TargetText(score, summaries.front().targets[i].target, style.utf8);
    text += DrawArrivals(fmt::format("to {}{}", goal, score == Score::kR2 ? "" : " accuracy"),
                         summaries, i, &TargetSummary::first, style);
    const bool is_lost = std::ranges::any_of(
        summaries, [&](const StrategySummary& summary) { return IsLost(summary, i); });
    if (!is_lost) continue;
    text +=
        DrawArrivals(fmt::format("to hold {}", goal), summaries, i, &TargetSummary::held, style);
  }
  return text + DrawWholeRuns(summaries, style);
}

std::string DrawWholeRuns(std::span<const StrategySummary> summaries, const TableStyle& style) {
  const Score score = summaries.front().score;
  const bool is_percent = score == Score::kAccuracy;
  std::vector<std::vector<std::string>> rows(
      1, {"the whole run", std::string(ScoreName(score, style.utf8)) + (is_percent ? ", %" : ""),
          "devices/round", "fairness"});
  for (const StrategySummary& summary : summaries) {
    const double unit = is_percent ? 100 : 1;
    const Moments scores{.count = summary.final_accuracy.count,
                         .mean = unit * summary.final_accuracy.mean,
                         .sd = unit * summary.final_accuracy.sd};
    rows.push_back({summary.strategy, MeanAndHalf(scores, style),
                    MeanAndHalf(summary.participants, style),
                    FairnessText(summary.fairness, style)});
  }
  return DrawTable(rows, style) + DrawBudgets(summaries, style) + SignText(summaries, style);
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
    const Json over = ToJson(budget ? budget->devices_over : Moments{});
    const Json over_j = ToJson(budget ? budget->excess_j : Moments{});
    strategies.push_back(
        {{"strategy", summary.strategy},
         {"runs", summary.runs},
         {"targets", targets},
         {"final_accuracy", summary.score == Score::kAccuracy ? ShareToJson(summary.final_accuracy)
                                                              : ToJson(summary.final_accuracy)},
         {"participants_per_round", ToJson(summary.participants)},
         {"fairness", ShareToJson(summary.fairness)},
         {"time_s", ToJson(summary.time_s)},
         {"energy_j", ToJson(summary.energy_j)},
         {"over_budget", over["mean"]},
         {"over_budget_low", over["low"]},
         {"over_budget_high", over["high"]},
         {"worst_budget_ratio", RatioJson(budget)},
         {"over_budget_j", over_j["mean"]},
         {"over_budget_j_low", over_j["low"]},
         {"over_budget_j_high", over_j["high"]}});
  }
  const bool is_r2 = !summaries.empty() && summaries.front().score == Score::kR2;
  const Json json{{"scenario", scenario.name},
                  {"score", is_r2 ? "r2" : "accuracy"},
                  {"booked", BookedJson(scenario.books)},
                  {"strategies", strategies},
                  {"verdict", VerdictText(summaries, scenario)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status WriteSummary(const Scenario& scenario, const std::string& folder,
                    std::span<const StrategySummary> summaries) {
  return base::WriteWhole(std::filesystem::path(folder) / runs::kSummaryFile,
                          SummaryJson(scenario, summaries));
}

}  // namespace airlot
