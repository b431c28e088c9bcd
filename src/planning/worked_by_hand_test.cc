// Plans of one device that are worked by hand, for every option.
//
// All problems have g = 1 W and an update of L = 2·ln2 s, that is 2 bit per hertz. At P = 1 W the
// device sends log2(1 + 1/1) = 1 bit/s/Hz, so the upload takes T = 2 s and 2 J; at 3 W it sends 2
// bit/s/Hz and takes 1 s and 3 J.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "airlot/planning.h"
#include "planning/planning_vectors_for_tests.h"

namespace airlot {
namespace {

using planning::RelativeError;
using planning::TwoBits;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Answer {
  double probability, power_w, upload_s, energy_j;
  Limit limit;
};

// At u <= ln 4 nats/s/Hz the plan is off by at most this, by (22) and (23), and what it costs by
// this and what the power does to T, 57·2^-53, and the operations of Describe. With computation
// time the condition of (11) is at most 4 here.
constexpr double kPlanError = 106 * 0x1p-53, kCostError = 170 * 0x1p-53;

void ExpectOptimum(const PlanningProblem& problem, const Answer& answer) {
  ASSERT_TRUE(Validate(problem).ok());
  for (const Solver solver : {Solver::kExact, Solver::kBisection}) {
    SCOPED_TRACE(SolverName(solver));
    const Plan plan = Solve(problem, {.solver = solver});
    EXPECT_LE(RelativeError(plan.probability[0], answer.probability), kPlanError);
    EXPECT_LE(RelativeError(plan.power_w[0], answer.power_w), kPlanError);
  }
  const Plan plan = Solve(problem);
  const Participation participation = Describe(problem, plan, 0);
  EXPECT_NEAR(participation.upload_s, answer.upload_s, kCostError * answer.upload_s);
  EXPECT_NEAR(participation.energy_j, answer.energy_j, kCostError * answer.energy_j);
  EXPECT_EQ(participation.limit, answer.limit) << LimitName(participation.limit);
}

TEST(WorkedByHand, Full) {
  // One second is just enough at 3 W, so the device can always take part. It must not send with
  // more than 3 W, although it may: that would cost more energy for the same a.
  PlanningProblem problem = TwoBits();
  ExpectOptimum(problem, {1, 3, 1, 3, Limit::kFull});
  // With two seconds 1 W is enough.
  problem.time_limit_s = 2.0;
  ExpectOptimum(problem, {1, 1, 2, 2, Limit::kFull});
}

TEST(WorkedByHand, Energy) {
  // Sending at 1 W every other round takes 2 s and 2 J each time: on average the limit of 1 s, and
  // 1 J. More often would need more power, so more than 1 J.
  PlanningProblem problem = TwoBits();
  problem.energy_budget_j = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kEnergy});
  // Computing takes 2 J each time: on average 1 J more.
  problem.compute_energy_j = 2.0;
  problem.energy_budget_j = 2.0;
  ExpectOptimum(problem, {0.5, 1, 2, 4, Limit::kEnergy});
}

TEST(WorkedByHand, EnergyWhereComputingAloneCostsMoreThanTheBudget) {
  // Every other round takes 6 J for computing and 2 J for sending: 4 J on average, less than the 6.
  PlanningProblem problem = TwoBits();
  problem.compute_energy_j = 6.0;
  problem.energy_budget_j = 4.0;
  ExpectOptimum(problem, {0.5, 1, 2, 8, Limit::kEnergy});
}

TEST(WorkedByHand, Power) {
  // The device has at most 1 W: an upload takes 2 s, so it takes part every other round.
  PlanningProblem problem = TwoBits();
  problem.max_power_w = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kPower});
  EXPECT_EQ(Solve(problem).power_w[0], 1);  // the cap itself, not a rounding of it
}

TEST(WorkedByHand, Rate) {
  // The cap of 1 bit/s/Hz makes it 2 s, and there is no sense in sending with more than the 1 W
  // that gives it.
  PlanningProblem problem = TwoBits();
  problem.spectral_efficiency_cap = 1;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kRate});
}

TEST(WorkedByHand, SnrGap) {
  // A gap of 2 doubles the power for the same rate.
  PlanningProblem problem = TwoBits();
  problem.snr_gap = 2;
  ExpectOptimum(problem, {1, 6, 1, 6, Limit::kFull});
  problem.max_power_w = 2.0;
  ExpectOptimum(problem, {0.5, 2, 2, 4, Limit::kPower});
}

TEST(WorkedByHand, NoBudget) {
  PlanningProblem problem = TwoBits();
  problem.energy_budget_j = 0.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kEnergy});
  problem.compute_energy_j = 1.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kEnergy});
}

