// Sweeps give the same for any number of jobs and after a stop, and leave out cells that cannot
// run.
#include "airlot/sweep.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "base/replacement.h"
#include "runs/comparison_for_tests.h"
#include "runs/sweep_file.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;
using runs::SmallComparison;

Result<std::shared_ptr<const Dataset>> Digits(const DataChoice&) { return runs::SmallDigits(); }

// Every file below a folder, but for those that say which version or machine made them.
std::map<std::string, std::string> BytesIn(const fs::path& folder) {
  std::map<std::string, std::string> bytes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::stringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    bytes[fs::relative(entry.path(), folder).string()] = text.str();
  }
  return bytes;
}

class SweepTest : public testing::Test {
 protected:
  SweepTest() : folder_(fs::temp_directory_path() / ("airlot-sweep-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    sweep_.name = "small";
    sweep_.scenario = FormatScenario(SmallComparison().scenario);
    sweep_.grid.axes = {{{{"round.time_limit_s", {"1", "2"}}}}, {{{"fleet.devices", {"5", "6"}}}}};
    sweep_.strategies = SmallComparison().strategies;
    sweep_.seeds = SmallComparison().seeds;
  }
  ~SweepTest() override { fs::remove_all(folder_); }

  std::vector<Comparison> Cells() const {
    std::vector<Comparison> cells;
    for (std::size_t i = 0; i < CellCount(sweep_.grid); ++i) {
      cells.push_back(SmallComparison());
      auto scenario = ParseScenario(sweep_.scenario, "base", OverridesOf(sweep_.grid, i));
      EXPECT_TRUE(scenario.ok()) << scenario.error().message;
      cells.back().scenario = std::move(*scenario);
    }
    return cells;
  }
  Status Run(const std::string& name, SweepOptions options = {}) {
    options.dataset = Digits;
    if (options.existing == ExistingRuns::kRefuse && has_run_.contains(name)) {
      options.existing = ExistingRuns::kResume;
    }
    has_run_[name] = true;
    return RunSweep(folder_ / name, sweep_, Cells(), options);
  }

  fs::path folder_;
  Sweep sweep_;
  std::map<std::string, bool> has_run_;
};

TEST_F(SweepTest, GivesTheSameForAnyJobsAndAfterAStop) {
  ASSERT_TRUE(Run("one").ok());
  ASSERT_TRUE(Run("two", {.jobs = 3}).ok());
  EXPECT_EQ(BytesIn(folder_ / "one"), BytesIn(folder_ / "two"));
  std::atomic<int> rounds = 0;
  // A run is told of seven times, so that the first cell is complete and the last has not begun.
  ASSERT_TRUE(Run("cut", {.jobs = 1,
                          .after_round = [&](std::size_t, std::size_t,
                                             const RunState&) { return ++rounds < 60; }})
                  .ok());
  const auto kept = ReadSweep(folder_ / "cut");
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept->cells.front().missing_runs, 0u);
  EXPECT_EQ(kept->cells.back().missing_runs, 4u);
  EXPECT_NE(BytesIn(folder_ / "one"), BytesIn(folder_ / "cut"));
  ASSERT_TRUE(Run("cut", {.jobs = 2}).ok());
  EXPECT_EQ(BytesIn(folder_ / "one"), BytesIn(folder_ / "cut"));
}

TEST_F(SweepTest, ACellIsWhatACompareMakes) {
  ASSERT_TRUE(Run("all").ok());
  const Comparison cell = Cells()[2];
  const auto prepared = PrepareComparison(cell, *Digits({}));
  ASSERT_TRUE(prepared.ok());
  {
    auto directory = RunDirectory::Open(folder_ / "alone", *prepared, ExistingRuns::kRefuse);
    ASSERT_TRUE(directory.ok());
    ASSERT_TRUE(RunExperiment(*prepared, *directory).ok());
  }
  EXPECT_EQ(BytesIn(folder_ / "alone"), BytesIn(folder_ / "all" / CellFolderOf(sweep_.grid, 2)));
}

