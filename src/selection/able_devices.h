// The devices that can take part, found again for each plan only.
#ifndef AIRLOT_SELECTION_ABLE_DEVICES_H_
#define AIRLOT_SELECTION_ABLE_DEVICES_H_

#include <cstdint>
#include <vector>

#include "airlot/selection.h"

namespace airlot::selection {

class AbleDevices {
 public:
  // True where the plan is another one than at the last call: what follows from it is to be
  // computed anew.
  bool Update(const SelectionView& view) {
    if (is_found_ && plan_version_ == view.plan_version) return false;
    devices_.clear();
    for (std::size_t i = 0; i < view.probability.size(); ++i) {
      if (view.probability[i] > 0) devices_.push_back(std::uint32_t(i));
    }
    plan_version_ = view.plan_version;
    is_found_ = true;
    return true;
  }
  const std::vector<std::uint32_t>& devices() const { return devices_; }  // in rising order

 private:
  bool is_found_ = false;
  std::uint64_t plan_version_ = 0;
  std::vector<std::uint32_t> devices_;
};

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_ABLE_DEVICES_H_
