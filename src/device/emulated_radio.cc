#include <chrono>
#include <cmath>
#include <thread>

#include "airlot/link.h"
#include "device/radio_control.h"

namespace airlot::device {
namespace {

class EmulatedRadio : public RadioControl {
 public:
  EmulatedRadio(const RadioPhysics& physics, double pace) : physics_(physics), pace_(pace) {}

  Status Refresh(DeviceFigures& figures) override {
    figures.noise_to_gain_w = physics_.noise_to_gain_w;
    return {};
  }

  // (2) to (5), (E1)
  Result<UploadCost> Prepare(const RadioTerms& terms) override {
    const double time_s = TimeOf(terms);
    if (!(terms.power_w > 0) || !std::isfinite(time_s)) {
      return Error{"the radio has no rate on these terms"};
    }
    const double drawn_w =
        DrawnPower(terms.power_w, physics_.amplifier_efficiency, physics_.circuit_power_w);
    return UploadCost{time_s, drawn_w * time_s};
  }

  void Emulate(const RadioTerms& terms) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(TimeOf(terms) / pace_));
  }

 private:
  double TimeOf(const RadioTerms& terms) const {
    double noise_w = physics_.noise_to_gain_w;
    if (physics_.noise_grows_with_band) noise_w *= terms.bandwidth_hz / physics_.own_band_hz;
    return SendTime(
        terms.bits, terms.bandwidth_hz,
        NatsPerHertz(terms.power_w / noise_w, MaxNatsPerHertz(physics_.spectral_efficiency_cap)));
  }

  RadioPhysics physics_;
  double pace_;
};

}  // namespace

std::unique_ptr<RadioControl> MakeEmulatedRadio(const RadioPhysics& physics, double pace) {
  return std::make_unique<EmulatedRadio>(physics, pace);
}

}  // namespace airlot::device
