#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;
constexpr std::string_view kBcBn2 = "update-aware", kBc = "update-aware-bc",
                           kBn2 = "update-aware-bn2", kBn2C = "update-aware-bn2-c";

// There are devices of C = 1, 2, 3 and 4 bit/s/Hz, 120 Hz, rounds of 1 s and updates of 1000 bits;
// with K = 2, there are 120 channel uses for two.
class FourDevices : public SmallCell {
 public:
  FourDevices() : SmallCell({1, 1.0 / 3, 1.0 / 7, 1.0 / 15}) {
    cell.total_bandwidth_hz = 120;
    cell.update_bits = 1000.0;
    probe.norms = {6, 1, 3, 4};
  }
  Selection SelectTwo(std::string_view name) {
    StrategyOptions options = With(name, "devices", 2);
    if (name == kBcBn2) options.At(name, "channel_devices") = 3;
    return SelectWith(name, options);
  }
  Selection SelectWith(std::string_view name, const StrategyOptions& options) {
    SelectionView view = View();
    view.probe = &probe;
    Selection selection;
    MakeStrategy(name, options)->Select(view, selection);
    return selection;
  }
  GivenAnswers probe;
};

void ExpectTerms(const FourDevices& cell, const Selection& selection, std::size_t i,
                 double bandwidth_hz, double bits) {
  EXPECT_NEAR(selection.terms.at(i).bandwidth_hz, bandwidth_hz, 1e-9);
  EXPECT_NEAR(selection.terms.at(i).update_bits.value(), bits, 1e-9);
  EXPECT_EQ(selection.terms.at(i).power_w, 1);
  EXPECT_NEAR(CostOf(cell.cell, selection.devices.at(i), selection.terms.at(i)).upload_s, 1, 1e-12);
}

// The best channels are 2 and 3; their shares are as 1/3 : 1/4 = 4 : 3, which carry 120·4/7·3 bits
// each.
TEST(UpdateAware, BestChannels) {
  FourDevices cell;
  const Selection selection = cell.SelectTwo(kBc);
  ASSERT_EQ(selection.devices, (Devices{2, 3}));
  ExpectTerms(cell, selection, 0, 120 * 4.0 / 7, 1440.0 / 7);
  ExpectTerms(cell, selection, 1, 120 * 3.0 / 7, 1440.0 / 7);
  EXPECT_FALSE(selection.takes_turns);
  EXPECT_EQ(cell.probe.norms_asked, 0U);
}

// The largest norms are 6 and 4, of devices 0 and 3; their shares are as 6/1 : 4/4 = 6 : 1, their
// bits as 6 : 4.
TEST(UpdateAware, LargestNorms) {
  FourDevices cell;
  const Selection selection = cell.SelectTwo(kBn2);
  ASSERT_EQ(selection.devices, (Devices{0, 3}));
  ExpectTerms(cell, selection, 0, 720.0 / 7, 720.0 / 7);
  ExpectTerms(cell, selection, 1, 120.0 / 7, 480.0 / 7);
  EXPECT_EQ(cell.probe.norms_asked, 4U);
  EXPECT_TRUE(cell.probe.norm_bits.empty());
}

// Of the three best channels, 1, 2 and 3, the largest norms are 3 and 4, with shares as 3/3 : 4/4.
// Nobody else is asked.
TEST(UpdateAware, LargestNormsOfTheBestChannels) {
  FourDevices cell;
  const Selection selection = cell.SelectTwo(kBcBn2);
  ASSERT_EQ(selection.devices, (Devices{2, 3}));
  ExpectTerms(cell, selection, 0, 60, 180);
  ExpectTerms(cell, selection, 1, 60, 240);
  EXPECT_EQ(cell.probe.norms_asked, 3U);
}

