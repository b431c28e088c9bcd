// A RadioControl is a device's radio, as far as a node has a say in it: real, by commands of the
// user, or emulated.
#ifndef AIRLOT_DEVICE_RADIO_CONTROL_H_
#define AIRLOT_DEVICE_RADIO_CONTROL_H_

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "airlot/result.h"

namespace airlot::device {

// DeviceFigures are what a plan must know of a device.
struct DeviceFigures {
  double max_power_w = 0.2;
  double noise_to_gain_w = 1e-6;  // in `bandwidth_hz`
  double bandwidth_hz = 1e6;      // of its own band
  double update_bits = 0;
  double energy_budget_j = 1;  // in a round
  double compute_time_s = 0;
  double compute_energy_j = 0;
  std::optional<double> battery_j = {};
};

// RadioTerms are those of one upload.
struct RadioTerms {
  double power_w = 0;
  double bandwidth_hz = 0;
  double bits = 0;
};

// What an upload takes. What is not known is not set.
struct UploadCost {
  std::optional<double> time_s;
  std::optional<double> energy_j;
};

class RadioControl {
 public:
  virtual ~RadioControl() = default;
  // Looks at channel and battery, where it can.
  virtual Status Refresh(DeviceFigures& figures) = 0;
  // Gets ready for an upload, and says what it will take.
  virtual Result<UploadCost> Prepare(const RadioTerms& terms) = 0;
  // Takes as long as the upload would, if the radio is emulated.
  virtual void Emulate(const RadioTerms& /*terms*/) {}
  // Is told how long the network took for the upload.
  virtual void Sent(const RadioTerms& /*terms*/, double /*sent_s*/) {}
};

// RadioPhysics are how an emulated radio turns power into rate and energy.
struct RadioPhysics {
  double noise_to_gain_w = 1e-6;  // in `own_band_hz`
  double own_band_hz = 1e6;
  bool noise_grows_with_band = false;
  double spectral_efficiency_cap = std::numeric_limits<double>::infinity();
  double amplifier_efficiency = 1;
  double circuit_power_w = 0;
};
// `pace` is how many seconds of the radio pass in one; infinity: nobody waits.
std::unique_ptr<RadioControl> MakeEmulatedRadio(const RadioPhysics& physics, double pace);

// RadioCommands are run by the shell. In `set_power`, {power_w}, {dbm} and {mbm} stand for the
// power; the other two print one number.
struct RadioCommands {
  std::optional<std::string> set_power;
  std::optional<std::string> read_channel;  // noise over gain, in W
  std::optional<std::string> read_battery;
  double battery_unit_j = 1;  // joules of what read_battery prints
};
std::unique_ptr<RadioControl> MakeCommandRadio(RadioCommands commands);

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_RADIO_CONTROL_H_
