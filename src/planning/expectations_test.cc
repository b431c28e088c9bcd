// The expectations of a round are compared with the enumeration of all its outcomes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <vector>

#include "airlot/planning.h"
#include "base/random.h"
#include "base/shards.h"
#include "planning/planning_vectors_for_tests.h"

namespace airlot {
namespace {

using planning::kAccuracy;
using planning::kVectorSections;
using planning::MakeVectorFleet;
using planning::RelativeError;
using planning::VectorFleet;

base::RandomStream Random(std::uint64_t test) {
  return base::RandomStream(/*seed=*/5, base::Purpose{901}, /*round=*/test, /*device=*/0);
}

// Sums are compared with those in long double, whose own rounding is a thousandth of a double's. In
// double, an operation is off by at most kRoundoff of its result, and a sum of n terms >= 0, in any
// order, by n - 1 times that.
constexpr double kRoundoff = 0x1p-53;
// What a device adds has fewer than this many roundings: its upload time has 7, its energy 12, the
// square of that and its variance 30, and a square root halves them.
constexpr double kOfOne = 32;

// Returns the upload time (4) in long double.
long double UploadTime(const PlanningProblem& problem, const Plan& plan, std::size_t i) {
  const long double g = static_cast<long double>(problem.noise_to_gain_w[i]) * problem.snr_gap;
  return problem.nat_time_s[i] / std::log1p(plan.power_w[i] / g);
}

struct Outcome {
  long double probability = 1;
  long double time_s = 0, energy_j = 0, participants = 0;
};

// Returns what happens when just the devices in `drawn`, a set of bits, take part.
Outcome OutcomeOf(const PlanningProblem& problem, const Plan& plan, std::uint32_t drawn) {
  Outcome outcome;
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const bool takes_part = (drawn >> i & 1) != 0;
    const long double a = plan.probability[i];
    outcome.probability *= takes_part ? a : 1 - a;
    if (takes_part || problem.compute_rule == ComputeRule::kAlways) {
      outcome.energy_j += problem.compute_energy_j[i];
    }
    if (!takes_part || a == 0) continue;
    const long double upload_s = UploadTime(problem, plan, i);
    outcome.time_s = std::max(outcome.time_s, upload_s + problem.compute_time_s[i]);
    const long double radiated_w = plan.power_w[i];
    outcome.energy_j +=
        (radiated_w / problem.amplifier_efficiency + problem.circuit_power_w) * upload_s;
    ++outcome.participants;
  }
  return outcome;
}

// Returns every outcome of a round, at most 2^12 of them.
std::vector<Outcome> AllOutcomes(const PlanningProblem& problem, const Plan& plan) {
  std::vector<Outcome> outcomes;
  for (std::uint32_t drawn = 0; drawn < 1u << problem.devices; ++drawn) {
    outcomes.push_back(OutcomeOf(problem, plan, drawn));
  }
  return outcomes;
}

struct Moments {
  double mean, sd;
};

Moments MomentsOf(const std::vector<Outcome>& outcomes, long double Outcome::*quantity) {
  long double mean = 0, variance = 0;
  for (const Outcome& outcome : outcomes) mean += outcome.probability * outcome.*quantity;
  for (const Outcome& outcome : outcomes) {
    const long double distance = outcome.*quantity - mean;
    variance += outcome.probability * distance * distance;
  }
  return {static_cast<double>(mean), static_cast<double>(std::sqrt(variance))};
}

void ExpectEnumeration(const PlanningProblem& problem, const Plan& plan) {
  const std::vector<Outcome> outcomes = AllOutcomes(problem, plan);
  const Expectations expected = Expect(problem, plan);
  const Moments participants = MomentsOf(outcomes, &Outcome::participants);
  const Moments energy_j = MomentsOf(outcomes, &Outcome::energy_j);
  const Moments time_s = MomentsOf(outcomes, &Outcome::time_s);
  // The time of a round multiplies up to n chances that nobody is slower, of 2 roundings each.
  const double devices = double(problem.devices);
  const double most = (kOfOne + 3 * devices) * kRoundoff;
  EXPECT_LE(RelativeError(expected.participants, participants.mean), most);
  EXPECT_LE(RelativeError(expected.round_time_s, time_s.mean), most);
  EXPECT_LE(RelativeError(expected.round_energy_j, energy_j.mean), most);
  // Where next to nothing is random, few outcomes count, and the enumeration's own rounding of
  // their mean is what it sees: products of up to 12 factors, in extended precision.
  const double enumerated = 256 * 0x1p-64;
  EXPECT_NEAR(expected.participants_sd, participants.sd,
              most * participants.sd + enumerated * participants.mean);
  EXPECT_NEAR(expected.round_energy_sd_j, energy_j.sd,
              most * energy_j.sd + enumerated * energy_j.mean);
  // It is e to the power of a sum of n logarithms, so what the sum is off by, 2 + n roundings of
  // its size, is a share of the result.
  const auto empty = static_cast<double>(outcomes[0].probability);
  const double size = empty > 0 ? -std::log(empty) : 0;
  EXPECT_LE(RelativeError(expected.probability_empty_round, empty),
            kRoundoff * (3 + (2 + devices) * size));
}

// Devices that send 2 bit per hertz, and may take 10 s and 10 J.
PlanningProblem DevicesOfTwoBits(std::size_t devices) {
  return {.devices = devices,
          .noise_to_gain_w = 1.0,
          .nat_time_s = 2 * std::numbers::ln2,
          .max_power_w = 10.0,
          .energy_budget_j = 10.0,
          .compute_energy_j = 1.0,
          .time_limit_s = 10.0};
}

TEST(Expectations, WorkedByHand) {
  // With g = 1 W and L = 2·ln2 s, an upload takes 2 s and 2 J at 1 W, and 1 s and 3 J at 3 W. The
  // first takes part with 1/2 at 1 W, the second with 1/4 at 3 W; both compute for 1 J.
  const PlanningProblem problem = DevicesOfTwoBits(2);
  const Plan plan{{0.5, 0.25}, {1, 3}};
  const Expectations expected = Expect(problem, plan);
  EXPECT_DOUBLE_EQ(expected.participants, 0.75);
  EXPECT_DOUBLE_EQ(expected.participants_sd, std::sqrt(0.25 + 0.1875));
  // The round takes 2 s if the first takes part, and 1 s if only the second does, 1/2 · 1/4.
  EXPECT_DOUBLE_EQ(expected.round_time_s, 0.5 * 2 + 0.125 * 1);
  EXPECT_DOUBLE_EQ(expected.round_energy_j, 0.5 * 3 + 0.25 * 4);
  EXPECT_DOUBLE_EQ(expected.round_energy_sd_j, std::sqrt(0.25 * 9 + 0.1875 * 16));
  EXPECT_DOUBLE_EQ(expected.probability_empty_round, 0.375);
}

TEST(Expectations, WorkedByHandWithAmplifierAndCircuit) {
  // The two devices of WorkedByHand have an amplifier that radiates half of what it draws, and 1 W
  // for the circuit: at 1 W radiated 3 W are drawn, 6 J in 2 s; at 3 W 7 W, 7 J in 1 s.
  PlanningProblem problem{.devices = 2,
                          .noise_to_gain_w = 1.0,
                          .nat_time_s = 2 * std::numbers::ln2,
                          .max_power_w = 10.0,
                          .energy_budget_j = 10.0,
                          .compute_energy_j = 1.0,
                          .time_limit_s = 10.0,
                          .amplifier_efficiency = 0.5,
                          .circuit_power_w = 1};
  const Plan plan{{0.5, 0.25}, {1, 3}};
  Expectations expected = Expect(problem, plan);
  EXPECT_DOUBLE_EQ(expected.round_energy_j, 0.5 * 7 + 0.25 * 8);
  EXPECT_DOUBLE_EQ(expected.round_energy_sd_j, std::sqrt(0.25 * 49 + 0.1875 * 64));
  EXPECT_DOUBLE_EQ(expected.round_time_s, 0.5 * 2 + 0.125 * 1);
  problem.compute_rule = ComputeRule::kAlways;
  expected = Expect(problem, plan);
  EXPECT_DOUBLE_EQ(expected.round_energy_j, 2 + 0.5 * 6 + 0.25 * 7);
  EXPECT_DOUBLE_EQ(expected.round_energy_sd_j, std::sqrt(0.25 * 36 + 0.1875 * 49));
}

TEST(Expectations, ComputingAlwaysAddsNoSpread) {
  // One device takes 2 J an upload and is drawn every other round, beside the 1e9 J of computing
  // that nothing is random about.
  const PlanningProblem problem{.devices = 1,
                                .noise_to_gain_w = 1.0,
                                .nat_time_s = 2 * std::numbers::ln2,
                                .max_power_w = 10.0,
                                .energy_budget_j = 2e9,
                                .compute_energy_j = 1e9,
                                .time_limit_s = 10.0,
                                .compute_rule = ComputeRule::kAlways};
  const Expectations expected = Expect(problem, Plan{{0.5}, {1}});
  EXPECT_DOUBLE_EQ(expected.round_energy_j, 1e9 + 1);
  EXPECT_DOUBLE_EQ(expected.round_energy_sd_j, 1);
}

TEST(Expectations, EqualTheEnumerationOfAllOutcomes) {
  for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
    SCOPED_TRACE(kVectorSections[number].name);
    const VectorFleet fleet = MakeVectorFleet(number, 12 * 13 / 2);
    std::size_t begin = 0;
    for (std::size_t devices = 1; devices <= 12; begin += devices++) {
      SCOPED_TRACE(devices);
      const PlanningProblem problem = fleet.Problem(begin, begin + devices);
      ExpectEnumeration(problem, Solve(problem));
    }
  }
}

