// Plans for radios whose powers or rates come in steps: worked by hand, against every level, and
// against fine grids of powers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "airlot/planning.h"
#include "planning/planning_vectors_for_tests.h"
#include "planning/steps_fleet_for_tests.h"

namespace airlot {
namespace {

using planning::BestTry;
using planning::RelativeError;
using planning::SteppedFleet;
using planning::Try;
using planning::TryPower;
using planning::TwoBits;

// A plan takes some twenty operations of one rounding each, and one logarithm.
constexpr double kRounding = 64 * 0x1p-53;

// --- Worked by hand ------------------------------------------------------------------------------
//
// g = 1 W, and the update is 2 bit per hertz: at 1, 3 and 7 W a link carries 1, 2 and 3 bit/s/Hz,
// an upload takes 2, 1 and 2/3 s, and 2, 3 and 14/3 J.

const std::vector<double> kLevels = {1, 3, 7};
const std::vector<RateRow> kRows = {{1, 1}, {3, 2}, {7, 3}};

struct HandPlan {
  double probability, power_w;
  Limit limit;
};
void ExpectPlan(const PlanningProblem& problem, const HandPlan& want) {
  ASSERT_TRUE(Validate(problem)) << Validate(problem).error().message;
  const Plan plan = Solve(problem);
  EXPECT_LE(RelativeError(plan.probability[0], want.probability), kRounding) << plan.probability[0];
  EXPECT_LE(RelativeError(plan.power_w[0], want.power_w), kRounding) << plan.power_w[0];
  EXPECT_EQ(LimitName(Describe(problem, plan, 0).limit), LimitName(want.limit));
  const Certificate certificate = CertifyPlan(problem, plan);
  EXPECT_LE(certificate.largest_violation, kRounding);
  EXPECT_LE(certificate.largest_gap, kRounding);
  EXPECT_EQ(certificate.largest_excess_power, 0);
}

TEST(StepsWorkedByHand, Levels) {
  PlanningProblem problem = TwoBits();
  problem.steps.power_levels_w = kLevels;
  problem.max_power_w = 7.0;
  ExpectPlan(problem, {1, 3, Limit::kFull});  // 7 W is as good, but costs more
  problem.energy_budget_j = 2.0;              // 1/2, 2/3 and 3/7
  ExpectPlan(problem, {2.0 / 3, 3, Limit::kEnergy});
  problem.energy_budget_j = 1.2;  // 1/2, where time binds; 0.4 and 0.26, where energy does
  ExpectPlan(problem, {0.5, 1, Limit::kEnergy});
  problem.energy_budget_j = 100.0;
  problem.time_limit_s = 0.5;  // 1/4, 1/2 and 3/4
  ExpectPlan(problem, {0.75, 7, Limit::kPower});
  problem.spectral_efficiency_cap = 2.0;  // 7 W is no quicker than 3 W
  ExpectPlan(problem, {0.5, 3, Limit::kRate});
  problem.energy_budget_j = 0.0;
  ExpectPlan(problem, {0, 0, Limit::kEnergy});
}

TEST(StepsWorkedByHand, LevelsAboveTheCapAreNotTheDevices) {
  PlanningProblem problem = TwoBits();
  problem.steps.power_levels_w = kLevels;
  const ColumnValues caps = {5};  // a column, in which devices may differ
  problem.max_power_w = caps;
  problem.time_limit_s = 0.5;
  ExpectPlan(problem, {0.5, 3, Limit::kPower});
}

TEST(StepsWorkedByHand, LevelsInSteps) {
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 12.0;
  problem.steps.power_step = 2;
  problem.steps.min_power_w = 1.5;  // 12, 6, 3 and 1.5 W
  ExpectPlan(problem, {1, 3, Limit::kFull});
  problem.steps.min_power_w = 1.6;
  ExpectPlan(problem, {1, 3, Limit::kFull});
  problem.energy_budget_j =
      1.5;  // at 3 W: 1/2; at 1.5 W it could take 0.66 by time, 0.76 by energy
  ExpectPlan(problem, {0.5, 3, Limit::kEnergy});
  problem.steps.min_power_w = 1.5;
  ExpectPlan(problem, {std::log2(2.5) / 2, 1.5, Limit::kEnergy});
}

TEST(StepsWorkedByHand, LeastPower) {
  PlanningProblem problem = TwoBits();
  problem.energy_budget_j = 2.0;
  problem.steps.min_power_w = 3;  // any power from 3 to 100 W; without it, less would be better
  ExpectPlan(problem, {2.0 / 3, 3, Limit::kEnergy});
  problem.energy_budget_j = 100.0;
  problem.time_limit_s = 2.0;  // 1 W would be enough
  ExpectPlan(problem, {1, 3, Limit::kFull});
  problem.time_limit_s = 2.0 / 3;  // 7 W are needed, as without it
  ExpectPlan(problem, {1, 7, Limit::kFull});
  problem.spectral_efficiency_cap = 1.0;  // which 1 W reaches: the rest is wasted
  ExpectPlan(problem, {1.0 / 3, 3, Limit::kRate});
}

TEST(StepsWorkedByHand, Rates) {
  PlanningProblem problem = TwoBits();
  problem.steps.rates = kRows;
  ExpectPlan(problem, {1, 3, Limit::kFull});
  problem.energy_budget_j = 2.0;
  ExpectPlan(problem, {2.0 / 3, 3, Limit::kEnergy});
  problem.energy_budget_j = 100.0;
  problem.time_limit_s = 0.5;
  ExpectPlan(problem, {0.75, 7, Limit::kRate});
  problem.max_power_w = 6.9;
  ExpectPlan(problem, {0.5, 3, Limit::kPower});
  problem.snr_gap = 2.0;  // 2, 6 and 14 W
  ExpectPlan(problem, {0.5, 6, Limit::kPower});
  problem.max_power_w = 1.9;  // below the first row
  ExpectPlan(problem, {0, 0, Limit::kPower});
  EXPECT_EQ(CountSteps(problem, Solve(problem)).out_of_reach, 1u);
}

TEST(StepsWorkedByHand, RatesOfLevels) {
  PlanningProblem problem = TwoBits();
  problem.steps.rates = kRows;
  problem.steps.power_levels_w = {2, 5, 6};  // 1, 2 and 2 bit/s/Hz: 2, 1 and 1 s
  problem.max_power_w = 6.0;
  ExpectPlan(problem, {1, 5, Limit::kFull});
  problem.energy_budget_j = 4.0;  // 1/2, 4/5 and 2/3
  ExpectPlan(problem, {0.8, 5, Limit::kEnergy});
  problem.energy_budget_j = 100.0;
  problem.time_limit_s = 0.5;
  ExpectPlan(problem, {0.5, 5, Limit::kPower});  // 6 W reach no further row
}

TEST(StepsWorkedByHand, ALeastPowerWithRates) {
  PlanningProblem problem = TwoBits();
  problem.steps.rates = kRows;
  problem.steps.min_power_w = 4;  // row 2 at 4 W: 1 s and 4 J
  problem.energy_budget_j = 2.0;
  ExpectPlan(problem, {0.5, 4, Limit::kEnergy});
  problem.steps.min_power_w = 5;  // 5 J there, and 14/3 J in row 3
  ExpectPlan(problem, {3.0 / 7, 7, Limit::kEnergy});
}

TEST(StepsWorkedByHand, DeadlineAndComputation) {
  PlanningProblem problem = TwoBits();
  problem.steps.rates = kRows;
  problem.time_rule = TimeRule::kDeadline;
  problem.energy_budget_j = 1.5;  // row 1 is too late, row 2 just in time
  ExpectPlan(problem, {0.5, 3, Limit::kEnergy});
  problem.compute_time_s = 0.2;  // only row 3 is in time: 14/3 J
  ExpectPlan(problem, {1.5 * 3 / 14, 7, Limit::kEnergy});
  problem.max_power_w = 6.0;
  ExpectPlan(problem, {0, 0, Limit::kPower});
  problem.compute_time_s = 0.5;  // no row is in time, and more power would not help
  ExpectPlan(problem, {0, 0, Limit::kRate});
  problem.max_power_w = 100.0;
  ExpectPlan(problem, {0, 0, Limit::kRate});
  problem.compute_time_s = 1.0;
  ExpectPlan(problem, {0, 0, Limit::kTime});
  // On average over rounds, with 1 J of computing each time and an amplifier of 1/2: 5, 7 and 31/3
  // J.
  problem = TwoBits();
  problem.steps.rates = kRows;
  problem.compute_energy_j = 1.0;
  problem.amplifier_efficiency = 0.5;
  problem.energy_budget_j = 3.5;
  problem.compute_time_s = 1.0;  // 1/3, 1/2 and 3/5 by time; 7/10, 1/2 and 0.34 by energy
  ExpectPlan(problem, {0.5, 3, Limit::kEnergy});
  problem.circuit_power_w = 4.0;  // 13, 11 and 13 J
  problem.time_limit_s = 10.0;    // and time for all
  ExpectPlan(problem, {3.5 / 11, 3, Limit::kEnergy});
}

TEST(Steps, WithoutABandOrSamplesNobodyIsPlanned) {
  PlanningProblem problem = TwoBits();
  problem.steps.rates = kRows;
  problem.nat_time_s = INFINITY;
  ExpectPlan(problem, {0, 0, Limit::kBand});
  problem.samples = 0.0;
  ExpectPlan(problem, {0, 0, Limit::kData});
}

// --- Random fleets -------------------------------------------------------------------------------

std::vector<RadioSteps> Radios() {
  const std::vector<RateRow> rates = {{0.2, 0.15}, {0.5, 0.4}, {1.5, 0.9}, {6, 1.9}, {40, 4}};
  return {{.power_levels_w = {0.001, 0.004, 0.02, 0.05, 0.1, 0.2, 0.5}},
          {.min_power_w = 1e-4, .power_step = 1.3},
          {.rates = rates},
          {.min_power_w = 0.01, .rates = rates},
          {.power_levels_w = {0.001, 0.004, 0.02, 0.05, 0.1, 0.2, 0.5}, .rates = rates},
          {.min_power_w = 1e-4, .power_step = 1.3, .rates = rates},
          {.min_power_w = 1e-4, .power_step = 1.02, .rates = rates},  // many levels in each row
          {.min_power_w = 1e-4, .power_step = 5, .rates = rates},     // rows without a level
          {.min_power_w = 0.01}};
}

// On a grid of ratio q some power P is at most q times the best one, and no less. It is no slower,
// and an upload costs at most q times as much: the best of the grid is at least 1/q of the optimum.
// Where there are levels, the grid is the levels.
TEST(Steps, NoPowerIsBetter) {
  constexpr double kGridRatio = 1.01;
  for (std::uint64_t mix = 0; mix < SteppedFleet::kMixes; ++mix) {
    const SteppedFleet fleet(mix);
    for (const RadioSteps& steps : Radios()) {
      const PlanningProblem problem = fleet.Problem(steps);
      ASSERT_TRUE(Validate(problem, {})) << Validate(problem).error().message;
      const Plan plan = Solve(problem);
      const bool is_grid = !steps.has_levels();
      for (std::size_t i = 0; i < problem.devices; ++i) {
        SCOPED_TRACE(testing::Message() << "mix " << mix << ", device " << i);
        const Try best = BestTry(problem, i, kGridRatio);
        const double a = plan.probability[i];
        ASSERT_GE(a, best.probability * (1 - kRounding));
        ASSERT_LE(a, best.probability * (is_grid ? kGridRatio : 1) * (1 + kRounding));
        if (a == 0) continue;
        const Try planned = TryPower(problem, i, plan.power_w[i]);
        ASSERT_LE(RelativeError(planned.probability, a), kRounding);
        // Of those that allow as much, none costs less.
        if (best.probability >= a * (1 - 1e-15)) {
          ASSERT_LE(planned.energy_j, best.energy_j * (1 + kRounding));
        }
      }
    }
  }
}

TEST(Steps, TheCertificateAgrees) {
  for (std::uint64_t mix = 0; mix < SteppedFleet::kMixes; ++mix) {
    SCOPED_TRACE(mix);
    const SteppedFleet fleet(mix);
    for (const RadioSteps& steps : Radios()) {
      const PlanningProblem problem = fleet.Problem(steps);
      const Certificate certificate = CertifyPlan(problem, Solve(problem));
      EXPECT_LE(certificate.largest_violation, planning::kAccuracy);
      EXPECT_LE(certificate.largest_gap, planning::kAccuracy);
      EXPECT_LE(certificate.largest_excess_power, planning::kAccuracy);
    }
  }
}

// A level that is P^min but for rounding is one, to the solver and to the certificate, however
// small the steps are.
TEST(Steps, TheLastLevelIsTheSameToBoth) {
  PlanningProblem problem = TwoBits();
  problem.time_limit_s = 1000.0;
  problem.energy_budget_j = 0.01;  // so that the least power is best
  problem.steps.power_step = 1.001;
  problem.max_power_w = 1.0;
  for (const double share : {-1e-6, -5e-13, 0.0, 5e-13, 1e-6}) {
    SCOPED_TRACE(share);
    problem.steps.min_power_w = std::pow(1.001, -5) * (1 + share);
    const Plan plan = Solve(problem);
    const int levels_below = share < 1e-7 ? 5 : 4;
    EXPECT_LE(RelativeError(plan.power_w[0], std::pow(1.001, -levels_below)), 2e-12);
    const Certificate certificate = CertifyPlan(problem, plan);
    EXPECT_LE(certificate.largest_violation, 1e-12);
    EXPECT_LE(certificate.largest_gap, 1e-12);
    EXPECT_LE(certificate.largest_excess_power, 1e-12);
  }
}

TEST(Steps, TheCheckSaysHowFarItIs) {
  const SteppedFleet fleet(5);
  const PlanningProblem problem = fleet.Problem(Radios()[5]);
  std::vector<double> shares;
  (void)CertifyPlan(problem, Solve(problem), 1, [&](double share) { shares.push_back(share); });
  EXPECT_EQ(shares, std::vector<double>{1});  // 100 devices are one shard
}

TEST(Steps, TheCertificateCatchesTampering) {
  PlanningProblem problem = TwoBits();
  problem.steps.power_levels_w = kLevels;
  problem.max_power_w = 7.0;
  problem.energy_budget_j = 2.0;
  const auto certify = [&](double a, double power_w) {
    Plan plan = Solve(problem);
    plan.probability[0] = a;
    plan.power_w[0] = power_w;
    return CertifyPlan(problem, plan);
  };
  EXPECT_NEAR(certify(0.6, 3).largest_gap, 0.1, 1e-12);          // of 2/3
  EXPECT_NEAR(certify(0.5, 1).largest_gap, 0.25, 1e-12);         // another level
  EXPECT_NEAR(certify(0.5, 2.7).largest_violation, 0.1, 1e-12);  // no level
  EXPECT_NEAR(certify(0.7, 3).largest_violation, 0.05, 1e-12);   // 2.1 J
  EXPECT_NEAR(certify(0.4, 7).largest_excess_power, 6, 1e-12);   // 1 W would do for that
  problem.steps = {.rates = kRows};
  EXPECT_EQ(certify(0.5, 0.9).largest_violation, INFINITY);  // below the first row
  EXPECT_NEAR(certify(0.6, 3).largest_gap, 0.1, 1e-12);
  problem.steps = {.min_power_w = 3};
  EXPECT_NEAR(certify(0.6, 3).largest_gap, 0.1, 1e-9);  // which bisection finds
  EXPECT_NEAR(certify(0.5, 2.7).largest_violation, 0.1, 1e-12);
}

// Some level is at most one step above the best power, so the plan is at least 1/step of the one
// without levels, and never better.
TEST(Steps, ManyLevelsAreNearlyAll) {
  for (const double step : {1.5, 1.05}) {
    for (std::uint64_t mix = 0; mix < SteppedFleet::kMixes; ++mix) {
      const SteppedFleet fleet(mix);
      const Plan any = Solve(fleet.Problem({}));
      const PlanningProblem problem =
          fleet.Problem({.min_power_w = step == 1.5 ? 1e-20 : 1e-12, .power_step = step});
      ASSERT_TRUE(Validate(problem)) << Validate(problem).error().message;
      const Plan levels = Solve(problem);
      for (std::size_t i = 0; i < problem.devices; ++i) {
        EXPECT_LE(levels.probability[i], any.probability[i] * (1 + planning::kAccuracy));
        if (any.power_w[i] < problem.steps.min_power_w) continue;
        EXPECT_GE(levels.probability[i], any.probability[i] / step * (1 - planning::kAccuracy));
      }
    }
  }
}

TEST(Steps, ALeastPowerThatBindsNobodyChangesNothing) {
  for (std::uint64_t mix = 0; mix < SteppedFleet::kMixes; ++mix) {
    const SteppedFleet fleet(mix);
    const PlanningProblem of_any = fleet.Problem({});
    const PlanningProblem of_least = fleet.Problem({.min_power_w = 1e-39});
    const Plan any = Solve(of_any), least = Solve(of_least);
    EXPECT_EQ(any.probability, least.probability);
    EXPECT_EQ(any.power_w, least.power_w);
    for (std::size_t i = 0; i < of_any.devices; ++i) {
      EXPECT_EQ(Describe(of_any, any, i).limit, Describe(of_least, least, i).limit) << i;
    }
  }
}

// Who is limited by energy spends its budget; who is limited by power or rate has no time left at
// its quickest. (D6)
TEST(Steps, LimitsAreThoseThatBind) {
  constexpr double kAlmost = 1 - 1e-9;
  std::size_t at_cap = 0, at_cap_by_energy = 0;
  for (std::uint64_t mix = 0; mix < SteppedFleet::kMixes; ++mix) {
    const SteppedFleet fleet(mix);
    const PlanningProblem problem = fleet.Problem({});
    const Plan plan = Solve(problem);
    for (std::size_t i = 0; i < problem.devices; ++i) {
      const double a = plan.probability[i];
      if (a == 0 || a >= 1) continue;
      SCOPED_TRACE(testing::Message() << "mix " << mix << ", device " << i);
      const Participation one = Describe(problem, plan, i);
      const FixedEnergy fixed = FixedEnergyOf(problem, i);
      const double left_j = problem.energy_budget_j[i] - fixed.always_j;
      const bool is_at_cap = plan.power_w[i] == problem.max_power_w[i];
      if (one.limit == Limit::kEnergy) {
        EXPECT_GE(a * (one.energy_j - fixed.always_j), left_j * kAlmost);
        at_cap_by_energy += is_at_cap ? 1 : 0;
      } else {
        EXPECT_EQ(one.limit, Limit::kPower);
        EXPECT_TRUE(is_at_cap);
        EXPECT_GE(a * (one.upload_s + problem.compute_time_s[i]),
                  problem.time_limit_s[i] * kAlmost);
        ++at_cap;
      }
    }
  }
  EXPECT_GT(at_cap, 50u);
  EXPECT_GT(at_cap_by_energy, 5u);
}

// Of two options that cost the same but for rounding, it is the one of less power.
TEST(Steps, TheLeastLevelOfARowIsTaken) {
  PlanningProblem problem = TwoBits();
  problem.steps = {.power_levels_w = {3, 3.5, 4}, .rates = kRows};
  problem.compute_energy_j = 1e20;  // beside which no upload counts
  problem.energy_budget_j = 1e20;
  EXPECT_EQ(Solve(problem).power_w[0], 3);
}

TEST(Steps, ThreadsChangeNothing) {
  const SteppedFleet fleet(5);
  const PlanningProblem problem = fleet.Problem(Radios()[4]);
  const Plan one = Solve(problem), two = Solve(problem, {.threads = 2});
  EXPECT_EQ(one.probability, two.probability);
  EXPECT_EQ(one.power_w, two.power_w);
}

TEST(Steps, CountsWhoSendsHow) {
  PlanningProblem problem = TwoBits();
  const ColumnValues budget_j = {100, 1.2, 0, 2};
  problem.devices = 4;
  problem.energy_budget_j = budget_j;
  problem.max_power_w = 7.0;
  problem.steps = {.power_levels_w = kLevels, .rates = kRows};
  const StepCounts levels = CountSteps(problem, Solve(problem));
  EXPECT_EQ(levels.devices_by_level, (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(levels.devices_by_row, (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(levels.out_of_reach, 0u);
  problem.steps = {.min_power_w = 0.5, .power_step = 7.0 / 3};
  EXPECT_EQ(CountSteps(problem, Solve(problem)).devices_by_level,
            (std::vector<std::size_t>{0, 2, 1}));
  problem.steps = {.min_power_w = 3};
  EXPECT_EQ(CountSteps(problem, Solve(problem)).at_least_power, 3u);
}

// --- Errors --------------------------------------------------------------------------------------

std::string MessageOf(const RadioSteps& steps, const PlanningOptions& options = {}) {
  PlanningProblem problem = TwoBits();
  problem.steps = steps;
  const Status status = Validate(problem, options);
  return status.ok() ? "" : status.error().message;
}

TEST(StepsErrors, NameTheFieldAndTheBound) {
  EXPECT_EQ(MessageOf({.min_power_w = -1}), "min_power_w = -1: must be >= 0 and finite");
  EXPECT_EQ(MessageOf({.min_power_w = 101}),
            "device 1: max_power_w = 100: must be at least 101, the least power of the radio");
  EXPECT_EQ(MessageOf({.min_power_w = 1, .power_step = 0.5}),
            "power_step = 0.5: must be >= 1 and finite");
  EXPECT_EQ(MessageOf({.power_step = 2}),
            "power_step = 2: levels in steps need a least power: set min_power_w");
  EXPECT_EQ(MessageOf({.min_power_w = 1e-30, .power_step = 1.01}),
            "device 1: max_power_w = 100: has more than 1000 levels from 1e-30 up: take larger "
            "steps");
  EXPECT_EQ(MessageOf({.power_levels_w = {1, 101}}),
            "power_levels_w = 101: no device has more than max_power_w = 100");
  EXPECT_EQ(MessageOf({.power_levels_w = {2, 1}}),
            "power_levels_w = 1: levels must rise, and the one before is 2");
  EXPECT_EQ(MessageOf({.power_levels_w = {0}}), "power_levels_w = 0: must be > 0 and finite");
  EXPECT_EQ(MessageOf({.min_power_w = 1, .power_levels_w = {2}}),
            "power_levels_w = 1 levels: cannot stand beside min_power_w and power_step");
  EXPECT_EQ(MessageOf({.rates = {{1, 1}, {1, 2}}}),
            "rates = [1, 2]: row 2: both numbers must be more than in row 1");
  EXPECT_EQ(MessageOf({.rates = {{1, 1}, {2, 1}}}),
            "rates = [2, 1]: row 2: both numbers must be more than in row 1");
  EXPECT_EQ(MessageOf({.rates = {{0, 1}}}),
            "rates = [0, 1]: row 1: both numbers must be > 0 and finite");
  EXPECT_EQ(MessageOf({.rates = {{1, 1}}}, {.solver = Solver::kBisection}),
            "solver = bisection: knows Shannon's formula and powers of any size only, and not "
            "rates; use exact");
}

TEST(StepsErrorsDeathTest, WhatKnowsNoStepsRefusesThem) {
  PlanningProblem problem = TwoBits();
  problem.steps.rates = kRows;
  const Plan plan = Solve(problem);
  EXPECT_DEATH((void)FindLevers(problem, plan, false), "levers of a radio with rates");
  EXPECT_DEATH((void)SolveTimeAware(problem, 1.0, 0.1), "a radio with rates");
  EXPECT_DEATH((void)Solve(problem, {.solver = Solver::kBisection}), "solver bisection");
}

}  // namespace
}  // namespace airlot
