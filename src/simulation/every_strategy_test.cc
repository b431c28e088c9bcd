// These tests run every strategy that there is on fleets of all sizes and kinds.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// Says whether a strategy may find nobody in a round. Such a strategy draws each device by its
// probability, takes as many as a plan expects, or takes only those in time or worth their energy.
bool MayTakeNobody(std::string_view name) {
  return name == "probabilistic" || name == "airtime" || name == "deterministic" ||
         name == "equally-weighted" || name == "energy-rrm" || name.starts_with("fedcs") ||
         name.starts_with("update-aware");
}

std::size_t Participations(const RunState& state) {
  return std::accumulate(state.participations.begin(), state.participations.end(), std::size_t{0});
}

// Returns how many participations there are at least in all rounds together. Where the channel
// fades, the plan of a round is not that of the setting.
std::size_t LeastParticipations(const Setting& setting, std::string_view name) {
  const std::size_t rounds = setting.scenario.rounds;
  if (!MayTakeNobody(name)) return rounds;
  const std::vector<double> probability(setting.plan.probability.begin(),
                                        setting.plan.probability.end());
  const double expected = std::accumulate(probability.begin(), probability.end(), 0.0);
  if (expected == double(probability.size())) return rounds;  // all can, in every round
  if (setting.scenario.radio.fading.kind != Fading::kNone) return 0;
  // Nobody comes in any round with a probability of at most e^-30.
  if (name == "probabilistic") return double(rounds) * expected > 30 ? 1 : 0;
  if (name == "deterministic" || name == "equally-weighted") {
    return rounds * std::size_t(expected);
  }
  return 0;
}

