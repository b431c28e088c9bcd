// These tests check the round loop and its books: by hand on a tiny fleet, and by invariants on
// digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "airlot/simulation.h"
#include "airlot/training.h"
#include "simulation/round_fields.h"
#include "simulation/settings_for_tests.h"

namespace airlot {
namespace {

std::shared_ptr<const Dataset> Digits() {
  static const auto digits = simulation::DigitsOf(2000, 200);
  return digits;
}

Scenario SmallScenario() { return simulation::DigitsScenario(20, 30, 10); }

// This scenario is quick enough for every strategy.
Scenario TinyScenario() {
  Scenario scenario = SmallScenario();
  scenario.fleet.devices = 10;
  scenario.learning.batch = 2;
  scenario.rounds = 12;
  scenario.evaluate_every = 6;
  scenario.strategy.At("tifl", "interval") = 4;
  return scenario;
}

Setting MakeSetting(const Scenario& scenario) { return simulation::SettingOf(scenario, Digits()); }

RunState RunWhole(const Setting& setting, std::string_view name, int threads = 1) {
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy(name, setting.scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting, threads);
  EXPECT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kOver);
  return state;
}

std::string BytesOf(const RunState& state) {
  ByteWriter bytes;
  bytes.Put(state.round);
  bytes.Put(state.time_s);
  bytes.Put(state.energy_j);
  bytes.Put(state.parameters);
  bytes.Put(state.participations);
  bytes.Put(state.energy_spent_j);
  for (const RoundRecord& record : state.records) {
    simulation::ForEachField(record, [&](const auto&, const auto& value) { bytes.Put(value); });
  }
  for (const auto& part : state.parts.all()) {
    bytes.Put(part->name());
    part->Save(bytes);
  }
  return bytes.bytes();
}

bool SameBytes(const RunState& a, const RunState& b) { return BytesOf(a) == BytesOf(b); }

TEST(JainIndex, ByHand) {
  EXPECT_EQ(JainIndex(std::vector<std::uint32_t>{4, 4, 4}), 1);
  EXPECT_EQ(JainIndex(std::vector<std::uint32_t>{6, 0, 0}), 1.0 / 3);
  EXPECT_EQ(JainIndex(std::vector<std::uint32_t>{1, 3}), 16.0 / 20);
  EXPECT_FALSE(JainIndex(std::vector<std::uint32_t>{0, 0}).has_value());
  EXPECT_FALSE(JainIndex({}).has_value());
}

// A run that stops at its targets has the rounds of the whole run up to there.
TEST(Simulate, StopsAtTheHighestTarget) {
  Scenario scenario = TinyScenario();
  scenario.evaluate_every = 1;
  const RunState whole = RunWhole(MakeSetting(scenario), "random");
  double best = 0;  // of all but the last round, so that there is something to leave out
  for (std::size_t i = 1; i + 1 < whole.records.size(); ++i) {
    best = std::max(best, *whole.records[i].accuracy);
  }
  scenario.targets = {best, best / 2};
  scenario.stop_at_targets = true;
  const Setting setting = MakeSetting(scenario);
  const RunState stopped = RunWhole(setting, "random");
  ASSERT_LT(stopped.records.size(), whole.records.size());
  EXPECT_EQ(*stopped.records.back().accuracy, best);
  for (std::size_t i = 0; i < stopped.records.size(); ++i) {
    EXPECT_EQ(stopped.records[i].time_s, whole.records[i].time_s) << i;
    EXPECT_EQ(stopped.records[i].accuracy, whole.records[i].accuracy) << i;
    EXPECT_EQ(*stopped.records[i].accuracy >= best, i + 1 == stopped.records.size()) << i;
  }
  RunState again = RunWhole(setting, "random");  // It has nothing left to do.
  const auto strategy = MakeStrategy("random", scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting);
  EXPECT_EQ(Simulate(setting, *strategy, *backend, {}, again), RunEnd::kOver);
  EXPECT_EQ(again.round, stopped.round);
}

// Tally adds up what it is told of participations, and compares it with each round's record.
class Tally : public Observer {
 public:
  explicit Tally(std::size_t devices) : participations(devices), energy_j(devices) {}
  void TookPart(const Setting&, std::uint64_t round,
                std::span<const ParticipationRecord> records) override {
    EXPECT_EQ(round, ++rounds);
    last = records.size();
    for (const ParticipationRecord& record : records) {
      ++participations[record.device];
      energy_j[record.device] += record.energy_j;
    }
  }
  bool AfterRound(const Setting&, const RunState& state) override {
    EXPECT_EQ(rounds, state.round);
    EXPECT_EQ(last, state.records.back().participants);
    return true;
  }

