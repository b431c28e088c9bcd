#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "airlot/training.h"

namespace airlot {
namespace {

TEST(TrainingRules, NamesInOrder) {
  std::vector<std::string_view> names;
  std::set<TrainingRule> rules;
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    names.push_back(entry.name);
    rules.insert(entry.rule);
    EXPECT_FALSE(entry.summary.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"fedavg", "fedprox", "scaffold", "fedavgm",
                                                  "fedadam", "fedyogi", "fedadagrad"}));
  EXPECT_EQ(rules.size(), names.size());
}

// An entry says what its rule needs, and no more.
TEST(TrainingRules, ValuesFitTheRule) {
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    SCOPED_TRACE(std::string(entry.name));
    EXPECT_EQ(entry.proximal > 0, entry.trains_with_proximal_term);
    EXPECT_EQ(entry.trains_with_proximal_term, entry.rule == TrainingRule::kFedProx);
    EXPECT_EQ(entry.vectors_uploaded, entry.rule == TrainingRule::kScaffold ? 2 : 1);
    EXPECT_EQ(entry.momentum > 0, entry.rule == TrainingRule::kFedAvgM);
    EXPECT_EQ(entry.tau > 0, entry.server_rule != ServerRule::kDescent);
    if (entry.server_rule == ServerRule::kDescent) {
      EXPECT_EQ(entry.server_rate, 1);
    }
  }
}

// The values of an entry are valid for the server, and move the model down the gradient.
TEST(TrainingRules, EveryServerTakesAStep) {
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    SCOPED_TRACE(std::string(entry.name));
    ServerOptimizer optimizer{.rule = entry.server_rule,
                              .rate = entry.server_rate,
                              .momentum = entry.momentum,
                              .beta1 = entry.beta1,
                              .beta2 = entry.beta2,
                              .tau = entry.tau};
    std::vector<float> parameters{1, 1, 1};
    optimizer.Step(std::vector<float>{0.5, -0.5, 0}, parameters);
    EXPECT_LT(parameters[0], 1);
    EXPECT_GT(parameters[1], 1);
    EXPECT_EQ(parameters[2], 1);
  }
}

}  // namespace
}  // namespace airlot
