// This header describes a cell by its devices and its radio, and says what it costs a device to
// take part in a round.
#ifndef AIRLOT_CELL_H_
#define AIRLOT_CELL_H_

#include <cstddef>
#include <optional>

#include "airlot/column.h"
#include "airlot/planning.h"

namespace airlot {

// A Cell has the devices and the radio as the server knows them in a round.
struct Cell {
  PlanningProblem problem;             // its g and L are those in each device's own band
  ColumnView bandwidth_hz;             // width of each device's own band, > 0
  ColumnView update_bits;              // size of each device's update on the wire, > 0
  ColumnView compute_time_s = 0.0;     // T^c of each device where the books count it, else 0
  double total_bandwidth_hz = 0;       // band of the cell; the devices' may add up to less
  bool noise_grows_with_band = false;  // the noise is a density, else a power that any band has
  double model_bits = 0;               // size of the model that the server sends
  double server_power_w = 10;
  ColumnView receive_energy_j = 0.0;  // the part of the problem's E^c that receiving takes
  double least_update_bits = 0;       // size of an update that is cut to one number
};

// Terms say how a device takes part.
struct Terms {
  double power_w = 0;
  double bandwidth_hz = 0;
  double cpu_share = 1;  // share of the frequency for which its T^c and E^c hold, in (0, 1]
  std::optional<double> update_bits = {};  // size of its update, cut to its largest numbers
};
// A ParticipationPart says how much of a participation is asked of a device, beside what it sends.
struct ParticipationPart {
  double compute_share = 1;        // share of its T^c and E^c
  bool includes_reception = true;  // whether it pays E^r
};
struct ParticipationCost {
  double upload_s = 0;
  double compute_s = 0;
  double energy_j = 0;  // energy of taking part, without what ComputeRule::kAlways spends
};

// BandColumns are what the columns of the planning problem hold for a device in another band: its
// noise-to-gain without the SNR gap, and its nat time, which is infinite where it has no samples.
struct BandColumns {
  double noise_to_gain_w = 0;
  double nat_time_s = 0;
};
[[nodiscard]] BandColumns ColumnsIn(const Cell& cell, std::size_t device, double bandwidth_hz);

// Returns the noise over gain of a device in a band, the SNR gap included.
[[nodiscard]] double NoiseToGain(const Cell& cell, std::size_t device, double bandwidth_hz);
// Returns the time to send `bits` at this power in this band. (64) It is infinite where the link is
// below the first row of a table of rates.
[[nodiscard]] double SendTime(const Cell& cell, std::size_t device, double power_w,
                              double bandwidth_hz, double bits);
// Returns the power at which sending `bits` takes at most `time_s`; it may be more than the device
// has, and it is infinite where no row of a table of rates is quick enough.
[[nodiscard]] double SendPower(const Cell& cell, std::size_t device, double bandwidth_hz,
                               double bits, double time_s);
// Returns what a device would send with in this band that was told to send with `power_w`: the next
// larger power that its radio has and that reaches the first row of a table of rates, or else its
// largest. Without steps it is `power_w`. (D9)
[[nodiscard]] double FitPower(const Cell& cell, std::size_t device, double bandwidth_hz,
                              double power_w);
// Returns the time and energy of taking part once on these terms, or of a part of it. (65) An
// update of 0 bits is not sent.
[[nodiscard]] ParticipationCost CostOf(const Cell& cell, std::size_t device, const Terms& terms,
                                       const ParticipationPart& part = {});
// Returns the time until a device has the model, sent in the whole band; a multicast takes as long
// as its slowest device. (66) The server sends at the rate of Shannon's formula, whatever table
// devices have.
[[nodiscard]] double ReceiveTime(const Cell& cell, std::size_t device);

// These are the two parts of `FixedEnergy::drawn_j`: what computing at a share of the CPU's
// frequency costs a participant, and what receiving the model costs it. Both are 0 where they are
// spent in any case.
[[nodiscard]] double ComputeEnergy(const Cell& cell, std::size_t device, double cpu_share = 1);
[[nodiscard]] double ReceiveEnergy(const Cell& cell, std::size_t device);

}  // namespace airlot

#endif  // AIRLOT_CELL_H_