  std::uint64_t rounds = 0;
  std::size_t last = 0;
  std::vector<std::uint32_t> participations;
  std::vector<double> energy_j;
};

TEST(Simulate, TellsWhoTookPart) {
  const Setting setting = MakeSetting(TinyScenario());
  Tally tally(setting.fleet.devices);
  Observer* const observers[] = {&tally};
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy("probabilistic", setting.scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting);
  ASSERT_EQ(Simulate(setting, *strategy, *backend, observers, state), RunEnd::kOver);
  EXPECT_EQ(tally.rounds, setting.scenario.rounds);
  EXPECT_EQ(tally.participations, state.participations);
  EXPECT_EQ(tally.energy_j, state.energy_spent_j);  // The books add in the same order.
  EXPECT_GT(state.energy_j, 0);
}

TEST(Prepare, AgreesWithThePlan) {
  const Setting setting = MakeSetting(SmallScenario());
  const auto problem = ProblemOf(setting.fleet, setting.scenario.radio, setting.scenario.round);
  double shares = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    const Participation once = Describe(*problem, setting.plan, i);
    EXPECT_EQ(setting.upload_s[i], once.upload_s);
    EXPECT_EQ(setting.participation_j[i], once.energy_j);
    shares += setting.data_share[i];
  }
  EXPECT_NEAR(shares, 1, 2 * 20 * 0x1p-53);  // 20 quotients and sums
  EXPECT_FALSE(setting.always_j.has_value());
}

TEST(Prepare, ComputeAlwaysSplitsTheEnergy) {
  Scenario scenario = SmallScenario();
  scenario.round.compute = ComputeRule::kAlways;
  const Setting setting = MakeSetting(scenario);
  const auto problem = ProblemOf(setting.fleet, scenario.radio, scenario.round);
  ASSERT_TRUE(problem);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ((*setting.always_j)[i], setting.fleet.compute_energy_j[i]);
    const double once_j = Describe(*problem, setting.plan, i).energy_j;
    if (setting.plan.probability[i] > 0) {
      EXPECT_NEAR(setting.participation_j[i] + (*setting.always_j)[i], once_j,
                  16 * 0x1p-53 * once_j);
    }
  }
}

// The books say in the end what the rounds add up to.
TEST(Simulate, BooksAddUp) {
  const Setting setting = MakeSetting(TinyScenario());
  for (const StrategyEntry& entry : Strategies()) {
    const RunState state = RunWhole(setting, entry.name);
    ASSERT_EQ(state.records.size(), 13U);
    std::uint64_t participants = 0;
    for (std::size_t i = 0; i < state.records.size(); ++i) {
      const RoundRecord& record = state.records[i];
      EXPECT_EQ(record.round, i);
      EXPECT_EQ(record.accuracy.has_value(), i % 6 == 0);
      EXPECT_EQ(record.loss.has_value(), record.participants > 0);
      if (i > 0) {
        EXPECT_GE(record.time_s, state.records[i - 1].time_s);
      }
      participants += record.participants;
    }
    EXPECT_EQ(std::accumulate(state.participations.begin(), state.participations.end(), 0UL),
              participants);
    // Both add up the same numbers >= 0, fewer than 4000, in different orders.
    EXPECT_NEAR(std::accumulate(state.energy_spent_j.begin(), state.energy_spent_j.end(), 0.0),
                state.energy_j, 2 * 4000 * 0x1p-53 * state.energy_j);
    EXPECT_GT(participants, 0U) << entry.name;
  }
}

