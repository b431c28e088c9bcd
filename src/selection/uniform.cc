// A fixed number of devices, uniformly and without replacement: the classical FedAvg selection.
// (53)
#include <algorithm>
#include <unordered_set>

#include "selection/purposes.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class Uniform : public Strategy {
 public:
  explicit Uniform(std::size_t count) : count_(count) {}

  // Floyd's algorithm: as many draws as devices are selected, however large the fleet.
  void Select(const SelectionView& view, std::vector<std::uint32_t>& devices) override {
    FindAble(view);
    const std::size_t count = std::min(count_, able_.size());
    base::RandomStream stream(view.seed, kUniform, DrawOf(view), 0);
    std::unordered_set<std::size_t> chosen;
    for (std::size_t last = able_.size() - count; last < able_.size(); ++last) {
      const std::size_t drawn = stream.Below(last + 1);
      chosen.insert(chosen.contains(drawn) ? last : drawn);
    }
    devices.clear();
    for (const std::size_t i : chosen) devices.push_back(able_[i]);
    std::sort(devices.begin(), devices.end());
  }

 private:
  // Those that can take part; again for each plan.
  void FindAble(const SelectionView& view) {
    if (is_found_ && plan_version_ == view.plan_version) return;
    able_.clear();
    for (std::size_t i = 0; i < view.probability.size(); ++i) {
      if (view.probability[i] > 0) able_.push_back(std::uint32_t(i));
    }
    plan_version_ = view.plan_version;
    is_found_ = true;
  }

  std::size_t count_;
  bool is_found_ = false;
  std::uint64_t plan_version_ = 0;
  std::vector<std::uint32_t> able_;
};

}  // namespace

std::unique_ptr<Strategy> MakeUniform(const StrategyOptions& options) {
  return std::make_unique<Uniform>(options.uniform_devices);
}

}  // namespace airlot::selection
