#include <gtest/gtest.h>

#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

// Of 0, 1, 3, 4, 5 there are groups of two, and one is left over that has the 6 Hz for itself.
TEST(RoundRobin, ServesTheGroupsInTurn) {
  SmallCell cell(std::vector<double>(6, 1.0));
  cell.probability[2] = 0;
  const auto strategy = MakeStrategy("round-robin", With("round-robin", "devices", 2));
  const std::vector<Devices> groups{{0, 1}, {3, 4}, {5}};
  for (std::uint64_t round = 1; round <= 9; ++round) {
    const Selection selection = cell.Select(*strategy, round);
    ASSERT_EQ(selection.devices, groups[(round - 1) % 3]);
    for (const Terms& terms : selection.terms) {
      EXPECT_EQ(terms.bandwidth_hz, selection.devices.size() == 2 ? 3 : 6);
      EXPECT_EQ(terms.power_w, 1);
    }
  }
  EXPECT_TRUE(cell.memory.empty());  // the round says it all
}

TEST(RoundRobin, ServesTenUnlessToldAndEachOnceInACycle) {
  SmallCell cell(std::vector<double>(40, 1.0));
  const auto strategy = MakeStrategy("round-robin");
  std::vector<int> taken(40);
  for (std::uint64_t round = 1; round <= 4; ++round) {
    const Selection selection = cell.Select(*strategy, round);
    EXPECT_EQ(selection.devices.size(), 10U);
    for (const std::uint32_t device : selection.devices) ++taken[device];
  }
  EXPECT_EQ(taken, std::vector<int>(40, 1));
}

TEST(RoundRobin, IsSound) {
  ExpectSoundEverywhere("round-robin");
  ExpectSoundEverywhere("round-robin", With("round-robin", "devices", 1e9));
}

}  // namespace
}  // namespace airlot::selection