// Not only optimal plans are tried: any probabilities, some of them 0 and 1, with powers of every
// size.
TEST(Expectations, EqualTheEnumerationForAnyPlan) {
  base::RandomStream random = Random(1);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const std::size_t devices = 1 + random.Below(11);
    ColumnValues compute_j(devices), compute_s(devices);
    Plan plan{ColumnValues(devices), ColumnValues(devices)};
    for (std::size_t i = 0; i < devices; ++i) {
      compute_j[i] = random.LogUniform(1e-3, 1e3);
      compute_s[i] = random.LogUniform(1e-3, 1e3);
      const std::uint64_t kind = random.Below(6);
      plan.probability[i] = kind == 0 ? 0 : kind == 1 ? 1 : random.Uniform();
      plan.power_w[i] = kind == 0 ? 0 : random.LogUniform(1e-3, 1e3);
    }
    PlanningProblem problem{.devices = devices,
                            .noise_to_gain_w = 0.5,
                            .nat_time_s = 3.0,
                            .max_power_w = 1e3,
                            .energy_budget_j = 1.0,
                            .compute_energy_j = compute_j,
                            .time_limit_s = 1.0};
    for (const ComputeRule rule : {ComputeRule::kParticipants, ComputeRule::kAlways}) {
      problem.compute_rule = rule;
      problem.compute_time_s = 0.0;
      ExpectEnumeration(problem, plan);
      problem.compute_time_s = compute_s;
      ExpectEnumeration(problem, plan);
    }
  }
}