TEST_F(SweepTest, LeavesOutACellThatCannotRun) {
  sweep_.grid.axes[0].keys[0] = {"fleet.energy_budget_j", {"1", "0"}};  // Nobody can pay with 0.
  std::vector<std::size_t> told;
  ASSERT_TRUE(Run("some", {.jobs = 2,
                           .cannot_run = [&](std::size_t cell,
                                             const std::string&) { told.push_back(cell); }})
                  .ok());
  std::ranges::sort(told);
  EXPECT_EQ(told, (std::vector<std::size_t>{2, 3}));
  const auto kept = ReadSweep(folder_ / "some");
  ASSERT_TRUE(kept.ok());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(kept->cells[i].problem.has_value(), i >= 2) << i;
    EXPECT_EQ(kept->cells[i].summaries.size(), i >= 2 ? 0u : 2u) << i;
  }
}

TEST_F(SweepTest, AFolderWithoutRunsIsGone) {
  sweep_.grid.axes[0].keys[0] = {"fleet.energy_budget_j", {"0"}};
  ASSERT_TRUE(Run("none").ok());
  EXPECT_TRUE(sweep_.problems[0].has_value());
  EXPECT_FALSE(fs::exists(folder_ / "none"));
}

TEST_F(SweepTest, RefusesWhatIsThereAndReplacesItOnDemand) {
  ASSERT_TRUE(Run("it").ok());
  OpenProblem problem;
  SweepOptions options{.dataset = Digits};
  EXPECT_FALSE(RunSweep(folder_ / "it", sweep_, Cells(), options, &problem).ok());
  EXPECT_EQ(problem, OpenProblem::kHoldsRuns);
  std::ofstream(folder_ / "it" / "mine.txt") << "mine";
  const Grid old = sweep_.grid;
  sweep_.grid.axes.pop_back();
  options.existing = ExistingRuns::kResume;
  EXPECT_FALSE(RunSweep(folder_ / "it", sweep_, Cells(), options, &problem).ok());
  EXPECT_EQ(problem, OpenProblem::kOtherSetting);
  options.existing = ExistingRuns::kReplace;
  ASSERT_TRUE(RunSweep(folder_ / "it", sweep_, Cells(), options, &problem).ok());
  EXPECT_TRUE(fs::exists(folder_ / "it" / "mine.txt"));
  EXPECT_FALSE(fs::exists(folder_ / "it" / CellFolderOf(old, 1)));
  EXPECT_TRUE(fs::exists(folder_ / "it" / CellFolderOf(sweep_.grid, 1)));
  // A folder of something else is left alone.
  fs::create_directories(folder_ / "other");
  std::ofstream(folder_ / "other" / "mine.txt") << "mine";
  EXPECT_FALSE(RunSweep(folder_ / "other", sweep_, Cells(), options, &problem).ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "other"), {}), 1);
}

// A sweep that is asked for with fewer strategies and seeds counts no others.
TEST_F(SweepTest, CountsOnlyWhatIsAskedFor) {
  ASSERT_TRUE(Run("fewer").ok());
  Sweep fewer = sweep_;
  fewer.strategies = {"uniform"};
  fewer.seeds = {2};
  ASSERT_TRUE(runs::WriteSweepFile(folder_ / "fewer", fewer).ok());
  const auto kept = ReadSweep(folder_ / "fewer");
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  for (const SweptCell& cell : kept->cells) {
    EXPECT_EQ(cell.missing_runs, 0u);
    ASSERT_EQ(cell.summaries.size(), 1u);
    EXPECT_EQ(cell.summaries[0].strategy, "uniform");
    EXPECT_EQ(cell.summaries[0].runs, 1u);
  }
}

