// These tests are about how a scenario's band is split: what that gains, what it leaves alone, and
// what the plan makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "airlot/band_split.h"
#include "airlot/scenario_fleet.h"

namespace airlot {
namespace {

Scenario With(std::vector<std::string> overrides) {
  auto scenario = ParseScenario("", "test", overrides);
  EXPECT_TRUE(scenario.ok());
  return *scenario;
}

double WeightedSum(const Fleet& fleet, const Plan& plan) {
  double sum = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) sum += (*fleet.samples)[i] * plan.probability[i];
  return sum;
}

Plan PlanFor(const Fleet& fleet, const Scenario& scenario) {
  const auto problem = ProblemOf(fleet, scenario);
  EXPECT_TRUE(problem.ok());
  EXPECT_TRUE(Validate(*problem).ok());
  return Solve(*problem);
}

TEST(SplitBand, LeavesAnEqualSplitAlone) {
  const Scenario scenario = With({});
  Fleet fleet = MakeFleet(scenario, 1)->fleet;
  EXPECT_FALSE(SplitBand(scenario, fleet)->has_value());
  EXPECT_EQ(fleet.band_sharing, BandSharing::kEqual);
  EXPECT_EQ(fleet.bandwidth_hz[7], 1e5);
}

TEST(SplitBand, ThePlanReachesItsValueWithinTheCellsBand) {
  for (const char* noise : {"radio.noise_figure_db=7", ""}) {
    for (const char* sharing : {"radio.sharing=shared", "radio.sharing=blocks"}) {
      SCOPED_TRACE(std::string(sharing) + " " + noise);
      std::vector<std::string> overrides{sharing, "radio.block_hz=150e3",
                                         "fleet.samples={uniform=[10,1000]}"};
      if (*noise != 0) {
        overrides.insert(overrides.end(), {"radio.noise_dbm_per_hz=-120", noise});
      }
      const Scenario scenario = With(overrides);
      Fleet fleet = MakeFleet(scenario, 3)->fleet;
      const Fleet before = fleet;
      const auto split = SplitBand(scenario, fleet);
      ASSERT_TRUE(split.ok() && split->has_value());
      const Plan plan = PlanFor(fleet, scenario);
      // The planner promises 1e-12 of each probability, however its columns were rounded.
      EXPECT_NEAR(WeightedSum(fleet, plan), (*split)->value, 2e-12 * (*split)->value);
      EXPECT_NEAR(WeightedSum(before, PlanFor(before, scenario)), (*split)->equal_value,
                  2e-12 * (*split)->value);
      EXPECT_GT((*split)->value, (*split)->equal_value);
      EXPECT_LE((*split)->value, (*split)->bound * (1 + 2e-12));
      double sum_hz = 0;
      for (std::size_t i = 0; i < fleet.devices; ++i) {
        const double band_hz = fleet.bandwidth_hz[i];
        sum_hz += band_hz;
        EXPECT_EQ(plan.probability[i] > 0, band_hz > 0);
        EXPECT_EQ(plan.power_w[i] > 0, band_hz > 0);
        if (!(band_hz > 0)) continue;
        // Noise that is given as a density grows with the band, other noise does not.
        const double factor = *noise != 0 ? band_hz / 1e5 : 1;
        EXPECT_NEAR(fleet.noise_to_gain_w[i] / before.noise_to_gain_w[i], factor,
                    16 * 0x1p-53 * factor);
        EXPECT_NEAR(fleet.nat_time_s[i] * band_hz / (fleet.update_bits[i] * std::numbers::ln2), 1,
                    16 * 0x1p-53);
      }
      EXPECT_LE(sum_hz, 1e7 * (1 + 2 * double(fleet.devices) * 0x1p-53));
      EXPECT_GT(sum_hz, 0.9e7);
    }
  }
}

Result<Fleet> MakeSplitFleet(const Scenario& scenario) {
  auto made = MakeFleet(scenario, 1);
  if (!made) return made.error();
  const auto split = SplitBand(scenario, made->fleet);
  if (!split) return split.error();
  return made->fleet;
}

// Whole blocks leave some of the band over, but the cell has the whole band all the same.
TEST(SplitBand, TheCellKeepsItsWholeBand) {
  for (const char* sharing : {"radio.sharing=shared", "radio.sharing=blocks"}) {
    const Scenario scenario = With({sharing, "radio.block_hz=3e6"});
    const Fleet fleet = *MakeSplitFleet(scenario);
    EXPECT_EQ(fleet.band_sharing, scenario.radio.band.sharing);
    EXPECT_NE(fleet.band_sharing, BandSharing::kEqual);
    EXPECT_DOUBLE_EQ(fleet.total_bandwidth_hz, 1e7) << sharing;
  }
}

TEST(SplitBand, ADeviceWithoutABandHasThatForItsLimit) {
  const Scenario scenario = With({"radio.sharing=blocks", "radio.block_hz=1e6"});  // ten blocks
  const Fleet fleet = *MakeSplitFleet(scenario);
  const auto problem = ProblemOf(fleet, scenario);
  ASSERT_TRUE(problem.ok());
  for (const Solver solver : {Solver::kExact, Solver::kBisection, Solver::kAlternating}) {
    SCOPED_TRACE(SolverName(solver));
    const Plan plan = Solve(*problem, {.solver = solver});
    const Expectations expect = Expect(*problem, plan);
    EXPECT_GE(expect.limited_by(Limit::kBand), 90u);
    EXPECT_EQ(plan.unfinished, 0u);
    EXPECT_TRUE(std::isfinite(expect.round_time_s) && std::isfinite(expect.round_energy_j));
    const auto absent = std::size_t(std::ranges::count(plan.probability, 0.0));
    EXPECT_EQ(absent, expect.limited_by(Limit::kBand));
  }
  const Certificate certificate = CertifyPlan(*problem, Solve(*problem));
  EXPECT_LE(certificate.largest_violation, 1e-12);
  EXPECT_LE(certificate.largest_gap, 1e-12);
}

TEST(SplitBand, NamesTheKeysThatItDoesNotKnow) {
  const auto message = [](std::vector<std::string> overrides) {
    overrides.emplace_back("radio.sharing=shared");
    const auto fleet = MakeSplitFleet(With(overrides));
    return fleet.ok() ? "" : fleet.error().message;
  };
  EXPECT_EQ(message({"round.time_rule=deadline"}),
            "round.time_rule = deadline: cannot stand beside a shared band: set it to expected; or "
            "set radio.sharing to equal");
  EXPECT_EQ(message({"round.count_compute_time=true"}),
            "round.count_compute_time = true: cannot stand beside a shared band: set it to false; "
            "or set radio.sharing to equal");
  const auto blocks = MakeSplitFleet(With({"radio.sharing=blocks", "radio.block_hz=2e7"}));
  EXPECT_EQ(blocks.error().message, "radio.block_hz = 2e+07: must be 0.1 to 1e+07, the whole band");
}

}  // namespace
}  // namespace airlot
