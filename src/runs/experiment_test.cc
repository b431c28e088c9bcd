// Runs side by side have the same results for any number of jobs; they stop, go on and fail.
#include "airlot/experiment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/team_for_tests.h"
#include "runs/comparison_for_tests.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;
using runs::SmallComparison;

class ExperimentTest : public testing::Test {
 protected:
  ExperimentTest()
      : folder_(fs::temp_directory_path() / ("airlot-experiment-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~ExperimentTest() override { fs::remove_all(folder_); }

  static PreparedComparison Prepared(const Comparison& comparison,
                                     const PrepareOptions& options = {}) {
    auto prepared = PrepareComparison(comparison, runs::SmallDigits(), options);
    EXPECT_TRUE(prepared.ok()) << prepared.error().message;
    return std::move(*prepared);
  }
  RunDirectory Open(const std::string& name, const PreparedComparison& prepared) const {
    fs::create_directories(folder_);
    auto directory = RunDirectory::Open(folder_ / name, prepared, ExistingRuns::kResume);
    EXPECT_TRUE(directory.ok()) << directory.error().message;
    return std::move(*directory);
  }
  Result<std::vector<RunResult>> Run(const std::string& name, const Comparison& comparison,
                                     const ExperimentOptions& options = {}) const {
    const PreparedComparison prepared = Prepared(comparison);
    RunDirectory directory = Open(name, prepared);
    return RunExperiment(prepared, directory, options);
  }
  // Returns the bytes of all files of a run directory, by name.
  std::map<std::string, std::string> FilesOf(const std::string& name) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / name)) {
      if (!entry.is_regular_file() || entry.path().filename() == ".lock") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      files[fs::relative(entry.path(), folder_ / name)] = {std::istreambuf_iterator<char>(file),
                                                           {}};
    }
    return files;
  }
  RunStatus StatusOf(const std::string& name) const { return ReadRuns(folder_ / name)->status; }

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
  const auto one = Run("one", comparison);
  ASSERT_TRUE(one.ok()) << one.error().message;
  ASSERT_EQ(one->size(), 4U);
  EXPECT_EQ((*one)[1].strategy, "probabilistic");
  EXPECT_EQ((*one)[1].seed, 2U);
  EXPECT_EQ(StatusOf("one"), RunStatus::kComplete);
  const auto two = Run("two", comparison, {.jobs = 2});
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(LossesOf(*one), LossesOf(*two));

  std::atomic<int> rounds = 0;
  const auto stopped =
      Run("cut", comparison,
          {.jobs = 2, .after_round = [&](std::size_t, const RunState&) { return ++rounds < 8; }});
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(StatusOf("cut"), RunStatus::kInterrupted);
  EXPECT_NE(LossesOf(*one), LossesOf(*stopped));
  std::vector<int> told(4);
  const auto resumed =
      Run("cut", comparison, {.jobs = 2, .after_round = [&](std::size_t run, const RunState&) {
                                return ++told[run] > 0;
                              }});
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(StatusOf("cut"), RunStatus::kComplete);
  EXPECT_EQ(LossesOf(*one), LossesOf(*resumed));
  for (const int count : told) EXPECT_GT(count, 0);
  EXPECT_EQ(FilesOf("one"), FilesOf("two"));
  EXPECT_EQ(FilesOf("one"), FilesOf("cut"));
  EXPECT_EQ(FilesOf("one").count("uniform/seed-2/participants.csv.gz"), 1u);
}

// A run that was not told to write down who takes part cannot begin with it later.
TEST_F(ExperimentTest, GoesOnWithoutALogWhereThereIsNone) {
  Comparison comparison = SmallComparison();
  comparison.strategies = {"uniform"};
  comparison.seeds = {1};
  const auto stops = [](std::size_t, const RunState& state) { return state.round < 3; };
  ASSERT_TRUE(Run("old", comparison, {.logs_participants = false, .after_round = stops}).ok());
  int unlogged = 0;
  ASSERT_TRUE(Run("old", comparison,
                  {.unlogged =
                       [&](const KeptRun& run) {
                         EXPECT_EQ(run.strategy, "uniform");
                         ++unlogged;
                       }})
                  .ok());
  EXPECT_EQ(unlogged, 1);
  const auto old = FilesOf("old");
  EXPECT_EQ(old.count("uniform/seed-1/participants.csv.gz"), 0u);
  ASSERT_TRUE(Run("whole", comparison).ok());
  auto whole = FilesOf("whole");
  EXPECT_EQ(whole.erase("uniform/seed-1/participants.csv.gz"), 1u);
  EXPECT_EQ(old, whole);

  // Rows that are missing are an error, unless no log is wanted any more; the old one goes then.
  ASSERT_TRUE(Run("torn", comparison, {.after_round = stops}).ok());
  const fs::path partial = folder_ / "torn/uniform/seed-1/participants.csv.partial";
  ASSERT_TRUE(fs::exists(partial));
  fs::resize_file(partial, 200);
  const auto torn = Run("torn", comparison);
  ASSERT_FALSE(torn.ok());
  EXPECT_EQ(torn.error().message.find(partial.string() + ": has "), 0u) << torn.error().message;
  ASSERT_TRUE(Run("torn", comparison, {.logs_participants = false}).ok());
  EXPECT_EQ(FilesOf("torn"), whole);

  // A kill after the run was complete may leave the log that the whole one was made of.
  std::ofstream(folder_ / "whole/uniform/seed-1/participants.csv.partial") << "x";
  ASSERT_TRUE(Run("whole", comparison).ok());
  EXPECT_EQ(FilesOf("whole").count("uniform/seed-1/participants.csv.partial"), 0u);
  EXPECT_EQ(FilesOf("whole").count("uniform/seed-1/participants.csv.gz"), 1u);
}