TEST(WorkedByHand, ComputationTime) {
  // Every other round has 2 s of computing before 2 s of sending at 1 W: 2 s on average.
  PlanningProblem problem = TwoBits();
  problem.compute_time_s = 2.0;
  problem.time_limit_s = 2.0;
  problem.energy_budget_j = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kEnergy});
  problem.energy_budget_j = 100.0;
  problem.max_power_w = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kPower});
  problem.max_power_w = 100.0;
  problem.spectral_efficiency_cap = 1;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kRate});
  // A limit of 4 s holds both every time.
  problem.spectral_efficiency_cap = kInfinity;
  problem.time_limit_s = 4.0;
  ExpectOptimum(problem, {1, 1, 2, 2, Limit::kFull});
}

TEST(WorkedByHand, ComputeAlways) {
  // 6 of 7 J go into computing in every round; the one left is that of `Energy`.
  PlanningProblem problem = TwoBits();
  problem.compute_rule = ComputeRule::kAlways;
  problem.compute_energy_j = 6.0;
  problem.energy_budget_j = 7.0;
  ExpectOptimum(problem, {0.5, 1, 2, 8, Limit::kEnergy});
  problem.energy_budget_j = 6.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kEnergy});
}

TEST(WorkedByHand, Deadline) {
  // Every upload must end within 2 s: at 1 W it just does, and costs 2 J.
  PlanningProblem problem = TwoBits();
  problem.time_rule = TimeRule::kDeadline;
  problem.time_limit_s = 2.0;
  ExpectOptimum(problem, {1, 1, 2, 2, Limit::kFull});
  problem.energy_budget_j = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, 2, Limit::kEnergy});
  problem.compute_energy_j = 2.0;
  ExpectOptimum(problem, {0.25, 1, 2, 4, Limit::kEnergy});
  problem.compute_time_s = 1.0;  // computing leaves 1 s: 3 W, 3 J
  ExpectOptimum(problem, {0.2, 3, 1, 5, Limit::kEnergy});
  problem.compute_time_s = 0.0;
  problem.max_power_w = 1.0;  // it is just enough, and must not fall short by rounding
  ExpectOptimum(problem, {0.25, 1, 2, 4, Limit::kEnergy});
  problem.max_power_w = 0.99;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kPower});
  problem.max_power_w = 100.0;
  problem.spectral_efficiency_cap = 1;
  ExpectOptimum(problem, {0.25, 1, 2, 4, Limit::kEnergy});
  problem.spectral_efficiency_cap = 0.99;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kRate});
  problem.spectral_efficiency_cap = kInfinity;
  problem.compute_time_s = 2.0;  // computing leaves no time to upload
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kTime});
  problem.compute_time_s = 0.0;
  problem.energy_budget_j = 0.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kEnergy});
}

TEST(WorkedByHand, Amplifier) {
  // The device draws 2 W to radiate 1 W: 4 J in 2 s. A budget of 2 J pays every other round.
  PlanningProblem problem = TwoBits();
  problem.amplifier_efficiency = 0.5;
  ExpectOptimum(problem, {1, 3, 1, 6, Limit::kFull});
  problem.energy_budget_j = 2.0;
  ExpectOptimum(problem, {0.5, 1, 2, 4, Limit::kEnergy});
  // The 4 J more for computing are not the amplifier's.
  problem.compute_energy_j = 4.0;
  problem.energy_budget_j = 4.0;
  ExpectOptimum(problem, {0.5, 1, 2, 8, Limit::kEnergy});
  problem.compute_rule = ComputeRule::kAlways;
  problem.energy_budget_j = 6.0;
  ExpectOptimum(problem, {0.5, 1, 2, 8, Limit::kEnergy});
}

// With circuit power P^c an upload is cheapest where 1 + (u - 1)·e^u = P^c: at u = ln2, that is
// 1 W, for P^c = 2·ln2 - 1; at u = ln4, that is 3 W, for P^c = 8·ln2 - 3. It then takes L·e^u.
constexpr double kCheapestAtOneWatt = 2 * std::numbers::ln2 - 1;
constexpr double kCheapestAtThreeWatts = 8 * std::numbers::ln2 - 3;

TEST(WorkedByHand, CircuitPowerWhereTimeIsLeft) {
  // Four seconds would let it send at 0.41 W, but with the circuit on for so long 1 W costs less.
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = kCheapestAtOneWatt;
  problem.time_limit_s = 4.0;
  const double cheapest_j = 4 * std::numbers::ln2;
  ExpectOptimum(problem, {1, 1, 2, cheapest_j, Limit::kFull});
  // Half of the cheapest energy pays every other round, and three of four seconds are left over.
  problem.energy_budget_j = cheapest_j / 2;
  ExpectOptimum(problem, {0.5, 1, 2, cheapest_j, Limit::kEnergy});
  // The budget is less than the circuit would take if the radio were on for τ.
  problem.time_limit_s = 1e6;
  ExpectOptimum(problem, {0.5, 1, 2, cheapest_j, Limit::kEnergy});
  // The same efficiency for radiating and for the circuit changes nothing but the unit.
  problem.amplifier_efficiency = 0.25;
  problem.circuit_power_w *= 4;
  problem.energy_budget_j = 2 * cheapest_j;
  ExpectOptimum(problem, {0.5, 1, 2, 4 * cheapest_j, Limit::kEnergy});
}

