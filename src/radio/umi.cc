// This file has the path losses of urban micro cells in street canyons, 3GPP TR 38.901.
#include <algorithm>
#include <cmath>

#include "radio/break_point.h"
#include "radio/path_loss.h"

namespace airlot::radio {
namespace {

// (R13)
double SightDb(const Propagation& propagation, const Path& path) {
  return TwoSlopesDb(propagation, path, 32.4, 21);
}

// (R14)
double ObstructedDb(const Propagation& propagation, const Path& path) {
  return std::max(SightDb(propagation, path),
                  22.4 + 35.3 * std::log10(path.antenna_distance_m) +
                      21.3 * std::log10(propagation.frequency_hz / 1e9) -
                      0.3 * (propagation.device_height_m - 1.5));
}

// (R19)
double SightProbability(const Propagation&, double distance_m) {
  if (distance_m <= 18) return 1;
  const double near = 18 / distance_m;
  return near + std::exp(-distance_m / 36) * (1 - near);
}

double ShadowingSdDb(const Propagation&, const Path&, bool line_of_sight) {
  return line_of_sight ? 4 : 7.82;
}

}  // namespace

constinit const PathLossModel kUmi = {.sight_db = SightDb,
                                      .obstructed_db = ObstructedDb,
                                      .sight_probability = SightProbability,
                                      .shadowing_sd_db = ShadowingSdDb,
                                      .rician_k = RicianK{.mean_db = 9, .sd_db = 5},
                                      .has_geometry = true,
                                      .default_base_height_m = 10,
                                      .frequency_hz = {0.5e9, 100e9},
                                      .base_height_m = {10, 10},
                                      .device_height_m = {1.5, 22.5},
                                      .distance_m = {10, 5e3},
                                      .obstructed_distance_m = {10, 5e3}};

}  // namespace airlot::radio
