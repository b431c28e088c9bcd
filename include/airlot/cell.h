// The cell: its devices and its radio, and what it costs a device to take part in a round.
#ifndef AIRLOT_CELL_H_
#define AIRLOT_CELL_H_

#include <cstddef>
#include <optional>

#include "airlot/column.h"
#include "airlot/planning.h"

namespace airlot {

// The devices and the radio as the server knows them in a round.
struct Cell {
  PlanningProblem problem;             // its g and L are those in each device's own band
  ColumnView bandwidth_hz;             // of each device's own band, > 0
  ColumnView update_bits;              // of each device's update on the wire, > 0
  double total_bandwidth_hz = 0;       // of the cell, also where the devices' bands add up to less
  bool noise_grows_with_band = false;  // the noise is a density, else a power that any band has
  double model_bits = 0;               // of the model that the server sends
  double server_power_w = 10;
  ColumnView receive_energy_j = 0.0;  // that the problem's E^c has in it
  double least_update_bits = 0;       // of an update that is cut to one number
};

// How a device takes part.
struct Terms {
  double power_w = 0;
  double bandwidth_hz = 0;
  double cpu_share = 1;  // of the frequency that its T^c and E^c hold for, in (0, 1]
  std::optional<double> update_bits = {};  // that its update is cut to: its largest numbers
};
struct ParticipationCost {
  double upload_s = 0;
  double compute_s = 0;
  double energy_j = 0;  // of both; without what is spent in any case (ComputeRule::kAlways)
};

// What the columns of the planning problem hold for a device in another band: its noise-to-gain
// without the SNR gap, and its nat time, which is infinite where it has no samples.
struct BandColumns {
  double noise_to_gain_w = 0;
  double nat_time_s = 0;
};
[[nodiscard]] BandColumns ColumnsIn(const Cell& cell, std::size_t device, double bandwidth_hz);

// Noise over gain of a device in a band, the SNR gap included.
[[nodiscard]] double NoiseToGain(const Cell& cell, std::size_t device, double bandwidth_hz);
// Time to send `bits` at this power in this band. (64)
[[nodiscard]] double SendTime(const Cell& cell, std::size_t device, double power_w,
                              double bandwidth_hz, double bits);
// Power at which they take `time_s`; it may be more than the device has.
[[nodiscard]] double SendPower(const Cell& cell, std::size_t device, double bandwidth_hz,
                               double bits, double time_s);
// Time and energy of taking part once on these terms. (65)
[[nodiscard]] ParticipationCost CostOf(const Cell& cell, std::size_t device, const Terms& terms);
// Time until a device has the model, sent in the whole band; a multicast takes as long as its
// slowest. (66)
[[nodiscard]] double ReceiveTime(const Cell& cell, std::size_t device);

// The two parts of `FixedEnergy::drawn_j`: what computing at a share of the CPU's frequency costs a
// participant, and what receiving the model costs it. Both are 0 where they are spent in any case.
[[nodiscard]] double ComputeEnergy(const Cell& cell, std::size_t device, double cpu_share = 1);
[[nodiscard]] double ReceiveEnergy(const Cell& cell, std::size_t device);

}  // namespace airlot

#endif  // AIRLOT_CELL_H_
