#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "airlot/training_rule.h"

namespace airlot {
namespace {

using Numbers = std::vector<float>;

TEST(TrainingRules, NamesInOrder) {
  std::vector<std::string> names;
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    names.push_back(entry.name);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_EQ(FindTrainingRule(entry.name), &entry);
  }
  names.resize(7);  // what tests register comes after
  EXPECT_EQ(names, (std::vector<std::string>{"fedavg", "fedprox", "scaffold", "fedavgm", "fedadam",
                                             "fedyogi", "fedadagrad"}));
  EXPECT_EQ(FindTrainingRule("fed"), nullptr);
}

// The values of an entry are valid for the server, and move the model down the gradient.
TEST(TrainingRules, EveryServerTakesAStep) {
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    SCOPED_TRACE(entry.name);
    StateParts parts;
    Numbers parameters{1, 1, 1};
    MakeTrainingRule({.rule = entry.name}, parts)->Step(Numbers{0.5, -0.5, 0}, parameters);
    EXPECT_LT(parameters[0], 1);
    EXPECT_GT(parameters[1], 1);
    EXPECT_EQ(parameters[2], 1);
  }
}

TEST(TrainingRules, OnlyScaffoldSendsTwoVectorsAndAlwaysModels) {
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    const bool is_scaffold = entry.name == "scaffold";
    EXPECT_EQ(entry.vectors_uploaded, is_scaffold ? 2 : 1) << entry.name;
    EXPECT_EQ(SendsModels({.rule = entry.name}), is_scaffold) << entry.name;
    EXPECT_TRUE(SendsModels({.rule = entry.name, .local_steps = 2})) << entry.name;
    EXPECT_TRUE(SendsModels({.rule = entry.name, .local_epochs = 1})) << entry.name;
  }
}

// A rule takes its own numbers unless told, and 0 where that is told.
TEST(TrainingRules, ZeroIsANumber) {
  LearningRules rules{.rule = "fedavgm"};
  EXPECT_EQ(NumbersOf(rules).momentum, 0.9);
  rules.momentum = 0;
  EXPECT_EQ(NumbersOf(rules).momentum, 0);
  rules = {.rule = "fedprox"};
  EXPECT_EQ(LocalTrainingOf(rules).proximal, 0.1);
  rules.proximal = 0;
  EXPECT_EQ(LocalTrainingOf(rules).proximal, 0);
  rules = {.rule = "fedadam"};
  EXPECT_EQ(NumbersOf(rules).beta1, 0.9);
  EXPECT_EQ(NumbersOf(rules).beta2, 0.99);
  EXPECT_EQ(NumbersOf(rules).server_rate, 0.01);
  EXPECT_EQ(NumbersOf(rules).tau, 1e-9);
  rules.beta1 = rules.beta2 = 0;
  rules.tau = 0.5;
  EXPECT_EQ(NumbersOf(rules).beta1, 0);
  EXPECT_EQ(NumbersOf(rules).beta2, 0);
  EXPECT_EQ(NumbersOf(rules).tau, 0.5);
}

std::unique_ptr<TrainingRule> MakeNothing(const LearningRules&, StateParts&) { return nullptr; }

TEST(TrainingRules, RefusesEntriesThatCannotBeUsed) {
  const auto error_of = [](TrainingRuleEntry entry) {
    const std::size_t before = TrainingRules().size();
    const Status status = RegisterTrainingRule(std::move(entry));
    EXPECT_EQ(TrainingRules().size(), before);
    return status ? "" : status.error().message;
  };
  EXPECT_NE(error_of({.name = "", .make = MakeNothing}), "");
  EXPECT_NE(error_of({.name = "fedprox", .make = MakeNothing}).find("fedprox"), std::string::npos);
  EXPECT_NE(error_of({.name = "new"}).find("make"), std::string::npos);
  EXPECT_NE(error_of({.name = "new", .vectors_uploaded = 0, .make = MakeNothing})
                .find("vectors_uploaded = 0"),
            std::string::npos);
}

}  // namespace
}  // namespace airlot