// What a kill leaves of a file is no reason to refuse, and is gone afterwards.
TEST_F(SweepTest, GoesOnWhereTheFirstFileWasNotFinished) {
  fs::create_directories(folder_ / "torn");
  const std::string leftover = base::TemporaryFor(folder_ / "torn" / "sweep.json");
  std::ofstream(leftover) << "{";
  ASSERT_TRUE(Run("torn", {.existing = ExistingRuns::kResume}).ok());
  EXPECT_FALSE(fs::exists(leftover));
  ASSERT_TRUE(Run("whole").ok());
  EXPECT_EQ(BytesIn(folder_ / "torn"), BytesIn(folder_ / "whole"));
}

// Known problems are kept until a cell is prepared again.
TEST_F(SweepTest, RemembersProblemsOfCellsThatItHasNotComeTo) {
  sweep_.grid.axes[0].keys[0] = {"fleet.energy_budget_j", {"1", "0"}};
  ASSERT_TRUE(Run("some").ok());
  int rounds = 0;
  ASSERT_TRUE(Run("some", {.after_round = [&](std::size_t, std::size_t,
                                              const RunState&) { return ++rounds < 2; }})
                  .ok());
  EXPECT_TRUE(ReadSweep(folder_ / "some")->cells[3].problem.has_value());
}

TEST_F(SweepTest, ReadsItsFileStrictly) {
  sweep_.problems = {std::nullopt, "why \"not\"", std::nullopt, std::nullopt};
  ASSERT_TRUE(runs::WriteSweepFile(folder_, sweep_).ok());
  const auto file = runs::FindSweepFile(folder_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->sweep.grid, sweep_.grid);
  EXPECT_EQ((*file)->sweep.problems, sweep_.problems);
  EXPECT_EQ((*file)->sweep.seeds, sweep_.seeds);
  for (const auto change : {+[](Sweep& sweep) { sweep.strategies.clear(); },
                            +[](Sweep& sweep) {
                              sweep.strategies = {"a", "a"};
                            },
                            +[](Sweep& sweep) { sweep.strategies = {"../a"}; },
                            +[](Sweep& sweep) { sweep.seeds.clear(); },
                            +[](Sweep& sweep) {
                              sweep.seeds = {1, 1};
                            }}) {
    Sweep other = sweep_;
    change(other);
    ASSERT_TRUE(runs::WriteSweepFile(folder_, other).ok());
    EXPECT_FALSE(runs::FindSweepFile(folder_).ok());
  }
  for (const std::string_view text :
       {"", "[]", "{}",
        R"({"airlot":"1","name":"x","axes":[],"strategies":[],"seeds":[],)"
        R"("cells":[],"scenario":""})",
        R"({"airlot":"1","name":"x","axes":[[{"name":"a","values":["1"]}]],"strategies":[],)"
        R"("seeds":[],"cells":[],"scenario":""})"}) {
    std::ofstream(folder_ / "sweep.json") << text;
    EXPECT_FALSE(runs::FindSweepFile(folder_).ok()) << text;
  }
}

// The files of the runs are those of one process, and the sweep that ends it all finds nothing
// left.
TEST_F(SweepTest, PartsAtATimeMakeOneSweep) {
  ASSERT_TRUE(Run("one").ok());
  std::vector<std::thread> parts;
  std::array<Status, 3> ended;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    parts.emplace_back([&, i] {
      Sweep sweep = sweep_;
      ended[i] = RunSweep(folder_ / "parts", sweep, Cells(),
                          {.part = SweepPart{i, ended.size()}, .dataset = Digits});
    });
  }
  for (std::thread& part : parts) part.join();
  for (const Status& status : ended) EXPECT_TRUE(status.ok()) << status.error().message;
  std::atomic<int> rounds = 0;
  ASSERT_TRUE(Run("parts", {.existing = ExistingRuns::kResume,
                            .after_round =
                                [&](std::size_t, std::size_t, const RunState&) {
                                  ++rounds;
                                  return true;
                                }})
                  .ok());
  // Of a run that is complete, its last round is told.
  EXPECT_EQ(std::size_t(rounds), Cells().size() * sweep_.strategies.size() * sweep_.seeds.size());
  EXPECT_EQ(BytesIn(folder_ / "one"), BytesIn(folder_ / "parts"));
}

