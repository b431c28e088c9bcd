#include "planning/circuit_demand.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planning/solvers.h"

namespace airlot::planning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A price or a constraint is met within this, relative.
constexpr double kTolerance = 1e-12;

}  // namespace

CircuitDemand::CircuitDemand(const BandProblem& problem, std::size_t i)
    : device_(DeviceAt(problem.cell.problem, i)),
      is_density_(problem.cell.noise_grows_with_band),
      nats_(NatsOfBits(problem.cell.update_bits[i])),
      weight_(problem.weight[i]) {
  least_hz_ = nats_ / kLargestInput;
  most_hz_ = nats_ / kSmallestInput;
  if (is_density_) {
    device_.noise_to_gain_w /= problem.cell.bandwidth_hz[i];
    const double per_hz_w = device_.noise_to_gain_w;
    least_hz_ = std::max({least_hz_, kSmallestInput / per_hz_w,
                          device_.max_power_w / per_hz_w * std::exp(-kMostCircuitNats)});
    most_hz_ = std::min(most_hz_, kLargestInput / per_hz_w);
  }
  const bool can_send = device_.energy_budget_j > 0 && device_.has_samples;
  if (!(can_send && weight_ > 0 && least_hz_ < most_hz_)) return;
  choke_price_ = Slope(least_hz_);
  const double full_hz =
      LastBand([&](double band_hz) { return Value(band_hz) < weight_ ? 1.0 : -1.0; });
  saturated_hz_ = full_hz < most_hz_ ? full_hz : kInfinity;
}

Device CircuitDemand::In(double bandwidth_hz) const {
  Device device = device_;
  if (is_density_) device.noise_to_gain_w *= bandwidth_hz;
  device.nat_time_s = nats_ / bandwidth_hz;
  return device;
}

double CircuitDemand::Value(double bandwidth_hz) const {
  return weight_ * SolveScalar(In(bandwidth_hz)).probability;
}

// The slope is (B10), by the multipliers of the constraints that hold the device at its optimum in
// this band.
double CircuitDemand::Slope(double bandwidth_hz) const {
  const Device device = In(bandwidth_hz);
  const auto [a, power_w, finished] = SolveScalar(device);
  if (!(a > 0 && a < 1)) return 0;
  const double u = NatsOf(device, power_w);
  const double sending_s = std::min(device.time_limit_s, a * device.nat_time_s / u);
  const double drawn_w = power_w + device.circuit_power_w;
  const double spent_j = sending_s * drawn_w + a * device.compute_energy_j;
  const bool is_short = spent_j >= device.energy_budget_j * (1 - kTolerance);
  const bool is_power = power_w >= device.max_power_w;
  const bool is_rate = !is_power && u >= device.max_nats * (1 - kTolerance);
  // This is what computation takes of a further nat's energy, beside the upload.
  const double computing_w = u / device.nat_time_s * device.compute_energy_j;
  double share = 1;  // share of the gain that computation leaves
  if (!is_power && !is_rate) {
    const double marginal_w = device.noise_to_gain_w * u * std::exp(u);
    share = marginal_w / (marginal_w + computing_w);
  } else if (is_short) {
    share = drawn_w / (drawn_w + computing_w);
  }
  double nats = u;
  if (is_density_ && !is_rate) {
    nats = EnergySlope(u) * std::exp(-u);  // u - 1 + e^-u
  } else if (is_density_ && is_short) {
    nats = u * device.circuit_power_w / drawn_w;
  }
  return weight_ * sending_s * share * nats / nats_;
}

// The search begins with a bracket, in steps that grow. Then come chords over the logarithm of the
// band, where an end that stays counts half as much each time (Illinois), and halves of the bracket
// where they do not close it.
template <class Excess>
double CircuitDemand::LastBand(const Excess& excess) const {
  double low_hz = std::clamp(nats_ / device_.time_limit_s, least_hz_, most_hz_), high_hz = low_hz;
  double at_low = excess(low_hz), at_high = at_low;
  if (at_low >= 0) {
    for (double step = 4; at_high >= 0; step *= step) {
      if (high_hz == most_hz_) return most_hz_;
      low_hz = high_hz;
      at_low = at_high;
      high_hz = std::min(high_hz * step, most_hz_);
      at_high = excess(high_hz);
    }
  } else {
    for (double step = 4; at_low < 0; step *= step) {
      if (low_hz == least_hz_) return least_hz_;
      high_hz = low_hz;
      at_high = at_low;
      low_hz = std::max(low_hz / step, least_hz_);
      at_low = excess(low_hz);
    }
  }
  bool was_low = false;
  for (int step = 0; high_hz > low_hz * (1 + kTolerance); ++step) {
    const double width = std::log(high_hz / low_hz);
    const double chord = at_low / (at_low - at_high);
    const double share = step % 3 == 2 ? 0.5 : std::clamp(chord, 1e-3, 1 - 1e-3);
    const double middle_hz = low_hz * std::exp(width * share);
    if (!(middle_hz > low_hz && middle_hz < high_hz)) break;
    const double at_middle = excess(middle_hz);
    // The excess of a straight line at its price is the tolerance but for rounding, and the band
    // wanted is the end of the line.
    if (at_middle > -kTolerance && at_middle < 0.99 * kTolerance) return middle_hz;
    const bool is_low = at_middle >= 0;
    if (is_low) {
      low_hz = middle_hz;
      at_low = at_middle;
      if (was_low) at_high /= 2;
    } else {
      high_hz = middle_hz;
      at_high = at_middle;
      if (!was_low) at_low /= 2;
    }
    was_low = is_low;
  }
  return low_hz;
}

double CircuitDemand::BandAt(double price) const {
  return LastBand([&](double band_hz) {
    // Within the tolerance all of a straight line is worth its price.
    return std::log(std::max(Slope(band_hz) / price, 1e-30)) + kTolerance;
  });
}

}  // namespace airlot::planning
