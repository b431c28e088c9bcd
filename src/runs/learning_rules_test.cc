// These tests take training rules, compression and questions to devices through whole runs and by
// other routes.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include "airlot/run_directory.h"
#include "airlot/scenario_fleet.h"
#include "airlot/simulation.h"
#include "airlot/training.h"
#include "runs/checkpoint.h"
#include "simulation/charged_probe.h"
#include "simulation/settings_for_tests.h"
#include "simulation/update_steps.h"

namespace airlot {
namespace {

std::shared_ptr<const Dataset> Digits() {
  static const auto digits = simulation::DigitsOf(600, 100);
  return digits;
}

Scenario SmallScenario() {
  Scenario scenario = simulation::DigitsScenario(8, 6, 3);
  scenario.learning.batch = 8;
  scenario.strategy.At("uniform", "devices") = 3;
  return scenario;
}

Setting MakeSetting(const Scenario& scenario) { return simulation::SettingOf(scenario, Digits()); }

RunState Run(const Setting& setting, int threads = 1) {
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy("uniform", setting.scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting, threads);
  EXPECT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kOver);
  return state;
}

std::string BytesOf(const RunState& state) {
  return runs::EncodeCheckpoint(state, std::string(64, 'f'));
}

// A run is sound where it has the same bytes with any number of threads, and after a checkpoint,
// and where its model moves to finite numbers.
void ExpectSoundRun(const Scenario& scenario, std::string_view what) {
  const Setting setting = MakeSetting(scenario);
  const RunState whole = Run(setting);
  const std::string bytes = BytesOf(whole);
  for (const int threads : {2, 3, 8}) {
    EXPECT_TRUE(BytesOf(Run(setting, threads)) == bytes) << what << " " << threads;
  }
  RunState state = StartOf(setting);
  simulation::StopAt stop(3);
  Observer* const observers[] = {&stop};
  const auto strategy = MakeStrategy("uniform", scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting);
  ASSERT_EQ(Simulate(setting, *strategy, *backend, observers, state), RunEnd::kStopped);
  auto copy = runs::DecodeCheckpoint(BytesOf(state), std::string(64, 'f'));
  ASSERT_TRUE(copy.ok());
  ASSERT_TRUE(Restore(setting, *strategy, *copy).ok()) << what;
  ASSERT_EQ(Simulate(setting, *strategy, *backend, {}, *copy), RunEnd::kOver);
  EXPECT_EQ(BytesOf(*copy), bytes) << what;
  double moved = 0;
  const RunState start = StartOf(setting);
  for (std::size_t i = 0; i < whole.parameters.size(); ++i) {
    moved += std::abs(double(whole.parameters[i]) - double(start.parameters[i]));
  }
  EXPECT_TRUE(std::isfinite(moved) && moved > 0) << what << " " << moved;
}

TEST(LearningRules, EveryTrainingRuleRunsAndGoesOn) {
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    Scenario scenario = SmallScenario();
    scenario.learning.rule = entry.name;
    scenario.learning.local_steps = 2;
    ExpectSoundRun(scenario, entry.name);
    scenario.learning.local_steps = 1;
    ExpectSoundRun(scenario, entry.name);
  }
}

TEST(LearningRules, EveryCompressionRunsAndGoesOn) {
  for (const CompressionEntry& entry : Compressions()) {
    Scenario scenario = SmallScenario();
    scenario.learning.compression.method = entry.method;
    ExpectSoundRun(scenario, entry.name);
  }
  Scenario scenario = SmallScenario();  // It has both kinds of memory.
  scenario.learning.compression.method = Compression::kTopK;
  scenario.learning.rule = "scaffold";
  ExpectSoundRun(scenario, "scaffold and top-k");
}

// The smaller the upload is, the larger is every probability that is not 1 or bound by computation.
TEST(LearningRules, ProbabilitiesRiseAsTheUploadShrinks) {
  Scenario scenario = SmallScenario();
  scenario.round.time_limit_s = 0.05;
  const Setting whole = MakeSetting(scenario);
  double last_bits = whole.fleet.update_bits[0];
  EXPECT_EQ(last_bits, 199210 * 32.0);
  double last_sum =
      std::accumulate(whole.plan.probability.begin(), whole.plan.probability.end(), 0.0);
  for (const Compression method : {Compression::kFloat16, Compression::kQsgd, Compression::kSign}) {
    scenario.learning.compression.method = method;
    const Setting setting = MakeSetting(scenario);
    EXPECT_EQ(setting.fleet.update_bits[0], EncodedBits(scenario.learning.compression, 199210));
    EXPECT_LT(setting.fleet.update_bits[0], last_bits);
    EXPECT_EQ(setting.model_bits, 199210 * 32.0);
    const double sum =
        std::accumulate(setting.plan.probability.begin(), setting.plan.probability.end(), 0.0);
    EXPECT_GT(sum, last_sum);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_GE(setting.plan.probability[i], whole.plan.probability[i]);
    }
    last_bits = setting.fleet.update_bits[0];
    last_sum = sum;
  }
}

