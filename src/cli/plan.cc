// airlot plan: probabilities and powers of a fleet.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "airlot/plan_file.h"
#include "airlot/planning.h"
#include "airlot/scenario.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct PlanOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  PlanningOptions planning;
  std::string fleet_file;
  std::string solver = std::string(Name(PlanningOptions{}.solver));
  std::string plan_file;
  bool check = false;
};

// Everything that is printed, as text or as JSON.
struct Summary {
  std::string scenario, fleet_file, plan_file;
  std::size_t devices = 0;
  double time_limit_s = 0, min_probability = 0;
  Solver solver = Solver::kExact;
  Expectations expectations;
  double lowest = 0, median = 0, highest = 0;             // of the probabilities
  std::vector<std::pair<double, std::size_t>> histogram;  // upper edge, devices
  double read_s = 0, solve_s = 0, write_s = 0;
  std::optional<Certificate> certificate;
  std::optional<FloorReport> floor;
  std::vector<std::string> floor_ids;
};

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

// A round number at or above `value`: 1, 2 or 5 times a power of ten.
double NiceCeiling(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power) return step * power;
  }
  return 10 * power;
}

void SummariseProbabilities(Values values, Summary& summary) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  summary.lowest = *lowest;
  summary.highest = *highest;
  constexpr double kMostBins = 10;
  const double step = NiceCeiling(summary.highest / kMostBins);
  summary.histogram.resize(
      std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(summary.highest / step - 1e-9))));
  for (std::size_t bin = 0; bin < summary.histogram.size(); ++bin) {
    summary.histogram[bin].first = step * static_cast<double>(bin + 1);
  }
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, value / step));
    ++summary.histogram[std::min(bin, summary.histogram.size() - 1)].second;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  summary.median = *middle;
}

void PrintFloor(const Summary& summary) {
  const FloorReport& floor = *summary.floor;
  if (floor.below == 0) {
    fmt::print("\nEvery device reaches a probability of {:.4g}.\n", summary.min_probability);
    return;
  }
  fmt::print(
      "\n{} of {} devices stay below a probability of {:.4g}. What each would need, alone:\n",
      Count(floor.below), Count(summary.devices), summary.min_probability);
  fmt::print("  {:<12} {:>11} {:>13} {:>13} {:>13}\n", "id", "probability", "budget", "time limit",
             "max power");
  const auto needed = [](double value, std::string_view unit) {
    return std::isfinite(value) ? Quantity(value, unit) : std::string("not enough");
  };
  for (std::size_t i = 0; i < floor.shortfalls.size(); ++i) {
    const Shortfall& shortfall = floor.shortfalls[i];
    fmt::print("  {:<12} {:>11.4g} {:>13} {:>13} {:>13}\n", summary.floor_ids[i],
               shortfall.probability, needed(shortfall.energy_budget_needed_j, "J"),
               needed(shortfall.time_limit_needed_s, "s"),
               needed(shortfall.max_power_needed_w, "W"));
  }
  if (floor.below > floor.shortfalls.size()) {
    fmt::print("  ... and {} more\n", Count(floor.below - floor.shortfalls.size()));
  }
}