TEST(Simulate, LearnsSomething) {
  Scenario scenario = SmallScenario();
  scenario.rounds = 150;
  const RunState state = RunWhole(MakeSetting(scenario), "uniform");
  EXPECT_GT(*state.records.back().accuracy, *state.records.front().accuracy + 0.2);
}

// Devices send gradients, or models that they have trained by themselves.
TEST(Simulate, SameBytesForAnyThreads) {
  for (const std::string_view model : {"mlp", "cnn", "logistic"}) {
    for (const AggregationEntry& aggregation : Aggregations()) {
      // One aggregation shows what a model does; the other runs would only take time.
      if (model != "mlp" && &aggregation != &Aggregations().front()) continue;
      for (const std::size_t local_steps : {1, 3}) {
        Scenario scenario = SmallScenario();
        scenario.rounds = 2;
        scenario.model.name = model;
        scenario.learning.aggregation = aggregation.rule;
        scenario.learning.local_steps = local_steps;
        const Setting setting = MakeSetting(scenario);
        const RunState one = RunWhole(setting, "probabilistic", 1);
        EXPECT_TRUE(SameBytes(RunWhole(setting, "probabilistic", 3), one))
            << model << " " << aggregation.name << " " << local_steps;
      }
    }
  }
}

// Two threads train eight devices in a wave, and the last wave has one; four threads have a wave of
// sixteen and that one.
TEST(Simulate, SameBytesForAnyThreadsInSeveralWaves) {
  Scenario scenario = SmallScenario();
  scenario.rounds = 2;
  scenario.learning.local_steps = 2;
  scenario.strategy.At("random", "devices") = 17;
  const Setting setting = MakeSetting(scenario);
  const RunState one = RunWhole(setting, "random", 1);
  EXPECT_EQ(one.records.back().participants, 17u);
  for (const int threads : {2, 4}) {
    EXPECT_TRUE(SameBytes(RunWhole(setting, "random", threads), one)) << threads;
  }
}

TEST(Simulate, GoesOnToTheSameBytes) {
  Scenario scenario = TinyScenario();
  scenario.learning.momentum = 0.5;
  const Setting setting = MakeSetting(scenario);
  for (const StrategyEntry& entry : Strategies()) {
    const RunState whole = RunWhole(setting, entry.name);
    for (const std::uint64_t round : {0, 1, 7}) {
      RunState state = StartOf(setting);
      simulation::StopAt stop(round);
      Observer* const observers[] = {&stop};
      const auto first = MakeStrategy(entry.name, scenario.strategy);
      const auto second = MakeStrategy(entry.name, scenario.strategy);
      const auto backend = MakeSimulatedBackend(setting);
      ASSERT_EQ(Simulate(setting, *first, *backend, observers, state), RunEnd::kStopped);
      ASSERT_EQ(state.round, round);
      ASSERT_TRUE(Restore(setting, *second, state));
      ASSERT_EQ(Simulate(setting, *second, *backend, {}, state), RunEnd::kOver);
      EXPECT_TRUE(SameBytes(whole, state)) << entry.name << " from round " << round;
    }
  }
}

TEST(Simulate, EndsWhereNobodyIsAble) {
  Scenario scenario = SmallScenario();
  scenario.fleet.energy_budget_j = Spread::Constant(0);
  const Setting setting = MakeSetting(scenario);
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy("probabilistic");
  const auto backend = MakeSimulatedBackend(setting);
  EXPECT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kNobodyAble);
}

// With few participants, a third of the rounds is empty.
TEST(Simulate, EmptyRounds) {
  Scenario scenario = SmallScenario();
  scenario.round.time_limit_s = 0.02;
  scenario.rounds = 60;
  const auto empty_rounds = [](const RunState& state) {
    return std::count_if(state.records.begin() + 1, state.records.end(),
                         [](const RoundRecord& record) { return record.participants == 0; });
  };
  const RunState skipped = RunWhole(MakeSetting(scenario), "probabilistic");
  ASSERT_GT(empty_rounds(skipped), 5);
  scenario.round.empty = EmptyRound::kWait;
  const RunState waited = RunWhole(MakeSetting(scenario), "probabilistic");
  // Each of the 60 rounds is added, and rounded, on either side.
  EXPECT_NEAR(waited.time_s, skipped.time_s + 0.02 * double(empty_rounds(skipped)),
              2 * 64 * 0x1p-53 * waited.time_s);
  EXPECT_EQ(waited.energy_j, skipped.energy_j);
  scenario.round.empty = EmptyRound::kRedraw;
  EXPECT_EQ(empty_rounds(RunWhole(MakeSetting(scenario), "probabilistic")), 0);
}

