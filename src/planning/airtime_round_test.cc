// These tests check the airtime plan of a cell: by hand, and against the plan of own bands on
// random fleets.
#include "airlot/airtime_round.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include "airlot/link.h"
#include "planning/round_time.h"
#include "planning/small_cell_for_tests.h"

namespace airlot {
namespace {

std::vector<double> Shares(std::size_t devices) {
  return std::vector<double>(devices, 1 / double(devices));
}

double Sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Four devices of 1 bit/s/Hz in 4 Hz send for 1/4 s each, at 1 W. A limit of 1/2 s gives each of
// them 1/8 s: half of the rounds. In its own band of 1 Hz each has 1/2 as well, by T = 1 s.
TEST(AirtimeRound, DividesTheLimitByHand) {
  planning::SmallCell small({1, 1, 1, 1});
  small.cell.problem.time_limit_s = 0.5;
  small.cell.problem.energy_budget_j = 100.0;
  AirtimeRound round({});
  round.Plan(small.cell, Shares(4), std::vector<double>(4, 0.5));
  EXPECT_TRUE(round.takes_turns());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(round.plan().plan.probability[i], 0.5, 1e-12);
    EXPECT_EQ(round.plan().plan.power_w[i], 1);
    EXPECT_NEAR(round.plan().upload_s[i], 0.25, 1e-12);
    EXPECT_NEAR(round.energy_j()[i], 0.25, 1e-12);
  }
  EXPECT_NEAR(ExpectTimes(round).band_s, 0.5, 1e-12);
  EXPECT_EQ(ExpectTimes(round).slowest_s, 0);
}

TEST(AirtimeRound, MeetsTheNumberOfParticipants) {
  planning::SmallCell small({1, 0.5, 0.2, 0.1});
  small.cell.problem.energy_budget_j = 100.0;
  AirtimeRound round({.participants = 1.5});
  round.Plan(small.cell, Shares(4), std::vector<double>(4, 0.5));
  EXPECT_NEAR(Sum(round.plan().plan.probability), 1.5, 1e-11);
}

TEST(AirtimeRound, LeavesOutWhoCannotTakePart) {
  planning::SmallCell small({1, 1, 1});
  AirtimeRound round({});
  round.Plan(small.cell, Shares(3), std::vector<double>{0.5, 0, 0.5});
  EXPECT_EQ(round.plan().plan.probability[1], 0);
  EXPECT_GT(round.plan().plan.probability[0], 0);
}

// For φ = 1 a free device has a·t = w/μ: the weights show in the shares of the time.
TEST(AirtimeRound, WeighsByData) {
  planning::SmallCell small({1, 1});
  small.cell.problem.time_limit_s = 0.2;
  small.cell.problem.energy_budget_j = 100.0;
  AirtimeRound round({.data_exponent = 2, .floor = 0});
  round.Plan(small.cell, std::vector<double>{0.25, 0.75}, std::vector<double>(2, 0.1));
  const auto& a = round.plan().plan.probability;
  EXPECT_NEAR(a[1] / a[0], 9, 1e-10);
}

// RandomFleet is a cell of equal bands with noise of a fixed power or a density. Some budgets pay
// for next to nothing, others for everything.
struct RandomFleet {
  RandomFleet(std::uint32_t seed, std::size_t count, bool is_density) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, std::uniform_real_distribution<>(0, 1)(random));
    };
    // With a density, power limits some cells, and the band others.
    const double scale = is_density && seed % 2 == 1 ? 1e4 : 1;
    for (std::size_t i = 0; i < count; ++i) {
      noise_w.push_back(scale * between(1e-9, 1e-2));
      power_w.push_back(between(0.01, 1));
      budget_j.push_back(between(1e-3, 100));
      compute_j.push_back(between(1e-2, 3));
    }
    cell.problem = {.devices = count,
                    .noise_to_gain_w = noise_w,
                    .max_power_w = power_w,
                    .energy_budget_j = budget_j,
                    .compute_energy_j = compute_j,
                    .time_limit_s = scale * between(0.02, 2)};
    cell.total_bandwidth_hz = 1e7;
    cell.bandwidth_hz = 1e7 / double(count);
    cell.update_bits = 6.4e6;
    cell.problem.nat_time_s = NatTime(6.4e6, 1e7 / double(count));
    cell.noise_grows_with_band = is_density;
    if (seed % 3 == 0) {
      cell.problem.amplifier_efficiency = 0.4;
      cell.problem.snr_gap = 2;
      cell.problem.spectral_efficiency_cap = 6;
    }
    if (seed % 4 == 1 && !is_density) cell.problem.circuit_power_w = 0.1;
    plan = Solve(cell.problem);
  }
  std::vector<double> noise_w, power_w, budget_j, compute_j;
  Cell cell;
  Plan plan;  // in own bands
};