TEST(LearningRules, ScaffoldSendsTwice) {
  Scenario scenario = SmallScenario();
  scenario.learning.rule = "scaffold";
  EXPECT_EQ(RoundBitsOf(scenario, {})->update, 2 * 199210 * 32.0);
  EXPECT_EQ(RoundBitsOf(scenario, {})->model, 2 * 199210 * 32.0);
  scenario.learning.compression.method = Compression::kFloat16;
  EXPECT_EQ(RoundBitsOf(scenario, {})->update, 199210 * (16 + 32.0));
}

TEST(LearningRules, CompressionDecidesTheBits) {
  Scenario scenario = SmallScenario();
  scenario.learning.compression.method = Compression::kSign;
  scenario.model.bits_per_parameter = 16;
  const auto bits = RoundBitsOf(scenario, {});
  ASSERT_FALSE(bits.ok());
  EXPECT_EQ(bits.error().message,
            "model.bits_per_parameter = 16: cannot stand beside learning.compression, whose "
            "encoder decides how many bits are sent: leave it at 32");
}

// In a run another model is trained than the one whose size is given.
TEST(LearningRules, CompressionDecidesTheSizeOfTheModel) {
  Scenario scenario = SmallScenario();
  scenario.model.parameters = 1000;
  EXPECT_TRUE(Prepare(scenario, 1, Digits()));
  scenario.learning.compression.method = Compression::kSign;
  const auto setting = Prepare(scenario, 1, Digits());
  ASSERT_FALSE(setting.ok());
  EXPECT_EQ(setting.error().message,
            "model.parameters = 1000: cannot stand beside learning.compression in a run, whose "
            "encoder makes the bits of the model that is trained: leave it out");
}

TEST(LearningRules, CompressionDecidesTheColumnOfAFleetFile) {
  const std::string path = testing::TempDir() + "/update_bits.csv";
  std::ofstream(path) << "distance_m,update_bits\n10,199248\n20,5\n";
  Scenario scenario = SmallScenario();
  scenario.fleet.file = path;
  EXPECT_TRUE(MakeFleet(scenario, 1));
  scenario.learning.compression.method = Compression::kSign;
  const auto fleet = MakeFleet(scenario, 1);
  ASSERT_FALSE(fleet.ok());
  EXPECT_EQ(fleet.error().message,
            path +
                ": update_bits = 5: cannot stand beside learning.compression, whose encoder "
                "decides how many bits are sent (199248): leave the column out");
  std::ofstream(path) << "distance_m,update_bits\n10,199248\n20,199248\n";
  EXPECT_TRUE(MakeFleet(scenario, 1));
  std::filesystem::remove(path);
}

TEST(LearningRules, DecideHowMuchADeviceComputes) {
  const LocalWork work = WorkOf({.batch = 32, .local_steps = 5, .local_epochs = 3});
  EXPECT_EQ(work.batch, 32u);
  EXPECT_EQ(work.steps, 5u);
  EXPECT_EQ(work.epochs, 3u);
}

TEST(LearningRules, EpochsCostEnergy) {
  Scenario scenario = SmallScenario();
  const Setting once = MakeSetting(scenario);
  scenario.learning.local_epochs = 3;
  const Setting thrice = MakeSetting(scenario);
  for (std::size_t i = 0; i < 8; ++i) {
    const double once_j = once.fleet.compute_energy_j[i];
    EXPECT_NEAR(thrice.fleet.compute_energy_j[i], 3 * once_j, 16 * 0x1p-53 * 3 * once_j);
  }
}

class ProbeTest : public testing::Test {
 protected:
  ProbeTest()
      : setting_(MakeSetting(SmallScenario())),
        state_(StartOf(setting_)),
        conditions_(setting_, state_),
        ledger_(setting_, conditions_, state_),
        backend_(MakeSimulatedBackend(setting_)),
        probe_(setting_, *backend_, ledger_),
        trainer_(*FindModel("mlp"), setting_.dataset->train) {
    ledger_.StartRound();
    rule_ = MakeTrainingRule(setting_.scenario.learning, state_.parts);
    steps_.emplace(setting_, *rule_, state_.parts);
    round_ = {.round = 1, .parameters = state_.parameters, .steps = steps_->all()};
    probe_.StartRound(round_);
  }

  Setting setting_;
  RunState state_;
  simulation::RoundConditions conditions_;
  simulation::Ledger ledger_;
  std::unique_ptr<Backend> backend_;
  simulation::ChargedProbe probe_;
  std::unique_ptr<TrainingRule> rule_;
  std::optional<simulation::UpdateSteps> steps_;
  TrainingRound round_;
  Trainer trainer_;
  const std::vector<std::uint32_t> devices_{1, 4, 6};
};