// This strategy selects nobody, and may ask devices before.
class NobodyButAsks : public Strategy {
 public:
  explicit NobodyButAsks(bool asks) : asks_(asks) {}
  void Select(const SelectionView& view, Selection&) override {
    ++selections;
    EXPECT_TRUE(view.redraws_empty);
    double loss = 0;
    const std::uint32_t device = 3;
    if (asks_) view.probe->Ask(AskLoss{}, {&device, 1}, {&loss, 1});
  }
  int selections = 0;

 private:
  bool asks_;
};

// A round is drawn again, but devices are not asked again for it.
TEST(Simulate, AsksOnceInARound) {
  Scenario scenario = SmallScenario();
  scenario.round.empty = EmptyRound::kRedraw;
  scenario.rounds = 2;
  const Setting setting = MakeSetting(scenario);
  const auto backend = MakeSimulatedBackend(setting);
  RunState state = StartOf(setting);
  NobodyButAsks silent(false), asking(true);
  EXPECT_EQ(Simulate(setting, silent, *backend, {}, state), RunEnd::kOver);
  EXPECT_EQ(silent.selections, 2 * 1000);
  EXPECT_EQ(state.energy_j, 0);
  RunState asked = StartOf(setting);
  EXPECT_EQ(Simulate(setting, asking, *backend, {}, asked), RunEnd::kOver);
  EXPECT_EQ(asking.selections, 2);
  EXPECT_GT(asked.energy_spent_j[3], 0);
}

// Recorder keeps what it is told to train.
class Recorder : public Backend {
 public:
  double Train(std::span<const Assignment> assignments, const TrainingRound&,
               std::span<float> gradient, std::span<PartLoss>) override {
    rounds.emplace_back(assignments.begin(), assignments.end());
    std::ranges::fill(gradient, 0.0F);
    return 1;
  }
  Evaluation Evaluate(std::span<const float>) override { return {}; }
  void Losses(std::span<const std::uint32_t>, std::size_t, const TrainingRound&,
              std::span<double>) override {}
  void UpdateNorms(std::span<const std::uint32_t>, std::span<const double>, const TrainingRound&,
                   std::span<double>) override {}

  std::vector<std::vector<Assignment>> rounds;
};

// The strategy takes 5 of 20 devices, so each with probability 1/4, whatever the plan has. (50)
TEST(Simulate, UnbiasedWeightsAreThoseOfTheStrategy) {
  Scenario scenario = SmallScenario();
  scenario.learning.aggregation = Aggregation::kUnbiased;
  scenario.strategy.At("uniform", "devices") = 5;
  scenario.rounds = 3;
  const Setting setting = MakeSetting(scenario);
  ASSERT_TRUE(std::ranges::all_of(setting.plan.probability, [](double a) { return a > 0; }));
  Recorder recorder;
  RunState state = StartOf(setting);
  const auto uniform = MakeStrategy("uniform", scenario.strategy);
  Simulate(setting, *uniform, recorder, {}, state);
  const auto probabilistic = MakeStrategy("probabilistic");
  state = StartOf(setting);
  Simulate(setting, *probabilistic, recorder, {}, state);
  ASSERT_EQ(recorder.rounds.size(), 6U);
  for (std::size_t round = 0; round < 6; ++round) {
    for (const Assignment& assignment : recorder.rounds[round]) {
      const double a = round < 3 ? 0.25 : setting.plan.probability[assignment.device];
      const double weight = setting.data_share[assignment.device] / a;
      EXPECT_NEAR(assignment.weight, weight, 4 * 0x1p-53 * weight);
    }
  }
}

