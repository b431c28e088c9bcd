// Whole blocks are tested by hand, against every possible split, and where there are many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "airlot/band_split.h"
#include "planning/band_fleet_for_tests.h"

namespace airlot {
namespace {

using planning::DrawnBandFleet;

// Probabilities are off by at most this share, whichever solver and target computes them: (22), and
// with circuit power (3u + 20)·2^-53, u below 90.
constexpr double kPlanned = 1e-12;
// The bound is that of a price, and the search for it ends within this share, (B15).
constexpr double kGap = 1e-12;

// Returns the best of all ways to give `blocks` to the devices from `first` on.
double BestOfAll(const DrawnBandFleet& fleet, double block_hz, std::size_t first, int blocks) {
  if (first + 1 == fleet.problem.cell.problem.devices) return fleet.Gain(first, blocks * block_hz);
  double best = 0;
  for (int own = 0; own <= blocks; ++own) {
    best = std::max(best, fleet.Gain(first, own * block_hz) +
                              BestOfAll(fleet, block_hz, first + 1, blocks - own));
  }
  return best;
}

void ExpectWholeBlocks(const BandSplit& split, double block_hz, double most) {
  double sum = 0;
  for (const double band_hz : split.bandwidth_hz) {
    const double blocks = band_hz / block_hz;
    EXPECT_NEAR(blocks, std::round(blocks), 2 * 0x1p-52 * blocks);  // a product and a quotient
    sum += std::round(blocks);
  }
  EXPECT_LE(sum, most);
}

// Both devices have a = B, at most 1: g = 1, τ = 1, S·ln2 = 1, u = 1.
TEST(ShareBlocks, GivesTheFirstOfEqualsTheOddBlock) {
  DrawnBandFleet fleet(2);
  fleet.compute_energy_j.assign(2, 0.0);
  fleet.update_bits.assign(2, 1 / std::numbers::ln2);
  fleet.max_power_w.assign(2, std::expm1(1));
  fleet.energy_budget_j.assign(2, 100.0);
  fleet.problem.cell.total_bandwidth_hz = 1.7;
  const BandSplit split = ShareBlocks(fleet.problem, 0.5);  // there are three blocks
  EXPECT_EQ(split.bandwidth_hz[0], 1);
  EXPECT_EQ(split.bandwidth_hz[1], 0.5);
  EXPECT_NEAR(split.value, 1.5, 1.5 * kPlanned);
  EXPECT_NEAR(split.equal_value, 1.7, 1.7 * kPlanned);
  EXPECT_NEAR(split.bound, 1.7, 1.7 * (kGap + kPlanned));
  EXPECT_NEAR(split.price, 1, 4 * kPlanned);  // a difference of two probabilities, per 1/2 Hz
}

// A band of 1.7 Hz in blocks of 0.5 Hz leaves 0.2 Hz; the cell's band stays what it is.
TEST(ShareBlocks, TellsTheBandOfTheCell) {
  DrawnBandFleet fleet(2);
  fleet.problem.cell.total_bandwidth_hz = 1.7;
  EXPECT_EQ(ShareBlocks(fleet.problem, 0.5).total_bandwidth_hz, 1.7);
  EXPECT_EQ(ShareBandwidth(fleet.problem).total_bandwidth_hz, 1.7);
}

TEST(ShareBlocks, IsTheBestOfAllSplits) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(2 + seed % 3);
    fleet.Draw(seed + 40'000, seed % 2 == 1);
    const int blocks = 1 + static_cast<int>(seed % 11);  // fewer and more blocks than devices
    const double block_hz = fleet.problem.cell.total_bandwidth_hz / (blocks + 0.5);
    ASSERT_TRUE(ValidateBlocks(fleet.problem, block_hz).ok());
    const BandSplit split = ShareBlocks(fleet.problem, block_hz);
    ExpectWholeBlocks(split, block_hz, blocks);
    const double best = BestOfAll(fleet, block_hz, 0, blocks);
    // Between gains that are closer than rounding, a block goes to either, each time.
    EXPECT_NEAR(split.value, best, 2 * (1 + blocks) * kPlanned * best);
    EXPECT_LE(split.value, split.bound * (1 + kGap + kPlanned));
  }
}

// Fine blocks come as near to the bound as a block is small: the best split of a band that is
// smaller by a block a device can be rounded up to whole blocks, and its value is smaller by no
// larger share than the band. One more block may be lost at the end of the band.
TEST(ShareBlocks, ManyBlocksComeNearTheSharedBand) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(30);
    fleet.Draw(seed + 50'000, seed % 2 == 1);
    const double block_hz = fleet.problem.cell.total_bandwidth_hz / 1'000'000;
    const BandSplit split = ShareBlocks(fleet.problem, block_hz);
    ExpectWholeBlocks(split, block_hz, 1e6);
    EXPECT_LE(split.value, split.bound * (1 + kGap + kPlanned));
    EXPECT_GE(split.value, split.bound * (1 - 31e-6 - kGap - kPlanned));
  }
}

TEST(ShareBlocks, IsTheSameOnAnyNumberOfThreads) {
  DrawnBandFleet fleet(40'000);
  fleet.Draw(7, true);
  const double block_hz = fleet.problem.cell.total_bandwidth_hz / 50'000;
  EXPECT_EQ(ShareBlocks(fleet.problem, block_hz, 1).bandwidth_hz,
            ShareBlocks(fleet.problem, block_hz, 3).bandwidth_hz);
}

TEST(ShareBlocks, WithoutBudgetsNobodyHasABlock) {
  DrawnBandFleet fleet(3);
  fleet.energy_budget_j.assign(3, 0.0);
  const BandSplit split = ShareBlocks(fleet.problem, 0.25);
  EXPECT_EQ(split.value, 0);
  EXPECT_EQ(std::ranges::count(split.bandwidth_hz, 0.0), 3);
}

TEST(ValidateBlocks, NamesTheRange) {
  DrawnBandFleet fleet(2);
  fleet.problem.cell.total_bandwidth_hz = 1e6;
  EXPECT_TRUE(ValidateBlocks(fleet.problem, 1e6).ok());
  for (const double block_hz : {2e6, 1e-10, 0.0, -1.0}) {
    EXPECT_NE(ValidateBlocks(fleet.problem, block_hz)
                  .error()
                  .message.find("must be 0.01 to 1e+06, the whole band"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace airlot
