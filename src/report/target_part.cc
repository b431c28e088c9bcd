#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "airlot/report.h"
#include "report/numbers.h"
#include "report/parts.h"

namespace airlot::report {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// One of the two quantities that it takes to reach a target.
struct Quantity {
  Moments TargetSummary::*ours;
  const double (PaperRow::*paper)[2];
  std::string_view id, name, unit, column;
};
constexpr Quantity kTime = {
    &TargetSummary::time_s, &PaperRow::time_s, "time", "Time", "s", "time_s"};
constexpr Quantity kEnergy = {
    &TargetSummary::energy_j, &PaperRow::energy_j, "energy", "Energy", "J", "energy_j"};

// The paper's results on this scenario, or null.
const PaperScenario* FindPaper(const std::string& name) {
  const auto papers = PaperScenarios();
  const auto found = std::ranges::find(papers, name, &PaperScenario::name);
  return found == papers.end() ? nullptr : &*found;
}

// NaN: the paper does not tell, or says "NA".
double PaperValue(const PaperScenario* paper, const std::string& strategy, double target,
                  const Quantity& quantity) {
  if (paper == nullptr) return kNone;
  const auto row = std::ranges::find(paper->rows, strategy, &PaperRow::strategy);
  const auto at = std::ranges::find(paper->targets, target);
  if (row == paper->rows.end() || at == std::end(paper->targets)) return kNone;
  return ((*row).*quantity.paper)[at - std::begin(paper->targets)];
}

std::string Shown(const Moments& moments, std::size_t runs, std::string_view unit) {
  if (moments.count == 0) return "never";
  std::string text = ShortUtf8(moments.mean);
  if (moments.count > 1) text += " ± " + ShortUtf8(moments.sd);
  if (!unit.empty()) text += fmt::format(" {}", unit);
  if (moments.count < runs) text += fmt::format(" ({} of {} runs)", moments.count, runs);
  return text;
}

std::vector<BarGroup> BarsOf(std::span<const StrategySummary> summaries, const PaperScenario* paper,
                             const Quantity& quantity) {
  std::vector<BarGroup> groups;
  for (std::size_t t = 0; t < summaries.front().targets.size(); ++t) {
    const double goal = summaries.front().targets[t].target;
    BarGroup group{.name = fmt::format("to {:.4g} %", 100 * goal)};
    for (const StrategySummary& summary : summaries) {
      const Moments& ours = summary.targets[t].*quantity.ours;
      group.bars.push_back({.strategy = summary.strategy,
                            .value = ours.count == 0 ? kNone : ours.mean,
                            .spread = ours.sd,
                            .text = Shown(ours, summary.runs, quantity.unit),
                            .reference = PaperValue(paper, summary.strategy, goal, quantity)});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

Table TableOf(std::span<const StrategySummary> summaries, const PaperScenario* paper,
              const Quantity& quantity) {
  Table table{.caption = fmt::format("{} to reach an accuracy, in {}: mean ± standard deviation "
                                     "over the runs that reached it{}",
                                     quantity.name, quantity.unit,
                                     paper == nullptr ? "" : "; in brackets the paper's")};
  table.rows.push_back({"strategy"});
  for (const TargetSummary& target : summaries.front().targets) {
    table.rows[0].push_back(fmt::format("{:.4g} %", 100 * target.target));
  }
  for (const StrategySummary& summary : summaries) {
    auto& row = table.rows.emplace_back(1, summary.strategy);
    for (const TargetSummary& target : summary.targets) {
      std::string cell = Shown(target.*quantity.ours, summary.runs, "");
      if (paper != nullptr) {
        const double value = PaperValue(paper, summary.strategy, target.target, quantity);
        cell += value > 0 ? fmt::format(" ({})", Short(value)) : " (NA)";
      }
      row.push_back(std::move(cell));
    }
  }
  return table;
}

Table WholeRuns(std::span<const StrategySummary> summaries) {
  Table table{.caption =
                  "Whole runs: means over the runs. Fairness is 1 if all devices took part "
                  "equally often"};
  table.rows.push_back({"strategy", "runs", "final accuracy", "time (s)", "energy (J)",
                        "devices in a round", "fairness"});
  for (const StrategySummary& summary : summaries) {
    table.rows.push_back({summary.strategy, fmt::format("{}", summary.runs),
                          Percent(summary.final_accuracy.mean), ShortUtf8(summary.time_s.mean),
                          ShortUtf8(summary.energy_j.mean), ShortUtf8(summary.participants.mean),
                          fmt::format("{:.2f}", summary.fairness.mean)});
  }
  return table;
}

}  // namespace

Part TargetPart(const std::string& prefix, const ScenarioRuns& runs,
                std::span<const StrategySummary> summaries) {
  Part part{.id = prefix + "targets",
            .title = "Time and energy to a target",
            .text = "What it costs to reach an accuracy for the first time."};
  const PaperScenario* paper = FindPaper(runs.plan.scenario.name);
  for (const Quantity& quantity : {kTime, kEnergy}) {
    if (summaries.front().targets.empty()) break;
    part.figures.push_back(DrawBars(
        {fmt::format("{}targets-{}", prefix, quantity.id),
         fmt::format("{} to a target", quantity.name),
         "Mean over the runs that reached it; the line is one standard deviation to each side."},
        {.label = fmt::format("{} ({})", quantity.id, quantity.unit),
         .name = std::string(quantity.column)},
        BarsOf(summaries, paper, quantity), paper == nullptr ? "" : "as the paper reports"));
    part.tables.push_back(TableOf(summaries, paper, quantity));
  }
  part.tables.push_back(WholeRuns(summaries));
  return part;
}

}  // namespace airlot::report