// Elsewhere is a backend whose devices with odd numbers never answer.
class Elsewhere : public Recorder {
 public:
  std::optional<Gathering> Gather(std::span<const ParticipationRecord> invited,
                                  const TrainingRound& round) override {
    EXPECT_GT(round.round, 0U);
    Gathering gathered{.arrivals = {}, .waited_s = 1e6};  // longer than any upload
    for (const ParticipationRecord& one : invited) {
      EXPECT_GT(one.power_w, 0);
      gathered.arrivals.push_back({.has_arrived = one.device % 2 == 0, .energy_j = 3});
    }
    asked += invited.size();
    return gathered;
  }
  std::size_t asked = 0;
};

// Those who answer share the weight, the books follow what was measured, and a run that was stopped
// goes on to the same bytes.
TEST(Simulate, DevicesElsewhere) {
  Scenario scenario = SmallScenario();
  scenario.strategy.At("uniform", "devices") = 5;
  scenario.rounds = 6;
  const Setting setting = MakeSetting(scenario);
  const auto strategy = MakeStrategy("uniform", scenario.strategy);
  Elsewhere backend;
  RunState state = StartOf(setting);
  ASSERT_EQ(Simulate(setting, *strategy, backend, {}, state), RunEnd::kOver);
  EXPECT_EQ(backend.asked, 30U);
  EXPECT_EQ(state.time_s, 6e6);
  EXPECT_EQ(state.energy_j, 30 * 3);
  std::size_t arrived = 0;
  ASSERT_EQ(state.records.size(), 7U);
  for (const std::vector<Assignment>& round : backend.rounds) {
    double weight = 0;
    for (const Assignment& assignment : round) {
      EXPECT_EQ(assignment.device % 2, 0U);
      weight += assignment.weight;
    }
    EXPECT_NEAR(weight, 1, 16 * 0x1p-53);  // up to five quotients and their sum
    arrived += round.size();
  }
  ASSERT_GT(arrived, 0U);
  ASSERT_LT(arrived, 30U);
  double counted = 0;
  for (std::size_t i = 1; i < 7; ++i) counted += state.records[i].arrived.value();
  EXPECT_EQ(counted, double(arrived));

  RunState again = StartOf(setting);
  simulation::StopAt stop(3);
  Observer* const observers[] = {&stop};
  const auto first = MakeStrategy("uniform", scenario.strategy);
  const auto second = MakeStrategy("uniform", scenario.strategy);
  ASSERT_EQ(Simulate(setting, *first, backend, observers, again), RunEnd::kStopped);
  const Status restored = Restore(setting, *second, again);
  ASSERT_TRUE(restored) << restored.error().message;
  ASSERT_EQ(Simulate(setting, *second, backend, {}, again), RunEnd::kOver);
  EXPECT_TRUE(SameBytes(state, again));
}

// Local training of one step sends w - rate * gradient, which is the same as a gradient step with
// that rate, but for rounding: an epoch adds up its few dozen samples in another order, and the
// parameters that are sent are rounded where a gradient is not. By (L1) that is about 1e-4 of a
// step, and three steps that each begin where the last one led make no more than ten times that.
TEST(Simulate, OneLocalEpochOverAllIsOneGradientStep) {
  Scenario scenario = SmallScenario();
  scenario.rounds = 3;
  scenario.learning.batch = 0;
  const RunState gradients = RunWhole(MakeSetting(scenario), "uniform");
  scenario.learning.local_epochs = 1;
  const RunState models = RunWhole(MakeSetting(scenario), "uniform");
  double distance = 0, size = 0;
  const RunState start = StartOf(MakeSetting(scenario));
  for (std::size_t i = 0; i < models.parameters.size(); ++i) {
    distance += std::pow(models.parameters[i] - gradients.parameters[i], 2);
    size += std::pow(gradients.parameters[i] - start.parameters[i], 2);
  }
  EXPECT_LT(std::sqrt(distance / size), 1e-3);
}

}  // namespace
}  // namespace airlot