// --- Preparing -----------------------------------------------------------------------------------

TEST_F(ExperimentTest, PreparesEverySeedOnce) {
  for (const int threads : {1, 3}) {
    std::multiset<std::uint64_t> seeds;
    const PreparedComparison prepared =
        Prepared(SmallComparison(), {.threads = threads, .after_seed = [&](const Setting& setting) {
                                       seeds.insert(setting.seed);
                                     }});
    EXPECT_EQ(seeds, (std::multiset<std::uint64_t>{1, 2}));
    ASSERT_EQ(prepared.settings.size(), 2u);
    for (const std::size_t i : {0, 1}) {
      EXPECT_EQ(prepared.settings[i]->seed, i + 1);
      EXPECT_EQ(prepared.seeds[i].seed, i + 1);
      EXPECT_EQ(prepared.seeds[i].setting_digest, prepared.settings[i]->digest);
      double participants = 0;
      for (const double a : prepared.settings[i]->plan.probability) participants += a;
      // Both are sums of numbers >= 0.
      const double rounding = 2 * double(prepared.settings[i]->fleet.devices) * 0x1p-53;
      EXPECT_NEAR(prepared.seeds[i].expected.participants, participants, rounding * participants);
    }
    // Every run takes place in one of these settings, so none prepares another.
    RunDirectory directory = Open("count-" + std::to_string(threads), prepared);
    std::set<const Setting*> used;
    std::mutex mutex;
    const ExperimentOptions options{.jobs = 2, .make_backend = [&](const Setting& setting) {
                                      const std::lock_guard lock(mutex);
                                      used.insert(&setting);
                                      return MakeSimulatedBackend(setting);
                                    }};
    ASSERT_TRUE(RunExperiment(prepared, directory, options).ok());
    EXPECT_EQ(used,
              (std::set<const Setting*>{prepared.settings[0].get(), prepared.settings[1].get()}));
  }
}

// One device computes in every round: where its budget is too small for that, it is not able to
// take part.
TEST_F(ExperimentTest, RunsOfOneSeedShareTestResults) {
  Comparison comparison = SmallComparison();
  comparison.strategies = {"uniform", "all"};
  const PreparedComparison several = Prepared(comparison);
  ASSERT_EQ(several.settings.size(), 2u);
  EXPECT_TRUE(several.settings[0]->evaluations);
  EXPECT_NE(several.settings[0]->evaluations, several.settings[1]->evaluations);
  comparison.strategies = {"uniform"};
  EXPECT_FALSE(Prepared(comparison).settings[0]->evaluations);
}

TEST_F(ExperimentTest, ChecksEverySeedBeforeTheFirstRun) {
  Comparison comparison = SmallComparison();
  comparison.scenario.fleet.devices = 1;
  comparison.scenario.fleet.energy_budget_j = Spread::LogUniform(1e-3, 100);
  comparison.scenario.round.compute = ComputeRule::kAlways;
  std::optional<std::uint64_t> able, unable;
  for (std::uint64_t seed = 1; seed < 100 && !(able && unable); ++seed) {
    (MayTakePart(*Prepare(comparison.scenario, seed, runs::SmallDigits())) ? able : unable) = seed;
  }
  ASSERT_TRUE(able && unable) << "the test needs another fleet";
  comparison.seeds = {*able, *unable};
  const auto prepared = PrepareComparison(comparison, runs::SmallDigits());
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().message.find("float32-cell, seed " + std::to_string(*unable) +
                                          ": no device can ever take part"),
            0u)
      << prepared.error().message;
}

