#include <cmath>

#include "radio/path_loss.h"

namespace airlot::radio {
namespace {

// (R4)
double LossDb(const Propagation&, const Path& path) {
  return 128.1 + 37.6 * std::log10(path.distance_m / 1000);
}

}  // namespace

constinit const PathLossModel kMacro2Ghz = {.sight_db = LossDb, .distance_m = {1, kUnbounded}};

}  // namespace airlot::radio
