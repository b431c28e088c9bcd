#include <gtest/gtest.h>

#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

// The planned power is 0.25 W and the own bands are 1 Hz and 3 Hz, but the full power of 1 W
// counts.
TEST(All, TakesEveryAbleDeviceAtFullPowerInItsOwnBand) {
  SmallCell cell({1, 1.0 / 3, 1.0 / 7});
  cell.probability = {0.1, 0, 1};
  cell.power_w = {0.25, 0, 0.25};
  const std::vector<double> bandwidth_hz{1, 2, 3};
  cell.cell.bandwidth_hz = bandwidth_hz;
  const Selection selection = cell.Select(*MakeStrategy("all"));
  ASSERT_EQ(selection.devices, (Devices{0, 2}));
  ASSERT_EQ(selection.terms.size(), 2U);
  EXPECT_EQ(selection.terms[0].power_w, 1);
  EXPECT_EQ(selection.terms[1].power_w, 1);
  EXPECT_EQ(selection.terms[0].bandwidth_hz, 1);
  EXPECT_EQ(selection.terms[1].bandwidth_hz, 3);
  EXPECT_FALSE(selection.takes_turns);
  // One device sends 1 bit at 1 bit/s/Hz in 1 Hz, the other at 3 bit/s/Hz in 3 Hz.
  EXPECT_NEAR(CostOf(cell.cell, 0, selection.terms[0]).upload_s, 1, 1e-12);
  EXPECT_NEAR(CostOf(cell.cell, 2, selection.terms[1]).upload_s, 1.0 / 9, 1e-12);
}

TEST(All, SelectsAgainForAnotherPlan) {
  SmallCell cell({1, 1, 1});
  const auto strategy = MakeStrategy("all");
  EXPECT_EQ(cell.Select(*strategy).devices, (Devices{0, 1, 2}));
  cell.probability[1] = 0;
  SelectionView view = cell.View();
  view.plan_version = 1;
  Selection selection;
  strategy->Select(view, selection);
  EXPECT_EQ(selection.devices, (Devices{0, 2}));
}

TEST(All, IsSound) { ExpectSoundEverywhere("all"); }

}  // namespace
}  // namespace airlot::selection