// Runs a strategy and checks what it left.
void Expect(const Setting& setting, const StrategyEntry& entry) {
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy(entry.name, setting.scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting);
  ASSERT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kOver) << entry.name;
  EXPECT_TRUE(std::isfinite(state.time_s) && state.time_s >= 0) << entry.name;
  EXPECT_TRUE(std::isfinite(state.energy_j) && state.energy_j >= 0) << entry.name;
  double spent_j = 0;
  for (std::size_t i = 0; i < setting.fleet.devices; ++i) {
    spent_j += state.energy_spent_j[i];
    if (state.participations[i] == 0) continue;
    EXPECT_LE(state.participations[i], setting.scenario.rounds) << entry.name << " device " << i;
    EXPECT_GT(setting.plan.probability[i], 0) << entry.name << " device " << i;
    EXPECT_GT(setting.partition.SamplesOf(i).size(), 0) << entry.name << " device " << i;
    EXPECT_GT(state.energy_spent_j[i], 0) << entry.name << " device " << i;
  }
  // Both add up the same numbers >= 0 in different orders, at most 16 of a device in a round.
  const double numbers = 16.0 * double(setting.fleet.devices * setting.scenario.rounds);
  EXPECT_NEAR(state.energy_j, spent_j, 2 * numbers * 0x1p-53 * spent_j) << entry.name;
  EXPECT_GE(Participations(state), LeastParticipations(setting, entry.name)) << entry.name;
  if (Participations(state) > 0) {
    EXPECT_GT(state.time_s, 0) << entry.name;
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

// Strategies that ask everybody for an update are left out, as 100 000 gradients take 45 s.
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

TEST(EveryStrategy, WhereComputationAndDownloadsAreBooked) {
  Scenario scenario = ScenarioOf(12);
  scenario.books = {.compute_time = true, .download_time = true};
  ExpectEvery(scenario);
}

// One rule for all, whatever shares the band in the sources.
TEST(EveryStrategy, WithEachSharingAfterTheDraw) {
  for (const AfterDrawEntry& rule : AfterDraws()) {
    SCOPED_TRACE(rule.name);
    for (const bool is_density : {false, true}) {
      Scenario scenario = ScenarioOf(12);
      scenario.radio.band.after_draw = rule.rule;
      if (is_density) scenario.radio.noise = NoiseDensity{.dbm_per_hz = -130};
      ExpectEvery(scenario);
    }
  }
}

TEST(EveryStrategy, WhereUpdatesAreLost) {
  Scenario scenario = ScenarioOf(12);
  scenario.radio.fading.kind = Fading::kRayleigh;
  scenario.radio.knowledge = {.correlation = 0.8, .margin_db = 2};
  scenario.radio.packets = {.error_rate = 0.2, .packet_bits = 1e5, .retransmissions = 2};
  ExpectEvery(scenario);
}

TEST(EveryStrategy, WithNoiseThatGrowsWithTheBand) {
  Scenario scenario = ScenarioOf(12);
  scenario.radio.noise = NoiseDensity{.dbm_per_hz = -174};
  scenario.radio.coding.spectral_efficiency_cap = 6;
  scenario.radio.coding.snr_gap_db = 3;
  ExpectEvery(scenario);
}

// Nothing limits anybody, so that every strategy takes somebody in every round.
TEST(EveryStrategy, WhereAllCanTakePartInEveryRound) {
  Scenario scenario = ScenarioOf(12);
  scenario.round.time_limit_s = 1000;
  scenario.fleet.energy_budget_j = Spread::Constant(1e6);
  const Setting setting = simulation::SettingOf(scenario, Digits());
  for (const double a : setting.plan.probability) ASSERT_EQ(a, 1);
  for (const StrategyEntry& entry : Strategies()) {
    EXPECT_EQ(LeastParticipations(setting, entry.name), 3U);
    Expect(setting, entry);
  }
}

// Every round has a channel of its own.
TEST(EveryStrategy, WithFading) {
  for (const Fading fading : {Fading::kRayleigh, Fading::kRician, Fading::kNakagami}) {
    SCOPED_TRACE(FadingName(fading));
    Scenario scenario = ScenarioOf(12);
    scenario.radio.fading.kind = fading;
    if (fading == Fading::kRician) scenario.radio.fading.rician_k_db = 9;
    ExpectEvery(scenario);
  }
}

// Bands that the plan splits, some of which may be empty; also with a new split in every round.
TEST(EveryStrategy, WithASharedBand) {
  for (const BandSharing sharing : {BandSharing::kShared, BandSharing::kBlocks}) {
    for (const Fading fading : {Fading::kNone, Fading::kRayleigh}) {
      SCOPED_TRACE(std::string(BandSharingName(sharing)) + ", " + std::string(FadingName(fading)));
      Scenario scenario = ScenarioOf(12);
      scenario.radio.band.sharing = sharing;
      scenario.radio.noise = NoiseDensity{.dbm_per_hz = -174};
      scenario.radio.fading.kind = fading;
      ExpectEvery(scenario);
    }
  }
}

// Hardly any label has samples at more than one device, so some devices have none.
void ExpectNobodyWithoutSamples(const std::optional<std::string>& fleet_file) {
  for (const BandSharing sharing : {BandSharing::kEqual, BandSharing::kShared}) {
    Scenario scenario = ScenarioOf(40);
    scenario.data.partition = {.method = "dirichlet", .beta = 0.01, .minimum_samples = 0};
    scenario.radio.band.sharing = sharing;
    scenario.fleet.file = fleet_file;
    const Setting setting = simulation::SettingOf(scenario, Digits());
    std::size_t without = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      if (setting.partition.SamplesOf(i).size() > 0) continue;
      ++without;
      EXPECT_EQ(setting.plan.probability[i], 0) << i;
    }
    ASSERT_GT(without, 5U);
    ASSERT_LT(without, 40U);
    for (const StrategyEntry& entry : Strategies()) Expect(setting, entry);
  }
}

TEST(EveryStrategy, WhereSomeHoldNoSamples) { ExpectNobodyWithoutSamples(std::nullopt); }

// A file may say how much devices compute, but not that they have what they do not hold.
TEST(EveryStrategy, WhereSomeOfAFileHoldNoSamples) {
  for (const std::string column : {"samples", "compute_energy_j"}) {
    SCOPED_TRACE(column);
    const std::string path = testing::TempDir() + "every_strategy_" + column + ".csv";
    std::ofstream file(path);
    file << column << '\n';
    for (int i = 0; i < 40; ++i) file << (column == "samples" ? 20 + i : 1e-3) << '\n';
    file.close();
    ExpectNobodyWithoutSamples(path);
    std::filesystem::remove(path);
  }
}

// Devices are able to take part, as the mean over rounds is within the limit, but no upload is ever
// within it: strategies that keep deadlines take nobody, and the round of the others lasts.
TEST(EveryStrategy, WhereNoDeadlineCanBeMet) {
  Scenario scenario = ScenarioOf(12);
  scenario.round.time_limit_s = 1e-7;
  scenario.rounds = 3;
  const Setting setting = simulation::SettingOf(scenario, Digits());
  for (const StrategyEntry& entry : Strategies()) {
    RunState state = StartOf(setting);
    const auto strategy = MakeStrategy(entry.name, scenario.strategy);
    const auto backend = MakeSimulatedBackend(setting);
    ASSERT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kOver);
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
