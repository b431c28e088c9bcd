#include "simulation/shared_evaluations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "airlot/simulation.h"
#include "base/shards.h"
#include "simulation/settings_for_tests.h"

namespace airlot {
namespace {

using simulation::SharedEvaluations;

TEST(SharedEvaluations, FindsEachModelOnce) {
  SharedEvaluations shared;
  int evaluations = 0;
  const auto evaluate = [&] { return Evaluation{.loss = double(++evaluations)}; };
  const std::vector<float> one{1, 2, 3}, other{1, 2, 3.0000002F};
  EXPECT_EQ(shared.Of(one, evaluate).loss, 1);
  EXPECT_EQ(shared.Of(other, evaluate).loss, 2);
  EXPECT_EQ(shared.Of(std::vector<float>{1, 2, 3}, evaluate).loss, 1);
  EXPECT_EQ(evaluations, 2);
}

TEST(SharedEvaluations, ThreadsShareOneEvaluation) {
  SharedEvaluations shared;
  std::atomic<int> evaluations = 0;
  const std::vector<float> model{1, 2, 3};
  std::vector<double> losses(16);
  base::ForEachTask(losses.size(), 4, [&](std::size_t task, std::size_t) {
    losses[task] = shared.Of(model, [&] { return Evaluation{.loss = double(++evaluations)}; }).loss;
  });
  EXPECT_EQ(evaluations, 1);
  EXPECT_EQ(losses, std::vector<double>(16, 1));
}

TEST(SharedEvaluations, TriesAgainAfterAnException) {
  SharedEvaluations shared;
  const std::vector<float> model{1};
  const auto fail = []() -> Evaluation { throw std::runtime_error("no memory"); };
  EXPECT_THROW(shared.Of(model, fail), std::runtime_error);
  EXPECT_EQ(shared.Of(model, [] { return Evaluation{.loss = 5}; }).loss, 5);
}

TEST(SharedEvaluations, AreBounded) {
  SharedEvaluations shared;
  int evaluations = 0;
  const auto ask = [&](std::size_t model) {
    const std::vector<float> parameters{float(model)};
    return shared.Of(parameters, [&] { return Evaluation{.loss = double(++evaluations)}; }).loss;
  };
  for (std::size_t i = 0; i <= SharedEvaluations::kMostModels; ++i) ask(i);
  EXPECT_EQ(ask(0), 1);
  const int before = evaluations;
  ask(SharedEvaluations::kMostModels);  // it came too late to be remembered
  EXPECT_EQ(evaluations, before + 1);
}

// A run whose setting shares test results is, number by number, the run without them.
TEST(SharedEvaluations, RunsAreTheSame) {
  Scenario scenario;
  scenario.data.dataset = "digits";
  scenario.model.name = "mlp";
  scenario.fleet.devices = 5;
  scenario.round.time_limit_s = 1;
  scenario.rounds = 2;
  scenario.evaluate_every = 1;
  scenario.strategy.At("tifl", "devices") = 2;
  scenario.strategy.At("uniform", "devices") = 3;
  const Setting alone = simulation::SettingOf(scenario, simulation::DigitsOf(300, 20));
  Setting shared = alone;
  shared.evaluations = std::make_shared<SharedEvaluations>();
  for (const char* name : {"uniform", "all", "tifl", "uniform"}) {
    RunState states[] = {StartOf(alone), StartOf(shared)};
    for (const bool shares : {false, true}) {
      const Setting& setting = shares ? shared : alone;
      const auto strategy = MakeStrategy(name, scenario.strategy);
      const auto backend = MakeSimulatedBackend(setting);
      Simulate(setting, *strategy, *backend, {}, states[shares]);
    }
    ASSERT_EQ(states[0].records.size(), 3U) << name;
    for (std::size_t i = 0; i < states[0].records.size(); ++i) {
      EXPECT_EQ(states[0].records[i].accuracy, states[1].records[i].accuracy) << name;
      EXPECT_EQ(states[0].records[i].test_loss, states[1].records[i].test_loss) << name;
    }
    EXPECT_EQ(states[0].parameters, states[1].parameters) << name;
  }
}

}  // namespace
}  // namespace airlot
