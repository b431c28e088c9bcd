#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/csv.h"
#include "report/numbers.h"
#include "report/parts.h"
#include "report/phrases.h"
#include "report/summaries.h"

namespace airlot::report {
namespace {

// Returns the mean of a cost over the runs and its 95 % interval, or the mean alone where there are
// too few runs.
Band CostOf(const StrategySummary& summary, double target, double EvaluatedRound::*at,
            double RunOutcome::*whole) {
  std::vector<double> costs;
  for (const RunOutcome& run : summary.outcomes) {
    const EvaluatedRound* reached = FirstReached(run, target);
    costs.push_back(reached == nullptr ? run.*whole : reached->*at);
  }
  const Band band = MeanBand(costs);
  return costs.size() < kLeastForBand ? Band{band.mean, band.mean, band.mean} : band;
}

std::string HoverOf(const StrategySummary& summary, const Trade& trade, std::size_t reached) {
  const auto cost = [&](const Band& band, std::string_view unit) {
    std::string text =
        fmt::format("{}{} {}", trade.is_bound ? "at least " : "", ShortUtf8(band.mean), unit);
    if (!trade.is_bound && band.low < band.high) {
      text += fmt::format(" ({} to {})", ShortUtf8(band.low), ShortUtf8(band.high));
    }
    return text;
  };
  return fmt::format("{}\n{}\n{}\nreached in {} of {} runs\n{}", summary.strategy,
                     cost(trade.x, "s"), cost(trade.y, "J"), reached, summary.runs,
                     !summary.budget         ? "budgets not known"
                     : KeepsBudgets(summary) ? "keeps all budgets"
                                             : "breaks budgets");
}

Trade TradeOf(const StrategySummary& summary, const Looks& looks, std::size_t t) {
  const TargetSummary& target = summary.targets[t];
  Trade trade{.strategy = summary.strategy,
              .style = looks.Of(summary.strategy),
              .x = CostOf(summary, target.target, &EvaluatedRound::time_s, &RunOutcome::time_s),
              .y = CostOf(summary, target.target, &EvaluatedRound::energy_j, &RunOutcome::energy_j),
              .is_filled = KeepsBudgets(summary),
              .is_bound = target.first.reached < summary.runs};
  trade.hover = HoverOf(summary, trade, target.first.reached);
  return trade;
}

// Appends the ends of an interval; they are empty where there is none.
void AppendBand(std::string& csv, const Trade& trade, const Band& band) {
  csv += "," + Plain(band.mean);
  csv += !trade.is_bound && band.low < band.high
             ? fmt::format(",{},{}", Plain(band.low), Plain(band.high))
             : ",,";
}

std::string CsvOf(const std::vector<Trade>& trades, std::span<const StrategySummary> summaries,
                  std::size_t t) {
  std::string csv =
      "strategy,time_s,time_s_low,time_s_high,energy_j,energy_j_low,energy_j_high,reached,runs,"
      "devices_over,front\n";
  const std::vector<bool> is_on = FrontOf(trades);
  for (std::size_t i = 0; i < trades.size(); ++i) {
    const StrategySummary& summary = *FindSummary(summaries, trades[i].strategy);
    base::AppendCsvField(csv, summary.strategy);
    AppendBand(csv, trades[i], trades[i].x);
    AppendBand(csv, trades[i], trades[i].y);
    csv += fmt::format(",{},{},{},{}\n", summary.targets[t].first.reached, summary.runs,
                       summary.budget ? Plain(summary.budget->devices_over.mean) : "",
                       is_on[i] ? 1 : 0);
  }
  return csv;
}

std::string Names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "),
                     names.size() - kMost);
}

// Names the strategies that have no place on logarithmic axes.
std::string OfUndrawn(const std::vector<Trade>& trades) {
  std::vector<std::string> names;
  for (const Trade& trade : trades) {
    if (!IsDrawn(trade)) names.push_back(trade.strategy);
  }
  if (names.empty()) return "";
  return fmt::format(
      " There without any time or any energy, and so neither drawn nor counted for the front: "
      "{}.",
      Names(names));
}

std::string CaptionOf(std::span<const StrategySummary> summaries, const std::vector<Trade>& trades,
                      std::size_t t) {
  std::string text =
      "Each point is the mean over the runs of a strategy, and its thin cross the 95 % confidence "
      "intervals of the mean over seeds, from three runs on, as far as the axes go. The dashed "
      "line, the front, joins those for which no other is at least as good in both and better in "
      "one; it joins those that break budgets as well (hollow marks).";
  const bool is_known = std::ranges::all_of(
      summaries, [](const StrategySummary& summary) { return summary.budget.has_value(); });
  text += is_known
              ? " Filled marks keep all energy budgets in all runs, hollow ones break some."
              : " Filled marks keep all energy budgets in all runs; hollow ones break some, or "
                "their budgets are not known.";
  std::vector<std::string> partly, never;
  for (const StrategySummary& summary : summaries) {
    const std::size_t reached = summary.targets[t].first.reached;
    if (reached == 0) never.push_back(summary.strategy);
    if (reached > 0 && reached < summary.runs) {
      partly.push_back(fmt::format("{} ({} of {} runs)", summary.strategy, reached, summary.runs));
    }
  }
  if (!partly.empty()) {
    text += fmt::format(
        " Where only some runs reached it, the others count with the whole of them, so that the "
        "point is a lower bound (≥), without a cross, and neither on the front nor keeping others "
        "off it: "
        "{}.",
        Names(partly));
  }
  text += OfUndrawn(trades);
  if (!never.empty()) text += fmt::format(" Never there, and not drawn: {}.", Names(never));
  return text;
}

}  // namespace

std::optional<Figure> TradeFigure(const std::string& prefix,
                                  std::span<const StrategySummary> summaries, const Looks& looks,
                                  const Books& books) {
  const auto target = HighestReached(summaries);
  if (!target || summaries.size() < 2) return std::nullopt;
  std::vector<Trade> trades;
  for (const StrategySummary& summary : summaries) {
    if (summary.targets[*target].first.reached == 0) continue;
    trades.push_back(TradeOf(summary, looks, *target));
  }
  const std::string goal =
      TargetText(summaries.front().score, summaries.front().targets[*target].target);
  return DrawTrades({prefix + "pareto", fmt::format("Time against energy to {}", goal),
                     CaptionOf(summaries, trades, *target)},
                    {.label = "time (s): " + BookedTimes(books), .name = "time_s"},
                    {.label = "energy of all devices (J)", .name = "energy_j"}, trades,
                    CsvOf(trades, summaries, *target));
}

}  // namespace airlot::report
