#include "airlot/run_directory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "airlot/kept_runs.h"
#include "airlot/simd_target.h"
#include "airlot/version.h"
#include "runs/checkpoint.h"
#include "runs/run_directory_for_tests.h"

namespace airlot {
namespace {

// --- Opening -------------------------------------------------------------------------------------

TEST_F(RunDirectoryTest, WritesAManifest) {
  RunDirectory directory = Open();
  EXPECT_EQ(Tree(path_), Names{"manifest.json"});
  const std::string text = Text(path_ + "/manifest.json");
  EXPECT_EQ(text.find("{\n  \"airlot\": \"0."), 0u) << text;
  const auto kept = ReadRuns(path_);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept->status, RunStatus::kRunning);
  EXPECT_EQ(FormatScenario(kept->comparison.scenario),
            FormatScenario(ComparisonOf().comparison.scenario));
  EXPECT_EQ(kept->comparison.strategies, (std::vector<std::string>{"uniform"}));
  EXPECT_EQ(kept->comparison.seeds, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(kept->provenance.version, kVersion);
  EXPECT_EQ(kept->provenance.simd_target, SimdTarget());
  EXPECT_EQ(kept->runs.size(), 2u);
  EXPECT_EQ(kept->runs[0].stage, RunStage::kNotBegun);
  for (const auto status : {RunStatus::kComplete, RunStatus::kInterrupted, RunStatus::kFailed}) {
    ASSERT_TRUE(directory.SetStatus(status).ok());
    EXPECT_EQ(ReadRuns(path_)->status, status);
  }
}

TEST_F(RunDirectoryTest, SaysThatItWasInterruptedWhereNothingElseIsSaid) {
  { const RunDirectory directory = Open(); }
  EXPECT_EQ(ReadRuns(path_)->status, RunStatus::kInterrupted);
  {
    RunDirectory directory = Open(ExistingRuns::kResume);
    EXPECT_TRUE(directory.SetStatus(RunStatus::kComplete).ok());
  }
  EXPECT_EQ(ReadRuns(path_)->status, RunStatus::kComplete);
  EXPECT_NE(ErrorOf(ExistingRuns::kRefuse), "");
  EXPECT_EQ(ReadRuns(path_)->status, RunStatus::kComplete);
}

// --- One program at a time -----------------------------------------------------------------------

TEST_F(RunDirectoryTest, IsOpenOnlyOnce) {
  {
    const RunDirectory directory = Open();
    const std::string before = Text(path_ + "/manifest.json");
    for (const auto existing :
         {ExistingRuns::kRefuse, ExistingRuns::kResume, ExistingRuns::kReplace}) {
      OpenProblem problem = OpenProblem::kOther;
      const auto second = RunDirectory::Open(path_, ComparisonOf(), existing, &problem);
      ASSERT_FALSE(second.ok());
      EXPECT_EQ(problem, OpenProblem::kInUse);
      EXPECT_EQ(second.error().message.find(path_ + ": process " + std::to_string(getpid())), 0u)
          << second.error().message;
    }
    EXPECT_TRUE(ReadRuns(path_).ok());  // Looking at it does no harm.
    EXPECT_EQ(Text(path_ + "/manifest.json"), before);
  }
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume), "");
  EXPECT_FALSE(fs::exists(path_ + "/.lock"));
}

TEST_F(RunDirectoryTest, IsFreeAfterAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto directory = RunDirectory::Open(path_, ComparisonOf(), ExistingRuns::kRefuse);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(fs::exists(path_ + "/.lock"));
  EXPECT_EQ(ReadRuns(path_)->status, RunStatus::kRunning);
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume), "");
}

TEST_F(RunDirectoryTest, TakesAnEmptyFolder) {
  Put(path_ + "/.manifest.json.tmp-7-0", "{");  // One that was killed left this file.
  EXPECT_EQ(ErrorOf(ExistingRuns::kRefuse), "");
  EXPECT_EQ(Tree(path_), Names{"manifest.json"});
}

