// In these tests rounds have channels and batteries of their own.
#include "simulation/round_conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "simulation/ledger.h"
#include "simulation/settings_for_tests.h"

namespace airlot::simulation {
namespace {

// There are two devices with g = 1 W: at 1 W their update of 2 bit takes 2 s in 1 Hz; with 3 J for
// the computation, a participation costs 5 J.
class BatteryTest : public testing::Test {
 protected:
  BatteryTest() {
    Fleet& fleet = setting_.fleet;
    fleet.devices = 2;
    fleet.noise_to_gain_w = 1.0;
    fleet.nat_time_s = 2 * std::numbers::ln2;
    fleet.max_power_w = 3.0;
    fleet.energy_budget_j = 100.0;
    fleet.time_limit_s = 10.0;
    fleet.compute_energy_j = 3.0;
    fleet.bandwidth_hz = 1.0;
    fleet.update_bits = 2.0;
    fleet.batteries = {.capacity_j = ColumnValues{5, 12}, .harvest_w = ColumnValues{0, 0.5}};
    setting_.plan.probability = {0.5, 0.25};
    setting_.plan.power_w = {1, 1};
    setting_.upload_s = {2, 2};
    setting_.participation_j = {5, 5};
    setting_.dataset = DigitsOf(10, 10);
    setting_.scenario.model.name = "mlp";
    state_ = StartOf(setting_);
  }

