// This file has the path losses of indoor offices, 3GPP TR 38.901.
#include <algorithm>
#include <cmath>

#include "radio/path_loss.h"

namespace airlot::radio {
namespace {

// (R15)
double SightDb(const Propagation& propagation, const Path& path) {
  return 32.4 + 17.3 * std::log10(path.antenna_distance_m) +
         20 * std::log10(propagation.frequency_hz / 1e9);
}

// (R16)
double ObstructedDb(const Propagation& propagation, const Path& path) {
  return std::max(SightDb(propagation, path),
                  17.3 + 38.3 * std::log10(path.antenna_distance_m) +
                      24.9 * std::log10(propagation.frequency_hz / 1e9));
}

// (R20)
double MixedOffice(double distance_m) {
  if (distance_m <= 1.2) return 1;
  if (distance_m < 6.5) return std::exp(-(distance_m - 1.2) / 4.7);
  return 0.32 * std::exp(-(distance_m - 6.5) / 32.6);
}

// (R21)
double OpenOffice(double distance_m) {
  if (distance_m <= 5) return 1;
  if (distance_m <= 49) return std::exp(-(distance_m - 5) / 70.8);
  return 0.54 * std::exp(-(distance_m - 49) / 211.7);
}

double SightProbability(const Propagation& propagation, double distance_m) {
  return propagation.open_office ? OpenOffice(distance_m) : MixedOffice(distance_m);
}

double ShadowingSdDb(const Propagation&, const Path&, bool line_of_sight) {
  return line_of_sight ? 3 : 8.03;
}

}  // namespace

constinit const PathLossModel kInh = {.sight_db = SightDb,
                                      .obstructed_db = ObstructedDb,
                                      .sight_probability = SightProbability,
                                      .shadowing_sd_db = ShadowingSdDb,
                                      .rician_k = RicianK{.mean_db = 7, .sd_db = 4},
                                      .has_geometry = true,
                                      .default_base_height_m = 3,
                                      .frequency_hz = {0.5e9, 100e9},
                                      .antenna_distance_m = {1, 150}};

}  // namespace airlot::radio