TEST_F(RunDirectoryTest, RefusesWhatIsThere) {
  Open();
  OpenProblem problem = OpenProblem::kOther;
  const auto again = RunDirectory::Open(path_, ComparisonOf(), ExistingRuns::kRefuse, &problem);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, path_ + ": holds runs already");
  EXPECT_EQ(problem, OpenProblem::kHoldsRuns);
}

TEST_F(RunDirectoryTest, NeverTakesAnotherFolder) {
  Put(path_ + "/thesis.tex", "x");
  for (const auto existing :
       {ExistingRuns::kRefuse, ExistingRuns::kResume, ExistingRuns::kReplace}) {
    EXPECT_EQ(ErrorOf(existing), path_ + ": exists and is not a run directory: choose another");
  }
  const std::string start = R"({"airlot":"1","state":"failed","name":"","scenario":"",)";
  const std::pair<std::string, std::string> others[] = {
      {"", "object"},
      {"{", "object"},
      {"[]", "object"},
      {"{}", "airlot"},
      {R"({"name": "web", "icons": []})", "airlot"},
      {"\xff", "object"},
      {R"({"airlot":"1","state":"done","name":"","scenario":"","strategies":[],"seeds":[]})",
       "state"},
      {start + R"("strategies":[1],"seeds":[]})", "strategies"},
      {start + R"("strategies":[],"seeds":[-1]})", "seeds"},
      {start + R"("strategies":[],"seeds":[],"simd_target":7})", "simd_target"},
      {start + R"("strategies":[],"seeds":[],"scenario_file":[]})", "scenario_file"},
      {start + R"("strategies":[],"seeds":[],"overrides":[1]})", "overrides"},
      {start + R"("strategies":[],"seeds":[],"settings":[3]})", "settings"},
      {start + R"("strategies":[],"seeds":[],"settings":[{"seed":1,"digest":"","expected":{}}]})",
       "participants"},
  };
  for (const auto& [other, part] : others) {
    Put(path_ + "/manifest.json", other);
    for (const auto existing :
         {ExistingRuns::kRefuse, ExistingRuns::kResume, ExistingRuns::kReplace}) {
      const std::string error = ErrorOf(existing);
      const std::string place = path_ + "/manifest.json: is not the manifest of a run directory: ";
      EXPECT_EQ(error.find(place), 0u) << error;
      EXPECT_NE(error.find(part, place.size()), std::string::npos) << error;
    }
    EXPECT_FALSE(ReadRuns(path_).ok());
    EXPECT_EQ(Text(path_ + "/manifest.json"), other);
  }
  EXPECT_EQ(Tree(path_), (Names{"manifest.json", "thesis.tex"}));
}

TEST_F(RunDirectoryTest, SaysWhyItCannotBeMade) {
  Put(path_, "x");
  EXPECT_EQ(ErrorOf(ExistingRuns::kRefuse), path_ + ": is a file, not a directory");
  const std::string inside = path_ + "/in";
  const auto below = RunDirectory::Open(inside, ComparisonOf(), ExistingRuns::kRefuse);
  ASSERT_FALSE(below.ok());
  EXPECT_EQ(below.error().message.find(inside + ": cannot "), 0u) << below.error().message;
  const auto nowhere =
      RunDirectory::Open("/proc/airlot/out", ComparisonOf(), ExistingRuns::kResume);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().message.find("/proc/airlot/out: cannot make this folder: "), 0u)
      << nowhere.error().message;
}

// --- Going on ------------------------------------------------------------------------------------

