#include "airlot/run_directory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
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

#include "learning/scaffold.h"
#include "learning/server_moments.h"
#include "runs/checkpoint.h"
#include "runs/manifest.h"

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

// All files, and the folders that are empty.
std::set<std::string> Tree(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool holds_more = entry.is_directory() && !fs::is_empty(entry.path());
    if (!holds_more) names.insert(fs::relative(entry.path(), folder));
  }
  return names;
}
using Names = std::set<std::string>;

Comparison ComparisonOf(std::size_t rounds = 3) {
  Comparison comparison{.strategies = {"uniform"}, .seeds = {1, 2}};
  comparison.scenario.rounds = rounds;
  return comparison;
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
                    const Comparison& comparison = ComparisonOf()) {
    auto directory = RunDirectory::Open(path_, comparison, existing);
    EXPECT_TRUE(directory.ok()) << directory.error().message;
    return *directory;
  }
  std::string ErrorOf(ExistingRuns existing, const Comparison& comparison = ComparisonOf()) const {
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
    return found->state ? int(found->state->round) : -1;
  }

  std::string folder_, path_;
};

// --- Opening -------------------------------------------------------------------------------------

TEST_F(RunDirectoryTest, WritesAManifest) {
  const RunDirectory directory = Open();
  EXPECT_EQ(Tree(path_), Names{"manifest.json"});
  const std::string text = Text(path_ + "/manifest.json");
  EXPECT_EQ(text.find("{\n  \"airlot\": \"0."), 0u) << text;
  EXPECT_NE(text.find("\n  \"state\": \"running\",\n"), std::string::npos);
  EXPECT_NE(text.find("\n  \"simd_target\": \""), std::string::npos);
  const auto manifest = runs::ParseManifest(text);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(*manifest, runs::ManifestOf(ComparisonOf(), RunStatus::kRunning));
  EXPECT_EQ(manifest->name, "paper-highly-biased");
  EXPECT_EQ(manifest->scenario, FormatScenario(ComparisonOf().scenario));
  const std::pair<RunStatus, std::string> states[] = {{RunStatus::kComplete, "complete"},
                                                      {RunStatus::kInterrupted, "interrupted"},
                                                      {RunStatus::kFailed, "failed"}};
  for (const auto& [status, name] : states) {
    ASSERT_TRUE(directory.SetStatus(status).ok());
    EXPECT_NE(Text(path_ + "/manifest.json").find("\"state\": \"" + name + "\""),
              std::string::npos);
  }
}

TEST_F(RunDirectoryTest, CanBeLookedAt) {
  EXPECT_EQ(RunDirectory::Look(path_).error().message, path_ + ": holds no runs");
  ASSERT_TRUE(Open().SetStatus(RunStatus::kInterrupted).ok());
  const std::string before = Text(path_ + "/manifest.json");
  const auto found = RunDirectory::Look(path_);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->status(), RunStatus::kInterrupted);
  EXPECT_EQ(FormatScenario(found->comparison().scenario), FormatScenario(ComparisonOf().scenario));
  EXPECT_EQ(found->comparison().strategies, ComparisonOf().strategies);
  EXPECT_EQ(found->comparison().seeds, ComparisonOf().seeds);
  EXPECT_EQ(found->version().substr(0, 2), "0.");
  EXPECT_EQ(Text(path_ + "/manifest.json"), before);
}

TEST_F(RunDirectoryTest, TakesAnEmptyFolder) {
  Put(path_ + "/.manifest.json.tmp-7-0", "{");  // left by one that was killed
  EXPECT_EQ(ErrorOf(ExistingRuns::kRefuse), "");
}

TEST_F(RunDirectoryTest, RefusesWhatIsThere) {
  Open();
  EXPECT_EQ(ErrorOf(ExistingRuns::kRefuse),
            path_ +
                ": holds runs already: add --resume to go on with them, or --force to replace "
                "them");
}

