// These tests check who is worth the energy by hand and against all sets.
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

std::unique_ptr<Strategy> WithReward(double reward_j) {
  return MakeStrategy("energy-rrm", With("energy-rrm", "reward_j", reward_j));
}

// Four devices with g = 1/16 send 1 bit in 1 s, in B = 2 Hz. Of them, m have 2/m Hz each and need
// E*(m) = m/16·(2^(m/2) - 1) J: 0.0259, 0.125, 0.3428, 0.75. One more costs 0.0259, 0.0991, 0.2178
// and 0.4072.
TEST(EnergyRrm, ByHand) {
  SmallCell small(std::vector<double>(4, 1.0 / 16));
  small.cell.total_bandwidth_hz = 2;
  EXPECT_EQ(small.Select(*WithReward(0.0258)).devices, Devices{});
  EXPECT_EQ(small.Select(*WithReward(0.026)).devices, Devices{0});
  EXPECT_EQ(small.Select(*WithReward(0.0990)).devices, Devices{0});
  const Selection two = small.Select(*WithReward(0.15));
  EXPECT_EQ(two.devices, (Devices{0, 1}));
  for (const Terms& terms : two.terms) {
    EXPECT_NEAR(terms.bandwidth_hz, 1, 1e-12);
    EXPECT_NEAR(terms.power_w, 1.0 / 16, 1e-12);
  }
  EXPECT_EQ(small.Select(*WithReward(0.219)).devices, (Devices{0, 1, 2}));
  EXPECT_EQ(small.Select(*WithReward(0.408)).devices, (Devices{0, 1, 2, 3}));
}

// By default as many take part as the plan expects, of the least energy. Three of the four devices
// of ByHand, whose probabilities add up to 2.5, have 2/3 Hz each and need 1/16·(2^(3/2) - 1) W; at
// least one takes part; with one that has the best channel and one that has none to speak of, it is
// the first.
TEST(EnergyRrm, TakesAsManyAsThePlanExpects) {
  SmallCell small(std::vector<double>(4, 1.0 / 16));
  small.cell.total_bandwidth_hz = 2;
  small.probability = {0.25, 0.75, 0.75, 0.75};
  const Selection three = small.Select(*MakeStrategy("energy-rrm"));
  EXPECT_EQ(three.devices, (Devices{0, 1, 2}));
  for (const Terms& terms : three.terms) {
    EXPECT_NEAR(terms.bandwidth_hz, 2.0 / 3, 1e-12);
    EXPECT_NEAR(terms.power_w, (std::pow(2, 1.5) - 1) / 16, 1e-12);
  }
  std::ranges::fill(small.probability, 0.01);
  EXPECT_EQ(small.Select(*MakeStrategy("energy-rrm")).devices, Devices{0});
  SmallCell other({0.1, 0.01, 0.9});
  std::ranges::fill(other.probability, 0.01);
  EXPECT_EQ(other.Select(*MakeStrategy("energy-rrm")).devices, Devices{1});
}

// At 1 W the devices of ByHand need 1/log2(17) = 0.2447 Hz each, so that 1 Hz is enough for four,
// whatever the reward. Who computes for 0.6 s needs 0.2447/0.4 = 0.6116 Hz, so that there is room
// for it and one other, and it comes last.
TEST(EnergyRrm, StopsWhereTheBandEnds) {
  SmallCell small(std::vector<double>(6, 1.0 / 16));
  small.cell.total_bandwidth_hz = 1;
  EXPECT_EQ(small.Select(*WithReward(1e9)).devices, (Devices{0, 1, 2, 3}));
  std::ranges::fill(small.probability, 1);  // so the plan expects all of them
  EXPECT_EQ(small.Select(*MakeStrategy("energy-rrm")).devices, (Devices{0, 1, 2, 3}));
  small.compute_s = {0.6, 0.6, 0, 0.6, 0.6, 0.6};
  EXPECT_EQ(small.Select(*MakeStrategy("energy-rrm")).devices, (Devices{0, 2}));
  const Selection selection = small.Select(*WithReward(1e9));
  EXPECT_EQ(selection.devices, (Devices{0, 2}));
  EXPECT_GT(selection.terms[0].bandwidth_hz, selection.terms[1].bandwidth_hz);
  for (std::size_t j = 0; j < 2; ++j) {
    const ParticipationCost cost = CostOf(small.cell, selection.devices[j], selection.terms[j]);
    EXPECT_NEAR(cost.upload_s + cost.compute_s, 1, 1e-12);
  }
  std::ranges::fill(small.compute_s, 1);  // no time is left
  EXPECT_EQ(small.Select(*WithReward(1e9)).devices, Devices{});
  EXPECT_EQ(small.Select(*MakeStrategy("energy-rrm")).devices, Devices{});
  small.cell.problem.compute_time_s = 0.0;  // The limit does not bound what is booked.
  EXPECT_EQ(small.Select(*WithReward(1e9)).devices, (Devices{0, 1, 2, 3}));
}

// The shortest time limit of those that can take part is the deadline of all.
TEST(EnergyRrm, DeadlineIsTheShortestLimit) {
  SmallCell small({0.1, 0.1, 0.1});
  const std::vector<double> limits{3, 2, 1};
  small.cell.problem.time_limit_s = limits;
  small.probability[2] = 0;
  const Selection selection = small.Select(*WithReward(1e9));
  ASSERT_EQ(selection.devices, (Devices{0, 1}));
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(CostOf(small.cell, selection.devices[j], selection.terms[j]).upload_s, 2, 1e-12);
  }
}