// Earlier versions knew no books: they booked the computations that the limit bounds.
TEST_F(RunDirectoryTest, KnowsWhatEarlierVersionsBooked) {
  for (const bool counts : {false, true}) {
    PreparedComparison prepared = ComparisonOf();
    prepared.comparison.scenario.round.count_compute_time = counts;
    { const RunDirectory directory = Open(ExistingRuns::kReplace, prepared); }
    EXPECT_EQ(ReadRuns(path_)->comparison.scenario.books, Books{});
    std::string manifest = Text(path_ + "/manifest.json");
    const std::size_t begin = manifest.find("\\n[books]\\n");
    ASSERT_NE(begin, std::string::npos);
    const std::string last = "download_time = false\\n";
    const std::size_t end = manifest.find(last, begin) + last.size();
    Put(path_ + "/manifest.json", manifest.erase(begin, end - begin));
    EXPECT_EQ(ReadRuns(path_)->comparison.scenario.books, (Books{.compute_time = counts}));
  }
}

TEST_F(RunDirectoryTest, GoesOnWithTheSameScenario) {
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume), "");  // This starts the run.
  ASSERT_TRUE(Open(ExistingRuns::kResume).SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  PreparedComparison more = ComparisonOf();
  more.comparison.strategies = {"deterministic", "uniform"};
  more.comparison.seeds = {1, 5};
  EXPECT_EQ(RoundOf(Open(ExistingRuns::kResume, more)), 2);
  const auto kept = ReadRuns(path_);
  EXPECT_EQ(kept->comparison.strategies, more.comparison.strategies);
  EXPECT_EQ(kept->comparison.seeds, more.comparison.seeds);
}

TEST_F(RunDirectoryTest, NamesTheKeyOfAnotherScenario) {
  Open();
  const std::string before = Text(path_ + "/manifest.json");
  const auto error = [&](const std::string& difference) {
    return path_ + ": holds runs of another scenario: " + difference;
  };
  PreparedComparison prepared = ComparisonOf(4);
  Scenario& scenario = prepared.comparison.scenario;
  scenario.fleet.devices = 7;
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, prepared), error("rounds is 3 there and 4 here"));
  scenario.rounds = 3;
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, prepared),
            error("fleet.devices is 100 there and 7 here"));
  prepared = ComparisonOf();
  scenario.model.parameters = 10;
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, prepared),
            error("model.parameters is not set there and 10 here"));
  EXPECT_EQ(Text(path_ + "/manifest.json"), before);
  Open(ExistingRuns::kReplace, prepared);
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume), error("model.parameters is 10 there and not set here"));
}

// Runs that are complete are not looked at again, so the manifest must tell.
TEST_F(RunDirectoryTest, KnowsTheFleetOfEverySeed) {
  PreparedComparison prepared = ComparisonOf();
  prepared.dataset_digest = "data";
  prepared.seeds = {{.seed = 2, .setting_digest = "b", .expected = {}},
                    {.seed = 1, .setting_digest = "a", .expected = {}}};
  Expectations& expected = prepared.seeds[0].expected;
  expected.participants = 1.0 / 3;
  expected.probability_empty_round = 0.125;
  expected.devices_by_limit[std::size_t(Limit::kPower)] = 7;
  Open(ExistingRuns::kRefuse, prepared);
  // A call with another seed forgets nothing.
  PreparedComparison other = prepared;
  other.seeds = {{.seed = 3, .setting_digest = "c", .expected = {}}};
  Open(ExistingRuns::kResume, other);
  const auto kept = ReadRuns(path_);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept->provenance.dataset_digest, "data");
  ASSERT_EQ(kept->provenance.seeds.size(), 3u);
  EXPECT_EQ(kept->provenance.seeds[0].setting_digest, "a");
  EXPECT_EQ(kept->provenance.seeds[1].expected.participants, 1.0 / 3);
  EXPECT_EQ(kept->provenance.seeds[1].expected.probability_empty_round, 0.125);
  EXPECT_EQ(kept->provenance.seeds[1].expected.limited_by(Limit::kPower), 7u);

  const std::string before = Text(path_ + "/manifest.json");
  other = prepared;
  other.seeds[1].setting_digest = "x";
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, other),
            path_ + ": holds runs of another fleet: that of seed 1 has changed since");
  other = prepared;
  other.dataset_digest = "x";
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, other),
            path_ + ": holds runs of other data: the data set has changed since");
  EXPECT_EQ(Text(path_ + "/manifest.json"), before);
  EXPECT_EQ(ErrorOf(ExistingRuns::kReplace, other), "");
  EXPECT_EQ(ReadRuns(path_)->provenance.seeds.size(), 2u);
}

