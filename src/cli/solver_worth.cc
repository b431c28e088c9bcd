#include "cli/solver_worth.h"

#include <fmt/format.h>

#include "airlot/report.h"
#include "airlot/scenario_fleet.h"
#include "cli/runs.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

constexpr Solver kCompared[] = {Solver::kExact, Solver::kAlternating, Solver::kLiteral};

// A Promise is what one plan promises.
struct Promise {
  double data_share = 0;
  Expectations expectations;
  std::size_t unfinished = 0;
};

Result<Promise> PromiseOf(const Scenario& scenario, const Fleet& fleet) {
  const auto problem = ProblemOf(fleet, scenario);
  if (!problem) return problem.error();
  if (const auto status = CheckPlanning(scenario, *problem); !status) return status.error();
  const Plan plan = PlanRound(scenario, *problem);
  Promise promise{.expectations = Expect(*problem, plan), .unfinished = plan.unfinished};
  double held = 0, expected = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    held += problem->samples[i];
    expected += problem->samples[i] * plan.probability[i];
  }
  promise.data_share = held > 0 ? expected / held : 0;
  return promise;
}

Moments Over(const std::vector<Promise>& promises, double Expectations::*value) {
  std::vector<double> values;
  values.reserve(promises.size());
  for (const Promise& promise : promises) values.push_back(promise.expectations.*value);
  return MomentsOf(values);
}

SolverWorth WorthOf(Solver solver, const std::vector<Promise>& promises) {
  SolverWorth worth{.solver = solver,
                    .participants = Over(promises, &Expectations::participants),
                    .round_time_s = Over(promises, &Expectations::round_time_s),
                    .round_energy_j = Over(promises, &Expectations::round_energy_j)};
  std::vector<double> shares;
  for (const Promise& promise : promises) {
    shares.push_back(promise.data_share);
    worth.unfinished += promise.unfinished;
  }
  worth.data_share = MomentsOf(shares);
  return worth;
}

}  // namespace

Result<std::vector<SolverWorth>> CompareSolvers(const Comparison& comparison) {
  Scenario scenario = comparison.scenario;
  const auto labels = TrainingLabelsOf(scenario.data);
  if (!labels) return labels.error();
  std::vector<std::vector<Promise>> promises(std::size(kCompared));
  for (const std::uint64_t seed : comparison.seeds) {
    auto made = MakeFleet(scenario, *labels, seed);
    if (!made) return made.error();
    if (const auto split = SplitBand(scenario, made->fleet); !split) return split.error();
    for (std::size_t i = 0; i < promises.size(); ++i) {
      scenario.planning.solver = kCompared[i];
      const auto promise = PromiseOf(scenario, made->fleet);
      if (!promise) return promise.error();
      promises[i].push_back(*promise);
    }
  }
  std::vector<SolverWorth> solvers;
  for (std::size_t i = 0; i < promises.size(); ++i) {
    solvers.push_back(WorthOf(kCompared[i], promises[i]));
  }
  return solvers;
}

std::string DrawSolvers(const std::vector<SolverWorth>& solvers) {
  std::vector<std::vector<std::string>> rows{
      {"plans by", "data, %", "devices", "time, s", "energy, J", "unfinished"}};
  for (const SolverWorth& worth : solvers) {
    rows.push_back({std::string(SolverName(worth.solver)),
                    fmt::format("{:.3f}", 100 * worth.data_share.mean),
                    fmt::format("{:.3f}", worth.participants.mean),
                    fmt::format("{:.3f}", worth.round_time_s.mean),
                    fmt::format("{:.3f}", worth.round_energy_j.mean), Count(worth.unfinished)});
  }
  return DrawTable(rows, StyleOfTables());
}

Json ToJson(const std::vector<SolverWorth>& solvers) {
  Json list = Json::array();
  for (const SolverWorth& worth : solvers) {
    list.push_back({{"solver", SolverName(worth.solver)},
                    {"data_share", worth.data_share.mean},
                    {"participants", worth.participants.mean},
                    {"round_time_s", worth.round_time_s.mean},
                    {"round_energy_j", worth.round_energy_j.mean},
                    {"unfinished", worth.unfinished}});
  }
  return list;
}

}  // namespace airlot::cli
