#include "airlot/airtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "base/targets_for_tests.h"
#include "planning/airtime_buyer.h"
#include "planning/airtime_fleet_for_tests.h"
#include "planning/closed_form_for_tests.h"

namespace airlot {
namespace {

using base::OnEveryTarget;
using planning::AirtimeFleet;
using planning::SameBytes;
using planning::SolveAirtimePlainly;

constexpr double kFairness[] = {0, 0.5, 1, 2, 8, 100};

// --- Worked by hand ------------------------------------------------------------------------------

// At 1 W and g = 1/(e - 1) a device sends one nat, so an upload takes L seconds.
double OneNat() { return 1 / std::expm1(1.0); }

TEST(SolveAirtime, DividesTimeEqually) {
  AirtimeFleet fleet(2);
  std::ranges::fill(fleet.noise_to_gain_w, OneNat());
  std::ranges::fill(fleet.energy_budget_j, 100);
  fleet.nat_time_s[1] = 2;
  // Each has half a second: one takes part in every second round, the other in every fourth.
  const AirtimePlan plan = SolveAirtime(fleet.problem);
  EXPECT_NEAR(plan.plan.probability[0], 0.5, 1e-15);
  EXPECT_NEAR(plan.plan.probability[1], 0.25, 1e-15);
  EXPECT_EQ(plan.plan.power_w[0], 1);
  EXPECT_EQ(plan.plan.power_w[1], 1);
  EXPECT_NEAR(plan.upload_s[1], 2, 1e-15);
  EXPECT_NEAR(plan.price, 2, 1e-14);  // log a gains 1/(a·t) by a second
  EXPECT_NEAR(plan.seconds, 1, 1e-15);
  EXPECT_NEAR(plan.participants, 0.75, 1e-15);
}

// With φ = 0 the shorter upload has all the time that it can use, and the other what is left.
TEST(SolveAirtime, MixesTwoPlansWhereOneJumps) {
  AirtimeFleet fleet(2);
  std::ranges::fill(fleet.noise_to_gain_w, OneNat());
  std::ranges::fill(fleet.energy_budget_j, 100);
  fleet.nat_time_s[1] = 2;
  fleet.problem.fairness = 0;
  fleet.problem.seconds = 1.5;
  const AirtimePlan plan = SolveAirtime(fleet.problem);
  EXPECT_EQ(plan.plan.probability[0], 1);
  EXPECT_NEAR(plan.plan.probability[1], 0.25, 1e-14);
  EXPECT_NEAR(plan.price, 0.5, 1e-14);
  EXPECT_NEAR(plan.seconds, 1.5, 1e-14);
}

// A starved device uses its budget up, and the other has the time that it leaves.
TEST(SolveAirtime, PassesOnTheTimeOfTheStarved) {
  AirtimeFleet fleet(2);
  std::ranges::fill(fleet.noise_to_gain_w, OneNat());
  fleet.energy_budget_j[0] = 0.1;
  fleet.compute_energy_j[0] = 1;
  fleet.energy_budget_j[1] = 100;
  const AirtimePlan plan = SolveAirtime(fleet.problem);
  const double spent_j = plan.plan.probability[0] * (plan.plan.power_w[0] * plan.upload_s[0] + 1);
  EXPECT_NEAR(spent_j, 0.1, 1e-15);
  EXPECT_GT(plan.plan.probability[1], 0.5);
  EXPECT_NEAR(plan.seconds, 1, 1e-13);
}

// Where there is time for all, everybody takes part always, and sends as slowly as time allows.
TEST(SolveAirtime, SavesEnergyInTimeToSpare) {
  AirtimeFleet fleet(2);
  std::ranges::fill(fleet.noise_to_gain_w, OneNat());
  std::ranges::fill(fleet.energy_budget_j, 100);
  fleet.problem.seconds = 4;
  const AirtimePlan plan = SolveAirtime(fleet.problem);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(plan.plan.probability[i], 1);
    EXPECT_NEAR(plan.upload_s[i], 2, 1e-13);  // u = 1/2
    EXPECT_NEAR(plan.plan.power_w[i], std::expm1(0.5) * OneNat(), 1e-13);
  }
  EXPECT_EQ(plan.price, 0);
  // g·(1 + (u - 1)·e^u) = 1/ν.
  EXPECT_NEAR(plan.extra_energy_price_s_per_j, 1 / (OneNat() * (1 - 0.5 * std::exp(0.5))), 1e-11);
}

TEST(SolveAirtime, HasTheLeastProbabilitiesWhereTimeIsTooShort) {
  AirtimeFleet fleet(2);
  std::ranges::fill(fleet.noise_to_gain_w, OneNat());
  std::ranges::fill(fleet.energy_budget_j, 100);
  std::ranges::fill(fleet.least_probability, 0.75);
  const AirtimePlan plan = SolveAirtime(fleet.problem);
  EXPECT_EQ(plan.plan.probability[0], 0.75);
  EXPECT_EQ(plan.price, INFINITY);
  EXPECT_NEAR(plan.seconds, 1.5, 1e-15);
}

TEST(SolveAirtime, LeavesOutWhoCannotTakePart) {
  AirtimeFleet fleet(4);
  fleet.nat_time_s[0] = INFINITY;
  fleet.energy_budget_j[1] = 0;
  fleet.most_probability[2] = 0;
  fleet.problem.seconds = 1e-3;
  const AirtimePlan plan = SolveAirtime(fleet.problem);
  for (const std::size_t i : {0u, 1u, 2u}) {
    EXPECT_EQ(plan.plan.probability[i], 0);
    EXPECT_EQ(plan.plan.power_w[i], 0);
    EXPECT_EQ(plan.upload_s[i], 0);
  }
  EXPECT_GT(plan.plan.probability[3], 0);
}

// --- Against the plain reference -----------------------------------------------------------------

void ExpectNear(const AirtimePlan& plan, const AirtimePlan& plain) {
  ASSERT_EQ(plan.upload_s.size(), plain.upload_s.size());
  for (std::size_t i = 0; i < plan.upload_s.size(); ++i) {
    const double a = plain.plan.probability[i], power_w = plain.plan.power_w[i];
    ASSERT_NEAR(plan.plan.probability[i], a, 1e-9 * a + 1e-13) << "device " << i;
    // Where even the floors take too long, or nothing is left of a mixture, the power means
    // nothing.
    if (plan.log_price == INFINITY || a < 1e-12) continue;
    ASSERT_NEAR(plan.plan.power_w[i], power_w, 1e-6 * power_w) << "device " << i;
  }
}

TEST(SolveAirtime, AgreesWithThePlainReference) {
  std::size_t with_price = 0, with_spare = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const double fairness : kFairness) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", fairness " << fairness);
      AirtimeFleet fleet(1 + seed % 37);
      fleet.Draw(seed, fairness);
      const AirtimePlan plan = SolveAirtime(fleet.problem);
      ExpectNear(plan, SolveAirtimePlainly(fleet.problem));
      if (HasFatalFailure()) return;
      with_price += plan.price > 0 ? 1 : 0;
      with_spare += plan.price == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(with_price, 500u);
  EXPECT_GT(with_spare, 50u);
}