TEST_F(RunDirectoryTest, GoesOnWhereAPathIsNotUtf8) {
  PreparedComparison prepared = ComparisonOf();
  prepared.comparison.scenario.data.dataset = "/data/\xff\xfe";
  ASSERT_TRUE(Open(ExistingRuns::kRefuse, prepared).SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  EXPECT_EQ(RoundOf(Open(ExistingRuns::kResume, prepared)), 1);
  EXPECT_EQ(ReadRuns(path_)->runs[0].stage, RunStage::kBegun);
}

// --- Replacing -----------------------------------------------------------------------------------

TEST_F(RunDirectoryTest, ReplacesRunsAndNothingElse) {
  PreparedComparison prepared = ComparisonOf();
  prepared.comparison.strategies = {"uniform", "of-a-later-version", "..", "../beside", ""};
  Open(ExistingRuns::kRefuse, prepared);
  for (const std::string strategy : {"uniform", "probabilistic", "of-a-later-version", "mine"}) {
    for (const std::string file :
         {"rounds.csv", "devices.csv", "classes.csv", "model.npz", "participants.csv.gz",
          "participants.csv.partial", ".participants.csv.gz.tmp-7-2", "checkpoint",
          "checkpoint.previous", ".checkpoint.tmp-7-0", ".rounds.csv.tmp-7-1"}) {
      Put(path_ + "/" + strategy + "/seed-12/" + file, "x");
    }
  }
  Put(folder_ + "/beside/seed-1/rounds.csv", "x");
  Put(folder_ + "/seed-1/rounds.csv", "x");
  Names foreign = {"notes.txt", "uniform/notes.txt", "uniform/seed-3/notes.txt",
                   "uniform/seed-x/rounds.csv", "uniform/seed-/rounds.csv"};
  for (const std::string& name : foreign) Put(path_ + "/" + name, "x");
  Put(File("rounds.csv", 3), "x");
  Put(path_ + "/summary.json", "x");
  Put(path_ + "/report.html", "x");
  for (const std::string file :
       {"rounds.csv", "devices.csv", "classes.csv", "model.npz", "participants.csv.gz",
        "participants.csv.partial", ".participants.csv.gz.tmp-7-2", "checkpoint",
        "checkpoint.previous", ".checkpoint.tmp-7-0", ".rounds.csv.tmp-7-1"}) {
    foreign.insert("mine/seed-12/" + file);
  }
  foreign.insert("manifest.json");

  Open(ExistingRuns::kReplace);
  EXPECT_EQ(Tree(path_), foreign);
  EXPECT_FALSE(fs::exists(path_ + "/probabilistic"));
  EXPECT_TRUE(fs::exists(folder_ + "/beside/seed-1/rounds.csv"));
  EXPECT_TRUE(fs::exists(folder_ + "/seed-1/rounds.csv"));
}

TEST_F(RunDirectoryTest, RemovesNothingBehindALink) {
  Open();
  Put(folder_ + "/elsewhere/seed-1/rounds.csv", "x");
  fs::create_directory_symlink(folder_ + "/elsewhere", path_ + "/uniform");
  const std::string why = ": is in the way and is not a folder: remove it first";
  EXPECT_EQ(ErrorOf(ExistingRuns::kReplace), path_ + "/uniform" + why);
  fs::remove(path_ + "/uniform");
  fs::create_directory(path_ + "/uniform");
  fs::create_directory_symlink(folder_ + "/elsewhere/seed-1", path_ + "/uniform/seed-1");
  EXPECT_EQ(ErrorOf(ExistingRuns::kReplace), path_ + "/uniform/seed-1" + why);
  EXPECT_TRUE(fs::exists(folder_ + "/elsewhere/seed-1/rounds.csv"));
}

}  // namespace
}  // namespace airlot
