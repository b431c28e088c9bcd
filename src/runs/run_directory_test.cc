#include "airlot/run_directory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "airlot/kept_runs.h"
#include "airlot/simd_target.h"
#include "airlot/version.h"
#include "data/sha256.h"
#include "learning/scaffold.h"
#include "learning/server_moments.h"
#include "runs/checkpoint.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

std::string Text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Put(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// All files but the lock, and the folders that are empty.
std::set<std::string> Tree(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool holds_more = entry.is_directory() && !fs::is_empty(entry.path());
    const bool is_lock = entry.path().filename() == ".lock";
    if (!holds_more && !is_lock) names.insert(fs::relative(entry.path(), folder));
  }
  return names;
}
using Names = std::set<std::string>;

PreparedComparison ComparisonOf(std::size_t rounds = 3) {
  PreparedComparison prepared;
  prepared.comparison = {.strategies = {"uniform"}, .seeds = {1, 2}};
  prepared.comparison.scenario.rounds = rounds;
  return prepared;
}

RunState StateAt(std::uint64_t round) {
  RunState state{.round = round, .time_s = double(round), .parameters = {1, 2}};
  for (std::uint64_t i = 0; i <= round; ++i) state.records.push_back({.round = i});
  return state;
}

class RunDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/airlot_runs_" + std::to_string(getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = folder_ + "/out";
  }
  void TearDown() override { fs::remove_all(folder_); }

  RunDirectory Open(ExistingRuns existing = ExistingRuns::kRefuse,
                    const PreparedComparison& comparison = ComparisonOf()) {
    auto directory = RunDirectory::Open(path_, comparison, existing);
    EXPECT_TRUE(directory.ok()) << directory.error().message;
    return std::move(*directory);
  }
  std::string ErrorOf(ExistingRuns existing,
                      const PreparedComparison& comparison = ComparisonOf()) const {
    const auto directory = RunDirectory::Open(path_, comparison, existing);
    return directory ? "" : directory.error().message;
  }
  std::string File(const std::string& name, int seed = 1) const {
    return path_ + "/uniform/seed-" + std::to_string(seed) + "/" + name;
  }
  // The round that a run would go on from, or -1.
  static int RoundOf(const RunDirectory& directory, std::uint64_t seed = 1) {
    const auto found = directory.Find("uniform", seed);
    EXPECT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->checkpoint.has_value(), found->kept.stage == RunStage::kBegun);
    return found->checkpoint ? int(found->checkpoint->round) : -1;
  }

  std::string folder_, path_;
};

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
    EXPECT_TRUE(ReadRuns(path_).ok());  // to look at it is no harm
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
  Put(path_ + "/.manifest.json.tmp-7-0", "{");  // left by one that was killed
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

TEST_F(RunDirectoryTest, GoesOnWithTheSameScenario) {
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume), "");  // starts it
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

// --- Checkpoints ---------------------------------------------------------------------------------

TEST_F(RunDirectoryTest, KeepsTheLastTwoCheckpoints) {
  const RunDirectory directory = Open();
  EXPECT_EQ(RoundOf(directory), -1);
  for (const int round : {1, 2, 3}) {
    ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(round)).ok());
    const auto found = *directory.Find("uniform", 1);
    EXPECT_EQ(found.checkpoint->round, std::uint64_t(round));
    EXPECT_EQ(found.checkpoint->parameters, (std::vector<float>{1, 2}));
    EXPECT_EQ(found.kept.stage, RunStage::kBegun);
    EXPECT_TRUE(found.kept.damaged.empty());
  }
  EXPECT_EQ(Tree(path_), (Names{"manifest.json", "uniform/seed-1/checkpoint",
                                "uniform/seed-1/checkpoint.previous"}));
  EXPECT_EQ(RoundOf(directory, 2), -1);
}

