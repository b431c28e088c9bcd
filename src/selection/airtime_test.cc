#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "airlot/airtime_round.h"
#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

// Everybody can pay for taking part in every round, and time is long: all are drawn.
class RichCell : public SmallCell {
 public:
  explicit RichCell(std::vector<double> noise_to_gain_w) : SmallCell(std::move(noise_to_gain_w)) {
    cell.problem.energy_budget_j = 100.0;
    cell.problem.time_limit_s = 100.0;
    cell.problem.compute_time_s = 0.0;  // Only the books count computation.
  }
};

TEST(Airtime, TakesTurnsInTheOrderOfComputation) {
  RichCell cell({1, 1.0 / 3, 1.0 / 7});
  cell.compute_s = {0.3, 0.1, 0.2};
  const Selection selection = cell.Select(*MakeStrategy("airtime"));
  EXPECT_EQ(selection.devices, (Devices{1, 2, 0}));
  EXPECT_TRUE(selection.takes_turns);
  for (std::size_t seat = 0; seat < 3; ++seat) {
    EXPECT_EQ(selection.terms[seat].bandwidth_hz, cell.cell.total_bandwidth_hz);
    EXPECT_NEAR(selection.probability[seat], 1, 1e-12);
  }
}

// Who cannot pay is not drawn, and the others are as they were.
TEST(Airtime, LeavesOutWhoCannotPay) {
  RichCell cell({1, 1.0 / 3, 1.0 / 7});
  const std::vector<double> left_j{100, 1e-9, 100};
  SelectionView view = cell.View();
  view.energy_left_j = left_j;
  Selection selection;
  MakeStrategy("airtime")->Select(view, selection);
  EXPECT_EQ(selection.devices, (Devices{0, 2}));
}

TEST(Airtime, KeepsBudgets) { EXPECT_TRUE(MakeStrategy("airtime")->KeepsBudgets()); }

// Draws are independent, each with the probability of the plan, which it states. The mean of the
// round's time is the limit. Both are within 4.5 standard errors over 20 000 rounds.
TEST(Airtime, DrawsByThePlan) {
  SmallCell cell({1, 1.0 / 3, 1.0 / 7, 1.0 / 15});
  cell.cell.problem.time_limit_s = 0.2;
  cell.cell.problem.compute_time_s = 0.0;
  cell.cell.problem.energy_budget_j = 100.0;
  std::fill(cell.probability.begin(), cell.probability.end(), 0.01);
  AirtimeRound round({});
  round.Plan(cell.cell, cell.data_share, cell.probability);
  const auto strategy = MakeStrategy("airtime");
  constexpr std::uint64_t kRounds = 20000;
  std::vector<double> count(4);
  double time_s = 0, square = 0;
  for (std::uint64_t k = 1; k <= kRounds; ++k) {
    const Selection selection = cell.Select(*strategy, k);
    double round_s = 0;
    for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
      const std::uint32_t i = selection.devices[seat];
      ++count[i];
      EXPECT_EQ(selection.probability[seat], round.plan().plan.probability[i]);
      round_s += CostOf(cell.cell, i, selection.terms[seat]).upload_s;
    }
    time_s += round_s;
    square += round_s * round_s;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const double a = round.plan().plan.probability[i];
    EXPECT_NEAR(count[i] / kRounds, a, 4.5 * std::sqrt(a * (1 - a) / kRounds)) << i;
  }
  const double mean_s = time_s / kRounds;
  EXPECT_NEAR(mean_s, 0.2, 4.5 * std::sqrt((square / kRounds - mean_s * mean_s) / kRounds));
}

