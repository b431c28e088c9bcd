#include "learning/control_variates.h"

#include "base/check.h"

namespace airlot::learning {

void ControlCorrection(std::span<const float> server, std::span<const float> own,
                       std::span<float> correction) {
  AIRLOT_CHECK(server.size() == own.size() && server.size() == correction.size(),
               "controls of {} and {}, a correction of {}", server.size(), own.size(),
               correction.size());
  for (std::size_t i = 0; i < correction.size(); ++i) correction[i] = server[i] - own[i];  // (L5)
}

void UpdateControl(std::span<const float> server, std::span<const float> before,
                   std::span<const float> after, std::size_t steps, double rate,
                   std::span<float> own, std::span<float> change) {
  const std::size_t size = server.size();
  AIRLOT_CHECK(
      before.size() == size && after.size() == size && own.size() == size && change.size() == size,
      "controls of {} and {}, a change of {}, parameters of {} and {}", size, own.size(),
      change.size(), before.size(), after.size());
  AIRLOT_CHECK(rate > 0, "rate = {}", rate);
  // Without a step there is no gradient to guess from.
  const bool stepped = steps > 0;
  const auto scale = float(1 / (double(stepped ? steps : 1) * rate));
  for (std::size_t i = 0; i < size; ++i) {  // (L6)
    change[i] = stepped ? (before[i] - after[i]) * scale - server[i] : 0;
    own[i] += change[i];
  }
}

void UpdateServerControl(std::span<const float> sum_of_changes, std::size_t devices,
                         std::span<float> server) {
  AIRLOT_CHECK(sum_of_changes.size() == server.size() && devices > 0,
               "a control of {}, changes of {}, {} devices", server.size(), sum_of_changes.size(),
               devices);
  const auto share = float(1 / double(devices));
  for (std::size_t i = 0; i < server.size(); ++i) server[i] += share * sum_of_changes[i];  // (L7)
}

}  // namespace airlot::learning
