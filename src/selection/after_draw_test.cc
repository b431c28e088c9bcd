#include "selection/after_draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "airlot/random.h"
#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

// Bands of 1 Hz in a cell of 4 Hz, updates of 1 bit. At 1 W, noise over gain of 1, 1/3 and 1/7 W
// carries 1, 2 and 3 bit/s in 1 Hz, where the noise is the same in every band.
class AfterDrawTest : public testing::Test {
 protected:
  AfterDrawTest() : cell_({1, 1.0 / 3, 1.0 / 7, 1}) {}

  Selection Share(AfterDraw rule, Selection selection) {
    const SelectionView view = cell_.View();
    ShareAfterDraw(rule, view, selection);
    const Status kept = CheckSelection(view, selection);
    EXPECT_TRUE(kept.ok()) << kept.error().message;
    return selection;
  }
  double UploadTime(const Selection& selection, std::size_t seat) {
    return CostOf(cell_.cell, selection.devices[seat], selection.terms[seat]).upload_s;
  }

  SmallCell cell_;
};

// Roundings of some ten operations on numbers up to 10.
constexpr double kRounding = 64 * 0x1p-53 * 10;

TEST_F(AfterDrawTest, TheStrategysOwn) {
  const Selection own = Share(AfterDraw::kStrategy, {.devices = {0, 2}});
  EXPECT_TRUE(own.terms.empty());
  EXPECT_TRUE(Share(AfterDraw::kTurns, {}).devices.empty());
}

TEST_F(AfterDrawTest, OwnBands) {
  EXPECT_TRUE(Share(AfterDraw::kOwn, {.devices = {0, 2}}).terms.empty());
  const Selection selection =
      Share(AfterDraw::kOwn,
            {.devices = {2, 0},
             .terms = {{.power_w = 0.25, .bandwidth_hz = 4}, {.power_w = 0.5, .bandwidth_hz = 4}},
             .takes_turns = true,
             .probability = {0.2, 0.7}});
  EXPECT_EQ(selection.devices, (Devices{0, 2}));
  EXPECT_FALSE(selection.takes_turns);
  EXPECT_EQ(selection.probability, (std::vector<double>{0.7, 0.2}));
  EXPECT_EQ(selection.terms[0].power_w, 0.5);
  EXPECT_EQ(selection.terms[0].bandwidth_hz, 1);
  EXPECT_EQ(selection.terms[1].power_w, 0.25);
}

// Planned powers stay; 2 Hz each halve the times of 1 and 1/3 s.
TEST_F(AfterDrawTest, EqualParts) {
  const Selection selection = Share(AfterDraw::kEqual, {.devices = {0, 2}});
  EXPECT_EQ(selection.terms[0].bandwidth_hz, 2);
  EXPECT_NEAR(UploadTime(selection, 0), 0.5, kRounding);
  EXPECT_NEAR(UploadTime(selection, 1), 1.0 / 6, kRounding);
}

// 1 bit/s/Hz and 3 bit/s/Hz end together in bands of 3 and 1 Hz, after 1/3 s.
TEST_F(AfterDrawTest, AllFinishTogether) {
  const Selection selection = Share(AfterDraw::kTogether, {.devices = {0, 2}});
  EXPECT_NEAR(selection.terms[0].bandwidth_hz, 3, 1e-9);
  EXPECT_NEAR(UploadTime(selection, 0), 1.0 / 3, 1e-9);
  EXPECT_NEAR(UploadTime(selection, 1), 1.0 / 3, 1e-9);
}

// The end counts computation on the terms of each, and the size of a cut update.
TEST_F(AfterDrawTest, AllFinishTogetherAfterComputing) {
  cell_.compute_s = {0.5, 0, 0.2, 0};
  const Selection selection =
      Share(AfterDraw::kTogether, {.devices = {0, 2, 3},
                                   .terms = {{.power_w = 1, .bandwidth_hz = 1},
                                             {.power_w = 0.5, .bandwidth_hz = 1, .cpu_share = 0.5},
                                             {.power_w = 1, .bandwidth_hz = 1, .update_bits = 3}}});
  double band_hz = 0;
  for (const Terms& terms : selection.terms) band_hz += terms.bandwidth_hz;
  EXPECT_NEAR(band_hz, 4, 1e-9);
  const double end_s = 0.5 + UploadTime(selection, 0);
  EXPECT_NEAR(0.4 + UploadTime(selection, 1), end_s, 1e-9);
  EXPECT_NEAR(UploadTime(selection, 2), end_s, 1e-9);
  EXPECT_EQ(selection.terms[1].power_w, 0.5);
}

