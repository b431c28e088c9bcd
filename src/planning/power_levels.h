// The levels of power of many devices, a few devices at a time. (docs/radios.md)
#ifndef AIRLOT_PLANNING_POWER_LEVELS_H_
#define AIRLOT_PLANNING_POWER_LEVELS_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "airlot/planning.h"

namespace airlot::planning {

// PowerLevels returns the levels of the devices of a problem, (D1), to the bit as `VisitLevels`
// does. Levels in steps are quotients of quotients, and a processor waits for each before it begins
// the next one; so a block of devices is divided at once. Where all devices have the same P^max
// they have the same levels, which are then found once.
class PowerLevels {
 private:
  static constexpr std::size_t kBlock = 8;

 public:
  explicit PowerLevels(const PlanningProblem& problem) : problem_(problem) {}
  PowerLevels(const PowerLevels&) = delete;  // The problem is held by reference.
  PowerLevels& operator=(const PowerLevels&) = delete;

  // The levels of one device, the largest first.
  class View {
   public:
    View(const double* first, std::size_t count, double min_power_w)
        : first_(first), count_(count), min_power_w_(min_power_w) {}
    std::size_t size() const { return count_; }
    double operator[](std::size_t level) const {
      return std::max(first_[level * kBlock], min_power_w_);
    }

   private:
    const double* first_;
    std::size_t count_;
    double min_power_w_;  // The last level may miss it by a rounding.
  };
  // The view is valid until the levels of another device are asked for. This is quick if devices
  // are asked for in their order.
  View Of(std::size_t device);

 private:
  void FindSteps(std::size_t first_device);
  void CopyList(std::size_t first_device);

  const PlanningProblem& problem_;
  std::optional<std::size_t> block_;  // whose levels these are
  std::vector<double> levels_w_;      // by level, then by device of the block
  std::size_t counts_[kBlock] = {};
};

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_POWER_LEVELS_H_
