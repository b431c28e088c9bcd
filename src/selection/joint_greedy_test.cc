// These tests check greedy sets by hand and against trying every device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "planning/concurrent_uploads.h"
#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

// At 1 W and g = 1/15, 1/3, 1/15, 1, devices send at 4, 2, 4, 1 bit/s/Hz, so that 1 bit each takes
// T* = (1/4 + 1/2 + 1/4 + 1 of those taken)/4 s together in B = 4 Hz. In the order 0, 2, 1, 3 and
// with m_0 = 1, the progress is:
//   m = 1: (1 - 1)/(1/16) = 0       m = 2: (1 - 1/2)/(1/8) = 4       m = 3: (1 - 1/3)/(1/4) = 2.67
TEST(JointGreedy, ByHand) {
  SmallCell small({1.0 / 15, 1.0 / 3, 1.0 / 15, 1});
  const auto strategy = MakeStrategy("joint-greedy", With("joint-greedy", "least_devices", 1));
  const Selection selection = small.Select(*strategy);
  EXPECT_EQ(selection.devices, (Devices{0, 2}));
  for (const Terms& terms : selection.terms) {
    EXPECT_NEAR(terms.bandwidth_hz, 2, 1e-12);
    EXPECT_EQ(terms.power_w, 1);
  }
  EXPECT_FALSE(selection.takes_turns);
}

// The devices of ByHand compute for 1 s, but device 3 does not: alone it ends at 1/4 s, the others
// at 1.06 s and later, so it is the first. At T it needs 1/T Hz and the others w/(T - 1) with
// w = 1/4, 1/2, 1/4. So 4 Hz = 1/T + Σw/(T - 1), which is 4·T² - (5 + Σw)·T + 1 = 0:
//   + 0: T = (5.25 + √11.5625)/8 = 1.0813, (1 - 1/2)/T = 0.462
//   + 2: T = (5.5 + √14.25)/8 = 1.1594, (1 - 1/3)/T = 0.575
//   + 1: T = (6 + √20)/8 = 1.3090, (1 - 1/4)/T = 0.573
TEST(JointGreedy, SharesTheTimeOfLongComputations) {
  SmallCell small({1.0 / 15, 1.0 / 3, 1.0 / 15, 1});
  small.compute_s = {1, 1, 1, 0};
  const auto strategy = MakeStrategy("joint-greedy", With("joint-greedy", "least_devices", 1));
  const Selection selection = small.Select(*strategy);
  EXPECT_EQ(selection.devices, (Devices{0, 2, 3}));
  EXPECT_NEAR(selection.terms[2].bandwidth_hz, 8 / (5.5 + std::sqrt(14.25)), 1e-12);
}

// With equal devices and no computation T* grows as m, and (1 - m_0/m)/m is largest at m = 2·m_0.
TEST(JointGreedy, TakesTwiceTheLeastOfEqualDevices) {
  SmallCell small(std::vector<double>(50, 0.3));
  EXPECT_EQ(small.Select(*MakeStrategy("joint-greedy")).devices.size(), 10U);
  const auto single = MakeStrategy("joint-greedy", With("joint-greedy", "least_devices", 0));
  EXPECT_EQ(small.Select(*single).devices, Devices{0});
}

// As in the source, every device is tried in every step.
Devices TryEveryDevice(const Cell& cell, std::size_t count, double least_devices) {
  Devices devices;
  double progress = -1e300;
  while (devices.size() < count) {
    double best_s = 1e300;
    std::uint32_t best = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      if (std::ranges::find(devices, k) != devices.end()) continue;
      Devices with = devices;
      with.push_back(k);
      const double finish_s =
          planning::FinishTogether(cell, with, cell.problem.max_power_w).finish_s;
      if (finish_s < best_s * (1 - 1e-12)) best_s = finish_s, best = k;
    }
    const double next = (1 - least_devices / double(devices.size() + 1)) / best_s;
    if (next < progress) break;
    progress = next;
    devices.push_back(best);
  }
  std::ranges::sort(devices);
  return devices;
}

TEST(JointGreedy, IsTheGreedySetOfTheSource) {
  std::size_t sizes = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, base::Purpose{902}, 0, 0);
    constexpr std::size_t kDevices = 40;
    std::vector<double> gains(kDevices), bits(kDevices), limits(kDevices);
    for (std::size_t i = 0; i < kDevices; ++i) {
      gains[i] = random.LogUniform(1e-4, 1);
      bits[i] = seed % 2 == 0 ? 1 : random.Uniform(0.5, 2);
      limits[i] = seed % 3 == 0 ? 1 : random.Uniform(0.1, 1);
    }
    SmallCell small(gains);
    small.cell.noise_grows_with_band = seed % 4 < 2;
    small.cell.update_bits = bits;
    small.cell.problem.max_power_w = limits;
    small.cell.total_bandwidth_hz = 10;
    for (double& time_s : small.compute_s) time_s = random.Uniform(0, seed % 5 == 0 ? 0 : 1);
    const Devices devices = small.Select(*MakeStrategy("joint-greedy")).devices;
    EXPECT_EQ(devices, TryEveryDevice(small.cell, kDevices, 5)) << seed;
    sizes += devices.size();
  }
  EXPECT_GT(sizes, 60U * 8);
}

// There are more devices than the strategy looks at closely; by channel alone, the best are those
// of least noise.
TEST(JointGreedy, TakesTheBestOfMany) {
  std::vector<double> gains;
  for (int i = 0; i < 3000; ++i) gains.push_back(1e-3 * (1 + double(i * 1237 % 3000) / 3000));
  SmallCell small(gains);
  const auto strategy = MakeStrategy("joint-greedy", With("joint-greedy", "least_devices", 300));
  const Devices devices = small.Select(*strategy).devices;
  ASSERT_GT(devices.size(), 500U);
  std::vector<double> sorted = gains;
  std::ranges::sort(sorted);
  for (const std::uint32_t device : devices) {
    ASSERT_LE(gains[device], sorted[devices.size() - 1]);
  }
}

}  // namespace
}  // namespace airlot::selection