// Devices 30 to 700 m away send 6.4 Mbit in 0.08 s in a cell of 10 MHz at 0.2 W. Three of them fit,
// as y = 16.6 is e^16.6·1e-9 = 0.016 W at best, and y = 22.1 would be 4 W.
TEST(EnergyRrm, TakesSomebodyInTheFloat32Cell) {
  std::vector<double> gains;
  for (int i = 0; i < 100; ++i) gains.push_back(1e-12 * std::pow(30 + 6.7 * i, 2));
  SmallCell small(gains);
  small.cell.update_bits = 199210 * 32.0;
  small.cell.total_bandwidth_hz = 1e7;
  small.cell.problem.max_power_w = 0.2;
  small.cell.problem.time_limit_s = 0.08;
  EXPECT_EQ(small.Select(*WithReward(0.01)).devices, (Devices{0, 1, 2}));
  std::ranges::fill(small.probability, 0.02);
  EXPECT_EQ(small.Select(*MakeStrategy("energy-rrm")).devices, (Devices{0, 1}));
  std::ranges::fill(small.probability, 0.5);
  EXPECT_EQ(small.Select(*MakeStrategy("energy-rrm")).devices, (Devices{0, 1, 2}));
  small.cell.problem.time_limit_s = 0.5;
  const std::size_t count = small.Select(*WithReward(0.01)).devices.size();
  EXPECT_GT(count, 10U);
  EXPECT_LT(count, 18U);
}

// Of all 2^8 sets, the selected one is never better than the best, never worse by as much as one
// reward, and mostly the best itself.
TEST(EnergyRrm, IsNearlyTheBestOfAllSets) {
  int best_found = 0;
  constexpr int kCells = 60;
  for (std::uint64_t seed = 1; seed <= kCells; ++seed) {
    RandomStream random(seed, base::Purpose{903}, 0, 0);
    std::vector<double> gains(8);
    for (double& gain : gains) gain = random.LogUniform(1e-3, 0.3);
    SmallCell small(gains);
    small.cell.noise_grows_with_band = seed % 2 == 0;
    small.cell.total_bandwidth_hz = random.Uniform(1, 8);
    for (double& time_s : small.compute_s) time_s = seed % 3 == 0 ? 0 : random.Uniform(0, 0.7);
    const double reward_j = random.LogUniform(0.01, 1);

    const auto value_j = [&](const Devices& devices) {
      std::vector<double> upload_s;
      for (const std::uint32_t i : devices) upload_s.push_back(1 - small.compute_s[i]);
      const auto least = planning::LeastEnergyBands(small.cell, devices, upload_s);
      return least ? reward_j * double(devices.size()) - least->energy_j : -1e300;
    };
    double best_j = 0;
    for (std::uint32_t set = 0; set < 256; ++set) {
      Devices devices;
      for (std::uint32_t i = 0; i < 8; ++i) {
        if ((set >> i & 1) != 0) devices.push_back(i);
      }
      best_j = std::max(best_j, value_j(devices));
    }
    const double found_j = value_j(small.Select(*WithReward(reward_j)).devices);
    EXPECT_LE(found_j, best_j);
    EXPECT_GT(found_j, best_j - reward_j) << seed;
    if (found_j > best_j - 1e-9) ++best_found;
  }
  EXPECT_GT(best_found, kCells * 3 / 4);
}

// Of all sets of eight devices that are as large as the plan expects, or as large as any that fits,
// none needs less energy than the selected one in nine cells of ten, and none does by a tenth of
// it.
TEST(EnergyRrm, IsNearlyTheBestSetOfItsSize) {
  int best_found = 0, smaller = 0;
  constexpr int kCells = 200;
  for (std::uint64_t seed = 1; seed <= kCells; ++seed) {
    RandomStream random(seed, base::Purpose{904}, 0, 0);
    std::vector<double> gains(8);
    for (double& gain : gains) gain = random.LogUniform(1e-3, 0.3);
    SmallCell small(gains);
    small.cell.noise_grows_with_band = seed % 2 == 0;
    small.cell.total_bandwidth_hz = random.Uniform(0.5, 4);
    for (double& time_s : small.compute_s) time_s = seed % 3 == 0 ? 0 : random.Uniform(0, 0.7);
    const int expected = int(1 + random.Below(8));
    std::ranges::fill(small.probability, double(expected) / 8);

    const auto energy_j = [&](const Devices& devices) {
      std::vector<double> upload_s;
      for (const std::uint32_t i : devices) upload_s.push_back(1 - small.compute_s[i]);
      const auto least = planning::LeastEnergyBands(small.cell, devices, upload_s);
      return least ? least->energy_j : 1e300;
    };
    std::vector<double> best_j(9, 1e300);  // by the number of devices
    for (std::uint32_t set = 1; set < 256; ++set) {
      Devices devices;
      for (std::uint32_t i = 0; i < 8; ++i) {
        if ((set >> i & 1) != 0) devices.push_back(i);
      }
      best_j[devices.size()] = std::min(best_j[devices.size()], energy_j(devices));
    }
    int count = expected;
    while (count > 0 && best_j[std::size_t(count)] == 1e300) --count;
    if (count < expected) ++smaller;
    const Devices devices = small.Select(*MakeStrategy("energy-rrm")).devices;
    ASSERT_EQ(devices.size(), std::size_t(count)) << seed;
    if (count == 0) continue;
    const double found_j = energy_j(devices), least_j = best_j[devices.size()];
    EXPECT_LE(found_j, least_j * 1.1) << seed;
    if (found_j <= least_j * (1 + 1e-9)) ++best_found;
  }
  EXPECT_GT(best_found, kCells * 9 / 10);
  EXPECT_GT(smaller, kCells / 20);
  EXPECT_LT(smaller, kCells * 3 / 4);
}

}  // namespace
}  // namespace airlot::selection