// All have a second. Nobody who gives 1 % of its band to another saves energy by it.
TEST_F(AfterDrawTest, LeastEnergyByTheLimit) {
  const Selection selection = Share(AfterDraw::kLeastEnergy, {.devices = {0, 1, 2}});
  const auto energy_j = [&](double to_first_hz) {
    double sum_j = 0;
    for (std::size_t seat = 0; seat < 3; ++seat) {
      const double moved_hz = seat == 0 ? to_first_hz : seat == 1 ? -to_first_hz : 0;
      sum_j += SendPower(cell_.cell, selection.devices[seat],
                         selection.terms[seat].bandwidth_hz + moved_hz, 1, 1);
    }
    return sum_j;
  };
  double sum_j = 0, band_hz = 0;
  for (std::size_t seat = 0; seat < 3; ++seat) {
    EXPECT_NEAR(UploadTime(selection, seat), 1, 1e-9);
    sum_j += CostOf(cell_.cell, selection.devices[seat], selection.terms[seat]).energy_j;
    band_hz += selection.terms[seat].bandwidth_hz;
  }
  EXPECT_NEAR(band_hz, 4, 1e-9);
  EXPECT_NEAR(sum_j, energy_j(0), 1e-9);
  EXPECT_LT(energy_j(0), energy_j(0.01));
  EXPECT_LT(energy_j(0), energy_j(-0.01));
}

// A tenth of a second is too short for 4 bits in 4 Hz: all finish together at full power.
TEST_F(AfterDrawTest, LeastEnergyWhereTheLimitIsTooShort) {
  cell_.cell.problem.time_limit_s = 0.1;
  cell_.power_w.assign(4, 0.25);
  const Selection selection = Share(AfterDraw::kLeastEnergy, {.devices = {0, 2}});
  EXPECT_EQ(selection.terms[0].power_w, 1);
  EXPECT_NEAR(UploadTime(selection, 0), 1.0 / 3, 1e-9);
  EXPECT_NEAR(UploadTime(selection, 1), 1.0 / 3, 1e-9);
}

TEST_F(AfterDrawTest, TurnsInTheOrderOfComputation) {
  cell_.compute_s = {0.5, 0.1, 0.1, 0.4};
  const Selection selection =
      Share(AfterDraw::kTurns, {.devices = {0, 1, 2, 3}, .probability = {0.1, 0.2, 0.3, 0.4}});
  EXPECT_EQ(selection.devices, (Devices{1, 2, 3, 0}));
  EXPECT_EQ(selection.probability, (std::vector<double>{0.2, 0.3, 0.4, 0.1}));
  EXPECT_TRUE(selection.takes_turns);
  for (const Terms& terms : selection.terms) EXPECT_EQ(terms.bandwidth_hz, 4);
  // 1 bit at 2 bit/s/Hz in 4 Hz.
  EXPECT_NEAR(UploadTime(selection, 0), 1.0 / 8, kRounding);
}

// The end of the last turn, (67).
double EndOfTurns(const Cell& cell, const Selection& selection) {
  double end_s = 0;
  for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
    const auto cost = CostOf(cell, selection.devices[seat], selection.terms[seat]);
    end_s = std::max(end_s, cost.compute_s) + cost.upload_s;
  }
  return end_s;
}

// No other order ends sooner: all 24 of four devices are tried, with 200 draws of computations.
TEST_F(AfterDrawTest, NoOtherOrderOfTurnsIsShorter) {
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    RandomStream stream(1, RandomPurpose{903}, draw, 0);
    for (double& compute_s : cell_.compute_s) compute_s = stream.Uniform(0, 0.5);
    const Selection best = Share(AfterDraw::kTurns, {.devices = {0, 1, 2, 3}});
    Selection other = best;
    std::vector<std::size_t> order{0, 1, 2, 3};
    do {
      for (std::size_t seat = 0; seat < 4; ++seat) {
        other.devices[seat] = best.devices[order[seat]];
        other.terms[seat] = best.terms[order[seat]];
      }
      EXPECT_LE(EndOfTurns(cell_.cell, best), EndOfTurns(cell_.cell, other) + kRounding);
    } while (std::ranges::next_permutation(order).found);
  }
}

// With a fixed noise power and the same powers, turns are never slower than own bands, and cost a
// quarter in a band of four.
TEST_F(AfterDrawTest, TurnsNeverLoseToOwnBands) {
  for (const Devices& devices : {Devices{0}, Devices{0, 1}, Devices{0, 1, 2, 3}}) {
    const Selection turns = Share(AfterDraw::kTurns, {.devices = devices});
    double slowest_s = 0, own_j = 0, turns_j = 0;
    for (std::size_t seat = 0; seat < devices.size(); ++seat) {
      const auto own = CostOf(cell_.cell, devices[seat], {.power_w = 1, .bandwidth_hz = 1});
      slowest_s = std::max(slowest_s, own.upload_s);
      own_j += own.energy_j;
      turns_j += CostOf(cell_.cell, turns.devices[seat], turns.terms[seat]).energy_j;
    }
    EXPECT_LE(EndOfTurns(cell_.cell, turns), slowest_s + kRounding);
    EXPECT_NEAR(turns_j, own_j / 4, kRounding);
  }
}

}  // namespace
}  // namespace airlot::selection
