// This file has the path losses of rural macro cells, 3GPP TR 38.901.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "radio/path_loss.h"

namespace airlot::radio {
namespace {

// (R5)
double BreakDistance(const Propagation& propagation, const Path& path) {
  return 2 * std::numbers::pi * path.base_height_m * propagation.device_height_m *
         propagation.frequency_hz / kLightSpeed;
}

// (R6)
double NearDb(const Propagation& propagation, double distance_m) {
  const double h = std::pow(propagation.building_height_m, 1.72);
  return 20 * std::log10(40 * std::numbers::pi * distance_m * propagation.frequency_hz / 3e9) +
         std::min(0.03 * h, 10.0) * std::log10(distance_m) - std::min(0.044 * h, 14.77) +
         0.002 * std::log10(propagation.building_height_m) * distance_m;
}

// (R7)
double SightDb(const Propagation& propagation, const Path& path) {
  const double break_m = BreakDistance(propagation, path);
  if (path.distance_m <= break_m) return NearDb(propagation, path.antenna_distance_m);
  return NearDb(propagation, break_m) + 40 * std::log10(path.antenna_distance_m / break_m);
}

// (R8)
double ObstructedDb(const Propagation& propagation, const Path& path) {
  const double log_base = std::log10(path.base_height_m);
  const double height_ratio = propagation.building_height_m / path.base_height_m;
  const double log_device = std::log10(11.75 * propagation.device_height_m);
  const double obstructed_db =
      161.04 - 7.1 * std::log10(propagation.street_width_m) +
      7.5 * std::log10(propagation.building_height_m) -
      (24.37 - 3.7 * height_ratio * height_ratio) * log_base +
      (43.42 - 3.1 * log_base) * (std::log10(path.antenna_distance_m) - 3) +
      20 * std::log10(propagation.frequency_hz / 1e9) - (3.2 * log_device * log_device - 4.97);
  return std::max(SightDb(propagation, path), obstructed_db);
}

// (R17)
double SightProbability(const Propagation&, double distance_m) {
  return distance_m <= 10 ? 1 : std::exp(-(distance_m - 10) / 1000);
}

double ShadowingSdDb(const Propagation& propagation, const Path& path, bool line_of_sight) {
  if (!line_of_sight) return 8;
  return path.distance_m <= BreakDistance(propagation, path) ? 4 : 6;
}

}  // namespace

constinit const PathLossModel kRma = {.sight_db = SightDb,
                                      .obstructed_db = ObstructedDb,
                                      .sight_probability = SightProbability,
                                      .shadowing_sd_db = ShadowingSdDb,
                                      .rician_k = RicianK{.mean_db = 7, .sd_db = 4},
                                      .has_geometry = true,
                                      .default_base_height_m = 35,
                                      .frequency_hz = {0.5e9, 30e9},
                                      .base_height_m = {10, 150},
                                      .device_height_m = {1, 10},
                                      .building_height_m = {5, 50},
                                      .street_width_m = {5, 50},
                                      .distance_m = {10, 10e3},
                                      .obstructed_distance_m = {10, 5e3}};

}  // namespace airlot::radio
