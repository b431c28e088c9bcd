// These functions are SCAFFOLD's arithmetic: Karimireddy et al., "SCAFFOLD" (2020), Algorithm 1,
// option II.
//
// The server keeps a control variate, a guess of the gradient of all devices, and each device keeps
// one, a guess of its own gradient; all are 0 at first.
#ifndef AIRLOT_LEARNING_CONTROL_VARIATES_H_
#define AIRLOT_LEARNING_CONTROL_VARIATES_H_

#include <cstddef>
#include <span>

namespace airlot::learning {

// Computes correction = server - own, which a device adds to its gradients. (L5)
void ControlCorrection(std::span<const float> server, std::span<const float> own,
                       std::span<float> correction);
// Computes a device's new control variate (L6) from the parameters before and after its steps of
// rate `rate`; `change` gets new - old, which is what the device sends. Without a step nothing
// changes.
void UpdateControl(std::span<const float> server, std::span<const float> before,
                   std::span<const float> after, std::size_t steps, double rate,
                   std::span<float> own, std::span<float> change);
// Computes the server's new control variate (L7) from the sum of the participants' changes, in
// their order, and the number of all devices.
void UpdateServerControl(std::span<const float> sum_of_changes, std::size_t devices,
                         std::span<float> server);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_CONTROL_VARIATES_H_
