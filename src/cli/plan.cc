// `airlot plan` finds the probabilities and powers of a fleet.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "airlot/band_split.h"
#include "airlot/plan_file.h"
#include "airlot/planning.h"
#include "airlot/report.h"
#include "airlot/scenario_fleet.h"
#include "base/gather.h"
#include "base/stopwatch.h"
#include "cli/airtime_plan.h"
#include "cli/command.h"
#include "cli/output_files.h"
#include "cli/plan_options.h"
#include "cli/plan_ranks.h"
#include "cli/plan_summary.h"
#include "cli/plan_sweep.h"
#include "cli/ranks.h"
#include "cli/repetition.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// This check comes before any work is done.
Status CheckFiles(const Scenario& scenario, const PlanOptions& options) {
  if (options.report_file == "-") return Error{"--report -: the report goes to a file; name one"};
  return CheckDistinct(InputsOf(options.scenario.scenario, scenario),
                       {{options.plan_file, "the plan"},
                        {options.saved_fleet_file, "the saved fleet"},
                        {options.report_file, "the report"}});
}

// Says what the check has found wrong, and returns the exit code.
int ReportCheck(const PlanSummary& summary) {
  const auto failure = FailureOf(summary);
  if (!failure) return kDone;
  Report(*failure);
  return kFailed;
}

Result<Fleet> LoadFleet(const Scenario& scenario, const PlanOptions& options, const Hands& hands,
                        const FleetPart* part, PlanSummary& summary) {
  Progress progress(scenario.fleet.file ? "reading the fleet" : "drawing the fleet",
                    options.output.quiet);
  auto made = MakeFleet(scenario, options.scenario.seed, hands, std::ref(progress), part);
  if (!made) return made.error();
  summary.notes = std::move(made->notes);
  return std::move(made->fleet);
}

// Leaves the fleet with the channel of one round.
Status FadeTo(std::uint64_t round, const Scenario& scenario, std::uint64_t seed, Fleet& fleet) {
  if (scenario.radio.fading.kind == Fading::kNone) {
    return Error{fmt::format(
        "--round {}: all rounds have the same plan, as radio.fading is none; leave it out", round)};
  }
  ColumnValues noise_to_gain_w(fleet.devices);
  FadeNoise(fleet, scenario.radio.fading, scenario.radio.knowledge, seed, round, noise_to_gain_w);
  fleet.noise_to_gain_w = std::move(noise_to_gain_w);
  return {};
}

// Returns what an airtime plan has that a plan of own bands has not, for its report.
AirtimeOrigin OriginOf(const PlannedAirtime& planned, const AirtimeSummary& summary) {
  return {.rows = &planned.rows,
          .expect = &summary.expect,
          .levers = summary.levers,
          .how_they_send = HowTheySend(summary),
          .facts = FactsOf(summary),
          .notes = summary.notes};
}

// Finds what an airtime plan means for the fleet.
void ExamineAirtime(const Scenario& scenario, const PlannedAirtime& planned, const Plan& own_bands,
                    const PlanOptions& options, const Hands& hands, PlanSummary& summary) {
  summary.unfinished = base::SumOfMembers(hands, own_bands.unfinished);
  summary.airtime = Summarise(scenario, planned, own_bands, hands);
  summary.expectations = summary.airtime->expect.round;
  SummariseProbabilities(planned.rows.plan.probability, hands, summary);
  if (options.check) {
    const Progress progress("checking the plan", options.output.quiet);
    summary.airtime->certificate =
        CertifyAirtime(planned.round->problem(), planned.round->plan(), hands);
  }
  if (summary.min_probability > 0) {  // the others decide, so that no resource alone is enough
    summary.floor = FloorSummary{
        .min_probability = summary.min_probability,
        .devices = summary.devices,
        .report = CheckFloor(planned.cell.problem, planned.rows.plan, summary.min_probability, 0)};
  }
}

