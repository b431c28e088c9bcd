#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;
using Options = std::map<std::string_view, double>;

std::unique_ptr<Strategy> Make(const Options& values) {
  StrategyOptions options;
  for (const auto& [name, value] : values) options.At("tifl", name) = value;
  return MakeStrategy("tifl", options);
}

// All devices answer the same.
void Answer(SmallCell& cell, double accuracy = 0.5) {
  cell.answers.accuracies.assign(cell.probability.size(), accuracy);
}

// Returns the memory's probabilities of `tiers` tiers, which follow the round and the tier.
std::vector<double> Probabilities(const SmallCell& cell, std::size_t tiers) {
  return {cell.memory.begin() + 2, cell.memory.begin() + 2 + std::ptrdiff_t(tiers)};
}

// Tiers of 2 and 3 devices share 5 Hz in at most 3 parts. At 1 W in 5/3 Hz, 1 bit takes 0.6/log2(1
// + 1/g) s, which is 0.6 s where g = 1 and 0.3 s where g = 1/3. With the computation the latencies
// are 0.6, 0.3 + 0.25, 0.6 + 0.1, 0.3 + 0.35 and 0.6 s, so that the order is 1, 0, 4, 3, 2.
TEST(Tifl, FormsTiersByLatency) {
  SmallCell cell({1, 1.0 / 3, 1, 1.0 / 3, 1});
  cell.compute_s = {0, 0.25, 0.1, 0.35, 0};
  Answer(cell);
  const auto strategy = Make({{"tiers", 2}, {"devices", 9}});
  std::map<Devices, int> times;
  for (std::uint64_t round = 1; round <= 100; ++round) {
    ++times[cell.Select(*strategy, round).devices];
  }
  // Each tier has 100/2 credits.
  EXPECT_EQ(times, (std::map<Devices, int>{{{0, 1}, 50}, {{2, 3, 4}, 50}}));
}

// Where all are alike, tiers go by index. Accuracies do not improve, so that new probabilities hold
// from the second round on, where tiers of accuracies 0.6, 0.2, 0.4 have 1/6, 3/6, 2/6.
TEST(Tifl, PrefersTiersOfLowAccuracy) {
  SmallCell cell(std::vector<double>(6, 1));
  Answer(cell);
  cell.answers.accuracies = {0.5, 0.7, 0.1, 0.3, 0.4, 0.4};
  const auto strategy = Make({{"tiers", 3}, {"devices", 2}, {"interval", 1}, {"credits", 1e6}});
  cell.Select(*strategy, 1);
  EXPECT_EQ(Probabilities(cell, 3), std::vector<double>(3, 1.0 / 3));
  std::map<Devices, int> times;
  constexpr int kRounds = 4000;
  for (int round = 2; round < 2 + kRounds; ++round) {
    ++times[cell.Select(*strategy, std::uint64_t(round)).devices];
    ASSERT_EQ(Probabilities(cell, 3), (std::vector<double>{1.0 / 6, 0.5, 2.0 / 6}));
  }
  EXPECT_EQ(times.size(), 3U);
  EXPECT_NEAR(times[(Devices{0, 1})], kRounds / 6.0, 5 * std::sqrt(kRounds * 5 / 36.0));
  EXPECT_NEAR(times[(Devices{2, 3})], kRounds / 2.0, 5 * std::sqrt(kRounds / 4.0));
}

// Of tiers of equal accuracy, the first has the larger probability.
TEST(Tifl, ChangesProbabilitiesOnlyWithoutImprovement) {
  SmallCell cell({1, 1});
  Answer(cell, 0);  // the accuracy of a first model, with which there is nothing to compare
  const auto strategy = Make({{"tiers", 2}, {"interval", 3}});
  const std::vector<double> even{0.5, 0.5}, uneven{2.0 / 3, 1.0 / 3};
  for (std::uint64_t round = 1; round <= 3; ++round) cell.Select(*strategy, round);
  EXPECT_EQ(Probabilities(cell, 2), even);
  cell.answers.accuracies = {0.6, 0.6};
  cell.Select(*strategy, 4);
  EXPECT_EQ(Probabilities(cell, 2), even);
  cell.answers.accuracies = {0.1, 0.1};
  for (std::uint64_t round = 5; round <= 6; ++round) cell.Select(*strategy, round);
  EXPECT_EQ(Probabilities(cell, 2), even);  // nobody was asked
  cell.Select(*strategy, 7);
  EXPECT_EQ(Probabilities(cell, 2), uneven);
  EXPECT_EQ(cell.answers.accuracies_asked, 6U);  // both tiers in rounds 1, 4 and 7
  EXPECT_EQ(cell.answers.losses_asked, 0U);
}