// Where an empty round is drawn again, the probabilities are those given that somebody comes. (51)
TEST(Airtime, KnowsThatEmptyRoundsAreDrawnAgain) {
  SmallCell cell({1, 1});
  cell.cell.problem.time_limit_s = 0.1;
  cell.cell.problem.compute_time_s = 0.0;
  cell.cell.problem.energy_budget_j = 100.0;
  std::fill(cell.probability.begin(), cell.probability.end(), 0.01);
  const auto strategy = MakeStrategy("airtime");
  AirtimeRound round({});
  round.Plan(cell.cell, cell.data_share, cell.probability);
  const double a = round.plan().plan.probability[0];
  ASSERT_LT(a, 0.5);
  for (std::uint64_t k = 1; k <= 200; ++k) {
    SelectionView view = cell.View(k);
    view.redraws_empty = true;
    Selection selection;
    strategy->Select(view, selection);
    for (const double probability : selection.probability) {
      EXPECT_NEAR(probability, a / (1 - (1 - a) * (1 - a)), 1e-12);
    }
  }
}

// Where the limit counts computation, rounds are left empty until their mean is within it. (A20)
TEST(Airtime, KeepsTheMeanRoundWithinTheLimit) {
  SmallCell cell({1, 1.0 / 3, 1.0 / 7, 1.0 / 15});
  cell.compute_s = {1, 2, 0.5, 3};
  cell.cell.problem.time_limit_s = 0.3;
  cell.cell.problem.energy_budget_j = 100.0;
  const auto strategy = MakeStrategy("airtime");
  double time_s = 0, longest_s = 0;
  std::size_t taken = 0;
  for (std::uint64_t k = 1; k <= 500; ++k) {
    const Selection selection = cell.Select(*strategy, k);
    double round_s = 0;
    for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
      const ParticipationCost cost =
          CostOf(cell.cell, selection.devices[seat], selection.terms[seat]);
      round_s = std::max(round_s, cost.compute_s) + cost.upload_s;
    }
    taken += selection.devices.size();
    time_s += round_s;
    longest_s = std::max(longest_s, round_s);
    EXPECT_LE(time_s, double(k - 1) * 0.3 + longest_s + 1e-9) << k;
  }
  EXPECT_GT(taken, 50U);
  EXPECT_GT(time_s, 0.8 * 500 * 0.3);
}

// In bands, too, and where the sum of times is stretched. (A20)
TEST(Airtime, KeepsTheMeanRoundWithinTheLimitInBands) {
  SmallCell cell(std::vector<double>(12, 100.0));
  for (std::size_t i = 0; i < 12; ++i) cell.compute_s[i] = 3 + double(i);
  cell.cell.noise_grows_with_band = true;
  cell.cell.problem.time_limit_s = 200.0;
  cell.cell.problem.energy_budget_j = 1e6;
  const auto strategy = MakeStrategy("airtime");
  double time_s = 0, longest_s = 0;
  bool in_bands = false;
  for (std::uint64_t k = 1; k <= 300; ++k) {
    const Selection selection = cell.Select(*strategy, k);
    double round_s = 0;
    for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
      const ParticipationCost cost =
          CostOf(cell.cell, selection.devices[seat], selection.terms[seat]);
      round_s = selection.takes_turns ? std::max(round_s, cost.compute_s) + cost.upload_s
                                      : std::max(round_s, cost.compute_s + cost.upload_s);
    }
    in_bands |= !selection.devices.empty() && !selection.takes_turns;
    time_s += round_s;
    longest_s = std::max(longest_s, round_s);
    EXPECT_LE(time_s, double(k - 1) * 200 + longest_s + 1e-6) << k;
  }
  EXPECT_TRUE(in_bands);
}

// With a density and weak channels, all who are drawn send at once and end together.
TEST(Airtime, SendsTogetherWhereThatIsBetter) {
  RichCell cell(std::vector<double>(6, 100.0));
  cell.cell.noise_grows_with_band = true;
  const auto strategy = MakeStrategy("airtime", With("airtime", "participants", 5.999));
  const Selection selection = cell.Select(*strategy);
  ASSERT_GE(selection.devices.size(), 2U);
  EXPECT_FALSE(selection.takes_turns);
  const double first_s = CostOf(cell.cell, selection.devices[0], selection.terms[0]).upload_s;
  for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
    const double upload_s =
        CostOf(cell.cell, selection.devices[seat], selection.terms[seat]).upload_s;
    EXPECT_NEAR(upload_s, first_s, 1e-9 * first_s);
  }
}

}  // namespace
}  // namespace airlot::selection
