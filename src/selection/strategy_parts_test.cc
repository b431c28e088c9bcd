#include "airlot/strategy_parts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

// Two of three devices share 3 Hz, 1.5 Hz each, at 1 W. A bit takes 1/(1.5·log2(1 + 1/g)) s, which
// is 2/3 s where g = 1, and 2/(3·log2(5/3)) s where the noise grows with the band, so that g = 1.5.
TEST(ShareBandEqually, DividesTheBandOfTheCell) {
  SmallCell cell({1, 1, 1});
  Selection selection{.devices = {0, 2}};
  ShareBandEqually(cell.View(), selection);
  ASSERT_EQ(selection.terms.size(), 2U);
  for (const Terms& terms : selection.terms) {
    EXPECT_EQ(terms.power_w, 1);
    EXPECT_EQ(terms.bandwidth_hz, 1.5);
  }
  EXPECT_NEAR(CostOf(cell.cell, 2, selection.terms[1]).upload_s, 2.0 / 3, 1e-12);
  cell.cell.noise_grows_with_band = true;
  EXPECT_NEAR(CostOf(cell.cell, 2, selection.terms[1]).upload_s, 2 / (3 * std::log2(5.0 / 3)),
              1e-12);
}

TEST(ShareBandEqually, TakesNobodyForAnAnswer) {
  SmallCell cell({1});
  Selection selection;
  ShareBandEqually(cell.View(), selection);
  EXPECT_TRUE(selection.terms.empty());
}

// For the strategies that use ShareBandEqually, times and energies are numbers in cells of all
// kinds.
TEST(ShareBandEqually, GivesTermsThatCanBeKept) {
  for (const std::string_view name :
       {"power-of-choice", "power-of-choice-cpow", "power-of-choice-rpow", "oort", "tifl"}) {
    for (const std::size_t devices : {1U, 2U, 10U, 1000U}) {
      for (const int kind : {0, 1, 2, 3}) {
        SmallCell cell(std::vector<double>(devices, 1e-3));
        cell.cell.noise_grows_with_band = (kind & 1) != 0;
        cell.answers.losses.assign(devices, 0);
        cell.answers.accuracies.assign(devices, 0);
        if ((kind & 2) != 0) {
          cell.compute_s.assign(devices, 3);
          cell.compute_j.assign(devices, 4);
        }
        const auto strategy = MakeStrategy(name);
        for (const std::uint64_t round : {1U, 2U, 21U, 40U}) {
          const Selection selection = cell.Select(*strategy, round);
          ASSERT_FALSE(selection.devices.empty());
          ASSERT_EQ(selection.terms.size(), selection.devices.size());
          double band_hz = 0;
          std::vector<double> loss, time_s;
          for (std::size_t i = 0; i < selection.devices.size(); ++i) {
            band_hz += selection.terms[i].bandwidth_hz;
            const ParticipationCost cost =
                CostOf(cell.cell, selection.devices[i], selection.terms[i]);
            ASSERT_TRUE(cost.upload_s > 0 && std::isfinite(cost.upload_s));
            ASSERT_TRUE(cost.energy_j > 0 && std::isfinite(cost.energy_j));
            loss.push_back(0);
            time_s.push_back(cost.upload_s + cost.compute_s);
          }
          ASSERT_NEAR(band_hz, cell.cell.total_bandwidth_hz, 1e-9 * band_hz);
          strategy->Learn({round, selection.devices, loss, loss, time_s}, cell.memory);
          for (const double number : cell.memory) ASSERT_TRUE(std::isfinite(number));
        }
      }
    }
  }
}

}  // namespace
}  // namespace airlot::selection