TEST_F(RunDirectoryTest, NeverTakesAnotherFolder) {
  Put(path_ + "/thesis.tex", "x");
  for (const auto existing :
       {ExistingRuns::kRefuse, ExistingRuns::kResume, ExistingRuns::kReplace}) {
    EXPECT_EQ(ErrorOf(existing), path_ + ": exists and is not a run directory: choose another");
  }
  for (
      const std::string other :
      {"", "{", "[]", "{}", R"({"name": "web", "icons": []})", "\xff",
       R"({"airlot":"1","state":"done","name":"","scenario":"","strategies":[],"seeds":[]})",
       R"({"airlot":"1","state":"failed","name":"","scenario":"","strategies":[1],"seeds":[]})",
       R"({"airlot":"1","state":"failed","name":"","scenario":"","strategies":[],"seeds":[-1]})"}) {
    Put(path_ + "/manifest.json", other);
    for (const auto existing :
         {ExistingRuns::kRefuse, ExistingRuns::kResume, ExistingRuns::kReplace}) {
      EXPECT_EQ(ErrorOf(existing),
                path_ +
                    "/manifest.json: is not the manifest of a run directory: choose another "
                    "directory");
    }
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
  Comparison more = ComparisonOf();
  more.strategies = {"deterministic", "uniform"};
  more.seeds = {1, 5};
  EXPECT_EQ(RoundOf(Open(ExistingRuns::kResume, more)), 2);
  const auto manifest = runs::ParseManifest(Text(path_ + "/manifest.json"));
  EXPECT_EQ(manifest->strategies, more.strategies);
  EXPECT_EQ(manifest->seeds, more.seeds);
}

TEST_F(RunDirectoryTest, NamesTheKeyOfAnotherScenario) {
  Open();
  const std::string before = Text(path_ + "/manifest.json");
  const auto error = [&](const std::string& difference) {
    return path_ + ": holds runs of another scenario: " + difference +
           ": choose another directory, or add --force to replace them";
  };
  Comparison comparison = ComparisonOf(4);
  comparison.scenario.fleet.devices = 7;
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, comparison), error("rounds is 3 there and 4 here"));
  comparison.scenario.rounds = 3;
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, comparison),
            error("fleet.devices is 100 there and 7 here"));
  comparison = ComparisonOf();
  comparison.scenario.model.parameters = 10;
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, comparison),
            error("model.parameters is not set there and 10 here"));
  EXPECT_EQ(Text(path_ + "/manifest.json"), before);
  Open(ExistingRuns::kReplace, comparison);
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume), error("model.parameters is 10 there and not set here"));
}

TEST_F(RunDirectoryTest, GoesOnWhereAPathIsNotUtf8) {
  Comparison comparison = ComparisonOf();
  comparison.scenario.data.dataset = "/data/\xff\xfe";
  Open(ExistingRuns::kRefuse, comparison);
  EXPECT_EQ(ErrorOf(ExistingRuns::kResume, comparison), "");
}

// --- Checkpoints ---------------------------------------------------------------------------------

TEST_F(RunDirectoryTest, KeepsTheLastTwoCheckpoints) {
  const RunDirectory directory = Open();
  EXPECT_EQ(RoundOf(directory), -1);
  for (const int round : {1, 2, 3}) {
    ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(round)).ok());
    const auto found = *directory.Find("uniform", 1);
    EXPECT_EQ(found.state->round, std::uint64_t(round));
    EXPECT_EQ(found.state->parameters, (std::vector<float>{1, 2}));
    EXPECT_FALSE(found.is_complete);
    EXPECT_EQ(found.note, "");
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
  EXPECT_EQ(directory.Find("uniform", 1)->note, "");
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
    ASSERT_EQ(directory.Find("uniform", 1)->note, "");
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
  EXPECT_EQ(
      directory.Find("uniform", 1)->note,
      File("checkpoint") + ": its checksum does not match: going on from checkpoint.previous");

  // The damaged one does not take the place of the previous.
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  EXPECT_EQ(RoundOf(directory), 2);
  fs::remove(File("checkpoint"));
  EXPECT_EQ(RoundOf(directory), 1);

  Put(File("checkpoint"), "");
  Put(File("checkpoint.previous"), "x");
  const auto found = *directory.Find("uniform", 1);
  EXPECT_FALSE(found.state);
  EXPECT_EQ(found.note, File("checkpoint") + ": it is empty; " + File("checkpoint.previous") +
                            ": it is not a checkpoint: starting from the beginning");
}

