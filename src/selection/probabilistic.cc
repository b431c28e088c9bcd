// The paper's strategy: independent draws with the planned probabilities. (50)
#include <algorithm>

#include "selection/purposes.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

// Devices that share a stream: one stream per device would cost a block of the generator for each.
constexpr std::size_t kGroup = 1024;

class Probabilistic : public Strategy {
 public:
  explicit Probabilistic(const OptionValues&) {}

  void Select(const SelectionView& view, Selection& selection) override {
    const std::size_t size = view.probability.size();
    for (std::size_t first = 0; first < size; first += kGroup) {
      base::RandomStream stream(view.seed, kProbabilistic, DrawOf(view), first / kGroup);
      for (std::size_t i = first; i < std::min(size, first + kGroup); ++i) {
        if (stream.Uniform() < view.probability[i]) selection.devices.push_back(std::uint32_t(i));
      }
    }
  }
};

}  // namespace

const StrategyEntry kProbabilisticEntry = {
    "probabilistic",
    "Each device is drawn on its own with its planned probability.",
    {},
    Make<Probabilistic>};

}  // namespace airlot::selection