TEST(WorkedByHand, CircuitPowerWhereTimeIsShort) {
  // The circuit takes 1 W: at 3 W an upload takes 1 s and 4 J; cheapest is e - 1 W. The limit of
  // half a second allows every other round, for 2 J.
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = 1;
  problem.time_limit_s = 0.5;
  problem.energy_budget_j = 2.0;
  ExpectOptimum(problem, {0.5, 3, 1, 4, Limit::kEnergy});
  // Computing for 3 J each time takes 1.5 J more.
  problem.compute_energy_j = 3.0;
  problem.energy_budget_j = 3.5;
  ExpectOptimum(problem, {0.5, 3, 1, 7, Limit::kEnergy});
  problem.time_limit_s = 1.0;
  problem.energy_budget_j = 100.0;
  ExpectOptimum(problem, {1, 3, 1, 7, Limit::kFull});
}

TEST(WorkedByHand, CircuitPowerBeyondTheCaps) {
  // 3 W would be cheapest, but there is 1 W: the device sends with all it has, although the time
  // would allow less, and the budget pays every other round.
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = kCheapestAtThreeWatts;
  problem.time_limit_s = 10.0;
  const double once_j = (1 + kCheapestAtThreeWatts) * 2;
  problem.energy_budget_j = once_j / 2;
  problem.max_power_w = 1.0;
  ExpectOptimum(problem, {0.5, 1, 2, once_j, Limit::kEnergy});
  EXPECT_EQ(Solve(problem).power_w[0], 1);
  problem.max_power_w = 100.0;
  problem.spectral_efficiency_cap = 1;
  ExpectOptimum(problem, {0.5, 1, 2, once_j, Limit::kEnergy});
  problem.energy_budget_j = 100.0;
  ExpectOptimum(problem, {1, 1, 2, once_j, Limit::kFull});
  // Time binds, and the budget does not.
  problem.time_limit_s = 0.5;
  ExpectOptimum(problem, {0.25, 1, 2, once_j, Limit::kRate});
}

TEST(WorkedByHand, CircuitPowerWithComputationTime) {
  // Every other round has 9 s of computing and 1 s of sending at 3 W, which takes 4 J: 5 s and 2 J
  // on average. The circuit alone would take 5 J in τ; but the radio is on for 1 s of the 10.
  PlanningProblem problem = TwoBits();
  problem.circuit_power_w = 1;
  problem.compute_time_s = 9.0;
  problem.time_limit_s = 5.0;
  problem.energy_budget_j = 2.0;
  ExpectOptimum(problem, {0.5, 3, 1, 4, Limit::kEnergy});
}

TEST(WorkedByHand, CircuitPowerWithADeadline) {
  PlanningProblem problem = TwoBits();
  problem.time_rule = TimeRule::kDeadline;
  problem.circuit_power_w = kCheapestAtOneWatt;
  problem.time_limit_s = 4.0;  // 1 W and 2 s are cheaper than just to meet it
  const double cheapest_j = 4 * std::numbers::ln2;
  ExpectOptimum(problem, {1, 1, 2, cheapest_j, Limit::kFull});
  problem.energy_budget_j = cheapest_j / 4;
  ExpectOptimum(problem, {0.25, 1, 2, cheapest_j, Limit::kEnergy});
  problem.time_limit_s = 1.0;  // this needs 3 W
  const double once_j = 3 + kCheapestAtOneWatt;
  problem.energy_budget_j = once_j / 4;
  ExpectOptimum(problem, {0.25, 3, 1, once_j, Limit::kEnergy});
  // 3 W would be cheapest; there is 1 W, which meets the deadline: more power would save energy,
  // but it is energy that there is too little of.
  problem.circuit_power_w = kCheapestAtThreeWatts;
  problem.time_limit_s = 4.0;
  problem.max_power_w = 1.0;
  problem.energy_budget_j = 1 + kCheapestAtThreeWatts;
  ExpectOptimum(problem, {0.5, 1, 2, 2 * (1 + kCheapestAtThreeWatts), Limit::kEnergy});
  problem.time_limit_s = 1.0;
  ExpectOptimum(problem, {0, 0, 0, 0, Limit::kPower});
}

}  // namespace
}  // namespace airlot
