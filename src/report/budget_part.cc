#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/numbers.h"
#include "report/parts.h"
#include "report/phrases.h"
#include "report/statistics.h"

namespace airlot::report {
namespace {

constexpr std::size_t kMostPoints = 100;

// Returns "12" or "12.3".
std::string Count(double mean) {
  return mean == std::round(mean) ? Short(mean) : fmt::format("{:.1f}", mean);
}

// Returns "12.3 ± 4.5", a mean over runs and half of its interval.
std::string Count(const Moments& devices) {
  const std::optional<double> half = HalfWidth(devices);
  return Count(devices.mean) + (half ? fmt::format(" ± {}", Count(*half)) : "");
}

Table TableOf(std::span<const StrategySummary> summaries, const Looks& looks) {
  Table table{
      .caption =
          "Energy over budget. A device is over its budget where it spends more in a round, on "
          "average over the rounds of a run, than the budget. Devices over budget and the energy "
          "beyond the budgets of all devices and rounds are means over the runs, ± half of the "
          "95 % interval over the seeds (Student's t); the worst ratio of energy to budget is that "
          "of "
          "any device in any run"};
  table.id = "budgets";
  table.rows.push_back({"strategy", "devices over budget", "worst ratio", "energy beyond (J)"});
  for (const StrategySummary& summary : summaries) {
    if (!summary.budget) continue;
    const BudgetSummary& budget = *summary.budget;
    table.styles.push_back(looks.Of(summary.strategy));
    table.rows.push_back(
        {summary.strategy, Count(budget.devices_over),
         std::isfinite(budget.worst_ratio) ? RatioText(budget.worst_ratio, true) : "budget of 0",
         MeanText(budget.excess_j.mean, HalfWidth(budget.excess_j))});
  }
  return table;
}

}  // namespace

Part BudgetPart(const std::string& prefix, const ReducedRuns& reduced, const Looks& looks,
                std::span<const StrategySummary> summaries) {
  Part part{.id = prefix + "budgets",
            .title = "Energy budgets",
            .text = "Whether devices spend no more than they may in a round, on average."};
  std::vector<Curve> curves;
  std::size_t idle = 0, unbounded = 0;
  for (const BudgetRatios& ratios : reduced.budget_ratios) {
    if (ratios.values.empty()) continue;
    idle += std::size_t(std::ranges::count(ratios.values, 0.0));
    unbounded += std::size_t(
        std::ranges::count_if(ratios.values, [](double ratio) { return !std::isfinite(ratio); }));
    curves.push_back({.strategy = ratios.strategy,
                      .style = looks.Of(ratios.strategy),
                      .is_shown = looks.IsShown(ratios.strategy),
                      .points = Distribution(ratios.values, kMostPoints),
                      .is_steps = true});
  }
  if (curves.empty()) return part;
  part.figures.push_back(DrawLines(
      {prefix + "budget-use", "Energy over budget",
       fmt::format(
           "The curves are the share of devices, of all seeds, that spend at most so many times "
           "their budget. Right of the dashed line, a device is over its budget: a curve that has "
           "come to 100 % there keeps all budgets.{}{}",
           idle > 0 ? " Devices that spend nothing are to the left of all curves." : "",
           unbounded > 0 ? " Devices that spend energy with a budget of 0 are to the right." : "")},
      {.label = "energy spent / budget", .name = "ratio", .is_log = true, .mark = 1.0},
      {.label = "share of devices", .name = "share", .is_percent = true}, curves, {}));
  part.tables.push_back(TableOf(summaries, looks));
  return part;
}

}  // namespace airlot::report