void PrintText(const Summary& summary) {
  const Expectations& expect = summary.expectations;
  fmt::print("Plan of {} devices: {}{}, solver {}\n\n", Count(summary.devices), summary.scenario,
             summary.fleet_file.empty() ? "" : ", fleet " + summary.fleet_file,
             Name(summary.solver));
  fmt::print("What limits the devices\n");
  const auto limit = [&](std::string_view name, std::size_t count, std::string_view meaning) {
    fmt::print("  {:<7} {:>10}  {}\n", name, Count(count), meaning);
  };
  limit("full", expect.full, "take part in every round");
  limit("energy", expect.energy, "could do more with a larger budget");
  limit("power", expect.power, "transmit at full power");
  if (expect.rate > 0) limit("rate", expect.rate, "at the spectral-efficiency cap");

  fmt::print("\nProbability of taking part (lowest {:.4g}, median {:.4g}, highest {:.4g})\n",
             summary.lowest, summary.median, summary.highest);
  std::size_t most = 1;
  for (const auto& [edge, count] : summary.histogram) most = std::max(most, count);
  double below = 0;
  for (const auto& [edge, count] : summary.histogram) {
    fmt::print("  {:>6.4g} to {:<6.4g} {} {}\n", below, edge,
               Bar(static_cast<double>(count) / static_cast<double>(most), 30), Count(count));
    below = edge;
  }

  fmt::print("\nExpected in a round\n");
  fmt::print("  participants  {:.4g} (sd {:.3g})\n", expect.participants, expect.participants_sd);
  fmt::print("  time          {}\n", Quantity(expect.round_time_s, "s, the slowest participant's"));
  fmt::print("  energy        {} (sd {:.3g})\n", Quantity(expect.round_energy_j, "J"),
             expect.round_energy_sd_j);
  fmt::print("  empty round   {:.4g} %\n", 100 * expect.probability_empty_round);

  if (summary.floor) PrintFloor(summary);
  if (summary.certificate) {
    const Certificate& certificate = *summary.certificate;
    fmt::print("\nChecked by an independent route\n");
    fmt::print("  largest violation of a constraint  {:.2g} (relative)\n",
               certificate.largest_violation);
    fmt::print("  largest gap to the optimum         {:.2g} (relative)\n", certificate.largest_gap);
    fmt::print("  largest excess power               {:.2g} (relative)\n",
               certificate.largest_excess_power);
  }
  fmt::print("\nSolved in {:.3g} s. ", summary.solve_s);
  if (summary.plan_file.empty()) {
    fmt::print("Add -o plan.csv to keep the plan.\n");
  } else {
    fmt::print("Plan written to {}.\n", summary.plan_file);
  }
}

Json ToJson(const Certificate& certificate) {
  return {{"largest_violation", Finite(certificate.largest_violation)},
          {"violation_row", certificate.violation_device + 1},
          {"largest_gap", Finite(certificate.largest_gap)},
          {"gap_row", certificate.gap_device + 1},
          {"largest_excess_power", Finite(certificate.largest_excess_power)},
          {"excess_power_row", certificate.excess_power_device + 1}};
}

Json ToJson(const FloorReport& floor, double min_probability, const std::vector<std::string>& ids) {
  Json shortfalls = Json::array();
  for (std::size_t i = 0; i < floor.shortfalls.size(); ++i) {
    const Shortfall& shortfall = floor.shortfalls[i];
    shortfalls.push_back({{"id", ids[i]},
                          {"probability", shortfall.probability},
                          {"energy_budget_needed_j", Finite(shortfall.energy_budget_needed_j)},
                          {"time_limit_needed_s", Finite(shortfall.time_limit_needed_s)},
                          {"max_power_needed_w", Finite(shortfall.max_power_needed_w)}});
  }
  return {{"min_probability", min_probability},
          {"below", floor.below},
          {"shortfalls", std::move(shortfalls)}};
}

