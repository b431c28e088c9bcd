// A scenario leads to its fleet on this way, on which each step is made once and handed to the
// next:
//
//   scenario -> rows of the fleet -> labels of the data set -> partition -> fleet
//
// From there the way leads to the problem and its plan (airlot/round.h), or to a setting to train
// in (airlot/simulation.h).
#ifndef AIRLOT_SCENARIO_FLEET_H_
#define AIRLOT_SCENARIO_FLEET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "airlot/airtime_round.h"
#include "airlot/dataset.h"
#include "airlot/fleet.h"
#include "airlot/model.h"
#include "airlot/partition.h"
#include "airlot/result.h"
#include "airlot/round.h"
#include "airlot/scenario.h"

namespace airlot {

// DatasetOf reads the scenario's data set, and TrainingLabelsOf only the labels to train on, which
// are quick to read. Both fail where the scenario has no data set.
Result<Dataset> DatasetOf(const DataChoice& data, int threads = 1);
Result<Labels> TrainingLabelsOf(const DataChoice& data);
// Returns the shape of the images of the scenario's data set, or else of MNIST's. A set that is
// known by name need not be there.
Result<ImageShape> ImageShapeOf(const DataChoice& data);

// Says what is wrong with a model for such images, by the keys of the scenario.
Status CheckModel(const ModelChoice& choice, const ImageShape& shape);

// Returns the size of a model for such images. Fails where the model does not fit them.
Result<double> ModelBits(const ModelChoice& model, const ImageShape& shape = {});

// RoundBits are what is on the air in a round.
struct RoundBits {
  double update = 0;  // S, what a device sends, compressed
  double model = 0;   // what the server sends
};
Result<RoundBits> RoundBitsOf(const Scenario& scenario, const ImageShape& shape);

// Returns what the fleet's file says of its devices or, where there is none, how many are to be
// drawn; it is an error where they do not fit into memory. `progress` is told the share read so
// far, from 0 to 1. Where there is a part, each member of the team takes its own.
Result<FleetRows> RowsOf(const FleetModel& fleet, const std::function<void(double)>& progress = {},
                         const Hands& hands = 1, const FleetPart* part = nullptr);

// Returns which device of the rows holds which training samples.
Result<Partition> PartitionOf(const DataChoice& data, const Labels& labels, const FleetRows& rows,
                              std::uint64_t seed);

// Returns what devices take where the rows do not say.
FleetDefaults DefaultsOf(const Scenario& scenario, const RoundBits& bits, std::uint64_t seed);

// A FleetWithData is a fleet, and the samples that its devices hold.
struct FleetWithData {
  Fleet fleet;
  Partition partition;  // empty where no labels were read
  RoundBits bits;
  std::string rows_digest;              // SHA-256 of what the fleet's file says; empty for a plan
  std::vector<std::string> notes = {};  // what a user should know of how the file was taken
};

// MakeFleet makes the scenario's fleet, its bands not yet split (`SplitBand`). Where the scenario
// has data, a device computes on the samples that it holds, not on fleet.samples.
//
// The first function is for a plan: it reads labels only where the fleet's file does not say how
// much the devices compute. The second is for a training, which has the labels of its data set, and
// the third for one that is told who holds which samples.
// Where there is a part, each member of the team makes its own, and all have the same error.
Result<FleetWithData> MakeFleet(const Scenario& scenario, std::uint64_t seed,
                                const Hands& hands = 1,
                                const std::function<void(double)>& progress = {},
                                const FleetPart* part = nullptr);
Result<FleetWithData> MakeFleet(const Scenario& scenario, const Labels& labels, std::uint64_t seed,
                                int threads = 1);
Result<FleetWithData> MakeFleet(const Scenario& scenario, const ImageShape& shape,
                                const Partition& partition, std::uint64_t seed, int threads = 1);

// These functions call `ProblemOf`, `CellOf`, `SplitBand` and `PlanRound` of airlot/round.h with
// what the scenario says; their errors name the scenario's keys. `CheckPlanning` says whether
// `PlanRound` can plan the problem.
Result<PlanningProblem> ProblemOf(const Fleet& fleet, const Scenario& scenario);
Result<PlanningProblem> ProblemOf(Fleet&&, const Scenario&) = delete;
// Returns the cell of a fleet, with its computation time where the books count that. The views
// point into `fleet`. Fails where the fleet does not know the time.
Result<Cell> CellOf(const Fleet& fleet, const Scenario& scenario, const PlanningProblem& problem);
Result<Cell> CellOf(Fleet&&, const Scenario&, const PlanningProblem&) = delete;
Result<std::optional<BandSplit>> SplitBand(const Scenario& scenario, Fleet& fleet,
                                           const Hands& hands = 1);
Status CheckPlanning(const Scenario& scenario, const PlanningProblem& problem);
Plan PlanRound(const Scenario& scenario, const PlanningProblem& problem, int threads = 1);

// Returns the levers of the plan that `PlanRound` makes, and nothing where that is not the optimum
// of each device in its equal band: by the paper's algorithms, where the time of the round is
// weighed, where the band is shared, or where powers or rates come in steps.
std::optional<Levers> LeversOf(const Scenario& scenario, const PlanningProblem& problem,
                               const PlanView& plan, const Hands& hands = 1);

// An AirtimeCellPlan is the airtime plan of a scenario, which its strategy `airtime` draws by, and
// what it was made from. It has views into the fleet.
struct AirtimeCellPlan {
  AirtimeRules rules;  // as the keys strategy.airtime.* set them
  Cell cell;
  ColumnValues data_share;
  std::unique_ptr<AirtimeRound> round;
};

// Plans the airtime of a round. `own_bands` is the plan of own bands. An error names the key. That
// the scenario can be planned so, CheckStrategy says of the strategy (airlot/simulation.h).
Result<AirtimeCellPlan> PlanAirtime(const Scenario& scenario, const Fleet& fleet,
                                    const PlanningProblem& problem, const Plan& own_bands,
                                    const Hands& hands = 1);

}  // namespace airlot

#endif  // AIRLOT_SCENARIO_FLEET_H_