// Returns of how many devices it is to be said what they need: of all, where that is written.
std::size_t MostShortfalls(const PlanSummary& summary, const PlanOptions& options) {
  // Where the round's time counts, no resource of a device alone explains its probability.
  if (summary.time_weight > 0) return 0;
  const bool are_all_written = options.output.json || options.plan_file || options.report_file;
  return are_all_written ? summary.devices : kShortfallsInText;
}

// Finds what the plan means for the fleet.
void Examine(const Scenario& scenario, const PlanningProblem& problem, const Plan& plan,
             const DeviceIds& ids, const PlanOptions& options, const Hands& hands,
             PlanSummary& summary) {
  summary.unfinished = base::SumOfMembers(hands, plan.unfinished);
  summary.binds_time = problem.time_rule == TimeRule::kExpected && problem.circuit_power_w == 0 &&
                       problem.compute_rule == ComputeRule::kParticipants &&
                       !IsOfThePaper(summary.solver) && summary.time_weight == 0 &&
                       !problem.steps.any();
  {
    const Progress progress("summing up", options.output.quiet);
    if (problem.steps.any()) summary.radio = SummariseRadio(scenario.radio, problem, plan);
    summary.levers = LeversOf(scenario, problem, plan, hands);
    summary.expectations = Expect(problem, plan, hands);
    SummariseProbabilities(plan.probability, hands, summary);
    if (summary.highest == 0 && summary.time_weight == 0) {
      summary.notes.push_back(NobodyNote(problem, plan, ids));
    }
  }
  if (options.check) {
    Progress progress("checking the plan", options.output.quiet);
    summary.certificate = CertifyPlan(problem, plan, hands, std::ref(progress));
  }
  if (summary.min_probability > 0) {
    const Progress progress("finding what devices need", options.output.quiet);
    summary.floor = FloorSummary{.min_probability = summary.min_probability,
                                 .devices = summary.devices,
                                 .report = CheckFloor(problem, plan, summary.min_probability,
                                                      MostShortfalls(summary, options)),
                                 .plan_file = options.plan_file};
  }
}

// Returns what devices need, where a file or a page shows that of all of them.
const FloorReport* NeedsOf(const PlanSummary& summary) {
  const bool is_explained = !summary.airtime && summary.time_weight == 0;
  return summary.floor && is_explained ? &summary.floor->report : nullptr;
}

Status WriteFiles(const Fleet& saved, const Fleet& fleet, const PlanningProblem& problem,
                  const Plan& plan, const PlannedAirtime* airtime, const FloorReport* needs,
                  const PlanOptions& options, const Hands& hands) {
  Progress progress("writing the plan", options.output.quiet);
  if (options.saved_fleet_file) {
    if (auto status = WriteFleet(*options.saved_fleet_file, saved, options.threads); !status)
      return status;
  }
  if (!options.plan_file) return {};
  if (airtime != nullptr) {
    return WritePlan(*options.plan_file, airtime->rows, std::ref(progress), hands);
  }
  return WritePlan(*options.plan_file, fleet, problem, plan, std::ref(progress), needs, hands);
}

std::optional<FadingChannel> ChannelOf(const Scenario& scenario, const PlanOptions& options) {
  if (scenario.radio.fading.kind == Fading::kNone) return std::nullopt;
  return FadingChannel{.round = options.round};
}

