// A plan as Python holds it: what it was made from, what was found, and what that means.
#ifndef AIRLOT_PYTHON_PLAN_H_
#define AIRLOT_PYTHON_PLAN_H_

#include <airlot/airtime_expectations.h>
#include <airlot/band_split.h>
#include <airlot/plan_file.h>
#include <airlot/planning.h>
#include <airlot/round.h>
#include <airlot/scenario_fleet.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "scenario.h"

namespace airlot::python {

// A HeldPlan keeps all that its problem has views into, so that it stays where it is.
struct HeldPlan {
  HeldPlan() = default;
  HeldPlan(const HeldPlan&) = delete;
  HeldPlan& operator=(const HeldPlan&) = delete;

  // What the plan was made from: arrays of the user, or a scenario.
  std::vector<InputColumn> inputs;
  std::optional<Scenario> scenario;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> round;
  std::vector<std::string> notes;

  Fleet fleet;  // of a scenario; of arrays only what a file or a page shows
  ColumnValues nat_time_s, noise_to_gain_w, bandwidth_hz;  // what was derived from arrays
  RoundRules rules;
  PlanningOptions options;
  Cell cell;  // its problem is the one that was solved
  std::optional<BandSplit> split;
  Plan plan;

  // What an airtime plan has besides.
  AirtimeRules airtime_rules;
  ColumnValues data_share;
  std::unique_ptr<AirtimeRound> airtime;
  std::optional<PlanFile> rows;

  const PlanningProblem& problem() const { return cell.problem; }
  // Returns the plan that is drawn by: that of the airtime, or of own bands.
  const Plan& drawn() const { return rows ? rows->plan : plan; }
};

// ColumnPlanOptions are the numbers beside the columns.
struct ColumnPlanOptions {
  double total_bandwidth_hz = 0;  // 0: the sum of the bands
  bool noise_grows_with_band = false;
  bool shares_band = false;
  double block_hz = 0;  // 0: bands of any size
  std::optional<AirtimeRules> airtime;
};

// Returns the band of a cell where it is given, else the sum of the devices' bands.
double TotalBandwidthOf(const Cell& cell);

std::unique_ptr<HeldPlan> PlanColumns(std::vector<InputColumn> inputs, PlanningProblem problem,
                                      const RoundRules& rules, const PlanningOptions& options,
                                      const ColumnPlanOptions& more);
std::unique_ptr<HeldPlan> PlanScenario(const Scenario& scenario, std::uint64_t seed,
                                       std::optional<std::uint64_t> round, int threads);

// These two read the arguments of Python.
std::unique_ptr<HeldPlan> OfColumns(const py::dict& columns, const py::dict& given_numbers,
                                    const py::object& time_rule, const py::object& compute,
                                    const py::object& power_levels_w, const py::object& mcs,
                                    const py::object& solver, const py::object& airtime,
                                    const py::object& noise_grows_with_band,
                                    const py::object& share_band, const py::object& threads);
std::unique_ptr<HeldPlan> OfScenario(const NamedScenario& named, const py::object& given_seed,
                                     const py::object& given_round,
                                     const py::object& given_threads);

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_PLAN_H_
