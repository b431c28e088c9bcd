// Runs in which powers and rates come in steps: nobody sends otherwise, whatever the strategy.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "airlot/simulation.h"
#include "simulation/settings_for_tests.h"

namespace airlot {
namespace {

std::shared_ptr<const Dataset> StepDigits() {
  static const auto digits = simulation::DigitsOf(300, 50);
  return digits;
}

Scenario StepScenario(const PowerControl& power, bool has_table) {
  Scenario scenario = simulation::DigitsScenario(12, 4, 4);
  scenario.learning.batch = 1;
  scenario.radio.power = power;
  if (!has_table) return scenario;
  const McsTableEntry& cqi = McsTables()[0];
  scenario.radio.coding.mcs = {std::string(cqi.name), {cqi.rows.begin(), cqi.rows.end()}};
  // The noise is such that some devices are out of reach, and more in a wider band.
  scenario.radio.noise = NoiseDensity{.dbm_per_hz = -86};
  return scenario;
}

// StepWatcher checks every participation of a run.
class StepWatcher : public Observer {
 public:
  bool AfterRound(const Setting&, const RunState&) override { return true; }
  void TookPart(const Setting& setting, std::uint64_t round,
                std::span<const ParticipationRecord> participations) override {
    for (const ParticipationRecord& record : participations) {
      ExpectLevel(setting, record);
      if (setting.scenario.radio.fading.kind == Fading::kNone) ExpectRate(setting, record);
      EXPECT_TRUE(std::isfinite(record.upload_s) && record.upload_s > 0) << round;
      ++count;
    }
  }
  std::size_t count = 0;

 private:
  static void ExpectLevel(const Setting& setting, const ParticipationRecord& record) {
    const PowerControl& power = setting.scenario.radio.power;
    const double max_w = setting.fleet.max_power_w[record.device];
    EXPECT_LE(record.power_w, max_w);
    EXPECT_GE(record.power_w, power.min_power_w);
    double nearest_db = power.levels_w.empty() && power.step_db == 0 ? 0 : INFINITY;
    for (const double level_w : power.levels_w) {
      nearest_db = std::min(nearest_db, std::abs(ToDecibel(record.power_w / level_w)));
    }
    if (power.step_db > 0) {
      const double steps = ToDecibel(max_w / record.power_w) / power.step_db;
      nearest_db = std::abs(steps - std::round(steps));
    }
    EXPECT_LT(nearest_db, 1e-9) << record.power_w;
  }