TEST_F(ExperimentTest, PathsAreFoundFromAnyFolder) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "fleet.csv") << "distance_m\n100\n200\n300\n400\n500\n";
  Comparison comparison = SmallComparison();
  comparison.scenario.fleet.file = fs::relative(folder_ / "fleet.csv");
  comparison.scenario_file = "here/scenario.toml";
  comparison.overrides = {"rounds=2"};
  ASSERT_FALSE(comparison.scenario.fleet.file->starts_with('/'));
  const PreparedComparison prepared = Prepared(comparison);
  Open("paths", prepared);
  const auto kept = ReadRuns(folder_ / "paths");
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(*kept->comparison.scenario.fleet.file, folder_ / "fleet.csv");
  EXPECT_EQ(kept->comparison.scenario.data.dataset, "digits");
  EXPECT_EQ(kept->comparison.scenario_file, fs::current_path() / "here/scenario.toml");
  EXPECT_EQ(kept->comparison.overrides, comparison.overrides);
}

// --- Ends ----------------------------------------------------------------------------------------

TEST_F(ExperimentTest, ACompleteRunIsNotMixedWithAnotherFleet) {
  fs::create_directories(folder_);
  Comparison comparison = SmallComparison();
  comparison.scenario.fleet.file = folder_ / "fleet.csv";
  std::ofstream(*comparison.scenario.fleet.file) << "distance_m\n100\n200\n300\n400\n500\n";
  comparison.strategies = {"uniform"};
  ASSERT_TRUE(Run("fleet", comparison).ok());
  std::ofstream(*comparison.scenario.fleet.file) << "distance_m\n100\n200\n300\n400\n501\n";
  const auto again =
      RunDirectory::Open(folder_ / "fleet", Prepared(comparison), ExistingRuns::kResume);
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("another fleet"), std::string::npos);
  EXPECT_EQ(StatusOf("fleet"), RunStatus::kComplete);
}

TEST_F(ExperimentTest, OneFailureEndsAll) {
  const PreparedComparison prepared = Prepared(SmallComparison());
  RunDirectory directory = Open("failed", prepared);
  fs::create_directories(folder_ / "failed/probabilistic");
  std::ofstream(folder_ / "failed/probabilistic/seed-2") << "in the way";
  const auto failed = RunExperiment(prepared, directory, {.jobs = 2});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("probabilistic/seed-2: is in the way"), std::string::npos);
  EXPECT_EQ(StatusOf("failed"), RunStatus::kFailed);
}

// A thread that ends by an exception would end the program, and the manifest would stay "running".
TEST_F(ExperimentTest, ThrowsWhatACallbackThrows) {
  const PreparedComparison prepared = Prepared(SmallComparison());
  RunDirectory directory = Open("thrown", prepared);
  const ExperimentOptions throwing{.jobs = 2, .after_round = [](std::size_t, const RunState& s) {
                                     if (s.round == 3) throw std::runtime_error("mine");
                                     return true;
                                   }};
  EXPECT_THROW((void)RunExperiment(prepared, directory, throwing), std::runtime_error);
  EXPECT_EQ(StatusOf("thrown"), RunStatus::kFailed);
  EXPECT_THROW(
      (void)PrepareComparison(
          SmallComparison(), runs::SmallDigits(),
          {.threads = 2, .after_seed = [](const Setting&) { throw std::runtime_error("mine"); }}),
      std::runtime_error);
}

TEST_F(ExperimentTest, WantOfMemoryEndsAllRuns) {
  const PreparedComparison prepared = Prepared(SmallComparison());
  RunDirectory directory = Open("memory", prepared);
  const ExperimentOptions greedy{
      .jobs = 4,
      .make_backend = [](const Setting&) -> std::unique_ptr<Backend> { throw std::bad_alloc(); }};
  EXPECT_THROW((void)RunExperiment(prepared, directory, greedy), std::bad_alloc);
  EXPECT_EQ(StatusOf("memory"), RunStatus::kFailed);
}

// The comparison is refused before a run starts, and the message names both sides.
TEST_F(ExperimentTest, RefusesStrategiesThatCannotDoWhatIsAsked) {
  Scenario scenario;
  const auto message = [&](std::string_view strategy, const LearningRules& rules) {
    scenario.learning = rules;
    const auto status = CheckStrategy(*FindStrategy(strategy), scenario);
    return status.ok() ? "" : status.error().message;
  };
  LearningRules rules;
  for (const StrategyEntry& entry : Strategies()) EXPECT_EQ(message(entry.name, rules), "");
  rules.aggregation = Aggregation::kUnbiased;
  EXPECT_EQ(message("oort", rules),
            "learning.aggregation = unbiased: strategy oort does not know with which probability "
            "it selects a device; these do: probabilistic, uniform, all, random, airtime");
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
  const auto refused = PrepareComparison(comparison, runs::SmallDigits());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, message("tifl", comparison.scenario.learning));
  comparison.strategies = {"luck"};
  EXPECT_EQ(PrepareComparison(comparison, runs::SmallDigits()).error().message,
            "unknown strategy luck");
  scenario.model.bits_per_parameter = 1;
  EXPECT_EQ(message("oort", LearningRules()), "");
  EXPECT_EQ(message("update-aware", LearningRules()),
            "model.bits_per_parameter = 1: strategy update-aware cuts updates to their largest "
            "numbers, of 32 bits each: set it to 32");
}

