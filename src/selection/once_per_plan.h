// Strategies whose selection changes only with the plan.
#ifndef AIRLOT_SELECTION_ONCE_PER_PLAN_H_
#define AIRLOT_SELECTION_ONCE_PER_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "airlot/selection.h"

namespace airlot::selection {

// Selects anew when the plan has changed.
class OncePerPlan : public Strategy {
 public:
  void Select(const SelectionView& view, Selection& selection) final {
    if (!selected_ || view.plan_version != plan_version_) {
      std::vector<std::uint32_t> able;
      for (std::size_t i = 0; i < view.probability.size(); ++i) {
        if (view.probability[i] > 0) able.push_back(std::uint32_t(i));
      }
      selected_ = able.empty() ? Selection{} : SelectAmong(*view.cell, able);
      plan_version_ = view.plan_version;
    }
    selection = *selected_;
  }

 protected:
  // `able`: who can take part, in rising order, not empty.
  virtual Selection SelectAmong(const Cell& cell, std::span<const std::uint32_t> able) const = 0;

 private:
  std::optional<Selection> selected_;
  std::uint64_t plan_version_ = 0;
};

// The devices in rising order, each with its terms.
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
