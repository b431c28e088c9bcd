// The test of every strategy asks for what a strategy must keep, whatever the cell.
#ifndef AIRLOT_SELECTION_SOUNDNESS_FOR_TESTS_H_
#define AIRLOT_SELECTION_SOUNDNESS_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "selection/small_cell_for_tests.h"

namespace airlot::selection {

// SomeChannels returns channels whose times differ, as 1 W over 1 to 100, or are all the same.
inline std::vector<double> SomeChannels(std::size_t devices, bool are_equal) {
  std::vector<double> noise_to_gain_w(devices);
  for (std::size_t i = 0; i < devices; ++i) {
    noise_to_gain_w[i] = are_equal ? 1.0 / 7 : 1 / (1 + double(i * 37 % 100));
  }
  return noise_to_gain_w;
}

// A sound selection has able devices, each once, in rising order unless in turns, on terms that
// cost a finite time.
inline void ExpectSound(const SmallCell& cell, const Selection& selection) {
  const std::vector<std::uint32_t>& devices = selection.devices;
  ASSERT_EQ(selection.terms.size(), devices.size());
  ASSERT_EQ(std::set<std::uint32_t>(devices.begin(), devices.end()).size(), devices.size());
  if (!selection.takes_turns) {
    ASSERT_TRUE(std::ranges::is_sorted(devices));
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    ASSERT_GT(cell.probability.at(devices[i]), 0);
    ASSERT_EQ(selection.terms[i].power_w, cell.cell.problem.max_power_w[devices[i]]);
    ASSERT_GT(selection.terms[i].bandwidth_hz, 0);
    ASSERT_LE(selection.terms[i].bandwidth_hz, cell.cell.total_bandwidth_hz * (1 + 1e-12));
    ASSERT_LT(selection.terms[i].update_bits.value_or(0), cell.cell.update_bits[devices[i]]);
    const ParticipationCost cost = CostOf(cell.cell, devices[i], selection.terms[i]);
    ASSERT_GT(cost.upload_s, 0);
    ASSERT_TRUE(std::isfinite(cost.upload_s));
  }
  double band_hz = 0;
  for (const Terms& terms : selection.terms) band_hz += terms.bandwidth_hz;
  if (!selection.takes_turns) {
    ASSERT_LE(band_hz, cell.cell.total_bandwidth_hz * (1 + 1e-9));
  }
}

inline void ExpectSame(const Selection& a, const Selection& b) {
  ASSERT_EQ(a.devices, b.devices);
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    ASSERT_EQ(a.terms[i].power_w, b.terms[i].power_w);
    ASSERT_EQ(a.terms[i].bandwidth_hz, b.terms[i].bandwidth_hz);
    ASSERT_EQ(a.terms[i].update_bits, b.terms[i].update_bits);
  }
}

// ExpectSoundEverywhere selects some rounds in cells of all kinds. Each round is also selected by a
// new strategy that has nothing but the memory, as after a crash, and selected again, which must
// come to the same. Somebody must take part wherever there is one who can, and nobody where there
// is none.
inline void ExpectSoundEverywhere(std::string_view name, const StrategyOptions& options = {}) {
  for (const std::size_t devices : {1U, 2U, 10U, 1000U, 20000U}) {
    for (const int kind : {0, 1, 2, 3, 4, 5, 6, 7}) {
      if (devices > 1000 && kind > 1) continue;
      SCOPED_TRACE(testing::Message() << name << ", " << devices << " devices, kind " << kind);
      const bool are_equal = (kind & 1) != 0;
      SmallCell cell(SomeChannels(devices, are_equal));
      cell.cell.update_bits = 50.0;
      cell.cell.problem.time_limit_s = 1e6;
      cell.cell.noise_grows_with_band = (kind & 2) != 0;
      for (std::size_t i = 0; i < devices; ++i) {
        cell.answers.norms.push_back(are_equal ? 0 : double(i % 7));
        if ((kind & 4) != 0) cell.compute_s[i] = double(i % 3);
        if (!are_equal && i % 4 == 1) cell.probability[i] = 0;
      }
      const auto strategy = MakeStrategy(name, options);
      for (const std::uint64_t round : {1U, 2U, 3U}) {
        const std::vector<double> before = cell.memory;
        const Selection selection = cell.Select(*strategy, round);
        ASSERT_NO_FATAL_FAILURE(ExpectSound(cell, selection));
        ASSERT_FALSE(selection.devices.empty());
        const std::vector<double> after = cell.memory;
        ASSERT_NO_FATAL_FAILURE(ExpectSame(selection, cell.Select(*strategy, round)));
        ASSERT_EQ(cell.memory, after);
        cell.memory = before;
        const auto resumed = MakeStrategy(name, options);
        ASSERT_NO_FATAL_FAILURE(ExpectSame(selection, cell.Select(*resumed, round)));
        ASSERT_EQ(cell.memory, after);
      }
      std::ranges::fill(cell.probability, 0);
      cell.memory.clear();
      const auto idle = MakeStrategy(name, options);
      ASSERT_TRUE(cell.Select(*idle).devices.empty());
      ASSERT_TRUE(cell.Select(*idle).terms.empty());
    }
  }
}

// ExpectSoundWithoutAnswers selects some rounds in cells in which every third device, every device
// but the last, or every device leaves questions unanswered. A strategy that needs the answers
// selects none of them, and goes on from its memory as it always does.
inline void ExpectSoundWithoutAnswers(std::string_view name, const StrategyOptions& options = {}) {
  for (const std::size_t devices : {3U, 10U, 100U}) {
    for (const int kind : {0, 1, 2}) {
      SCOPED_TRACE(testing::Message() << name << ", " << devices << " devices, kind " << kind);
      SmallCell cell(SomeChannels(devices, false));
      cell.cell.update_bits = 50.0;
      cell.cell.problem.time_limit_s = 1e6;
      for (std::uint32_t i = 0; i < devices; ++i) {
        cell.answers.norms.push_back(double(i % 7));
        cell.answers.losses.push_back(double(i % 5));
        cell.answers.accuracies.push_back(0.1 * double(i % 3));
        const bool is_silent = kind == 0 ? i % 3 == 0 : kind == 2 || i + 1 < devices;
        if (is_silent) cell.answers.silent.insert(i);
      }
      const auto strategy = MakeStrategy(name, options);
      for (const std::uint64_t round : {1U, 2U, 3U}) {
        const std::vector<double> before = cell.memory;
        const Selection selection = cell.Select(*strategy, round);
        ASSERT_NO_FATAL_FAILURE(ExpectSound(cell, selection));
        for (const std::uint32_t device : selection.devices) {
          ASSERT_FALSE(cell.answers.silent.contains(device));
        }
        const std::vector<double> after = cell.memory;
        cell.memory = before;
        const auto resumed = MakeStrategy(name, options);
        ASSERT_NO_FATAL_FAILURE(ExpectSame(selection, cell.Select(*resumed, round)));
        ASSERT_EQ(cell.memory, after);
      }
    }
  }
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_SOUNDNESS_FOR_TESTS_H_
