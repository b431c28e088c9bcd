#include <cmath>

#include "radio/path_loss.h"

namespace airlot::radio {
namespace {

// (R3)
double LossDb(const Propagation& propagation, const Path& path) {
  return propagation.reference_loss_db +
         10 * propagation.path_loss_exponent * std::log10(path.distance_m);
}

}  // namespace

constinit const PathLossModel kLogDistance = {.sight_db = LossDb, .distance_m = {1, kUnbounded}};

}  // namespace airlot::radio