// Each state of the files that saving goes through, as a kill would leave it.
TEST_F(RunDirectoryTest, LosesNothingWhereverSavingIsKilled) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  Put(File(".checkpoint.tmp-7-0"), "half");
  EXPECT_EQ(RoundOf(directory), 2);
  fs::rename(File("checkpoint"), File("checkpoint.previous"));
  EXPECT_EQ(RoundOf(directory), 2);
  EXPECT_TRUE(directory.Find("uniform", 1)->kept.damaged.empty());
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(3)).ok());
  EXPECT_EQ(RoundOf(directory), 3);
  fs::remove(File("checkpoint"));
  EXPECT_EQ(RoundOf(directory), 2);
}

// The same with real kills, at moments that fall where they fall.
TEST_F(RunDirectoryTest, LosesNothingToKills) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  int round = 1;
  for (int kill = 0; kill < 20; ++kill) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int next = round + 1;; ++next) {
        if (!directory.SaveCheckpoint("uniform", 1, StateAt(next)).ok()) ::_exit(1);
      }
    }
    ::usleep(useconds_t(2000 + 5317 * kill));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_TRUE(directory.Find("uniform", 1)->kept.damaged.empty());
    ASSERT_GE(RoundOf(directory), round);
    round = RoundOf(directory);
  }
  EXPECT_GT(round, 1);
}

TEST_F(RunDirectoryTest, GoesOnFromThePreviousWhereTheLastIsDamaged) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  const std::string whole = Text(File("checkpoint"));
  Put(File("checkpoint"), whole.substr(0, whole.size() - 1));
  EXPECT_EQ(RoundOf(directory), 1);
  const auto damaged = directory.Find("uniform", 1)->kept.damaged;
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_EQ(damaged[0].file, File("checkpoint"));
  EXPECT_EQ(damaged[0].damage, "its checksum does not match");

  // The damaged one does not take the place of the previous.
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  EXPECT_EQ(RoundOf(directory), 2);
  fs::remove(File("checkpoint"));
  EXPECT_EQ(RoundOf(directory), 1);

  Put(File("checkpoint"), "");
  Put(File("checkpoint.previous"), "x");
  const auto found = *directory.Find("uniform", 1);
  EXPECT_EQ(found.kept.stage, RunStage::kNotBegun);
  ASSERT_EQ(found.kept.damaged.size(), 2u);
  EXPECT_EQ(found.kept.damaged[0].damage, "it is empty");
  EXPECT_EQ(found.kept.damaged[1].file, File("checkpoint.previous"));
  const auto kept = ReadRuns(path_);
  ASSERT_EQ(kept->unreadable.size(), 1u);
  EXPECT_EQ(kept->unreadable[0].fault, File("checkpoint") + ": it is empty; " +
                                           File("checkpoint.previous") +
                                           ": it is not a checkpoint");
}

// It may be all that there is of a long run.
TEST_F(RunDirectoryTest, LeavesAWholeCheckpointOfAnotherRunAlone) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("deterministic", 1, StateAt(9)).ok());
  fs::copy_file(path_ + "/deterministic/seed-1/checkpoint", File("checkpoint"),
                fs::copy_options::overwrite_existing);
  const Names before = Tree(path_);
  const auto found = directory.Find("uniform", 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message,
            File("checkpoint") + ": it is of another scenario, strategy or seed");
  EXPECT_EQ(Tree(path_), before);
  EXPECT_EQ(ReadRuns(path_)->unreadable[0].fault, found.error().message);
}

