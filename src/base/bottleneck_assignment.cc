#include "base/bottleneck_assignment.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.h"

namespace airlot::base {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// A Matching is that of Hopcroft and Karp between devices and blocks: a pair may be used if its
// time is at most `limit_s`.
class Matching {
 public:
  Matching(std::span<const double> time_s, std::size_t blocks, double limit_s)
      : time_s_(time_s),
        limit_s_(limit_s),
        block_of_(time_s.size() / blocks, kNone),
        device_of_(blocks, kNone) {}

  // Says whether every device has a block.
  bool Find() {
    std::size_t matched = 0;
    while (matched < block_of_.size() && FindLayers()) {
      next_block_.assign(block_of_.size(), 0);
      for (std::size_t device = 0; device < block_of_.size(); ++device) {
        if (block_of_[device] == kNone && Extend(device)) ++matched;
      }
    }
    return matched == block_of_.size();
  }

  std::vector<std::size_t> Take() && { return std::move(block_of_); }

 private:
  bool MayUse(std::size_t device, std::size_t block) const {
    return time_s_[device * device_of_.size() + block] <= limit_s_;
  }

  // Finds how many exchanges each device is away from one without a block, and says whether a free
  // block is reached.
  bool FindLayers() {
    layer_.assign(block_of_.size(), kNone);
    std::vector<std::size_t> queue;
    for (std::size_t device = 0; device < block_of_.size(); ++device) {
      if (block_of_[device] != kNone) continue;
      layer_[device] = 0;
      queue.push_back(device);
    }
    bool is_free_reached = false;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (std::size_t block = 0; block < device_of_.size(); ++block) {
        if (!MayUse(queue[i], block)) continue;
        const std::size_t holder = device_of_[block];
        if (holder == kNone) {
          is_free_reached = true;
        } else if (layer_[holder] == kNone) {
          layer_[holder] = layer_[queue[i]] + 1;
          queue.push_back(holder);
        }
      }
    }
    return is_free_reached;
  }

  // Gives the device a block, where its holder can take another of the next
  // layer. A block that was of no help in this phase is not tried again.
  bool Extend(std::size_t device) {
    for (std::size_t& block = next_block_[device]; block < device_of_.size(); ++block) {
      if (!MayUse(device, block)) continue;
      const std::size_t holder = device_of_[block];
      if (holder != kNone && (layer_[holder] != layer_[device] + 1 || !Extend(holder))) continue;
      block_of_[device] = block;
      device_of_[block] = device;
      return true;
    }
    return false;
  }

  std::span<const double> time_s_;
  double limit_s_;
  std::vector<std::size_t> block_of_, device_of_, layer_, next_block_;
};

// Returns a time that no assignment is faster than.
double LeastPossible(std::span<const double> time_s, std::size_t blocks) {
  const std::size_t devices = time_s.size() / blocks;
  double bound_s = -std::numeric_limits<double>::infinity();
  std::vector<double> best_s(blocks, std::numeric_limits<double>::infinity());
  for (std::size_t device = 0; device < devices; ++device) {
    const auto row = time_s.subspan(device * blocks, blocks);
    bound_s = std::max(bound_s, std::ranges::min(row));
    for (std::size_t block = 0; block < blocks; ++block) {
      best_s[block] = std::min(best_s[block], row[block]);
    }
  }
  return devices == blocks ? std::max(bound_s, std::ranges::max(best_s)) : bound_s;
}

}  // namespace

std::vector<std::size_t> FastestAssignment(std::span<const double> time_s, std::size_t devices,
                                           std::size_t blocks) {
  const bool are_alike = time_s.size() == devices;
  AIRLOT_CHECK(devices <= blocks && (are_alike || time_s.size() == devices * blocks),
               "{} times, {} devices, {} blocks", time_s.size(), devices, blocks);
  if (are_alike) {
    std::vector<std::size_t> in_order(devices);
    std::iota(in_order.begin(), in_order.end(), std::size_t{0});
    return in_order;
  }
  const double bound_s = LeastPossible(time_s, blocks);
  Matching fastest(time_s, blocks, bound_s);
  if (fastest.Find()) return std::move(fastest).Take();

  std::vector<double> limits_s;  // what is left: bisect for the least that allows a matching
  std::ranges::copy_if(time_s, std::back_inserter(limits_s),
                       [&](double value_s) { return value_s > bound_s; });
  std::ranges::sort(limits_s);
  const auto is_too_short = [&](double limit_s) {
    return !Matching(time_s, blocks, limit_s).Find();
  };
  const double limit_s = *std::ranges::partition_point(limits_s, is_too_short);
  Matching matching(time_s, blocks, limit_s);
  matching.Find();
  return std::move(matching).Take();
}

}  // namespace airlot::base
