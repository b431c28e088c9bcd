// Plans that weigh the round's time are tested by hand, against grids of all choices, and by what
// any optimum must do.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "airlot/planning.h"
#include "base/random.h"
#include "planning/device.h"
#include "planning/planning_vectors_for_tests.h"
#include "planning/round_time.h"

namespace airlot {
namespace {

using planning::AddedTime;
using planning::Draw;
using planning::kAccuracy;
using planning::OnEverySection;
using planning::TwoBits;
using planning::VectorFleet;

// Replies, and moves together, go on until they gain less than this share of the objective.
constexpr double kLeastGain = 1e-11;
// They end within a few times that of where they lead.
constexpr double kReached = 100 * kLeastGain;
// Around a peak the objective falls with the square of the distance, so times and probabilities are
// the root of that share away, 3e-6, times a number of the peak's that is about 1.
const double kFlat = 4 * std::sqrt(kLeastGain);

// Returns Σ w·a - λ·E[max T] of a plan.
double ObjectiveOf(const PlanningProblem& problem, const Plan& plan, double time_weight,
                   const ColumnView& weight = 1.0) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.devices; ++i) sum += weight[i] * plan.probability[i];
  return sum - time_weight * Expect(problem, plan).round_time_s;
}

// --- What one more device adds -------------------------------------------------------------------

TEST(AddedTime, WorkedByHand) {
  // One device takes 1 s every other round, one takes 2 s every fourth. Nobody is there for longer
  // than a half second with 1/2 · 3/4; for longer than 1.5 s with 3/4.
  AddedTime added;
  const std::vector<Draw> others = {{1, 0.5}, {2, 0.25}};
  added.Set(others);
  EXPECT_DOUBLE_EQ(added.At(0.5).added_s, 0.375 * 0.5);
  EXPECT_DOUBLE_EQ(added.At(0.5).nobody_slower, 0.375);
  EXPECT_DOUBLE_EQ(added.At(1).added_s, 0.375);
  EXPECT_DOUBLE_EQ(added.At(1).nobody_slower, 0.375);
  EXPECT_DOUBLE_EQ(added.At(1.5).added_s, 0.375 + 0.75 * 0.5);
  EXPECT_DOUBLE_EQ(added.At(1.5).nobody_slower, 0.75);
  EXPECT_DOUBLE_EQ(added.At(3).added_s, 0.375 + 0.75 + 1);
  EXPECT_DOUBLE_EQ(added.At(3).nobody_slower, 1);
  added.Set({});
  EXPECT_DOUBLE_EQ(added.At(3).added_s, 3);
}

TEST(AddedTime, IsTheDifferenceOfExpectedMaxima) {
  base::RandomStream random(/*seed=*/5, base::Purpose{902}, /*round=*/1, /*device=*/0);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Draw> others(random.Below(8));
    for (Draw& draw : others) {
      draw = {1.0 + double(random.Below(5)), random.Below(4) == 0 ? 1 : random.Uniform()};
    }
    std::sort(others.begin(), others.end(),
              [](const Draw& a, const Draw& b) { return a.time_s < b.time_s; });
    AddedTime added;
    added.Set(others);
    const Draw one{random.Uniform(0, 7), random.Uniform()};
    std::vector<Draw> all = others;
    all.push_back(one);
    std::vector<Draw> without = others;
    // Both sums have at most 8 terms >= 0, each a product of up to 9 factors, half of which are
    // rounded differences: fewer than 32 roundings on either side, of 7 s at the most.
    EXPECT_NEAR(planning::ExpectedMaximum(all),
                planning::ExpectedMaximum(without) + one.probability * added.At(one.time_s).added_s,
                64 * 0x1p-53 * 7);
  }
}

// --- Worked by hand ------------------------------------------------------------------------------
//
// As in solvers_test.cc, g = 1 W and L = 2·ln2 s: at 1 W an upload takes 2 s and 2 J, at 3 W 1 s
// and 3 J.

TEST(TimeAwareWorkedByHand, OneDeviceAtItsPowerLimit) {
  // The device takes part with 1/2 at 1 W, 2 s. It is worth its time while 2·λ < 1.
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 1.0;
  Plan plan = SolveTimeAware(problem, 1.0, 0.49);
  EXPECT_EQ(plan.probability[0], 0.5);
  EXPECT_EQ(plan.power_w[0], 1);
  plan = SolveTimeAware(problem, 1.0, 0.51);
  EXPECT_EQ(plan.probability[0], 0);
  EXPECT_EQ(plan.power_w[0], 0);
  EXPECT_EQ(Describe(problem, plan, 0).limit, Limit::kTime);
  // A larger weight is worth more time.
  EXPECT_EQ(SolveTimeAware(problem, 1.1, 0.51).probability[0], 0.5);
}

