// These tests check what all strategies that share the band have in common, whatever the cell.
#include "selection/once_per_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

bool IsSame(const Selection& a, const Selection& b) {
  return a.devices == b.devices && a.takes_turns == b.takes_turns &&
         std::ranges::equal(a.terms, b.terms, [](const Terms& s, const Terms& t) {
           return s.power_w == t.power_w && s.bandwidth_hz == t.bandwidth_hz &&
                  s.cpu_share == t.cpu_share && s.update_bits == t.update_bits;
         });
}

class BandSharing : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<double> Gains(std::size_t count) {
    RandomStream random(3, base::Purpose{901}, 0, count);
    std::vector<double> gains(count);
    for (double& gain : gains) gain = random.LogUniform(1e-6, 0.5);
    return gains;
  }

  // With this reward energy-rrm takes somebody in cells of 1 J.
  static StrategyOptions Generous() { return With("energy-rrm", "reward_j", 10); }

  // Whoever is selected can take part, once, on terms that a device and the cell can meet.
  static void ExpectSound(const SmallCell& small, const Selection& selection) {
    const Cell& cell = small.cell;
    ASSERT_EQ(selection.terms.size(), selection.devices.size());
    std::vector<std::uint32_t> sorted = selection.devices;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
    if (!selection.takes_turns) {
      EXPECT_EQ(selection.devices, sorted);
    }
    double sum_hz = 0, ready_s = 0;
    for (std::size_t j = 0; j < selection.devices.size(); ++j) {
      const std::uint32_t i = selection.devices[j];
      const Terms& terms = selection.terms[j];
      ASSERT_GT(small.probability[i], 0);
      ASSERT_GT(terms.power_w, 0);
      ASSERT_LE(terms.power_w, cell.problem.max_power_w[i]);
      ASSERT_GT(terms.bandwidth_hz, 0);
      ASSERT_LE(terms.bandwidth_hz, cell.total_bandwidth_hz * (1 + 1e-9));
      ASSERT_GT(terms.cpu_share, 0);
      ASSERT_LE(terms.cpu_share, 1);
      ASSERT_FALSE(terms.update_bits.has_value());
      const ParticipationCost cost = CostOf(cell, i, terms);
      ASSERT_TRUE(std::isfinite(cost.upload_s) && std::isfinite(cost.energy_j));
      sum_hz += terms.bandwidth_hz;
      if (selection.takes_turns) {
        ASSERT_GE(cost.compute_s, ready_s * (1 - 1e-11));
        ready_s = cost.compute_s;
      }
    }
    if (!selection.takes_turns && !selection.devices.empty()) {
      EXPECT_NEAR(sum_hz, cell.total_bandwidth_hz, 1e-9 * cell.total_bandwidth_hz);
    }
  }
};

TEST_P(BandSharing, IsSoundInAnyCell) {
  for (const std::size_t count : {1, 2, 10, 1000}) {
    for (int variant = 0; variant < 16; ++variant) {
      SmallCell small(Gains(count));
      small.cell.noise_grows_with_band = (variant & 1) != 0;
      if ((variant & 2) != 0) {
        for (std::size_t i = 0; i < count; ++i) small.compute_s[i] = 0.01 * double(1 + i * 7 % 40);
      }
      if ((variant & 4) != 0) {
        for (std::size_t i = 0; i < count; ++i) small.compute_j[i] = 0.01 * double(i % 5);
      }
      if ((variant & 8) != 0) {
        small.cell.problem.spectral_efficiency_cap = 3;
        small.cell.problem.compute_rule = ComputeRule::kAlways;
      }
      for (std::size_t i = 0; i < count; i += 3) small.probability[i] = count == 1 ? 1 : 0;
      const auto strategy = MakeStrategy(GetParam(), Generous());
      const Selection selection = small.Select(*strategy);
      EXPECT_FALSE(selection.devices.empty()) << count << ' ' << variant;
      ExpectSound(small, selection);
      // Another round is no reason to select others, nor is a strategy made later.
      const auto later = MakeStrategy(GetParam(), Generous());
      EXPECT_TRUE(IsSame(small.Select(*strategy, 7, 9), selection));
      EXPECT_TRUE(IsSame(small.Select(*later, 7, 9), selection));
      EXPECT_TRUE(small.memory.empty());
    }
  }
}

