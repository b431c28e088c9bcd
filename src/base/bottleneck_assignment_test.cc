#include "base/bottleneck_assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "base/random.h"

namespace airlot::base {
namespace {

using Blocks = std::vector<std::size_t>;

double Slowest(std::span<const double> time_s, const Blocks& assigned, std::size_t blocks) {
  double slowest_s = 0;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    slowest_s = std::max(slowest_s, time_s[i * blocks + assigned[i]]);
  }
  return slowest_s;
}

// Each device's best is block 0. With device 0 there, one of the others has 9 or 8; with device 1,
// device 0 has 2 in block 1 or 4 in block 2, and device 2 then 3 in block 2; so 3.
TEST(FastestAssignment, ByHand) {
  const std::vector<double> time_s{1, 2, 4,  //
                                   1, 9, 8,  //
                                   1, 7, 3};
  EXPECT_EQ(FastestAssignment(time_s, 3, 3), (Blocks{1, 0, 2}));
}

TEST(FastestAssignment, MoreBlocksThanDevices) {
  EXPECT_EQ(FastestAssignment(std::vector<double>{5, 1, 3, 4, 1, 9}, 2, 3), (Blocks{2, 1}));
  EXPECT_EQ(FastestAssignment(std::vector<double>{5, 1, 3}, 1, 3), (Blocks{1}));
  EXPECT_EQ(FastestAssignment({}, 0, 3), Blocks{});
}

// There is one time for each device: any block will do, so they come in order, however many there
// are.
TEST(FastestAssignment, OfBlocksThatAreAlike) {
  EXPECT_EQ(FastestAssignment(std::vector<double>{5, 1, 3}, 3, 4), (Blocks{0, 1, 2}));
  EXPECT_EQ(FastestAssignment(std::vector<double>(100000, 1), 100000, 100000).back(), 99999U);
}

// Whoever cannot use a block would need forever.
TEST(FastestAssignment, OfImpossiblePairs) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  EXPECT_EQ(FastestAssignment(std::vector<double>{1, 2, 1, kNever}, 2, 2), (Blocks{1, 0}));
  const Blocks any = FastestAssignment(std::vector<double>{1, kNever, 1, kNever}, 2, 2);
  EXPECT_EQ(std::set<std::size_t>(any.begin(), any.end()).size(), 2U);
}

// The test compares with every permutation, for few different times, so that many are equal, and
// for many.
TEST(FastestAssignment, NoPermutationIsFaster) {
  for (std::uint64_t round = 0; round < 600; ++round) {
    RandomStream stream(1, Purpose{900}, round, 0);
    const std::size_t blocks = 1 + stream.Below(6), devices = 1 + stream.Below(blocks);
    const std::uint64_t different = round % 2 == 0 ? 4 : 1000;
    std::vector<double> time_s(devices * blocks);
    for (double& value_s : time_s) value_s = double(1 + stream.Below(different));
    Blocks order(blocks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double fastest_s = std::numeric_limits<double>::infinity();
    do {
      fastest_s = std::min(
          fastest_s,
          Slowest(time_s, {order.begin(), order.begin() + std::ptrdiff_t(devices)}, blocks));
    } while (std::ranges::next_permutation(order).found);
    const Blocks assigned = FastestAssignment(time_s, devices, blocks);
    ASSERT_EQ(assigned.size(), devices);
    ASSERT_EQ(std::set<std::size_t>(assigned.begin(), assigned.end()).size(), devices);
    ASSERT_EQ(Slowest(time_s, assigned, blocks), fastest_s) << round;
  }
}

// In a chain, device i can use blocks i and i + 1 only, and the last one block 0 only, so that one
// more device exchanges all.
TEST(FastestAssignment, ExchangesAll) {
  constexpr std::size_t kBlocks = 400;
  std::vector<double> time_s(kBlocks * kBlocks, 9);
  for (std::size_t i = 0; i + 1 < kBlocks; ++i) {
    time_s[i * kBlocks + i] = time_s[i * kBlocks + i + 1] = 1;
  }
  time_s[(kBlocks - 1) * kBlocks] = 1;
  const Blocks assigned = FastestAssignment(time_s, kBlocks, kBlocks);
  EXPECT_EQ(Slowest(time_s, assigned, kBlocks), 1);
  EXPECT_EQ(std::set<std::size_t>(assigned.begin(), assigned.end()).size(), kBlocks);
}

}  // namespace
}  // namespace airlot::base