void ExpectBudgetsKept(const RandomFleet& fleet, const AirtimeRound& round) {
  for (std::size_t i = 0; i < fleet.budget_j.size(); ++i) {
    EXPECT_LE(round.plan().plan.probability[i] * round.energy_j()[i],
              fleet.budget_j[i] * (1 + 1e-11))
        << i;
  }
}

// The theorem of section 1 with the floors of (A14): nobody takes part less often than in its own
// band, the mean round keeps the limit, and so does each budget.
TEST(AirtimeRound, IsNeverWorseThanOwnBands) {
  std::size_t better = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomFleet fleet(seed, 2 + seed % 60, /*is_density=*/false);
    AirtimeRound round({});
    round.Plan(fleet.cell, Shares(fleet.noise_w.size()), fleet.plan.probability);
    ASSERT_TRUE(round.takes_turns());
    double own_sum = 0;
    for (std::size_t i = 0; i < fleet.noise_w.size(); ++i) {
      const double own = fleet.plan.probability[i];
      own_sum += own;
      EXPECT_GE(round.plan().plan.probability[i], own * (1 - 1e-11)) << i;
    }
    ExpectBudgetsKept(fleet, round);
    const double limit_s = fleet.cell.problem.time_limit_s[0];
    EXPECT_LE(ExpectTimes(round).band_s, limit_s * (1 + 1e-11));
    EXPECT_LE(ExpectTimes(round).band_s,
              Expect(fleet.cell.problem, fleet.plan).round_time_s * (1 + 1e-9));
    better += Sum(round.plan().plan.probability) > 1.01 * own_sum;
  }
  EXPECT_GT(better, 150U);
}

// Where the noise is a density, the plan is made for turns or for bands. In both the mean round
// keeps the limit, and the budgets hold.
TEST(AirtimeRound, KeepsLimitAndBudgetsWithADensity) {
  std::size_t bands = 0, turns = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomFleet fleet(seed, 2 + seed % 60, /*is_density=*/true);
    AirtimeRound round({});
    round.Plan(fleet.cell, Shares(fleet.noise_w.size()), fleet.plan.probability);
    (round.takes_turns() ? turns : bands)++;
    ExpectBudgetsKept(fleet, round);
    const double limit_s = fleet.cell.problem.time_limit_s[0];
    EXPECT_LE(ExpectTimes(round).at_most_s(), limit_s * (1 + 1e-9));
    if (round.plan().price > 0) {
      EXPECT_GE(ExpectTimes(round).at_most_s(), limit_s * (1 - 1e-6));
    }
  }
  EXPECT_GT(bands, 20U);
  EXPECT_GT(turns, 20U);
}

// The floors fit whatever the fairness, also where the price is beyond all doubles.
TEST(AirtimeRound, KeepsFloorsAtAnyFairness) {
  for (const double fairness : {0.0, 1e-9, 0.5, 2.0, 50.0, 100.0}) {
    SCOPED_TRACE(fairness);
    const RandomFleet fleet(2, 40, /*is_density=*/false);
    AirtimeRound round({.fairness = fairness});
    round.Plan(fleet.cell, Shares(40), fleet.plan.probability);
    EXPECT_EQ(round.floors(), AirtimeFloors::kKept);
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_GE(round.plan().plan.probability[i], fleet.plan.probability[i] * (1 - 1e-11)) << i;
    }
    EXPECT_LE(ExpectTimes(round).band_s, fleet.cell.problem.time_limit_s[0] * (1 + 1e-9));
  }
}

