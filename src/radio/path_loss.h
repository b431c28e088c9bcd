// Path losses: one function and one file each.
#ifndef AIRLOT_RADIO_PATH_LOSS_H_
#define AIRLOT_RADIO_PATH_LOSS_H_

namespace airlot::radio {

// gain = d^-2 with d in metres, the paper's law. It has no frequency and no antenna: at 1 m nothing
// is lost. Any d >= 1 m.
double InverseSquareGain(double distance_m);

}  // namespace airlot::radio

#endif  // AIRLOT_RADIO_PATH_LOSS_H_
