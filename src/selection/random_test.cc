#include <gtest/gtest.h>

#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

// Two of the three who can take part do, each in half of the 4 Hz, where a bit takes 1/4 s at 2
// bit/s/Hz. Each device is in 2/3 of 3000 rounds, within five standard deviations of sqrt(3000·2/9)
// = 25.8.
TEST(Random, SharesTheBandAmongThoseWhoAreDrawn) {
  SmallCell cell({1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3});
  cell.probability[1] = 0;
  const auto strategy = MakeStrategy("random", With("random", "devices", 2));
  std::vector<int> taken(4);
  for (std::uint64_t round = 1; round <= 3000; ++round) {
    const Selection selection = cell.Select(*strategy, round);
    ASSERT_EQ(selection.devices.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      ++taken[selection.devices[i]];
      ASSERT_EQ(selection.terms[i].bandwidth_hz, 2);
      ASSERT_EQ(selection.terms[i].power_w, 1);
      ASSERT_NEAR(CostOf(cell.cell, selection.devices[i], selection.terms[i]).upload_s, 0.25,
                  1e-12);
    }
  }
  EXPECT_EQ(taken[1], 0);
  for (const std::size_t device : {0U, 2U, 3U}) EXPECT_NEAR(taken[device], 2000, 5 * 25.8);
}

TEST(Random, TakesTenUnlessTold) {
  SmallCell cell(std::vector<double>(50, 1.0));
  EXPECT_EQ(cell.Select(*MakeStrategy("random")).devices.size(), 10U);
}

TEST(Random, SharesTheBandAmongAllWhereTheyAreFewer) {
  SmallCell cell({1, 1, 1});
  const Selection selection = cell.Select(*MakeStrategy("random"));
  EXPECT_EQ(selection.devices, (Devices{0, 1, 2}));
  for (const Terms& terms : selection.terms) EXPECT_EQ(terms.bandwidth_hz, 1);
}

TEST(Random, AnotherDrawIsAnother) {
  SmallCell cell(std::vector<double>(1000, 1.0));
  const auto strategy = MakeStrategy("random");
  const Devices first = cell.Select(*strategy).devices;
  EXPECT_NE(first, cell.Select(*strategy, 2).devices);
  EXPECT_NE(first, cell.Select(*strategy, 1, 2).devices);
  SelectionView view = cell.View();
  view.attempt = 1;
  Selection again;
  strategy->Select(view, again);
  EXPECT_NE(first, again.devices);
}

TEST(Random, IsSound) { ExpectSoundEverywhere("random"); }

}  // namespace
}  // namespace airlot::selection
