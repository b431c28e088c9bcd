#include "report/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "airlot/scenario_fleet.h"
#include "airlot/version.h"
#include "report/differences.h"
#include "report/numbers.h"
#include "report/parts.h"
#include "report/sentence.h"

namespace airlot::report {
namespace {

constexpr std::string_view kNobody =
    "No device can take part: each has the probability 0, so nothing is learned.";

std::size_t CountAt(RunStage stage, const KeptRuns& runs) {
  return std::size_t(std::ranges::count(runs.runs, stage, &KeptRun::stage));
}

// Names the runs that nothing can be shown of, and says why.
std::vector<std::string> LeftOutOf(const KeptRuns& runs) {
  std::vector<std::string> left_out;
  for (const UnreadableRun& run : runs.unreadable) {
    left_out.push_back(
        fmt::format("{}, seed {}, is left out: {}", run.strategy, run.seed, run.fault));
  }
  return left_out;
}

// Says how far the runs are, unless all are done.
void NoteState(const KeptRuns& runs, Section& section) {
  const std::size_t complete = CountAt(RunStage::kComplete, runs);
  const std::size_t all = runs.comparison.strategies.size() * runs.comparison.seeds.size();
  const std::string done = fmt::format("{} of {} complete", complete,
                                       all == 1 ? "1 run is" : fmt::format("{} runs are", all));
  switch (runs.status) {
    case RunStatus::kComplete:
      break;
    case RunStatus::kRunning:
      section.notes.push_back(
          fmt::format("These runs are still going on, or were killed: {}.", done));
      break;
    case RunStatus::kInterrupted:
      section.notes.push_back(fmt::format("These runs were interrupted: {}.", done));
      break;
    case RunStatus::kFailed:
      section.notes.push_back(fmt::format("These runs failed: {}.", done));
      break;
  }
  for (const KeptRun& run : runs.runs) {
    if (run.stage != RunStage::kBegun || run.records.empty()) continue;
    section.notes.push_back(fmt::format("{}, seed {}, has done {} of {}.", run.strategy, run.seed,
                                        Short(double(run.records.back().round)),
                                        RoundsText(runs.comparison.scenario)));
  }
  const std::size_t not_begun = CountAt(RunStage::kNotBegun, runs);
  if (not_begun > 0) {
    section.notes.push_back(
        fmt::format("{} run{} not begun.", not_begun, not_begun == 1 ? " has" : "s have"));
  }
  section.notes.insert(section.notes.end(), section.left_out.begin(), section.left_out.end());
}

std::string FactsOf(const Comparison& comparison) {
  const Scenario& scenario = comparison.scenario;
  return fmt::format("{} on {}, {}, {} strateg{} × {}", DescribeModel(scenario.model),
                     scenario.data.dataset.value_or(""), RoundsText(scenario),
                     comparison.strategies.size(), comparison.strategies.size() == 1 ? "y" : "ies",
                     CountOf(comparison.seeds.size(), "seed"));
}

void NoteFleet(const std::optional<RunFleet>& fleet, Score score, Section& section) {
  if (!fleet) {
    section.notes.emplace_back(
        "No run has kept its devices, so this report leaves out the fleet, its plan, its labels "
        "and who takes part.");
    return;
  }
  if (fleet->view.power_w.empty()) section.notes.emplace_back(kNobody);
  const std::vector<std::string> missing = MissingIn(*fleet, score);
  if (missing.empty()) return;
  section.notes.push_back(
      fmt::format("The runs are of an earlier version of airlot, which did not keep all of the "
                  "fleet. This report leaves out {}.",
                  fmt::join(missing, ", ")));
}

Part FleetPart(const std::string& prefix, const Scenario& scenario, const RunFleet& fleet) {
  Part part{.id = prefix + "fleet",
            .title = "The fleet and its plan",
            .text = fmt::format("This is the fleet of seed {}, as it was planned{}.", fleet.seed,
                                scenario.radio.fading.kind == Fading::kNone
                                    ? ""
                                    : " for the mean channel; each round was planned anew")};
  part.figures = PlanFigures(prefix, fleet.view);
  if (fleet.expected) part.tables.push_back(ExpectationTable(*fleet.expected));
  if (!fleet.labels) return part;
  const LabelCounts& labels = *fleet.labels;
  part.figures.push_back(
      DrawLabels({prefix + "labels", "Labels",
                  fmt::format("The colours show which labels the devices hold{}.",
                              labels.drawn.size() < labels.devices
                                  ? fmt::format("; {} of {} devices are drawn", labels.drawn.size(),
                                                Short(double(labels.devices)))
                                  : "")},
                 labels));
  return part;
}

std::vector<StrategySummary> SummariesOf(const KeptRuns& runs) {
  std::vector<RunResult> counted;
  for (const std::string& strategy : runs.comparison.strategies) {
    for (const KeptRun* run : RunsOf(runs, strategy)) {
      RunResult& result = counted.emplace_back();
      result.strategy = run->strategy;
      result.seed = run->seed;
      result.records = run->records;
      result.fairness = run->fairness;
      result.budget = run->budget;
      result.score = runs.provenance.score;
    }
  }
  return SummarizeRuns(counted, runs.comparison.scenario.targets);
}

// Tells whether runs are still to come, as far as anyone can tell.
bool IsUnfinished(const KeptRuns& runs) {
  return CountAt(RunStage::kComplete, runs) < runs.runs.size();
}

std::string SentenceOf(const KeptRuns& runs, std::span<const StrategySummary> summaries) {
  const std::size_t rounds = runs.comparison.scenario.rounds;
  if (!IsUnfinished(runs)) return VerdictText(summaries, runs.comparison.scenario);
  std::vector<Progress> progress;
  for (const StrategySummary& summary : summaries) {
    Progress one{.least = rounds, .is_done = true, .planned = runs.comparison.seeds.size()};
    for (const KeptRun* run : RunsOf(runs, summary.strategy)) {
      const std::size_t last = run->records.empty() ? 0 : run->records.back().round;
      one.least = std::min(one.least, last);
      one.most = std::max(one.most, last);
      one.is_done &= run->stage == RunStage::kComplete;
    }
    progress.push_back(one);
  }
  return InterimSentence(summaries, progress, runs.comparison.scenario);
}

void AddUnlessEmpty(Part part, Section& section) {
  if (!part.figures.empty()) section.parts.push_back(std::move(part));
}

Table SplitTable(const Scenario& scenario, const BandSplit& split) {
  const auto with_band =
      std::ranges::count_if(split.bandwidth_hz, [](double band_hz) { return band_hz > 0; });
  Table table{.caption =
                  "How the band is split, and what that gains in Σ samples · probability of the "
                  "plain plan, for the mean channel"};
  table.rows = {{"quantity", "value"},
                {"radio.sharing", std::string(BandSharingName(scenario.radio.band.sharing))},
                {"devices with a band", Short(double(with_band))},
                {"with this split", ShortUtf8(split.value)},
                {"with equal bands", ShortUtf8(split.equal_value)},
                {"at most, with any split", ShortUtf8(split.bound)}};
  table.id = "split";
  return table;
}

// Where it is seconds that levers add to, there is no time limit to move.
Table LeverTable(const Levers& levers, bool are_seconds = false) {
  const std::string quantity = are_seconds ? "seconds" : "participants";
  Table table{
      .caption = fmt::format("What 1 % more of each would add to the {} of a round, to first order",
                             quantity)};
  table.rows = {{"of all devices", quantity}, {"the band", ShortUtf8(levers.bandwidth)}};
  if (!are_seconds) table.rows.push_back({"the time limit", ShortUtf8(levers.time_limit)});
  table.rows.push_back({"the power cap", ShortUtf8(levers.max_power)});
  table.rows.push_back({"the energy budgets", ShortUtf8(levers.energy_budget)});
  table.id = "levers";
  return table;
}

Table TableOf(const PlanFacts& facts) {
  Table table{.caption = facts.title, .rows = {{"quantity", "value"}}, .id = facts.id};
  if (!facts.remark.empty()) table.caption += ". " + facts.remark;
  table.rows.insert(table.rows.end(), facts.rows.begin(), facts.rows.end());
  return table;
}

// Returns what is known of the time of a round: a name and a value.
std::vector<std::string> TimeRow(const AirtimeExpectations& expect) {
  const std::string counted = expect.counts_computation ? ", with computation" : "";
  if (expect.is_time_exact()) {
    return {"time of a round (s), all uploads together" + counted,
            fmt::format("{} ± {}", ShortUtf8(expect.time_at_most_s), ShortUtf8(expect.time_sd_s))};
  }
  return {
      "bounds of the mean time of a round (s)" + counted,
      fmt::format("{} to {}", ShortUtf8(expect.time_at_least_s), ShortUtf8(expect.time_at_most_s))};
}

Table TableWithTime(const Expectations& expectations, const std::vector<std::string>& time_row) {
  Table table{.caption =
                  "What the plan expects of a round, ± the standard deviation between rounds, and "
                  "what limits the devices"};
  table.id = "plan";
  table.rows = {
      {"quantity", "value"},
      {"participants", fmt::format("{} ± {}", ShortUtf8(expectations.participants),
                                   ShortUtf8(expectations.participants_sd))},
      time_row,
      {"energy of a round (J)", fmt::format("{} ± {}", ShortUtf8(expectations.round_energy_j),
                                            ShortUtf8(expectations.round_energy_sd_j))},
      {"probability that nobody takes part", Percent(expectations.probability_empty_round, 2)}};
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    if (expectations.devices_by_limit[i] == 0) continue;
    table.rows.push_back({fmt::format("devices with limit {}", LimitName(static_cast<Limit>(i))),
                          Short(double(expectations.devices_by_limit[i]))});
  }
  return table;
}

// Adds what the plan expects, and what a little more of each resource would add.
void AddPlanTables(const Scenario& scenario, const PlanningProblem& problem, const PlanView& plan,
                   const Expectations& expectations, const PlanOrigin& origin, Part& part) {
  if (origin.airtime) {
    const AirtimeOrigin& airtime = *origin.airtime;
    part.tables.push_back(TableWithTime(expectations, TimeRow(*airtime.expect)));
    for (const PlanFacts& facts : airtime.facts) part.tables.push_back(TableOf(facts));
    if (expectations.participants == 0) return;
    part.tables.push_back(LeverTable(airtime.levers.adds, airtime.levers.are_seconds));
    return;
  }
  part.tables.push_back(ExpectationTable(expectations));
  const auto levers = LeversOf(scenario, problem, plan);
  if (levers && expectations.participants > 0) part.tables.push_back(LeverTable(*levers));
  if (origin.split != nullptr) part.tables.push_back(SplitTable(scenario, *origin.split));
}

// Says how long a round lasts.
std::string LastingOf(const Expectations& expectations, const PlanOrigin& origin) {
  const bool is_bound = origin.airtime && !origin.airtime->expect->is_time_exact();
  return (is_bound ? "at most " : "") + ShortUtf8(expectations.round_time_s);
}

// Where channels fade, this says for which channel the plan is.
std::string ChannelOf(const Scenario& scenario, const PlanOrigin& origin) {
  if (scenario.radio.fading.kind == Fading::kNone) return "";
  if (!origin.round) return ", the mean channel";
  return fmt::format(", the channel of round {}", *origin.round);
}

}  // namespace

