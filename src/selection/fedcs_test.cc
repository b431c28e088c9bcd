#include <gtest/gtest.h>

#include <bit>

#include "base/random.h"
#include "selection/soundness_for_tests.h"

namespace airlot::selection {
namespace {

using Devices = std::vector<std::uint32_t>;

StrategyOptions Asking(std::string_view name, double share, double round_s, bool multicast = false,
                       bool own_band = false) {
  StrategyOptions options = With(name, "candidates_share", share);
  options.At(name, "round_s") = round_s;
  options.At(name, "count_multicast") = multicast ? 1 : 0;
  if (name == "fedcs-parallel") options.At(name, "own_band") = own_band ? 1 : 0;
  return options;
}

// Devices of 1, 2, 3 and 4 bit/s/Hz in a band of 4 Hz upload in 1/4, 1/8, 1/12 and 1/16 s. The
// server sends with 1 W as well, so the model takes as long.
class FedCsCell : public SmallCell {
 public:
  FedCsCell() : SmallCell({1, 1.0 / 3, 1.0 / 7, 1.0 / 15}) { cell.server_power_w = 1; }
};

// Without computation the fastest are first, and end at 1/16 = 0.0625, + 1/12 = 0.1458, + 1/8 =
// 0.2708, + 1/4 = 0.5208.
TEST(FedCs, TakesTurnsWithTheFastestFirst) {
  FedCsCell cell;
  const auto select = [&](double round_s) {
    return cell.Select(*MakeStrategy("fedcs", Asking("fedcs", 1, round_s)));
  };
  const Selection selection = select(0.3);
  EXPECT_EQ(selection.devices, (Devices{3, 2, 1}));
  EXPECT_TRUE(selection.takes_turns);
  for (const Terms& terms : selection.terms) {
    EXPECT_EQ(terms.bandwidth_hz, 4);
    EXPECT_EQ(terms.power_w, 1);
  }
  EXPECT_EQ(select(0.27).devices, (Devices{3, 2}));
  EXPECT_EQ(select(0.53).devices, (Devices{3, 2, 1, 0}));
  EXPECT_EQ(select(0.06).devices, Devices{});
}

// A round of 4 uploads of 1/4 s takes exactly as long as it may.
TEST(FedCs, TheLimitItselfIsInTime) {
  SmallCell cell(std::vector<double>(4, 1.0));
  const double upload_s = SendTime(cell.cell, 0, 1, 4, 1);
  const double sum_s = upload_s + upload_s + upload_s;
  const auto select = [&](std::string_view name, double round_s) {
    return cell.Select(*MakeStrategy(name, Asking(name, 1, round_s))).devices;
  };
  EXPECT_EQ(select("fedcs", sum_s), (Devices{0, 1, 2}));
  EXPECT_EQ(select("fedcs", std::nextafter(sum_s, 0)), (Devices{0, 1}));
  const double at_once_s = SendTime(cell.cell, 0, 1, 4.0 / 3, 1);
  EXPECT_EQ(select("fedcs-parallel", at_once_s), (Devices{0, 1, 2}));
  EXPECT_EQ(select("fedcs-parallel", std::nextafter(at_once_s, 0)), (Devices{0, 1}));
}

// Computations take 0, 0.5, 0.1 and 0.3 s. Each row has Θ, what each device would add, and who is
// next:
//   Θ = 0        0.25, 0.625,  0.1833, 0.3625   device 2
//   Θ = 0.1833   0.25, 0.4417, -,      0.1792   device 3
//   Θ = 0.3625   0.25, 0.2625                   device 0
//   Θ = 0.6125         0.125                    device 1: Θ = 0.7375
TEST(FedCs, UploadsWhileOthersCompute) {
  FedCsCell cell;
  cell.compute_s = {0, 0.5, 0.1, 0.3};
  const auto select = [&](double round_s) {
    return cell.Select(*MakeStrategy("fedcs", Asking("fedcs", 1, round_s))).devices;
  };
  EXPECT_EQ(select(0.74), (Devices{2, 3, 0, 1}));
  EXPECT_EQ(select(0.73), (Devices{2, 3, 0}));
  EXPECT_EQ(select(0.36), (Devices{2}));
}

// With the model's multicast, device 3 is first, at 1/16 + 1/16; then device 2 makes T^d 1/12 and Θ
// 0.1458, together 0.2292; then device 1 makes it 1/8 + 0.2708 = 0.3958.
TEST(FedCs, MayCountTheMulticast) {
  FedCsCell cell;
  const auto select = [&](double round_s) {
    return cell.Select(*MakeStrategy("fedcs", Asking("fedcs", 1, round_s, true)));
  };
  EXPECT_EQ(select(0.3).devices, (Devices{3, 2}));
  EXPECT_EQ(select(0.22).devices, (Devices{3}));
  EXPECT_EQ(select(0.4).devices, (Devices{3, 2, 1}));
  EXPECT_EQ(select(0.3).before_s, 0);  // The scenario says whether the multicast is booked.
}

// Two of four equal devices compute for 2 s and the others not at all; each upload takes 1/4 s. The
// limit of 1 s counts computations only where it bounds them, the user's time of 1 s where they are
// booked.
TEST(FedCs, CountsComputationsThatItsDeadlineIsAbout) {
  const std::vector<double> long_s{2, 2, 0, 0}, none_s(4);
  for (const std::string_view name : {"fedcs", "fedcs-parallel"}) {
    for (const bool is_bounded : {false, true}) {
      for (const bool is_booked : {false, true}) {
        SmallCell cell(std::vector<double>(4, 1.0));
        cell.compute_s = long_s;  // This is what devices answer.
        cell.cell.problem.compute_time_s = is_bounded ? long_s : none_s;
        cell.cell.compute_time_s = is_booked ? long_s : none_s;
        const auto select = [&](double round_s) {
          return cell.Select(*MakeStrategy(name, Asking(name, 1, round_s))).devices;
        };
        const Devices all{0, 1, 2, 3}, quick{2, 3};
        EXPECT_EQ(select(0), is_bounded ? quick : all) << name;
        EXPECT_EQ(select(1 + 1e-9), is_booked ? quick : all) << name;
      }
    }
  }
}

// Who does not answer is no candidate: of four equal devices, for which there is time, two answer.
TEST(FedCs, TakesThoseWhoAnswer) {
  for (const std::string_view name : {"fedcs", "fedcs-parallel"}) {
    SmallCell cell(std::vector<double>(4, 1.0));
    cell.answers.silent = {0, 2};
    const auto select = [&] {
      return cell.Select(*MakeStrategy(name, Asking(name, 1, 2))).devices;
    };
    EXPECT_EQ(select(), (Devices{1, 3}));
    cell.answers.silent = {0, 1, 2, 3};
    EXPECT_EQ(select(), Devices{});
    ExpectSoundWithoutAnswers(name);
    ExpectSoundWithoutAnswers(name, Asking(name, 1, 0, true));
  }
}

// MakeRandom makes a cell with random times, and groups of devices that are alike.
void MakeRandom(std::uint64_t round, SmallCell& cell, std::vector<double>& noise_to_gain_w) {
  RandomStream stream(1, base::Purpose{900}, round, 0);
  for (std::size_t i = 0; i < noise_to_gain_w.size(); ++i) {
    noise_to_gain_w[i] = stream.LogUniform(1e-3, 10);
    cell.compute_s[i] = stream.Uniform(0, 0.5);
    if (i > 0 && stream.Uniform() < 0.3) {
      noise_to_gain_w[i] = noise_to_gain_w[i - 1];
      cell.compute_s[i] = cell.compute_s[i - 1];
    }
  }
  cell.cell.problem.noise_to_gain_w = noise_to_gain_w;
}

// Literal is Algorithm 3 as it is written: it asks all who are left, and goes on after one who is
// too late.
Devices Literal(const Cell& cell, double round_s, bool counts_multicast) {
  Devices left, order;
  for (std::uint32_t i = 0; i < cell.problem.devices; ++i) left.push_back(i);
  double received_s = 0, sent_s = 0;
  const auto receive_s = [&](std::uint32_t i) {
    return counts_multicast ? ReceiveTime(cell, i) : 0;
  };
  const auto upload_s = [&](std::uint32_t i) {
    return SendTime(cell, i, 1, cell.total_bandwidth_hz, 1);
  };
  while (!left.empty()) {
    const auto next = std::ranges::min_element(left, {}, [&](std::uint32_t i) {
      return std::max(0.0, receive_s(i) - received_s) + upload_s(i) +
             std::max(0.0, cell.problem.compute_time_s[i] - sent_s);
    });
    const std::uint32_t device = *next;
    left.erase(next);
    const double new_received_s = std::max(received_s, receive_s(device));
    const double new_sent_s =
        sent_s + upload_s(device) + std::max(0.0, cell.problem.compute_time_s[device] - sent_s);
    if (new_received_s + new_sent_s > round_s) continue;
    order.push_back(device);
    received_s = new_received_s;
    sent_s = new_sent_s;
  }
  return order;
}

TEST(FedCs, IsTheAlgorithmAsPublished) {
  std::size_t served = 0;
  for (std::uint64_t round = 1; round <= 200; ++round) {
    std::vector<double> noise_to_gain_w(30);
    SmallCell cell(noise_to_gain_w);
    MakeRandom(round, cell, noise_to_gain_w);
    for (const bool counts_multicast : {false, true}) {
      for (const double round_s : {0.05, 0.3, 0.6, 5.0}) {
        const auto strategy = MakeStrategy("fedcs", Asking("fedcs", 1, round_s, counts_multicast));
        const Devices devices = cell.Select(*strategy).devices;
        ASSERT_EQ(devices, Literal(cell.cell, round_s, counts_multicast)) << round;
        served += devices.size();
      }
    }
  }
  EXPECT_GT(served, 8000U);  // neither all 48000 nor none
  EXPECT_LT(served, 40000U);
}

// In parts of 4/m Hz, uploads take m/4, m/8, m/12 and m/16 s. In 0.3 s, three would be in time with
// m = 2, at 0.25, 0.167 and 0.125 s, and only two with m = 3, at 0.25 and 0.1875 s. So two take
// part, the fastest.
TEST(FedCsParallel, TakesAsManyAsEndInTimeInEqualParts) {
  FedCsCell cell;
  const auto select = [&](double round_s, bool multicast = false) {
    return cell.Select(
        *MakeStrategy("fedcs-parallel", Asking("fedcs-parallel", 1, round_s, multicast)));
  };
  const Selection selection = select(0.3);
  EXPECT_EQ(selection.devices, (Devices{2, 3}));
  EXPECT_FALSE(selection.takes_turns);
  for (const Terms& terms : selection.terms) {
    EXPECT_EQ(terms.bandwidth_hz, 2);
    EXPECT_EQ(terms.power_w, 1);
  }
  EXPECT_EQ(select(0.38).devices, (Devices{1, 2, 3}));
  EXPECT_EQ(select(1.01).devices, (Devices{0, 1, 2, 3}));
  EXPECT_EQ(select(0.06).devices, Devices{});
  // The model takes 1/12 s to device 2, and 1/12 + 1/6 = 0.25 is in time, but 1/8 + 0.25 is not.
  EXPECT_EQ(select(0.3, true).devices, (Devices{2, 3}));
  EXPECT_EQ(select(0.24, true).devices, (Devices{3}));
}

// In 1 Hz each, uploads take 1, 1/2, 1/3 and 1/4 s, and the computation takes 0.2 s.
TEST(FedCsParallel, OrInOwnBands) {
  FedCsCell cell;
  cell.compute_s = {0, 0, 0, 0.2};
  const auto select = [&](double round_s) {
    return cell.Select(
        *MakeStrategy("fedcs-parallel", Asking("fedcs-parallel", 1, round_s, false, true)));
  };
  EXPECT_EQ(select(0.46).devices, (Devices{2, 3}));
  EXPECT_EQ(select(0.44).devices, (Devices{2}));
  EXPECT_EQ(select(0.46).terms.at(0).bandwidth_hz, 1);
  EXPECT_EQ(select(2).devices, (Devices{0, 1, 2, 3}));
}

// Of all sets of ten devices, none that is in time is larger than the selected one, which is in
// time.
TEST(FedCsParallel, NoSetIsLarger) {
  constexpr std::size_t kDevices = 10;
  std::size_t between = 0;
  for (std::uint64_t round = 1; round <= 60; ++round) {
    std::vector<double> noise_to_gain_w(kDevices);
    SmallCell cell(noise_to_gain_w);
    MakeRandom(round, cell, noise_to_gain_w);
    cell.cell.noise_grows_with_band = round % 2 == 0;
    cell.cell.server_power_w = 0.1;
    for (const int kind : {0, 1, 2, 3}) {
      const bool counts_multicast = (kind & 1) != 0, is_own = (kind & 2) != 0;
      const double round_s = 0.7;
      const auto is_in_time = [&](unsigned set) {
        double receive_s = 0, busy_s = 0;
        for (std::size_t i = 0; i < kDevices; ++i) {
          if ((set >> i & 1U) == 0) continue;
          if (counts_multicast) receive_s = std::max(receive_s, ReceiveTime(cell.cell, i));
          const double band_hz = is_own ? 1 : double(kDevices) / std::popcount(set);
          busy_s = std::max(busy_s, cell.compute_s[i] + SendTime(cell.cell, i, 1, band_hz, 1));
        }
        return receive_s + busy_s <= round_s;
      };
      int most = 0;
      for (unsigned set = 1; set < 1U << kDevices; ++set) {
        if (std::popcount(set) > most && is_in_time(set)) most = std::popcount(set);
      }
      const Selection selection = cell.Select(*MakeStrategy(
          "fedcs-parallel", Asking("fedcs-parallel", 1, round_s, counts_multicast, is_own)));
      ASSERT_EQ(selection.devices.size(), std::size_t(most)) << round << ", kind " << kind;
      unsigned set = 0;
      for (const std::uint32_t device : selection.devices) set |= 1U << device;
      ASSERT_TRUE(most == 0 || is_in_time(set)) << round << ", kind " << kind;
      if (most > 0 && most < int(kDevices)) ++between;
    }
  }
  EXPECT_GT(between, 150U);  // of the 240 cases
}

// A tenth of 95 is 10 candidates; of 30, 3 and not 4; of one, one. There is time enough for all of
// them.
TEST(FedCs, AsksAShareOfTheAble) {
  for (const std::string_view name : {"fedcs", "fedcs-parallel"}) {
    const auto count = [&](std::size_t devices) {
      SmallCell cell(std::vector<double>(devices + 1, 1.0));
      cell.probability.front() = 0;
      cell.cell.problem.time_limit_s = 1e6;
      const std::size_t selected = cell.Select(*MakeStrategy(name)).devices.size();
      EXPECT_EQ(cell.answers.compute_times_asked, selected);
      return selected;
    };
    EXPECT_EQ(count(95), 10U);
    EXPECT_EQ(count(30), 3U);
    EXPECT_EQ(count(1), 1U);
  }
  // In binary numbers, 0.07·100 is more than 7.
  SmallCell cell(std::vector<double>(100, 1.0));
  cell.cell.problem.time_limit_s = 1e6;
  EXPECT_EQ(cell.Select(*MakeStrategy("fedcs", Asking("fedcs", 0.07, 0))).devices.size(), 7U);
}

TEST(FedCs, AsksOthersInAnotherRound) {
  SmallCell cell(std::vector<double>(1000, 1.0));
  const auto strategy = MakeStrategy("fedcs");
  EXPECT_NE(cell.Select(*strategy, 1).devices, cell.Select(*strategy, 2).devices);
}

// The shortest limit is that of a device that cannot take part, and does not count; the next is
// 0.3 s.
TEST(FedCs, TakesTheShortestTimeLimitOfTheAble) {
  FedCsCell cell;
  const std::vector<double> limit_s{0.01, 0.3, 0.4, 1};
  cell.cell.problem.time_limit_s = limit_s;
  cell.probability[0] = 0;
  EXPECT_EQ(cell.Select(*MakeStrategy("fedcs", Asking("fedcs", 1, 0))).devices, (Devices{3, 2, 1}));
  cell.probability[0] = 1;
  EXPECT_EQ(cell.Select(*MakeStrategy("fedcs", Asking("fedcs", 1, 0))).devices, Devices{});
}

// The values of float32-cell are 199210 numbers of 32 bits, 10 MHz, 1e-12 W, 0.2 W, 0.08 s, and
// devices at up to 700 m. At some 20 bit/s/Hz one alone takes 0.03 s, so two or three of the ten
// who are asked fit; in own bands of 0.1 MHz one takes 3 s, so none fits.
TEST(FedCs, TakesSomebodyInTheFloat32Cell) {
  std::vector<double> noise_to_gain_w;
  for (int i = 1; i <= 100; ++i) noise_to_gain_w.push_back(1e-12 * 49.0 * i * i);
  SmallCell cell(noise_to_gain_w);
  cell.cell.problem.max_power_w = 0.2;
  cell.cell.problem.time_limit_s = 0.08;
  cell.cell.update_bits = 199210 * 32.0;
  cell.cell.bandwidth_hz = 1e5;
  cell.cell.total_bandwidth_hz = 1e7;
  for (const std::string_view name : {"fedcs", "fedcs-parallel"}) {
    for (std::uint64_t round = 1; round <= 20; ++round) {
      const std::size_t count = cell.Select(*MakeStrategy(name), round).devices.size();
      EXPECT_TRUE(count == 2 || count == 3) << name << ": " << count;
    }
  }
  const auto own = MakeStrategy("fedcs-parallel", With("fedcs-parallel", "own_band", 1));
  EXPECT_TRUE(cell.Select(*own).devices.empty());
}

TEST(FedCs, IsSound) {
  ExpectSoundEverywhere("fedcs");
  ExpectSoundEverywhere("fedcs", Asking("fedcs", 1, 0, true));
  ExpectSoundEverywhere("fedcs-parallel");
  ExpectSoundEverywhere("fedcs-parallel", Asking("fedcs-parallel", 1, 0, true));
  ExpectSoundEverywhere("fedcs-parallel", Asking("fedcs-parallel", 1, 0, true, true));
}

}  // namespace
}  // namespace airlot::selection
