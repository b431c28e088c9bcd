#include "selection/best_devices.h"

namespace airlot::selection {

void BestDevices::Select(const SelectionView& view, Selection& selection) {
  if (able_.Update(view)) devices_ = SelectBest(view);
  selection.devices = devices_;
}

}  // namespace airlot::selection
