// `airlot plan` finds the probabilities and powers of a fleet.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "airlot/band_split.h"
#include "airlot/plan_file.h"
#include "airlot/planning.h"
#include "airlot/report.h"
#include "airlot/scenario_fleet.h"
#include "base/stopwatch.h"
#include "cli/airtime_plan.h"
#include "cli/command.h"
#include "cli/output_files.h"
#include "cli/plan_summary.h"
#include "cli/plan_sweep.h"
#include "cli/repetition.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct PlanOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  int threads = 1;
  // The scenario decides where these are not set.
  std::optional<std::string> fleet_file, sharing, solver;
  std::optional<double> start_probability, inner_tolerance_j, outer_tolerance;
  std::optional<std::string> plan_file, saved_fleet_file, report_file;
  bool airtime = false, check = false;
  std::optional<std::uint64_t> round;  // none: the mean channel
  PlanSweepOptions sweep;
};

// This check comes before any work is done.
Status CheckFiles(const std::optional<std::string>& fleet_file, const PlanOptions& options) {
  if (options.report_file == "-") return Error{"--report -: the report goes to a file; name one"};
  return CheckDistinct(
      {{ScenarioFileOf(options.scenario.scenario), "the scenario"}, {fleet_file, "the fleet file"}},
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

std::vector<std::string> SolverNames() {
  std::vector<std::string> names;
  for (const SolverEntry& entry : Solvers()) names.emplace_back(entry.name);
  return names;
}

std::vector<std::string> SharingNames() {
  std::vector<std::string> names;
  for (const auto& [sharing, name] : BandSharings()) names.emplace_back(name);
  return names;
}

// "-" is the standard stream; the summary then makes way for the plan.
void ResolveStreams(PlanOptions& options) {
  if (options.fleet_file == "-") options.fleet_file = "/dev/stdin";
  if (options.plan_file == "-") options.plan_file = "/dev/stdout";
}

Result<Fleet> LoadFleet(const Scenario& scenario, const PlanOptions& options) {
  if (const auto status = CheckFiles(scenario.fleet.file, options); !status) return status.error();
  Progress progress(scenario.fleet.file ? "reading the fleet" : "drawing the fleet",
                    options.output.quiet);
  auto made = MakeFleet(scenario, options.scenario.seed, options.threads, std::ref(progress));
  if (!made) return made.error();
  return std::move(made->fleet);
}

// Says what the split of the band means for the fleet and the plan.
BandSummary Summarise(const BandSplit& split, const Fleet& fleet, const Plan& plan) {
  BandSummary summary{.value = split.value,
                      .equal_value = split.equal_value,
                      .bound = split.bound,
                      .price = split.price,
                      .total_hz = fleet.total_bandwidth_hz};
  long double used_hz = 0, value = 0, weights = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    summary.devices_with_band += fleet.bandwidth_hz[i] > 0 ? 1 : 0;
    used_hz += fleet.bandwidth_hz[i];
    const double weight = fleet.samples ? (*fleet.samples)[i] : 1;
    weights += weight;
    value += weight * plan.probability[i];
  }
  summary.has_weights = weights > 0;
  summary.used_hz = static_cast<double>(used_hz);
  summary.planned_value = static_cast<double>(value);
  return summary;
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
                    const PlanOptions& options, PlanSummary& summary) {
  summary.unfinished = own_bands.unfinished;
  summary.airtime = Summarise(scenario, planned, own_bands, options.threads);
  summary.expectations = summary.airtime->expect.round;
  SummariseProbabilities(planned.rows.plan.probability, summary);
  if (options.check) {
    const Progress progress("checking the plan", options.output.quiet);
    summary.airtime->certificate =
        CertifyAirtime(planned.round->problem(), planned.round->plan(), options.threads);
  }
  if (summary.min_probability > 0) {  // the others decide, so that no resource alone is enough
    summary.floor = CheckFloor(planned.cell.problem, planned.rows.plan, summary.min_probability, 0);
  }
}

// Finds what the plan means for the fleet.
void Examine(const Scenario& scenario, const Fleet& fleet, const PlanningProblem& problem,
             const Plan& plan, const PlanOptions& options, PlanSummary& summary) {
  summary.unfinished = plan.unfinished;
  summary.binds_time = problem.time_rule == TimeRule::kExpected && problem.circuit_power_w == 0 &&
                       problem.compute_rule == ComputeRule::kParticipants &&
                       !IsOfThePaper(summary.solver) && summary.time_weight == 0;
  summary.levers = LeversOf(scenario, problem, plan, options.threads);
  summary.expectations = Expect(problem, plan, options.threads);
  SummariseProbabilities(plan.probability, summary);
  if (options.check) {
    const Progress progress("checking the plan", options.output.quiet);
    summary.certificate = CertifyPlan(problem, plan, options.threads);
  }
  if (summary.min_probability > 0) {
    // Where the round's time counts, no resource of a device alone explains its probability.
    const std::size_t most_shown = summary.time_weight > 0 ? 0 : 10;
    summary.floor = CheckFloor(problem, plan, summary.min_probability, most_shown);
    std::string buffer;
    for (const Shortfall& shortfall : summary.floor->shortfalls) {
      summary.floor_ids.emplace_back(fleet.ids.Get(shortfall.device, buffer));
    }
  }
}

Status WriteFiles(const Fleet& saved, const Fleet& fleet, const PlanningProblem& problem,
                  const Plan& plan, const PlannedAirtime* airtime, const PlanOptions& options) {
  Progress progress("writing the plan", options.output.quiet);
  if (options.saved_fleet_file) {
    if (auto status = WriteFleet(*options.saved_fleet_file, saved); !status) return status;
  }
  if (!options.plan_file) return {};
  if (airtime != nullptr) return WritePlan(*options.plan_file, airtime->rows, std::ref(progress));
  return WritePlan(*options.plan_file, fleet, problem, plan, std::ref(progress));
}

std::optional<FadingChannel> ChannelOf(const Scenario& scenario, const PlanOptions& options) {
  if (scenario.radio.fading.kind == Fading::kNone) return std::nullopt;
  return FadingChannel{.round = options.round};
}

// Returns the scenario with what the options of the command say instead of its keys.
Result<Scenario> ScenarioOf(const PlanOptions& options) {
  auto scenario = LoadScenario(options.scenario);
  if (!scenario) return scenario.error();
  if (options.fleet_file) scenario->fleet.file = options.fleet_file;
  for (const auto& [sharing, name] : BandSharings()) {
    if (options.sharing == name) scenario->radio.band.sharing = sharing;
  }
  scenario->round.airtime |= options.airtime;
  PlanningOptions& planning = scenario->planning;
  if (options.solver) planning.solver = *SolverByName(*options.solver);
  if (!IsOfThePaper(planning.solver) &&
      (options.start_probability || options.inner_tolerance_j || options.outer_tolerance)) {
    return Error{fmt::format(
        "--start-probability, --inner-tolerance-j and --outer-tolerance are for --solver "
        "alternating and literal: the solver {} takes none of them",
        SolverName(planning.solver))};
  }
  planning.start_probability = options.start_probability.value_or(planning.start_probability);
  planning.inner_tolerance_j = options.inner_tolerance_j.value_or(planning.inner_tolerance_j);
  planning.outer_tolerance = options.outer_tolerance.value_or(planning.outer_tolerance);
  if (!scenario->round.airtime) return scenario;
  if (const auto status = CheckAirtime(*scenario); !status) return status.error();
  return scenario;
}

// A plan is made in four steps: parse -> validate -> solve -> write.
Result<PlanSummary> MakePlan(const PlanOptions& options) {
  const auto scenario = ScenarioOf(options);
  if (!scenario) return scenario.error();
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
  auto fleet = LoadFleet(*scenario, options);
  if (!fleet) return fleet.error();
  const bool is_saved_as_was =
      options.saved_fleet_file &&
      (scenario->radio.band.sharing != BandSharing::kEqual || options.round);
  const std::optional<Fleet> as_was = is_saved_as_was ? std::optional(*fleet) : std::nullopt;
  summary.read_s = watch.Lap();
  std::optional<Progress> progress;
  progress.emplace("solving", options.output.quiet);
  const auto split = SplitBand(*scenario, *fleet, options.threads);
  if (!split) return split.error();
  if (options.round) {
    if (const auto status = FadeTo(*options.round, *scenario, options.scenario.seed, *fleet);
        !status) {
      return status.error();
    }
  }
  const auto problem = ProblemOf(*fleet, *scenario);
  if (!problem) return problem.error();
  if (const auto status = CheckPlanning(*scenario, *problem); !status) return status.error();
  summary.devices = fleet->devices;
  const Plan plan = PlanRound(*scenario, *problem, options.threads);
  std::optional<PlannedAirtime> airtime;
  if (scenario->round.airtime) {
    auto planned = PlanAirtime(*scenario, *fleet, *problem, plan, options.threads);
    if (!planned) return planned.error();
    airtime = std::move(*planned);
  }
  progress.reset();
  summary.solve_s = watch.Lap();

  if (*split) {
    summary.band = Summarise(**split, *fleet, plan);
    summary.band->is_of_round = options.round.has_value();
  }
  if (airtime) {
    ExamineAirtime(*scenario, *airtime, plan, options, summary);
  } else {
    Examine(*scenario, *fleet, *problem, plan, options, summary);
  }
  watch.Lap();
  if (const auto status = WriteFiles(as_was ? *as_was : *fleet, *fleet, *problem, plan,
                                     airtime ? &*airtime : nullptr, options);
      !status)
    return status.error();
  if (options.report_file) {
    const Progress writing("writing the report", options.output.quiet);
    PlanOrigin origin{options.scenario.seed, options.round, *split ? &**split : nullptr};
    if (airtime) origin.airtime = OriginOf(*airtime, *summary.airtime);
    origin.repetition =
        PlanRepetition(*scenario, ScenarioFileOf(options.scenario.scenario), origin);
    if (const auto status = WritePlanReport(*options.report_file, *scenario, *fleet, *problem, plan,
                                            summary.expectations, origin);
        !status) {
      return status.error();
    }
  }
  summary.write_s = watch.Lap();
  return summary;
}

int RunPlan(const PlanOptions& options) {
  const auto summary = MakePlan(options);
  if (!summary) return Report(summary.error());
  std::FILE* stream = options.plan_file == "/dev/stdout" ? stderr : stdout;
  WriteSafely(stream, options.output.json ? PlanJson(*summary) : PlanText(*summary));
  return ReportCheck(*summary);
}

// Plans every cell of a grid: the files of `options` are those of the whole sweep.
int RunPlanSweep(PlanOptions options) {
  auto source = ReadScenarioSource(options.scenario.scenario);
  if (!source) return Report(source.error());
  options.scenario.source = std::move(*source);
  if (options.saved_fleet_file || options.fleet_file == "/dev/stdin") {
    return Report({"--save-fleet and --fleet - are for one plan: leave them out beside --vary"});
  }
  auto base = ScenarioOf(options);
  if (!base) return Report(base.error());
  const auto plan = [&](const std::vector<std::string>& overrides,
                        std::uint64_t seed) -> Result<PlannedRound> {
    PlanOptions one = options;
    one.scenario.overrides = overrides;
    one.scenario.seed = seed;
    one.output.quiet = true;
    one.plan_file.reset();
    one.report_file.reset();
    const auto summary = MakePlan(one);
    if (!summary) return summary.error();
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
  AddScenarioOptions(command, options->scenario);
  command
      .add_option("--fleet", options->fleet_file, "Read the devices (CSV); - for standard input")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_flag("--airtime", options->airtime,
                   "Plan airtime: who is drawn shares the whole band");
  command.add_option("--bandwidth", options->sharing, "How the band is split")
      ->check(OneOf(SharingNames()))
      ->type_name("equal|shared|blocks");
  command.add_option("--round", options->round, "Plan this round's fading, not the mean channel")
      ->check(WholeNumberIn(1, 1e9))
      ->type_name("N");
  command.add_option("--solver", options->solver, "One of those that airlot list solvers shows")
      ->check(OneOf(SolverNames()))
      ->type_name("NAME");
  command
      .add_option("-o,--output", options->plan_file, "Write the plan (CSV); - for standard output")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--save-fleet", options->saved_fleet_file, "Write the fleet that was planned")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--report", options->report_file, "Write a page with map and distributions")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_flag("--check", options->check, "Verify every device by an independent route");
  command.add_option("--threads", options->threads, "Threads; the result is the same")
      ->check(NumberIn(1, 1024))
      ->capture_default_str();
  command
      .add_option("--start-probability", options->start_probability,
                  "alternating, literal: the start")
      ->check(NumberIn(kSmallestInput, 1));
  command
      .add_option("--inner-tolerance-j", options->inner_tolerance_j,
                  "alternating, literal: Algorithm 1 stops")
      ->check(NumberIn(kSmallestInput, kLargestInput));
  command
      .add_option("--outer-tolerance", options->outer_tolerance,
                  "alternating, literal: Algorithm 2 stops")
      ->check(NumberIn(kSmallestInput, kLargestInput));
  AddPlanSweepOptions(command, options->sweep);
  AddOutputOptions(command, options->output);
  AddExample(command,
             "airlot plan paper-highly-biased --set round.time_limit_s=0.5 --check -o plan.csv\n"
             "  airlot plan float32-cell --airtime --set strategy.airtime.fairness=2 --check\n"
             "  airlot plan float32-cell --vary radio.bandwidth_hz=1e6:1e8:5:log --seeds 10");
  command.callback([options, &command, &exit_code] {
    ResolveStreams(*options);
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
