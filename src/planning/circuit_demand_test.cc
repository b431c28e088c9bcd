// Bands at a price with circuit power: by hand, and against differences of the planner.
#include "planning/circuit_demand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "planning/band_fleet_for_tests.h"

namespace airlot::planning {
namespace {

// One device of 1 nat, τ = 1 s, weight 1; no energy for its computation unless set.
class CircuitBandTest : public testing::Test {
 protected:
  CircuitBandTest() {
    fleet_.update_bits[0] = 1 / std::numbers::ln2;
    fleet_.compute_energy_j[0] = 0;
    fleet_.max_power_w[0] = 1e6;
  }
  CircuitBand Band() const { return {fleet_.problem, 0}; }
  // The band at the slope of this one is this one, and the slope is that of the planner's values.
  void ExpectSlopeAt(double band_hz, const char* what) {
    SCOPED_TRACE(what);
    const CircuitBand band = Band();
    const double step_hz = 1e-4 * band_hz;
    const double slope =
        (band.Value(band_hz + step_hz) - band.Value(band_hz - step_hz)) / (2 * step_hz);
    ASSERT_GT(slope, 0);
    EXPECT_NEAR(band.BandAt(slope) / band_hz, 1, 1e-4);
  }
  BandFleet fleet_{1};
};

// Noise of 1 W: u_0 = 1 where P^c = h(1) = 1 W, so that a nat costs g·e^1 J a hertz: a = E·B/e.
TEST_F(CircuitBandTest, FixedNoiseByHand) {
  fleet_.problem.cell.problem.circuit_power_w = 1;
  fleet_.energy_budget_j[0] = 0.5;
  const CircuitBand band = Band();
  EXPECT_NEAR(band.Value(1), 0.5 / std::numbers::e, 1e-12);
  EXPECT_NEAR(band.choke_price(), 0.5 / std::numbers::e, 1e-12);
  EXPECT_NEAR(band.saturated_hz(), 2 * std::numbers::e, 1e-9);
  EXPECT_NEAR(band.BandAt(0.9 * band.choke_price()), 2 * std::numbers::e, 1e-9);
  EXPECT_NEAR(band.BandAt(band.choke_price()), 2 * std::numbers::e, 1e-9);  // all of the line
}

// A density of 1 W/Hz: h(u_0) = P^c/B, and a = E/e^u_0.
TEST_F(CircuitBandTest, DensityByHand) {
  fleet_.problem.cell.noise_grows_with_band = true;
  fleet_.problem.cell.problem.circuit_power_w = 1;
  fleet_.energy_budget_j[0] = 0.5;
  const CircuitBand band = Band();
  EXPECT_NEAR(band.Value(1), 0.5 / std::numbers::e, 1e-12);
  // da/dB = (a²/E)·c·P^c/(B²·u_0) at B = 1 and u_0 = 1.
  const double slope = 0.5 / (std::numbers::e * std::numbers::e);
  EXPECT_NEAR(band.BandAt(slope), 1, 1e-9);
  EXPECT_EQ(band.saturated_hz(), INFINITY);  // a nat takes at least a joule
}

TEST_F(CircuitBandTest, SlopesOfEveryCase) {
  PlanningProblem& problem = fleet_.problem.cell.problem;
  problem.circuit_power_w = 1;
  for (const bool is_density : {false, true}) {
    SCOPED_TRACE(is_density ? "density" : "fixed");
    fleet_.problem.cell.noise_grows_with_band = is_density;
    fleet_.compute_energy_j[0] = 0.3;
    fleet_.energy_budget_j[0] = 0.5;
    fleet_.max_power_w[0] = 1e6;
    problem.spectral_efficiency_cap = INFINITY;
    ExpectSlopeAt(1.3, "energy, time left over");
    fleet_.energy_budget_j[0] = 3;
    ExpectSlopeAt(0.3, "energy and time");
    fleet_.max_power_w[0] = 0.5;
    fleet_.energy_budget_j[0] = 0.2;
    ExpectSlopeAt(2, "power and energy");
    if (!is_density) continue;  // the others are straight lines there
    fleet_.energy_budget_j[0] = 5;
    ExpectSlopeAt(0.4, "power and time");
    fleet_.max_power_w[0] = 1e6;
    fleet_.energy_budget_j[0] = 0.2;
    problem.spectral_efficiency_cap = 0.3;
    ExpectSlopeAt(2, "rate and energy");
  }
}

// Time, power and energy bind together: a kink, where a range of prices has one band.
TEST_F(CircuitBandTest, AKinkHasManyPrices) {
  fleet_.problem.cell.noise_grows_with_band = true;
  fleet_.problem.cell.problem.circuit_power_w = 1;
  fleet_.noise_to_gain_w[0] = 1e-9;
  fleet_.update_bits[0] = 1e6 / std::numbers::ln2;
  fleet_.time_limit_s[0] = 10;
  fleet_.energy_budget_j[0] = 12;
  fleet_.compute_energy_j[0] = 2;
  fleet_.max_power_w[0] = 0.1;
  const CircuitBand band = Band();
  const double kink_hz = band.BandAt(8.5e-5);
  EXPECT_NEAR(kink_hz, 5054, 1);
  EXPECT_NEAR(band.Value(kink_hz), 0.5, 1e-9);
  EXPECT_NEAR(band.BandAt(8.3e-5) / kink_hz, 1, 1e-9);
  EXPECT_LT(band.BandAt(9.1e-5), 0.999 * kink_hz);
  EXPECT_GT(band.BandAt(8.0e-5), 1.001 * kink_hz);
}

TEST_F(CircuitBandTest, WithoutWeightOrBudgetItBuysNothing) {
  fleet_.problem.cell.problem.circuit_power_w = 1;
  fleet_.weight[0] = 0;
  EXPECT_EQ(Band().choke_price(), -1);
  fleet_.weight[0] = 1;
  fleet_.energy_budget_j[0] = 0;
  EXPECT_EQ(Band().choke_price(), -1);
}

}  // namespace
}  // namespace airlot::planning
