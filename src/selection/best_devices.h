// A BestDevices strategy always takes the same devices, those of largest score.
#ifndef AIRLOT_SELECTION_BEST_DEVICES_H_
#define AIRLOT_SELECTION_BEST_DEVICES_H_

#include <cstdint>
#include <vector>

#include "airlot/selection.h"
#include "airlot/strategy_parts.h"

namespace airlot::selection {

// BestDevices selects once for each plan.
class BestDevices : public Strategy {
 public:
  void Select(const SelectionView& view, Selection& selection) final;
  bool TakesPlannedTerms() const final { return true; }

 protected:
  virtual std::vector<std::uint32_t> SelectBest(const SelectionView& view) const = 0;

 private:
  AbleDevices able_;
  std::vector<std::uint32_t> devices_;
};

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_BEST_DEVICES_H_