// Only the accuracy of the last round's tier matters.
TEST(Tifl, LooksAtTheLastTier) {
  for (const bool is_last_better : {false, true}) {
    SmallCell cell({1, 1});
    Answer(cell, 0.5);
    const auto strategy = Make({{"tiers", 2}, {"interval", 1}});
    const std::uint32_t last = cell.Select(*strategy, 1).devices.at(0);
    cell.answers.accuracies[last] = is_last_better ? 0.6 : 0.5;
    cell.answers.accuracies[1 - last] = is_last_better ? 0.5 : 0.6;
    cell.Select(*strategy, 2);
    EXPECT_EQ(Probabilities(cell, 2) == std::vector<double>(2, 0.5), is_last_better);
  }
}

// Each of two tiers has three rounds; after that all have the same chance.
TEST(Tifl, SpendsCredits) {
  SmallCell cell({1, 1});
  Answer(cell);
  const auto strategy = Make({{"tiers", 2}, {"credits", 3}, {"interval", 1}});
  std::vector<int> times(2);
  for (std::uint64_t round = 1; round <= 6; ++round) {
    ++times[cell.Select(*strategy, round).devices.at(0)];
    cell.Select(*strategy, round);  // a second draw in the round costs nothing
  }
  EXPECT_EQ(times, (std::vector<int>{3, 3}));
  for (std::uint64_t round = 7; round < 1007; ++round) {
    ++times[cell.Select(*strategy, round).devices.at(0)];
  }
  EXPECT_NEAR(times[0], 503, 5 * std::sqrt(250));
}

// A tier without credits has no part in the new probabilities. Whichever tier is drawn in round 1
// has spent its only credit.
TEST(Tifl, GivesNoProbabilityWithoutCredits) {
  SmallCell cell({1, 1, 1});
  Answer(cell);
  const auto strategy = Make({{"tiers", 3}, {"credits", 1}, {"interval", 1}});
  const std::uint32_t spent = cell.Select(*strategy, 1).devices.at(0);
  cell.Select(*strategy, 2);
  std::vector<double> expected{2.0 / 3, 1.0 / 3};
  expected.insert(expected.begin() + spent, 0.0);
  EXPECT_EQ(Probabilities(cell, 3), expected);
}

// Of 1000 devices, 200 are in a tier, of whom 100 are asked.
TEST(Tifl, AsksSomeOfEachTier) {
  SmallCell cell(std::vector<double>(1000, 1));
  Answer(cell);
  const auto strategy = Make({});
  cell.Select(*strategy, 1);
  EXPECT_EQ(cell.answers.accuracies_asked, 500U);
  EXPECT_EQ(cell.answers.trials.size(), 100U);
  cell.Select(*strategy, 2);
  EXPECT_EQ(cell.answers.accuracies_asked, 500U);
}

// Five able devices of six are in tiers of at most 3, of whom 2 take part. So two, two and one are
// on trial, each at full power in half of 6 Hz, and never again, whatever the round and the object.
TEST(Tifl, ProfilesEveryDeviceOnce) {
  SmallCell cell(std::vector<double>(6, 1));
  Answer(cell);
  cell.probability[1] = 0;
  const Options options{{"tiers", 2}, {"devices", 2}};
  for (std::uint64_t round = 1; round <= 3; ++round) cell.Select(*Make(options), round);
  ASSERT_EQ(cell.answers.trials.size(), 3U);
  EXPECT_EQ(cell.answers.trials[0].devices, (Devices{0, 2}));
  EXPECT_EQ(cell.answers.trials[1].devices, (Devices{3, 4}));
  EXPECT_EQ(cell.answers.trials[2].devices, Devices{5});
  for (const GivenAnswers::Trial& trial : cell.answers.trials) {
    ASSERT_EQ(trial.terms.size(), trial.devices.size());
    for (const Terms& terms : trial.terms) {
      EXPECT_EQ(terms.power_w, 1);
      EXPECT_EQ(terms.bandwidth_hz, 3);
    }
  }
}

// Device 1 becomes able in round 2, and is on trial then.
TEST(Tifl, ProfilesADeviceWhenItCanTakePart) {
  SmallCell cell(std::vector<double>(3, 1));
  Answer(cell);
  cell.probability[1] = 0;
  const auto strategy = Make({{"tiers", 1}});
  EXPECT_EQ(cell.Select(*strategy, 1).devices, (Devices{0, 2}));
  cell.probability[1] = 0.5;
  SelectionView view = cell.View(2);
  view.plan_version = 1;
  Selection selection;
  strategy->Select(view, selection);
  EXPECT_EQ(selection.devices, (Devices{0, 1, 2}));
  ASSERT_EQ(cell.answers.trials.size(), 2U);
  EXPECT_EQ(cell.answers.trials[1].devices, Devices{1});
}