void PrintJson(const Summary& summary) {
  const Expectations& expect = summary.expectations;
  Json json{
      {"scenario", summary.scenario},
      {"fleet", summary.fleet_file.empty() ? Json(nullptr) : Json(summary.fleet_file)},
      {"devices", summary.devices},
      {"solver", Name(summary.solver)},
      {"expected_participants", expect.participants},
      {"expected_participants_sd", expect.participants_sd},
      {"expected_round_time_s", expect.round_time_s},
      {"expected_round_energy_j", expect.round_energy_j},
      {"expected_round_energy_sd_j", expect.round_energy_sd_j},
      {"probability_empty_round", expect.probability_empty_round},
      {"limits",
       {{"full", expect.full},
        {"energy", expect.energy},
        {"power", expect.power},
        {"rate", expect.rate}}},
      {"probability",
       {{"lowest", summary.lowest}, {"median", summary.median}, {"highest", summary.highest}}},
      {"seconds", summary.solve_s},
      {"read_seconds", summary.read_s},
      {"write_seconds", summary.write_s},
      {"simd_target", SimdTarget()},
      {"plan", summary.plan_file.empty() ? Json(nullptr) : Json(summary.plan_file)}};
  if (summary.certificate) json["check"] = ToJson(*summary.certificate);
  if (summary.floor) {
    json["floor"] = ToJson(*summary.floor, summary.min_probability, summary.floor_ids);
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

Result<Fleet> MakeFleet(const Scenario& scenario, const PlanOptions& options) {
  const FleetDefaults defaults = DefaultsOf(scenario, options.scenario.seed);
  if (scenario.fleet.file.empty()) return DrawFleet(defaults, options.planning.threads);
  Progress progress("reading " + scenario.fleet.file, options.output.quiet);
  return ReadFleet(scenario.fleet.file, defaults, options.planning.threads, std::ref(progress));
}

// Parse -> validate -> solve -> write.
Result<Summary> MakePlan(const PlanOptions& options) {
  auto scenario = ReadScenario(options.scenario.scenario, options.scenario.overrides);
  if (!scenario) return scenario.error();
  if (!options.fleet_file.empty()) scenario->fleet.file = options.fleet_file;

  Summary summary{.scenario = scenario->name,
                  .fleet_file = scenario->fleet.file,
                  .plan_file = options.plan_file,
                  .min_probability = scenario->round.min_probability,
                  .solver = options.planning.solver};
  auto since = std::chrono::steady_clock::now();
  const auto fleet = MakeFleet(*scenario, options);
  if (!fleet) return fleet.error();
  summary.devices = fleet->devices;
  summary.read_s = Seconds(since);
  const auto problem = ProblemOf(*fleet, scenario->radio, scenario->round);
  if (!problem) return problem.error();
  if (const auto error = Validate(*problem, options.planning)) return *error;

  since = std::chrono::steady_clock::now();
  const Plan plan = Solve(*problem, options.planning);
  summary.solve_s = Seconds(since);

  summary.expectations = Expect(*problem, plan, options.planning.threads);
  SummariseProbabilities(plan.probability, summary);
  if (options.check) summary.certificate = Check(*problem, plan, options.planning.threads);
  if (summary.min_probability > 0) {
    constexpr std::size_t kMostShown = 10;
    summary.floor = CheckFloor(*problem, plan, summary.min_probability, kMostShown);
    std::string buffer;
    for (const Shortfall& shortfall : summary.floor->shortfalls) {
      summary.floor_ids.emplace_back(fleet->ids.Get(shortfall.device, buffer));
    }
  }
  if (!options.plan_file.empty()) {
    since = std::chrono::steady_clock::now();
    Progress progress("writing " + options.plan_file, options.output.quiet);
    if (const auto error =
            WritePlan(options.plan_file, *fleet, *problem, plan, std::ref(progress))) {
      return *error;
    }
    summary.write_s = Seconds(since);
  }
  return summary;
}

}  // namespace

void AddPlan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App& command = *app.add_subcommand(
      "plan", "Find the participation probability and transmit power of every device of a fleet");
  AddScenarioOptions(command, options->scenario);
  command.add_option("--fleet", options->fleet_file, "Read the devices from this CSV file")
      ->type_name("FILE");
  command.add_option("--solver", options->solver, "How to solve (airlot list solvers)")
      ->check(CLI::IsMember({"exact", "bisection", "alternating", "literal"}))
      ->capture_default_str();
  command.add_option("-o,--output", options->plan_file, "Write the plan to this CSV file")
      ->type_name("FILE");
  command.add_flag("--check", options->check,
                   "Verify feasibility and optimality of every device by an independent route");
  command
      .add_option("--threads", options->planning.threads, "Threads to use; the result is the same")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option("--start-probability", options->planning.start_probability,
                  "Solvers alternating and literal: where to start")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--inner-tolerance-j", options->planning.inner_tolerance_j,
                  "Solvers alternating and literal: where Algorithm 1 stops")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--outer-tolerance", options->planning.outer_tolerance,
                  "Solvers alternating and literal: where Algorithm 2 stops")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  AddOutputOptions(command, options->output);
  AddExample(command,
             "airlot plan paper-highly-biased --set round.time_limit_s=0.5 --check -o plan.csv");
  command.callback([options, &exit_code] {
    options->planning.solver = *SolverByName(options->solver);
    const auto summary = MakePlan(*options);
    if (!summary) {
      exit_code = Report(summary.error());
      return;
    }
    options->output.json ? PrintJson(*summary) : PrintText(*summary);
  });
}

}  // namespace airlot::cli