TEST(Expectations, OfCertainDevices) {
  const PlanningProblem problem = DevicesOfTwoBits(3);
  // Nobody takes part: an empty round takes neither time nor energy.
  Expectations expected = Expect(problem, Plan{{0, 0, 0}, {0, 0, 0}});
  EXPECT_EQ(expected.participants, 0);
  EXPECT_EQ(expected.round_time_s, 0);
  EXPECT_EQ(expected.round_energy_j, 0);
  EXPECT_EQ(expected.round_energy_sd_j, 0);
  EXPECT_EQ(expected.probability_empty_round, 1);
  // An empty round takes energy where computing goes on.
  PlanningProblem always = problem;
  always.compute_rule = ComputeRule::kAlways;
  EXPECT_EQ(Expect(always, Plan{{0, 0, 0}, {0, 0, 0}}).round_energy_j, 3);
  // Everybody takes part: the slowest takes 2 s at 1 W, and nothing is random.
  expected = Expect(problem, Plan{{1, 1, 1}, {3, 1, 3}});
  EXPECT_EQ(expected.participants, 3);
  EXPECT_EQ(expected.participants_sd, 0);
  EXPECT_DOUBLE_EQ(expected.round_time_s, 2);
  EXPECT_DOUBLE_EQ(expected.round_energy_j, 3 + 2 + 3 + 3);
  EXPECT_EQ(expected.round_energy_sd_j, 0);
  EXPECT_EQ(expected.probability_empty_round, 0);
}

// The optimum of the paper's problem has a·T = τ, so a·P·T = τ·P: without computation, the energy
// of a round is τ·ΣP. The times come from the powers and meet the probabilities within (22) and
// (23), 2e-14 in all, and the sum has n roundings at the most.
TEST(Expectations, UploadEnergyIsTheLimitTimesThePowers) {
  for (const std::size_t number : {0, 1, 2}) {
    VectorFleet fleet = MakeVectorFleet(number);
    PlanningProblem problem = fleet.Problem();
    problem.compute_energy_j = 0.0;
    const Plan plan = Solve(problem);
    long double sum_j = 0;
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      sum_j += static_cast<long double>(fleet.time_limit_s[i]) * plan.power_w[i];
    }
    EXPECT_LE(RelativeError(Expect(problem, plan).round_energy_j, static_cast<double>(sum_j)),
              2e-14 + kRoundoff * double(fleet.size()));
  }
}

