// These tests compare airtime plans with 50 digits, on every SIMD target.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "airlot/airtime.h"
#include "base/targets_for_tests.h"
#include "planning/airtime_buyer.h"
#include "planning/airtime_fleet_for_tests.h"
#include "planning/airtime_vectors_for_tests.h"

namespace airlot {
namespace {

using planning::AirtimeFleet;
using planning::AirtimeVector;
using planning::AirtimeVectorDevice;

void SetVector(const AirtimeVector& vector, AirtimeFleet& fleet) {
  AirtimeProblem& problem = fleet.problem;
  problem.goal = vector.goal;
  problem.seconds = vector.seconds;
  problem.participants = vector.participants;
  problem.fairness = vector.fairness;
  problem.devices.circuit_power_w = vector.circuit_power_w;
  problem.devices.amplifier_efficiency = vector.amplifier_efficiency;
  problem.devices.snr_gap = vector.snr_gap;
  problem.devices.spectral_efficiency_cap = vector.spectral_efficiency_cap;
  problem.is_power_limited = vector.is_power_limited;
  for (std::size_t i = 0; i < vector.devices.size(); ++i) {
    const AirtimeVectorDevice& device = vector.devices[i];
    fleet.noise_to_gain_w[i] = device.noise_to_gain_w;
    fleet.nat_time_s[i] = device.nat_time_s;
    fleet.max_power_w[i] = device.max_power_w;
    fleet.energy_budget_j[i] = device.energy_budget_j;
    fleet.compute_energy_j[i] = device.compute_energy_j;
    fleet.weight[i] = device.weight;
    fleet.energy_price_s_per_j[i] = device.energy_price_s_per_j;
    fleet.added_time_s[i] = device.added_time_s;
    fleet.priced_time_s[i] = device.priced_time_s;
    fleet.least_probability[i] = device.least_probability;
    fleet.most_probability[i] = device.most_probability;
  }
}

void ExpectAccurate(const AirtimeVector& vector, const AirtimePlan& plan, double most) {
  for (std::size_t i = 0; i < vector.devices.size(); ++i) {
    const AirtimeVectorDevice& device = vector.devices[i];
    EXPECT_NEAR(plan.plan.probability[i], device.probability, most * device.probability) << i;
    EXPECT_NEAR(plan.plan.power_w[i], device.power_w, most * device.power_w) << i;
    if (vector.is_power_limited && device.power_w == device.max_power_w) {
      EXPECT_EQ(plan.plan.power_w[i], device.max_power_w) << i;
    }
  }
  EXPECT_NEAR(plan.price, vector.price, most * vector.price);
}

TEST(SolveAirtime, MeetsFiftyDigitsOnEveryTarget) {
  const std::vector<AirtimeVector> all = planning::AirtimeVectors();
  ASSERT_GT(all.size(), 30u);
  base::OnEveryTarget([&] {
    for (const AirtimeVector& vector : all) {
      SCOPED_TRACE(vector.name);
      AirtimeFleet fleet(vector.devices.size());
      SetVector(vector, fleet);
      ExpectAccurate(vector, SolveAirtime(fleet.problem), 1e-12);
    }
  });
}

TEST(SolveAirtime, PlainReferenceMeetsFiftyDigitsToo) {
  for (const AirtimeVector& vector : planning::AirtimeVectors()) {
    SCOPED_TRACE(vector.name);
    AirtimeFleet fleet(vector.devices.size());
    SetVector(vector, fleet);
    ExpectAccurate(vector, planning::SolveAirtimePlainly(fleet.problem), 1e-10);
  }
}

}  // namespace
}  // namespace airlot