TEST(TimeAwareWorkedByHand, TwoDevicesShareTheirTime) {
  // Both devices have 1/2 and 2 s: together 1 - λ·(3/4)·2 > 0 for λ < 2/3, although either alone
  // would not be worth its time.
  PlanningProblem problem = TwoBits();
  problem.devices = 2;
  problem.max_power_w = 1.0;
  for (const double probability : SolveTimeAware(problem, 1.0, 0.66).probability) {
    EXPECT_EQ(probability, 0.5);
  }
  for (const double probability : SolveTimeAware(problem, 1.0, 0.67).probability) {
    EXPECT_EQ(probability, 0);
  }
}

TEST(TimeAwareWorkedByHand, EnergyForTime) {
  // With a budget of 1 J, T = L/u and a = u/(L·(e^u - 1)), the share a·(1 - λ·T) is largest where
  // λ·L = u - 1 + e^-u. At u = ln4 that is 3 W and 1 s, which the budget pays in one round of
  // three.
  PlanningProblem problem = TwoBits();
  problem.energy_budget_j = 1.0;
  const double nats = std::log(4.0);
  const Plan plan = SolveTimeAware(problem, 1.0, (nats - 0.75) / (2 * std::numbers::ln2));
  // The logarithm of the share has the second derivative -2.56 by ln u, and its 16 roundings hide
  // what is closer to the peak than this.
  const double hidden = std::sqrt(2 * 16 * 0x1p-53 / 2.56);
  // By ln u, ln P rises by u·e^u/(e^u - 1) = 1.85, and ln a falls by 1 less.
  EXPECT_NEAR(plan.power_w[0], 3, 1.85 * hidden * 3);
  EXPECT_NEAR(plan.probability[0], 1.0 / 3, 0.85 * hidden / 3);
  // The plain plan has 1 W, 1/2.
  EXPECT_DOUBLE_EQ(SolveTimeAware(problem, 1.0, 0).power_w[0], 1);
}

TEST(TimeAwareWorkedByHand, EqualDevicesMoveTogether) {
  // There are two devices with a budget of 1 J: 2·a - λ·T·(2·a - a²) with a and T as functions of
  // u. Neither shortens the round by being quicker alone.
  PlanningProblem problem = TwoBits();
  problem.devices = 2;
  problem.energy_budget_j = 1.0;
  const double time_weight = 0.4, nat_time_s = 2 * std::numbers::ln2;
  constexpr double kGrid = 1e-5;
  double best = 0, best_power_w = 0;
  for (double u = std::numbers::ln2; u < 3; u += kGrid) {
    const double a = u / (nat_time_s * std::expm1(u));
    const double objective = 2 * a - time_weight * nat_time_s / u * (2 * a - a * a);
    if (objective <= best) continue;
    best = objective;
    best_power_w = std::expm1(u);
  }
  ASSERT_GT(best_power_w, 1.1);
  const Plan plan = SolveTimeAware(problem, 1.0, time_weight);
  EXPECT_GE(ObjectiveOf(problem, plan, time_weight), best * (1 - kLeastGain));
  // The best of the grid is within a step of the peak, and the plan within kFlat; dP/du = 1 + P.
  const double most_w = (1 + best_power_w) * (kGrid + 3 * kFlat);
  EXPECT_NEAR(plan.power_w[0], best_power_w, most_w);
  EXPECT_NEAR(plan.power_w[1], best_power_w, most_w);
}

TEST(TimeAwareWorkedByHand, ACertainDeviceMakesRoomForOthers) {
  // The first device, of weight 10, takes 2 s in every round; the others may take as long for
  // nothing. The last would take 4 s and stays within the 2 s, or sends quicker at a price.
  PlanningProblem problem = TwoBits();
  const ColumnValues limit_s = {2, 1, 1};
  const ColumnValues budget_j = {2, 1, 0.1};
  problem.devices = 3;
  problem.time_limit_s = limit_s;
  problem.energy_budget_j = budget_j;
  const ColumnValues weight = {10, 1, 1};
  const Plan plain = Solve(problem);
  const Plan plan = SolveTimeAware(problem, weight, 1);
  EXPECT_EQ(plan.probability[0], 1);
  EXPECT_EQ(plan.probability[1], plain.probability[1]);  // it takes 2 s as planned
  ASSERT_GT(Describe(problem, plain, 2).upload_s, 3);
  // Times that differ by a share of 1e-9 count as equal.
  EXPECT_GE(Describe(problem, plan, 2).upload_s, 2 * (1 - 1e-9));
  EXPECT_LT(Describe(problem, plan, 2).upload_s, Describe(problem, plain, 2).upload_s);
}

