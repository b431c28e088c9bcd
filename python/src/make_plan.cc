// Plans are made here, of columns or of a scenario.
#include <airlot/selection.h>
#include <airlot/simulation.h>

#include <cmath>

#include "background.h"
#include "nat_times.h"
#include "plan.h"

namespace airlot::python {
namespace {

// Returns how many devices the columns have, which must agree.
std::size_t CountDevices(const std::vector<InputColumn>& inputs) {
  const InputColumn* first = nullptr;
  for (const InputColumn& input : inputs) {
    if (input.is_constant()) continue;
    if (input.size() == 0) throw Failure(input.name() + ": is empty: there must be a device");
    if (first == nullptr) first = &input;
    if (input.size() != first->size()) {
      throw Failure(input.name() + ": has " + std::to_string(input.size()) + " values, and " +
                    first->name() + " has " + std::to_string(first->size()));
    }
  }
  return first == nullptr ? 1 : first->size();
}

ColumnView ViewOf(const std::vector<InputColumn>& inputs, const std::string& name) {
  for (const InputColumn& input : inputs) {
    if (input.name() == name) return input.view();
  }
  throw Failure(name + ": is missing");
}

// Names the first device whose number is of no use.
void RequirePositive(const ColumnView& column, std::size_t devices, const std::string& name) {
  for (std::size_t i = 0; i < (column.is_constant() ? 1 : devices); ++i) {
    if (column[i] > 0 && std::isfinite(column[i])) continue;
    const py::gil_scoped_acquire acquire;
    throw Failure(name + (column.is_constant() ? "" : "[" + std::to_string(i) + "]") + " = " +
                  Shown(column[i]) + ": must be finite and > 0");
  }
}

double Sum(const ColumnView& column, std::size_t devices) {
  if (column.is_constant()) return column.constant() * double(devices);
  double sum = 0;
  for (const double value : column.values()) sum += value;
  return sum;
}

// Derives the nat times, and requires that all numbers can be used.
void SetDerived(HeldPlan& held) {
  Cell& cell = held.cell;
  if (!SetNatTimes(cell, held.nat_time_s)) {
    RequirePositive(cell.bandwidth_hz, cell.problem.devices, "bandwidth_hz");
    RequirePositive(cell.update_bits, cell.problem.devices, "update_bits");
  }
  Require(Validate(cell.problem, held.options));
}

// Splits the band together, and leaves the devices with their parts of it.
void ShareBand(HeldPlan& held, double block_hz) {
  const BandProblem problem{.cell = held.cell, .weight = held.problem().samples};
  const int threads = held.options.threads;
  Require(block_hz > 0 ? ValidateBlocks(problem, block_hz) : Validate(problem));
  held.split =
      block_hz > 0 ? ShareBlocks(problem, block_hz, threads) : ShareBandwidth(problem, threads);
  held.bandwidth_hz = held.split->bandwidth_hz;
  const std::size_t devices = held.problem().devices;
  ColumnValues noise_to_gain_w(devices), nat_time_s(devices);
  for (std::size_t i = 0; i < devices; ++i) {
    const BandColumns columns = ColumnsIn(held.cell, i, held.bandwidth_hz[i]);
    noise_to_gain_w[i] = columns.noise_to_gain_w;
    nat_time_s[i] = columns.nat_time_s;
  }
  held.noise_to_gain_w = std::move(noise_to_gain_w);
  held.nat_time_s = std::move(nat_time_s);
  held.cell.bandwidth_hz = held.bandwidth_hz;
  held.cell.problem.noise_to_gain_w = held.noise_to_gain_w;
  held.cell.problem.nat_time_s = held.nat_time_s;
}

ColumnValues DataShares(const PlanningProblem& problem) {
  const double sum = Sum(problem.samples, problem.devices);
  ColumnValues shares(problem.devices, 1 / double(problem.devices));
  for (std::size_t i = 0; sum > 0 && i < problem.devices; ++i) shares[i] = problem.samples[i] / sum;
  return shares;
}

void PlanAirtimeOf(HeldPlan& held, const AirtimeRules& rules) {
  held.airtime_rules = rules;
  held.data_share = DataShares(held.problem());
  held.airtime = std::make_unique<AirtimeRound>(rules);
  Require(held.airtime->Check(held.cell, held.data_share, held.plan.probability));
  held.airtime->Plan(held.cell, held.data_share, held.plan.probability, held.options.threads);
}

void DescribeRows(HeldPlan& held) {
  held.rows = DescribeAirtime(held.fleet, held.cell, *held.airtime, held.plan);
}

}  // namespace

double TotalBandwidthOf(const Cell& cell) {
  if (cell.total_bandwidth_hz > 0) return cell.total_bandwidth_hz;
  return Sum(cell.bandwidth_hz, cell.problem.devices);
}

std::unique_ptr<HeldPlan> PlanColumns(std::vector<InputColumn> inputs, PlanningProblem problem,
                                      const RoundRules& rules, const PlanningOptions& options,
                                      const ColumnPlanOptions& more) {
  auto held = std::make_unique<HeldPlan>();
  held->inputs = std::move(inputs);
  held->rules = rules;
  held->options = options;
  problem.devices = CountDevices(held->inputs);
  const auto column = [&](const char* name) { return ViewOf(held->inputs, name); };
  problem.noise_to_gain_w = column("noise_to_gain_w");
  problem.max_power_w = column("max_power_w");
  problem.energy_budget_j = column("energy_budget_j");
  problem.compute_energy_j = column("compute_energy_j");
  problem.time_limit_s = column("time_limit_s");
  problem.compute_time_s = column("compute_time_s");
  problem.samples = column("samples");
  Cell& cell = held->cell;
  cell.bandwidth_hz = column("bandwidth_hz");
  cell.update_bits = column("update_bits");
  cell.noise_grows_with_band = more.noise_grows_with_band;
  cell.problem = problem;
  held->fleet.devices = problem.devices;

  const WithoutGil without;
  SetDerived(*held);
  cell.total_bandwidth_hz = more.total_bandwidth_hz;
  // A plan of own bands does without their sum.
  if (more.airtime || more.shares_band) cell.total_bandwidth_hz = TotalBandwidthOf(cell);
  if (more.shares_band) ShareBand(*held, more.block_hz);
  held->plan = PlanRound(rules, held->problem(), options);
  if (more.airtime) {
    PlanAirtimeOf(*held, *more.airtime);
    DescribeRows(*held);
  }
  return held;
}

std::unique_ptr<HeldPlan> PlanScenario(const Scenario& scenario, std::uint64_t seed,
                                       std::optional<std::uint64_t> round, int threads) {
  auto held = std::make_unique<HeldPlan>();
  held->scenario = scenario;
  held->seed = seed;
  held->round = round;
  held->rules = scenario.round;
  held->options = scenario.planning;
  held->options.threads = threads;
  if (scenario.round.airtime) Require(CheckStrategy(*FindStrategy("airtime"), scenario));
  auto made = ValueOf(MakeFleet(scenario, seed, threads));
  held->notes = std::move(made.notes);
  held->fleet = std::move(made.fleet);
  held->split = ValueOf(SplitBand(scenario, held->fleet, threads));
  if (round) {
    if (scenario.radio.fading.kind == Fading::kNone) {
      throw Failure("round = " + std::to_string(*round) +
                    ": all rounds have the same plan, as radio.fading is none; leave it out");
    }
    ColumnValues noise_to_gain_w(held->fleet.devices);
    FadeNoise(held->fleet, scenario.radio.fading, scenario.radio.knowledge, seed, *round,
              noise_to_gain_w);
    held->fleet.noise_to_gain_w = std::move(noise_to_gain_w);
  }
  const PlanningProblem problem = ValueOf(ProblemOf(held->fleet, scenario));
  Require(CheckPlanning(scenario, problem));
  held->cell = CellOf(held->fleet, scenario.radio, problem);
  held->plan = PlanRound(scenario, problem, threads);
  if (!scenario.round.airtime) return held;
  auto planned = ValueOf(PlanAirtime(scenario, held->fleet, problem, held->plan, threads));
  held->cell = planned.cell;
  held->airtime_rules = planned.rules;
  held->data_share = std::move(planned.data_share);
  held->airtime = std::move(planned.round);
  DescribeRows(*held);
  return held;
}

}  // namespace airlot::python