TEST_F(ProbeTest, LossesAreThoseOfTheSamples) {
  std::vector<double> losses(3);
  probe_.Ask(AskLoss{}, devices_, losses);
  std::vector<float> gradient(state_.parameters.size());
  for (std::size_t i = 0; i < 3; ++i) {
    const WeightedSamples all{setting_.partition.SamplesOf(devices_[i])};
    // The weight of a sample in the gradient is a float; the losses are the same, and added in
    // double.
    EXPECT_NEAR(losses[i], trainer_.Gradient(state_.parameters, {&all, 1}, gradient),
                1.001 * 0x1p-24 * losses[i]);
  }
  EXPECT_GT(state_.time_s, 0);
  EXPECT_GT(state_.energy_spent_j[4], 0);
  EXPECT_EQ(state_.energy_spent_j[0], 0);
}

TEST_F(ProbeTest, NormsAreThoseOfTheUpdatesThatWouldBeSent) {
  std::vector<double> norms(3);
  probe_.Ask(AskUpdateNorm{}, devices_, norms);
  std::vector<float> gradient(state_.parameters.size());
  std::vector<double> cut(3);
  const std::vector<double> bits(3, 32 * 1000);
  probe_.Ask(AskUpdateNorm{bits}, devices_, cut);
  for (std::size_t i = 0; i < 3; ++i) {
    const Assignment alone{devices_[i], 1};
    backend_->Train({&alone, 1}, round_, gradient, {});
    double squares = 0;
    for (const float value : gradient) squares += double(value) * double(value);
    // Squares of floats are exact in double, and n of them are added up on both sides.
    const double rounding = 0x1p-53 * double(gradient.size() + 2);
    EXPECT_NEAR(norms[i], std::sqrt(squares), rounding * norms[i]);
    const Assignment shortened{devices_[i], 1, bits[i]};
    backend_->Train({&shortened, 1}, round_, gradient, {});
    squares = 0;
    std::size_t kept = 0;
    for (const float value : gradient) {
      squares += double(value) * double(value);
      if (value != 0) ++kept;
    }
    EXPECT_LE(kept, LargestKept(gradient.size(), bits[i]));
    EXPECT_NEAR(cut[i], std::sqrt(squares), rounding * cut[i]);
    EXPECT_LT(cut[i], norms[i]);
    EXPECT_GT(cut[i], 0);
  }
}

// Every question of the probe costs what the ledger's tests have worked out by hand.
TEST_F(ProbeTest, ChargesWhatTheLedgerCharges) {
  std::vector<double> answers(3);
  const std::vector<double> bits(3, 32 * 1000);
  const Question questions[] = {AskLoss{},           AskLoss{4},    AskUpdateNorm{},
                                AskUpdateNorm{bits}, AskAccuracy{}, AskComputeTime{},
                                AskTrial{}};
  std::set<double> different;
  for (std::size_t i = 0; i < std::size(questions); ++i) {
    const auto cost_of = [&](const std::function<void()>& work) {
      ledger_.StartRound();
      state_.time_s = state_.energy_j = 0;
      std::ranges::fill(state_.energy_spent_j, 0);
      work();
      std::vector<double> cost = state_.energy_spent_j;
      cost.push_back(state_.energy_j);
      cost.push_back(state_.time_s);
      return cost;
    };
    const auto cost = cost_of([&] { probe_.Ask(questions[i], devices_, answers); });
    EXPECT_EQ(cost, cost_of([&] { ledger_.ChargeAnswers(questions[i], devices_); })) << i;
    EXPECT_TRUE(probe_.TakeSeconds().has_value()) << i;
    EXPECT_GT(cost.back(), 0) << i;
    different.insert(state_.energy_j);
  }
  // Norms, losses of all samples and accuracies cost the same.
  EXPECT_EQ(different.size(), 5U);
}

TEST_F(ProbeTest, TimesAreThoseOfTheCellAndTheBooks) {
  std::vector<double> compute_s(3), trial_s(3);
  probe_.Ask(AskComputeTime{}, devices_, compute_s);
  probe_.Ask(AskTrial{}, devices_, trial_s);
  const Cell cell = CellOf(setting_);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint32_t device = devices_[i];
    const ParticipationCost cost = CostOf(
        cell, device,
        {.power_w = setting_.plan.power_w[device], .bandwidth_hz = cell.bandwidth_hz[device]});
    EXPECT_EQ(compute_s[i], cell.problem.compute_time_s[device]);
    EXPECT_EQ(trial_s[i], cost.compute_s + cost.upload_s);
  }
}

TEST_F(ProbeTest, AccuraciesAreInTheMixOfLabels) {
  std::vector<double> accuracies(3);
  probe_.Ask(AskAccuracy{}, devices_, accuracies);
  const Evaluation evaluation = backend_->Evaluate(state_.parameters);
  const Images& images = setting_.dataset->train;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto samples = setting_.partition.SamplesOf(devices_[i]);
    const auto counts = CountLabels(samples, {images.labels, images.classes});
    double expected = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      expected += double(counts[k]) / double(samples.size()) * evaluation.class_accuracy[k];
    }
    EXPECT_NEAR(accuracies[i], expected, 64 * 0x1p-53);  // 10 products of 3 roundings, added up
  }
}

}  // namespace
}  // namespace airlot
