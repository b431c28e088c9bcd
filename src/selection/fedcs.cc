// FedCS of Nishio and Yonetani (ICC 2019, arXiv:1804.08333) takes, of some randomly asked
// candidates, as many as possible within the time of a round, however much data they have.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "airlot/strategy_parts.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

// A Candidate reports these times.
struct Candidate {
  std::uint32_t device = 0;
  double receive_s = 0;
  double compute_s = 0;
  double upload_s = 0;
};
using Candidates = std::vector<Candidate>;

// A Keyed is a key and the place of a candidate; it compares by key, then by place.
using Keyed = std::pair<double, std::size_t>;
using Heap = std::priority_queue<Keyed, std::vector<Keyed>, std::greater<>>;

// A TurnSchedule has candidates whose uploads follow each other, in this order, each in the whole
// band (S4):
//
//   maximise |S|   s.t.   T^d_S + Θ_|S| <= T_round.
//
// In the paper's greedy Algorithm 3, next is the candidate x that adds the least time,
//
//   max(0, T^d_x - T^d_S) + T_x + max(0, T^c_x - Θ).
//
// If this candidate does not fit, no other does, so here the first miss ends what the paper's loop
// goes on with. T^d_S and Θ only grow, so each of the two maxima turns to 0 once and stays there.
// With a heap for each of the four cases, in which the order does not depend on T^d_S and Θ, a
// candidate moves at most twice, and all of them take O(n log n), not O(n |S|).
class TurnSchedule {
 public:
  explicit TurnSchedule(const Candidates& candidates)
      : candidates_(candidates),
        case_of_(candidates.size(), kTaken),
        by_receive_(OrderBy(&Candidate::receive_s)),
        by_compute_(OrderBy(&Candidate::compute_s)) {
    for (std::size_t i = 0; i < candidates.size(); ++i) Push(i);
  }

  // Serve returns the places of the candidates that are served.
  std::vector<std::size_t> Serve(double round_s) {
    std::vector<std::size_t> order;
    while (true) {
      const std::size_t next = Cheapest();
      if (next == candidates_.size()) return order;
      const Candidate& candidate = candidates_[next];
      const double received_s = std::max(received_s_, candidate.receive_s);
      const double sent_s = std::max(sent_s_, candidate.compute_s) + candidate.upload_s;  // (S4)
      if (!(received_s + sent_s <= round_s)) return order;
      order.push_back(next);
      case_of_[next] = kTaken;
      received_s_ = received_s;
      sent_s_ = sent_s;
      Move(by_receive_, receive_moved_, &Candidate::receive_s, received_s_);
      Move(by_compute_, compute_moved_, &Candidate::compute_s, sent_s_);
    }
  }

 private:
  // Bit 0 of a case says that the candidate adds to T^d_S, bit 1 that it computes longer than Θ.
  static constexpr int kCases = 4;
  static constexpr int kTaken = kCases;

  std::vector<std::size_t> OrderBy(double Candidate::*time_s) const {
    std::vector<std::size_t> order(candidates_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return candidates_[i].*time_s; });
    return order;
  }

  int CaseOf(const Candidate& candidate) const {
    return int(candidate.receive_s > received_s_) + 2 * int(candidate.compute_s > sent_s_);
  }

  void Push(std::size_t place) {
    const Candidate& candidate = candidates_[place];
    const int now = CaseOf(candidate);
    case_of_[place] = now;
    const double key = candidate.upload_s + ((now & 1) != 0 ? candidate.receive_s : 0) +
                       ((now & 2) != 0 ? candidate.compute_s : 0);
    heaps_[std::size_t(now)].emplace(key, place);
  }

  // Move puts those whose time is no longer above `now_s` into another heap.
  void Move(const std::vector<std::size_t>& order, std::size_t& moved, double Candidate::*time_s,
            double now_s) {
    for (; moved < order.size() && candidates_[order[moved]].*time_s <= now_s; ++moved) {
      const std::size_t place = order[moved];
      const int before = case_of_[place];
      if (before != kTaken && before != CaseOf(candidates_[place])) Push(place);
    }
  }

  // Cheapest returns the place of the candidate that adds the least time, or how many candidates
  // there are where none is left.
  std::size_t Cheapest() {
    Keyed best{0, candidates_.size()};
    for (int i = 0; i < kCases; ++i) {
      Heap& heap = heaps_[std::size_t(i)];
      // A candidate that is no longer in this case was taken or moved.
      while (!heap.empty() && case_of_[heap.top().second] != i) heap.pop();
      if (heap.empty()) continue;
      const Keyed keyed{AddedTime(heap.top().second), heap.top().second};
      if (best.second == candidates_.size() || keyed < best) best = keyed;
    }
    return best.second;
  }

  double AddedTime(std::size_t place) const {
    const Candidate& candidate = candidates_[place];
    return std::max(0.0, candidate.receive_s - received_s_) + candidate.upload_s +
           std::max(0.0, candidate.compute_s - sent_s_);
  }

  const Candidates& candidates_;
  std::array<Heap, kCases> heaps_;
  std::vector<int> case_of_;
  std::vector<std::size_t> by_receive_, by_compute_;
  std::size_t receive_moved_ = 0, compute_moved_ = 0;
  double received_s_ = 0;  // T^d_S
  double sent_s_ = 0;      // Θ
};

