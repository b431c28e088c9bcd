#include <gtest/gtest.h>

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

}  // namespace
}  // namespace airlot::selection
