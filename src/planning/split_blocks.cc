// Whole blocks go one at a time to the device that gains most by it. Every a_i is concave, so a
// device's next block never gains more than its last, and the greedy split is the best one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "airlot/band_split.h"
#include "base/gather.h"
#include "base/shards.h"
#include "base/text.h"
#include "planning/band_demand.h"
#include "planning/clearing_price.h"
#include "planning/device.h"
#include "planning/solvers.h"
#include "planning/split_continuous.h"

namespace airlot {
namespace {

// So many blocks are given away in seconds, even one by one.
constexpr double kMostBlocks = 1e8;

// Returns how many blocks fit, with some room for a rounded total.
double BlocksIn(double total_hz, double block_hz) {
  return std::floor(total_hz / block_hz * (1 + 1e-12));
}

// A Candidate is what a device's next block adds to Σ w·a.
struct Candidate {
  double gain;
  std::size_t device;
  // The largest gain comes first, then the first device.
  bool operator<(const Candidate& other) const {
    return gain < other.gain || (gain == other.gain && device > other.device);
  }
};

class BlockSplit {
 public:
  BlockSplit(const BandProblem& problem, double block_hz)
      : problem_(problem), block_hz_(block_hz), blocks_(problem.cell.problem.devices, 0) {}

  // Starts from the blocks that the best split has in any case, where there are more blocks than
  // devices. At a price ν whoever buys B has at least ⌊B/block⌋ blocks that gain ν·block or more
  // each, and at most ⌈B/block⌉ that gain more than that; and all the latter fit, if the bands
  // bought leave a block for every device.
  void StartFrom(const planning::BandBuyers& fleet, double blocks, const Hands& hands) {
    const auto devices = static_cast<double>(base::SumOfMembers(hands, fleet.devices));
    if (blocks <= devices) return;
    const double total_hz = (blocks - devices) * block_hz_;
    auto range = planning::FindPrice(fleet, total_hz, hands);
    range.low = range.high;  // takes only what is bought at the higher price
    range.low_hz = range.high_hz;
    const ColumnValues bands_hz = planning::MixBands(fleet, range, total_hz, hands.threads);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i] = std::floor(bands_hz[i] / block_hz_);
    }
  }

  // Gives away the rest, `blocks` in all. Returns the gain of the last block, and 0 where nobody
  // gains by another one.
  double GiveAway(double blocks, const Hands& hands) {
    blocks -= base::SumOfFleet(blocks_.size(), hands, [&](std::size_t i) { return blocks_[i]; });
    const bool is_any_left_out = FindFirstGains(blocks, hands);
    std::make_heap(heap_.begin(), heap_.end());
    const double last_gain =
        hands.team == nullptr ? GiveHere(blocks) : GiveInTeam(blocks, *hands.team);
    const bool are_none_here = heap_.empty() && !is_any_left_out;
    return base::IsSoForAll(hands, are_none_here) ? 0 : last_gain;
  }

  ColumnValues Bands() const {
    ColumnValues bands_hz(blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) bands_hz[i] = blocks_[i] * block_hz_;
    return bands_hz;
  }

 private:
  double Probability(std::size_t i, double blocks) const {
    const double band_hz = blocks * block_hz_;
    if (!planning::IsUsable(problem_, i, band_hz)) return 0;
    planning::Device device = planning::DeviceAt(problem_.cell.problem, i);
    const BandColumns columns = ColumnsIn(problem_.cell, i, band_hz);
    device.noise_to_gain_w = columns.noise_to_gain_w * problem_.cell.problem.snr_gap;
    device.nat_time_s = columns.nat_time_s;
    return planning::SolveScalar(device).probability;
  }