TEST_P(BandSharing, NobodyAble) {
  SmallCell small({0.1, 0.2});
  small.probability = {0, 0};
  const auto strategy = MakeStrategy(GetParam());
  EXPECT_TRUE(small.Select(*strategy).devices.empty());
}

TEST_P(BandSharing, SelectsAnewForAnotherPlan) {
  SmallCell small({0.1, 0.1, 0.1, 0.1});
  small.probability = {0, 1, 1, 0};
  const auto strategy = MakeStrategy(GetParam(), Generous());
  const Selection before = small.Select(*strategy);
  ASSERT_FALSE(before.devices.empty());
  EXPECT_EQ(before.devices[0], 1U);
  small.probability = {0, 0, 0, 1};
  EXPECT_TRUE(IsSame(small.Select(*strategy), before));
  SelectionView view = small.View();
  view.plan_version = 1;
  Selection after;
  strategy->Select(view, after);
  EXPECT_EQ(after.devices, std::vector<std::uint32_t>{3});
}

// Where devices are equal, the first are taken, on equal terms.
TEST_P(BandSharing, TiesAreWonByTheFirst) {
  for (const bool is_density : {false, true}) {
    SmallCell small(std::vector<double>(40, 0.01));
    small.cell.noise_grows_with_band = is_density;
    small.cell.total_bandwidth_hz = 10;
    std::ranges::fill(small.compute_s, 0.1);
    std::ranges::fill(small.compute_j, 0.1);
    const auto strategy = MakeStrategy(GetParam(), Generous());
    const Selection selection = small.Select(*strategy);
    ASSERT_GT(selection.devices.size(), 1U);
    ExpectSound(small, selection);
    for (std::size_t j = 0; j < selection.devices.size(); ++j) {
      EXPECT_EQ(selection.devices[j], j);
      EXPECT_NEAR(selection.terms[j].power_w, selection.terms[0].power_w, 1e-12);
    }
  }
}

TEST_P(BandSharing, LargeFleet) {
  for (const bool is_density : {false, true}) {
    SmallCell small(Gains(100'000));
    small.cell.noise_grows_with_band = is_density;
    for (std::size_t i = 0; i < small.compute_s.size(); ++i) {
      small.compute_s[i] = 0.01 * double(1 + i * 7 % 40);
      small.compute_j[i] = 1e-3;
    }
    const auto strategy = MakeStrategy(GetParam());
    ExpectSound(small, small.Select(*strategy));
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, BandSharing,
                         testing::Values("joint-greedy", "energy-rrm", "energy-efficient",
                                         "delay-energy"),
                         [](const auto& strategy) {
                           std::string name = strategy.param;
                           std::erase(name, '-');
                           return name;
                         });

// Those that minimise the time of a round count computation where it is booked, and those that keep
// a limit count it where the limit bounds it.
TEST(Computation, CountsWhereItIsBookedOrBounded) {
  for (const std::string_view name :
       {"joint-greedy", "delay-energy", "energy-efficient", "energy-rrm", "update-aware-bc"}) {
    const auto select = [&](bool is_booked, bool is_bounded) {
      SmallCell small({0.1, 0.05, 0.2, 0.04, 0.3, 0.01});
      small.compute_s = {0.1, 0.3, 0.2, 0.4, 0.1, 0.2};
      std::ranges::fill(small.compute_j, 1);
      if (!is_booked) small.cell.compute_time_s = 0.0;
      if (!is_bounded) small.cell.problem.compute_time_s = 0.0;
      return small.Select(*MakeStrategy(name));
    };
    const bool keeps_limit = name == "energy-rrm" || name == "update-aware-bc";
    const Selection without = select(false, false);
    EXPECT_FALSE(without.devices.empty()) << name;
    EXPECT_EQ(IsSame(without, select(true, false)), keeps_limit) << name;
    EXPECT_EQ(IsSame(without, select(false, true)), !keeps_limit) << name;
  }
}

}  // namespace
}  // namespace airlot::selection
