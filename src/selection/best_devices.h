// Strategies that always take the same devices: those of largest score.
#ifndef AIRLOT_SELECTION_BEST_DEVICES_H_
#define AIRLOT_SELECTION_BEST_DEVICES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "airlot/selection.h"
#include "selection/able_devices.h"

namespace airlot::selection {

// Selects once for each plan.
class BestDevices : public Strategy {
 public:
  void Select(const SelectionView& view, Selection& selection) final;

 protected:
  virtual std::vector<std::uint32_t> SelectBest(const SelectionView& view) const = 0;

 private:
  AbleDevices able_;
  std::vector<std::uint32_t> devices_;
};

// How many devices a plan expects: its probabilities' sum, rounded (half up).
std::size_t ExpectedDevices(const SelectionView& view);

// The `count` devices of largest score that can take part, in rising order; of equal scores the
// first.
std::vector<std::uint32_t> Largest(const SelectionView& view, std::span<const double> score,
                                   std::size_t count);

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_BEST_DEVICES_H_
