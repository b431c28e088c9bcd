// These tests work out the books of a round by hand.
#include "simulation/ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

namespace airlot::simulation {
namespace {

using Devices = std::vector<std::uint32_t>;

// The books are sums of a few dozen numbers up to 200, each computed by some ten operations in
// double: 256 roundings at the most.
constexpr double kRounding = 256 * 0x1p-53 * 200;

// There are three devices with g = 1 W in bands of 1 Hz: at 1 W one bit takes 1 s, at 3 W half a
// second.
class LedgerTest : public testing::Test {
 protected:
  LedgerTest() {
    setting_.fleet.devices = 3;
    setting_.fleet.noise_to_gain_w = 1.0;
    setting_.fleet.nat_time_s = 2 * std::numbers::ln2;
    setting_.fleet.max_power_w = 3.0;
    setting_.fleet.energy_budget_j = 100.0;
    setting_.fleet.time_limit_s = 10.0;
    setting_.fleet.compute_energy_j = ColumnValues{9, 18, 27};
    setting_.fleet.compute_time_s = ColumnValues{6, 3, 12};
    setting_.fleet.bandwidth_hz = 1.0;
    setting_.fleet.total_bandwidth_hz = 3;
    setting_.fleet.update_bits = 2.0;
    setting_.model_bits = 96;
    setting_.scenario.books.compute_time = true;
    setting_.scenario.radio.server_power_w = 3;
    setting_.plan.probability = {0.5, 0.5, 0.5};
    setting_.plan.power_w = {1, 1, 1};
    setting_.upload_s = {1, 5, 3};
    setting_.participation_j = {10, 20, 40};
    setting_.partition.samples.resize(90);
    setting_.partition.begin = {0, 30, 60, 90};
    state_.participations.resize(3);
    state_.energy_spent_j.resize(3);
  }

  Ledger MakeLedger() {
    conditions_.emplace(setting_, state_);
    return {setting_, *conditions_, state_};
  }

