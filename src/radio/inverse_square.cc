#include "radio/path_loss.h"

namespace airlot::radio {

// Paper, section "Communication Model": the received power is P·d^-2.
double InverseSquareGain(double distance_m) { return 1 / (distance_m * distance_m); }

}  // namespace airlot::radio