  Setting setting_;
  RunState state_;
};

using Numbers = std::vector<double>;
using Rounds = std::vector<std::optional<std::uint32_t>>;

Numbers& Charges(RunState& state) { return state.parts.Find<Batteries>()->charge_j; }
Rounds& FirstEmptyRounds(RunState& state) {
  return state.parts.Find<Batteries>()->first_empty_round;
}
Numbers& ProbabilitySums(RunState& state) { return state.parts.Find<PlannedProbabilities>()->sum; }

Numbers Of(std::span<const double> values) { return {values.begin(), values.end()}; }

TEST_F(BatteryTest, WhoCannotPayStaysOutUntilItCan) {
  RoundConditions conditions(setting_, state_);
  Ledger ledger(setting_, conditions, state_);
  const auto start = [&] {
    ++state_.round;
    conditions.StartRound(state_.round);
    ledger.StartRound();
  };
  EXPECT_EQ(Charges(state_), (Numbers{5, 12}));
  start();  // A charge of 5 J is just enough.
  EXPECT_EQ(Of(conditions.probability()), (Numbers{0.5, 0.25}));
  EXPECT_EQ(conditions.empty_batteries(), 0);
  ledger.Book({.devices = {0, 1}}, 0);
  EXPECT_EQ(Charges(state_), (Numbers{0, 8}));  // The second has 12 J - 5 J + 0.5 W * 2 s.
  const std::uint64_t version = conditions.version();

  start();
  EXPECT_EQ(Of(conditions.probability()), (Numbers{0, 0.25}));
  EXPECT_NE(conditions.version(), version);
  EXPECT_EQ(conditions.empty_batteries(), 1);
  EXPECT_FALSE(conditions.waits_for_charge());  // Nothing charges the first device.
  EXPECT_EQ(FirstEmptyRounds(state_), (Rounds{2, std::nullopt}));
  ledger.Book({.devices = {1}}, 0);
  EXPECT_EQ(Charges(state_), (Numbers{0, 4}));

  start();  // Nobody can pay, so the round waits for charge.
  EXPECT_EQ(Of(conditions.probability()), (Numbers{0, 0}));
  EXPECT_EQ(conditions.empty_batteries(), 2);
  EXPECT_TRUE(conditions.waits_for_charge());
  ledger.Book({}, 10);
  EXPECT_EQ(Charges(state_), (Numbers{0, 9}));

  start();
  EXPECT_EQ(Of(conditions.probability()), (Numbers{0, 0.25}));
  ledger.Book({}, 10);
  EXPECT_EQ(Charges(state_), (Numbers{0, 12}));  // A battery takes no more than it holds.
  EXPECT_EQ(FirstEmptyRounds(state_), (Rounds{2, 3}));
  EXPECT_EQ(ProbabilitySums(state_), (Numbers{0.5, 0.75}));
}

TEST_F(BatteryTest, NoMoreIsSpentThanThereIs) {
  RoundConditions conditions(setting_, state_);
  Ledger ledger(setting_, conditions, state_);
  ++state_.round;
  conditions.StartRound(state_.round);
  ledger.StartRound();
  // The participation takes 1 s at 3 W and would cost 6 J, but the battery holds only 5 J.
  ledger.Book({.devices = {0}, .terms = {{.power_w = 3, .bandwidth_hz = 1}}}, 0);
  EXPECT_EQ(state_.energy_spent_j[0], 5);
  EXPECT_EQ(state_.energy_j, 5);
  EXPECT_EQ(Charges(state_)[0], 0);
}

TEST_F(BatteryTest, WhoCannotPayForWhatIsSpentInAnyCaseIsOff) {
  setting_.always_j = ColumnValues{3, 3};
  RoundConditions conditions(setting_, state_);
  Ledger ledger(setting_, conditions, state_);
  for (int round = 1; round <= 4; ++round) {
    ++state_.round;
    conditions.StartRound(state_.round);
    ledger.StartRound();
    ledger.Book({}, 0);
  }
  EXPECT_EQ(Charges(state_), (Numbers{2, 0}));
  EXPECT_EQ(state_.energy_spent_j, (Numbers{3, 12}));
}

TEST_F(BatteryTest, ComputationIsPaidBeforeTheUpload) {
  setting_.always_j = ColumnValues{3, 3};
  RoundConditions conditions(setting_, state_);
  Ledger ledger(setting_, conditions, state_);
  ++state_.round;
  conditions.StartRound(state_.round);
  ledger.StartRound();
  // The first device would spend 3 W for 1 s, and 3 J of its own computation, which this fleet does
  // not do in any case.
  ledger.Book({.devices = {0}, .terms = {{.power_w = 3, .bandwidth_hz = 1}}}, 0);
  EXPECT_EQ(state_.energy_spent_j, (Numbers{5, 3}));  // The first device spends all that it has.
  EXPECT_EQ(Charges(state_)[0], 0);
}

// A round in which nobody takes part lets devices charge that lack charge, though others could take
// part.
TEST_F(BatteryTest, EmptyRoundsWaitForWhoIsBeingCharged) {
  Charges(state_) = {5, 4};
  RoundConditions conditions(setting_, state_);
  ++state_.round;
  conditions.StartRound(state_.round);
  EXPECT_EQ(Of(conditions.probability()), (Numbers{0.5, 0}));
  EXPECT_TRUE(conditions.waits_for_charge());
}

TEST_F(BatteryTest, MainsNeverEnd) {
  setting_.fleet.batteries.reset();
  state_ = StartOf(setting_);
  RoundConditions conditions(setting_, state_);
  ++state_.round;
  conditions.StartRound(state_.round);
  EXPECT_FALSE(conditions.empty_batteries().has_value());
  EXPECT_EQ(conditions.probability().data(), setting_.plan.probability.data());
  EXPECT_EQ(state_.parts.Find<Batteries>(), nullptr);
  EXPECT_EQ(state_.parts.Find<PlannedProbabilities>(), nullptr);
}

Scenario FadingScenario() {
  Scenario scenario;
  scenario.model.name = "mlp";
  scenario.rounds = 12;
  scenario.evaluate_every = 6;
  scenario.learning.batch = 4;
  scenario.fleet.devices = 30;
  scenario.round.time_limit_s = 0.5;
  scenario.data = {.dataset = "digits", .partition = {.method = "iid"}};
  scenario.radio.fading.kind = Fading::kRayleigh;
  return scenario;
}

// The test plans each round anew by another route: a fleet whose gains are those of the round.
TEST(FadingPlanTest, EachRoundIsPlannedForItsChannel) {
  const Setting setting = SettingOf(FadingScenario(), DigitsOf(300, 50));
  RunState state = StartOf(setting);
  RoundConditions conditions(setting, state);
  ColumnValues sums(30, 0.0);
  for (state.round = 1; state.round <= 3; ++state.round) {
    conditions.StartRound(state.round);
    EXPECT_EQ(conditions.version(), state.round);
    ColumnValues gains(30);
    DrawFading(setting.scenario.radio.fading, setting.fleet.rician_k, setting.seed, state.round, 0,
               gains);
    Fleet faded = setting.fleet;
    for (std::size_t i = 0; i < 30; ++i) gains[i] = setting.fleet.noise_to_gain_w[i] / gains[i];
    faded.noise_to_gain_w = gains;
    const auto problem = ProblemOf(faded, setting.scenario.radio, setting.scenario.round);
    const Plan other = Solve(*problem, {.solver = Solver::kBisection});
    for (std::size_t i = 0; i < 30; ++i) {
      // The planner promises 1e-12 with either solver.
      EXPECT_NEAR(conditions.probability()[i], other.probability[i], 2e-12 * other.probability[i]);
      const PlannedCost cost = conditions.CostOfPlanned(i);
      const Participation once = Describe(*problem, other, i);
      // Bisection knows the power only through the last digits of the probability, which the nats
      // per hertz and the share of computation multiply.
      const double nats = problem->nat_time_s[i] / once.upload_s;
      const double most = 2e-12 + 8 * 0x1p-53 * std::max(1.0, nats) *
                                      (1 + problem->compute_time_s[i] / once.upload_s);
      EXPECT_NEAR(cost.upload_s, once.upload_s, most * once.upload_s);
      EXPECT_NEAR(cost.energy_j, once.energy_j, 2 * most * once.energy_j);
      sums[i] += conditions.probability()[i];
    }
  }
  EXPECT_TRUE(std::ranges::equal(sums, ProbabilitySums(state)));
  EXPECT_NE(sums[0], 3 * setting.plan.probability[0]);
}

TEST(FadingPlanTest, ARunIsTheSameAfterAnInterrupt) {
  Scenario scenario = FadingScenario();
  scenario.fleet.battery_j = Spread::Uniform(0.025, 0.25);
  scenario.fleet.harvest_w = Spread::Constant(0.001);
  const Setting setting = SettingOf(scenario, DigitsOf(300, 50));
  const auto backend = MakeSimulatedBackend(setting);
  for (const std::string_view name : {"probabilistic", "deterministic", "fedcs", "random"}) {
    RunState whole = StartOf(setting), parts = StartOf(setting);
    EXPECT_EQ(Simulate(setting, *MakeStrategy(name), *backend, {}, whole), RunEnd::kOver);
    StopAt stop(5);
    Observer* observers[] = {&stop};
    EXPECT_EQ(Simulate(setting, *MakeStrategy(name), *backend, observers, parts), RunEnd::kStopped);
    EXPECT_EQ(Simulate(setting, *MakeStrategy(name), *backend, {}, parts), RunEnd::kOver);
    EXPECT_EQ(whole.time_s, parts.time_s) << name;
    EXPECT_EQ(whole.energy_spent_j, parts.energy_spent_j) << name;
    EXPECT_EQ(Charges(whole), Charges(parts)) << name;
    EXPECT_EQ(FirstEmptyRounds(whole), FirstEmptyRounds(parts)) << name;
    EXPECT_EQ(ProbabilitySums(whole), ProbabilitySums(parts)) << name;
    EXPECT_EQ(whole.parameters, parts.parameters) << name;
    EXPECT_TRUE(std::ranges::max(FirstEmptyRounds(whole)).has_value()) << name;
  }
}

TEST(FadingPlanTest, BatteriesSpendNoMoreThanTheyHave) {
  for (const ComputeRule rule : {ComputeRule::kParticipants, ComputeRule::kAlways}) {
    Scenario scenario = FadingScenario();
    scenario.fleet.battery_j = Spread::Uniform(2, 20);
    scenario.round.compute = rule;
    const Setting setting = SettingOf(scenario, DigitsOf(300, 50));
    const auto backend = MakeSimulatedBackend(setting);
    for (const StrategyEntry& entry : Strategies()) {
      RunState state = StartOf(setting);
      Simulate(setting, *MakeStrategy(entry.name), *backend, {}, state);
      double spent_j = 0;
      // At most 16 numbers of a device in a round are added on one side, or taken off the other.
      const double rounding = 2 * 16.0 * double(scenario.rounds) * 0x1p-53;
      for (std::size_t i = 0; i < setting.fleet.devices; ++i) {
        EXPECT_GE(Charges(state)[i], 0) << entry.name;
        const double capacity_j = setting.fleet.batteries->capacity_j[i];
        EXPECT_NEAR(state.energy_spent_j[i] + Charges(state)[i], capacity_j, rounding * capacity_j)
            << entry.name;
        spent_j += state.energy_spent_j[i];
      }
      EXPECT_GT(spent_j, 0) << entry.name;
      EXPECT_NEAR(state.energy_j, spent_j, rounding * double(setting.fleet.devices) * spent_j)
          << entry.name;
    }
  }
}

TEST(FadingPlanTest, GoodRoundsServeThoseWhomTheMeanChannelDoesNot) {
  Scenario scenario = FadingScenario();
  scenario.round.time_rule = TimeRule::kDeadline;
  scenario.fleet.energy_budget_j = Spread::Constant(1000);
  const auto dataset = DigitsOf(300, 50);
  const Fleet fleet = SettingOf(scenario, dataset).fleet;
  double quickest_s = INFINITY;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    const double nats = std::log1p(fleet.max_power_w[i] / fleet.noise_to_gain_w[i]);
    quickest_s = std::min(quickest_s, fleet.nat_time_s[i] / nats);
  }
  scenario.round.time_limit_s = 0.99 * quickest_s;
  const Setting setting = SettingOf(scenario, dataset);
  EXPECT_EQ(std::ranges::max(setting.plan.probability), 0);
  RunState state = StartOf(setting);
  const auto backend = MakeSimulatedBackend(setting);
  EXPECT_EQ(Simulate(setting, *MakeStrategy("probabilistic"), *backend, {}, state), RunEnd::kOver);
  EXPECT_GT(std::ranges::max(state.participations), 0u);
}

}  // namespace
}  // namespace airlot::simulation
