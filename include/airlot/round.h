// This header has the rules of a round, and the way from a fleet to its planning problem: all that
// a program needs that only plans.
#ifndef AIRLOT_ROUND_H_
#define AIRLOT_ROUND_H_

#include <cstdint>
#include <optional>
#include <span>

#include "airlot/band_split.h"
#include "airlot/cell.h"
#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "airlot/radio.h"
#include "airlot/result.h"

namespace airlot {

// EmptyRound says what happens in a round in which nobody takes part.
enum class EmptyRound : std::uint8_t {
  kSkip,    // the round takes no time and no energy, and counts
  kRedraw,  // the round is drawn again
  kWait,    // the server waits for the time limit, and the round counts
};

struct RoundRules {
  double time_limit_s = 0.08;
  TimeRule time_rule = TimeRule::kExpected;
  bool count_compute_time = false;  // the limit bounds upload and computation together
  ComputeRule compute = ComputeRule::kParticipants;
  std::optional<double> period_s;  // how often a round is held; not set: not known
  double min_probability = 0;      // the participation that every device should reach
  double time_weight = 0;          // λ, participants that a second of the expected round is worth
  // If true, a plan is of the round's airtime, as the strategy `airtime` draws by
  // (airlot/airtime_round.h). It says nothing of runs, whose strategies decide.
  bool airtime = false;
  EmptyRound empty = EmptyRound::kSkip;
  bool operator==(const RoundRules&) const = default;
};

// Returns the planning problem of a fleet. The views point into `fleet`. Fails where computation
// time counts and the fleet does not know it.
Result<PlanningProblem> ProblemOf(const Fleet& fleet, const Radio& radio, const RoundRules& rules);
Result<PlanningProblem> ProblemOf(Fleet&&, const Radio&, const RoundRules&) = delete;

// Returns the cell of a fleet with its planning problem, without what the server sends and without
// computation time, which the books may count. The views point into `fleet`.
Cell CellOf(const Fleet& fleet, const Radio& radio, const PlanningProblem& problem);
Cell CellOf(Fleet&&, const Radio&, const PlanningProblem&) = delete;

// Splits the bands of the fleet together anew, as radio.band.sharing says, into its columns: bands,
// nat times and, where the noise is a density, noise-to-gain. A device weighs as much as it has
// samples, where the fleet has them. For BandSharing::kEqual nothing is split. Where there is a
// team, each member has a part of the fleet. (docs/bandwidth.md)
Result<std::optional<BandSplit>> SplitBand(const Radio& radio, const RoundRules& rules,
                                           Fleet& fleet, const Hands& hands = 1);

// Plans a round by `Solve` or, where rules.time_weight is not 0, by `SolveTimeAware`, in which a
// device weighs as much as it has samples, 1 on average. The second function writes into memory of
// the caller, as `Solve` does.
Plan PlanRound(const RoundRules& rules, const PlanningProblem& problem,
               const PlanningOptions& options = {});
void PlanRound(const RoundRules& rules, const PlanningProblem& problem,
               const PlanningOptions& options, std::span<double> probability,
               std::span<double> power_w);

}  // namespace airlot

#endif  // AIRLOT_ROUND_H_
