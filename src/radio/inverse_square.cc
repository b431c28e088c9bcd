#include <algorithm>
#include <cmath>

#include "radio/path_loss.h"

namespace airlot::radio {
namespace {

// (R2); paper, section "Communication Model": the received power is P·d^-2. The law has no
// frequency and no antenna: at 1 m nothing is lost, and closer counts as 1 m.
double LossDb(const Propagation&, const Path& path) {
  return 20 * std::log10(std::max(path.distance_m, 1.0));
}

}  // namespace

constinit const PathLossModel kInverseSquare = {.sight_db = LossDb};

}  // namespace airlot::radio
