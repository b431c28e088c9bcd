// Devices that spend more than their budgets are counted, by hand-worked numbers and in runs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "airlot/device_table.h"
#include "airlot/experiment.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

// Over 10 rounds, budgets of 2 J allow 20 J: 25 J are 1.25 times that, and 5 J beyond.
TEST(BudgetUse, ByHand) {
  const std::vector<double> spent_j{25, 20, 0, 32};
  const ColumnValues budget_j{2, 2, 2, 1};
  const auto use = BudgetUseOf(spent_j, ColumnView(budget_j), 10);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->devices, 4u);
  EXPECT_EQ(use->devices_over, 2u);
  EXPECT_EQ(use->worst_ratio, 3.2);
  EXPECT_EQ(use->excess_j, 5 + 22);
}

TEST(BudgetUse, AColumnThatIsConstant) {
  const std::vector<double> spent_j{25, 20, 0};
  const auto use = BudgetUseOf(spent_j, ColumnView(2.0), 10);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->devices_over, 1u);
  EXPECT_EQ(use->worst_ratio, 1.25);
  EXPECT_EQ(use->excess_j, 5);
}

// Sums of what a device spends in each round may be above its budget by rounding alone.
TEST(BudgetUse, RoundingIsNotBeyondABudget) {
  const auto over = [](double spent_j) {
    return BudgetUseOf(std::vector{spent_j}, ColumnView(2.0), 10)->devices_over;
  };
  EXPECT_EQ(over(20), 0u);
  EXPECT_EQ(over(20 * (1 + 0.9e-9)), 0u);
  EXPECT_EQ(over(20 * (1 + 1.1e-9)), 1u);
  const auto at = BudgetUseOf(std::vector{20 * (1 + 0.9e-9)}, ColumnView(2.0), 10);
  EXPECT_EQ(at->excess_j, 0);
}

TEST(BudgetUse, ABudgetOfNothing) {
  const auto spends = BudgetUseOf(std::vector{0.5, 0.0}, ColumnView(0.0), 10);
  EXPECT_EQ(spends->devices_over, 1u);
  EXPECT_TRUE(std::isinf(spends->worst_ratio));
  EXPECT_EQ(spends->excess_j, 0.5);
  const auto idles = BudgetUseOf(std::vector{0.0}, ColumnView(0.0), 10);
  EXPECT_EQ(idles->devices_over, 0u);
  EXPECT_EQ(idles->worst_ratio, 0);
}

TEST(BudgetUse, IsNotKnownBeforeTheFirstRoundNorWithoutBudgets) {
  EXPECT_FALSE(BudgetUseOf(std::vector{0.0}, ColumnView(2.0), 0));
  DeviceTable table{.id = {"a"}, .energy_spent_j = {25}};
  EXPECT_FALSE(BudgetUseOf(table, 10));
  table.energy_budget_j = {2};
  EXPECT_EQ(BudgetUseOf(table, 10)->worst_ratio, 1.25);
  EXPECT_FALSE(BudgetUseOf(table, 0));
}

TEST(Summarize, BudgetsAreMeansAndTheWorst) {
  const auto run = [](std::string strategy, std::optional<BudgetUse> budget) {
    RunResult result{.strategy = std::move(strategy), .budget = budget};
    result.records.push_back({.round = 10});
    return result;
  };
  const RunResult runs[] = {run("a", BudgetUse{50, 3, 2.5, 7}), run("a", BudgetUse{50, 0, 0.5, 0}),
                            run("b", BudgetUse{50, 0, 1, 0}),   run("b", BudgetUse{50, 0, 0.5, 0}),
                            run("c", BudgetUse{50, 3, 2.5, 7}), run("c", std::nullopt)};
  const auto summaries = SummarizeRuns(runs, {});
  ASSERT_EQ(summaries.size(), 3u);
  ASSERT_TRUE(summaries[0].budget && summaries[1].budget);
  EXPECT_EQ(summaries[0].budget->devices, 50u);
  EXPECT_EQ(summaries[0].budget->devices_over.mean, 1.5);
  EXPECT_EQ(summaries[0].budget->worst_ratio, 2.5);
  EXPECT_EQ(summaries[0].budget->excess_j.mean, 3.5);
  EXPECT_FALSE(summaries[0].budget->is_kept());
  EXPECT_TRUE(summaries[1].budget->is_kept());
  EXPECT_FALSE(summaries[2].budget);
}

// One device has a budget of next to nothing, and all take part in every round. What the run says
// when it ends is what its files say later, and when the complete run is opened again.
TEST(BudgetUse, IsTheSameFromARunAndFromItsFiles) {
  const fs::path folder = fs::temp_directory_path() / ("airlot-budget-" + std::to_string(getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  Comparison comparison{.strategies = {"all"}, .seeds = {1}};
  Scenario& scenario = comparison.scenario;
  scenario.data.dataset = "digits";
  scenario.data.partition.minimum_samples = 1;
  scenario.model.name = "mlp";
  scenario.round.time_limit_s = 1000;
  scenario.rounds = 4;
  scenario.learning.batch = 4;
  scenario.fleet.file = folder / "fleet.csv";
  std::ofstream(*scenario.fleet.file) << "distance_m,energy_budget_j\n100,1e9\n100,1e-9\n";
  const auto digits = std::make_shared<const Dataset>(
      DrawDigits({.train_samples = 50, .test_samples = 10, .seed = 3}));
  const auto prepared = PrepareComparison(comparison, digits);
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  for (int call = 0; call < 2; ++call) {
    auto directory = RunDirectory::Open(folder / "run", *prepared, ExistingRuns::kResume);
    ASSERT_TRUE(directory.ok()) << directory.error().message;
    const auto results = RunExperiment(*prepared, *directory);
    ASSERT_TRUE(results.ok()) << results.error().message;
    const auto kept = ReadRuns(folder / "run");
    ASSERT_TRUE(kept.ok()) << kept.error().message;
    const auto &ended = results->at(0).budget, &read = kept->runs.at(0).budget;
    ASSERT_TRUE(ended && read);
    EXPECT_EQ(ended->devices, 2u);
    EXPECT_EQ(ended->devices_over, 1u);
    EXPECT_GT(ended->worst_ratio, 1000);
    EXPECT_EQ(read->devices, ended->devices);
    EXPECT_EQ(read->devices_over, ended->devices_over);
    EXPECT_EQ(read->worst_ratio, ended->worst_ratio);
    EXPECT_EQ(read->excess_j, ended->excess_j);
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace airlot