// Trials take 1, 2, 3 and 4 s. Who takes 3 s or more is in no tier, whatever its channel promises,
// and with a threshold of 1 s everybody drops out.
TEST(Tifl, LeavesOutWhoDropsOutOfProfiling) {
  const auto select = [](double dropout_s) {
    SmallCell cell(std::vector<double>(4, 1));
    Answer(cell);
    cell.answers.trial_s = {4, 2, 3, 1};
    Devices devices = cell.Select(*Make({{"tiers", 1}, {"dropout_s", dropout_s}})).devices;
    EXPECT_EQ(devices, cell.Select(*Make({{"tiers", 1}, {"dropout_s", dropout_s}}), 2).devices);
    return devices;
  };
  EXPECT_EQ(select(0), (Devices{0, 1, 2, 3}));
  EXPECT_EQ(select(3), (Devices{1, 3}));
  EXPECT_EQ(select(1), Devices{});
}

// Devices 0 and 2 leave their trials unanswered, so that they are in no tier and asked again in the
// next round, in which 2 answers.
TEST(Tifl, TakesThoseWhoAnswerTheirTrial) {
  SmallCell cell(std::vector<double>(4, 1));
  Answer(cell);
  cell.answers.silent = {0, 2};
  const Options options{{"tiers", 1}};
  const auto strategy = Make(options);
  EXPECT_EQ(cell.Select(*strategy, 1).devices, (Devices{1, 3}));
  cell.answers.silent = {0};
  EXPECT_EQ(cell.Select(*strategy, 2).devices, (Devices{1, 2, 3}));
  EXPECT_EQ(cell.Select(*Make(options), 3).devices, (Devices{1, 2, 3}));
  ASSERT_EQ(cell.answers.trials.size(), 3U);
  EXPECT_EQ(cell.answers.trials[1].devices, (Devices{0, 2}));
  EXPECT_EQ(cell.answers.trials[2].devices, Devices{0});
  cell.memory.clear();
  cell.answers.silent = {0, 1, 2, 3};
  EXPECT_EQ(cell.Select(*Make(options), 4).devices, Devices{});
  ExpectSoundWithoutAnswers("tifl");
}

// Three tiers of two devices have accuracies of 0.5; then one device of each tells a lower one, of
// 0.4, 0.2 and 0.3, and its partner, which would lift the mean, does not answer. Where nobody of a
// tier answers, its last accuracy stays, and it counts as the best where there is none.
TEST(Tifl, MeansAccuracyOfThoseWhoAnswer) {
  const Options options{{"tiers", 3}, {"devices", 2}, {"interval", 1}, {"credits", 1e6}};
  const auto probabilities = [&](const std::set<std::uint32_t>& first,
                                 const std::set<std::uint32_t>& second) {
    SmallCell cell(std::vector<double>(6, 1));
    Answer(cell);
    const auto strategy = Make(options);
    cell.Select(*strategy, 1);  // All are profiled.
    // The accuracies follow the probabilities and the credits; no tier has told one any more.
    std::ranges::fill(std::span(cell.memory).subspan(2 + 2 * 3, 3), 1.0);
    cell.answers.silent = first;
    cell.Select(*strategy, 2);
    cell.answers.accuracies = {0.4, 1, 0.2, 1, 0.3, 1};
    cell.answers.silent = second;
    cell.Select(*strategy, 3);
    return Probabilities(cell, 3);
  };
  EXPECT_EQ(probabilities({}, {1, 3, 5}), (std::vector<double>{1.0 / 6, 3.0 / 6, 2.0 / 6}));
  EXPECT_EQ(probabilities({}, {1, 2, 3, 5}), (std::vector<double>{2.0 / 6, 1.0 / 6, 3.0 / 6}));
  EXPECT_EQ(probabilities({4, 5}, {1, 3, 4, 5}), (std::vector<double>{2.0 / 6, 3.0 / 6, 1.0 / 6}));
}

