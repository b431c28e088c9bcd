// This file has the path losses of urban macro cells, 3GPP TR 38.901.
#include <algorithm>
#include <cmath>

#include "radio/break_point.h"
#include "radio/path_loss.h"

namespace airlot::radio {
namespace {

// By (R10), this is how much taller devices stand over what reflects waves around them.
double Elevation(const Propagation& propagation, double distance_m) {
  if (propagation.device_height_m <= 13 || distance_m <= 18) return 0;
  return std::pow((propagation.device_height_m - 13) / 10, 1.5) * 1.25 *
         std::pow(distance_m / 100, 3) * std::exp(-distance_m / 150);
}

// (R10)
double DrawEnvironmentHeightM(const Propagation& propagation, double distance_m,
                              base::RandomStream& stream) {
  const double highest_m = HighestEnvironment(propagation);
  if (highest_m < kLowestEnvironmentM) return 1;
  if (stream.Uniform() * (1 + Elevation(propagation, distance_m)) < 1) return 1;
  const auto steps =
      static_cast<std::uint64_t>((highest_m - kLowestEnvironmentM) / kEnvironmentStepM);
  return kLowestEnvironmentM + kEnvironmentStepM * static_cast<double>(stream.Below(steps + 1));
}

// (R11)
double SightDb(const Propagation& propagation, const Path& path) {
  return TwoSlopesDb(propagation, path, 28, 22);
}

// (R12)
double ObstructedDb(const Propagation& propagation, const Path& path) {
  return std::max(SightDb(propagation, path), 13.54 + 39.08 * std::log10(path.antenna_distance_m) +
                                                  20 * std::log10(propagation.frequency_hz / 1e9) -
                                                  0.6 * (propagation.device_height_m - 1.5));
}

// (R18)
double SightProbability(const Propagation& propagation, double distance_m) {
  if (distance_m <= 18) return 1;
  const double near = 18 / distance_m;
  return (near + std::exp(-distance_m / 63) * (1 - near)) *
         (1 + Elevation(propagation, distance_m));
}

double ShadowingSdDb(const Propagation&, const Path&, bool line_of_sight) {
  return line_of_sight ? 4 : 6;
}

}  // namespace

constinit const PathLossModel kUma = {.sight_db = SightDb,
                                      .obstructed_db = ObstructedDb,
                                      .sight_probability = SightProbability,
                                      .shadowing_sd_db = ShadowingSdDb,
                                      .rician_k = RicianK{.mean_db = 9, .sd_db = 3.5},
                                      .draw_environment_height_m = DrawEnvironmentHeightM,
                                      .has_geometry = true,
                                      .default_base_height_m = 25,
                                      .frequency_hz = {0.5e9, 100e9},
                                      .base_height_m = {25, 25},
                                      .device_height_m = {1.5, 22.5},
                                      .distance_m = {10, 5e3},
                                      .obstructed_distance_m = {10, 5e3}};

}  // namespace airlot::radio
