// With strict budgets nobody is over its budget after any round, on any path.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/simulation.h"
#include "simulation/settings_for_tests.h"
#include "simulation/state_parts.h"

namespace airlot {
namespace {

std::shared_ptr<const Dataset> Digits() {
  static const auto digits = simulation::DigitsOf(300, 20);
  return digits;
}

// Budgets of some devices pay for every round, those of others for one of hundreds.
Scenario ScenarioOf(BudgetRule budget) {
  Scenario scenario;
  scenario.data.dataset = "digits";
  scenario.data.partition.method = "client-dirichlet";
  scenario.data.partition.overlap = true;
  scenario.data.partition.samples_per_device = 20;
  scenario.model.name = "mlp";
  scenario.learning.batch = 1;
  scenario.fleet.devices = 12;
  scenario.fleet.energy_budget_j = Spread::LogUniform(1e-4, 1);
  scenario.round.time_limit_s = 0.5;
  scenario.rounds = 25;
  scenario.evaluate_every = 25;
  scenario.budget = budget;
  return scenario;
}

// OverBudget watches how far devices are over their budgets after each round.
class OverBudget : public Observer {
 public:
  bool AfterRound(const Setting& setting, const RunState& state) override {
    for (std::size_t i = 0; i < state.energy_spent_j.size() && state.round > 0; ++i) {
      const double budget_j = double(state.round) * setting.fleet.energy_budget_j[i];
      worst_ratio_ = std::max(worst_ratio_, state.energy_spent_j[i] / budget_j);
    }
    return true;
  }
  double worst_ratio() const { return worst_ratio_; }

