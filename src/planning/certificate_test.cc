// The certificate passes optimal plans, and catches every kind of tampering, with its size and
// place.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "airlot/planning.h"
#include "base/shards.h"
#include "planning/planning_vectors_for_tests.h"

namespace airlot {
namespace {

using planning::kAccuracy;
using planning::kVectorSections;
using planning::MakeVectorFleet;
using planning::VectorFleet;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Certificate, PassesOptimalPlansUnderEveryOption) {
  for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
    SCOPED_TRACE(kVectorSections[number].name);
    const VectorFleet fleet = MakeVectorFleet(number, 3000);
    ASSERT_GT(fleet.size(), 200u);
    const PlanningProblem problem = fleet.Problem();
    const Certificate certificate = CertifyPlan(problem, Solve(problem));
    EXPECT_LE(certificate.largest_violation, kAccuracy) << certificate.violation_device;
    EXPECT_LE(certificate.largest_gap, kAccuracy) << certificate.gap_device;
    // What separates them is the rounding of u, which the nats and the share of computation
    // multiply, less the one digit of the probability that the certificate allows for.
    EXPECT_LE(certificate.largest_excess_power, 10 * kAccuracy) << certificate.excess_power_device;
  }
}

// Uploads here take up to ln 4 nats/s/Hz, where (22) and (23) allow errors of 40·2^-53 of a and of
// 106·2^-53 of P. What the power does to T is at most P/((1 + P)·ln(1 + P)) of that, 57, so that
// a·P·T is off by the sum of all three. Circuit power takes less (docs/energy.md, "Rounding").
constexpr double kRounding = 203 * 0x1p-53;

// Plans are tampered with by 1e-6 or more, and what the certificate then says is compared with the
// first term of its series: a thousandth of 1e-6 leaves room for the second, of 1e-12.
constexpr double kSeen = 1e-9;

// Four devices with g = 1 W and L = 2·ln2 s (worked_by_hand_test.cc works them out): at 1 W an
// upload takes 2 s and 2 J, at 3 W 1 s and 3 J. The limit is 1 s.
class Tampering : public testing::Test {
 protected:
  static constexpr std::size_t kFull = 0, kEnergy = 1, kPower = 2, kNobody = 3;

  Tampering() {
    problem_ = {.devices = 4,
                .noise_to_gain_w = 1.0,
                .nat_time_s = 2 * std::numbers::ln2,
                .max_power_w = max_power_w_,
                .energy_budget_j = budget_j_,
                .time_limit_s = 1.0};
    plan_ = Solve(problem_);
  }

  // Returns what the certificate says of the plan with one device's values replaced.
  Certificate With(std::size_t device, double probability, double power_w) const {
    Plan plan = plan_;
    plan.probability[device] = probability;
    plan.power_w[device] = power_w;
    return CertifyPlan(problem_, plan);
  }

  const ColumnValues max_power_w_ = {100, 100, 1, 100};
  const ColumnValues budget_j_ = {100, 1, 100, 0};
  PlanningProblem problem_;
  Plan plan_;
};

TEST_F(Tampering, NothingIsWrongBefore) {
  const Certificate certificate = CertifyPlan(problem_, plan_);
  EXPECT_LE(certificate.largest_violation, kRounding);
  EXPECT_LE(certificate.largest_gap, kRounding);
  EXPECT_LE(certificate.largest_excess_power, kRounding);
}

TEST_F(Tampering, ProbabilityTooHigh) {
  for (const std::size_t device : {kFull, kEnergy, kPower}) {
    // Time is tight for all three, so a millionth more breaks it by a millionth.
    const Certificate certificate =
        With(device, plan_.probability[device] * (1 + 1e-6), plan_.power_w[device]);
    EXPECT_NEAR(certificate.largest_violation, 1e-6, kSeen);
    EXPECT_EQ(certificate.violation_device, device);
    EXPECT_LE(certificate.largest_gap, kRounding);
  }
  // This is far out of the range of a probability.
  EXPECT_NEAR(With(kEnergy, 1.5, 1).largest_violation, 2, kSeen);  // thrice the planned 1/2
  EXPECT_NEAR(With(kFull, 7, 3).largest_violation, 6, kSeen);
  EXPECT_EQ(With(kFull, 7, 3).violation_device, kFull);
}