// Ten of the 20 devices of a tier take part, all of one tier, each as likely as the others.
TEST(Tifl, DrawsEvenlyInATier) {
  SmallCell cell(std::vector<double>(40, 1));
  Answer(cell);
  const auto strategy = Make({{"tiers", 2}, {"credits", 1e6}});
  std::vector<int> times(40);
  for (std::uint64_t round = 1; round <= 2000; ++round) {
    const Selection selection = cell.Select(*strategy, round);
    ASSERT_EQ(selection.devices.size(), 10U);
    ASSERT_EQ(std::ranges::adjacent_find(selection.devices, std::greater_equal{}),
              selection.devices.end());
    ASSERT_EQ(selection.devices.front() / 20, selection.devices.back() / 20);
    for (const Terms& terms : selection.terms) {
      ASSERT_EQ(terms.bandwidth_hz, 4);
      ASSERT_EQ(terms.power_w, 1);
    }
    for (const std::uint32_t device : selection.devices) ++times[device];
  }
  for (const std::size_t begin : {0, 20}) {
    const auto tier = std::span(times).subspan(begin, 20);
    const double mean = std::accumulate(tier.begin(), tier.end(), 0) / 20.0;
    for (const int count : tier) EXPECT_NEAR(count, mean, 5 * std::sqrt(mean / 2));
  }
}

TEST(Tifl, SelectsInOddFleets) {
  SmallCell single({1}), nobody({1, 1}), few({1, 1, 1, 1});
  Answer(single);
  Answer(few);
  EXPECT_EQ(single.Select(*Make({})).devices, Devices{0});
  std::ranges::fill(nobody.probability, 0.0);
  EXPECT_EQ(nobody.Select(*Make({})).devices, Devices{});
  // Fewer devices are able than there are tiers, so that each has one device; then, by another
  // plan, there are fewer still, and none.
  few.probability = {0.1, 0, 0.1, 0.1};
  const auto strategy = Make({});
  SelectionView view = few.View();
  for (view.round = 1; view.round <= 100; ++view.round) {
    view.plan_version = view.round / 50;
    few.probability[2] = few.probability[3] = view.round < 50 ? 0.1 : 0;
    Selection selection;
    strategy->Select(view, selection);
    ASSERT_EQ(selection.devices.size(), 1U);
    ASSERT_NE(selection.devices[0], 1U);
    ASSERT_TRUE(view.round < 50 || selection.devices[0] == 0);
  }
}

// A run of some rounds is the same where it is taken up again after each, with a new object and the
// same memory.
TEST(Tifl, IsTakenUpAgain) {
  std::vector<double> noise(50);
  std::iota(noise.begin(), noise.end(), 1.0);
  SmallCell cell(noise), other(noise);
  Answer(cell);
  Answer(other);
  cell.probability[3] = other.probability[3] = 0;
  const Options options{{"devices", 5}, {"interval", 3}, {"tested", 4}};
  const auto strategy = Make(options);
  for (std::uint64_t round = 1; round <= 100; ++round) {
    for (std::size_t i = 0; i < 50; ++i) {
      cell.answers.accuracies[i] = other.answers.accuracies[i] = double((i * round) % 11) / 11;
    }
    const Devices devices = cell.Select(*strategy, round).devices;
    ASSERT_EQ(devices, other.Select(*Make(options), round).devices);
    ASSERT_EQ(devices, cell.Select(*strategy, round).devices);
    ASSERT_EQ(devices.size(), 5U);
    ASSERT_EQ(std::ranges::count(devices, 3U), 0);
    ASSERT_EQ(cell.memory, other.memory);
  }
}

// The strategy selects even if the plan has changed within the round, so that the tier is no more.
TEST(Tifl, SelectsWhereTheTierIsGone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SmallCell cell(std::vector<double>(5, 1));
    Answer(cell);
    const auto strategy = Make({});
    EXPECT_EQ(cell.Select(*strategy, 1, seed).devices.size(), 1U);
    cell.probability = {0.5, 0, 0, 0, 0};
    SelectionView view = cell.View(1, seed);
    view.plan_version = 1;
    Selection selection;
    strategy->Select(view, selection);
    EXPECT_EQ(selection.devices, Devices{0});
  }
}

// A round that is drawn again has other devices of the same tier.
TEST(Tifl, KeepsTheTierOfARound) {
  SmallCell cell(std::vector<double>(1000, 1));
  Answer(cell);
  const auto strategy = Make({});
  for (std::uint64_t round = 1; round <= 20; ++round) {
    const Devices first = cell.Select(*strategy, round).devices;
    SelectionView view = cell.View(round);
    view.attempt = 1;
    Selection again;
    strategy->Select(view, again);
    ASSERT_NE(first, again.devices);
    ASSERT_EQ(first[0] / 200, again.devices.at(0) / 200);
  }
}

TEST(Tifl, SelectsInALargeFleet) {
  SmallCell cell(std::vector<double>(100000, 1));
  Answer(cell);
  const auto strategy = Make({});
  for (std::uint64_t round = 1; round <= 21; ++round) {
    EXPECT_EQ(cell.Select(*strategy, round).devices.size(), 10U);
  }
}

}  // namespace
}  // namespace airlot::selection
