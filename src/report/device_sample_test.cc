#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "airlot/device_table.h"
#include "report/devices.h"

namespace airlot::report {
namespace {

// Makes devices as an earlier version kept them, with neither places nor limits.
DeviceTable TableOf(std::size_t devices) {
  DeviceTable table;
  for (std::size_t i = 0; i < devices; ++i) {
    table.id.push_back(std::to_string(i));
    table.samples.push_back(static_cast<std::uint32_t>(i + 1));
    table.probability.push_back(i % 2 == 0 ? 0.5 : 0);
    table.power_w.push_back(0.1);
    table.upload_s.push_back(2);
    table.energy_j.push_back(0.3);
    table.participations.push_back(0);
    table.energy_spent_j.push_back(0);
    table.first_empty_round.emplace_back();
  }
  return table;
}

TEST(DeviceSampleTest, DrawsEveryLimitAndNeverTooMany) {
  DeviceTable table = TableOf(200000);
  // Nearly all devices have one limit, or all limits occur equally often: each must be there.
  for (const bool is_even : {false, true}) {
    table.limit.emplace();
    for (std::size_t i = 0; i < table.devices(); ++i) {
      const bool is_rare = i % 20 == 0;
      table.limit->push_back(static_cast<Limit>(is_even   ? i % kLimitCount
                                                : is_rare ? i / 20 % kLimitCount
                                                          : 0));
    }
    const FleetView view = ViewOf(table);
    EXPECT_EQ(view.sample.devices, table.devices());
    EXPECT_LE(view.sample.drawn.size(), kMostDrawn);
    EXPECT_GE(view.sample.drawn.size(), kMostDrawn / (2 * kLimitCount) * kLimitCount);
    for (std::size_t k = 0; k < kLimitCount; ++k) {
      const auto count = std::ranges::count(view.sample.drawn, std::optional(static_cast<Limit>(k)),
                                            &Device::limit);
      EXPECT_GE(std::size_t(count), kMostDrawn / (2 * kLimitCount)) << k;
    }
  }
}

TEST(DeviceSampleTest, HasEveryDeviceInItsDistributions) {
  const FleetView view = ViewOf(TableOf(7001));
  EXPECT_EQ(view.probability.size(), 7001u);
  EXPECT_EQ(view.power_w.size(), 3501u);  // Only those that can take part have one.
  EXPECT_EQ(view.upload_s.size(), 3501u);
  EXPECT_LE(view.sample.drawn.size(), kMostDrawn);
  EXPECT_FALSE(view.sample.drawn.front().limit.has_value());
  EXPECT_FALSE(view.sample.drawn.front().budget_j.has_value());
  EXPECT_FALSE(HasMap(view));
}

TEST(DeviceSampleTest, PutsDevicesWithoutPlaceAtTheirDistance) {
  DeviceTable table = TableOf(2);
  table.distance_m = {30, 400};
  const FleetView view = ViewOf(table);
  EXPECT_TRUE(HasMap(view));
  EXPECT_FALSE(view.sample.direction_is_known);
  for (const Device& device : view.sample.drawn) {
    ASSERT_TRUE(device.place && device.distance_m);
    EXPECT_NEAR(std::hypot(device.place->x_m, device.place->y_m), *device.distance_m,
                16 * 0x1p-53 * *device.distance_m);
  }
}

TEST(LabelsTest, HaveTheLargestDevicesFirst) {
  DeviceTable table = TableOf(700);
  EXPECT_FALSE(LabelsOf(table).has_value());
  table.label_counts.emplace();
  for (const std::uint32_t samples : table.samples) table.label_counts->push_back({samples, 0});
  const auto labels = LabelsOf(table);
  ASSERT_TRUE(labels.has_value());
  EXPECT_EQ(labels->classes, 2u);
  EXPECT_EQ(labels->devices, 700u);
  EXPECT_LE(labels->drawn.size(), 300u);
  EXPECT_EQ(labels->drawn.front().id, "699");
  EXPECT_EQ(labels->drawn.front().counts, (std::vector<std::uint32_t>{700, 0}));
}

}  // namespace
}  // namespace airlot::report
