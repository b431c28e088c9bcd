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
  void Select(const SelectionView& view, std::vector<std::uint32_t>& devices) override {
    devices.clear();
    const std::size_t size = view.probability.size();
    for (std::size_t first = 0; first < size; first += kGroup) {
      base::RandomStream stream(view.seed, kProbabilistic, DrawOf(view), first / kGroup);
      for (std::size_t i = first; i < std::min(size, first + kGroup); ++i) {
        if (stream.Uniform() < view.probability[i]) devices.push_back(std::uint32_t(i));
      }
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeProbabilistic(const StrategyOptions&) {
  return std::make_unique<Probabilistic>();
}

}  // namespace airlot::selection
