// The levels that are found for blocks of devices are those of each device, to the bit.
#include "planning/power_levels.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "airlot/random.h"

namespace airlot {
namespace {

std::vector<double> LevelsOf(const RadioSteps& steps, double max_power_w) {
  std::vector<double> levels_w;
  VisitLevels(steps, max_power_w, [&](double level_w) {
    levels_w.push_back(level_w);
    return true;
  });
  return levels_w;
}

std::vector<double> LevelsOf(planning::PowerLevels& levels, std::size_t device) {
  const planning::PowerLevels::View view = levels.Of(device);
  std::vector<double> levels_w;
  for (std::size_t k = 0; k < view.size(); ++k) levels_w.push_back(view[k]);
  return levels_w;
}

const std::vector<RadioSteps>& LevelledRadios() {
  static const std::vector<RadioSteps> radios = {
      {.min_power_w = 1e-4, .power_step = 1.3},
      {.min_power_w = 0.04, .power_step = 7},
      {.min_power_w = 0.02, .power_step = 1.003},
      {.power_levels_w = {0.001, 0.004, 0.02, 0.05, 0.1, 0.2, 0.5}}};
  return radios;
}

TEST(PowerLevels, AreThoseOfEachDevice) {
  for (const std::size_t devices : {1, 7, 8, 9, 50}) {
    ColumnValues max_power_w;
    for (std::size_t i = 0; i < devices; ++i) {
      RandomStream stream(3, PurposeNamed("power-levels-test"), devices, i);
      max_power_w.push_back(i % 5 == 0 ? 0.1 : 0.05 + 0.4 * stream.Uniform());
    }
    for (const RadioSteps& steps : LevelledRadios()) {
      PlanningProblem problem{.devices = devices, .steps = steps};
      problem.max_power_w = max_power_w;
      planning::PowerLevels levels(problem);
      for (std::size_t i = 0; i < devices; ++i) {
        EXPECT_EQ(LevelsOf(levels, i), LevelsOf(steps, max_power_w[i])) << i << " of " << devices;
      }
      // A block that is asked for again is found again.
      EXPECT_EQ(LevelsOf(levels, 0), LevelsOf(steps, max_power_w[0]));
    }
  }
}

TEST(PowerLevels, AreTheSameWherePowersAre) {
  for (const RadioSteps& steps : LevelledRadios()) {
    PlanningProblem problem{.devices = 20, .steps = steps};
    problem.max_power_w = 0.3;
    planning::PowerLevels levels(problem);
    for (const std::size_t i : {0, 7, 8, 19}) {
      EXPECT_EQ(LevelsOf(levels, i), LevelsOf(steps, 0.3)) << i;
    }
  }
}

}  // namespace
}  // namespace airlot
