// What an airtime plan expects of a round is compared with the enumeration of all its draws.
#include "airlot/airtime_expectations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "airlot/link.h"
#include "planning/small_cell_for_tests.h"

namespace airlot {
namespace {

using planning::SmallCell;

// An AirtimeCase is a small cell with its two plans.
struct AirtimeCase {
  AirtimeCase(const Cell& of, const AirtimeRules& rules)
      : cell(of), own_bands(Solve(cell.problem)), round(rules) {
    fleet.devices = cell.problem.devices;
    const std::vector<double> share(fleet.devices, 1 / double(fleet.devices));
    round.Plan(cell, share, own_bands.probability);
    rows = DescribeAirtime(fleet, cell, round, own_bands);
    expect = ExpectAirtime(cell, round, rows);
  }

  Cell cell;
  Fleet fleet;
  Plan own_bands;
  AirtimeRound round;
  PlanFile rows;
  AirtimeExpectations expect;
};

// Returns the time of a round, as the strategy makes it.
double TimeOf(const AirtimeCase& made, const std::vector<std::uint32_t>& drawn) {
  const Cell& cell = made.cell;
  double end_s = 0;
  if (made.round.takes_turns()) {
    std::vector<std::uint32_t> order = drawn;
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return cell.compute_time_s[i]; });
    for (const std::uint32_t i : order) {
      end_s = std::max(end_s, cell.compute_time_s[i]) + made.round.plan().upload_s[i];
    }
    return end_s;
  }
  const auto shares = made.round.ShareBand(cell, drawn, cell.compute_time_s);
  for (std::size_t seat = 0; seat < drawn.size(); ++seat) {
    const double upload_s = SendTime(cell, drawn[seat], shares[seat].power_w,
                                     shares[seat].bandwidth_hz, cell.update_bits[drawn[seat]]);
    end_s = std::max(end_s, cell.compute_time_s[drawn[seat]] + upload_s);
  }
  return end_s;
}

// TimeMoments are of the time of a round.
struct TimeMoments {
  double mean_s = 0, sd_s = 0;
};

TimeMoments Enumerate(const AirtimeCase& made) {
  const std::size_t devices = made.fleet.devices;
  double mean_s = 0, square_s2 = 0;
  for (std::uint32_t set = 1; set < (1U << devices); ++set) {
    double chance = 1;
    std::vector<std::uint32_t> drawn;
    for (std::uint32_t i = 0; i < devices; ++i) {
      const bool is_drawn = (set >> i & 1U) != 0;
      const double a = made.rows.plan.probability[i];
      chance *= is_drawn ? a : 1 - a;
      if (is_drawn) drawn.push_back(i);
    }
    const double time_s = chance > 0 ? TimeOf(made, drawn) : 0;
    mean_s += chance * time_s;
    square_s2 += chance * time_s * time_s;
  }
  return {mean_s, std::sqrt(square_s2 - mean_s * mean_s)};
}

constexpr double kRounding = 1e-12;

TEST(AirtimeExpectations, OfTurnsAreExact) {
  const SmallCell small({0.01, 0.1, 0.5, 2, 10});
  const AirtimeCase made(small.cell, {});
  ASSERT_TRUE(made.round.takes_turns());
  const TimeMoments time = Enumerate(made);
  EXPECT_TRUE(made.expect.is_time_exact());
  EXPECT_NEAR(made.expect.round.round_time_s, time.mean_s, kRounding);
  EXPECT_NEAR(made.expect.time_sd_s, time.sd_s, kRounding);
  EXPECT_NEAR(made.expect.round.round_time_s, 1, 1e-9);  // the time limit
}

TEST(AirtimeExpectations, OfTurnsAfterComputationAreBounds) {
  SmallCell small({0.01, 0.1, 0.5, 2, 10});
  small.compute_s = {0.4, 0.1, 0.2, 0.05, 0.3};
  const AirtimeCase made(small.cell, {});
  ASSERT_TRUE(made.round.takes_turns());
  EXPECT_EQ(made.round.floors(), AirtimeFloors::kComputationCounts);
  const TimeMoments time = Enumerate(made);
  EXPECT_TRUE(made.expect.counts_computation);
  EXPECT_LT(made.expect.time_at_least_s, time.mean_s);
  EXPECT_GT(made.expect.time_at_most_s, time.mean_s);
}

TEST(AirtimeExpectations, OfBandsAreBounds) {
  for (const double compute_s : {0.0, 0.2}) {
    SmallCell small({0.05, 1, 4, 20, 100});  // the far ones are limited by their power
    small.compute_s = {compute_s, 2 * compute_s, 0, compute_s, 0};
    small.cell.noise_grows_with_band = true;
    const AirtimeCase made(small.cell, {.sharing = AirtimeSharing::kBands});
    ASSERT_FALSE(made.round.takes_turns());
    EXPECT_NE(made.round.floors(), AirtimeFloors::kKept);
    const TimeMoments time = Enumerate(made);
    EXPECT_LE(made.expect.time_at_least_s, time.mean_s * (1 + kRounding));
    EXPECT_GT(made.expect.time_at_most_s, time.mean_s);
    EXPECT_EQ(made.expect.counts_computation, compute_s > 0);
  }
}