TEST_F(RunDirectoryTest, LeavesAWholeCheckpointOfAnotherFormatAlone) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  std::string bytes = Text(File("checkpoint"));
  bytes = bytes.substr(0, bytes.size() - 64);
  bytes[sizeof("airlot checkpoint\n") - 1] = 99;  // the first byte of the version
  data::Sha256 hash;
  hash.Update({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  bytes += hash.Hex();
  Put(File("checkpoint"), bytes);
  const auto found = directory.Find("uniform", 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message.find(File("checkpoint") + ": it has format 99"), 0u)
      << found.error().message;
  EXPECT_EQ(Text(File("checkpoint")), bytes);
}

TEST_F(RunDirectoryTest, SaysWhyACheckpointCannotBeReadOrWritten) {
  const RunDirectory directory = Open();
  fs::create_directories(File("checkpoint"));
  const auto found = directory.Find("uniform", 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, File("checkpoint") + ": is not a regular file");
  Put(path_ + "/probabilistic", "x");
  EXPECT_EQ(directory.SaveCheckpoint("probabilistic", 1, StateAt(1)).error().message,
            path_ + "/probabilistic: is in the way and is not a folder: remove it first");
}

TEST_F(RunDirectoryTest, DoesNotWaitForAPipe) {
  const RunDirectory directory = Open();
  fs::create_directories(path_ + "/uniform/seed-1");
  ASSERT_EQ(::mkfifo(File("checkpoint").c_str(), 0600), 0);
  EXPECT_EQ(directory.Find("uniform", 1).error().message,
            File("checkpoint") + ": is not a regular file");
}

TEST_F(RunDirectoryTest, GoesOnWithNothingBehindALink) {
  const RunDirectory directory = Open();
  fs::create_directories(folder_ + "/elsewhere/seed-1");
  fs::create_directory_symlink(folder_ + "/elsewhere", path_ + "/uniform");
  const std::string why = ": is in the way and is not a folder: remove it first";
  EXPECT_EQ(directory.Find("uniform", 1).error().message, path_ + "/uniform" + why);
  EXPECT_EQ(directory.SaveCheckpoint("uniform", 1, StateAt(1)).error().message,
            path_ + "/uniform" + why);
  fs::remove(path_ + "/uniform");
  fs::create_directory(path_ + "/uniform");
  fs::create_directory_symlink(folder_ + "/elsewhere/seed-1", path_ + "/uniform/seed-1");
  EXPECT_EQ(directory.Find("uniform", 1).error().message, path_ + "/uniform/seed-1" + why);
  EXPECT_EQ(directory.SaveCheckpoint("uniform", 1, StateAt(1)).error().message,
            path_ + "/uniform/seed-1" + why);
  EXPECT_TRUE(fs::is_empty(folder_ + "/elsewhere/seed-1"));
}

// A limit on the size of files stands for a full disk.
TEST_F(RunDirectoryTest, KeepsTheLastCheckpointWhereTheDiskIsFull) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto saved = directory.SaveCheckpoint("uniform", 1, StateAt(2));
    ::_exit(!saved.ok() &&
                    saved.error().message == File("checkpoint") + ": cannot write: File too large"
                ? 0
                : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(RoundOf(directory), 1);
  EXPECT_EQ(Tree(path_), (Names{"manifest.json", "uniform/seed-1/checkpoint.previous"}));
}

// --- Replacing -----------------------------------------------------------------------------------

TEST_F(RunDirectoryTest, ReplacesRunsAndNothingElse) {
  PreparedComparison prepared = ComparisonOf();
  prepared.comparison.strategies = {"uniform", "of-a-later-version", "..", "../beside", ""};
  Open(ExistingRuns::kRefuse, prepared);
  for (const std::string strategy : {"uniform", "probabilistic", "of-a-later-version", "mine"}) {
    for (const std::string file : {"rounds.csv", "devices.csv", "checkpoint", "checkpoint.previous",
                                   ".checkpoint.tmp-7-0", ".rounds.csv.tmp-7-1"}) {
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
  for (const std::string file : {"rounds.csv", "devices.csv", "checkpoint", "checkpoint.previous",
                                 ".checkpoint.tmp-7-0", ".rounds.csv.tmp-7-1"}) {
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

// --- Whole runs ----------------------------------------------------------------------------------

// An IDX file of unsigned bytes.
std::string Idx(std::initializer_list<int> dimensions, std::size_t size, int step) {
  std::string bytes{0, 0, 8, char(dimensions.size())};
  for (const int dimension : dimensions) bytes += {0, 0, char(dimension >> 8), char(dimension)};
  for (std::size_t i = 0; i < size; ++i) bytes += char(i * i * std::size_t(step) / 7 % 251);
  return bytes;
}

// Few images of noise with four labels, over six devices.
class WholeRunTest : public RunDirectoryTest {
 protected:
  void SetUp() override {
    RunDirectoryTest::SetUp();
    const std::string data = folder_ + "/data";
    for (const auto& [name, count] : std::map<std::string, int>{{"train", 60}, {"t10k", 20}}) {
      Put(data + "/" + name + "-images-idx3-ubyte",
          Idx({count, 28, 28}, std::size_t(count) * 784, count));
      std::string labels = Idx({count}, 0, 0);
      for (int i = 0; i < count; ++i) labels += char(i % 4);
      Put(data + "/" + name + "-labels-idx1-ubyte", labels);
    }
    comparison_.comparison = {.strategies = {"uniform"}, .seeds = {1}};
    const std::vector<std::string> overrides = {
        "data.dataset=" + data, "data.partition=iid", "fleet.devices=6",       "rounds=7",
        "evaluate_every=3",     "model.name=mlp",     "learning.momentum=0.9", "learning.batch=4"};
    const auto scenario = ParseScenario("", "x.toml", overrides);
    ASSERT_TRUE(scenario.ok()) << scenario.error().message;
    comparison_.comparison.scenario = *scenario;
    const auto dataset = ReadDataset(data);
    ASSERT_TRUE(dataset.ok()) << dataset.error().message;
    auto setting = Prepare(*scenario, 1, std::make_shared<const Dataset>(*dataset));
    ASSERT_TRUE(setting.ok()) << setting.error().message;
    setting_ = std::move(*setting);
  }

  // Saves every round, and stops after one of them.
  class Saver : public Observer {
   public:
    Saver(const RunDirectory& directory, std::uint64_t last) : directory_(directory), last_(last) {}
    bool AfterRound(const Setting& setting, const RunState& state) override {
      EXPECT_TRUE(directory_.Begin("uniform", setting).ok());
      EXPECT_TRUE(directory_.SaveCheckpoint("uniform", setting.seed, state).ok());
      return state.round < last_;
    }

   private:
    const RunDirectory& directory_;
    std::uint64_t last_;
  };

  // Goes on in the directory up to a round; completes the run where that is the last.
  void Run(std::uint64_t last) {
    const RunDirectory directory = Open(ExistingRuns::kResume, comparison_);
    auto found = directory.Find("uniform", 1);
    ASSERT_TRUE(found.ok()) << found.error().message;
    RunState state = found->checkpoint ? std::move(*found->checkpoint) : StartOf(setting_);
    const auto strategy = MakeStrategy("uniform", setting_.scenario.strategy);
    const auto fits = Restore(setting_, *strategy, state);
    ASSERT_TRUE(fits.ok()) << fits.error().message;
    const auto backend = MakeSimulatedBackend(setting_);
    Saver saver(directory, last);
    Observer* const observers[] = {&saver};
    Simulate(setting_, *strategy, *backend, observers, state);
    ASSERT_EQ(state.round, last);
    if (last == setting_.scenario.rounds) {
      ASSERT_TRUE(directory.Complete("uniform", setting_, state).ok());
    }
  }

  PreparedComparison comparison_;
  Setting setting_;
};

TEST_F(WholeRunTest, GivesTheSameBytesAfterAnInterrupt) {
  Run(7);
  const std::string rounds = Text(File("rounds.csv")), devices = Text(File("devices.csv"));
  EXPECT_EQ(Tree(path_),
            (Names{"manifest.json", "uniform/seed-1/devices.csv", "uniform/seed-1/rounds.csv"}));
  path_ = folder_ + "/again";
  Run(2);
  fs::remove(File("checkpoint"));  // as if killed while round 2 was being saved
  Run(4);
  Put(File(".rounds.csv.tmp-7-0"), "left by a kill");
  for (const std::string name : {"manifest.json", "summary.json", "report.html"}) {
    Put(path_ + "/." + name + ".tmp-7-0", "left by a kill");
  }
  Run(7);
  EXPECT_EQ(Text(File("rounds.csv")), rounds);
  EXPECT_EQ(Text(File("devices.csv")), devices);
  EXPECT_EQ(Tree(path_),
            (Names{"manifest.json", "uniform/seed-1/devices.csv", "uniform/seed-1/rounds.csv"}));
}

TEST_F(WholeRunTest, ShowsItsFleetAsSoonAsItIsKept) {
  Run(4);
  const auto kept = ReadRuns(path_);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  const KeptRun& run = kept->runs.at(0);
  EXPECT_EQ(run.stage, RunStage::kBegun);
  EXPECT_EQ(run.records.size(), 5u);
  ASSERT_TRUE(run.devices);
  const DeviceTable start = *ReadDeviceTable(File("devices.csv"));
  EXPECT_EQ(start.participations, std::vector<std::uint32_t>(6));
  EXPECT_EQ(run.devices->probability, start.probability);
  std::uint64_t of_rounds = 0, of_devices = 0;
  for (const RoundRecord& record : run.records) of_rounds += record.participants;
  for (const std::uint32_t count : run.devices->participations) of_devices += count;
  EXPECT_EQ(of_devices, of_rounds);

  // A run of an earlier version has the checkpoint alone.
  fs::remove(File("devices.csv"));
  EXPECT_FALSE(ReadRuns(path_)->runs.at(0).devices);
  // Devices of another fleet do not fit the checkpoint.
  DeviceTable other = start;
  other.id.pop_back();
  ASSERT_TRUE(WriteDeviceTable(File("devices.csv"), other).ok());
  EXPECT_EQ(ReadRuns(path_)->unreadable.at(0).fault,
            File("devices.csv") + ": has 5 devices, and the checkpoint beside it has 6");
}

TEST_F(WholeRunTest, GivesItsDevicesAway) {
  Run(4);
  std::optional<DeviceTable> taken;
  const auto kept = ReadRuns(path_, [&](KeptRun& run) {
    EXPECT_EQ(run.strategy, "uniform");
    EXPECT_EQ(run.seed, 1u);
    EXPECT_FALSE(run.records.empty());
    taken = std::exchange(run.devices, std::nullopt);
  });
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  ASSERT_TRUE(taken);
  EXPECT_FALSE(kept->runs.at(0).devices);
  EXPECT_EQ(kept->runs.at(0).device_count, taken->devices());
  EXPECT_EQ(kept->runs.at(0).fairness, JainIndex(taken->participations));
  EXPECT_TRUE(kept->runs.at(0).fairness);
}

TEST_F(WholeRunTest, IsFoundComplete) {
  Run(7);
  const RunDirectory directory = Open(ExistingRuns::kResume, comparison_);
  const auto found = directory.Find("uniform", 1);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->kept.stage, RunStage::kComplete);
  EXPECT_EQ(found->kept.records.size(), 8u);
  EXPECT_EQ(found->kept.devices->devices(), 6u);
  EXPECT_FALSE(found->checkpoint);

  // With a checkpoint, it was killed while it was being completed, and is done again.
  RunState state = StartOf(setting_);
  state.round = 6;
  for (std::uint64_t round = 0; round <= 6; ++round) state.records.push_back({.round = round});
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, state).ok());
  EXPECT_EQ(RoundOf(directory), 6);
  fs::remove(File("checkpoint"));
  const std::string rounds = Text(File("rounds.csv"));
  fs::remove(File("rounds.csv"));
  EXPECT_EQ(RoundOf(directory), -1);
}

TEST_F(WholeRunTest, IsCompleteOnlyWithAllRounds) {
  Run(7);
  const RunDirectory directory = Open(ExistingRuns::kResume, comparison_);
  const std::string rounds = Text(File("rounds.csv"));
  const auto error_with = [&](const std::string& text) {
    Put(File("rounds.csv"), text);
    const auto found = directory.Find("uniform", 1);
    return found ? "" : found.error().message;
  };
  EXPECT_EQ(error_with(rounds + "9,1,1,1,1,,,,\n"),
            File("rounds.csv") + ":10: round = 9: must be 8");
  const std::string why = " rows, but 7 rounds and the start make 8";
  EXPECT_EQ(error_with(rounds.substr(0, rounds.find('\n') + 1)),
            File("rounds.csv") + ": has 0" + why);
  EXPECT_EQ(error_with(rounds.substr(0, rounds.find("\n7,") + 1)),
            File("rounds.csv") + ": has 7" + why);
}

TEST_F(WholeRunTest, FitsOnlyTheSettingThatItBeganIn) {
  Run(4);
  const RunDirectory directory = Open(ExistingRuns::kResume, comparison_);
  const auto strategy = MakeStrategy("uniform", setting_.scenario.strategy);
  const auto found = [&] { return std::move(*directory.Find("uniform", 1)->checkpoint); };
  RunState state = found(), start = StartOf(setting_);
  EXPECT_TRUE(Restore(setting_, *strategy, state).ok());
  EXPECT_TRUE(Restore(setting_, *strategy, state).ok());  // again
  EXPECT_TRUE(Restore(setting_, *strategy, start).ok());
  const auto expect_misfit = [&](const std::function<void(RunState&)>& change,
                                 const std::string& message) {
    RunState other = found();
    ASSERT_TRUE(Restore(setting_, *strategy, other).ok());
    change(other);
    const Status status = Restore(setting_, *strategy, other);
    ASSERT_FALSE(status.ok()) << message;
    EXPECT_NE(status.error().message.find(message), std::string::npos) << status.error().message;
  };
  expect_misfit([](RunState& s) { s.parameters.pop_back(); }, "parameters: ");
  expect_misfit([](RunState& s) { s.participations.push_back(0); }, "participations: ");
  expect_misfit([](RunState& s) { s.energy_spent_j.pop_back(); }, "energy_spent_j: ");
  expect_misfit([](RunState& s) { s.records.pop_back(); }, "records: ");
  expect_misfit([](RunState& s) { s.parts.Get<learning::ServerMoments>().velocity.pop_back(); },
                "state part server_moments: velocity: ");
  expect_misfit([](RunState& s) { s.parts.Get<learning::ServerMoments>().second.push_back(0); },
                "state part server_moments: second: 1 values, ");
  expect_misfit([](RunState& s) { s.parts.Get<learning::ControlVariates>(); },
                "state part control_variates is of no feature of this run");
  expect_misfit([](RunState& s) { s.parts = {}; }, " is missing");
  // Another scenario has another fingerprint; here a file that it names has other contents.
  auto pixels = std::make_shared<Dataset>(*setting_.dataset);
  pixels->test.pixels.back() ^= 1;
  pixels->digest.clear();
  EXPECT_FALSE(Restore(*Prepare(setting_.scenario, 1, pixels), *strategy, state).ok());
  Scenario with_file = setting_.scenario;
  with_file.fleet.file = folder_ + "/fleet.csv";
  std::string rows = "distance_m\n";
  for (std::size_t i = 0; i < setting_.fleet.devices; ++i) rows += "10\n";
  std::ofstream(with_file.fleet.file) << rows;
  EXPECT_FALSE(Restore(*Prepare(with_file, 1, setting_.dataset), *strategy, state).ok());
  const auto same = Prepare(setting_.scenario, 1, setting_.dataset);
  EXPECT_TRUE(Restore(*same, *strategy, state).ok());
}

}  // namespace
}  // namespace airlot
