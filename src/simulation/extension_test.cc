// The training rule and the strategy here are written as somebody else would write them: by the
// public headers alone, with parts of the state that checkpoints keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "airlot/simulation.h"
#include "simulation/settings_for_tests.h"

namespace airlot {
namespace {

// Counts are numbers under a name of their own.
template <char kName>
class Counts : public StatePart {
 public:
  std::vector<double> counts;

  std::string_view name() const override { return name_; }
  void Save(ByteWriter& bytes) const override { bytes.Put(counts); }
  void Load(ByteReader& bytes) override { bytes.Take(counts); }
  Status Check(const RunSizes& sizes) const override {
    return CheckNoneOr(sizes.devices, counts.size(), "counts");
  }
  std::vector<DeviceColumn> DeviceColumns(std::uint64_t) const override {
    return {{std::string(name_), {counts.begin(), counts.end()}}};
  }

 private:
  std::string_view name_{kNameText, 1};
  static constexpr char kNameText[] = {kName, 0};
};

// Every update counts half as much as the one that the device sent before, and local training goes
// half as fast as it was told.
class Halving : public TrainingRule, public UpdateStep {
 public:
  Halving(const LearningRules& rules, StateParts& parts)
      : rate_(rules.rate), sent_(parts.Get<Counts<'h'>>()) {}

  void Step(std::span<const float> sum, std::span<float> parameters) override {
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= float(rate_) * sum[i];
  }
  UpdateStep* update_step() override { return this; }

  void StartRound(std::span<const Assignment>, const RunSizes& sizes) override {
    sent_.counts.resize(sizes.devices);
  }
  void BeforeTraining(std::uint32_t, LocalTraining& training) override {
    training.rate /= 2;
    training.steps *= 2;
  }
  void AfterTraining(const LocalResult& result, std::span<float> update) override {
    if (!result.end.empty()) {  // The device trained, and the result says how.
      EXPECT_EQ(result.rate, rate_ / 2);
      EXPECT_EQ(result.steps, 6U);
    }
    const double times = sent_.counts[result.participant.device]++;
    for (float& value : update) value = float(value * std::pow(0.5, times));
  }

 private:
  double rate_;
  Counts<'h'>& sent_;
};

// LeastOften selects the device that was selected least often; of several it takes the lowest
// number.
class LeastOften : public Strategy {
 public:
  void Bind(StateParts& parts) override { selected_ = &parts.Get<Counts<'l'>>(); }
  void Select(const SelectionView& view, Selection& selection) override {
    selected_->counts.resize(view.probability.size());
    const auto least = std::ranges::min_element(selected_->counts);
    ++*least;
    selection.devices.push_back(std::uint32_t(least - selected_->counts.begin()));
  }

 private:
  Counts<'l'>* selected_ = nullptr;
};

Setting MakeSetting(const std::string& learning = "learning.local_steps=1") {
  static const Status registered = RegisterTrainingRule(
      {.name = "halving",
       .summary = "Every update counts half as much as the one before.",
       .make = [](const LearningRules& rules, StateParts& parts) -> std::unique_ptr<TrainingRule> {
         return std::make_unique<Halving>(rules, parts);
       }});
  EXPECT_TRUE(registered);
  const std::vector<std::string> overrides{
      "data.dataset=digits",   "model.name=mlp", "fleet.devices=4",
      "round.time_limit_s=1",  "rounds=6",       "evaluate_every=6",
      "learning.rule=halving", learning};
  auto scenario = ReadScenario("paper-highly-biased", overrides);
  EXPECT_TRUE(scenario) << scenario.error().message;
  EXPECT_NE(FormatScenario(*scenario).find("halving"), std::string::npos);
  return simulation::SettingOf(*scenario, simulation::DigitsOf(400, 50));
}

// Returns the state as a checkpoint gives it back.
RunState Reread(RunState state) {
  StateParts saved;
  for (const auto& part : state.parts.all()) {
    ByteWriter bytes;
    part->Save(bytes);
    EXPECT_TRUE(saved.AddSaved(std::string(part->name()), bytes.bytes()));
  }
  state.parts = std::move(saved);
  return state;
}

// Returns the column of that name after six rounds, from whichever part has it.
std::vector<std::optional<double>> ColumnOf(const StateParts& parts, std::string_view name) {
  for (const auto& part : parts.all()) {
    for (const DeviceColumn& column : part->DeviceColumns(6)) {
      if (column.name == name) return column.values;
    }
  }
  return {};
}

TEST(Extension, RulesAndStrategiesFromOutsideRunAndGoOn) {
  const Setting setting = MakeSetting();
  ASSERT_TRUE(MayTakePart(setting));
  const auto backend = MakeSimulatedBackend(setting);
  RunState whole = StartOf(setting);
  LeastOften strategy;
  ASSERT_EQ(Simulate(setting, strategy, *backend, {}, whole), RunEnd::kOver);
  const std::vector<std::optional<double>> twice_twice_once_once{2, 2, 1, 1};
  EXPECT_EQ(ColumnOf(whole.parts, "l"), twice_twice_once_once);
  EXPECT_EQ(ColumnOf(whole.parts, "h"), twice_twice_once_once);

  RunState parts = StartOf(setting);
  simulation::StopAt stop(3);
  Observer* const observers[] = {&stop};
  LeastOften first, second;
  ASSERT_EQ(Simulate(setting, first, *backend, observers, parts), RunEnd::kStopped);
  parts = Reread(std::move(parts));
  const Status restored = Restore(setting, second, parts);
  ASSERT_TRUE(restored) << restored.error().message;
  ASSERT_EQ(Simulate(setting, second, *backend, {}, parts), RunEnd::kOver);
  EXPECT_EQ(parts.parameters, whole.parameters);
  EXPECT_EQ(ColumnOf(parts.parts, "l"), twice_twice_once_once);
  EXPECT_EQ(ColumnOf(parts.parts, "h"), twice_twice_once_once);
}

TEST(Extension, ResultsSayHowTheDeviceTrained) {
  const Setting setting = MakeSetting("learning.local_steps=3");
  const auto backend = MakeSimulatedBackend(setting);
  RunState state = StartOf(setting);
  LeastOften strategy;
  EXPECT_EQ(Simulate(setting, strategy, *backend, {}, state), RunEnd::kOver);
  EXPECT_GT(state.parts.Get<Counts<'h'>>().counts.at(0), 0);
}

TEST(Extension, AStrategyWithoutItsPartIsToldSo) {
  const Setting setting = MakeSetting();
  RunState state = Reread(StartOf(setting));
  LeastOften strategy;
  const Status restored = Restore(setting, strategy, state);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().message, "state part l is missing");
}

}  // namespace
}  // namespace airlot