  // Finds the gain of everybody's next block. More candidates than there are blocks are of no use,
  // and are left out; it says whether any are.
  bool FindFirstGains(double blocks, const Hands& hands) {
    ColumnValues band_hz = Bands(), now(blocks_.size()), next(blocks_.size());
    planning::ProbabilitiesIn(problem_, band_hz, now, hands.threads);
    for (double& band : band_hz) band += block_hz_;
    planning::ProbabilitiesIn(problem_, band_hz, next, hands.threads);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const double gain = problem_.weight[i] * (next[i] - now[i]);
      if (gain > 0) heap_.push_back({gain, problem_.cell.problem.first_device + i});
    }
    probability_ = std::move(next);
    if (!(blocks < static_cast<double>(heap_.size()))) return false;
    const auto enough = heap_.begin() + static_cast<std::ptrdiff_t>(blocks);
    std::nth_element(heap_.begin(), enough, heap_.end(),
                     [](const Candidate& a, const Candidate& b) { return b < a; });
    heap_.erase(enough, heap_.end());
    return true;
  }

  // Gives a block to the best candidate here, and returns that.
  Candidate GiveOne() {
    std::pop_heap(heap_.begin(), heap_.end());
    Candidate& best = heap_.back();
    const Candidate given = best;
    Take(best);
    if (best.gain > 0) {
      std::push_heap(heap_.begin(), heap_.end());
    } else {
      heap_.pop_back();
    }
    return given;
  }

  double GiveHere(double blocks) {
    double last_gain = 0;
    for (; blocks > 0 && !heap_.empty(); --blocks) last_gain = GiveOne().gain;
    return last_gain;
  }

  // Every member gives blocks to its own candidates, in pieces, as if nobody else had any. A
  // device's gains fall, so that what all have given, put in order, begins with what one process
  // would give; the rest is taken back.
  double GiveInTeam(double blocks, Team& team) {
    constexpr std::size_t kPiece = 4096;
    double last_gain = 0;
    std::vector<Candidate> given;  // by members and not yet by all; the next one is the last
    bool is_over = false;
    while (!is_over) {
      std::vector<Candidate> mine;
      while (mine.size() < kPiece && !heap_.empty()) mine.push_back(GiveOne());
      // What a member gives later is not before the last of this piece.
      constexpr Candidate kNoMore{-1, 0};
      Candidate next = kNoMore;
      for (const Candidate& last :
           base::GatherOne({1, &team}, heap_.empty() ? kNoMore : mine.back())) {
        next = std::max(next, last);
      }
      const std::vector<Candidate> pieces = base::GatherAll<Candidate>(team, mine);
      given.insert(given.end(), pieces.begin(), pieces.end());
      std::ranges::sort(given, std::less<>());
      for (; blocks > 0 && !given.empty() && !(given.back() < next); --blocks) {
        last_gain = given.back().gain;
        given.pop_back();
      }
      is_over = !(blocks > 0) || next.gain < 0;
    }
    for (const Candidate& candidate : given) TakeBack(candidate);
    return last_gain;
  }

  // A device that another member has is none of ours.
  void TakeBack(const Candidate& candidate) {
    const std::size_t first = problem_.cell.problem.first_device;
    if (candidate.device < first || candidate.device - first >= blocks_.size()) return;
    blocks_[candidate.device - first] -= 1;
    heap_.push_back(candidate);  // so that somebody is left
  }

  // Gives the device its block and finds what another would gain.
  void Take(Candidate& best) {
    const std::size_t i = best.device - problem_.cell.problem.first_device;
    blocks_[i] += 1;
    const double next = Probability(i, blocks_[i] + 1);
    // The gain is not more than that of the last block by rounding.
    best.gain = std::min(best.gain, problem_.weight[i] * (next - probability_[i]));
    probability_[i] = next;
  }

  const BandProblem& problem_;
  double block_hz_;
  ColumnValues blocks_;       // a whole number for each device
  ColumnValues probability_;  // probability of each device with one block more
  std::vector<Candidate> heap_;
};

}  // namespace

Status ValidateBlocks(const BandProblem& problem, double block_hz, std::size_t all_devices) {
  if (auto status = Validate(problem, all_devices); !status) return status;
  const double blocks = BlocksIn(problem.cell.total_bandwidth_hz, block_hz);
  if (block_hz > 0 && blocks >= 1 && blocks <= kMostBlocks) return {};
  return FieldError("block_hz", base::FormatNumber(block_hz),
                    fmt::format("must be {} to {}, the whole band",
                                base::FormatNumber(problem.cell.total_bandwidth_hz / kMostBlocks),
                                base::FormatNumber(problem.cell.total_bandwidth_hz)));
}

BandSplit ShareBlocks(const BandProblem& problem, double block_hz, const Hands& hands) {
  const auto devices = static_cast<double>(base::SumOfMembers(hands, problem.cell.problem.devices));
  const double blocks = BlocksIn(problem.cell.total_bandwidth_hz, block_hz);
  const planning::BandBuyers fleet = planning::MakeBandBuyers(problem, hands.threads);
  BlockSplit blocks_of(problem, block_hz);
  blocks_of.StartFrom(fleet, blocks, hands);
  const double last_gain = blocks_of.GiveAway(blocks, hands);
  BandSplit split{.bandwidth_hz = blocks_of.Bands(),
                  .price = last_gain / block_hz,
                  .total_bandwidth_hz = problem.cell.total_bandwidth_hz};
  split.value = SplitValue(problem, split.bandwidth_hz, hands);
  split.equal_value = SplitValue(problem, problem.cell.total_bandwidth_hz / devices, hands);
  split.bound = planning::FindPrice(fleet, problem.cell.total_bandwidth_hz, hands).bound;
  return split;
}

}  // namespace airlot