// A plan is made in four steps: parse -> validate -> solve -> write.
// Where there is a part, each member of the team holds its own.
Result<PlanSummary> PlanScenario(const Scenario& of_scenario, const PlanOptions& options,
                                 const Hands& hands, const FleetPart* part) {
  const Scenario* const scenario = &of_scenario;
  PlanSummary summary{.scenario = scenario->name,
                      .fleet_file = scenario->fleet.file,
                      .plan_file = options.plan_file,
                      .report_file = options.report_file,
                      .min_probability = scenario->round.min_probability,
                      .time_weight = scenario->round.time_weight,
                      .time_rule = scenario->round.time_rule,
                      .solver = scenario->planning.solver,
                      .sharing = std::string(BandSharingName(scenario->radio.band.sharing)),
                      .channel = ChannelOf(*scenario, options)};

  base::LapTimer watch;
  auto fleet = LoadFleet(*scenario, options, hands, part, summary);
  if (!fleet) return fleet.error();
  const bool is_saved_as_was =
      options.saved_fleet_file &&
      (scenario->radio.band.sharing != BandSharing::kEqual || options.round);
  const std::optional<Fleet> as_was = is_saved_as_was ? std::optional(*fleet) : std::nullopt;
  summary.read_s = watch.Lap();
  std::optional<Progress> progress;
  progress.emplace("solving", options.output.quiet);
  const auto split = SplitBand(*scenario, *fleet, hands);
  if (!split) return split.error();
  if (options.round) {
    if (const auto status = FadeTo(*options.round, *scenario, options.scenario.seed, *fleet);
        !status) {
      return status.error();
    }
  }
  const auto problem = ProblemOf(*fleet, *scenario);
  if (!problem) return problem.error();
  if (const auto status = base::AgreeOn(hands, CheckPlanning(*scenario, *problem)); !status) {
    return status.error();
  }
  summary.devices = base::SumOfMembers(hands, fleet->devices);
  const Plan plan = PlanRound(*scenario, *problem, options.threads);
  std::optional<PlannedAirtime> airtime;
  if (scenario->round.airtime) {
    auto planned = PlanAirtimeRows(*scenario, *fleet, *problem, plan, hands);
    if (!planned) return planned.error();
    airtime = std::move(*planned);
  }
  progress.reset();
  summary.solve_s = watch.Lap();

  if (*split) {
    summary.band = SummariseBand(**split, *fleet, plan, hands);
    summary.band->is_of_round = options.round.has_value();
  }
  if (airtime) {
    ExamineAirtime(*scenario, *airtime, plan, options, hands, summary);
  } else {
    Examine(*scenario, *problem, plan, fleet->ids, options, hands, summary);
  }
  watch.Lap();
  if (const auto status =
          WriteFiles(as_was ? *as_was : *fleet, *fleet, *problem, plan,
                     airtime ? &*airtime : nullptr, NeedsOf(summary), options, hands);
      !status) {
    return status.error();
  }
  if (options.report_file) {
    const Progress writing("writing the report", options.output.quiet);
    PlanOrigin origin{options.scenario.seed, options.round, *split ? &**split : nullptr};
    if (airtime) origin.airtime = OriginOf(*airtime, *summary.airtime);
    origin.floor = summary.floor ? &summary.floor->report : nullptr;
    origin.repetition =
        PlanRepetition(*scenario, ScenarioFileOf(options.scenario.scenario), origin);
    if (const auto status = WritePlanReport(*options.report_file, *scenario, *fleet, *problem, plan,
                                            summary.expectations, origin);
        !status) {
      return status.error();
    }
  }
  summary.write_s = watch.Lap();
  if (summary.floor) summary.floor->ids = std::move(fleet->ids);
  return summary;
}

// Reads the scenario, and says what can be wrong before any work is done.
Result<Scenario> ReadCheckedScenario(const PlanOptions& options) {
  auto scenario = ScenarioOf(options);
  if (!scenario) return scenario;
  if (const auto status = CheckFiles(*scenario, options); !status) return status.error();
  return scenario;
}

Result<PlanSummary> MakePlan(const PlanOptions& options) {
  const auto scenario = ReadCheckedScenario(options);
  if (!scenario) return scenario.error();
  return PlanScenario(*scenario, options, options.threads, nullptr);
}

// Prints what the plan is, and returns the exit code.
int Show(const Result<PlanSummary>& summary, const PlanOptions& options) {
  if (!summary) return Report(summary.error());
  std::FILE* stream = options.plan_file == "/dev/stdout" ? stderr : stdout;
  // JSON has the notes itself, and is alone where it makes way for the plan.
  if (!options.output.json || stream != stderr) {
    for (const std::string& note : summary->notes) WriteNote(note);
  }
  if (options.output.json) {
    WritePlanJson(stream, *summary);
  } else {
    WriteForPeople(stream, PlanText(*summary));
  }
  return ReportCheck(*summary);
}