// --- Against every combination on a grid ---------------------------------------------------------

// A RandomFleet has a few devices like the paper's: places, budgets and limits that mix what binds.
struct RandomFleet {
  ColumnValues noise_to_gain_w, budget_j, compute_j, compute_s;
  PlanningProblem problem;

  RandomFleet(std::size_t devices, std::uint64_t number)
      : noise_to_gain_w(devices), budget_j(devices), compute_j(devices), compute_s(devices) {
    base::RandomStream random(/*seed=*/5, base::Purpose{903}, number, /*device=*/0);
    for (std::size_t i = 0; i < devices; ++i) {
      noise_to_gain_w[i] = random.LogUniform(1e-9, 1e-6);
      budget_j[i] = random.LogUniform(1e-3, 10);
      compute_j[i] = random.Uniform(0, 1);
      compute_s[i] = random.Uniform(0, 2);
    }
    problem = {.devices = devices,
               .noise_to_gain_w = noise_to_gain_w,
               .nat_time_s = 40.0,
               .max_power_w = 0.2,
               .energy_budget_j = budget_j,
               .compute_energy_j = compute_j,
               .time_limit_s = random.LogUniform(0.3, 10)};
    if (random.Below(2) == 0) problem.compute_time_s = compute_s;
    if (random.Below(2) == 0) problem.circuit_power_w = 0.01;
  }
};

// Returns the best objective over all combinations of `points` powers a device, from the plain
// plan's to the largest, with the largest probability that each allows, and of staying out.
double BestOfGrid(const PlanningProblem& problem, double time_weight, int points) {
  const Plan plain = Solve(problem);
  std::vector<std::vector<Draw>> choices(problem.devices);
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const planning::Device device = planning::DeviceAt(problem, i);
    choices[i].push_back({0, 0});
    for (int k = 0; k < points; ++k) {
      const double share = double(k) / (points - 1);
      const double power_w =
          plain.power_w[i] * std::pow(problem.max_power_w[i] / plain.power_w[i], share);
      const double upload_s = planning::UploadTime(device, power_w);
      const double time_s = upload_s + problem.compute_time_s[i];
      const double once_j = DrawnPower(problem, power_w) * upload_s + problem.compute_energy_j[i];
      choices[i].push_back({time_s, std::min({1.0, problem.time_limit_s[i] / time_s,
                                              problem.energy_budget_j[i] / once_j})});
    }
  }
  double best = 0;
  std::vector<std::size_t> picked(problem.devices, 0);
  for (;;) {
    std::vector<Draw> draws;
    double sum = 0;
    for (std::size_t i = 0; i < problem.devices; ++i) {
      draws.push_back(choices[i][picked[i]]);
      sum += draws.back().probability;
    }
    best = std::max(best, sum - time_weight * planning::ExpectedMaximum(draws));
    std::size_t digit = 0;
    while (digit < picked.size() && ++picked[digit] == choices[digit].size()) picked[digit++] = 0;
    if (digit == picked.size()) return best;
  }
}

TEST(TimeAware, IsNoWorseThanAnyCombinationOnAGrid) {
  std::size_t between = 0;
  for (std::uint64_t number = 0; number < 45; ++number) {
    const std::size_t devices = 1 + number % 3;
    const RandomFleet fleet(devices, number);
    const Plan plain = Solve(fleet.problem);
    const double scale =
        Expect(fleet.problem, plain).participants / Expect(fleet.problem, plain).round_time_s;
    for (const double factor : {0.1, 0.5, 0.9, 1.5, 3.0}) {
      const double time_weight = factor * scale;
      const Plan plan = SolveTimeAware(fleet.problem, 1.0, time_weight);
      const double objective = ObjectiveOf(fleet.problem, plan, time_weight);
      const double grid = BestOfGrid(fleet.problem, time_weight,
                                     devices == 1   ? 4000
                                     : devices == 2 ? 70
                                                    : 16);
      EXPECT_GE(objective, grid - kReached * (1 + std::abs(grid))) << number << " " << factor;
      // The finer the grid, the closer it comes: of 4000 points, two next to each other differ by
      // less than 1 % in their power, and around its peak the objective by the square of that.
      if (devices == 1) {
        EXPECT_NEAR(objective, grid, 1e-4 * (grid + 1e-3)) << number;
      }
      between += objective > 1.01 * std::max(ObjectiveOf(fleet.problem, plain, time_weight), 0.0);
    }
  }
  EXPECT_GT(between, 40u);  // neither the plain plan nor nobody
}