TEST(Expectations, RoundTimeLiesBetweenItsBounds) {
  base::RandomStream random = Random(2);
  for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
    SCOPED_TRACE(kVectorSections[number].name);
    const VectorFleet fleet = MakeVectorFleet(number, 1 + random.Below(500));
    const PlanningProblem problem = fleet.Problem();
    const Plan plan = Solve(problem);
    double largest_s = 0, sum_s = 0;
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      if (plan.probability[i] == 0) continue;
      const double time_s = Describe(problem, plan, i).upload_s + problem.compute_time_s[i];
      largest_s = std::max(largest_s, plan.probability[i] * time_s);
      sum_s += plan.probability[i] * time_s;
    }
    const double round_s = Expect(problem, plan).round_time_s;
    const double most = (kOfOne + 4 * double(fleet.size())) * kRoundoff;  // both sides are rounded
    EXPECT_GE(round_s, largest_s * (1 - most));
    EXPECT_LE(round_s, sum_s * (1 + most));
  }
}

// --- Large fleets --------------------------------------------------------------------------------

// Computes (32) by a plain sort of the whole fleet, in long double.
long double SortedMaximum(const PlanningProblem& problem, const Plan& plan) {
  std::vector<std::pair<long double, long double>> draws;
  for (std::size_t i = 0; i < problem.devices; ++i) {
    if (plan.probability[i] == 0) continue;
    draws.emplace_back(UploadTime(problem, plan, i) + problem.compute_time_s[i],
                       plan.probability[i]);
  }
  std::sort(draws.rbegin(), draws.rend());
  long double expected_s = 0, nobody_slower = 1;
  for (const auto& [time_s, a] : draws) {
    expected_s += time_s * a * nobody_slower;
    nobody_slower *= 1 - a;
  }
  return expected_s;
}

// A LargeFleet has 200 000 devices, of which half share 8 powers, so that thousands are equally
// slow. `mean` sets how many of them matter: with 1e-6 nearly all, with 1e-1 only the slowest few.
class LargeFleet : public testing::TestWithParam<double> {
 protected:
  static constexpr std::size_t kDevices = 200000;

  LargeFleet() {
    base::RandomStream random = Random(3);
    plan_ = {ColumnValues(kDevices), ColumnValues(kDevices)};
    compute_j_ = ColumnValues(kDevices);
    for (std::size_t i = 0; i < kDevices; ++i) {
      const bool shared = random.Below(2) == 0;
      plan_.power_w[i] =
          shared ? static_cast<double>(1 + random.Below(8)) : random.LogUniform(1e-2, 1e2);
      plan_.probability[i] = random.Below(10) == 0 ? 0 : random.Uniform(0, 2 * GetParam());
      compute_j_[i] = random.LogUniform(1e-3, 1e3);
    }
    problem_ = {.devices = kDevices,
                .noise_to_gain_w = 1.0,
                .nat_time_s = 1.0,
                .max_power_w = 1e3,
                .energy_budget_j = 1.0,
                .compute_energy_j = compute_j_,
                .time_limit_s = 1.0};
  }

  ColumnValues compute_j_;
  PlanningProblem problem_;
  Plan plan_;
};

TEST_P(LargeFleet, RoundTimeEqualsThatOfAWholeSort) {
  const double sorted_s = static_cast<double>(SortedMaximum(problem_, plan_));
  // Where all devices matter, the chance that nobody is slower is a product of as many factors.
  EXPECT_LE(RelativeError(Expect(problem_, plan_).round_time_s, sorted_s),
            (kOfOne + 3 * double(kDevices)) * kRoundoff);
}

TEST_P(LargeFleet, SumsEqualPlainSums) {
  long double participants = 0, participants_variance = 0, energy_j = 0, energy_variance_j2 = 0,
              empty = 1;
  for (std::size_t i = 0; i < kDevices; ++i) {
    const long double a = plan_.probability[i];
    const long double once_j = plan_.power_w[i] * UploadTime(problem_, plan_, i) + compute_j_[i];
    participants += a;
    participants_variance += a * (1 - a);
    energy_j += a * once_j;
    energy_variance_j2 += a * (1 - a) * once_j * once_j;
    empty *= 1 - a;
  }
  const Expectations expected = Expect(problem_, plan_);
  const auto error = [](double got, long double want) {
    return RelativeError(got, static_cast<double>(want));
  };
  // A shard is summed up first, then the shards.
  const double most = (kOfOne + double(base::kShardSize + base::ShardCount(kDevices))) * kRoundoff;
  EXPECT_LE(error(expected.participants, participants), most);
  EXPECT_LE(error(expected.participants_sd, std::sqrt(participants_variance)), most);
  EXPECT_LE(error(expected.round_energy_j, energy_j), most);
  EXPECT_LE(error(expected.round_energy_sd_j, std::sqrt(energy_variance_j2)), most);
  // It is e to the power of a sum, so the share is what that sum of logarithms is off by.
  const double logarithm = empty > 0 ? static_cast<double>(-std::log(empty)) : 0;
  EXPECT_LE(error(expected.probability_empty_round, empty), most * logarithm + 3 * kRoundoff);
}