// Plans a fleet of which every rank holds a part. The first rank prints.
int RunPlanOverRanks(PlanOptions options) {
  const auto scenario = ReadCheckedScenario(options);
  if (!scenario) return Report(scenario.error());
  if (const auto status = CheckForRanks(*scenario, options); !status) {
    return Report(status.error());
  }
  options.output.quiet |= !IsFirstRank();
  const auto part = DivideAmongRanks(*scenario, options);
  if (!part) return LeavesErrorsToFirst() ? kBadInput : Report(part.error());
  if (part->devices == 0) return kDone;  // The others have them all.
  const auto summary =
      PlanScenario(*scenario, options, Hands(options.threads, JoinedRanks()), &*part);
  if (IsFirstRank()) return Show(summary, options);
  if (!summary) return kBadInput;
  return FailureOf(*summary) ? kFailed : kDone;
}

int RunPlan(const PlanOptions& options) {
  return JoinedRanks() != nullptr ? RunPlanOverRanks(options) : Show(MakePlan(options), options);
}

// Plans every cell of a grid: the files of `options` are those of the whole sweep.
int RunPlanSweep(PlanOptions options) {
  if (JoinedRanks() != nullptr) {
    return Report({fmt::format("--vary is for one process, and {} were started together: start one",
                               JoinedRanks()->size())});
  }
  auto source = ReadScenarioSource(options.scenario.scenario);
  if (!source) return Report(source.error());
  options.scenario.source = std::move(*source);
  if (options.saved_fleet_file || options.fleet_file == "/dev/stdin") {
    return Report({"--save-fleet and --fleet - are for one plan: leave them out beside --vary"});
  }
  auto base = ScenarioOf(options);
  if (!base) return Report(base.error());
  std::set<std::string> notes;  // those that were said already
  const auto plan = [&](const std::vector<std::string>& overrides,
                        std::uint64_t seed) -> Result<PlannedRound> {
    PlanOptions one = options;
    one.scenario.overrides = overrides;
    one.scenario.seed = seed;
    one.output.quiet = true;
    one.plan_file.reset();
    one.report_file.reset();
    one.output.json = false;
    const auto summary = MakePlan(one);
    if (!summary) return summary.error();
    for (const std::string& note : summary->notes) {
      if (notes.insert(note).second) WriteNote(note);
    }
    if (const auto failure = FailureOf(*summary)) return *failure;
    return PlannedRound{summary->expectations,
                        !summary->airtime || summary->airtime->expect.is_time_exact()};
  };
  return SweepPlans({.options = &options.sweep,
                     .scenario = options.scenario,
                     .base = std::move(*base),
                     .round = options.round,
                     .output = options.output,
                     .csv_file = options.plan_file,
                     .report_file = options.report_file,
                     .plan = plan});
}

}  // namespace

void AddPlan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App& command =
      *app.add_subcommand("plan", "Find each device's probability and transmit power");
  AddPlanOptions(command, *options);
  AddPlanSweepOptions(command, options->sweep);
  AddOutputOptions(command, options->output);
  AddExample(command,
             "airlot plan paper-highly-biased --set round.time_limit_s=0.5 --check -o plan.csv\n"
             "  airlot plan --fleet scenarios/sensors-example.csv --check -o plan.csv\n"
             "  airlot plan float32-cell --airtime --set strategy.airtime.fairness=2 --check\n"
             "  airlot plan float32-cell --vary radio.bandwidth_hz=1e6:1e8:5:log --seeds 10");
  command.callback([options, &command, &exit_code] {
    Resolve(command, *options);
    SortTexts(command, options->sweep.grid);
    if (!options->sweep.grid.texts.empty()) {
      exit_code = RunPlanSweep(*options);
    } else if (command.count("--seeds") > 0 || options->sweep.has_heat_maps) {
      exit_code = Report({"--seeds and --heat-maps are for sweeps: add --vary KEY=VALUES"});
    } else {
      exit_code = RunPlan(*options);
    }
  });
}

}  // namespace airlot::cli
