#include <gtest/gtest.h>

#include "airlot/simulation.h"
#include "simulation/check_airtime.h"

namespace airlot {
namespace {

// A run and `airlot plan --airtime` refuse the same scenarios.
TEST(CheckStrategy, AirtimeNeedsTheWholeBandAndTheMeanRound) {
  const StrategyEntry& airtime = *FindStrategy("airtime");
  const StrategyEntry& random = *FindStrategy("random");
  Scenario scenario;
  EXPECT_TRUE(CheckStrategy(airtime, scenario).ok());
  scenario.radio.band.sharing = BandSharing::kShared;
  EXPECT_TRUE(CheckStrategy(random, scenario).ok());
  EXPECT_EQ(CheckStrategy(airtime, scenario).error().message,
            "radio.sharing = shared: an airtime plan leaves the whole band to those who are drawn; "
            "set it to equal, or choose another strategy");
  EXPECT_FALSE(simulation::CheckAirtime(scenario, "x").ok());
  scenario.radio.band.sharing = BandSharing::kEqual;
  scenario.round.time_rule = TimeRule::kDeadline;
  EXPECT_TRUE(CheckStrategy(random, scenario).ok());
  EXPECT_EQ(CheckStrategy(airtime, scenario).error().message,
            "round.time_rule = deadline: an airtime plan bounds the time of the mean round; set it "
            "to expected, or choose another strategy");
  EXPECT_FALSE(simulation::CheckAirtime(scenario, "x").ok());
}

}  // namespace
}  // namespace airlot
