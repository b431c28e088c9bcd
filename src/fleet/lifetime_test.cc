#include "fleet/lifetime.h"

#include <gtest/gtest.h>

#include <string>

#include "fleet/fleet_file_for_tests.h"

namespace airlot::fleet {
namespace {

using Lifetime = FleetFileTest;

// A budget is four products and quotients of doubles.
constexpr double kRounding = 8 * 0x1p-53;

TEST_F(Lifetime, WorkedByHand) {
  EXPECT_DOUBLE_EQ(BatteryEnergy(1000, 1), 3600);  // 1 Ah at 1 V is 1 Wh
  // Two AA cells: 2.6 Ah at 3 V are 28.08 kJ. In 5 years of 365 days there are 43,800 hours.
  defaults_.round_period_s = 3600;
  const auto fleet = Read("distance_m,battery_mah,battery_v,lifetime_days\n10,2600,3,1825\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  EXPECT_NEAR(fleet->batteries->capacity_j[0], 28080, 28080 * kRounding);
  EXPECT_NEAR(fleet->energy_budget_j[0] / (28080.0 / 43800), 1, kRounding);
}

TEST_F(Lifetime, ThePeriodMayBeAColumnAndHarvestAdds) {
  const auto fleet = Read(
      "distance_m,battery_j,harvest_w,lifetime_days,round_period_s\n"
      "10,86400,0,1,60\n10,86400,0.5,1,60\n10,86400,0,2,60\n10,86400,0,1,120\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  const double expected_j[] = {60, 90, 30, 120};  // 86.4 kJ last a day at 1 W
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(fleet->energy_budget_j[i] / expected_j[i], 1, kRounding) << i;
  }
}

TEST_F(Lifetime, ASpentBudgetEmptiesTheBatteryInItsLifetime) {
  defaults_.round_period_s = 1234;
  const auto fleet = Read("distance_m,battery_mah,battery_v,lifetime_days\n10,777,3.3,91\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  const double rounds = 91 * 86400.0 / 1234;
  EXPECT_NEAR(rounds * fleet->energy_budget_j[0] / fleet->batteries->capacity_j[0], 1, kRounding);
}

TEST_F(Lifetime, ABatteryAloneIsACharge) {
  const auto fleet = Read("distance_m,battery_mah,battery_v,energy_budget_j\n10,1000,1,2\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  EXPECT_DOUBLE_EQ(fleet->batteries->capacity_j[0], 3600);
  EXPECT_EQ(fleet->energy_budget_j[0], 2);
}

TEST_F(Lifetime, SaysWhatIsMissing) {
  EXPECT_EQ(ErrorOf("distance_m,lifetime_days\n10,5\n"),
            "fleet.csv:1: column lifetime_days: there is no battery that could last so long: add "
            "battery_mah and battery_v, or battery_j");
  EXPECT_EQ(ErrorOf("distance_m,battery_j,lifetime_days\n10,9,5\n"),
            "fleet.csv:1: column lifetime_days: how often a round is held is not known: set "
            "round.period_s, or add a column round_period_s");
  defaults_.round_period_s = 1;
  EXPECT_EQ(ErrorOf("id,distance_m,battery_mah,battery_v,lifetime_days\na,10,1e29,1e20,5\n"),
            "fleet.csv:2: device 1 (a): battery_j = 3.6e+49, which follows from battery_mah and "
            "battery_v: must be 1e-40 to 1e+40");
  EXPECT_TRUE(ErrorOf("id,distance_m,battery_j,lifetime_days\na,10,1e-40,1e9\n")
                  .starts_with("fleet.csv:2: device 1 (a): energy_budget_j = "));
}

}  // namespace
}  // namespace airlot::fleet