TEST_F(Tampering, ProbabilityTooLow) {
  for (const std::size_t device : {kFull, kEnergy, kPower}) {
    const double a = plan_.probability[device], power_w = plan_.power_w[device];
    const Certificate certificate = With(device, a * (1 - 1e-6), power_w);
    EXPECT_LE(certificate.largest_violation, kRounding);
    EXPECT_NEAR(certificate.largest_gap, 1e-6, kSeen);
    EXPECT_EQ(certificate.gap_device, device);
    // The power is then too high as well: u = a·L/τ falls by 1e-6·u, and P by (1 + P)·1e-6·u.
    const double nats = std::log1p(power_w);
    EXPECT_NEAR(certificate.largest_excess_power, 1e-6 * nats * (1 + power_w) / power_w, kSeen);
    EXPECT_EQ(certificate.excess_power_device, device);
    EXPECT_NEAR(With(device, a / 4, power_w).largest_gap, 0.75, kSeen);
    // The device is not planned at all.
    EXPECT_EQ(With(device, 0, 0).largest_gap, 1);
    EXPECT_EQ(With(device, 0, 0).gap_device, device);
    EXPECT_LE(With(device, 0, 0).largest_violation, kRounding);
  }
}

TEST_F(Tampering, PowerTooHigh) {
  // The first device could send with more power, but need not.
  Certificate certificate = With(kFull, 1, 3 * (1 + 1e-6));
  EXPECT_LE(certificate.largest_violation, kRounding);
  EXPECT_LE(certificate.largest_gap, kRounding);
  EXPECT_NEAR(certificate.largest_excess_power, 1e-6, kSeen);
  EXPECT_EQ(certificate.excess_power_device, kFull);
  // The second device has no energy for more power: P·T = L·P/ln(1 + P) grows by 1 - P/((1 +
  // P)·ln(1 + P)) of the power's growth, at 1 W by 1 - 1/(2·ln2).
  certificate = With(kEnergy, 0.5, 1 + 1e-6);
  EXPECT_NEAR(certificate.largest_violation, 1e-6 * (1 - 0.5 / std::numbers::ln2), kSeen);
  EXPECT_EQ(certificate.violation_device, kEnergy);
  EXPECT_NEAR(certificate.largest_excess_power, 1e-6, kSeen);
  // The third device is at its cap.
  certificate = With(kPower, 0.5, 1 + 1e-6);
  EXPECT_NEAR(certificate.largest_violation, 1e-6, kSeen);
  EXPECT_EQ(certificate.violation_device, kPower);
  EXPECT_NEAR(With(kPower, 0.5, 2).largest_violation, 1, kSeen);
}

TEST_F(Tampering, PowerTooLow) {
  for (const std::size_t device : {kFull, kEnergy, kPower}) {
    // T = L/ln(1 + P) grows by P/((1 + P)·ln(1 + P)) of the power's fall.
    const double power_w = plan_.power_w[device];
    const Certificate certificate = With(device, plan_.probability[device], power_w * (1 - 1e-6));
    EXPECT_NEAR(certificate.largest_violation,
                1e-6 * power_w / ((1 + power_w) * std::log1p(power_w)), kSeen);
    EXPECT_EQ(certificate.violation_device, device);
    // Without power the upload never ends.
    EXPECT_EQ(With(device, 0.5, 0).largest_violation, kInfinity);
    EXPECT_EQ(With(device, 0.5, 0).violation_device, device);
  }
}

