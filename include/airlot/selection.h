// Who takes part in a round.
#ifndef AIRLOT_SELECTION_H_
#define AIRLOT_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace airlot {

// What the server knows when it selects.
struct SelectionView {
  std::uint64_t seed = 1;
  std::uint64_t round = 1;
  std::uint64_t attempt = 0;            // counts the draws of a round that is drawn again
  std::uint64_t plan_version = 0;       // another number when the plan has changed
  std::span<const double> probability;  // of each device, as planned; 0: it cannot take part
  std::span<const double> data_share;   // of each device, of all samples
};

// A way to select. What it selects follows from the view alone, and random numbers from (seed,
// round), so that a run can be taken up again; it may keep only what saves it work.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Puts those who take part into `devices`, in rising order; none that cannot.
  virtual void Select(const SelectionView& view, std::vector<std::uint32_t>& devices) = 0;
};

struct StrategyOptions {
  std::size_t uniform_devices = 30;    // uniform: how many it selects
  double deterministic_threshold = 0;  // deterministic: not 0: all of at least this probability
};

struct StrategyEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Strategy> (*make)(const StrategyOptions& options);
};
// The strategies, one file each in src/selection/.
std::span<const StrategyEntry> Strategies();
const StrategyEntry* FindStrategy(std::string_view name);

}  // namespace airlot

#endif  // AIRLOT_SELECTION_H_