 private:
  double worst_ratio_ = 0;
};

struct Outcome {
  double worst_ratio = 0;
  double energy_j = 0;
  std::uint64_t participations = 0;
};

Outcome OutcomeOf(const Setting& setting, const StrategyEntry& entry) {
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy(entry.name, setting.scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting);
  OverBudget over;
  Observer* const observers[] = {&over};
  EXPECT_EQ(Simulate(setting, *strategy, *backend, observers, state), RunEnd::kOver);
  Outcome outcome{.worst_ratio = over.worst_ratio(), .energy_j = state.energy_j};
  for (const std::uint32_t count : state.participations) outcome.participations += count;
  return outcome;
}

// Sums of 25 rounds of some ten numbers are exact within 1000 roundings.
constexpr double kRounding = 1000 * 0x1p-53;

// Strategies that keep deadlines, or take as many as a plan expects, may find nobody who can pay.
bool MayTakeNobody(std::string_view name) {
  return name == "deterministic" || name == "equally-weighted" || name == "energy-rrm" ||
         name.starts_with("fedcs") || name.starts_with("update-aware");
}

void ExpectNobodyOver(const Scenario& scenario) {
  const Setting setting = simulation::SettingOf(scenario, Digits());
  for (const StrategyEntry& entry : Strategies()) {
    const Outcome outcome = OutcomeOf(setting, entry);
    EXPECT_LE(outcome.worst_ratio, 1 + kRounding) << entry.name;
    EXPECT_TRUE(outcome.participations > 0 || MayTakeNobody(entry.name)) << entry.name;
  }
}

// The same runs without strict budgets take devices over them, under nearly every strategy.
TEST(StrictBudgets, HoldUnderEveryStrategy) {
  ExpectNobodyOver(ScenarioOf(BudgetRule::kStrict));
  const Setting setting = simulation::SettingOf(ScenarioOf(BudgetRule::kMean), Digits());
  std::size_t over = 0;
  for (const StrategyEntry& entry : Strategies())
    over += OutcomeOf(setting, entry).worst_ratio > 1.01;
  EXPECT_GT(over, Strategies().size() / 2);
}

TEST(StrictBudgets, HoldUnderEverySharingOfTheBand) {
  for (const AfterDrawEntry& entry : AfterDraws()) {
    SCOPED_TRACE(entry.name);
    Scenario scenario = ScenarioOf(BudgetRule::kStrict);
    scenario.radio.band.after_draw = entry.rule;
    ExpectNobodyOver(scenario);
  }
}

// Retransmissions empty a bucket, too, and a round that nobody can pay for is not drawn for ever.
TEST(StrictBudgets, HoldWithLossesUnderEverySharing) {
  for (const AfterDrawEntry& entry : AfterDraws()) {
    SCOPED_TRACE(entry.name);
    Scenario scenario = ScenarioOf(BudgetRule::kStrict);
    scenario.radio.band.after_draw = entry.rule;
    scenario.radio.packets = {.error_rate = 0.4, .packet_bits = 1e5, .retransmissions = 20};
    scenario.round.empty = EmptyRound::kRedraw;
    ExpectNobodyOver(scenario);
  }
}

TEST(StrictBudgets, HoldWithASharedBand) {
  Scenario scenario = ScenarioOf(BudgetRule::kStrict);
  scenario.radio.band.sharing = BandSharing::kShared;
  const Setting setting = simulation::SettingOf(scenario, Digits());
  for (const StrategyEntry& entry : Strategies()) {
    EXPECT_LE(OutcomeOf(setting, entry).worst_ratio, 1 + kRounding) << entry.name;
  }
}

// On planned terms, who cannot pay has probability 0, and nobody who is drawn declines.
TEST(StrictBudgets, ShowInTheProbabilitiesOfPlannedTerms) {
  Scenario scenario = ScenarioOf(BudgetRule::kStrict);
  scenario.fleet.kappa = Spread::Constant(1e-35);  // Uploads cost most.
  const Setting setting = simulation::SettingOf(scenario, Digits());
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy("uniform", setting.scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting);
  Simulate(setting, *strategy, *backend, {}, state);
  const auto& sums = state.parts.Find<simulation::PlannedProbabilities>()->sum;
  std::size_t fewer = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    // Those who are able are all taken, as there are fewer of them than uniform selection wants.
    const double able = sums[i] / setting.plan.probability[i];
    EXPECT_NEAR(double(state.participations[i]), able, 1e-9 * able) << i;
    fewer += able < 24.5;
  }
  EXPECT_GT(fewer, 3U);
}

TEST(StrictBudgets, HoldWhereEverybodyComputes) {
  Scenario scenario = ScenarioOf(BudgetRule::kStrict);
  scenario.round.compute = ComputeRule::kAlways;
  ExpectNobodyOver(scenario);
}

TEST(StrictBudgets, HoldWithFadingLossesReceptionAndBatteries) {
  Scenario scenario = ScenarioOf(BudgetRule::kStrict);
  scenario.radio.noise = NoiseDensity{.dbm_per_hz = -130};
  scenario.radio.fading.kind = Fading::kRayleigh;
  scenario.radio.knowledge = {.correlation = 0.9, .margin_db = 3};
  scenario.radio.packets = {.error_rate = 0.4, .packet_bits = 1e5, .retransmissions = 4};
  scenario.radio.consumption = {
      .amplifier_efficiency = 0.5, .circuit_power_w = 0.1, .receive_power_w = 0.1};
  scenario.fleet.battery_j = Spread::LogUniform(0.1, 100);
  ExpectNobodyOver(scenario);
}

// `airtime` keeps budgets in any scenario, on every path, and still lets devices take part.
TEST(StrictBudgets, AreKeptByAirtimeInAnyScenario) {
  Scenario plain = ScenarioOf(BudgetRule::kMean);
  Scenario density = plain;
  density.radio.noise = NoiseDensity{.dbm_per_hz = -130};
  Scenario counted = plain;
  counted.round.count_compute_time = true;
  counted.books.compute_time = true;
  Scenario always = plain;
  always.round.compute = ComputeRule::kAlways;
  Scenario harsh = density;
  harsh.radio.fading.kind = Fading::kRayleigh;
  harsh.radio.packets = {.error_rate = 0.4, .packet_bits = 1e5, .retransmissions = 4};
  harsh.radio.consumption = {
      .amplifier_efficiency = 0.5, .circuit_power_w = 0.1, .receive_power_w = 0.1};
  harsh.fleet.battery_j = Spread::LogUniform(0.1, 100);
  for (const Scenario& scenario : {plain, density, counted, always, harsh}) {
    for (const AfterDrawEntry& entry : AfterDraws()) {
      SCOPED_TRACE(entry.name);
      Scenario shared = scenario;
      shared.radio.band.after_draw = entry.rule;
      const Setting setting = simulation::SettingOf(shared, Digits());
      const Outcome outcome = OutcomeOf(setting, *FindStrategy("airtime"));
      EXPECT_LE(outcome.worst_ratio, 1 + kRounding);
      EXPECT_GT(outcome.participations, 0U);
    }
  }
}

// A device waits until its bucket is full enough: with a budget of a fifth of what a participation
// costs, it takes part in every fifth round, if it is always drawn.
TEST(StrictBudgets, FillABucket) {
  Scenario scenario = ScenarioOf(BudgetRule::kMean);
  scenario.fleet.devices = 1;
  scenario.fleet.energy_budget_j = Spread::Constant(1000);
  scenario.round.time_limit_s = 1000;
  const Setting free = simulation::SettingOf(scenario, Digits());
  const Outcome once = OutcomeOf(free, *FindStrategy("all"));
  ASSERT_EQ(once.participations, 25U);
  // Just above a fifth, so that rounding does not decide.
  scenario.fleet.energy_budget_j = Spread::Constant(once.energy_j / 25 / 5 * 1.001);
  scenario.budget = BudgetRule::kStrict;
  const Setting setting = simulation::SettingOf(scenario, Digits());
  const Outcome strict = OutcomeOf(setting, *FindStrategy("all"));
  EXPECT_EQ(strict.participations, 5U);
  EXPECT_LE(strict.worst_ratio, 1 + kRounding);
}

}  // namespace
}  // namespace airlot
