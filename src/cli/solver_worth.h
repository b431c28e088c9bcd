// This header compares what the solvers make of the same fleets, without training.
#ifndef AIRLOT_CLI_SOLVER_WORTH_H_
#define AIRLOT_CLI_SOLVER_WORTH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "airlot/comparison.h"
#include "airlot/experiment.h"
#include "airlot/planning.h"
#include "airlot/result.h"
#include "cli/command.h"

namespace airlot::cli {

// A SolverWorth is what the plans of a solver promise, each moment over the seeds.
struct SolverWorth {
  Solver solver = Solver::kExact;
  Moments data_share;  // Σ w·a, the paper's objective: expected share of all samples in a round
  Moments participants;
  Moments round_time_s;
  Moments round_energy_j;
  std::size_t unfinished = 0;  // number of devices for which the algorithm met its limit of steps
};

// Plans the fleets of a comparison by the closed form and by the paper's algorithms. Fails where
// these cannot plan by its rules.
Result<std::vector<SolverWorth>> CompareSolvers(const Comparison& comparison);

std::string DrawSolvers(const std::vector<SolverWorth>& solvers);
Json ToJson(const std::vector<SolverWorth>& solvers);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_SOLVER_WORTH_H_