// At so high an SNR each could send alone in the whole band, so that the mean is known.
TEST(AirtimeExpectations, OfBandsWithPowerToSpareAreExact) {
  SmallCell small({1e-3, 2e-3, 3e-3, 4e-3});
  small.cell.noise_grows_with_band = true;
  const AirtimeCase made(small.cell, {.sharing = AirtimeSharing::kBands});
  ASSERT_FALSE(made.round.takes_turns());
  const TimeMoments time = Enumerate(made);
  EXPECT_TRUE(made.expect.is_time_exact());
  EXPECT_NEAR(made.expect.round.round_time_s, time.mean_s, kRounding);
  EXPECT_NEAR(made.expect.time_sd_s, time.sd_s, kRounding);
}

// A row of the plan is a link: its rate follows from its power and its band, and its energy from
// its time.
TEST(AirtimeExpectations, RowsAgreeWithTheLink) {
  for (const bool is_density : {false, true}) {
    SmallCell small({0.05, 1, 4, 20, 100});
    small.compute_j = {0.1, 0, 0.2, 0, 0.3};
    small.cell.noise_grows_with_band = is_density;
    const AirtimeCase made(small.cell, {.sharing = AirtimeSharing::kBands});
    for (std::size_t i = 0; i < made.fleet.devices; ++i) {
      const Terms terms{.power_w = made.rows.plan.power_w[i],
                        .bandwidth_hz = (*made.rows.bandwidth_hz)[i]};
      const ParticipationCost cost = CostOf(made.cell, i, terms);
      EXPECT_NEAR(made.rows.upload_s[i] / cost.upload_s, 1, kRounding);
      EXPECT_NEAR(made.rows.energy_j[i] / cost.energy_j, 1, kRounding);
      EXPECT_NEAR(made.rows.rate_bps[i] * made.rows.upload_s[i], 1, kRounding);
      EXPECT_LE(terms.power_w, 1);
      EXPECT_LE(terms.bandwidth_hz, made.cell.total_bandwidth_hz);
    }
  }
}

// Also where computation has a price and devices send at the same time, a plan is an optimum.
TEST(AirtimeExpectations, AreOfOptimalPlans) {
  for (const bool is_density : {false, true}) {
    for (const AirtimeRules& rules :
         {AirtimeRules{}, AirtimeRules{.fairness = 2, .floor = 0},
          AirtimeRules{.energy_price_s_per_j = 0.5}, AirtimeRules{.participants = 0.7}}) {
      SmallCell small({0.05, 1, 4, 20, 100});
      small.compute_j = {0.1, 0, 0.2, 0, 0.3};
      small.compute_s = {0.1, 0.2, 0, 0.3, 0};
      small.cell.problem.energy_budget_j = 0.2;
      small.cell.noise_grows_with_band = is_density;
      AirtimeRules bands = rules;
      bands.sharing = AirtimeSharing::kBands;
      const AirtimeCase made(small.cell, bands);
      ASSERT_EQ(made.round.takes_turns(), !is_density);
      const AirtimeCertificate found = CertifyAirtime(made.round.problem(), made.round.plan());
      EXPECT_LE(found.largest_violation, kLargestViolation);
      EXPECT_LE(std::abs(found.gap), kLargestViolation);
    }
  }
}

// The first never takes part without a budget, the second uses its budget up, the third sends at
// its power cap, and the fourth could not take part more often.
TEST(AirtimeExpectations, NameWhatLimitsEachDevice) {
  const SmallCell small({1, 1, 1, 1e-9});
  Cell cell = small.cell;
  const std::vector<double> budget_j = {0, 1e-3, 1, 1}, limit_s(4, 0.2);
  cell.problem.energy_budget_j = budget_j;
  cell.problem.time_limit_s = limit_s;
  const AirtimeCase made(cell, {});
  EXPECT_EQ(made.rows.limits[0], Limit::kEnergy);
  EXPECT_EQ(made.rows.limits[1], Limit::kEnergy);
  EXPECT_EQ(made.rows.limits[2], Limit::kPower);
  EXPECT_EQ(made.rows.limits[3], Limit::kFull);
  cell.problem.spectral_efficiency_cap = 0.5;
  EXPECT_EQ(AirtimeCase(cell, {}).rows.limits[2], Limit::kRate);
  // A joule that costs much is saved, so that neither cap binds.
  cell.problem.spectral_efficiency_cap = small.cell.problem.spectral_efficiency_cap;
  EXPECT_EQ(AirtimeCase(cell, {.energy_price_s_per_j = 100}).rows.limits[2], Limit::kTime);
}

}  // namespace
}  // namespace airlot