TEST_F(RunDirectoryTest, PassesOverACheckpointOfAnotherRun) {
  const RunDirectory directory = Open();
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(1)).ok());
  fs::create_directories(path_ + "/uniform/seed-2");
  fs::copy_file(File("checkpoint"), File("checkpoint", 2));
  const auto other = directory.Find("uniform", 2);
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(other->state);
  EXPECT_EQ(other->note, File("checkpoint", 2) +
                             ": it is of another scenario, strategy or seed: starting from the "
                             "beginning");
  // The one before is used.
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(2)).ok());
  ASSERT_TRUE(directory.SaveCheckpoint("deterministic", 1, StateAt(9)).ok());
  fs::copy_file(path_ + "/deterministic/seed-1/checkpoint", File("checkpoint"),
                fs::copy_options::overwrite_existing);
  const auto before = directory.Find("uniform", 1);
  ASSERT_TRUE(before.ok() && before->state);
  EXPECT_EQ(before->state->round, 1U);
}

TEST_F(RunDirectoryTest, SaysWhyACheckpointCannotBeReadOrWritten) {
  const RunDirectory directory = Open();
  fs::create_directories(File("checkpoint"));
  const auto found = directory.Find("uniform", 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, File("checkpoint") + ": cannot read: Is a directory");
  Put(path_ + "/probabilistic", "x");
  EXPECT_EQ(directory.SaveCheckpoint("probabilistic", 1, StateAt(1)).error().message,
            path_ + "/probabilistic/seed-1: cannot make this folder: Not a directory");
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
  Comparison comparison = ComparisonOf();
  comparison.strategies = {"uniform", "of-a-later-version", "..", "../beside", ""};
  Open(ExistingRuns::kRefuse, comparison);
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
    comparison_ = {.strategies = {"uniform"}, .seeds = {1}};
    const std::vector<std::string> overrides = {
        "data.dataset=" + data, "data.partition=iid", "fleet.devices=6",       "rounds=7",
        "evaluate_every=3",     "model.name=mlp",     "learning.momentum=0.9", "learning.batch=4"};
    const auto scenario = ParseScenario("", "x.toml", overrides);
    ASSERT_TRUE(scenario.ok()) << scenario.error().message;
    comparison_.scenario = *scenario;
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
    RunState state = found->state ? std::move(*found->state) : StartOf(setting_);
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

  Comparison comparison_;
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

TEST_F(WholeRunTest, IsFoundComplete) {
  Run(7);
  const RunDirectory directory = Open(ExistingRuns::kResume, comparison_);
  const auto found = directory.Find("uniform", 1);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found->is_complete);
  EXPECT_EQ(found->state->records.size(), 8u);
  EXPECT_EQ(found->state->round, 7u);
  EXPECT_EQ(found->state->participations.size(), 6u);
  EXPECT_TRUE(found->state->parameters.empty());

  // With a checkpoint, it was killed while it was being completed, and is done again.
  ASSERT_TRUE(directory.SaveCheckpoint("uniform", 1, StateAt(6)).ok());
  EXPECT_FALSE(directory.Find("uniform", 1)->is_complete);
  EXPECT_EQ(RoundOf(directory), 6);
  fs::remove(File("checkpoint"));
  const std::string rounds = Text(File("rounds.csv"));
  fs::remove(File("rounds.csv"));
  EXPECT_EQ(RoundOf(directory), -1);
  Put(File("rounds.csv"), rounds + "9,1,1,1,1,,,,\n");
  const auto damaged = directory.Find("uniform", 1);
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().message, File("rounds.csv") + ":10: round = \"9\": must be 8");
}

TEST_F(WholeRunTest, FitsOnlyTheSettingThatItBeganIn) {
  Run(4);
  const RunDirectory directory = Open(ExistingRuns::kResume, comparison_);
  const auto strategy = MakeStrategy("uniform", setting_.scenario.strategy);
  const auto found = [&] { return std::move(*directory.Find("uniform", 1)->state); };
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
  const auto expect_other_setting = [&](const std::function<void(Scenario&)>& change) {
    Scenario scenario = setting_.scenario;
    change(scenario);
    const auto other = Prepare(scenario, 1, setting_.dataset);
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_FALSE(Restore(*other, *strategy, state).ok());
  };
  expect_other_setting([](Scenario& s) { s.fleet.max_power_w = Spread::Constant(0.21); });
  expect_other_setting([](Scenario& s) { s.fleet.area_m *= 2; });
  const auto same = Prepare(setting_.scenario, 1, setting_.dataset);
  EXPECT_TRUE(Restore(*same, *strategy, state).ok());
}

}  // namespace
}  // namespace airlot