// Each number of devices up to two paddings, so that every remainder occurs.
TEST(SolveAirtime, AgreesOnEveryTargetAndRemainder) {
  OnEveryTarget([] {
    for (std::size_t devices = 1; devices <= 33; ++devices) {
      for (const double fairness : {0.0, 0.5, 1.0, 2.0}) {
        SCOPED_TRACE(testing::Message() << devices << " devices, fairness " << fairness);
        AirtimeFleet fleet(devices);
        fleet.Draw(1000 + devices, fairness);
        ExpectNear(SolveAirtime(fleet.problem), SolveAirtimePlainly(fleet.problem));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// --- Properties ----------------------------------------------------------------------------------

double Worth(double fairness, double a) {
  return fairness == 1 ? std::log(a) : std::pow(a, 1 - fairness) / (1 - fairness);
}

// Time that goes from one device to another is never worth more there, as long as budgets last.
TEST(SolveAirtime, HasNoBetterNeighbour) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const double fairness : {0.5, 1.0, 2.0}) {
      AirtimeFleet fleet(12);
      fleet.Draw(seed, fairness);
      fleet.problem.goal = AirtimeGoal::kTime;
      fleet.problem.is_power_limited = true;
      std::ranges::fill(fleet.energy_price_s_per_j, 0);
      std::ranges::fill(fleet.least_probability, 0);
      std::ranges::fill(fleet.priced_time_s, 0);
      std::ranges::fill(fleet.energy_budget_j, 1e6);
      const AirtimePlan plan = SolveAirtime(fleet.problem);
      if (plan.price == 0) continue;
      const auto& a = plan.plan.probability;
      const auto cost_s = [&](std::size_t i) { return plan.upload_s[i] + fleet.added_time_s[i]; };
      for (std::size_t to = 0; to < 12; ++to) {
        for (std::size_t from = 0; from < 12; ++from) {
          if (to == from || a[to] == 0 || a[from] == 0 || a[to] > 0.99 * fleet.most_probability[to])
            continue;
          const double moved_s = 1e-3 * std::min(a[from] * cost_s(from), a[to] * cost_s(to));
          const double gain = fleet.weight[to] * (Worth(fairness, a[to] + moved_s / cost_s(to)) -
                                                  Worth(fairness, a[to]));
          const double loss =
              fleet.weight[from] *
              (Worth(fairness, a[from]) - Worth(fairness, a[from] - moved_s / cost_s(from)));
          EXPECT_LT(gain, loss) << seed << " " << to << " " << from;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 1000u);
}

TEST(SolveAirtime, GivesNobodyLessInMoreTime) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const double fairness : kFairness) {
      AirtimeFleet fleet(40);
      fleet.Draw(seed, fairness);
      fleet.problem.goal = AirtimeGoal::kTime;
      fleet.problem.seconds = 1e-3;
      AirtimePlan before = SolveAirtime(fleet.problem);
      for (int step = 0; step < 12; ++step) {
        fleet.problem.seconds *= 2;
        const AirtimePlan plan = SolveAirtime(fleet.problem);
        EXPECT_LE(plan.price, before.price * (1 + 1e-10));
        for (std::size_t i = 0; i < 40; ++i) {
          EXPECT_GE(plan.plan.probability[i], before.plan.probability[i] * (1 - 1e-10)) << i;
        }
        before = plan;
      }
    }
  }
}

bool AreSame(const AirtimePlan& a, const AirtimePlan& b) {
  return SameBytes(a.plan.probability, b.plan.probability) &&
         SameBytes(a.plan.power_w, b.plan.power_w) && SameBytes(a.upload_s, b.upload_s) &&
         a.price == b.price && a.seconds == b.seconds && a.participants == b.participants;
}

// The fleet is large enough for a sample, and its last shard is not full.
TEST(SolveAirtime, HasTheSameBytesForAnyNumberOfThreads) {
  AirtimeFleet fleet(70007);
  for (const double fairness : {0.0, 1.0, 3.0}) {
    fleet.Draw(7, fairness);
    const AirtimePlan one = SolveAirtime(fleet.problem, 1);
    EXPECT_TRUE(AreSame(one, SolveAirtime(fleet.problem, 2))) << fairness;
    EXPECT_TRUE(AreSame(one, SolveAirtime(fleet.problem, 3))) << fairness;
  }
}

TEST(SolveAirtime, DoesNotRememberOtherProblems) {
  AirtimeSolver solver;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    AirtimeFleet fleet(1 + (seed * 7) % 50);
    fleet.Draw(seed, kFairness[seed % 6]);
    EXPECT_TRUE(AreSame(solver.Solve(fleet.problem), SolveAirtime(fleet.problem))) << seed;
  }
}

// --- The paper's plan as a floor -----------------------------------------------------------------

// A PaperFleet has devices whose plan by the paper gives each an equal part of the band for ever.
struct PaperFleet : AirtimeFleet {
  static constexpr double kLimitS = 0.5;
  Plan paper;

  PaperFleet(std::size_t devices, std::uint64_t seed) : AirtimeFleet(devices) {
    for (std::size_t i = 0; i < devices; ++i) {
      base::RandomStream stream(seed, base::Purpose{905}, 0, i);
      noise_to_gain_w[i] = stream.LogUniform(1e-6, 1e-2);
      nat_time_s[i] = stream.LogUniform(0.01, 0.1);
      max_power_w[i] = stream.Uniform(0.05, 0.2);
      energy_budget_j[i] = stream.LogUniform(1e-4, 1);
      compute_energy_j[i] = stream.LogUniform(1e-3, 1e-1);
    }
    ColumnValues narrow_s(devices);
    for (std::size_t i = 0; i < devices; ++i) {
      narrow_s[i] = nat_time_s[i] * static_cast<double>(devices);
    }
    PlanningProblem narrow = problem.devices;
    narrow.nat_time_s = narrow_s;
    narrow.time_limit_s = kLimitS;
    paper = Solve(narrow);
    problem.seconds = kLimitS;
  }
};

// Uploads in turn in the whole band take the round no longer and cost less, so the paper's
// probabilities are feasible floors; and nobody is worse off.
TEST(SolveAirtime, IsNeverBelowThePapersPlanWhereThatIsTheFloor) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    PaperFleet fleet(50, seed);
    fleet.least_probability = fleet.paper.probability;
    fleet.problem.least_probability = fleet.least_probability;
    const AirtimePlan plan = SolveAirtime(fleet.problem);
    ASSERT_LT(plan.price, INFINITY);
    EXPECT_LE(plan.seconds, PaperFleet::kLimitS * (1 + 1e-12));
    for (std::size_t i = 0; i < 50; ++i) {
      const double a = plan.plan.probability[i];
      EXPECT_GE(a, fleet.paper.probability[i] * (1 - 1e-12)) << i;
      const double energy_j = plan.plan.power_w[i] * plan.upload_s[i] + fleet.compute_energy_j[i];
      EXPECT_LE(a * energy_j, fleet.energy_budget_j[i] * (1 + 1e-12)) << i;
    }
  }
}