TEST_F(Tampering, NotANumberNotPositiveNotFinite) {
  for (const std::size_t device : {kFull, kEnergy, kPower, kNobody}) {
    for (const auto& [a, power_w] :
         {std::pair(kNan, 1.0), std::pair(0.5, kNan), std::pair(kNan, kNan), std::pair(-0.5, 1.0),
          std::pair(0.5, -1.0), std::pair(0.5, kInfinity), std::pair(kInfinity, 1.0),
          std::pair(-kInfinity, 1.0), std::pair(0.0, kNan), std::pair(0.0, -1.0)}) {
      const Certificate certificate = With(device, a, power_w);
      EXPECT_EQ(certificate.largest_violation, kInfinity) << a << " " << power_w;
      EXPECT_EQ(certificate.violation_device, device) << a << " " << power_w;
    }
  }
}

TEST_F(Tampering, EnergyWithoutABudget) {
  const Certificate certificate = With(kNobody, 1e-9, 3e-9);
  EXPECT_EQ(certificate.largest_violation, kInfinity);
  EXPECT_EQ(certificate.violation_device, kNobody);
}

TEST_F(Tampering, PowerAboveItsCapWithoutTakingPart) {
  const Certificate certificate = With(kNobody, 0, 2 * problem_.max_power_w[kNobody]);
  EXPECT_NEAR(certificate.largest_violation, 1, kSeen);
  EXPECT_EQ(certificate.violation_device, kNobody);
}

TEST_F(Tampering, SpectralEfficiency) {
  // The cap is 2 bit/s/Hz, 3 W for the first device. At 15 W it would send 4.
  problem_.spectral_efficiency_cap = 2;
  EXPECT_LE(CertifyPlan(problem_, plan_).largest_violation, kRounding);
  EXPECT_NEAR(With(kFull, 1, 15).largest_violation, 1, kSeen);
  EXPECT_EQ(With(kFull, 1, 15).violation_device, kFull);
}

TEST_F(Tampering, Deadline) {
  // Each single upload must end within 1 s, so the plans of 1 W and 2 s break it by 1; the best is
  // 3 W, which costs 3 J: the budget of 1 J pays one round in three.
  problem_.time_rule = TimeRule::kDeadline;
  EXPECT_NEAR(CertifyPlan(problem_, plan_).largest_violation, 1, kSeen);
  EXPECT_EQ(CertifyPlan(problem_, plan_).violation_device, kEnergy);
  plan_ = Solve(problem_);
  EXPECT_LE(CertifyPlan(problem_, plan_).largest_violation, kRounding);
  EXPECT_LE(CertifyPlan(problem_, plan_).largest_gap, kRounding);
  EXPECT_NEAR(With(kEnergy, 0.25, 3).largest_gap, 0.25, kSeen);
  EXPECT_EQ(With(kEnergy, 0.25, 3).gap_device, kEnergy);
}

// At 1 W an upload takes 2 s, and with this circuit power it is cheapest there (solvers_test.cc).
TEST_F(Tampering, PowerThatIsNotTheCheapest) {
  problem_.circuit_power_w = 2 * std::numbers::ln2 - 1;
  problem_.time_limit_s = 4.0;
  plan_ = Solve(problem_);
  EXPECT_EQ(plan_.probability[kFull], 1);
  Certificate certificate = CertifyPlan(problem_, plan_);
  EXPECT_LE(certificate.largest_violation, kRounding);
  EXPECT_LE(certificate.largest_gap, kRounding);
  EXPECT_LE(certificate.largest_excess_power, kRounding);
  for (const double power_w : {1.25, 0.8}) {
    certificate = With(kFull, 1, power_w);
    EXPECT_LE(certificate.largest_violation, kRounding) << power_w;
    EXPECT_LE(certificate.largest_gap, kRounding) << power_w;
    EXPECT_NEAR(certificate.largest_excess_power, 0.25, kSeen) << power_w;
    EXPECT_EQ(certificate.excess_power_device, kFull) << power_w;
  }
  // An upload takes 4·ln2 J, of a budget of 1 J; the amplifier doubles what is radiated.
  EXPECT_NEAR(With(kEnergy, 0.5, 1).largest_violation, 2 * std::numbers::ln2 - 1, kSeen);
  problem_.amplifier_efficiency = 0.5;
  EXPECT_NEAR(With(kEnergy, 0.5, 1).largest_violation, 2 * std::numbers::ln2, kSeen);
  EXPECT_EQ(With(kEnergy, 0.5, 1).violation_device, kEnergy);
}

