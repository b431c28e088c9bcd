// Selecting devices uniformly, without replacement.
#ifndef AIRLOT_SELECTION_DRAWING_H_
#define AIRLOT_SELECTION_DRAWING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "airlot/selection.h"
#include "base/uniform_draw.h"

namespace airlot::selection {

// Selects `count` of the devices, or all where they are fewer, and says which probability each of
// them had. (53)
inline void SelectUniformly(std::span<const std::uint32_t> devices, std::size_t count,
                            base::RandomStream stream, Selection& selection) {
  selection.devices = base::DrawUniformly(devices, count, stream);
  const std::size_t drawn = selection.devices.size();
  selection.probability.assign(drawn, double(drawn) / double(devices.size()));
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_DRAWING_H_
