// The selection of a OncePerPlan strategy changes only with the plan.
#ifndef AIRLOT_SELECTION_ONCE_PER_PLAN_H_
#define AIRLOT_SELECTION_ONCE_PER_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "airlot/selection.h"
#include "airlot/strategy_parts.h"

namespace airlot::selection {

// OncePerPlan selects anew when the plan has changed.
class OncePerPlan : public Strategy {
 public:
  void Select(const SelectionView& view, Selection& selection) final {
    if (able_.Update(view)) {
      selected_ = able_.devices().empty() ? Selection{} : SelectAmong(view, able_.devices());
    }
    selection = selected_;
  }

 protected:
  // SelectAmong selects among `able`, those who can take part, in rising order and not empty. Of
  // the view it looks only at the plan and the cell.
  virtual Selection SelectAmong(const SelectionView& view,
                                std::span<const std::uint32_t> able) const = 0;

 private:
  AbleDevices able_;
  Selection selected_;
};

// InRisingOrder returns the devices in rising order, each with its terms.
inline Selection InRisingOrder(std::span<const std::uint32_t> devices,
                               std::span<const Terms> terms) {
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t j) { return devices[j]; });
  Selection selection;
  for (const std::size_t j : order) {
    selection.devices.push_back(devices[j]);
    selection.terms.push_back(terms[j]);
  }
  return selection;
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_ONCE_PER_PLAN_H_