// Runs in which nobody took part have no fairness, and no say in that of the others.
TEST(Summarize, FairnessIsOfRunsWithParticipants) {
  const std::vector<std::uint32_t> nobody{0, 0}, some{3, 1};
  const RunResult runs[] = {{.strategy = "a", .fairness = JainIndex(nobody)},
                            {.strategy = "a", .fairness = JainIndex(some)},
                            {.strategy = "b", .fairness = JainIndex(nobody)}};
  const auto summaries = SummarizeRuns(runs, {});
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_EQ(summaries[0].fairness.count, 1u);
  EXPECT_EQ(summaries[0].fairness.mean, 16.0 / 20);
  EXPECT_EQ(summaries[1].fairness.count, 0u);
}

// A run that loses a target again reaches it at first, and holds it later or not at all; a run that
// misses it counts with the whole of it.
TEST(Summarize, TargetsAreReachedAndHeld) {
  const auto run = [](std::uint64_t seed, std::initializer_list<double> accuracies) {
    RunResult result{.strategy = "a", .seed = seed};
    for (const double accuracy : accuracies) {
      const auto round = std::uint64_t(result.records.size());
      RoundRecord record{.round = round, .time_s = 10 * double(round), .energy_j = double(round)};
      if (accuracy >= 0) record.accuracy = accuracy;
      result.records.push_back(std::move(record));
    }
    return result;
  };
  constexpr double kNotEvaluated = -1;
  const RunResult runs[] = {run(1, {0.1, 0.5, kNotEvaluated, 0.4, 0.6, 0.5, kNotEvaluated}),
                            run(2, {0.1, 0.2, 0.5, 0.3, kNotEvaluated})};
  const double targets[] = {0.5, 0.6, 0.7};
  const StrategySummary summary = SummarizeRuns(runs, targets).front();
  const auto expect = [](const Arrivals& arrivals, std::size_t reached, double mean_rounds) {
    EXPECT_EQ(arrivals.reached, reached);
    EXPECT_EQ(arrivals.rounds.count, 2u);
    EXPECT_EQ(arrivals.rounds.mean, mean_rounds);
    EXPECT_EQ(arrivals.time_s.mean, 10 * mean_rounds);
    EXPECT_EQ(arrivals.energy_j.mean, mean_rounds);
  };
  expect(summary.targets[0].first, 2, (1 + 2) / 2.0);
  expect(summary.targets[0].held, 1, (4 + 4) / 2.0);
  expect(summary.targets[1].first, 1, (4 + 4) / 2.0);
  expect(summary.targets[1].held, 0, (6 + 4) / 2.0);
  expect(summary.targets[2].first, 0, (6 + 4) / 2.0);
  ASSERT_EQ(summary.outcomes.size(), 2u);
  EXPECT_EQ(summary.outcomes[1].seed, 2u);
  EXPECT_EQ(summary.outcomes[0].evaluations.size(), 5u);
}

// Every member of a team simulates the run, and the first one writes it. What updates remember,
// what strategies ask, and models that devices send are the same in all members.
TEST_F(ExperimentTest, GivesTheSameInAnyTeam) {
  std::vector<Comparison> comparisons(3, SmallComparison());
  comparisons[1].scenario.learning.rule = "scaffold";
  comparisons[1].scenario.learning.local_steps = 3;
  comparisons[2].scenario.learning.compression.method = Compression::kTopK;
  comparisons[2].strategies = {"power-of-choice", "gradient-probability"};
  int number = 0;
  for (const Comparison& comparison : comparisons) {
    const std::string alone = "alone" + std::to_string(number++);
    ASSERT_TRUE(Run(alone, comparison).ok());
    for (const std::size_t members : {2, 3}) {
      const std::string together = alone + "-" + std::to_string(members);
      base::ForEachMember(members, [&](Team& team) {
        const PreparedComparison prepared = Prepared(comparison);
        ExperimentOptions options{.threads = int(members) - 1, .team = &team};
        if (team.rank() != 0) return FollowExperiment(prepared, options);
        // It stops once, and goes on from there.
        std::atomic<int> rounds = 9;
        options.after_round = [&](std::size_t, const RunState&) { return --rounds > 0; };
        for (int i = 0; i < 2; ++i) {
          RunDirectory directory = Open(together, prepared);
          EXPECT_TRUE(RunExperiment(prepared, directory, options).ok());
          rounds = 1000;
        }
        EndFollowing(team);
      });
      EXPECT_EQ(FilesOf(together), FilesOf(alone)) << together;
    }
  }
}

}  // namespace
}  // namespace airlot
