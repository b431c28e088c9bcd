#include "plan.h"

#include <airlot/draw.h>
#include <airlot/report.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cmath>

#include "background.h"
#include "bindings.h"
#include "nat_times.h"

namespace airlot::python {
namespace {

using namespace py::literals;  // NOLINT(google-build-using-namespace)

// --- What it means -------------------------------------------------------------------------------

py::array ColumnArray(const ColumnView& column, std::size_t devices, const py::handle& owner) {
  return column.is_constant() ? RepeatedArray(column.constant(), devices)
                              : ArrayOver(column.values(), owner);
}

// Derives the nat times, validates and solves once more, without Python, and returns how many
// seconds that took: what benchmarks compare with.
double SolveAgain(const HeldPlan& held) {
  const WithoutGil without;
  const auto begun = std::chrono::steady_clock::now();
  {
    Cell cell = held.cell;
    ColumnValues nat_time_s;
    SetPlainNatTimes(cell, nat_time_s);
    Require(Validate(cell.problem, held.options));
    const Plan plan = PlanRound(held.rules, cell.problem, held.options);
    if (plan.probability.size() != cell.problem.devices) return NAN;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
  return spent.count();
}

py::dict Describe(const HeldPlan& held) {
  ColumnValues upload_s, energy_j;
  std::vector<std::uint8_t> limit;
  {
    const WithoutGil without;
    const std::size_t devices = held.problem().devices;
    upload_s.resize(devices);
    energy_j.resize(devices);
    limit.resize(devices);
    for (std::size_t i = 0; i < devices; ++i) {
      if (held.rows) {
        upload_s[i] = held.rows->upload_s[i];
        energy_j[i] = held.rows->energy_j[i];
        limit[i] = std::uint8_t(held.rows->limits[i]);
      } else {
        const Participation once = airlot::Describe(held.problem(), held.plan, i);
        upload_s[i] = once.upload_s;
        energy_j[i] = once.energy_j;
        limit[i] = std::uint8_t(once.limit);
      }
    }
  }
  return py::dict("upload_s"_a = ArrayOf(std::move(upload_s)),
                  "energy_j"_a = ArrayOf(std::move(energy_j)),
                  "limit"_a = ArrayOf(std::move(limit)));
}

py::dict DictOf(const Expectations& expected) {
  py::dict limits;
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    limits[py::str(std::string(LimitName(Limit(i))))] = expected.devices_by_limit[i];
  }
  return py::dict(
      "participants"_a = expected.participants, "participants_sd"_a = expected.participants_sd,
      "round_time_s"_a = expected.round_time_s, "round_energy_j"_a = expected.round_energy_j,
      "round_energy_sd_j"_a = expected.round_energy_sd_j,
      "probability_empty_round"_a = expected.probability_empty_round,
      "longest_upload_s"_a = expected.longest_upload_s, "devices_by_limit"_a = limits);
}

py::dict ExpectOf(const HeldPlan& held) {
  Expectations expected;
  std::optional<AirtimeExpectations> airtime;
  {
    const WithoutGil without;
    if (held.airtime) {
      airtime = ExpectAirtime(held.cell, *held.airtime, *held.rows);
      expected = airtime->round;
    } else {
      expected = Expect(held.problem(), held.plan, held.options.threads);
    }
  }
  py::dict all = DictOf(expected);
  all["is_time_exact"] = !airtime || airtime->is_time_exact();
  all["time_at_least_s"] = airtime ? airtime->time_at_least_s : expected.round_time_s;
  all["time_at_most_s"] = airtime ? airtime->time_at_most_s : expected.round_time_s;
  return all;
}

py::dict CheckOf(const HeldPlan& held) {
  double violation = 0, gap = 0;
  std::size_t violation_device = 0, gap_device = 0;
  {
    const WithoutGil without;
    if (held.airtime) {
      const auto found =
          CertifyAirtime(held.airtime->problem(), held.airtime->plan(), held.options.threads);
      violation = found.largest_violation, gap = found.gap;
      violation_device = found.violation_device, gap_device = found.gap_device;
    } else {
      const auto found = CertifyPlan(held.problem(), held.plan, held.options.threads);
      // A plan that weighs the time of the round is no optimum of each device by itself.
      violation = found.largest_violation;
      gap = held.rules.time_weight > 0 ? NAN : found.largest_gap;
      violation_device = found.violation_device, gap_device = found.gap_device;
    }
  }
  return py::dict("largest_violation"_a = violation, "violation_device"_a = violation_device,
                  "largest_gap"_a = gap, "gap_device"_a = gap_device,
                  "keeps_constraints"_a = violation <= kLargestViolation);
}

std::optional<Levers> PlainLevers(const HeldPlan& held) {
  const int threads = held.options.threads;
  if (held.scenario) return LeversOf(*held.scenario, held.problem(), held.plan, threads);
  if (IsOfThePaper(held.options.solver) || held.rules.time_weight > 0 || held.split ||
      held.problem().steps.any()) {
    return std::nullopt;
  }
  return FindLevers(held.problem(), held.plan, held.cell.noise_grows_with_band, threads);
}

py::object LeversDict(const HeldPlan& held) {
  std::optional<Levers> levers;
  bool are_seconds = false;
  {
    const WithoutGil without;
    if (held.airtime) {
      const auto found = FindAirtimeLevers(held.airtime_rules, held.cell, held.data_share,
                                           held.plan.probability, held.options.threads);
      levers = found.adds;
      are_seconds = found.are_seconds;
    } else {
      levers = PlainLevers(held);
    }
  }
  if (!levers) return py::none();
  return py::dict("bandwidth"_a = levers->bandwidth, "max_power"_a = levers->max_power,
                  "time_limit"_a = levers->time_limit, "energy_budget"_a = levers->energy_budget,
                  "are_seconds"_a = are_seconds);
}

py::dict FloorOf(const HeldPlan& held, const py::object& wanted) {
  const double min_probability = NumberOf(wanted, "min_probability", 0, 1);
  std::vector<std::uint32_t> device;
  std::vector<double> probability, budget_j, limit_s, power_w;
  {
    const WithoutGil without;
    // In a plan that weighs all devices together no resource of one alone explains its probability.
    const bool explains = !held.airtime && held.rules.time_weight == 0;
    const FloorReport report =
        CheckFloor(held.problem(), held.drawn(), min_probability, held.problem().devices);
    for (const Shortfall& shortfall : report.shortfalls) {
      device.push_back(std::uint32_t(shortfall.device));
      probability.push_back(shortfall.probability);
      budget_j.push_back(explains ? shortfall.energy_budget_needed_j : NAN);
      limit_s.push_back(explains ? shortfall.time_limit_needed_s : NAN);
      power_w.push_back(explains ? shortfall.max_power_needed_w : NAN);
    }
  }
  return py::dict("device"_a = ArrayOf(std::move(device)),
                  "probability"_a = ArrayOf(std::move(probability)),
                  "energy_budget_needed_j"_a = ArrayOf(std::move(budget_j)),
                  "time_limit_needed_s"_a = ArrayOf(std::move(limit_s)),
                  "max_power_needed_w"_a = ArrayOf(std::move(power_w)));
}

// --- Files ---------------------------------------------------------------------------------------

Column OwnColumn(const ColumnView& column) {
  if (column.is_constant()) return column.constant();
  const auto values = column.values();
  return ColumnValues(values.begin(), values.end());
}

// A plan of arrays has a fleet only where a file or a page wants one.
const Fleet& FleetOf(HeldPlan& held) {
  if (held.scenario || !held.fleet.update_bits.is_constant() ||
      !std::isnan(held.fleet.update_bits[0])) {
    return held.fleet;
  }
  Fleet& fleet = held.fleet;
  const PlanningProblem& problem = held.problem();
  fleet.bandwidth_hz = OwnColumn(held.cell.bandwidth_hz);
  fleet.total_bandwidth_hz = TotalBandwidthOf(held.cell);
  fleet.band_sharing = held.split ? BandSharing::kShared : BandSharing::kEqual;
  fleet.update_bits = OwnColumn(held.cell.update_bits);
  fleet.max_power_w = OwnColumn(problem.max_power_w);
  fleet.energy_budget_j = OwnColumn(problem.energy_budget_j);
  fleet.time_limit_s = OwnColumn(problem.time_limit_s);
  fleet.samples = OwnColumn(problem.samples);
  fleet.compute_time_s = OwnColumn(problem.compute_time_s);
  fleet.noise_to_gain_w = OwnColumn(problem.noise_to_gain_w);
  fleet.nat_time_s = OwnColumn(problem.nat_time_s);
  fleet.compute_energy_j = OwnColumn(problem.compute_energy_j);
  return fleet;
}

void WriteCsv(HeldPlan& held, const std::string& path) {
  const WithoutGil without;
  Require(held.rows ? WritePlan(path, *held.rows)
                    : WritePlan(path, FleetOf(held), held.problem(), held.plan));
}

AirtimeOrigin OriginOf(const HeldPlan& held, const AirtimeExpectations& expected) {
  return {.rows = &*held.rows,
          .expect = &expected,
          .levers = FindAirtimeLevers(held.airtime_rules, held.cell, held.data_share,
                                      held.plan.probability, held.options.threads),
          .how_they_send = held.airtime->takes_turns()
                               ? "in turns, each in the whole band"
                               : "at the same time, in bands that end together",
          .facts = {},
          .notes = {}};
}

// A page tells of a scenario; that of arrays says no more than they do.
Scenario ScenarioOf(const HeldPlan& held) {
  if (held.scenario) return *held.scenario;
  Scenario scenario;
  scenario.name = "arrays";
  scenario.data.dataset.reset();
  scenario.fleet.devices = held.problem().devices;
  scenario.radio.band.bandwidth_hz = TotalBandwidthOf(held.cell);
  if (held.cell.noise_grows_with_band) scenario.radio.noise = NoiseDensity{};
  scenario.round = held.rules;
  scenario.planning = held.options;
  return scenario;
}

void WritePage(HeldPlan& held, const std::string& file) {
  const WithoutGil without;
  std::optional<AirtimeExpectations> airtime;
  if (held.airtime) airtime = ExpectAirtime(held.cell, *held.airtime, *held.rows);
  const Expectations expected =
      airtime ? airtime->round : Expect(held.problem(), held.plan, held.options.threads);
  PlanOrigin origin{.seed = held.seed, .round = held.round};
  if (held.split) origin.split = &*held.split;
  origin.repetition.why_not = "The plan was made in Python.";
  if (airtime) origin.airtime = OriginOf(held, *airtime);
  Require(WritePlanReport(file, ScenarioOf(held), FleetOf(held), held.problem(), held.plan,
                          expected, origin));
}

std::vector<std::string> IdsOf(const HeldPlan& held) {
  std::vector<std::string> ids;
  std::string buffer;
  for (std::size_t i = 0; !held.fleet.ids.empty() && i < held.problem().devices; ++i) {
    ids.emplace_back(held.fleet.ids.Get(i, buffer));
  }
  return ids;
}

py::list LimitNames() {
  py::list names;
  for (std::size_t i = 0; i < kLimitCount; ++i) names.append(std::string(LimitName(Limit(i))));
  return names;
}

py::array DrawOf(const HeldPlan& held, const py::object& given_seed,
                 const py::object& given_round) {
  const std::uint64_t seed = WholeOf(given_seed, "seed"), round = WholeOf(given_round, "round");
  std::vector<std::uint32_t> devices;
  {
    const WithoutGil without;
    devices = DrawParticipants(held.drawn().probability, seed, round);
  }
  return ArrayOf(std::move(devices));
}

}  // namespace

void BindPlan(py::module_& module) {
  const auto column = [](auto member) {
    return [member](const py::object& self) {
      const auto& held = self.cast<const HeldPlan&>();
      return ColumnArray(member(held), held.problem().devices, self);
    };
  };
  py::class_<HeldPlan> bound(module, "Plan", "A plan that was made.");
  RefuseNew(bound);
  bound
      .def_static("of_columns", &OfColumns, py::kw_only(), py::arg("columns"), py::arg("numbers"),
                  py::arg("time_rule"), py::arg("compute"), py::arg("power_levels_w"),
                  py::arg("mcs"), py::arg("solver"), py::arg("airtime"),
                  py::arg("noise_grows_with_band"), py::arg("share_band"), py::arg("threads"))
      .def_static("of_scenario", &OfScenario, py::arg("scenario"), py::arg("seed"),
                  py::arg("round"), py::arg("threads"))
      .def_property_readonly("devices", [](const HeldPlan& held) { return held.problem().devices; })
      .def_property_readonly("probability", column([](const HeldPlan& held) {
                               return ColumnView(held.drawn().probability);
                             }))
      .def_property_readonly(
          "power_w", column([](const HeldPlan& held) { return ColumnView(held.drawn().power_w); }))
      .def_property_readonly("bandwidth_hz", column([](const HeldPlan& held) {
                               return held.rows && held.rows->bandwidth_hz
                                          ? ColumnView(*held.rows->bandwidth_hz)
                                          : held.cell.bandwidth_hz;
                             }))
      .def_property_readonly("is_airtime",
                             [](const HeldPlan& held) { return held.airtime != nullptr; })
      .def_property_readonly("takes_turns",
                             [](const HeldPlan& held) {
                               return held.airtime != nullptr && held.airtime->takes_turns();
                             })
      .def_property_readonly("unfinished",
                             [](const HeldPlan& held) { return held.plan.unfinished; })
      .def_property_readonly("notes", [](const HeldPlan& held) { return held.notes; })
      .def("ids", &IdsOf)
      .def("describe", &Describe)
      .def("solve_again_s", &SolveAgain)
      .def("expect", &ExpectOf)
      .def("check", &CheckOf)
      .def("levers", &LeversDict)
      .def("floor", &FloorOf, py::arg("min_probability"))
      .def("draw", &DrawOf, py::arg("seed"), py::arg("round"))
      .def("to_csv", &WriteCsv, py::arg("path"))
      .def("report", &WritePage, py::arg("path"));
  module.def("limit_names", &LimitNames, "Returns what keeps a probability from being larger.");
}

}  // namespace airlot::python
