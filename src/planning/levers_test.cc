// Levers are worked by hand, and compared with what plans of a little more and a little less add.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "airlot/planning.h"

namespace airlot {
namespace {

// A LeverFleet owns the columns of a problem. Each device has limits of about the same weight, so
// that all of them bind somewhere.
struct LeverFleet {
  explicit LeverFleet(std::size_t devices) {
    std::mt19937_64 random(1);
    const auto draw = [&](double low, double high) {
      return low * std::exp(std::log(high / low) * double(random() >> 11) * 0x1p-53);
    };
    for (std::size_t i = 0; i < devices; ++i) {
      noise_w.push_back(draw(1e-3, 1e1));
      nat_time_s.push_back(draw(0.1, 10));
      power_w.push_back(draw(1e-2, 1e1));
      budget_j.push_back(draw(1e-2, 1e1));
      compute_j.push_back(draw(1e-3, 1));
      limit_s.push_back(draw(0.1, 10));
      compute_s.push_back(draw(1e-3, 1));
    }
  }
  PlanningProblem problem() const {
    return {.devices = noise_w.size(),
            .noise_to_gain_w = noise_w,
            .nat_time_s = nat_time_s,
            .max_power_w = power_w,
            .energy_budget_j = budget_j,
            .compute_energy_j = compute_j,
            .time_limit_s = limit_s,
            .compute_time_s = compute_s};
  }
  std::vector<double> noise_w, nat_time_s, power_w, budget_j, compute_j, limit_s, compute_s;
};

std::vector<double> ScaledColumn(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

enum class Resource : std::uint8_t { kBand, kBandOfDensity, kPower, kTime, kBudget };
constexpr std::array kResources = {Resource::kBand, Resource::kBandOfDensity, Resource::kPower,
                                   Resource::kTime, Resource::kBudget};

// Returns the fleet with `factor` times as much of a resource.
LeverFleet With(LeverFleet fleet, Resource resource, double factor) {
  switch (resource) {
    case Resource::kBandOfDensity:
      fleet.noise_w = ScaledColumn(fleet.noise_w, factor);
      [[fallthrough]];
    case Resource::kBand:
      fleet.nat_time_s = ScaledColumn(fleet.nat_time_s, 1 / factor);
      break;
    case Resource::kPower:
      fleet.power_w = ScaledColumn(fleet.power_w, factor);
      break;
    case Resource::kTime:
      fleet.limit_s = ScaledColumn(fleet.limit_s, factor);
      break;
    case Resource::kBudget:
      fleet.budget_j = ScaledColumn(fleet.budget_j, factor);
      break;
  }
  return fleet;
}

double LeverOf(const PlanningProblem& problem, const Plan& plan, Resource resource) {
  const Levers levers = FindLevers(problem, plan, resource == Resource::kBandOfDensity);
  switch (resource) {
    case Resource::kPower:
      return levers.max_power;
    case Resource::kTime:
      return levers.time_limit;
    case Resource::kBudget:
      return levers.energy_budget;
    default:
      return levers.bandwidth;
  }
}

// What the problems differ in.
struct LeverRules {
  TimeRule time_rule;
  ComputeRule compute_rule;
  double circuit_power_w, amplifier_efficiency, spectral_efficiency_cap;
};

PlanningProblem Under(PlanningProblem problem, const LeverRules& rules) {
  problem.time_rule = rules.time_rule;
  problem.compute_rule = rules.compute_rule;
  problem.circuit_power_w = rules.circuit_power_w;
  problem.amplifier_efficiency = rules.amplifier_efficiency;
  problem.spectral_efficiency_cap = rules.spectral_efficiency_cap;
  return problem;
}

// Returns the i-th device of a fleet alone.
LeverFleet Alone(const LeverFleet& fleet, std::size_t i) {
  LeverFleet one(0);
  one.noise_w = {fleet.noise_w[i]};
  one.nat_time_s = {fleet.nat_time_s[i]};
  one.power_w = {fleet.power_w[i]};
  one.budget_j = {fleet.budget_j[i]};
  one.compute_j = {fleet.compute_j[i]};
  one.limit_s = {fleet.limit_s[i]};
  one.compute_s = {fleet.compute_s[i]};
  return one;
}

class LeversOfRules : public testing::TestWithParam<LeverRules> {};

// The difference quotient over ln(factor) = ±h errs by h²·a'''/6 and more, which half of h shows:
// the error at h/2 is about a third of what the quotient moved. Rounding of a over h adds to it.
TEST_P(LeversOfRules, AreDifferenceQuotients) {
  constexpr std::size_t kDevices = 1000;
  constexpr double kStep = 1e-3, kRounding = 1e-11;
  const LeverFleet fleet(kDevices);
  std::array<std::size_t, kLimitCount> checked{};
  std::size_t at_a_kink = 0;
  for (std::size_t i = 0; i < kDevices; ++i) {
    const LeverFleet one = Alone(fleet, i);
    const PlanningProblem problem = Under(one.problem(), GetParam());
    const Plan plan = Solve(problem);
    const Limit limit = Describe(problem, plan, 0).limit;
    for (const Resource resource : kResources) {
      bool is_smooth = true;
      const auto planned = [&](double log_factor) {
        const LeverFleet scaled = With(one, resource, std::exp(log_factor));
        const PlanningProblem moved = Under(scaled.problem(), GetParam());
        const Plan there = Solve(moved);
        is_smooth = is_smooth && Describe(moved, there, 0).limit == limit &&
                    (there.probability[0] > 0) == (plan.probability[0] > 0);
        return there.probability[0];
      };
      const auto quotient = [&](double step) {
        return (planned(step) - planned(-step)) / (2 * step);
      };
      const double coarse = quotient(kStep), fine = quotient(kStep / 2);
      // With circuit power, time may bind on one side alone without a limit of another name.
      const double bend = planned(kStep) + planned(-kStep) - 2 * plan.probability[0];
      if (!is_smooth || std::abs(bend) > 0.1 * kStep * plan.probability[0]) {
        ++at_a_kink;
        continue;
      }
      ++checked[std::size_t(limit)];
      EXPECT_NEAR(100 * LeverOf(problem, plan, resource), fine,
                  std::abs(fine - coarse) + kRounding * plan.probability[0])
          << "device " << i << ", resource " << int(resource) << ", limit " << LimitName(limit);
    }
  }
  EXPECT_LT(at_a_kink, kDevices * kResources.size() / 50);
  EXPECT_GT(checked[std::size_t(Limit::kEnergy)], 500U);
  EXPECT_GT(checked[std::size_t(Limit::kFull)], 50U);
}

constexpr double kNoCap = std::numeric_limits<double>::infinity();
INSTANTIATE_TEST_SUITE_P(
    Every, LeversOfRules,
    testing::Values(LeverRules{TimeRule::kExpected, ComputeRule::kParticipants, 0, 1, kNoCap},
                    LeverRules{TimeRule::kExpected, ComputeRule::kAlways, 0, 1, kNoCap},
                    LeverRules{TimeRule::kExpected, ComputeRule::kParticipants, 0.3, 0.4, kNoCap},
                    LeverRules{TimeRule::kExpected, ComputeRule::kParticipants, 0, 1, 2},
                    LeverRules{TimeRule::kDeadline, ComputeRule::kParticipants, 0, 1, kNoCap},
                    LeverRules{TimeRule::kDeadline, ComputeRule::kAlways, 0.3, 0.4, 4}));

// --- Worked by hand ------------------------------------------------------------------------------

// g = 1 W, L = 2·ln 2 s, P^max = 3 W: an upload takes 1 s, and with a limit of 0.25 s and enough
// energy a = 1/4. Time is in proportion. At 3 W, du/dln P = 1 - e^{-u} = 3/4, so that power adds
// (3/4)/(2·ln 2) of a. Twice the band halves the time; where it doubles the noise, too, that is
// less by what power adds.
TEST(Levers, OfADeviceAtItsPowerCap) {
  const PlanningProblem problem{.devices = 1,
                                .noise_to_gain_w = 1.0,
                                .nat_time_s = 2 * std::numbers::ln2,
                                .max_power_w = 3.0,
                                .energy_budget_j = 100.0,
                                .time_limit_s = 0.25};
  const Plan plan = Solve(problem);
  ASSERT_DOUBLE_EQ(plan.probability[0], 0.25);
  const double by_power = 0.0025 * 0.75 / (2 * std::numbers::ln2);
  const Levers levers = FindLevers(problem, plan, false);
  EXPECT_DOUBLE_EQ(levers.time_limit, 0.0025);
  EXPECT_DOUBLE_EQ(levers.max_power, by_power);
  EXPECT_DOUBLE_EQ(levers.bandwidth, 0.0025);
  EXPECT_EQ(levers.energy_budget, 0);
  EXPECT_DOUBLE_EQ(FindLevers(problem, plan, true).bandwidth, 0.0025 - by_power);
}

// Who takes part in every round gains nothing, and neither does who has no energy at all.
TEST(Levers, OfThoseWhoCannotGain) {
  const std::vector<double> budget_j = {1e6, 0};
  const PlanningProblem problem{.devices = 2,
                                .noise_to_gain_w = 1.0,
                                .nat_time_s = 1.0,
                                .max_power_w = 1000.0,
                                .energy_budget_j = budget_j,
                                .time_limit_s = 10.0};
  const Plan plan = Solve(problem);
  ASSERT_EQ(plan.probability[0], 1);
  ASSERT_EQ(plan.probability[1], 0);
  const Levers levers = FindLevers(problem, plan, true);
  EXPECT_EQ(levers.time_limit, 0);
  EXPECT_EQ(levers.max_power, 0);
  EXPECT_EQ(levers.bandwidth, 0);
  EXPECT_EQ(levers.energy_budget, 0);
}

}  // namespace
}  // namespace airlot