// Without floors somebody may be: the paper lets a starved device send as slowly as its band
// allows, which saves energy, but in the whole band that time is worth more to others.
TEST(SolveAirtime, MayBeBelowThePapersPlanWithoutFloors) {
  AirtimeFleet fleet(2);
  std::ranges::fill(fleet.noise_to_gain_w, 1e-4);
  std::ranges::fill(fleet.max_power_w, 0.1);
  fleet.energy_budget_j = {0.05, 100};  // one round in 20 by what computing costs
  fleet.compute_energy_j = {1, 0};
  fleet.nat_time_s = {1, 10};
  fleet.problem.devices.energy_budget_j = fleet.energy_budget_j;
  fleet.problem.devices.compute_energy_j = fleet.compute_energy_j;
  fleet.problem.devices.nat_time_s = fleet.nat_time_s;
  fleet.problem.seconds = 0.2;
  const ColumnValues narrow_s{2, 20};
  PlanningProblem narrow = fleet.problem.devices;
  narrow.nat_time_s = narrow_s;
  narrow.time_limit_s = 0.2;
  const Plan paper = Solve(narrow);
  const AirtimePlan plan = SolveAirtime(fleet.problem);
  EXPECT_LT(plan.plan.probability[0], 0.995 * paper.probability[0]);
  EXPECT_GT(plan.plan.probability[1], 1.5 * paper.probability[1]);
}

}  // namespace
}  // namespace airlot
