// A comparison runs strategies times seeds of one scenario. What its runs share is prepared once.
#ifndef AIRLOT_COMPARISON_H_
#define AIRLOT_COMPARISON_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/partition.h"
#include "airlot/planning.h"
#include "airlot/result.h"
#include "airlot/scenario.h"
#include "airlot/simulation.h"

namespace airlot {

// The strategies and the seeds of a Comparison must be distinct.
struct Comparison {
  Scenario scenario;
  std::vector<std::string> strategies;
  std::vector<std::uint64_t> seeds;
  std::optional<std::string> scenario_file = {};  // file from which the scenario was read
  // What was set beside that file, each "KEY=VALUE"; none: that is not known.
  std::optional<std::vector<std::string>> overrides = {};
};

// Returns a comparison whose paths are absolute, so that they are found from any folder.
Comparison WithAbsolutePaths(Comparison comparison);

// A PreparedSeed has what tells the setting of a seed from others, and what its plan promises of a
// round.
struct PreparedSeed {
  std::uint64_t seed = 1;
  std::string setting_digest;
  Expectations expected;
};

// A Score is what is kept as `accuracy` of a model: the share of test samples that it gets right,
// or where it predicts numbers R², which may be below 0. (docs/learning.md, L16)
enum class Score : std::uint8_t { kAccuracy, kR2 };
Score ScoreOf(const Dataset& dataset);
// Returns "accuracy" or "R²", for ASCII "R^2".
std::string_view ScoreName(Score score, bool utf8 = true);

struct PreparedComparison {
  Comparison comparison;  // its paths are absolute
  std::string dataset_digest;
  Score score = Score::kAccuracy;
  std::vector<PreparedSeed> seeds;                       // in the order of `comparison.seeds`
  std::vector<std::shared_ptr<const Setting>> settings;  // in the order of `comparison.seeds`
};

struct PrepareOptions {
  int threads = 1;
  // This says who holds which samples, instead of what the scenario says.
  std::optional<Partition> partition = {};
  // after_seed is told of each seed when it is prepared, one at a time, in any order and from any
  // thread.
  std::function<void(const Setting& setting)> after_seed = {};
};

// Prepares every seed once. Fails where a strategy cannot do what the scenario asks for, where
// fleet, data and model do not fit together, or where nobody is able to take part.
Result<PreparedComparison> PrepareComparison(const Comparison& comparison,
                                             const std::shared_ptr<const Dataset>& dataset,
                                             const PrepareOptions& options = {});

}  // namespace airlot

#endif  // AIRLOT_COMPARISON_H_