// With a density they fit where nobody's power in its own band, times the number of bands, is more
// than it has: the theorem of section 6.
TEST(AirtimeRound, IsNeverWorseThanOwnBandsWithADensityWhereNoCapBinds) {
  std::size_t tried = 0;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomFleet fleet(seed, 2 + seed % 60, /*is_density=*/true);
    const std::size_t count = fleet.noise_w.size();
    std::ranges::fill(fleet.power_w, 1e6);
    fleet.cell.problem.spectral_efficiency_cap = 4;  // Power is left, also in the whole band.
    fleet.plan = Solve(fleet.cell.problem);
    bool is_capped = false;
    for (std::size_t i = 0; i < count; ++i) {
      is_capped |= double(count) * fleet.plan.power_w[i] > fleet.power_w[i];
    }
    if (is_capped) continue;
    ++tried;
    AirtimeRound round({});
    round.Plan(fleet.cell, Shares(count), fleet.plan.probability);
    EXPECT_TRUE(round.takes_turns());
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_GE(round.plan().plan.probability[i], fleet.plan.probability[i] * (1 - 1e-11)) << i;
    }
    ExpectBudgetsKept(fleet, round);
    EXPECT_LE(ExpectTimes(round).band_s,
              fleet.cell.problem.time_limit_s[0] * (1 + kLargestViolation));
  }
  EXPECT_GT(tried, 50U);
}

// Every draw takes no longer in turns than in own bands, at the same powers. (A1)
TEST(AirtimeRound, TurnsNeverLose) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const RandomFleet fleet(seed, 2 + seed % 60, /*is_density=*/false);
    const std::size_t count = fleet.noise_w.size();
    std::mt19937 random(seed);
    for (int draw = 0; draw < 20; ++draw) {
      std::vector<std::pair<double, std::size_t>> drawn;  // when each is ready
      for (std::size_t i = 0; i < count; ++i) {
        const double ready_s = std::uniform_real_distribution<>(0, 20)(random);
        if (random() % 2 == 0) drawn.emplace_back(ready_s, i);
      }
      std::ranges::sort(drawn);
      double turns_s = 0, own_s = 0;
      for (const auto& [ready_s, i] : drawn) {
        const double power_w = fleet.plan.power_w[i];
        if (power_w == 0) continue;
        turns_s = std::max(turns_s, ready_s) + SendTime(fleet.cell, i, power_w, 1e7, 6.4e6);
        own_s = std::max(
            own_s, ready_s + SendTime(fleet.cell, i, power_w, fleet.cell.bandwidth_hz[i], 6.4e6));
      }
      EXPECT_LE(turns_s, own_s * (1 + 1e-12)) << seed;
    }
  }
}

// A number that everybody together just is can be had; one more cannot, and the limit decides.
TEST(AirtimeRound, LeavesTheGoalToTheLimitOnlyWhereBudgetsDoNotPay) {
  planning::SmallCell small({1, 1});
  small.cell.problem.energy_budget_j = 100.0;
  small.cell.problem.time_limit_s = 0.1;
  for (const double participants : {2.0, 3.0}) {
    AirtimeRound round({.participants = participants});
    round.Plan(small.cell, Shares(2), std::vector<double>(2, 0.01));
    EXPECT_EQ(round.problem().goal == AirtimeGoal::kParticipants, participants == 2);
    EXPECT_NEAR(Sum(round.plan().plan.probability), participants == 2 ? 2 : 0.2, 1e-9);
    EXPECT_EQ(round.floors() == AirtimeFloors::kKept, participants == 3);
  }
}

// With as many participants, bands are taken only where their mean time is surely no longer.
TEST(AirtimeRound, TakesTheQuickerSharing) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomFleet fleet(seed, 2 + seed % 60, /*is_density=*/true);
    const AirtimeRules rules{.participants = 0.1};
    AirtimeRound either(rules), turns(rules);
    either.Plan(fleet.cell, Shares(fleet.noise_w.size()), fleet.plan.probability);
    fleet.cell.problem.circuit_power_w = 1e-12;  // It only makes the plan take turns.
    turns.Plan(fleet.cell, Shares(fleet.noise_w.size()), fleet.plan.probability);
    EXPECT_LE(ExpectTimes(either).at_most_s(), ExpectTimes(turns).band_s * (1 + 1e-6));
  }
}