  // The upload takes as long as its bits do at the rate of the best row that its SNR reaches.
  static void ExpectRate(const Setting& setting, const ParticipationRecord& record) {
    const Radio& radio = setting.scenario.radio;
    const double gain = NoisePower(radio.noise, setting.fleet.bandwidth_hz[record.device]) /
                        setting.fleet.noise_to_gain_w[record.device];
    const double snr_db =
        ToDecibel(record.power_w * gain / NoisePower(radio.noise, record.bandwidth_hz));
    double rate = radio.coding.mcs.rows.empty() ? std::log2(1 + FromDecibel(snr_db)) : 0;
    for (const McsRow& row : radio.coding.mcs.rows) {
      if (snr_db >= row.snr_db - 1e-9) rate = row.bit_per_s_per_hz;
    }
    ASSERT_GT(rate, 0);
    // Some strategies have a number more sent with each update.
    const double least_s = record.update_bits / (record.bandwidth_hz * rate);
    EXPECT_GE(record.upload_s, least_s * (1 - 1e-9));
    EXPECT_LE(record.upload_s, least_s * (1 + 1e-4));
  }
};

// Runs all strategies that take such radios, and returns how many took part in all.
std::size_t RunAll(const Scenario& scenario) {
  const Setting setting = simulation::SettingOf(scenario, StepDigits());
  StepWatcher watcher;
  for (const StrategyEntry& entry : Strategies()) {
    SCOPED_TRACE(entry.name);
    EXPECT_EQ(CheckStrategy(entry, scenario).ok(), !entry.needs_shannon);
    if (entry.needs_shannon) continue;
    RunState state = StartOf(setting);
    const auto strategy = MakeStrategy(entry.name, scenario.strategy);
    const auto backend = MakeSimulatedBackend(setting);
    Observer* const observers[] = {&watcher};
    EXPECT_EQ(Simulate(setting, *strategy, *backend, observers, state), RunEnd::kOver);
    EXPECT_TRUE(std::isfinite(state.time_s) && std::isfinite(state.energy_j));
  }
  return watcher.count;
}

const PowerControl kLeast{.min_power_w = 0.01};
const PowerControl kSteps{.min_power_w = 1e-4, .step_db = 2};
const PowerControl kList{.levels_w = {0.001, 0.01, 0.05, 0.15}};

TEST(RadioStepsRuns, PowersAndRatesAreThoseOfTheRadio) {
  for (const bool has_table : {false, true}) {
    for (const PowerControl& power : {PowerControl{}, kLeast, kSteps, kList}) {
      if (!has_table && power == PowerControl{}) continue;
      EXPECT_GT(RunAll(StepScenario(power, has_table)), 50u);
    }
  }
}

TEST(RadioStepsRuns, WithOtherBandsAfterTheDraw) {
  for (const AfterDraw rule : {AfterDraw::kOwn, AfterDraw::kEqual, AfterDraw::kTurns}) {
    Scenario scenario = StepScenario(kSteps, true);
    scenario.radio.band.after_draw = rule;
    EXPECT_GT(RunAll(scenario), 50u) << AfterDrawName(rule);
  }
}

TEST(RadioStepsRuns, WithFadingAndStrictBudgetsAndLosses) {
  Scenario scenario = StepScenario(kSteps, true);
  scenario.radio.fading.kind = Fading::kRayleigh;
  scenario.budget = BudgetRule::kStrict;
  scenario.radio.knowledge.error_sd_db = 3;
  EXPECT_GT(RunAll(scenario), 20u);
}

// The plan that devices follow is that of the setting, to the joule.
TEST(RadioStepsRuns, TheBooksChargeWhatThePlanSays) {
  const Setting setting = simulation::SettingOf(StepScenario(kList, true), StepDigits());
  const Cell cell = CellOf(setting);
  std::size_t able = 0;
  for (std::size_t i = 0; i < setting.fleet.devices; ++i) {
    if (setting.plan.probability[i] == 0) continue;
    const ParticipationCost cost =
        CostOf(cell, i,
               {.power_w = setting.plan.power_w[i], .bandwidth_hz = setting.fleet.bandwidth_hz[i]});
    EXPECT_NEAR(cost.energy_j / setting.participation_j[i], 1, 1e-12);
    EXPECT_NEAR(cost.upload_s / setting.upload_s[i], 1, 1e-12);
    ++able;
  }
  EXPECT_GT(able, 3u);
  EXPECT_LT(able, setting.fleet.devices);  // some are out of reach
}

TEST(RadioStepsRuns, WhatKnowsNoStepsSaysSo) {
  const auto message = [](const Scenario& scenario) {
    const auto setting = Prepare(scenario, 1, StepDigits());
    return setting.ok() ? "" : setting.error().message;
  };
  Scenario scenario = StepScenario(kSteps, true);
  scenario.radio.band.sharing = BandSharing::kShared;
  EXPECT_EQ(message(scenario),
            "radio.sharing = shared: a band is split by Shannon's formula for powers of any size, "
            "which radio.mcs rules out: set it to equal");
  scenario = StepScenario(kSteps, false);
  scenario.round.time_weight = 0.5;
  EXPECT_EQ(
      message(scenario),
      "round.time_weight = 0.5: a plan that weighs the time of a round knows Shannon's "
      "formula and powers of any size only, which radio.power_step_db rules out: set it to 0");
  scenario = StepScenario(kList, false);
  scenario.planning.solver = Solver::kBisection;
  EXPECT_EQ(message(scenario),
            "planning.solver = bisection: knows Shannon's formula and powers of any size only, "
            "which radio.power_levels_w rules out: use exact");
  scenario = StepScenario(kLeast, false);
  const Status status = CheckStrategy(*FindStrategy("airtime"), scenario);
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(status.error().message.starts_with(
      "radio.min_power_w: strategy airtime finds its terms by Shannon's formula"))
      << status.error().message;
  scenario.radio.power.min_power_w = 0.5;
  EXPECT_EQ(message(scenario), "radio.min_power_w = 0.5: must be at most fleet.max_power_w = 0.2");
  scenario = StepScenario({.levels_w = {0.1, 0.4}}, false);
  EXPECT_EQ(message(scenario),
            "radio.power_levels_w = 0.4: must be at most fleet.max_power_w = 0.2");
}

}  // namespace
}  // namespace airlot
