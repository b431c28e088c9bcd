#include "selection/drawing.h"

#include <algorithm>
#include <unordered_set>

namespace airlot::selection {

// Floyd's algorithm: as many draws as devices are selected, however large the
// fleet.
std::vector<std::uint32_t> DrawUniformly(std::span<const std::uint32_t> devices, std::size_t count,
                                         base::RandomStream stream) {
  count = std::min(count, devices.size());
  std::unordered_set<std::size_t> chosen;
  for (std::size_t last = devices.size() - count; last < devices.size(); ++last) {
    const std::size_t drawn = stream.Below(last + 1);
    chosen.insert(chosen.contains(drawn) ? last : drawn);
  }
  std::vector<std::size_t> places(chosen.begin(), chosen.end());
  std::ranges::sort(places);
  std::vector<std::uint32_t> drawn;
  drawn.reserve(count);
  for (const std::size_t place : places) drawn.push_back(devices[place]);
  return drawn;
}

void SelectUniformly(std::span<const std::uint32_t> devices, std::size_t count,
                     base::RandomStream stream, Selection& selection) {
  selection.devices = DrawUniformly(devices, count, stream);
  const std::size_t drawn = selection.devices.size();
  selection.probability.assign(drawn, double(drawn) / double(devices.size()));
}

}  // namespace airlot::selection
