// A comparison: strategies times seeds of one scenario. What its runs share is prepared once.
#ifndef AIRLOT_COMPARISON_H_
#define AIRLOT_COMPARISON_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/planning.h"
#include "airlot/result.h"
#include "airlot/scenario.h"
#include "airlot/simulation.h"

namespace airlot {

// Strategies and seeds must be distinct.
struct Comparison {
  Scenario scenario;
  std::vector<std::string> strategies;
  std::vector<std::uint64_t> seeds;
  std::string scenario_file = {};  // that the scenario was read from; empty: none
};

// What tells the setting of a seed from others, and what its plan promises of a round.
struct PreparedSeed {
  std::uint64_t seed = 1;
  std::string setting_digest;
  Expectations expected;
};

struct PreparedComparison {
  Comparison comparison;  // its paths are absolute
  std::string dataset_digest;
  std::vector<PreparedSeed> seeds;                       // in the order of `comparison.seeds`
  std::vector<std::shared_ptr<const Setting>> settings;  // in the same order
};

struct PrepareOptions {
  int threads = 1;
  // Told of each seed when it is prepared, one at a time, in any order and from any thread.
  std::function<void(const Setting& setting)> after_seed = {};
};

// Prepares every seed, once. An error where a strategy cannot do what the scenario asks for, where
// fleet, data and model do not fit together, or where nobody is able to take part.
Result<PreparedComparison> PrepareComparison(const Comparison& comparison,
                                             const std::shared_ptr<const Dataset>& dataset,
                                             const PrepareOptions& options = {});

}  // namespace airlot

#endif  // AIRLOT_COMPARISON_H_