  Setting setting_;
  RunState state_;
  std::optional<RoundConditions> conditions_;
};

// The slowest participant sets the time, and energies add up.
TEST_F(LedgerTest, PlannedTerms) {
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  EXPECT_FALSE(ledger.MeanDuration().has_value());
  ledger.Book({.devices = {0, 2}}, 7);
  EXPECT_EQ(state_.time_s, 15);
  EXPECT_EQ(state_.energy_j, 50);
  EXPECT_EQ(ledger.MeanDuration(), 11);
  EXPECT_EQ(ledger.arrived().size(), 2U);
  ledger.StartRound();
  ledger.Book({}, 7);  // The round is empty.
  EXPECT_EQ(state_.time_s, 22);
  EXPECT_EQ(state_.energy_j, 50);
  EXPECT_FALSE(ledger.MeanDuration().has_value());
  setting_.always_j = ColumnValues{1, 2, 3};
  ledger.StartRound();
  ledger.Book({.devices = {1}}, 7);
  EXPECT_EQ(state_.time_s, 30);
  EXPECT_EQ(state_.energy_j, 76);
  EXPECT_EQ(state_.participations, (std::vector<std::uint32_t>{1, 1, 1}));
  EXPECT_EQ(state_.energy_spent_j, (std::vector<double>{11, 22, 43}));
}

// Device 0 sends 2 bits at 1 W in 1 Hz in 2 s with 2 J, and computes for 6 s with 9 J. Device 1, at
// half of its frequency, computes for 6 s with 18/4 J, and sends 2 bits at 3 W in 2 Hz in 0.5 s
// with 1.5 J.
TEST_F(LedgerTest, TermsOfAStrategy) {
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.Book({.devices = {0, 1},
               .terms = {{.power_w = 1, .bandwidth_hz = 1},
                         {.power_w = 3, .bandwidth_hz = 2, .cpu_share = 0.5}}},
              0);
  EXPECT_NEAR(state_.time_s, 8, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[0], 11, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[1], 6, kRounding);
  EXPECT_EQ(ledger.durations_s().size(), 2U);
  EXPECT_NEAR(ledger.durations_s()[1], 6.5, kRounding);
  ASSERT_EQ(ledger.participations().size(), 2U);
  const ParticipationRecord& second = ledger.participations()[1];
  EXPECT_EQ(second.device, 1U);
  EXPECT_EQ(second.power_w, 3);
  EXPECT_EQ(second.bandwidth_hz, 2);
  EXPECT_EQ(second.cpu_share, 0.5);
  EXPECT_EQ(second.update_bits, 2);
  EXPECT_NEAR(second.upload_s, 0.5, kRounding);
  EXPECT_NEAR(second.compute_s, 6, kRounding);
  EXPECT_NEAR(second.energy_j, 6, kRounding);
  EXPECT_TRUE(second.has_arrived);
  ledger.StartRound();
  EXPECT_TRUE(ledger.participations().empty());
}

// Uploads take 2 s each, in the order 1, 0, 2: device 1 computes until 3 and sends until 5, device
// 0 is ready at 6 and sends until 8, device 2 is ready at 12 and sends until 14.
TEST_F(LedgerTest, Turns) {
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.Book({.devices = {1, 0, 2}, .takes_turns = true}, 0);
  EXPECT_NEAR(state_.time_s, 14, kRounding);
  EXPECT_NEAR(state_.energy_j, 9 + 18 + 27 + 3 * 2, kRounding);
}

// The model of 96 bits at 3 W in the whole band of 3 Hz takes 16 s, at 2 bit/s/Hz. A report of 32
// bits at 3 W in 1 Hz takes 16 s and 48 J. A loss of 10 of 30 samples is a ninth of the
// computation, and that of all of them a third.
TEST_F(LedgerTest, Losses) {
  setting_.scenario.books.download_time = true;
  Ledger ledger = MakeLedger();
  ledger.ChargeAnswers(AskLoss{10}, Devices{0, 1});
  EXPECT_NEAR(state_.time_s, 16 + 6.0 / 9 + 16, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[0], 9.0 / 9 + 48, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[1], 18.0 / 9 + 48, kRounding);
  EXPECT_EQ(state_.energy_spent_j[2], 0);
  ledger.StartRound();
  ledger.ChargeAnswers(AskLoss{}, Devices{2});
  EXPECT_NEAR(state_.time_s, 16 + 6.0 / 9 + 16 + 16 + 4 + 16, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[2], 9 + 48, kRounding);
  EXPECT_NEAR(state_.energy_j, 1 + 2 + 9 + 3 * 48, kRounding);
}

// The model is sent once in a round: the second question pays for no more of it than a slower
// device needs. At g = 1/3 instead of 1, 3 W carry log2(10) bit/s/Hz, and the model takes 9.63 s.
TEST_F(LedgerTest, OneMulticastForAllQuestionsOfARound) {
  setting_.scenario.books.download_time = true;
  setting_.fleet.noise_to_gain_w = ColumnValues{1, 1, 1.0 / 3};
  const double quick_s = 96 / (3 * std::log2(10)), report_s = 32 / std::log2(10);
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.ChargeAnswers(AskLoss{}, Devices{2});
  EXPECT_NEAR(state_.time_s, quick_s + 4 + report_s, kRounding);
  double before_s = state_.time_s;
  ledger.ChargeAnswers(AskLoss{}, Devices{0, 2});
  EXPECT_NEAR(state_.time_s - before_s, 16 - quick_s + std::max(2 + 16.0, 4 + report_s), kRounding);
  before_s = state_.time_s;
  ledger.ChargeAnswers(AskUpdateNorm{}, Devices{0, 2});
  EXPECT_NEAR(state_.time_s - before_s, std::max(6 + 16.0, 12 + report_s), kRounding);
  ledger.StartRound();
  before_s = state_.time_s;
  ledger.ChargeAnswers(AskLoss{}, Devices{0});
  EXPECT_NEAR(state_.time_s - before_s, 16 + 2 + 16, kRounding);
}

// Each device reports in 16 s with 48 J, all at the same time, and does nothing else.
TEST_F(LedgerTest, ComputeTimes) {
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.ChargeAnswers(AskComputeTime{}, Devices{0, 2});
  EXPECT_NEAR(state_.time_s, 16, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[0], 48, kRounding);
  EXPECT_EQ(state_.energy_spent_j[1], 0);
  EXPECT_NEAR(state_.energy_j, 2 * 48, kRounding);
}

// The trial takes 8 s and 17 J, as in TermsOfAStrategy, after the model of 16 s; a second group
// does not need the model again. Nobody has taken part, and a device that was on trial computes
// again in the round.
TEST_F(LedgerTest, Trials) {
  setting_.scenario.books.download_time = true;
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  const std::vector<Terms> terms{{.power_w = 1, .bandwidth_hz = 1},
                                 {.power_w = 3, .bandwidth_hz = 2, .cpu_share = 0.5}};
  ledger.ChargeAnswers(AskTrial{terms}, Devices{0, 1});
  EXPECT_NEAR(ledger.answer_durations_s()[0], 8, kRounding);
  EXPECT_NEAR(ledger.answer_durations_s()[1], 6.5, kRounding);
  EXPECT_NEAR(state_.time_s, 16 + 8, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[0], 11, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[1], 6, kRounding);
  // Planned terms are 2 s at 1 W, after a computation of 12 s and 27 J.
  ledger.ChargeAnswers(AskTrial{}, Devices{2});
  EXPECT_NEAR(state_.time_s, 16 + 8 + 14, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[2], 29, kRounding);
  EXPECT_EQ(state_.participations, (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_TRUE(ledger.durations_s().empty());
  const double before_s = state_.time_s;
  ledger.Book({.devices = {0}, .terms = {{.power_w = 1, .bandwidth_hz = 1}}}, 0);
  EXPECT_NEAR(state_.time_s - before_s, 8, kRounding);
}

// A number of 32 bits goes with the update: at 1 W in 1 Hz it takes 32 s and 32 J more, at 3 W in 2
// Hz 8 s and 24 J; in turns these times add up. Half a second passes before the round.
TEST_F(LedgerTest, NumbersBesideUpdatesAndTimeBefore) {
  Selection selection{.devices = {0, 1},
                      .terms = {{.power_w = 1, .bandwidth_hz = 1},
                                {.power_w = 3, .bandwidth_hz = 2, .cpu_share = 0.5}},
                      .before_s = 0.5};
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.Book(selection, 0, kReportBits);
  EXPECT_NEAR(state_.time_s, 0.5 + 8 + 32, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[0], 11 + 32, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[1], 6 + 24, kRounding);
  EXPECT_NEAR(ledger.durations_s()[1], 6.5 + 8, kRounding);
  // Both are ready at 6; one sends for 2 + 32 s and the other for 0.5 + 8 s.
  selection.takes_turns = true;
  ledger.StartRound();
  const double before_s = state_.time_s;
  ledger.Book(selection, 0, kReportBits);
  EXPECT_NEAR(state_.time_s - before_s, 0.5 + 6 + 34 + 8.5, kRounding);
  // Planned terms are 1 W in 1 Hz as well.
  ledger.StartRound();
  const double planned_s = state_.time_s;
  ledger.Book({.devices = {0, 2}}, 0, kReportBits);
  EXPECT_NEAR(state_.time_s - planned_s, 12 + 3 + 32, kRounding);
}

// A device that has computed to answer does not compute again in that round, but does in the next.
TEST_F(LedgerTest, UpdatesArePaidForOnce) {
  setting_.scenario.books.download_time = true;
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.ChargeAnswers(AskUpdateNorm{}, Devices{0, 1, 2});
  EXPECT_NEAR(state_.time_s, 16 + 12 + 16, kRounding);
  EXPECT_NEAR(state_.energy_j, 9 + 18 + 27 + 3 * 48, kRounding);
  const double before_s = state_.time_s, before_j = state_.energy_j;
  ledger.Book({.devices = {0}}, 0);
  EXPECT_NEAR(state_.time_s - before_s, 2, kRounding);
  EXPECT_NEAR(state_.energy_j - before_j, 2, kRounding);
  ledger.StartRound();
  ledger.Book({.devices = {0}, .terms = {{.power_w = 1, .bandwidth_hz = 1}}}, 0);
  EXPECT_NEAR(state_.time_s - before_s, 2 + 16 + 8, kRounding);
  EXPECT_NEAR(state_.energy_j - before_j, 2 + 11, kRounding);
}

// Receiving costs 4 J of each E^c here, half of the power sent is lost, and the circuits take 1 W.
TEST_F(LedgerTest, ReceptionIsPaidForOnceAndSendingInFull) {
  setting_.fleet.reception = {.receive_energy_j = ColumnValues{4, 4, 4},
                              .fixed_energy_j = ColumnValues{13, 22, 31}};
  setting_.scenario.radio.consumption.amplifier_efficiency = 0.5;
  setting_.scenario.radio.consumption.circuit_power_w = 1;
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  // Sending at 3 W draws 7 W for the 16 s of 32 bit.
  ledger.ChargeAnswers(AskUpdateNorm{}, Devices{0});
  EXPECT_NEAR(state_.energy_spent_j[0], 4 + 9 + 7 * 16, kRounding);
  // Device 0 does a third of the work, and device 1 alone gets the model.
  ledger.ChargeAnswers(AskLoss{}, Devices{0, 1});
  EXPECT_NEAR(state_.energy_spent_j[0], 4 + 9 + 7 * 16 + 9 / 3.0 + 7 * 16, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[1], 4 + 18 / 3.0 + 7 * 16, kRounding);
  state_.energy_spent_j = {0, 0, 0};
  // An upload of 2 bit takes 2 s, and 3 W are drawn.
  const Terms terms{.power_w = 1, .bandwidth_hz = 1};
  ledger.Book({.devices = {0, 1, 2}, .terms = {terms, terms, terms}}, 0);
  EXPECT_NEAR(state_.energy_spent_j[0], 6, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[1], 6 + 18, kRounding);
  EXPECT_NEAR(state_.energy_spent_j[2], 6 + 27 + 4, kRounding);
}

// Planned uploads take 1 s and 3 s, computations 6 s and 12 s. The model takes 16 s to g = 1 and
// 9.63 s to g = 1/3, as above. What is not booked takes no time, and all of it its energy.
TEST_F(LedgerTest, EachTimeIsBookedByItsOwnKey) {
  setting_.fleet.noise_to_gain_w = ColumnValues{1, 1, 1.0 / 3};
  const double quick_s = 96 / (3 * std::log2(10));
  Books& books = setting_.scenario.books;
  const auto time_of = [&](Books booked, const Selection& selection) {
    books = booked;
    state_.time_s = 0;
    const double before_j = state_.energy_j;
    Ledger ledger = MakeLedger();
    ledger.StartRound();
    ledger.Book(selection, 0);
    EXPECT_EQ(state_.energy_j - before_j, selection.devices.size() == 2 ? 50 : 40);
    return state_.time_s;
  };
  const Selection both{.devices = {0, 2}}, last{.devices = {2}};
  EXPECT_EQ(time_of({}, both), 3);
  EXPECT_EQ(time_of({.upload_time = false, .compute_time = true}, both), 12);
  EXPECT_EQ(time_of({.compute_time = true}, both), 15);
  EXPECT_NEAR(time_of({.download_time = true}, both), 16 + 3, kRounding);
  EXPECT_NEAR(time_of({.download_time = true}, last), quick_s + 3, kRounding);
  EXPECT_NEAR(time_of({.compute_time = true, .download_time = true}, both), 16 + 15, kRounding);
  EXPECT_NEAR(time_of({.upload_time = false, .download_time = true}, last), quick_s, kRounding);
}

// Device 2 has the model after its answer; only device 0 waits for more of the multicast.
TEST_F(LedgerTest, WhoWasAskedHasTheModel) {
  setting_.fleet.noise_to_gain_w = ColumnValues{1, 1, 1.0 / 3};
  const double quick_s = 96 / (3 * std::log2(10));
  setting_.scenario.books = {.download_time = true};
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.ChargeAnswers(AskUpdateNorm{}, Devices{2});
  double before_s = state_.time_s;
  ledger.Book({.devices = {2}, .terms = {{.power_w = 1, .bandwidth_hz = 1}}}, 0);
  EXPECT_NEAR(state_.time_s - before_s, 2 / std::log2(4), kRounding);
  before_s = state_.time_s;
  ledger.Book({.devices = {0}}, 0);
  EXPECT_NEAR(state_.time_s - before_s, 16 - quick_s + 1, kRounding);
}

// A question books what the keys say, as a round does: a third of the computation of 6 s, and 16 s
// each for the model and the report.
TEST_F(LedgerTest, QuestionsAreBookedByTheSameKeys) {
  const auto time_of = [&](Books booked) {
    setting_.scenario.books = booked;
    state_.time_s = 0;
    Ledger ledger = MakeLedger();
    ledger.StartRound();
    ledger.ChargeAnswers(AskLoss{}, Devices{0});
    return state_.time_s;
  };
  EXPECT_NEAR(time_of({}), 16, kRounding);
  EXPECT_NEAR(time_of({.compute_time = true}), 2 + 16, kRounding);
  EXPECT_NEAR(time_of({.download_time = true}), 16 + 16, kRounding);
  EXPECT_NEAR(time_of({.upload_time = false, .download_time = true}), 16, kRounding);
}

// An upload takes 2 s and 2 J, and the report of 32 bits that follows it 32 s and 32 J, once. Every
// packet is lost, all ten times.
TEST_F(LedgerTest, OnlyUpdatesAreSentAgain) {
  setting_.scenario.books = {};
  setting_.scenario.radio.packets = {.error_rate = 0.999999, .retransmissions = 9};
  const Terms terms{.power_w = 1, .bandwidth_hz = 1};
  const Selection selection{.devices = {0}, .terms = {terms}};
  state_.parts.Get<LostUpdates>(3);
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.Book(selection, 0, kReportBits);
  EXPECT_TRUE(ledger.arrived().empty());
  EXPECT_EQ(state_.parts.Find<LostUpdates>()->count[0], 1U);
  EXPECT_NEAR(state_.time_s, 10 * 2 + 32, kRounding);
  EXPECT_NEAR(state_.energy_j, 9 + 10 * 2 + 32, kRounding);
}

// A battery of 16 J pays for 9 J of computation, 2 J of sending, and two and a half times as much
// again; then it is empty, and the update lost.
TEST_F(LedgerTest, WhoRunsEmptyStopsSending) {
  setting_.scenario.books = {};
  setting_.scenario.radio.packets = {.error_rate = 0.999999, .retransmissions = 9};
  setting_.fleet.batteries = {.capacity_j = 16.0, .harvest_w = 0.0};
  state_.parts.Get<Batteries>(std::vector<double>(3, 16.0));
  state_.parts.Get<LostUpdates>(3);
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  ledger.Book({.devices = {0}, .terms = {{.power_w = 1, .bandwidth_hz = 1}}}, 0);
  EXPECT_TRUE(ledger.arrived().empty());
  EXPECT_NEAR(state_.energy_j, 16, kRounding);
  EXPECT_NEAR(state_.time_s, 2 * 3.5, kRounding);
}

// Device 0 has measured all, 2 came to nothing, and of 1 only the upload is known: it computes for
// 3 s as planned, and spends 20 J. The server waited for 30 s.
TEST_F(LedgerTest, WhatWasMeasuredIsBooked) {
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  const Selection selection{.devices = {0, 1, 2}};
  const auto invited = ledger.InvitationsOf(selection);
  ASSERT_EQ(invited.size(), 3U);
  EXPECT_EQ(invited[2].device, 2U);
  EXPECT_EQ(invited[2].power_w, 1);
  EXPECT_EQ(invited[2].update_bits, 2);
  EXPECT_EQ(invited[2].upload_s, 3);
  EXPECT_EQ(invited[2].compute_s, 12);
  EXPECT_EQ(invited[2].energy_j, 40);
  EXPECT_FALSE(ledger.counts_lost());
  Gathering gathered{
      .arrivals = {{.upload_s = 0.25, .compute_s = 0.5, .energy_j = 4}, {.upload_s = 2}, {}}};
  gathered.arrivals[2].has_arrived = false;
  gathered.waited_s = 30;
  ledger.Book(selection, 7, 0, &gathered);
  EXPECT_EQ(state_.time_s, 30);
  EXPECT_EQ(state_.energy_j, 4 + 20 + 40);
  EXPECT_EQ(std::vector<std::size_t>(ledger.arrived().begin(), ledger.arrived().end()),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(ledger.durations_s()[0], 0.75);
  EXPECT_EQ(ledger.durations_s()[1], 2 + 3);
  EXPECT_EQ(ledger.participations()[0].energy_j, 4);
  EXPECT_FALSE(ledger.participations()[2].has_arrived);
  EXPECT_TRUE(ledger.counts_lost());
  EXPECT_EQ(state_.parts.Find<LostUpdates>()->count, (std::vector<std::uint32_t>{0, 0, 1}));
  // Where nobody is waited for, the slowest sets the time: device 2 as planned.
  gathered.waited_s = 0;
  ledger.StartRound();
  ledger.Book(selection, 7, 0, &gathered);
  EXPECT_EQ(state_.time_s, 30 + 15);
}

// In round 3, budgets of 20 J leave 60 J. Device 0 has spent 50, and 10 more is just right; device
// 1 has spent 41, and 20 more is too much.
TEST_F(LedgerTest, StrictBudgets) {
  setting_.fleet.energy_budget_j = 20.0;
  setting_.scenario.budget = BudgetRule::kStrict;
  state_.round = 3;
  state_.energy_spent_j = {50, 41, 0};
  Ledger ledger = MakeLedger();
  ledger.StartRound();
  Selection selection{.devices = {0, 1, 2}, .probability = {0.1, 0.2, 0.3}};
  EXPECT_TRUE(ledger.LeaveOutPoor(selection));
  EXPECT_EQ(selection.devices, (Devices{0, 2}));
  EXPECT_EQ(selection.probability, (std::vector<double>{0.1, 0.3}));
  EXPECT_FALSE(ledger.LeaveOutPoor(selection));
  // A report of 48 J is too much for device 0, and not for device 2, but with 27 J of computation
  // it is.
  const Devices all{0, 1, 2};
  EXPECT_EQ(ledger.WhoCanAnswer(AskComputeTime{}, all), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(ledger.WhoCanAnswer(AskUpdateNorm{}, all), (std::vector<bool>{false, false, false}));
  // What is spent in any case comes first.
  setting_.always_j = ColumnValues{1, 20, 1};
  EXPECT_TRUE(ledger.LeaveOutPoor(selection));
  EXPECT_EQ(selection.devices, Devices{2});
  ledger.Book(selection, 0);
  EXPECT_EQ(state_.energy_spent_j, (std::vector<double>{51, 41, 41}));
  setting_.scenario.budget = BudgetRule::kMean;
  selection = {.devices = {0, 1, 2}};
  EXPECT_FALSE(MakeLedger().LeaveOutPoor(selection));
}

TEST_F(LedgerTest, NobodyIsAsked) {
  Ledger ledger = MakeLedger();
  ledger.ChargeAnswers(AskLoss{}, {});
  ledger.ChargeAnswers(AskUpdateNorm{}, {});
  EXPECT_EQ(state_.time_s, 0);
  EXPECT_EQ(state_.energy_j, 0);
}

// Where everybody computes in any case, only the reports cost energy.
TEST_F(LedgerTest, ComputationThatIsSpentInAnyCase) {
  setting_.scenario.round.compute = ComputeRule::kAlways;
  Ledger ledger = MakeLedger();
  ledger.ChargeAnswers(AskUpdateNorm{}, Devices{0});
  EXPECT_NEAR(state_.energy_j, 48, kRounding);
}

}  // namespace
}  // namespace airlot::simulation