// In half of the band the devices could send 60, 120, 180 and 240 bits; updates of 180 bits and
// less are then not cut, so their norms are those of the whole. The band is shared as by BN2.
TEST(UpdateAware, LargestNormsOfWhatIsSent) {
  FourDevices cell;
  const Selection selection = cell.SelectTwo(kBn2C);
  ASSERT_EQ(selection.devices, (Devices{0, 3}));
  ExpectTerms(cell, selection, 0, 720.0 / 7, 720.0 / 7);
  const std::vector<double> bits{60, 120, 180, 240};
  ASSERT_EQ(cell.probe.norm_bits.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(cell.probe.norm_bits[i], bits[i], 1e-9);
  cell.cell.update_bits = 150.0;
  cell.SelectTwo(kBn2C);
  ASSERT_EQ(cell.probe.norm_bits.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(cell.probe.norm_bits[i], bits[i], 1e-9);
  for (std::size_t i = 2; i < 4; ++i) EXPECT_TRUE(std::isinf(cell.probe.norm_bits[i]));
}

// The cell is that of `BestChannels`, but device 3 computes for 0.75 of the second, so that it
// sends for a quarter of it: shares are as 1/3 : 1/(4/4) = 1 : 3, 30 and 90 Hz, which carry 90 bits
// each. Where all compute all the time, nobody sends.
TEST(UpdateAware, SendsInTheTimeThatComputationLeaves) {
  FourDevices cell;
  cell.compute_s[3] = 0.75;
  Selection selection = cell.SelectTwo(kBc);
  ASSERT_EQ(selection.devices, (Devices{2, 3}));
  ExpectTerms(cell, selection, 0, 30, 90);
  EXPECT_NEAR(selection.terms[1].bandwidth_hz, 90, 1e-9);
  EXPECT_NEAR(selection.terms[1].update_bits.value(), 90, 1e-9);
  const ParticipationCost cost = CostOf(cell.cell, 3, selection.terms[1]);
  EXPECT_NEAR(cost.compute_s + cost.upload_s, 1, 1e-12);
  cell.compute_s[3] = 1;
  EXPECT_EQ(cell.SelectTwo(kBc).devices, (Devices{1, 2}));
  cell.compute_s = {1, 1, 2, 1};
  EXPECT_TRUE(cell.SelectTwo(kBc).devices.empty());
  // Who tells a norm has computed before, so that the round is for sending.
  selection = cell.SelectTwo(kBn2);
  ASSERT_EQ(selection.devices, (Devices{0, 3}));
  EXPECT_NEAR(selection.terms[0].update_bits.value(), 720.0 / 7, 1e-9);
}

// The shares of `BestChannels` carry 205.7 bits each, enough for a number of 205 bits, not of 206,
// unless the whole update is shorter.
TEST(UpdateAware, WhoseShareCarriesNoNumberDoesNotTakePart) {
  FourDevices cell;
  cell.cell.least_update_bits = 205;
  EXPECT_EQ(cell.SelectTwo(kBc).devices, (Devices{2, 3}));
  cell.cell.least_update_bits = 206;
  EXPECT_TRUE(cell.SelectTwo(kBc).devices.empty());
  cell.cell.update_bits = 205.0;
  EXPECT_EQ(cell.SelectTwo(kBc).devices, (Devices{2, 3}));
}

// The cell is that of `BestChannels`, but an update has only 200 bits, less than the 205.7 that a
// share carries, so that it is sent as it is, in 200/205.7 s.
TEST(UpdateAware, SendsAWholeUpdateUncut) {
  FourDevices cell;
  cell.cell.update_bits = 200.0;
  const Selection selection = cell.SelectTwo(kBc);
  ASSERT_EQ(selection.devices, (Devices{2, 3}));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(selection.terms[i].update_bits.has_value());
    EXPECT_NEAR(CostOf(cell.cell, selection.devices[i], selection.terms[i]).upload_s, 1400.0 / 1440,
                1e-12);
  }
}

// A device whose norm is 0 has nothing to send; if all norms are so, devices share as the best
// channels do. Where one norm is infinite, its device has all.
TEST(UpdateAware, NormsOfZeroAndInfinity) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  FourDevices cell;
  for (const std::string_view name : {kBn2, kBn2C, kBcBn2}) {
    cell.probe.norms = {0, 0, 0, 7};
    EXPECT_EQ(cell.SelectTwo(name).devices, (Devices{3}));
    cell.probe.norms = {1, 1, kInfinity, 7};
    const Selection one = cell.SelectTwo(name);
    EXPECT_EQ(one.devices, (Devices{2}));
    EXPECT_EQ(one.terms.at(0).bandwidth_hz, 120);
    cell.probe.norms = {0, 0, 0, 0};
    const Selection two = cell.SelectTwo(name);
    EXPECT_EQ(two.devices.size(), 2U);
    EXPECT_NEAR(two.terms.at(0).update_bits.value(), two.terms.at(1).update_bits.value(), 1e-9);
  }
}

// Devices 0 and 3 of the largest norms do not answer, so that 1 and 2 share the band as 1/2 : 3/3.
// If all norms of those who answer are 0, they share it as the best channels do, and where nobody
// answers, nobody takes part.
TEST(UpdateAware, TakesThoseWhoAnswer) {
  for (const std::string_view name : {kBn2, kBn2C, kBcBn2}) {
    FourDevices cell;
    cell.probe.silent = {0, 3};
    const Selection selection = cell.SelectTwo(name);
    ASSERT_EQ(selection.devices, (Devices{1, 2}));
    ExpectTerms(cell, selection, 0, 40, 80);
    ExpectTerms(cell, selection, 1, 80, 240);
    cell.probe.norms = {6, 0, 0, 4};
    EXPECT_EQ(cell.SelectTwo(name).devices, (Devices{1, 2}));
    cell.probe.silent = {0, 2, 3};
    EXPECT_EQ(cell.SelectTwo(name).devices, Devices{1});
    cell.probe.silent = {0, 1, 2, 3};
    EXPECT_EQ(cell.SelectTwo(name).devices, Devices{});
    ExpectSoundWithoutAnswers(name);
    ExpectSoundWithoutAnswers(name, With(name, "devices", 1e9));
  }
}

