// Every strategy that there is, on fleets of all sizes and kinds.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "airlot/simulation.h"
#include "simulation/settings_for_tests.h"

namespace airlot {
namespace {

std::shared_ptr<const Dataset> Digits() {
  static const auto digits = simulation::DigitsOf(300, 50);
  return digits;
}

// Devices share samples, so that there can be many of them.
Scenario ScenarioOf(std::size_t devices) {
  Scenario scenario;
  scenario.data.dataset = "digits";
  scenario.data.partition.method = "client-dirichlet";
  scenario.data.partition.overlap = true;
  scenario.data.partition.samples_per_device = 4;
  scenario.model.name = "mlp";
  scenario.learning.batch = 1;
  scenario.fleet.devices = devices;
  scenario.rounds = 3;
  scenario.evaluate_every = 3;
  return scenario;
}

// Whether a strategy may find nobody in three rounds of a small fleet: it draws each device by its
// probability, takes as many as a plan expects, or only those in time or worth their energy.
bool MayTakeNobody(std::string_view name) {
  return name == "probabilistic" || name == "deterministic" || name == "equally-weighted" ||
         name == "energy-rrm" || name.starts_with("fedcs") || name.starts_with("update-aware");
}

std::size_t Participations(const RunState& state) {
  return std::accumulate(state.participations.begin(), state.participations.end(), std::size_t{0});
}

// Runs a strategy and looks at what it left.
void Expect(const Setting& setting, const StrategyEntry& entry) {
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy(entry.name, setting.scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting);
  ASSERT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kRoundsDone) << entry.name;
  EXPECT_TRUE(std::isfinite(state.time_s) && state.time_s >= 0) << entry.name;
  EXPECT_TRUE(std::isfinite(state.energy_j) && state.energy_j >= 0) << entry.name;
  for (std::size_t i = 0; i < setting.fleet.devices; ++i) {
    if (state.participations[i] == 0) continue;
    EXPECT_LE(state.participations[i], 3U) << entry.name << " device " << i;
    EXPECT_GT(setting.plan.probability[i], 0) << entry.name << " device " << i;
  }
  if (!MayTakeNobody(entry.name)) {
    EXPECT_GE(Participations(state), setting.scenario.rounds) << entry.name;
  }
}

void ExpectEvery(const Scenario& scenario) {
  const Setting setting = simulation::SettingOf(scenario, Digits());
  for (const StrategyEntry& entry : Strategies()) Expect(setting, entry);
}

TEST(EveryStrategy, OnFewDevices) {
  for (const std::size_t devices : {1, 2, 10}) ExpectEvery(ScenarioOf(devices));
}

TEST(EveryStrategy, OnAThousandDevices) {
  Scenario scenario = ScenarioOf(1000);
  scenario.rounds = 1;
  ExpectEvery(scenario);
}

// But for those that ask everybody for an update: 100 000 gradients take 45 s.
TEST(EveryStrategy, OnAHundredThousandDevices) {
  Scenario scenario = ScenarioOf(100000);
  scenario.rounds = 1;
  const Setting setting = simulation::SettingOf(scenario, Digits());
  for (const StrategyEntry& entry : Strategies()) {
    const bool asks_all = entry.name == "gradient-probability" ||
                          entry.name == "update-aware-bn2" || entry.name == "update-aware-bn2-c";
    if (!asks_all) Expect(setting, entry);
  }
}

// Nobody is farther than one metre, and all else is equal.
TEST(EveryStrategy, WhereAllTie) {
  Scenario scenario = ScenarioOf(12);
  scenario.fleet.area_m = 1;
  scenario.fleet.energy_budget_j = Spread::Constant(1);
  scenario.fleet.cycles_per_sample = Spread::Constant(1e6);
  scenario.fleet.cpu_hz = Spread::Constant(1e9);
  ExpectEvery(scenario);
}

TEST(EveryStrategy, WhereComputationTakesTime) {
  Scenario scenario = ScenarioOf(12);
  scenario.round.count_compute_time = true;
  scenario.round.time_limit_s = 0.5;
  ExpectEvery(scenario);
}

TEST(EveryStrategy, WithNoiseThatGrowsWithTheBand) {
  Scenario scenario = ScenarioOf(12);
  scenario.radio.noise = NoiseDensity{.dbm_per_hz = -174};
  scenario.radio.coding.spectral_efficiency_cap = 6;
  scenario.radio.coding.snr_gap_db = 3;
  ExpectEvery(scenario);
}

// Devices are able to take part, as the mean over rounds is within the limit, but no upload is ever
// within it: who keeps deadlines takes nobody, and the round of the others lasts.
TEST(EveryStrategy, WhereNoDeadlineCanBeMet) {
  Scenario scenario = ScenarioOf(12);
  scenario.round.time_limit_s = 1e-7;
  scenario.rounds = 3;
  const Setting setting = simulation::SettingOf(scenario, Digits());
  for (const StrategyEntry& entry : Strategies()) {
    RunState state = StartOf(setting);
    const auto strategy = MakeStrategy(entry.name, scenario.strategy);
    const auto backend = MakeSimulatedBackend(setting);
    ASSERT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kRoundsDone);
    EXPECT_EQ(Participations(state) == 0, MayTakeNobody(entry.name)) << entry.name;
    EXPECT_TRUE(std::isfinite(state.time_s)) << entry.name;
  }
}

TEST(EveryStrategy, WhereNobodyCanUpload) {
  Scenario scenario = ScenarioOf(5);
  scenario.fleet.energy_budget_j = Spread::Constant(0);
  const Setting setting = simulation::SettingOf(scenario, Digits());
  for (const StrategyEntry& entry : Strategies()) {
    RunState state = StartOf(setting);
    const auto strategy = MakeStrategy(entry.name);
    const auto backend = MakeSimulatedBackend(setting);
    EXPECT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kNobodyAble);
    EXPECT_EQ(state.energy_j, 0) << entry.name;
  }
}

}  // namespace
}  // namespace airlot
