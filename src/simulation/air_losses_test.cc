#include "simulation/air_losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulation/settings_for_tests.h"
#include "simulation/state_parts.h"

namespace airlot::simulation {
namespace {

std::shared_ptr<const Dataset> Digits() {
  static const auto digits = DigitsOf(300, 50);
  return digits;
}

Scenario ScenarioOf(std::size_t rounds) {
  Scenario scenario = DigitsScenario(10, rounds, rounds);
  scenario.learning.batch = 1;
  scenario.fleet.energy_budget_j = Spread::Constant(100);
  scenario.round.time_limit_s = 100;
  return scenario;
}

// A share of draws is within 4.5 standard errors of its probability with all but one seed in
// 150 000.
void ExpectShare(double hits, double draws, double probability) {
  const double error = std::sqrt(probability * (1 - probability) / draws);
  EXPECT_NEAR(hits / draws, probability, 4.5 * error);
}

// The closed form is of the known channel; a rate at the cap needs less of it. (K9), (K14)
TEST(AirLosses, AgreeWithTheirProbabilities) {
  constexpr std::uint64_t kRounds = 20000;
  for (const double cap : {1e9, 2.0}) {
    Scenario scenario = ScenarioOf(1);
    scenario.radio.coding = {.snr_gap_db = 2, .spectral_efficiency_cap = cap};
    scenario.radio.knowledge = {.error_sd_db = 3, .margin_db = 1};
    scenario.radio.packets = {.error_rate = 0.02, .packet_bits = 5e5, .retransmissions = 0};
    const Setting setting = SettingOf(scenario, Digits());
    const AirLosses losses(setting);
    ASSERT_TRUE(losses.may_lose());
    const Cell cell = CellOf(setting);
    // An SNR of 7 carries log2(1 + 7/Γ) = 2.5 bit/s/Hz, without the margin.
    const Terms terms{.power_w = 7 * cell.problem.noise_to_gain_w[0], .bandwidth_hz = 1e5};
    const double packets = std::ceil(cell.update_bits[0] / 5e5);
    const double needed =
        std::min(1.0, 3 * FromDecibel(3) / 7);  // 2² - 1 times gap and margin, over the SNR
    const double x = (10 * std::log10(cap > 2 ? 1 : needed) - 1) / 3;
    const double probability = (1 - 0.5 * std::erfc(-x / std::sqrt(2))) * std::pow(0.98, packets);
    EXPECT_NEAR(losses.ArrivalProbability(cell, 0, terms), probability, 1e-12);
    double arrived = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      arrived += losses.Send(cell, round, 0, terms).has_arrived ? 1 : 0;
    }
    ExpectShare(arrived, double(kRounds), probability);
  }
}

// With no loss possible, nothing is drawn and nothing more is kept.
TEST(AirLosses, AreNoneUnlessSaid) {
  const Setting setting = SettingOf(ScenarioOf(2), Digits());
  EXPECT_FALSE(AirLosses(setting).may_lose());
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy("all");
  const auto backend = MakeSimulatedBackend(setting);
  Simulate(setting, *strategy, *backend, {}, state);
  EXPECT_FALSE(state.records.back().arrived);
  EXPECT_EQ(state.parts.Find<LostUpdates>(), nullptr);
}

// All send in every round; what arrives, and what is sent again, follow (K12) and (K13). A tenth of
// the updates' energy is sent again in the mean.
TEST(AirLosses, CostTimeAndEnergy) {
  constexpr double kRounds = 300;
  Scenario scenario = ScenarioOf(std::size_t(kRounds));
  const Setting whole = SettingOf(scenario, Digits());
  scenario.radio.packets = {.error_rate = 0.1, .packet_bits = 1e6, .retransmissions = 1};
  const Setting lossy = SettingOf(scenario, Digits());
  const auto run = [&](const Setting& setting) {
    RunState state = StartOf(setting);
    const auto strategy = MakeStrategy("all");
    const auto backend = MakeSimulatedBackend(setting);
    Simulate(setting, *strategy, *backend, {}, state);
    return state;
  };
  const RunState sure = run(whole), state = run(lossy);
  EXPECT_EQ(sure.participations, state.participations);
  EXPECT_GT(state.time_s, sure.time_s);
  double arrived = 0, lost = 0;
  for (const RoundRecord& record : state.records) arrived += record.arrived.value_or(0);
  for (const std::uint32_t count : state.parts.Find<LostUpdates>()->count) lost += count;
  EXPECT_EQ(arrived + lost, 10 * kRounds);
  const double packets = std::ceil(lossy.fleet.update_bits[0] / 1e6);
  ExpectShare(arrived, 10 * kRounds, std::pow(0.99, packets));
  // Every device sends at P^max in its own band, so that energies of sending are alike in all
  // rounds.
  const Cell cell = CellOf(lossy);
  double send_j = 0, deviation_j = 0;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Terms terms{.power_w = cell.problem.max_power_w[i], .bandwidth_hz = cell.bandwidth_hz[i]};
    const double upload_j = terms.power_w * CostOf(cell, i, terms).upload_s;
    send_j += kRounds * upload_j;
    // Each of the packets is sent again with 0.1: a variance of 0.09/n in units of the upload.
    deviation_j += kRounds * upload_j * upload_j * 0.09 / packets;
  }
  EXPECT_NEAR(state.energy_j - sure.energy_j, 0.1 * send_j, 4.5 * std::sqrt(deviation_j));
}

// An unbiased sum of updates that get lost is on average that of all: where each arrives with 1/2,
// it counts twice.
TEST(AirLosses, AreKnownToTheAggregation) {
  Scenario scenario = ScenarioOf(1);
  scenario.learning.aggregation = Aggregation::kUnbiased;
  scenario.radio.packets = {.error_rate = 0.5, .packet_bits = 1e9, .retransmissions = 0};
  const Setting setting = SettingOf(scenario, Digits());
  class Weights : public Backend {
   public:
    std::vector<Assignment> seen;
    double Train(std::span<const Assignment> participants, const TrainingRound&,
                 std::span<float> gradient, std::span<PartLoss>) override {
      seen.assign(participants.begin(), participants.end());
      std::ranges::fill(gradient, 0.0F);
      return 1;
    }
    Evaluation Evaluate(std::span<const float>) override { return {}; }
    void Losses(std::span<const std::uint32_t>, std::size_t, const TrainingRound&,
                std::span<double>) override {}
    void UpdateNorms(std::span<const std::uint32_t>, std::span<const double>, const TrainingRound&,
                     std::span<double>) override {}
  } backend;
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy("all");
  Simulate(setting, *strategy, backend, {}, state);
  ASSERT_EQ(double(backend.seen.size()), state.records.back().arrived);
  ASSERT_GT(backend.seen.size(), 0U);
  ASSERT_LT(backend.seen.size(), 10U);
  for (const Assignment& assignment : backend.seen) {
    EXPECT_NEAR(assignment.weight, 2 * setting.data_share[assignment.device], 1e-15);
  }
}

}  // namespace
}  // namespace airlot::simulation