Table ExpectationTable(const Expectations& expectations) {
  return TableWithTime(
      expectations, {"time of the slowest participant (s)", ShortUtf8(expectations.round_time_s)});
}

Section SectionOf(const std::string& id, const ReducedRuns& reduced, Looks looks) {
  const KeptRuns& runs = reduced.runs;
  const std::optional<RunFleet>& fleet = reduced.fleet;
  const std::string prefix = id + "-";
  Section section{.id = id,
                  .name = runs.comparison.scenario.name,
                  .facts = FactsOf(runs.comparison),
                  .left_out = LeftOutOf(runs),
                  .summaries = SummariesOf(runs),
                  .scenario = FormatScenario(runs.comparison.scenario),
                  .paper_note = PaperNote(runs.comparison.scenario),
                  .version = runs.provenance.version,
                  .simd_target = runs.provenance.simd_target};
  NoteState(runs, section);
  if (section.summaries.empty()) {
    section.sentence = "No run has got anywhere yet.";
  } else {
    looks.Choose(section.summaries);
    section.sentence = SentenceOf(runs, section.summaries);
    section.parts.push_back(AccuracyPart(prefix, runs, looks));
    section.parts.push_back(TargetPart(prefix, runs, looks, section.summaries));
    if (const auto effects = EffectTables(SummarizeComplete(runs)); !effects.empty()) {
      section.parts.push_back(EffectPart(prefix, effects));
      section.effects_csv = EffectsCsv(effects);
    }
    AddUnlessEmpty(BudgetPart(prefix, reduced, looks, section.summaries), section);
    AddUnlessEmpty(ClassPart(prefix, runs, looks), section);
  }
  NoteFleet(fleet, runs.provenance.score, section);
  if (fleet) {
    section.parts.push_back(FleetPart(prefix, runs.comparison.scenario, *fleet));
    AddUnlessEmpty(ParticipationPart(prefix, *fleet, looks), section);
  }
  if (!section.summaries.empty()) {
    section.parts.push_back(RoundPart(prefix, runs, looks));
    AddUnlessEmpty(BatteryPart(prefix, runs, looks), section);
  }
  return section;
}