// LargestAtOnce returns the largest set of candidates, by places, that ends in time where all send
// at the same time (S5); those who are done with computing and sending first come first. For each
// possible T^d_S, rising, all are in the set who need no more than that to receive and no more than
// the rest of the round to send: the heap gives up its slowest as the rest gets less.
std::vector<std::size_t> LargestAtOnce(const Candidates& candidates, double round_s) {
  const auto busy_s = [&](std::size_t i) {
    return candidates[i].compute_s + candidates[i].upload_s;
  };
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return candidates[i].receive_s; });
  std::priority_queue<Keyed> slowest;
  std::size_t most = 0;
  double received_s = 0;
  for (const std::size_t i : order) {
    slowest.emplace(busy_s(i), i);
    while (!slowest.empty() && !(candidates[i].receive_s + slowest.top().first <= round_s)) {
      slowest.pop();
    }
    if (slowest.size() <= most) continue;
    most = slowest.size();
    received_s = candidates[i].receive_s;
  }
  std::erase_if(order, [&](std::size_t i) {
    return candidates[i].receive_s > received_s || !(received_s + busy_s(i) <= round_s);
  });
  std::ranges::sort(order, {}, [&](std::size_t i) { return Keyed{busy_s(i), i}; });
  return order;
}

class FedCsBase : public Strategy {
 public:
  explicit FedCsBase(const OptionValues& options)
      : share_(options["candidates_share"]),
        round_s_(options["round_s"]),
        counts_multicast_(options["count_multicast"] != 0) {}

  void Select(const SelectionView& view, Selection& selection) final {
    able_.Update(view);
    const std::span<const std::uint32_t> able = able_.devices();
    if (able.empty()) return;
    const double round_s = round_s_ > 0 ? round_s_ : ShortestTimeLimit(*view.cell, able);
    Candidates candidates = Ask(view, able);
    SelectInTime(*view.cell, std::move(candidates), round_s, selection);
  }

 protected:
  virtual void SelectInTime(const Cell& cell, Candidates candidates, double round_s,
                            Selection& selection) = 0;

  static void FindUploads(const Cell& cell, double bandwidth_hz, Candidates& candidates) {
    for (Candidate& candidate : candidates) {
      candidate.upload_s =
          SendTime(cell, candidate.device, cell.problem.max_power_w[candidate.device], bandwidth_hz,
                   cell.update_bits[candidate.device]);
    }
  }

 private:
  // Of the K devices that can take part, ⌈C·K⌉ are asked for their figures, and those who answer
  // are candidates. Rounding that makes a product of two decimal fractions too large does not make
  // it one more.
  Candidates Ask(const SelectionView& view, std::span<const std::uint32_t> able) const {
    const double count = std::max(1.0, std::ceil(share_ * double(able.size()) * (1 - 1e-12)));
    Candidates candidates;
    const auto asked = DrawUniformly(able, std::size_t(count), StreamOf(view));
    std::vector<double> compute_s(asked.size());
    view.probe->Ask(AskComputeTime{}, asked, compute_s);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (std::isnan(compute_s[i])) continue;  // It has not answered.
      candidates.push_back({.device = asked[i],
                            .receive_s = counts_multicast_ ? ReceiveTime(*view.cell, asked[i]) : 0,
                            .compute_s = Counts(*view.cell, asked[i]) ? compute_s[i] : 0});
    }
    return candidates;
  }

  // A time that the user gives a round is one of the books, and counts computation where they do.
  // The time limit counts it where it bounds it: a limit that is meant for uploads alone would
  // leave nobody in time.
  bool Counts(const Cell& cell, std::size_t device) const {
    return (round_s_ > 0 ? cell.compute_time_s : cell.problem.compute_time_s)[device] > 0;
  }

  double share_;
  double round_s_;
  bool counts_multicast_;
  AbleDevices able_;
};