TEST(UpdateAware, WhoseShareCarriesNoBitDoesNotTakePart) {
  FourDevices cell;
  cell.probe.norms = {1e-9, 0, 0, 1};
  EXPECT_EQ(cell.SelectTwo(kBn2).devices, (Devices{3}));
  cell.cell.problem.time_limit_s = 1e-3;  // 120/1000 channel uses are 0.2 bits for each
  EXPECT_TRUE(cell.SelectTwo(kBc).devices.empty());
}

// C is taken at 60 Hz; the shares that follow differ, and with them the noise, so devices send what
// they then can in the time. The limit of a device that cannot take part does not count.
TEST(UpdateAware, NoiseThatGrowsWithTheBand) {
  FourDevices cell;
  cell.cell.noise_grows_with_band = true;
  cell.cell.bandwidth_hz = 60.0;
  const std::vector<double> limit_s{0.1, 2, 1, 1};
  cell.cell.problem.time_limit_s = limit_s;
  cell.probability[0] = 0;
  const Selection selection = cell.SelectTwo(kBc);
  ASSERT_EQ(selection.devices, (Devices{2, 3}));
  const double wide_hz = 480.0 / 7, narrow_hz = 360.0 / 7;
  ExpectTerms(cell, selection, 0, wide_hz, wide_hz * std::log2(1 + 7 * 60 / wide_hz));
  ExpectTerms(cell, selection, 1, narrow_hz, narrow_hz * std::log2(1 + 15 * 60 / narrow_hz));
}

// Two of four devices take part, so each has twice its mean power, up to the peak of 1 W. At 1/5 W
// devices 2 and 3 of `BestChannels` have 1 + 7/5 and 1 + 3 as 1 + SNR where their mean is 1/10 W.
TEST(UpdateAware, SendsWithMoreThanItsMeanPower) {
  for (const std::string_view name : {kBc, kBn2, kBn2C, kBcBn2}) {
    FourDevices cell;
    StrategyOptions options = With(name, "devices", 2);
    options.At(name, "mean_power_share") = 0.1;
    for (const Terms& terms : cell.SelectWith(name, options).terms) {
      EXPECT_DOUBLE_EQ(terms.power_w, 0.2);
    }
    options.At(name, "mean_power_share") = 0.6;
    for (const Terms& terms : cell.SelectWith(name, options).terms) EXPECT_EQ(terms.power_w, 1);
  }
  FourDevices cell;
  StrategyOptions options = With(kBc, "devices", 2);
  options.At(kBc, "mean_power_share") = 0.1;
  const Selection selection = cell.SelectWith(kBc, options);
  ASSERT_EQ(selection.devices, (Devices{2, 3}));
  const double first = std::log2(1 + 7 / 5.0), second = 2;  // bits for each second and Hz
  const double bits = 120 / (1 / first + 1 / second);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(selection.terms[i].bandwidth_hz, bits / (i == 0 ? first : second), 1e-9);
    EXPECT_NEAR(selection.terms[i].update_bits.value(), bits, 1e-9);
    EXPECT_NEAR(CostOf(cell.cell, selection.devices[i], selection.terms[i]).upload_s, 1, 1e-12);
  }
}

TEST(UpdateAware, ChannelsOfNoFewerThanItTakes) {
  FourDevices cell;
  StrategyOptions options = With(kBcBn2, "devices", 2);
  options.At(kBcBn2, "channel_devices") = 1;
  EXPECT_EQ(cell.SelectWith(kBcBn2, options).devices, (Devices{2, 3}));
}

TEST(UpdateAware, TakesTenOfTwentyUnlessTold) {
  SmallCell cell(std::vector<double>(50, 1.0));
  cell.cell.update_bits = 1000.0;
  cell.answers.norms.assign(50, 1.0);
  for (const std::string_view name : {kBcBn2, kBc, kBn2, kBn2C}) {
    EXPECT_EQ(cell.Select(*MakeStrategy(name)).devices, (Devices{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
  EXPECT_EQ(cell.answers.norms_asked, 20U + 0 + 50 + 50);
}

TEST(UpdateAware, IsSound) {
  for (const std::string_view name : {kBcBn2, kBc, kBn2, kBn2C}) {
    ExpectSoundEverywhere(name);
    ExpectSoundEverywhere(name, With(name, "devices", 1e9));
  }
}

}  // namespace
}  // namespace airlot::selection
