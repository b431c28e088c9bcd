// Runs side by side: the same results for any number of jobs, stopping, going on, failing.
#include "airlot/experiment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

namespace airlot {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Dataset> Digits() {
  static const auto digits = std::make_shared<const Dataset>(
      DrawDigits({.train_samples = 200, .test_samples = 20, .seed = 3}));
  return digits;
}

Comparison SmallComparison() {
  Comparison comparison{.strategies = {"probabilistic", "uniform"}, .seeds = {1, 2}};
  comparison.scenario.data.dataset = "digits";
  comparison.scenario.data.partition.minimum_samples = 1;
  comparison.scenario.model.name = "mlp";
  comparison.scenario.fleet.devices = 5;
  comparison.scenario.round.time_limit_s = 1;
  comparison.scenario.rounds = 6;
  comparison.scenario.evaluate_every = 3;
  comparison.scenario.learning.batch = 4;
  return comparison;
}

class ExperimentTest : public testing::Test {
 protected:
  ExperimentTest()
      : folder_(fs::temp_directory_path() / ("airlot-experiment-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~ExperimentTest() override { fs::remove_all(folder_); }

  RunDirectory Open(const std::string& name, const Comparison& comparison) const {
    fs::create_directories(folder_);
    auto directory = RunDirectory::Open(folder_ / name, comparison, ExistingRuns::kResume);
    EXPECT_TRUE(directory.ok()) << directory.error().message;
    return std::move(*directory);
  }

  fs::path folder_;
};

std::vector<double> LossesOf(const std::vector<RunResult>& runs) {
  std::vector<double> losses;
  for (const RunResult& run : runs) {
    for (const RoundRecord& record : run.records) {
      if (record.round % 3 == 0) losses.push_back(record.test_loss.value());
    }
  }
  return losses;
}

TEST_F(ExperimentTest, GivesTheSameForAnyJobsAndAfterAStop) {
  const Comparison comparison = SmallComparison();
  const auto one = RunExperiment(comparison, Open("one", comparison), Digits(), {});
  ASSERT_TRUE(one.ok()) << one.error().message;
  ASSERT_EQ(one->size(), 4U);
  EXPECT_EQ((*one)[1].strategy, "probabilistic");
  EXPECT_EQ((*one)[1].seed, 2U);
  const auto two = RunExperiment(comparison, Open("two", comparison), Digits(), {.jobs = 2});
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(LossesOf(*one), LossesOf(*two));

  std::atomic<int> rounds = 0;
  const ExperimentOptions stopping{
      .jobs = 2, .after_round = [&](std::size_t, const RunState&) { return ++rounds < 8; }};
  const auto stopped = RunExperiment(comparison, Open("cut", comparison), Digits(), stopping);
  ASSERT_TRUE(stopped.ok());
  EXPECT_NE(LossesOf(*one), LossesOf(*stopped));
  std::vector<int> told(4);
  const ExperimentOptions going_on{
      .jobs = 2, .after_round = [&](std::size_t run, const RunState&) { return ++told[run] > 0; }};
  const auto resumed = RunExperiment(comparison, Open("cut", comparison), Digits(), going_on);
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(LossesOf(*one), LossesOf(*resumed));
  for (const int count : told) EXPECT_GT(count, 0);
}

TEST_F(ExperimentTest, OneFailureEndsAll) {
  Comparison comparison = SmallComparison();
  comparison.scenario.fleet.energy_budget_j = Spread::Constant(0);
  const std::string expected =
      "paper-highly-biased, seed 1: no device can ever take part, because none has the energy or "
      "the "
      "time for it: raise fleet.energy_budget_j or round.time_limit_s";
  EXPECT_EQ(CheckRunnable(comparison, Digits()).error().message, expected);
  comparison.seeds = {1};
  const auto failed = RunExperiment(comparison, Open("failed", comparison), Digits(), {.jobs = 2});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, expected);
  EXPECT_TRUE(CheckRunnable(SmallComparison(), Digits()).ok());
}

// Before a run starts, and naming both sides.
TEST_F(ExperimentTest, RefusesStrategiesThatCannotDoWhatIsAsked) {
  const auto message = [&](std::string_view strategy, const LearningRules& rules) {
    const auto status = CheckStrategy(*FindStrategy(strategy), rules);
    return status.ok() ? "" : status.error().message;
  };
  LearningRules rules;
  for (const StrategyEntry& entry : Strategies()) EXPECT_EQ(message(entry.name, rules), "");
  rules.aggregation = Aggregation::kUnbiased;
  EXPECT_EQ(message("oort", rules),
            "learning.aggregation = unbiased: strategy oort does not know with which probability "
            "it selects a device; those that do: probabilistic, uniform, all, random");
  for (const std::string_view name : {"probabilistic", "uniform", "all", "random"}) {
    EXPECT_EQ(message(name, rules), "");
  }
  rules = {.rule = "scaffold"};
  rules.compression.method = Compression::kSign;
  EXPECT_EQ(message("oort", rules), "");
  EXPECT_EQ(message("update-aware-bc", rules),
            "learning.rule = scaffold: strategy update-aware-bc cuts updates to what fits into a "
            "round, and has no room for the second vector that this rule sends whole");
  rules.rule = "fedprox";
  for (const std::string_view name :
       {"update-aware", "update-aware-bc", "update-aware-bn2", "update-aware-bn2-c"}) {
    EXPECT_EQ(message(name, rules),
              "learning.compression = sign: strategy " + std::string(name) +
                  " itself cuts updates to what fits into a round, to their largest numbers: leave "
                  "learning.compression at none");
  }
  Comparison comparison = SmallComparison();
  comparison.strategies = {"uniform", "tifl"};
  comparison.scenario.learning.aggregation = Aggregation::kUnbiased;
  ASSERT_FALSE(CheckRunnable(comparison, Digits()).ok());
  const auto failed = RunExperiment(comparison, Open("unbiased", comparison), Digits(), {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, CheckRunnable(comparison, Digits()).error().message);
}

// Runs in which nobody took part have no fairness, and no say in that of the others.
TEST(Summarize, FairnessIsOfRunsWithParticipants) {
  const RunResult runs[] = {{.strategy = "a", .participations = {0, 0}},
                            {.strategy = "a", .participations = {3, 1}},
                            {.strategy = "b", .participations = {0, 0}}};
  const auto summaries = Summarize(runs, {});
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_EQ(summaries[0].fairness.count, 1u);
  EXPECT_EQ(summaries[0].fairness.mean, 16.0 / 20);
  EXPECT_EQ(summaries[1].fairness.count, 0u);
}

}  // namespace
}  // namespace airlot