// FedCs takes turns, as published.
class FedCs : public FedCsBase {
 public:
  using FedCsBase::FedCsBase;

 protected:
  void SelectInTime(const Cell& cell, Candidates candidates, double round_s,
                    Selection& selection) override {
    FindUploads(cell, cell.total_bandwidth_hz, candidates);
    selection.takes_turns = true;
    for (const std::size_t i : TurnSchedule(candidates).Serve(round_s)) {
      const std::uint32_t device = candidates[i].device;
      selection.devices.push_back(device);
      selection.terms.push_back(
          {.power_w = cell.problem.max_power_w[device], .bandwidth_hz = cell.total_bandwidth_hz});
    }
  }
};

// In FedCsParallel all send at the same time in sub-bands (S5), each in its own, or in equal parts
// of the whole band. In equal parts it searches the largest m for which m candidates end in time in
// a band of B/m each: with a larger m all take longer, so bisection finds it.
class FedCsParallel : public FedCsBase {
 public:
  explicit FedCsParallel(const OptionValues& options)
      : FedCsBase(options), uses_own_band_(options["own_band"] != 0) {}

 protected:
  void SelectInTime(const Cell& cell, Candidates candidates, double round_s,
                    Selection& selection) override {
    if (uses_own_band_) {
      SelectInOwnBands(cell, candidates, round_s, selection);
      return;
    }
    const auto select = [&](std::size_t count) {
      FindUploads(cell, cell.total_bandwidth_hz / double(count), candidates);
      return LargestAtOnce(candidates, round_s);
    };
    std::size_t fits = 0, too_many = candidates.size() + 1;
    while (too_many - fits > 1) {
      const std::size_t middle = fits + (too_many - fits) / 2;
      (select(middle).size() >= middle ? fits : too_many) = middle;
    }
    if (fits == 0) return;
    std::vector<std::size_t> places = select(fits);
    places.resize(fits);
    Take(candidates, places, selection);
    for (const std::uint32_t device : selection.devices) {
      selection.terms.push_back(InSubchannel(cell, device, fits));  // (S1)
    }
  }

 private:
  static void SelectInOwnBands(const Cell& cell, Candidates& candidates, double round_s,
                               Selection& selection) {
    for (Candidate& candidate : candidates) {
      const std::uint32_t device = candidate.device;
      candidate.upload_s = SendTime(cell, device, cell.problem.max_power_w[device],
                                    cell.bandwidth_hz[device], cell.update_bits[device]);
    }
    Take(candidates, LargestAtOnce(candidates, round_s), selection);
    for (const std::uint32_t device : selection.devices) {
      selection.terms.push_back(
          {.power_w = cell.problem.max_power_w[device], .bandwidth_hz = cell.bandwidth_hz[device]});
    }
  }

  static void Take(const Candidates& candidates, const std::vector<std::size_t>& places,
                   Selection& selection) {
    for (const std::size_t i : places) selection.devices.push_back(candidates[i].device);
    std::ranges::sort(selection.devices);
  }

  bool uses_own_band_;
};

StrategyOption CandidatesShareOption() {
  return {.name = "candidates_share",
          .value = 0.1,
          .low = 1e-9,
          .high = 1,
          .summary = "This share of the devices is asked."};
}
StrategyOption RoundSOption() {
  return {.name = "round_s",
          .value = 0,
          .low = 0,
          .high = 1e9,
          .summary =
              "A round may take this time in s, of what is booked; 0 means "
              "the shortest time limit of a device, and what that bounds."};
}
StrategyOption CountMulticastOption() {
  return {.name = "count_multicast",
          .value = 0,
          .low = 0,
          .high = 1,
          .is_whole = true,
          .summary = "With 1, the sending of the model counts for being in time as well."};
}

}  // namespace

StrategyEntry FedCsEntry() {
  return {"fedcs",
          "As many of the asked devices take part as can upload in turn in time.",
          {CandidatesShareOption(), RoundSOption(), CountMulticastOption()},
          ConstructStrategy<FedCs>};
}
StrategyEntry FedCsParallelEntry() {
  return {"fedcs-parallel",
          "As many of the asked devices take part as can upload at the same time in time.",
          {CandidatesShareOption(),
           RoundSOption(),
           CountMulticastOption(),
           {.name = "own_band",
            .value = 0,
            .low = 0,
            .high = 1,
            .is_whole = true,
            .summary =
                "With 1, each sends in its own band; with 0, in equal parts of the whole band."}},
          ConstructStrategy<FedCsParallel>};
}

}  // namespace airlot::selection
