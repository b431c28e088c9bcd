// What taking part costs, worked by hand.
#include "airlot/cell.h"

#include <gtest/gtest.h>

#include "airlot/planning.h"
#include "planning/small_cell_for_tests.h"

namespace airlot::planning {
namespace {

// At 1 W over 1 W of noise a bit takes 1 s; at 3 W half of that.
TEST(CostOf, CountsTheAmplifierAndTheCircuits) {
  SmallCell small({1});
  small.compute_j = {2};
  Terms terms{.power_w = 1, .bandwidth_hz = 1};
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms).energy_j, 1 + 2);
  small.cell.problem.amplifier_efficiency = 0.25;
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms).energy_j, 4 + 2);
  small.cell.problem.circuit_power_w = 3;
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms).energy_j, 7 + 2);
  terms.power_w = 3;
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms).energy_j, 15 * 0.5 + 2);
  small.cell.problem.compute_rule = ComputeRule::kAlways;
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms).energy_j, 15 * 0.5);
}

// On the terms of the plan it is what the plan says.
TEST(CostOf, AgreesWithThePlan) {
  SmallCell small({1, 0.5, 2});
  small.cell.problem.amplifier_efficiency = 0.5;
  small.cell.problem.circuit_power_w = 0.1;
  small.compute_j = {0.1, 0.2, 0.3};
  const Plan plan = Solve(small.cell.problem);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_GT(plan.probability[i], 0);
    const Participation planned = Describe(small.cell.problem, plan, i);
    const ParticipationCost cost =
        CostOf(small.cell, i, {.power_w = plan.power_w[i], .bandwidth_hz = 1});
    EXPECT_NEAR(cost.energy_j, planned.energy_j, 1e-14);
    EXPECT_NEAR(cost.upload_s, planned.upload_s, 1e-14);
  }
}

}  // namespace
}  // namespace airlot::planning