// Where computing in every round takes the whole budget, to take part never is optimal; where it
// takes almost the whole, the little that is left must not drown in rounding.
TEST(Certificate, KnowsWhatComputingAlwaysLeaves) {
  const ColumnValues budget_j = {6, std::nextafter(6.0, 7.0), 5};
  const PlanningProblem problem{.devices = 3,
                                .noise_to_gain_w = 1.0,
                                .nat_time_s = 1.0,
                                .max_power_w = 1.0,
                                .energy_budget_j = budget_j,
                                .compute_energy_j = 6.0,
                                .time_limit_s = 1.0,
                                .compute_rule = ComputeRule::kAlways};
  const Plan plan = Solve(problem);
  EXPECT_EQ(plan.probability[0], 0);
  EXPECT_GT(plan.probability[1], 0);
  EXPECT_EQ(plan.probability[2], 0);
  const Certificate certificate = CertifyPlan(problem, plan);
  EXPECT_LE(certificate.largest_violation, kAccuracy);
  EXPECT_LE(certificate.largest_gap, kAccuracy);
}

// Computing takes all of the time but the last digit: the next larger probability leaves none.
TEST(Certificate, ExcessPowerIsFiniteWhereComputationTakesAllOfTheTime) {
  for (double compute_time_s = 1; compute_time_s < 1e40; compute_time_s *= 10) {
    const PlanningProblem problem{.devices = 1,
                                  .noise_to_gain_w = 1.0,
                                  .nat_time_s = 1.0,
                                  .max_power_w = 1.0,
                                  .energy_budget_j = 1e9,
                                  .time_limit_s = 1.0,
                                  .compute_time_s = compute_time_s};
    const Certificate certificate = CertifyPlan(problem, Solve(problem));
    EXPECT_LE(certificate.largest_violation, kAccuracy) << compute_time_s;
    EXPECT_LE(certificate.largest_gap, kAccuracy) << compute_time_s;
    EXPECT_LE(certificate.largest_excess_power, 1e-9) << compute_time_s;
  }
}

TEST(Certificate, DoesNotDependOnThreads) {
  const VectorFleet fleet = MakeVectorFleet(0);
  const PlanningProblem problem = fleet.Problem();
  ASSERT_GE(base::ShardCount(problem.devices), 3u);
  // The paper's alternation leaves gaps of many sizes; three devices of different shards are broken
  // alike, and the first of them must be named.
  Plan plan = Solve(problem, {.solver = Solver::kAlternating});
  for (const std::size_t device : {20000, 33000, 49999}) plan.power_w[device] = -1;
  const Certificate one = CertifyPlan(problem, plan, 1);
  EXPECT_EQ(one.largest_violation, kInfinity);
  EXPECT_EQ(one.violation_device, 20000u);
  EXPECT_GT(one.largest_gap, 0.1);
  for (const int threads : {2, 3, 8}) {
    const Certificate many = CertifyPlan(problem, plan, threads);
    EXPECT_EQ(many.largest_violation, one.largest_violation);
    EXPECT_EQ(many.violation_device, one.violation_device);
    EXPECT_EQ(many.largest_gap, one.largest_gap);
    EXPECT_EQ(many.gap_device, one.gap_device);
    EXPECT_EQ(many.largest_excess_power, one.largest_excess_power);
    EXPECT_EQ(many.excess_power_device, one.excess_power_device);
  }
}

}  // namespace
}  // namespace airlot
