// The urban models share two slopes that meet where the wave that the ground reflects begins to
// cancel the direct one.
#ifndef AIRLOT_RADIO_BREAK_POINT_H_
#define AIRLOT_RADIO_BREAK_POINT_H_

#include <cmath>

#include "radio/path_loss.h"

namespace airlot::radio {

// (R9)
inline double BreakDistance(const Propagation& propagation, const Path& path) {
  return 4 * (path.base_height_m - path.environment_height_m) *
         (propagation.device_height_m - path.environment_height_m) * propagation.frequency_hz /
         kLightSpeed;
}

// The loss is offset + slope·log10 d + 20·log10 f up to the break point, and 40·log10 d beyond it:
// (R11), (R13). The two agree at the break point.
inline double TwoSlopesDb(const Propagation& propagation, const Path& path, double offset_db,
                          double slope_db) {
  const double break_m = BreakDistance(propagation, path);
  const double frequency_db = 20 * std::log10(propagation.frequency_hz / 1e9);
  const double log_distance = std::log10(path.antenna_distance_m);
  if (path.distance_m <= break_m) return offset_db + slope_db * log_distance + frequency_db;
  const double log_break =
      std::log10(std::hypot(break_m, path.base_height_m - propagation.device_height_m));
  return offset_db + 40 * log_distance + frequency_db - (40 - slope_db) * log_break;
}

}  // namespace airlot::radio

#endif  // AIRLOT_RADIO_BREAK_POINT_H_
