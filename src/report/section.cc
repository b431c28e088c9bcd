#include "report/section.h"

#include <fmt/format.h>

#include <algorithm>

#include "airlot/version.h"
#include "report/numbers.h"
#include "report/parts.h"
#include "report/sentence.h"

namespace airlot::report {
namespace {

// How far the runs are, unless all are done.
void NoteState(const ScenarioRuns& runs, Section& section) {
  const auto complete = std::ranges::count(runs.runs, RunEnd::kRoundsDone, &RunResult::end);
  const std::size_t all = runs.plan.strategies.size() * runs.plan.seeds.size();
  const std::string done = fmt::format("{} of {} runs are complete", complete, all);
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
  for (const RunResult& run : runs.runs) {
    if (run.end == RunEnd::kRoundsDone || run.records.empty()) continue;
    section.notes.push_back(fmt::format("{}, seed {}: {} of {} rounds", run.strategy, run.seed,
                                        run.records.back().round, runs.plan.scenario.rounds));
  }
  if (runs.not_begun > 0) {
    section.notes.push_back(fmt::format("{} run{} not begun.", runs.not_begun,
                                        runs.not_begun == 1 ? " has" : "s have"));
  }
  section.notes.insert(section.notes.end(), runs.notes.begin(), runs.notes.end());
}

std::string FactsOf(const RunPlan& plan) {
  const Scenario& scenario = plan.scenario;
  return fmt::format("{} on {}, {} rounds, {} strateg{} × {} seed{}", scenario.model.name,
                     scenario.data.dataset, Short(double(scenario.rounds)), plan.strategies.size(),
                     plan.strategies.size() == 1 ? "y" : "ies", plan.seeds.size(),
                     plan.seeds.size() == 1 ? "" : "s");
}

Part FleetPart(const std::string& prefix, const Scenario& scenario, const PlannedFleet& planned,
               std::uint64_t seed) {
  Part part{.id = prefix + "fleet",
            .title = "The fleet and its plan",
            .text = fmt::format("The fleet of seed {}, as it was planned.", seed)};
  const auto problem = ProblemOf(planned.fleet, scenario.radio, scenario.round);
  if (!problem) return part;
  part.figures = PlanFigures(prefix, planned.fleet, *problem, planned.plan);
  part.tables.push_back(ExpectationTable(Expect(*problem, planned.plan)));
  if (planned.labels.classes > 0) {
    part.figures.push_back(DrawLabels(
        {prefix + "labels", "Labels",
         fmt::format("Which labels the devices hold{}.",
                     planned.labels.ids.size() < planned.fleet.devices
                         ? fmt::format("; {} of {} devices are drawn", planned.labels.ids.size(),
                                       Short(double(planned.fleet.devices)))
                         : "")},
        planned.labels));
  }
  return part;
}

}  // namespace

Table ExpectationTable(const Expectations& expectations) {
  Table table{.caption = "What the plan expects of a round, and what limits the devices"};
  table.rows = {
      {"quantity", "value"},
      {"participants", fmt::format("{} ± {}", ShortUtf8(expectations.participants),
                                   ShortUtf8(expectations.participants_sd))},
      {"time of a round (s)", ShortUtf8(expectations.round_time_s)},
      {"energy of a round (J)", fmt::format("{} ± {}", ShortUtf8(expectations.round_energy_j),
                                            ShortUtf8(expectations.round_energy_sd_j))},
      {"probability that nobody takes part", Percent(expectations.probability_empty_round, 2)}};
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    if (expectations.devices_by_limit[i] == 0) continue;
    table.rows.push_back({fmt::format("devices with limit {}", Name(static_cast<Limit>(i))),
                          Short(double(expectations.devices_by_limit[i]))});
  }
  return table;
}

Section SectionOf(const std::string& id, const ScenarioRuns& runs) {
  const std::string prefix = id + "-";
  Section section{.id = id,
                  .name = runs.plan.scenario.name,
                  .facts = FactsOf(runs.plan),
                  .scenario = FormatScenario(runs.plan.scenario),
                  .command = CommandOf(runs.plan),
                  .version = runs.version};
  NoteState(runs, section);
  std::vector<RunResult> counted;
  for (const std::string& strategy : runs.plan.strategies) {
    for (const RunResult* run : RunsOf(runs, strategy)) counted.push_back(*run);
  }
  section.summaries = Summarize(counted, runs.plan.scenario.targets);
  if (section.summaries.empty()) {
    section.sentence = "No run has got anywhere yet.";
  } else {
    section.sentence = SummarySentence(section.summaries);
    section.parts.push_back(AccuracyPart(prefix, runs));
    section.parts.push_back(TargetPart(prefix, runs, section.summaries));
  }
  const std::uint64_t seed = runs.runs.empty() ? (runs.plan.seeds.empty() ? 1 : runs.plan.seeds[0])
                                               : runs.runs.front().seed;
  const auto planned = PlanAgain(runs.plan.scenario, seed);
  if (planned) {
    section.parts.push_back(FleetPart(prefix, runs.plan.scenario, *planned, seed));
    Part participation = ParticipationPart(prefix, runs, *planned, seed);
    if (!participation.figures.empty()) section.parts.push_back(std::move(participation));
  } else {
    section.notes.push_back(
        fmt::format("Left out: the fleet, its plan and its labels, which need what is missing here "
                    "({}).",
                    planned.error().message));
  }
  if (!section.summaries.empty()) section.parts.push_back(RoundPart(prefix, runs));
  return section;
}

Section PlanSection(const Scenario& scenario, const Fleet& fleet, const PlanningProblem& problem,
                    const PlanView& plan, const Expectations& expectations) {
  Section section{.id = "plan",
                  .name = scenario.name,
                  .facts = fmt::format("{} devices", Short(double(fleet.devices))),
                  .scenario = FormatScenario(scenario),
                  .version = kVersion};
  section.sentence = fmt::format(
      "Of {} devices, {} take part in a round on average, which lasts {} s and costs {} J; nobody "
      "takes part in {} of the rounds.",
      Short(double(fleet.devices)), ShortUtf8(expectations.participants),
      ShortUtf8(expectations.round_time_s), ShortUtf8(expectations.round_energy_j),
      Percent(expectations.probability_empty_round, 2));
  Part part{.id = "plan-fleet",
            .title = "The fleet and its plan",
            .text = "Each device's probability and power, and what limits it."};
  part.figures = PlanFigures("plan-", fleet, problem, plan);
  part.tables.push_back(ExpectationTable(expectations));
  if (!fleet.has_distance) {
    section.notes.emplace_back("Left out: the map, because the fleet has no distances.");
  }
  section.parts.push_back(std::move(part));
  return section;
}

}  // namespace airlot::report
