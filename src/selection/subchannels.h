// Equal parts of the cell's band, each used at full power: the terms of strategies whose sources
// have neither power control nor bands of unequal width.
#ifndef AIRLOT_SELECTION_SUBCHANNELS_H_
#define AIRLOT_SELECTION_SUBCHANNELS_H_

#include <cstddef>

#include "airlot/selection.h"

namespace airlot::selection {

// The terms of a device that uses one of `count` >= 1 equal sub-channels.
inline Terms InSubchannel(const Cell& cell, std::size_t device, std::size_t count) {
  return {.power_w = cell.problem.max_power_w[device],
          .bandwidth_hz = cell.total_bandwidth_hz / double(count)};
}

// Gives each selected device a sub-channel.
inline void ShareEqually(const SelectionView& view, Selection& selection) {
  selection.terms.clear();
  for (const std::uint32_t device : selection.devices) {
    selection.terms.push_back(InSubchannel(*view.cell, device, selection.devices.size()));
  }
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_SUBCHANNELS_H_