// All end together, at no more than their power, in the band that there is, with the energy that
// was planned; nothing shorter would do. (A15)
TEST(AirtimeRound, SharesTheBandExactly) {
  std::size_t band_bound = 0, power_bound = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomFleet fleet(seed, 2 + seed % 60, /*is_density=*/true);
    AirtimeRound round({});
    round.Plan(fleet.cell, Shares(fleet.noise_w.size()), fleet.plan.probability);
    if (round.takes_turns()) continue;
    std::vector<std::uint32_t> devices;
    ColumnValues ready_s(fleet.noise_w.size(), 0.0);
    for (std::uint32_t i = 0; i < fleet.noise_w.size(); ++i) {
      if (round.plan().plan.probability[i] > 0 && i % 3 != seed % 3) devices.push_back(i);
      if (seed % 2 == 0) ready_s[i] = 0.1 * double(i % 7);
    }
    if (devices.empty()) continue;
    const auto shares = round.ShareBand(fleet.cell, devices, ready_s);
    double used_hz = 0, end_s = 0;
    bool is_power_bound = false;
    for (std::size_t j = 0; j < devices.size(); ++j) {
      const std::uint32_t i = devices[j];
      const Terms terms{.power_w = shares[j].power_w, .bandwidth_hz = shares[j].bandwidth_hz};
      const ParticipationCost cost = CostOf(fleet.cell, i, terms);
      EXPECT_NEAR(cost.energy_j, round.energy_j()[i], 1e-9 * round.energy_j()[i]);
      if (j == 0) end_s = ready_s[i] + cost.upload_s;
      EXPECT_NEAR(ready_s[i] + cost.upload_s, end_s, 1e-9 * end_s);
      EXPECT_LE(shares[j].power_w, fleet.power_w[i]);
      is_power_bound |= shares[j].power_w > fleet.power_w[i] * (1 - 1e-9);
      used_hz += shares[j].bandwidth_hz;
    }
    EXPECT_LE(used_hz, fleet.cell.total_bandwidth_hz * (1 + 1e-12));
    const bool is_band_bound = used_hz > fleet.cell.total_bandwidth_hz * (1 - 1e-9);
    EXPECT_TRUE(is_power_bound || is_band_bound);
    band_bound += is_band_bound;
    power_bound += is_power_bound;
  }
  EXPECT_GT(band_bound, 5U);
  EXPECT_GT(power_bound, 5U);
}

// The bounds (A16) hold the mean over draws between them.
TEST(AirtimeRound, BoundsTheMeanTimeInBands) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const RandomFleet fleet(seed, 40, /*is_density=*/true);
    AirtimeRound round({.participants = 4});
    round.Plan(fleet.cell, Shares(40), fleet.plan.probability);
    std::mt19937 random(seed);
    std::uniform_real_distribution<> uniform(0, 1);
    constexpr int kDraws = 4000;
    double sum_s = 0, squares = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      double band_s = 0, slowest_s = 0;
      for (std::size_t i = 0; i < 40; ++i) {
        if (uniform(random) >= round.plan().plan.probability[i]) continue;
        band_s += round.plan().upload_s[i];
        slowest_s = std::max(slowest_s, round.least_upload_s()[i]);
      }
      const double time_s = std::max(band_s, slowest_s);
      sum_s += time_s;
      squares += time_s * time_s;
    }
    const double mean_s = sum_s / kDraws;
    const double error_s = 4.5 * std::sqrt((squares / kDraws - mean_s * mean_s) / kDraws);
    EXPECT_GE(mean_s + error_s, ExpectTimes(round).at_least_s());
    EXPECT_LE(mean_s - error_s, ExpectTimes(round).at_most_s());
  }
}

}  // namespace
}  // namespace airlot
