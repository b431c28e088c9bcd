// Bands at a price with circuit power are tested by hand, and against differences of the planner.
#include "planning/circuit_demand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "planning/band_fleet_for_tests.h"

namespace airlot::planning {
namespace {

// A value takes some 30 operations, of which the exponential and Newton's last step are off by a
// few units: 64 roundings at the most. At the cheapest power the root moves the value by its
// square.
constexpr double kValueError = 64 * 0x1p-53;
// Bands are found, and prices met, within 1e-12; both at once, and some rounding.
constexpr double kMet = 3e-12;

// The tests have one device of 1 nat, τ = 1 s, weight 1; it has no energy for its computation
// unless set.
class CircuitDemandTest : public testing::Test {
 protected:
  CircuitDemandTest() {
    fleet_.update_bits[0] = 1 / std::numbers::ln2;
    fleet_.compute_energy_j[0] = 0;
    fleet_.max_power_w[0] = 1e6;
  }
  CircuitDemand Band() const { return {fleet_.problem, 0}; }
  // The band at the slope of this one is this one, and the slope is that of the planner's values.
  // The central difference over twice the step is off by four times as much, so that the two differ
  // by three times the error of the first, up to its fourth powers. Beside that a value is rounded
  // (kValueError), and the price is met within kMet. What all this moves the slope by, it moves the
  // band by 1/elasticity times as much.
  void ExpectSlopeAt(double band_hz, const char* what) {
    SCOPED_TRACE(what);
    const CircuitDemand band = Band();
    const auto slope_at = [&](double at_hz, double step_hz) {
      return (band.Value(at_hz + step_hz) - band.Value(at_hz - step_hz)) / (2 * step_hz);
    };
    const double step_hz = 1e-4 * band_hz, slope = slope_at(band_hz, step_hz);
    ASSERT_GT(slope, 0);
    const double truncation = std::abs(slope_at(band_hz, 2 * step_hz) / slope - 1);
    const double rounding = kValueError * band.Value(band_hz) / (step_hz * slope);
    const double elasticity =
        std::log(slope_at(band_hz / 1.01, step_hz) / slope_at(band_hz * 1.01, step_hz)) /
        (2 * std::log(1.01));
    const double most = (truncation + rounding + kMet) / elasticity;
    EXPECT_NEAR(band.BandAt(slope) / band_hz, 1, most);
    EXPECT_LT(most, 1e-6);
  }
  DrawnBandFleet fleet_{1};
};

// With a noise of 1 W, u_0 = 1 where P^c = h(1) = 1 W, so that a nat costs g·e^1 J a hertz: a =
// E·B/e.
TEST_F(CircuitDemandTest, FixedNoiseByHand) {
  fleet_.problem.cell.problem.circuit_power_w = 1;
  fleet_.energy_budget_j[0] = 0.5;
  const CircuitDemand band = Band();
  const double full_hz = 2 * std::numbers::e;
  EXPECT_NEAR(band.Value(1) * full_hz, 1, kValueError);
  EXPECT_NEAR(band.choke_price() * full_hz, 1, kValueError);
  EXPECT_NEAR(band.saturated_hz() / full_hz, 1, kMet);
  EXPECT_NEAR(band.BandAt(0.9 * band.choke_price()) / full_hz, 1, kMet);
  EXPECT_NEAR(band.BandAt(band.choke_price()) / full_hz, 1, kMet);  // all of the line
}

// Wherever rounding puts the slopes of the line, its price buys all of it.
TEST_F(CircuitDemandTest, ThePriceOfALineBuysAllOfIt) {
  fleet_.problem.cell.problem.circuit_power_w = 1;
  for (double budget_j = 0.01; budget_j < 2.7; budget_j *= 1.037) {
    for (const double nats : {1.0, 1.7, 30.0}) {
      fleet_.energy_budget_j[0] = budget_j;
      fleet_.update_bits[0] = nats / std::numbers::ln2;
      const CircuitDemand band = Band();
      const double full_hz = nats * std::numbers::e / budget_j;
      ASSERT_NEAR(band.BandAt(band.choke_price()) / full_hz, 1, kMet) << budget_j << ' ' << nats;
    }
  }
}

// With a density of 1 W/Hz, h(u_0) = P^c/B, and a = E/e^u_0.
TEST_F(CircuitDemandTest, DensityByHand) {
  fleet_.problem.cell.noise_grows_with_band = true;
  fleet_.problem.cell.problem.circuit_power_w = 1;
  fleet_.energy_budget_j[0] = 0.5;
  const CircuitDemand band = Band();
  EXPECT_NEAR(band.Value(1) * 2 * std::numbers::e, 1, kValueError);
  // The slope is da/dB = (a²/E)·c·P^c/(B²·u_0) at B = 1 and u_0 = 1.
  const double slope = 0.5 / (std::numbers::e * std::numbers::e);
  EXPECT_NEAR(band.BandAt(slope), 1, kMet);
  EXPECT_EQ(band.saturated_hz(), INFINITY);  // a nat takes at least a joule
}

TEST_F(CircuitDemandTest, SlopesOfEveryCase) {
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
    if (!is_density) continue;  // the others are straight lines at this price
    fleet_.energy_budget_j[0] = 5;
    ExpectSlopeAt(0.4, "power and time");
    fleet_.max_power_w[0] = 1e6;
    fleet_.energy_budget_j[0] = 0.2;
    problem.spectral_efficiency_cap = 0.3;
    ExpectSlopeAt(2, "rate and energy");
  }
}

// Time, power and energy bind together at a kink, where a range of prices has one band.
TEST_F(CircuitDemandTest, AKinkHasManyPrices) {
  fleet_.problem.cell.noise_grows_with_band = true;
  fleet_.problem.cell.problem.circuit_power_w = 1;
  fleet_.noise_to_gain_w[0] = 1e-9;
  fleet_.update_bits[0] = 1e6 / std::numbers::ln2;
  fleet_.time_limit_s[0] = 10;
  fleet_.energy_budget_j[0] = 12;
  fleet_.compute_energy_j[0] = 2;
  fleet_.max_power_w[0] = 0.1;
  const CircuitDemand band = Band();
  // Of 12 J an upload of a·T = 10 s takes 11 J at 0.1 W, so a = 1/2, and 1e6 nats in T = 20 s:
  // B·ln(1 + 0.1/(1e-9·B)) = 5e4, whose iteration gains a digit a step.
  double kink_hz = 5000;
  for (int step = 0; step < 40; ++step) kink_hz = 5e4 / std::log1p(1e8 / kink_hz);
  // The budget counts as spent within 1e-12 of it, 1.2e-11 J. Of what is spent, 1 J grows with the
  // band, by 1 - 1/u = 0.9 of its share: the kink is known within 1.4e-11 of it, and kMet.
  const double found_hz = band.BandAt(8.5e-5);
  EXPECT_NEAR(found_hz / kink_hz, 1, 2e-11);
  EXPECT_NEAR(band.Value(found_hz), 0.5, 0.5 * 2e-11);  // no larger share than the band
  EXPECT_NEAR(band.BandAt(8.3e-5) / found_hz, 1, kMet);
  EXPECT_LT(band.BandAt(9.1e-5), 0.999 * kink_hz);
  EXPECT_GT(band.BandAt(8.0e-5), 1.001 * kink_hz);
}

TEST_F(CircuitDemandTest, WithoutWeightOrBudgetItBuysNothing) {
  fleet_.problem.cell.problem.circuit_power_w = 1;
  fleet_.weight[0] = 0;
  EXPECT_EQ(Band().choke_price(), -1);
  fleet_.weight[0] = 1;
  fleet_.energy_budget_j[0] = 0;
  EXPECT_EQ(Band().choke_price(), -1);
}

}  // namespace
}  // namespace airlot::planning
