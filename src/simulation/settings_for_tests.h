// These functions make small settings for tests of whole runs.
#ifndef AIRLOT_SIMULATION_SETTINGS_FOR_TESTS_H_
#define AIRLOT_SIMULATION_SETTINGS_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "airlot/simulation.h"

namespace airlot::simulation {

inline std::shared_ptr<const Dataset> DigitsOf(std::size_t train_samples,
                                               std::size_t test_samples) {
  return std::make_shared<const Dataset>(
      DrawDigits({.train_samples = train_samples, .test_samples = test_samples, .seed = 3}));
}

// Returns a scenario of few devices with uneven digits, and rounds of a second.
inline Scenario DigitsScenario(std::size_t devices, std::size_t rounds,
                               std::size_t evaluate_every) {
  Scenario scenario;
  scenario.data.dataset = "digits";
  scenario.data.partition.beta = 0.5;
  scenario.model.name = "mlp";
  scenario.fleet.devices = devices;
  scenario.round.time_limit_s = 1;
  scenario.rounds = rounds;
  scenario.evaluate_every = evaluate_every;
  return scenario;
}

inline Setting SettingOf(const Scenario& scenario, std::shared_ptr<const Dataset> dataset) {
  auto setting = Prepare(scenario, 1, std::move(dataset));
  EXPECT_TRUE(setting) << setting.error().message;
  return std::move(*setting);
}

// StopAt stops a run after a given round.
class StopAt : public Observer {
 public:
  explicit StopAt(std::uint64_t round) : round_(round) {}
  bool AfterRound(const Setting&, const RunState& state) override { return state.round != round_; }

 private:
  std::uint64_t round_;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_SETTINGS_FOR_TESTS_H_