// --- What any optimum must do --------------------------------------------------------------------

TEST(TimeAware, WithoutWeightIsThePlainPlan) {
  OnEverySection(100, [](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    const Plan plain = Solve(problem);
    const Plan plan = SolveTimeAware(problem, 1.0, 0);
    EXPECT_EQ(plan.probability, plain.probability);
    EXPECT_EQ(plan.power_w, plain.power_w);
  });
}

TEST(TimeAware, TendsToThePlainPlanAndToNobody) {
  const RandomFleet fleet(40, 100);
  const Plan plain = Solve(fleet.problem);
  // The plan is no worse than the plain one, so all that it gives up is worth at most the time.
  const double time_weight = 1e-9;
  const double most = time_weight * Expect(fleet.problem, plain).round_time_s;
  EXPECT_LT(most, 1e-6);
  const Plan nearly = SolveTimeAware(fleet.problem, 1.0, time_weight);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(nearly.probability[i], plain.probability[i], most);
  }
  const Plan none = SolveTimeAware(fleet.problem, 1.0, 1e9);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(none.probability[i], 0);
    EXPECT_EQ(none.power_w[i], 0);
  }
}

// The plan is feasible, and never worse than the plain plan or than nobody, whatever the options.
TEST(TimeAware, IsFeasibleAndNeverWorseUnderEveryOption) {
  std::size_t better = 0;
  OnEverySection(60, [&](const VectorFleet& fleet) {
    const PlanningProblem problem = fleet.Problem();
    const Plan plain = Solve(problem);
    const Expectations expected = Expect(problem, plain);
    for (const double factor : {0.01, 0.3, 1.0}) {
      const double time_weight = factor * expected.participants / expected.round_time_s;
      const Plan plan = SolveTimeAware(problem, 1.0, time_weight);
      EXPECT_LE(CertifyPlan(problem, plan).largest_violation, kAccuracy);
      const double before = ObjectiveOf(problem, plain, time_weight);
      const double after = ObjectiveOf(problem, plan, time_weight);
      // The sums over 60 devices are rounded fewer than 8 times for each, on either side, and the
      // times are computed again from the powers: 1e-13 in all.
      EXPECT_GE(after, std::max(before, 0.0) - 1e-12 * expected.participants);
      better += after > before + 1e-3 * expected.participants ? 1 : 0;
    }
  });
  EXPECT_GT(better, 40u);
}

// What a second is worth can only shorten the round and lower the number of participants.
TEST(TimeAware, RoundsGetShorterAsTimeWeighsMore) {
  for (const std::uint64_t number : {200, 201, 202, 203}) {
    const RandomFleet fleet(30, number);
    Expectations before = Expect(fleet.problem, Solve(fleet.problem));
    const double scale = before.participants / before.round_time_s;
    const double plain_s = before.round_time_s;
    for (double factor = 1e-3; factor < 30; factor *= 1.5) {
      const Expectations after =
          Expect(fleet.problem, SolveTimeAware(fleet.problem, 1.0, factor * scale));
      EXPECT_LE(after.round_time_s, before.round_time_s * (1 + kFlat)) << number << " " << factor;
      EXPECT_LE(after.participants, before.participants * (1 + kFlat)) << number << " " << factor;
      before = after;
    }
    EXPECT_LT(before.round_time_s, 0.5 * plain_s);
  }
}

// No device gains by another time of its own.
TEST(TimeAware, IsALocalOptimum) {
  const RandomFleet fleet(25, 300);
  const Expectations expected = Expect(fleet.problem, Solve(fleet.problem));
  const double time_weight = 0.5 * expected.participants / expected.round_time_s;
  const Plan plan = SolveTimeAware(fleet.problem, 1.0, time_weight);
  const double objective = ObjectiveOf(fleet.problem, plan, time_weight);
  ASSERT_LT(Expect(fleet.problem, plan).round_time_s, 0.9 * expected.round_time_s);
  for (std::size_t i = 0; i < 25; ++i) {
    const planning::Device device = planning::DeviceAt(fleet.problem, i);
    for (double power_w = 1e-6; power_w <= 0.2; power_w *= 1.1) {
      const double upload_s = planning::UploadTime(device, power_w);
      const double once_j =
          DrawnPower(fleet.problem, power_w) * upload_s + fleet.problem.compute_energy_j[i];
      const double most = std::min(
          {1.0, fleet.problem.time_limit_s[i] / (upload_s + fleet.problem.compute_time_s[i]),
           fleet.problem.energy_budget_j[i] / once_j});
      for (const double probability : {0.0, 0.5 * most, most}) {
        Plan other = plan;
        other.probability[i] = probability;
        other.power_w[i] = power_w;
        EXPECT_LE(ObjectiveOf(fleet.problem, other, time_weight), objective * (1 + kReached)) << i;
      }
    }
  }
}