Section PlanSection(const Scenario& scenario, const Fleet& fleet, const PlanningProblem& problem,
                    const PlanView& plan, const Expectations& expectations,
                    const PlanOrigin& origin) {
  Section section{.id = "plan",
                  .name = scenario.name,
                  .facts = fmt::format(
                      "{}{}{}, solver {}", CountOf(fleet.devices, "device"),
                      !scenario.fleet.file
                          ? fmt::format(" drawn with seed {}", origin.seed)
                          : " of " + (scenario.fleet.file == "/dev/stdin" ? "standard input"
                                                                          : *scenario.fleet.file),
                      ChannelOf(scenario, origin), SolverName(scenario.planning.solver)),
                  .scenario = FormatScenario(scenario),
                  .repetition = origin.repetition,
                  .version = kVersion};
  section.sentence = fmt::format(
      "Of {}, {} take part in a round on average, which lasts {} s and costs {} J; nobody "
      "takes part in {} of the rounds.",
      CountOf(fleet.devices, "device"), ShortUtf8(expectations.participants),
      LastingOf(expectations, origin), ShortUtf8(expectations.round_energy_j),
      Percent(expectations.probability_empty_round, 2));
  if (origin.airtime) {
    section.sentence +=
        fmt::format(" This is a plan of the round's airtime: those who are drawn send {}.",
                    origin.airtime->how_they_send);
    section.notes = origin.airtime->notes;
  }
  Part part{.id = "plan-fleet",
            .title = "The fleet and its plan",
            .text = "The figures show each device's probability and power, and what limits it."};
  const FleetView view =
      origin.airtime ? ViewOf(fleet, *origin.airtime->rows) : ViewOf(fleet, problem, plan);
  part.figures = PlanFigures("plan-", view, origin.airtime ? ", if each is drawn alone" : "");
  AddPlanTables(scenario, problem, plan, expectations, origin, part);
  if (view.power_w.empty()) section.sentence = std::string(kNobody);
  if (!HasMap(view)) {
    section.notes.emplace_back("There is no map, because the fleet has no distances.");
  }
  section.parts.push_back(std::move(part));
  if (origin.floor != nullptr) {
    section.parts.push_back(FloorPart(scenario.round.min_probability, fleet, *origin.floor));
  }
  return section;
}

}  // namespace airlot::report
