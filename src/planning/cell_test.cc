// The costs of taking part are worked by hand.
#include "airlot/cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

// Of the energy, 2 J go into computing and 1 J into receiving: half the frequency takes a quarter
// of the 2 J.
TEST(CostOf, OnlyComputingFollowsTheFrequency) {
  SmallCell small({1});
  small.compute_j = {3};
  small.cell.receive_energy_j = 1.0;
  const Terms terms{.power_w = 1, .bandwidth_hz = 1, .cpu_share = 0.5};
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms).energy_j, 1 + 0.5 + 1);
  EXPECT_DOUBLE_EQ(ComputeEnergy(small.cell, 0), 2);
  EXPECT_DOUBLE_EQ(ReceiveEnergy(small.cell, 0), 1);
  EXPECT_EQ(FixedEnergyOf(small.cell.problem, 0).always_j, 0);
  EXPECT_EQ(FixedEnergyOf(small.cell.problem, 0).drawn_j, 3);
  small.cell.problem.compute_rule = ComputeRule::kAlways;
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms).energy_j, 1);
  EXPECT_EQ(ComputeEnergy(small.cell, 0), 0);
  EXPECT_EQ(ReceiveEnergy(small.cell, 0), 0);
  EXPECT_EQ(FixedEnergyOf(small.cell.problem, 0).always_j, 3);
  EXPECT_EQ(FixedEnergyOf(small.cell.problem, 0).drawn_j, 0);
}

// Sending takes 1 J, receiving 1 J and computing 2 J, of which a quarter is asked for.
TEST(CostOf, CountsOnlyThePartThatIsAskedFor) {
  SmallCell small({1});
  small.compute_j = {3};
  small.compute_s = {8};
  small.cell.receive_energy_j = 1.0;
  Terms terms{.power_w = 1, .bandwidth_hz = 1};
  const ParticipationPart quarter{.compute_share = 0.25, .includes_reception = false};
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms, quarter).energy_j, 1 + 0.5);
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms, quarter).compute_s, 2);
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms, {.compute_share = 0.25}).energy_j, 1 + 0.5 + 1);
  terms.update_bits = 0;  // Nothing is sent, at whatever rate.
  terms.power_w = 0;
  EXPECT_EQ(CostOf(small.cell, 0, terms, quarter).upload_s, 0);
  EXPECT_DOUBLE_EQ(CostOf(small.cell, 0, terms, quarter).energy_j, 0.5);
}

// The noise is 1 W in the device's own band of 1 Hz, and as much or twice as much in 2 Hz.
TEST(ColumnsIn, ScaleWithTheBand) {
  SmallCell small({1});
  small.cell.problem.snr_gap = 4;
  for (const bool grows : {false, true}) {
    small.cell.noise_grows_with_band = grows;
    const BandColumns columns = ColumnsIn(small.cell, 0, 2);
    EXPECT_DOUBLE_EQ(columns.noise_to_gain_w, grows ? 2 : 1);
    EXPECT_DOUBLE_EQ(columns.nat_time_s, std::numbers::ln2 / 2);
    EXPECT_DOUBLE_EQ(NoiseToGain(small.cell, 0, 2), grows ? 8 : 4);
  }
}

// On the terms of the plan the cost is what the plan says.
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
    // Both sides have the same formulas, with at most ten operations each.
    EXPECT_NEAR(cost.energy_j, planned.energy_j, 20 * 0x1p-53 * planned.energy_j);
    EXPECT_NEAR(cost.upload_s, planned.upload_s, 20 * 0x1p-53 * planned.upload_s);
  }
}

// Bands of 1 Hz, P^max = 1 W and noise over gain of 0.1 W: an SNR of 10 at full power.
TEST(CellSteps, TimesAndPowersAreThoseOfTheTable) {
  planning::SmallCell small({0.1});
  Cell& cell = small.cell;
  cell.problem.steps.rates = {{2, 0.5}, {8, 2}};
  EXPECT_EQ(SendTime(cell, 0, 0.15, 1, 3), INFINITY);
  EXPECT_NEAR(SendTime(cell, 0, 0.2, 1, 3), 6, 1e-14);
  EXPECT_NEAR(SendTime(cell, 0, 0.8, 1, 3), 1.5, 1e-14);
  EXPECT_NEAR(SendPower(cell, 0, 1, 3, 6), 0.2, 1e-16);
  EXPECT_NEAR(SendPower(cell, 0, 1, 3, 5.9), 0.8, 1e-15);
  EXPECT_EQ(SendPower(cell, 0, 1, 3, 1.4), INFINITY);
  EXPECT_NEAR(FitPower(cell, 0, 1, 0.05), 0.2, 1e-16);  // up to the first row
  EXPECT_EQ(FitPower(cell, 0, 1, 0.5), 0.5);
  cell.problem.steps.power_levels_w = {0.1, 0.3, 1};
  EXPECT_EQ(FitPower(cell, 0, 1, 0.05), 0.3);
  EXPECT_EQ(FitPower(cell, 0, 1, 0.5), 1);
  cell.noise_grows_with_band = true;
  EXPECT_EQ(FitPower(cell, 0, 4, 0.05), 1);    // an SNR of 2.5 there
  EXPECT_EQ(FitPower(cell, 0, 100, 0.05), 1);  // which does not reach the first row
  EXPECT_EQ(SendTime(cell, 0, 1, 100, 3), INFINITY);
  // The server sends by Shannon's formula, log2(1 + 10 W/0.1 W) in 1 Hz, up to the last row.
  EXPECT_NEAR(ReceiveTime(cell, 0), 0.5, 1e-15);
  cell.problem.steps.rates.back().bit_per_s_per_hz = 9;
  EXPECT_NEAR(ReceiveTime(cell, 0), 1 / std::log2(101), 1e-15);
}

}  // namespace
}  // namespace airlot::planning
