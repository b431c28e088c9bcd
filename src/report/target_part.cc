#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "airlot/report.h"
#include "base/csv.h"
#include "report/differences.h"
#include "report/numbers.h"
#include "report/parts.h"

namespace airlot::report {
namespace {

// A Quantity is one of the two that it takes to reach a target.
struct Quantity {
  Moments Arrivals::*ours;
  const std::optional<double> (PaperRow::*paper)[2];
  std::string_view id, name, unit, column;
};
constexpr Quantity kTime = {&Arrivals::time_s, &PaperRow::time_s, "time", "Time", "s", "time_s"};
constexpr Quantity kEnergy = {&Arrivals::energy_j, &PaperRow::energy_j, "energy", "Energy", "J",
                              "energy_j"};

// Returns the paper's results on this scenario, or null.
const PaperScenario* FindPaper(const std::string& name) {
  const auto papers = PaperScenarios();
  const auto found = std::ranges::find(papers, name, &PaperScenario::name);
  return found == papers.end() ? nullptr : &*found;
}

// Returns null where the paper does not tell; where it says "NA", there is no value.
const std::optional<double>* PaperValue(const PaperScenario* paper, const std::string& strategy,
                                        double target, const Quantity& quantity) {
  if (paper == nullptr) return nullptr;
  const auto row = std::ranges::find(paper->rows, strategy, &PaperRow::strategy);
  const auto at = std::ranges::find(paper->targets, target);
  if (row == paper->rows.end() || at == std::end(paper->targets)) return nullptr;
  return &((*row).*quantity.paper)[at - std::begin(paper->targets)];
}

std::string ShownPaper(const std::optional<double>& value) { return value ? Short(*value) : "NA"; }

// Returns a mean and its deviation as "871 ± 163", or "≥ 871" where some runs missed the target.
std::string Shown(const Arrivals& arrivals, const Moments& cost) {
  if (arrivals.reached == 0) return "not reached";
  if (arrivals.reached < cost.count) return "≥ " + ShortUtf8(cost.mean);
  std::string text = ShortUtf8(cost.mean);
  if (cost.count > 1) text += " ± " + ShortUtf8(cost.sd);
  return text;
}

bool IsPartial(const Arrivals& arrivals, std::size_t runs) {
  return arrivals.reached > 0 && arrivals.reached < runs;
}

std::vector<BarGroup> BarsOf(std::span<const StrategySummary> summaries, const Looks& looks,
                             const PaperScenario* paper, const Quantity& quantity) {
  std::vector<BarGroup> groups;
  for (std::size_t t = 0; t < summaries.front().targets.size(); ++t) {
    const double goal = summaries.front().targets[t].target;
    BarGroup group{.name = fmt::format("to {:.4g} %", 100 * goal)};
    for (const StrategySummary& summary : summaries) {
      const Arrivals& arrivals = summary.targets[t].first;
      const Moments& ours = arrivals.*quantity.ours;
      const std::optional<double>* reference = PaperValue(paper, summary.strategy, goal, quantity);
      const bool is_partial = IsPartial(arrivals, summary.runs), is_missed = arrivals.reached == 0;
      group.bars.push_back(
          {.strategy = summary.strategy,
           .style = looks.Of(summary.strategy),
           .value = is_missed ? std::nullopt : std::optional(ours.mean),
           .spread = is_partial ? 0 : ours.sd,
           .text = Shown(arrivals, ours) + (is_missed ? "" : fmt::format(" {}", quantity.unit)),
           .remark = is_partial ? fmt::format("{}/{} runs", arrivals.reached, summary.runs) : "",
           .reference = reference == nullptr ? std::nullopt : *reference});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string CsvOf(std::span<const StrategySummary> summaries, const PaperScenario* paper,
                  const Quantity& quantity) {
  std::string csv = fmt::format("target,strategy,{0},{0}_sd,reached,held_{0},held,runs{1}\n",
                                quantity.column, paper == nullptr ? "" : ",paper");
  for (std::size_t t = 0; t < summaries.front().targets.size(); ++t) {
    for (const StrategySummary& summary : summaries) {
      const TargetSummary& target = summary.targets[t];
      const Moments &first = target.first.*quantity.ours, &held = target.held.*quantity.ours;
      csv += Plain(target.target) + ",";
      base::AppendCsvField(csv, summary.strategy);
      csv +=
          fmt::format(",{},{},{},{},{},{}", target.first.reached == 0 ? "" : Plain(first.mean),
                      target.first.reached < first.count || first.count < 2 ? "" : Plain(first.sd),
                      target.first.reached, target.held.reached == 0 ? "" : Plain(held.mean),
                      target.held.reached, summary.runs);
      if (paper != nullptr) {
        const auto* value = PaperValue(paper, summary.strategy, target.target, quantity);
        csv += "," + (value == nullptr ? "" : *value ? Plain(**value) : "NA");
      }
      csv += "\n";
    }
  }
  return csv;
}

// Returns ": uploads and computation" for the time, which is made of these.
std::string MadeOf(const Quantity& quantity, const Books& books) {
  return quantity.id == kTime.id ? ": " + BookedTimes(books) : "";
}

Table TableOf(std::span<const StrategySummary> summaries, const Looks& looks, const Books& books,
              const PaperScenario* paper, const Quantity& quantity) {
  Table table{.caption = fmt::format(
                  "{} to reach an accuracy first, and to hold it from then on, in {}{}. Mean ± "
                  "standard deviation over the runs; ≥ and [how many reached it], where a run that "
                  "did not counts with the whole of it{}",
                  quantity.name, quantity.unit, MadeOf(quantity, books),
                  paper == nullptr ? "" : "; (in the paper)")};
  table.rows.push_back({"strategy"});
  for (const TargetSummary& target : summaries.front().targets) {
    table.rows[0].push_back(fmt::format("{:.4g} %", 100 * target.target));
    table.rows[0].push_back(fmt::format("{:.4g} %, held", 100 * target.target));
  }
  for (const StrategySummary& summary : summaries) {
    auto& row = table.rows.emplace_back(1, summary.strategy);
    table.styles.push_back(looks.Of(summary.strategy));
    for (const TargetSummary& target : summary.targets) {
      for (const Arrivals* arrivals : {&target.first, &target.held}) {
        auto& cell = row.emplace_back(Shown(*arrivals, arrivals->*quantity.ours));
        if (IsPartial(*arrivals, summary.runs)) {
          cell += fmt::format(" [{} of {}]", arrivals->reached, summary.runs);
        }
        const auto* value = PaperValue(paper, summary.strategy, target.target, quantity);
        if (value != nullptr && arrivals == &target.first) {
          cell += fmt::format(" ({})", ShownPaper(*value));
        }
      }
    }
  }
  return table;
}

// Tells whether some target was reached in some runs of a strategy, but not in all.
bool HasPartial(std::span<const StrategySummary> summaries) {
  return std::ranges::any_of(summaries, [](const StrategySummary& summary) {
    return std::ranges::any_of(summary.targets, [&](const TargetSummary& target) {
      return IsPartial(target.first, summary.runs);
    });
  });
}

std::string BarCaption(std::span<const StrategySummary> summaries) {
  const bool is_mean = std::ranges::any_of(
      summaries, [](const StrategySummary& summary) { return summary.runs > 1; });
  std::string text = is_mean
                         ? "The bars are means over the runs; the line is one standard deviation "
                           "to each side."
                         : "The bars are of one run.";
  if (HasPartial(summaries)) {
    text +=
        " Where only some runs reached it (their number stands above the bar), the others count "
        "with the whole of them, and the bar is a lower bound.";
  }
  return text;
}

Table WholeRuns(std::span<const StrategySummary> summaries, const Looks& looks,
                const Books& books) {
  Table table{
      .caption = fmt::format(
          "Whole runs: means over the runs. The final accuracy is that of the last round; the time "
          "is that of {}; devices in a round are those that took part, empty rounds included. "
          "Fairness is Jain's index of how often the devices of a run took part: 1 where all did "
          "equally often, one over the number of devices where only one ever did",
          BookedTimes(books))};
  table.rows.push_back({"strategy", "runs", "final accuracy", "time (s)", "energy (J)",
                        "devices in a round", "fairness"});
  for (const StrategySummary& summary : summaries) {
    table.styles.push_back(looks.Of(summary.strategy));
    table.rows.push_back(
        {summary.strategy, fmt::format("{}", summary.runs), Percent(summary.final_accuracy.mean),
         ShortUtf8(summary.time_s.mean), ShortUtf8(summary.energy_j.mean),
         ShortUtf8(summary.participants.mean),
         summary.fairness.count == 0 ? "NA" : fmt::format("{:.2f}", summary.fairness.mean)});
  }
  return table;
}

}  // namespace

Part TargetPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks,
                std::span<const StrategySummary> summaries) {
  Part part{
      .id = prefix + "targets",
      .title = "Time and energy to a target",
      .text = fmt::format(
          "The figures show what it costs to reach an accuracy for the first time. A run has {}; "
          "what it might have reached after them is not known.",
          CountOf(runs.comparison.scenario.rounds, "round"))};
  const Books& books = runs.comparison.scenario.books;
  const PaperScenario* paper = FindPaper(runs.comparison.scenario.name);
  if (auto note = PaperNote(runs.comparison.scenario); !note.empty()) {
    part.notes.push_back(std::move(note));
  }
  for (const Quantity& quantity : {kTime, kEnergy}) {
    if (summaries.front().targets.empty()) break;
    part.figures.push_back(DrawBars(
        {fmt::format("{}targets-{}", prefix, quantity.id),
         fmt::format("{} to a target", quantity.name), BarCaption(summaries)},
        {.label = fmt::format("{} ({}){}", quantity.id, quantity.unit, MadeOf(quantity, books)),
         .name = std::string(quantity.column)},
        BarsOf(summaries, looks, paper, quantity), CsvOf(summaries, paper, quantity),
        paper == nullptr ? "" : "as the paper reports"));
    part.tables.push_back(TableOf(summaries, looks, books, paper, quantity));
  }
  if (auto trades = TradeFigure(prefix, summaries, looks, books)) {
    part.figures.push_back(std::move(*trades));
  }
  part.tables.push_back(WholeRuns(summaries, looks, books));
  return part;
}

}  // namespace airlot::report
