#include "airlot/airtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/targets_for_tests.h"
#include "planning/airtime_buyer.h"
#include "planning/airtime_fleet_for_tests.h"
#include "planning/closed_form_for_tests.h"

namespace airlot {
namespace {

using base::OnEveryTarget;
using planning::AirtimeFleet;
using planning::SolveAirtimePlainly;

constexpr double kFairness[] = {0, 0.5, 1, 2, 8, 100};

TEST(SolveAirtime, AgreesWithThePlainReference) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    for (const double fairness : kFairness) {
      AirtimeFleet fleet(1 + seed % 37);
      fleet.Draw(seed, fairness);
      const AirtimePlan plan = SolveAirtime(fleet.problem);
      const AirtimePlan plain = SolveAirtimePlainly(fleet.problem);
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", fairness " << fairness << " price " << plan.log_price << " " << plain.log_price << " s " << plan.seconds << " " << plain.seconds<<" goal "<<int(fleet.problem.goal)<<" "<<fleet.problem.seconds<<" "<<fleet.problem.participants << " n "<<plan.participants<<" "<<plain.participants);
      for (std::size_t i = 0; i < plan.upload_s.size(); ++i) {
        ASSERT_NEAR(plan.plan.probability[i], plain.plan.probability[i],
                    1e-9 * plain.plan.probability[i] + 1e-13)
            << i;
        if (plan.log_price > 1e6 || plain.plan.probability[i] < 1e-12) continue;
        ASSERT_NEAR(plan.plan.power_w[i], plain.plan.power_w[i], 1e-6 * plain.plan.power_w[i]) << i;
      }
    }
  }
}

}  // namespace
}  // namespace airlot
