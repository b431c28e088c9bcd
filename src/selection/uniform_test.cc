#include <gtest/gtest.h>

#include <algorithm>

#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

// The draws are those of earlier versions, so that their runs can be repeated.
TEST(Uniform, DrawsWhatItAlwaysDrew) {
  std::vector<double> probability(1000, 0.5);
  probability[3] = 0;
  const auto strategy = MakeStrategy("uniform", With("uniform", "devices", 8));
  Selection first, again;
  strategy->Select({.seed = 3, .round = 1, .probability = probability}, first);
  EXPECT_EQ(first.devices, (Devices{50, 146, 265, 316, 540, 561, 652, 659}));
  strategy->Select({.seed = 3, .round = 7, .attempt = 1, .probability = probability}, again);
  EXPECT_EQ(again.devices, (Devices{29, 37, 266, 327, 397, 546, 581, 971}));
}

TEST(Uniform, TakesAsManyAsThePlanExpects) {
  const std::vector<double> probability = {0.5, 0.25, 0, 0.5, 1, 0.4};  // Their sum is 2.65.
  const auto strategy = MakeStrategy("uniform", With("uniform", "devices", 0));
  for (std::uint64_t round = 1; round <= 20; ++round) {
    Selection selection;
    strategy->Select({.seed = 3, .round = round, .probability = probability}, selection);
    EXPECT_EQ(selection.devices.size(), 3u);
    EXPECT_EQ(std::ranges::count(selection.devices, 2u), 0);
    EXPECT_EQ(selection.probability, std::vector<double>(3, 3.0 / 5));
    EXPECT_TRUE(selection.terms.empty());
  }
}

TEST(Uniform, SendsWithTheLargestPowerInItsOwnBand) {
  const std::vector<double> probability = {0.5, 0.5, 0.5};
  const ColumnValues powers_w{1, 2, 3}, bands_hz{10, 20, 30};
  Cell cell;
  cell.problem.max_power_w = powers_w;
  cell.bandwidth_hz = bands_hz;
  StrategyOptions options = With("uniform", "devices", 2);
  options.At("uniform", "power") = 1;
  const auto strategy = MakeStrategy("uniform", options);
  Selection selection;
  strategy->Select({.seed = 3, .probability = probability, .cell = &cell}, selection);
  ASSERT_EQ(selection.terms.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(selection.terms[i].power_w, selection.devices[i] + 1);
    EXPECT_EQ(selection.terms[i].bandwidth_hz, 10 * (selection.devices[i] + 1));
  }
}

}  // namespace
}  // namespace airlot::selection
