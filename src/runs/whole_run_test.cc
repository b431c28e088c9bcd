// These tests make whole runs in a run directory, which have the same bytes after an interrupt.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "airlot/kept_runs.h"
#include "airlot/model_file.h"
#include "learning/scaffold.h"
#include "learning/server_moments.h"
#include "runs/checkpoint.h"
#include "runs/run_directory_for_tests.h"

namespace airlot {
namespace {

// Makes an IDX file of unsigned bytes.
std::string Idx(std::initializer_list<int> dimensions, std::size_t size, int step) {
  std::string bytes{0, 0, 8, char(dimensions.size())};
  for (const int dimension : dimensions) bytes += {0, 0, char(dimension >> 8), char(dimension)};
  for (std::size_t i = 0; i < size; ++i) bytes += char(i * i * std::size_t(step) / 7 % 251);
  return bytes;
}

// The runs have few images of noise with four labels, over six devices.
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

  // Saver saves every round, and stops after one of them.
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

  // Goes on in the directory up to a round, and completes the run where that is the last.
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
      last_evaluation_ = backend->Evaluate(state.parameters);
    }
  }

  PreparedComparison comparison_;
  Setting setting_;
  Evaluation last_evaluation_;
};

TEST_F(WholeRunTest, GivesTheSameBytesAfterAnInterrupt) {
  Run(7);
  const std::string rounds = Text(File("rounds.csv")), devices = Text(File("devices.csv"));
  const std::string classes = Text(File("classes.csv"));
  const std::string model = Text(File("model.npz"));
  const Names names{"manifest.json", "uniform/seed-1/classes.csv", "uniform/seed-1/devices.csv",
                    "uniform/seed-1/model.npz", "uniform/seed-1/rounds.csv"};
  EXPECT_EQ(Tree(path_), names);
  path_ = folder_ + "/again";
  Run(2);
  // The file is missing as if the program had been killed while round 2 was being saved.
  fs::remove(File("checkpoint"));
  Run(4);
  Put(File(".rounds.csv.tmp-7-0"), "left by a kill");
  for (const std::string name : {"manifest.json", "summary.json", "report.html"}) {
    Put(path_ + "/." + name + ".tmp-7-0", "left by a kill");
  }
  Run(7);
  EXPECT_EQ(Text(File("rounds.csv")), rounds);
  EXPECT_EQ(Text(File("devices.csv")), devices);
  EXPECT_EQ(Text(File("classes.csv")), classes);
  EXPECT_EQ(Text(File("model.npz")), model);
  EXPECT_EQ(Tree(path_), names);
}

TEST_F(WholeRunTest, KeepsTheModel) {
  Run(7);
  const auto parameters =
      ReadModel(File("model.npz"), *FindModel("mlp"), ShapeOf(setting_.dataset->train));
  ASSERT_TRUE(parameters.ok()) << parameters.error().message;
  EXPECT_EQ(MakeSimulatedBackend(setting_)->Evaluate(*parameters).loss, last_evaluation_.loss);
  // A run of an earlier version is complete without it.
  fs::remove(File("model.npz"));
  EXPECT_EQ(ReadRuns(path_)->runs.at(0).stage, RunStage::kComplete);
}

TEST_F(WholeRunTest, KeepsTheAccuracyOfEachClass) {
  Run(4);
  EXPECT_TRUE(ReadRuns(path_)->runs.at(0).class_accuracy.empty());
  Run(7);
  const std::vector<double> kept = ReadRuns(path_)->runs.at(0).class_accuracy;
  const std::vector<double>& wanted = last_evaluation_.class_accuracy;
  ASSERT_EQ(kept.size(), wanted.size());
  ASSERT_GT(kept.size(), 1u);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (std::isnan(wanted[k])) {
      EXPECT_TRUE(std::isnan(kept[k]));
    } else {
      EXPECT_EQ(kept[k], wanted[k]);
    }
  }
  // A run of an earlier version is complete without the file; a file that is wrong is a fault.
  Put(File("classes.csv"), "class,accuracy\n0,7\n");
  EXPECT_EQ(ReadRuns(path_)->unreadable.at(0).fault,
            File("classes.csv") + ":2: accuracy = \"7\": must be a number from 0 to 1, or empty");
  fs::remove(File("classes.csv"));
  EXPECT_EQ(ReadRuns(path_)->runs.at(0).stage, RunStage::kComplete);
  EXPECT_TRUE(ReadRuns(path_)->runs.at(0).class_accuracy.empty());
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

  // A run with a checkpoint was killed while it was being completed, and is done again.
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
  EXPECT_EQ(error_with(rounds + "9,1,1,1,1,,,,,\n"),
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
  EXPECT_TRUE(Restore(setting_, *strategy, state).ok());  // It works a second time.
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
  pixels->digest.reset();
  EXPECT_FALSE(Restore(*Prepare(setting_.scenario, 1, pixels), *strategy, state).ok());
  Scenario with_file = setting_.scenario;
  with_file.fleet.file = folder_ + "/fleet.csv";
  std::string rows = "distance_m\n";
  for (std::size_t i = 0; i < setting_.fleet.devices; ++i) rows += "10\n";
  std::ofstream(*with_file.fleet.file) << rows;
  EXPECT_FALSE(Restore(*Prepare(with_file, 1, setting_.dataset), *strategy, state).ok());
  const auto same = Prepare(setting_.scenario, 1, setting_.dataset);
  EXPECT_TRUE(Restore(*same, *strategy, state).ok());
}

}  // namespace
}  // namespace airlot
