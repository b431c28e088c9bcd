// Whole blocks go one at a time to the device that gains most by it. Every a_i is concave, so a
// device's next block never gains more than its last, and the greedy split is the best one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "airlot/band_split.h"
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
  void StartFrom(const planning::BandBuyers& fleet, double blocks, int threads) {
    const double devices = static_cast<double>(fleet.devices);
    if (blocks <= devices) return;
    const double total_hz = (blocks - devices) * block_hz_;
    auto range = planning::FindPrice(fleet, total_hz, threads);
    range.low = range.high;  // takes only what is bought at the higher price
    range.low_hz = range.high_hz;
    const ColumnValues bands_hz = planning::MixBands(fleet, range, total_hz, threads);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i] = std::floor(bands_hz[i] / block_hz_);
    }
  }

  // Gives away the rest, `blocks` in all. Returns the gain of the last block.
  double GiveAway(double blocks, int threads) {
    for (const double held : blocks_) blocks -= held;
    FindFirstGains(blocks, threads);
    std::make_heap(heap_.begin(), heap_.end());
    double last_gain = 0;
    for (; blocks > 0 && !heap_.empty(); --blocks) {
      std::pop_heap(heap_.begin(), heap_.end());
      Candidate& best = heap_.back();
      last_gain = best.gain;
      Take(best);
      if (best.gain > 0) {
        std::push_heap(heap_.begin(), heap_.end());
      } else {
        heap_.pop_back();
      }
    }
    return heap_.empty() ? 0 : last_gain;
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

  // Finds the gain of everybody's next block. More candidates than there are blocks are of no use.
  void FindFirstGains(double blocks, int threads) {
    ColumnValues band_hz = Bands(), now(blocks_.size()), next(blocks_.size());
    planning::ProbabilitiesIn(problem_, band_hz, now, threads);
    for (double& band : band_hz) band += block_hz_;
    planning::ProbabilitiesIn(problem_, band_hz, next, threads);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const double gain = problem_.weight[i] * (next[i] - now[i]);
      if (gain > 0) heap_.push_back({gain, i});
    }
    probability_ = std::move(next);
    if (blocks < static_cast<double>(heap_.size())) {
      const auto enough = heap_.begin() + static_cast<std::ptrdiff_t>(blocks);
      std::nth_element(heap_.begin(), enough, heap_.end(),
                       [](const Candidate& a, const Candidate& b) { return b < a; });
      heap_.erase(enough, heap_.end());
    }
  }

  // Gives the device its block and finds what another would gain.
  void Take(Candidate& best) {
    const std::size_t i = best.device;
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

Status ValidateBlocks(const BandProblem& problem, double block_hz) {
  if (auto status = Validate(problem); !status) return status;
  const double blocks = BlocksIn(problem.cell.total_bandwidth_hz, block_hz);
  if (block_hz > 0 && blocks >= 1 && blocks <= kMostBlocks) return {};
  return FieldError("block_hz", base::FormatNumber(block_hz),
                    fmt::format("must be {} to {}, the whole band",
                                base::FormatNumber(problem.cell.total_bandwidth_hz / kMostBlocks),
                                base::FormatNumber(problem.cell.total_bandwidth_hz)));
}

BandSplit ShareBlocks(const BandProblem& problem, double block_hz, int threads) {
  const double devices = static_cast<double>(problem.cell.problem.devices);
  const double blocks = BlocksIn(problem.cell.total_bandwidth_hz, block_hz);
  const planning::BandBuyers fleet = planning::MakeBandBuyers(problem, threads);
  BlockSplit blocks_of(problem, block_hz);
  blocks_of.StartFrom(fleet, blocks, threads);
  const double last_gain = blocks_of.GiveAway(blocks, threads);
  BandSplit split{.bandwidth_hz = blocks_of.Bands(),
                  .price = last_gain / block_hz,
                  .total_bandwidth_hz = problem.cell.total_bandwidth_hz};
  split.value = SplitValue(problem, split.bandwidth_hz, threads);
  split.equal_value = SplitValue(problem, problem.cell.total_bandwidth_hz / devices, threads);
  split.bound = planning::FindPrice(fleet, problem.cell.total_bandwidth_hz, threads).bound;
  return split;
}

}  // namespace airlot