TEST_P(LargeFleet, DoesNotDependOnThreads) {
  ASSERT_GT(base::ShardCount(kDevices), 8u);
  const Expectations one = Expect(problem_, plan_, 1);
  for (const int threads : {2, 3, 8}) {
    const Expectations many = Expect(problem_, plan_, threads);
    EXPECT_EQ(std::memcmp(&one, &many, sizeof(one)), 0) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(MeanProbability, LargeFleet, testing::Values(1e-6, 1e-4, 1e-1));

TEST(Expectations, CountTheLimits) {
  // The devices are those of solvers_test.cc, g = 1 W and L = 2·ln2 s: one is full, two are at
  // their energy (one of them without any), three at their power.
  const ColumnValues max_power_w = {100, 100, 100, 1, 1, 1};
  const ColumnValues budget_j = {100, 1, 0, 100, 100, 100};
  PlanningProblem problem{.devices = 6,
                          .noise_to_gain_w = 1.0,
                          .nat_time_s = 2 * std::numbers::ln2,
                          .max_power_w = max_power_w,
                          .energy_budget_j = budget_j,
                          .time_limit_s = 1.0};
  Expectations expected = Expect(problem, Solve(problem));
  EXPECT_EQ(expected.limited_by(Limit::kFull), 1u);
  EXPECT_EQ(expected.limited_by(Limit::kEnergy), 2u);
  EXPECT_EQ(expected.limited_by(Limit::kPower), 3u);
  EXPECT_EQ(expected.limited_by(Limit::kRate), 0u);
  // A cap of 0.5 bit/s/Hz stops all but the one without energy before anything else does.
  problem.spectral_efficiency_cap = 0.5;
  expected = Expect(problem, Solve(problem));
  EXPECT_EQ(expected.limited_by(Limit::kFull), 0u);
  EXPECT_EQ(expected.limited_by(Limit::kEnergy), 1u);
  EXPECT_EQ(expected.limited_by(Limit::kPower), 0u);
  EXPECT_EQ(expected.limited_by(Limit::kRate), 5u);
}

// The second device and, without a budget as well, the third hold no samples.
TEST(Expectations, DevicesWithoutSamplesAreLimitedByTheirData) {
  const ColumnValues samples = {10, 0, 0, 1}, nat_time_s = {1, INFINITY, INFINITY, INFINITY};
  const ColumnValues budget_j = {100, 1, 0, 1};
  PlanningProblem problem{.devices = 4,
                          .noise_to_gain_w = 1.0,
                          .nat_time_s = nat_time_s,
                          .max_power_w = 100.0,
                          .energy_budget_j = budget_j,
                          .time_limit_s = 1.0,
                          .samples = samples};
  ASSERT_TRUE(Validate(problem).ok());
  for (const SolverEntry& entry : Solvers()) {
    SCOPED_TRACE(entry.name);
    const Plan plan = Solve(problem, {.solver = entry.solver});
    for (const std::size_t i : {1, 2}) {
      EXPECT_EQ(plan.probability[i], 0);
      EXPECT_EQ(plan.power_w[i], 0);
      EXPECT_EQ(Describe(problem, plan, i).limit, Limit::kData);
    }
    const Expectations expected = Expect(problem, plan);
    EXPECT_EQ(expected.limited_by(Limit::kBand), 1u);
    EXPECT_EQ(expected.limited_by(Limit::kData), 2u);
    EXPECT_LE(CertifyPlan(problem, plan).largest_violation, kLargestViolation);
  }
  const Plan plan = Solve(problem);
  EXPECT_EQ(plan.probability[0], 1);
  EXPECT_LE(CertifyPlan(problem, plan).largest_gap, kAccuracy);
  problem.nat_time_s = 1.0;
  EXPECT_NE(Validate(problem).error().message.find("device 2: nat_time_s = 1: must be infinite"),
            std::string::npos);
}

}  // namespace
}  // namespace airlot