// The fleet is too large for replies in turn, and is cut off at the best time.
TEST(TimeAware, CutsOffLargeFleets) {
  const RandomFleet fleet(20000, 400);
  const Plan plain = Solve(fleet.problem);
  const Expectations expected = Expect(fleet.problem, plain);
  const double time_weight = 0.3 * expected.participants / expected.round_time_s;
  const Plan plan = SolveTimeAware(fleet.problem, 1.0, time_weight);
  EXPECT_LE(CertifyPlan(fleet.problem, plan).largest_violation, kAccuracy);
  const double objective = ObjectiveOf(fleet.problem, plan, time_weight);
  EXPECT_GT(objective, 1.01 * ObjectiveOf(fleet.problem, plain, time_weight));
  double longest_s = 0;
  for (std::size_t i = 0; i < fleet.problem.devices; ++i) {
    if (plan.probability[i] == 0) continue;
    longest_s = std::max(
        longest_s, Describe(fleet.problem, plan, i).upload_s + fleet.problem.compute_time_s[i]);
  }
  EXPECT_LT(longest_s, expected.round_time_s);
  const Plan threads = SolveTimeAware(fleet.problem, 1.0, time_weight, {.threads = 3});
  EXPECT_EQ(threads.probability, plan.probability);
  EXPECT_EQ(threads.power_w, plan.power_w);
}

// The device computes for 1e6 s and sends for less than the last digit of that: the time that is
// left has no digits, and the budget must hold all the same.
TEST(TimeAware, KeepsTheBudgetWhereComputationHidesTheUpload) {
  const PlanningProblem problem{.devices = 1,
                                .noise_to_gain_w = 1e-9,
                                .nat_time_s = NatTime(1, 1e9),
                                .max_power_w = 10.0,
                                .energy_budget_j = 1e-12,
                                .time_limit_s = 1e9,
                                .compute_time_s = 1e6};
  const Certificate certificate = CertifyPlan(problem, SolveTimeAware(problem, 1.0, 1e-9));
  EXPECT_LE(certificate.largest_violation, kAccuracy);
}

// The columns go over many decades.
TEST(TimeAware, KeepsEveryConstraintAtExtremes) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    base::RandomStream stream(seed, base::Purpose{904}, 0, 0);
    const double reach = 3.0 * static_cast<double>(1 + seed % 6);
    constexpr std::size_t kDevices = 3;
    const auto draw = [&] { return std::pow(10, stream.Uniform(-reach, reach)); };
    std::array<ColumnValues, 7> columns;
    for (ColumnValues& column : columns) {
      for (std::size_t i = 0; i < kDevices; ++i) column.push_back(draw());
    }
    const PlanningProblem problem{.devices = kDevices,
                                  .noise_to_gain_w = columns[0],
                                  .nat_time_s = columns[1],
                                  .max_power_w = columns[2],
                                  .energy_budget_j = columns[3],
                                  .compute_energy_j = columns[4],
                                  .time_limit_s = columns[5],
                                  .compute_time_s = columns[6],
                                  .circuit_power_w = seed % 2 == 0 ? 0 : draw()};
    ASSERT_TRUE(Validate(problem).ok());
    const Plan plain = Solve(problem);
    const double time_s = Expect(problem, plain).round_time_s;
    for (const double factor : {1e-6, 0.1, 1.0}) {
      const Plan plan = SolveTimeAware(problem, 1.0, time_s > 0 ? factor / time_s : factor);
      EXPECT_LE(CertifyPlan(problem, plan).largest_violation, kAccuracy);
    }
  }
}

TEST(TimeAwareDeathTest, NeedsAWeightForEachDevice) {
  const RandomFleet fleet(5, 1);
  const ColumnValues weight(4, 1.0);
  EXPECT_DEATH((void)SolveTimeAware(fleet.problem, weight, 1), "4 weights for 5 devices");
}

}  // namespace
}  // namespace airlot
