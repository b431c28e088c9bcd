#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "airlot/report.h"
#include "base/csv.h"
#include "report/differences.h"
#include "report/effects.h"
#include "report/numbers.h"
#include "report/parts.h"
#include "report/statistics.h"

namespace airlot::report {
namespace {

// A Quantity is one of the two that it takes to reach a target.
struct Quantity {
  Moments Arrivals::*ours;
  Metric first, held;  // in which strategies are compared
  const std::optional<double> (PaperRow::*paper)[2];
  std::string_view id, name, unit, column;
};
constexpr Quantity kTime = {
    &Arrivals::time_s, Metric::kTime, Metric::kHeldTime, &PaperRow::time_s, "time", "Time", "s",
    "time_s"};
constexpr Quantity kEnergy = {&Arrivals::energy_j,
                              Metric::kEnergy,
                              Metric::kHeldEnergy,
                              &PaperRow::energy_j,
                              "energy",
                              "Energy",
                              "J",
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

// Returns half of the width of the 95 % interval of a cost; there is none where some runs missed
// the target, so that the mean is a lower bound.
std::optional<double> HalfOf(const Arrivals& arrivals, const Moments& cost) {
  return arrivals.reached < cost.count ? std::nullopt : HalfWidth(cost);
}

// Returns a mean and its interval as "871 ± 163", or "≥ 871" where some runs missed the target.
std::string Shown(const Arrivals& arrivals, const Moments& cost) {
  if (arrivals.reached == 0) return "not reached";
  if (arrivals.reached < cost.count) return "≥ " + ShortUtf8(cost.mean);
  return MeanText(cost.mean, HalfOf(arrivals, cost));
}

bool IsPartial(const Arrivals& arrivals, std::size_t runs) {
  return arrivals.reached > 0 && arrivals.reached < runs;
}

std::vector<BarGroup> BarsOf(std::span<const StrategySummary> summaries, const Looks& looks,
                             const PaperScenario* paper, const Quantity& quantity) {
  std::vector<BarGroup> groups;
  for (std::size_t t = 0; t < summaries.front().targets.size(); ++t) {
    const double goal = summaries.front().targets[t].target;
    BarGroup group{.name = "to " + TargetText(summaries.front().score, goal)};
    for (const StrategySummary& summary : summaries) {
      const Arrivals& arrivals = summary.targets[t].first;
      const Moments& ours = arrivals.*quantity.ours;
      const std::optional<double>* reference = PaperValue(paper, summary.strategy, goal, quantity);
      const bool is_partial = IsPartial(arrivals, summary.runs), is_missed = arrivals.reached == 0;
      group.bars.push_back(
          {.strategy = summary.strategy,
           .style = looks.Of(summary.strategy),
           .value = is_missed ? std::nullopt : std::optional(ours.mean),
           .spread = ours.count < kLeastForBand ? 0 : HalfOf(arrivals, ours).value_or(0),
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
  std::string csv =
      fmt::format("target,strategy,{0},{0}_low,{0}_high,reached,held_{0},held,runs{1}\n",
                  quantity.column, paper == nullptr ? "" : ",paper");
  for (std::size_t t = 0; t < summaries.front().targets.size(); ++t) {
    for (const StrategySummary& summary : summaries) {
      const TargetSummary& target = summary.targets[t];
      const Moments &first = target.first.*quantity.ours, &held = target.held.*quantity.ours;
      const std::optional<double> half = HalfOf(target.first, first);
      csv += Plain(target.target) + ",";
      base::AppendCsvField(csv, summary.strategy);
      csv +=
          fmt::format(",{},{},{},{},{},{},{}", target.first.reached == 0 ? "" : Plain(first.mean),
                      half ? Plain(first.mean - *half) : "", half ? Plain(first.mean + *half) : "",
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

// Sets in bold, in the table of which this is a column, the strategy that is the best one.
void SetBold(const std::vector<bool>& is_best, std::size_t column, Table& table) {
  for (std::size_t i = 0; i < is_best.size(); ++i) {
    if (!is_best[i]) continue;
    table.bold.resize(table.rows.size());
    for (std::size_t r = 0; r < table.rows.size(); ++r) table.bold[r].resize(table.rows[r].size());
    table.bold[i + 1][column] = true;
  }
}

// Says by which test cells are in bold, where some are.
void NoteBold(Table& table) {
  if (!table.bold.empty()) table.caption += fmt::format("; {}", kBoldNote);
}

Table TableOf(std::span<const StrategySummary> summaries, const Looks& looks, const Books& books,
              const PaperScenario* paper, const Quantity& quantity, bool is_done) {
  Table table{.caption = fmt::format(
                  "{} to reach an {} first, and to hold it from then on, in {}{}. Mean ± "
                  "half of its 95 % interval over the seeds (Student's t); ≥ and [how many reached "
                  "it], where a run that did not counts with the whole of it{}",
                  quantity.name, ScoreName(summaries.front().score), quantity.unit,
                  MadeOf(quantity, books), paper == nullptr ? "" : "; (in the paper)")};
  table.id = fmt::format("targets-{}", quantity.id);
  table.rows.push_back({"strategy"});
  for (const TargetSummary& target : summaries.front().targets) {
    const std::string goal = TargetText(summaries.front().score, target.target);
    table.rows[0].push_back(goal);
    table.rows[0].push_back(goal + ", held");
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
  std::size_t column = 0;
  for (const TargetSummary& target : summaries.front().targets) {
    if (!is_done) break;
    SetBold(BestOf(summaries, quantity.first, target.target), ++column, table);
    SetBold(BestOf(summaries, quantity.held, target.target), ++column, table);
  }
  NoteBold(table);
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
  std::string text = is_mean ? "The bars are means over the runs; the line is the 95 % interval of "
                               "the mean over seeds (Student's t), from three runs on."
                             : "The bars are of one run.";
  if (HasPartial(summaries)) {
    text +=
        " Where only some runs reached it (their number stands above the bar), the others count "
        "with the whole of them, and the bar is a lower bound.";
  }
  return text;
}

std::string Shown(const Moments& moments) { return MeanText(moments.mean, HalfWidth(moments)); }

std::string ShownFairness(const Moments& fairness) {
  if (fairness.count == 0) return "NA";
  const std::optional<double> half = HalfWidth(fairness);
  return fmt::format("{:.2f}{}", fairness.mean, half ? fmt::format(" ± {:.2f}", *half) : "");
}

Table WholeRuns(std::span<const StrategySummary> summaries, const Looks& looks, const Books& books,
                bool is_done) {
  const Score score = summaries.front().score;
  Table table{
      .caption = fmt::format(
          "Whole runs: mean ± half of its 95 % interval over the seeds (Student's t). The final "
          "{} is that of the last round; the time is that of {}; devices in a round are those that "
          "took part, empty rounds included. "
          "Fairness is Jain's index of how often the devices of a run took part: 1 where all did "
          "equally often, one over the number of devices where only one ever did",
          ScoreName(score), BookedTimes(books))};
  table.id = "whole-runs";
  table.rows.push_back({"strategy", "runs", fmt::format("final {}", ScoreName(score)), "time (s)",
                        "energy (J)", "devices in a round", "fairness"});
  for (const StrategySummary& summary : summaries) {
    table.styles.push_back(looks.Of(summary.strategy));
    table.rows.push_back(
        {summary.strategy, fmt::format("{}", summary.runs),
         ScoreMeanText(score, summary.final_accuracy.mean, HalfWidth(summary.final_accuracy)),
         Shown(summary.time_s), Shown(summary.energy_j), Shown(summary.participants),
         ShownFairness(summary.fairness)});
  }
  if (is_done) SetBold(BestOf(summaries, Metric::kFinalAccuracy), 2, table);
  NoteBold(table);
  return table;
}

}  // namespace

Part TargetPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks,
                std::span<const StrategySummary> summaries) {
  Part part{.id = prefix + "targets",
            .title = "Time and energy to a target",
            .text = fmt::format(
                "The figures show what it costs to reach an {} for the first time. A run has "
                "{}{}; what it might have reached after them is not known.",
                ScoreName(runs.provenance.score), RoundsText(runs.comparison.scenario),
                StopsAtTargets(runs.comparison.scenario)
                    ? ", and ends with the evaluation that reaches the highest target"
                    : "")};
  const Books& books = runs.comparison.scenario.books;
  // Nobody is called the best while runs are to come.
  const bool is_done = std::ranges::all_of(
      runs.runs, [](const KeptRun& run) { return run.stage == RunStage::kComplete; });
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
    part.tables.push_back(TableOf(summaries, looks, books, paper, quantity, is_done));
  }
  if (auto trades = TradeFigure(prefix, summaries, looks, books)) {
    part.figures.push_back(std::move(*trades));
  }
  part.tables.push_back(WholeRuns(summaries, looks, books, is_done));
  return part;
}

}  // namespace airlot::report
