// These tests compare the functions of airtime_demand-inl.h, on every target, with the mathematics
// library in extended precision, and what a fleet buys with the plain device.
#include "planning/airtime_demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "planning/airtime_buyer.h"
#include "planning/airtime_fleet_for_tests.h"
#include "planning/kernel_errors_for_tests.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "planning/airtime_demand_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "planning/airtime_demand-inl.h"
#include "planning/kernel_pairs_for_tests-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {

using TestColumn = std::vector<double>;

void MapLogOf(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec at, TestVec) HWY_ATTR { return LogOf(TestTag(), at); });
}
void MapExpOfMinus(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec at, TestVec) HWY_ATTR { return ExpOfMinus(TestTag(), at); });
}
void MapSlope(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec u, TestVec) HWY_ATTR {
    return EnergySlopeOf(TestTag(), u, Expm1(TestTag(), u));
  });
}
void MapNatsOfSlope(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out,
           [](TestVec at, TestVec) HWY_ATTR { return NatsOfSlope(TestTag(), at, hn::Eq(at, at)); });
}
// The pair is (u, p): the energy at u with circuits p must lead back to u.
void MapNatsOfEnergy(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec u, TestVec p) HWY_ATTR {
    const TestTag d;
    const TestVec q = hn::Div(hn::Add(Expm1(d, u), p), u);
    const TestVec least = NatsOfSlope(d, p, hn::Eq(p, p));
    return NatsOfEnergy(d, q, p, least, hn::Eq(q, q));
  });
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::planning {
namespace {

HWY_EXPORT(MapLogOf);
HWY_EXPORT(MapExpOfMinus);
HWY_EXPORT(MapSlope);
HWY_EXPORT(MapNatsOfSlope);
HWY_EXPORT(MapNatsOfEnergy);

constexpr double kEpsilon = 0x1p-53;

Real ExactSlope(Real u) {
  if (u > 0.5L) return 1 + (u - 1) * std::exp(u);
  Real sum = 0, term = u * u / 2;
  for (int k = 2; k <= 25; ++k) {
    sum += static_cast<Real>(k - 1) * term;
    term *= u / static_cast<Real>(k + 1);
  }
  return sum;
}

// The bounds are derived in docs/airtime.md, section 11.
TEST(AirtimeKernels, LogOf) {
  TestColumn x = LogSpaced(1e-290, 1e290, 20001);
  std::erase_if(x, [](double at) { return std::abs(at - 1) < 1e-9; });
  for (const double near : LogSpaced(1e-9, 1, 2001)) {
    x.push_back(1 + near);
    x.push_back(1 / (1 + near));
  }
  ExpectErrors(
      x, x, AIRLOT_DISPATCHED(MapLogOf), [](Real at, Real) { return std::log(at); },
      [](double at, double) {
        const double size = std::abs(std::log(at));
        return kEpsilon * (1 + 7.2 * size) / size;
      });
}

TEST(AirtimeKernels, ExpOfMinus) {
  const TestColumn x = LogSpaced(1e-30, 700, 20001);
  ExpectErrors(
      x, x, AIRLOT_DISPATCHED(MapExpOfMinus), [](Real at, Real) { return std::exp(-at); },
      7.5 * kEpsilon);
  TestColumn beyond{701, 1e300}, out(2, 1.0);
  HWY_DYNAMIC_DISPATCH(MapExpOfMinus)(beyond, beyond, out);
  EXPECT_EQ(out, TestColumn(2, 0.0));
}

TEST(AirtimeKernels, EnergySlopeOf) {
  const TestColumn u = LogSpaced(1e-60, 690, 20001);
  ExpectErrors(
      u, u, AIRLOT_DISPATCHED(MapSlope), [](Real at, Real) { return ExactSlope(at); }, 8e-15);
}

TEST(AirtimeKernels, NatsOfSlope) {
  const TestColumn x = LogSpaced(1e-60, 1e250, 20001);
  const auto root = [](Real at) {
    return Bisect(1e-40L, 700, [&](Real u) { return ExactSlope(u) - at; });
  };
  ExpectErrors(
      x, x, AIRLOT_DISPATCHED(MapNatsOfSlope), [&](Real at, Real) { return root(at); },
      [&](double at, double) {
        const auto u = static_cast<double>(root(at));
        return 4e-15 + 1e-16 * (u + 2) * (u + 2);
      });
}

// Twice the cheapest rate is far enough from the minimum for the root to have its digits.
TEST(AirtimeKernels, NatsOfEnergy) {
  TestColumn u, p;
  for (const double circuit : {0.0, 1e-6, 1e-2, 1.0, 1e3, 1e9}) {
    const double least = std::min(std::sqrt(2 * circuit), std::max(2.0, std::log1p(circuit)));
    for (const double at : LogSpaced(std::max(2 * least, 1e-2), 300, 1001)) {
      u.push_back(at);
      p.push_back(circuit);
    }
  }
  ExpectErrors(
      u, p, AIRLOT_DISPATCHED(MapNatsOfEnergy), [](Real at, Real) { return at; },
      [](double at, double circuit) {
        const auto rise = static_cast<double>(ExactSlope(at)) - circuit;
        const double condition = (std::expm1(at) + circuit) / rise;  // of the root in q
        const double last_step = 1e-16 * at * at * std::exp(at) / rise / 2;
        return kEpsilon * (7.5 + 7.5) * condition + last_step + 2e-15;  // q is off by 7.5ε here
      });
}

// The derivatives that Newton's method uses are those of the totals.
TEST(TotalsAt, HasItsSlope) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (const double fairness : {0.0, 0.5, 1.0, 2.0, 8.0}) {
      AirtimeFleet fleet(1 + seed % 9);
      fleet.Draw(seed, fairness);
      AirtimeBuyers buyers;
      const AirtimeEnds ends = Prepare(fleet.problem, buyers, 1);
      for (const double x : {-1.0, 1.0, 3.0}) {
        const double log_price = ends.log_free_price + x * std::max(fairness, 1.0) + 0.123;
        constexpr double kStep = 1e-5;
        const auto total = [&](double at) { return TotalsAt(buyers, at, 1, kExactStep, 1); };
        const AirtimeTotals here = total(log_price), left = total(log_price - kStep),
                            right = total(log_price + kStep);
        const auto goal = fleet.problem.goal;
        const double there = (right.Of(goal) - left.Of(goal)) / (2 * kStep);
        // A device that comes to a limit within the step may spoil the difference.
        if (std::abs(left.slope / right.slope - 1) > 1e-3) continue;
        EXPECT_NEAR(here.slope, there, 1e-4 * std::abs(there) + 1e-9 * here.Of(goal))
            << "seed " << seed << ", fairness " << fairness << ", price " << log_price;
      }
    }
  }
}

