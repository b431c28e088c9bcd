#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "airlot/airtime.h"
#include "planning/airtime_fleet_for_tests.h"

namespace airlot {
namespace {

using planning::AirtimeFleet;

// Expects that a problem that was changed is refused, with a message that has `part` in it.
void ExpectRefused(const std::string& part, const std::function<void(AirtimeFleet&)>& change) {
  AirtimeFleet fleet(3);
  ASSERT_TRUE(Validate(fleet.problem));
  change(fleet);
  const Status status = Validate(fleet.problem);
  ASSERT_FALSE(status) << part;
  EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
}

TEST(ValidateAirtime, NamesTheField) {
  using F = AirtimeFleet;
  ExpectRefused("time_rule", [](F& f) { f.problem.devices.time_rule = TimeRule::kDeadline; });
  ExpectRefused("noise_to_gain_w", [](F& f) { f.noise_to_gain_w[1] = -1; });
  ExpectRefused("seconds", [](F& f) { f.problem.seconds = 0; });
  ExpectRefused("seconds", [](F& f) { f.problem.seconds = INFINITY; });
  ExpectRefused("participants", [](F& f) {
    f.problem.goal = AirtimeGoal::kParticipants;
    f.problem.participants = NAN;
  });
  ExpectRefused("fairness", [](F& f) { f.problem.fairness = -1; });
  ExpectRefused("fairness", [](F& f) { f.problem.fairness = 101; });
  ExpectRefused("device 2: weight", [](F& f) { f.weight[1] = 0; });
  ExpectRefused("device 3: energy_price_s_per_j", [](F& f) { f.energy_price_s_per_j[2] = -1; });
  ExpectRefused("device 1: added_time_s", [](F& f) { f.added_time_s[0] = NAN; });
  ExpectRefused("device 2: least_probability", [](F& f) { f.least_probability[1] = 1.5; });
  ExpectRefused("device 2: most_probability", [](F& f) { f.most_probability[1] = -0.5; });
  static const std::vector<double> two{1, 1};
  ExpectRefused("most_probability: has 2", [](F& f) { f.problem.most_probability = two; });
  ExpectRefused("added_time_s: has 2", [](F& f) { f.problem.added_time_s = two; });
}

// Of the two goals only the chosen one has to make sense, and an added time may be negative.
TEST(ValidateAirtime, AllowsWhatIsNotUsed) {
  AirtimeFleet fleet(3);
  fleet.problem.participants = 0;
  fleet.added_time_s[1] = -0.1;
  EXPECT_TRUE(Validate(fleet.problem));
}

}  // namespace
}  // namespace airlot
