#include <algorithm>
#include <array>
#include <numeric>

#include "airlot/planning.h"
#include "base/check.h"
#include "base/shards.h"
#include "planning/closed_form.h"
#include "planning/shape.h"
#include "planning/solvers.h"
#include "planning/steps.h"

namespace airlot {
namespace {

constexpr std::array<SolverEntry, 4> kSolvers{{
    {Solver::kExact, "exact", "Finds the global optimum in closed form, vectorised (the default)."},
    {Solver::kBisection, "bisection",
     "Finds the optimum by bisection on the probability: slow, a cross-check."},
    {Solver::kAlternating, "alternating",
     "Runs the paper's Algorithm 2 with Algorithm 1 clamped to its bounds."},
    {Solver::kLiteral, "literal", "Runs the paper's Algorithms 1 and 2 as printed."},
}};

planning::DevicePlan SolveDevice(const planning::Device& device, const PlanningOptions& options) {
  switch (options.solver) {
    case Solver::kBisection:
      return planning::SolveBisection(device);
    case Solver::kAlternating:
      return planning::SolveAlternating(device, options);
    case Solver::kLiteral:
      return planning::SolveLiteral(device, options);
    case Solver::kExact:  // plans whole shards at once, not by device
      break;
  }
  AIRLOT_CHECK(false, "solver {}", static_cast<int>(options.solver));
}

}  // namespace

std::string_view LimitName(Limit limit) {
  switch (limit) {
    case Limit::kFull:
      return "full";
    case Limit::kEnergy:
      return "energy";
    case Limit::kPower:
      return "power";
    case Limit::kRate:
      return "rate";
    case Limit::kTime:
      return "time";
    case Limit::kBand:
      return "band";
    case Limit::kData:
      return "data";
  }
  AIRLOT_CHECK(false, "limit {}", static_cast<int>(limit));
}

std::optional<Limit> LimitByName(std::string_view name) {
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    if (LimitName(static_cast<Limit>(i)) == name) return static_cast<Limit>(i);
  }
  return std::nullopt;
}

std::span<const SolverEntry> Solvers() { return kSolvers; }

std::string_view SolverName(Solver solver) {
  const auto* entry = std::ranges::find(kSolvers, solver, &SolverEntry::solver);
  AIRLOT_CHECK(entry != kSolvers.end(), "solver {}", static_cast<int>(solver));
  return entry->name;
}

std::optional<Solver> SolverByName(std::string_view name) {
  const auto* entry = std::ranges::find(kSolvers, name, &SolverEntry::name);
  return entry == kSolvers.end() ? std::nullopt : std::optional(entry->solver);
}

std::size_t Solve(const PlanningProblem& problem, const PlanningOptions& options,
                  std::span<double> probability, std::span<double> power_w) {
  planning::CheckShape(problem, PlanView(probability, power_w));
  AIRLOT_CHECK(options.solver == Solver::kExact || !problem.steps.any(),
               "solver {} of a radio with {}", SolverName(options.solver),
               NameOfSteps(problem.steps));
  const auto unfinished =
      base::MapShards(problem.devices, options.threads, [&](const base::Shard& shard) {
        std::size_t count = 0;
        if (options.solver == Solver::kExact) {
          if (!problem.steps.any()) {
            planning::SolveClosedForm(problem, shard.begin, shard.end, probability, power_w);
            return count;
          }
          planning::SolveSteps(problem, shard.begin, shard.end, probability, power_w);
          planning::LeaveOutBandless(problem.nat_time_s, shard.begin, shard.end, probability.data(),
                                     power_w.data());
          return count;
        }
        for (std::size_t i = shard.begin; i < shard.end; ++i) {
          const planning::Device device = planning::DeviceAt(problem, i);
          const auto plan = device.nat_time_s == planning::kNoBand ? planning::DevicePlan{0, 0}
                                                                   : SolveDevice(device, options);
          probability[i] = plan.probability;
          power_w[i] = plan.power_w;
          count += plan.finished ? 0 : 1;
        }
        return count;
      });
  return std::accumulate(unfinished.begin(), unfinished.end(), std::size_t{0});
}

Plan Solve(const PlanningProblem& problem, const PlanningOptions& options) {
  Plan plan{ColumnValues(problem.devices), ColumnValues(problem.devices)};
  plan.unfinished = Solve(problem, options, plan.probability, plan.power_w);
  return plan;
}

}  // namespace airlot