// What a device buys does not depend on its neighbours.
TEST(PlanAt, IsTheSameWhoeverIsBeside) {
  AirtimeFleet fleet(64);
  fleet.Draw(11, 1);
  AirtimeBuyers buyers;
  const double log_price = Prepare(fleet.problem, buyers, 1).log_free_price + 1;
  AirtimePlan all;
  PlanAt(buyers, log_price, all, 1);
  for (std::size_t i = 0; i < 64; ++i) {
    AirtimeFleet one(1);
    one.problem = fleet.problem;
    one.problem.devices.devices = 1;
    const auto only = [&](ColumnView& column) { column = column.values().subspan(i, 1); };
    for (ColumnView* column :
         {&one.problem.devices.noise_to_gain_w, &one.problem.devices.nat_time_s,
          &one.problem.devices.max_power_w, &one.problem.devices.energy_budget_j,
          &one.problem.devices.compute_energy_j, &one.problem.weight,
          &one.problem.energy_price_s_per_j, &one.problem.added_time_s,
          &one.problem.least_probability, &one.problem.most_probability}) {
      only(*column);
    }
    AirtimeBuyers alone;
    Prepare(one.problem, alone, 1);
    AirtimePlan plan;
    PlanAt(alone, log_price, plan, 1);
    EXPECT_EQ(plan.plan.probability[0], all.plan.probability[i]) << i;
    EXPECT_EQ(plan.plan.power_w[0], all.plan.power_w[i]) << i;
    EXPECT_EQ(plan.upload_s[0], all.upload_s[i]) << i;
  }
}

}  // namespace
}  // namespace airlot::planning
#endif  // HWY_ONCE