TEST_F(SweepTest, APartIsOfTheSweepThatIsThereAndNotOfAnother) {
  const SweepOptions options{.dataset = Digits};
  ASSERT_TRUE(BeginSweep(folder_ / "out", sweep_, Cells(), options).ok());
  OpenProblem problem;
  Sweep other = sweep_;
  other.grid.axes[0].keys[0].values = {"1", "3"};
  const auto status = RunSweep(folder_ / "out", other, Cells(),
                               {.part = SweepPart{0, 2}, .dataset = Digits}, &problem);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(problem, OpenProblem::kOtherSetting);
  // What is begun is refused without a word to go on, as a sweep with runs is.
  EXPECT_FALSE(BeginSweep(folder_ / "out", sweep_, Cells(), options, &problem).ok());
  EXPECT_EQ(problem, OpenProblem::kHoldsRuns);
}

TEST_F(SweepTest, BeginsNothingWhereNoCellCanRun) {
  ASSERT_TRUE(Run("out").ok());
  const auto before = BytesIn(folder_ / "out");
  sweep_.grid.axes[0].keys[0] = {"fleet.energy_budget_j", {"0", "0"}};
  const auto status = BeginSweep(folder_ / "out", sweep_, Cells(),
                                 {.existing = ExistingRuns::kReplace, .dataset = Digits});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("no cell can run"), std::string::npos);
  EXPECT_EQ(BytesIn(folder_ / "out"), before);
  EXPECT_FALSE(BeginSweep(folder_ / "new", sweep_, Cells(), {.dataset = Digits}).ok());
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

// What is begun and then not handed on leaves nothing; where runs are, they stay.
TEST_F(SweepTest, AbandonsWhatHasNotBegun) {
  ASSERT_TRUE(BeginSweep(folder_ / "out", sweep_, Cells(), {.dataset = Digits}).ok());
  AbandonSweep(folder_ / "out");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  ASSERT_TRUE(Run("out").ok());
  const auto before = BytesIn(folder_ / "out");
  AbandonSweep(folder_ / "out");
  EXPECT_EQ(BytesIn(folder_ / "out"), before);
}

// While parts run, nobody replaces what they write, and while a whole sweep runs no part begins.
TEST_F(SweepTest, PartsAndAWholeSweepKeepEachOtherOut) {
  const std::string directory = folder_ / "out";
  const auto problem_of = [&](SweepOptions options) {
    OpenProblem problem = OpenProblem::kOther;
    Sweep sweep = sweep_;
    options.dataset = Digits;
    EXPECT_FALSE(RunSweep(directory, sweep, Cells(), options, &problem).ok());
    return problem;
  };
  bool was_tried = false;
  SweepOptions in_part{.part = SweepPart{0, 2}, .dataset = Digits};
  in_part.after_round = [&](std::size_t, std::size_t, const RunState&) {
    if (!was_tried) {
      EXPECT_EQ(problem_of({.existing = ExistingRuns::kReplace}), OpenProblem::kInUse);
    }
    was_tried = true;
    return true;
  };
  ASSERT_TRUE(RunSweep(directory, sweep_, Cells(), in_part).ok());
  EXPECT_TRUE(was_tried);
  was_tried = false;
  SweepOptions whole{.existing = ExistingRuns::kResume, .dataset = Digits};
  whole.after_round = [&](std::size_t, std::size_t, const RunState&) {
    if (!was_tried) {
      EXPECT_EQ(problem_of({.part = SweepPart{1, 2}}), OpenProblem::kInUse);
    }
    was_tried = true;
    return true;
  };
  ASSERT_TRUE(RunSweep(directory, sweep_, Cells(), whole).ok());
  EXPECT_TRUE(was_tried);
}

}  // namespace
}  // namespace airlot
