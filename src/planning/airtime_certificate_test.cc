#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "airlot/airtime.h"
#include "airlot/link.h"
#include "planning/airtime_fleet_for_tests.h"

namespace airlot {
namespace {

using planning::AirtimeFleet;

bool Passes(const AirtimeProblem& problem, const AirtimePlan& plan) {
  const AirtimeCertificate found = CertifyAirtime(problem, plan);
  return found.largest_violation <= kLargestViolation && found.gap <= kLargestViolation;
}

// The one device of the example in airtime_test.cc, where all can be seen: it has 0.5 s, needs 1 s,
// and takes part in every second round.
TEST(CertifyAirtime, AcceptsAPlanWorkedByHandAndNoOther) {
  AirtimeFleet fleet(1);
  fleet.noise_to_gain_w[0] = 1 / std::expm1(1.0);  // u = 1 at the cap of 1 W
  fleet.problem.seconds = 0.5;
  AirtimePlan plan{.plan = {ColumnValues{0.5}, ColumnValues{1.0}}, .upload_s = ColumnValues{1.0}};
  plan.price = 2;  // d log(a)/d(seconds) = 1/0.5
  EXPECT_TRUE(Passes(fleet.problem, plan));
  plan.plan.probability[0] = 0.51;
  EXPECT_NEAR(CertifyAirtime(fleet.problem, plan).largest_violation, 0.02, 1e-12);
  plan.plan.probability[0] = 0.49;
  // log(0.5) - log(0.49) is what it could gain, and the scale is 1.
  EXPECT_NEAR(CertifyAirtime(fleet.problem, plan).gap, std::log(0.5 / 0.49), 1e-12);
}

TEST(CertifyAirtime, AcceptsOptimalPlans) {
  std::size_t infeasible = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const double fairness : {0.0, 0.5, 1.0, 2.0, 8.0, 100.0}) {
      AirtimeFleet fleet(1 + seed % 23);
      fleet.Draw(seed, fairness);
      const AirtimePlan plan = SolveAirtime(fleet.problem);
      if (plan.log_price == INFINITY) {
        ++infeasible;
        continue;
      }
      const AirtimeCertificate found = CertifyAirtime(fleet.problem, plan);
      EXPECT_LE(found.largest_violation, 1e-12)
          << "seed " << seed << ", fairness " << fairness << ", device " << found.violation_device;
      EXPECT_LE(found.gap, kLargestViolation)
          << "seed " << seed << ", fairness " << fairness << ", device " << found.gap_device;
      EXPECT_GE(found.gap, -1e-12) << "seed " << seed << ", fairness " << fairness;
    }
  }
  EXPECT_LT(infeasible, 300u);
}

// Expects that a change of optimal plans is noticed.
void ExpectRejected(const std::function<bool(const AirtimeFleet&, AirtimePlan&)>& change) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    // For a large φ almost all of the worth is that of the most starved device.
    for (const double fairness : {0.5, 1.0, 2.0}) {
      AirtimeFleet fleet(5 + seed % 23);
      fleet.Draw(seed, fairness);
      AirtimePlan plan = SolveAirtime(fleet.problem);
      if (!std::isfinite(plan.log_price) || !change(fleet, plan)) continue;
      ++changed;
      EXPECT_FALSE(Passes(fleet.problem, plan)) << "seed " << seed << ", fairness " << fairness;
    }
  }
  EXPECT_GT(changed, 50u);
}

void ScaleProbabilities(AirtimePlan& plan, double factor) {
  for (double& a : plan.plan.probability) a *= factor;
}

TEST(CertifyAirtime, RejectsScaledProbabilities) {
  ExpectRejected([](const AirtimeFleet&, AirtimePlan& plan) {
    ScaleProbabilities(plan, 0.999);
    return true;
  });
  ExpectRejected([](const AirtimeFleet&, AirtimePlan& plan) {
    ScaleProbabilities(plan, 1.001);
    return true;
  });
}

// The first device that takes part sends with a tenth less power, and with the time of it.
TEST(CertifyAirtime, RejectsAnotherPower) {
  ExpectRejected([](const AirtimeFleet& fleet, AirtimePlan& plan) {
    for (std::size_t i = 0; i < plan.upload_s.size(); ++i) {
      if (plan.plan.probability[i] < 1e-3) continue;
      const double noise_w = fleet.noise_to_gain_w[i] * fleet.problem.devices.snr_gap;
      plan.plan.power_w[i] *= 0.9;
      plan.upload_s[i] = fleet.nat_time_s[i] / NatsPerHertz(plan.plan.power_w[i] / noise_w);
      return true;
    }
    return false;
  });
}

TEST(CertifyAirtime, RejectsAnotherPrice) {
  for (const double factor : {0.8, 1.25}) {
    ExpectRejected([&](const AirtimeFleet& fleet, AirtimePlan& plan) {
      // For φ = 2 the others may be worth nothing beside a starved device, whatever the price.
      if (fleet.problem.fairness > 1) return false;
      // Where all are at their floors or ceilings, many prices are right.
      bool is_free = false;
      for (const double a : plan.plan.probability) is_free |= a > 0.011 && a < 0.1;
      plan.price *= factor;
      plan.log_price += std::log(factor);
      return is_free && plan.price > 0 && std::isfinite(plan.price);
    });
  }
}

TEST(CertifyAirtime, RejectsThePlanOfAnotherFairness) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    AirtimeFleet fleet(30);
    fleet.Draw(seed, 1);
    const AirtimePlan plan = SolveAirtime(fleet.problem);
    if (!std::isfinite(plan.log_price)) continue;
    fleet.problem.fairness = 2;
    EXPECT_FALSE(Passes(fleet.problem, plan)) << seed;
  }
}

TEST(CertifyAirtime, NamesTheDevice) {
  AirtimeFleet fleet(20);
  fleet.Draw(3, 1);
  AirtimePlan plan = SolveAirtime(fleet.problem);
  plan.plan.power_w[7] = 1e9;
  plan.plan.probability[7] = 0.5;
  EXPECT_EQ(CertifyAirtime(fleet.problem, plan).violation_device, 7u);
}

TEST(CertifyAirtime, IsTheSameForAnyNumberOfThreads) {
  AirtimeFleet fleet(40000);
  fleet.Draw(5, 2);
  const AirtimePlan plan = SolveAirtime(fleet.problem);
  const AirtimeCertificate one = CertifyAirtime(fleet.problem, plan, 1);
  const AirtimeCertificate two = CertifyAirtime(fleet.problem, plan, 2);
  EXPECT_EQ(one.gap, two.gap);
  EXPECT_EQ(one.largest_violation, two.largest_violation);
  EXPECT_LE(one.gap, kLargestViolation);
}

}  // namespace
}  // namespace airlot
