#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "airlot/radio.h"
#include "base/check.h"
#include "radio/path_loss.h"

namespace airlot {
namespace {

constexpr std::array kPathLosses{
    PathLossEntry{PathLoss::kInverseSquare, "inverse-square",
                  "The gain is distance^-2, as in the paper."},
};

}  // namespace

std::span<const PathLossEntry> PathLosses() { return kPathLosses; }

std::string_view Name(PathLoss path_loss) {
  for (const PathLossEntry& entry : kPathLosses) {
    if (entry.path_loss == path_loss) return entry.name;
  }
  AIRLOT_CHECK(false, "path loss {}", static_cast<int>(path_loss));
}

double ToDecibel(double ratio) { return 10 * std::log10(ratio); }
double FromDecibel(double decibel) { return std::pow(10, decibel / 10); }

double PathGain(PathLoss path_loss, double distance_m) {
  const double d = std::max(distance_m, 1.0);
  switch (path_loss) {
    case PathLoss::kInverseSquare:
      return radio::InverseSquareGain(d);
  }
  AIRLOT_CHECK(false, "path loss {}", static_cast<int>(path_loss));
}

double NoisePower(const Radio& radio, double bandwidth_hz) {
  if (!radio.noise_dbm_per_hz) return radio.noise_w;
  // (2): dBm to W is 30 dB.
  return FromDecibel(*radio.noise_dbm_per_hz + radio.noise_figure_db - 30) * bandwidth_hz;
}

double NatTime(double update_bits, double bandwidth_hz) {
  return update_bits * std::numbers::ln2 / bandwidth_hz;
}

LinkBudget ComputeLink(const Radio& radio, double distance_m, double bandwidth_hz, double power_w,
                       double update_bits) {
  LinkBudget link{.distance_m = distance_m, .bandwidth_hz = bandwidth_hz, .power_w = power_w};
  link.gain = PathGain(radio.path_loss, distance_m);
  link.noise_w = NoisePower(radio, bandwidth_hz);
  link.snr = power_w * link.gain / link.noise_w;
  const double shannon =
      std::log1p(link.snr / FromDecibel(radio.snr_gap_db)) / std::numbers::ln2;  // (3)
  link.spectral_efficiency = std::min(shannon, radio.spectral_efficiency_cap);
  link.rate_bps = bandwidth_hz * link.spectral_efficiency;
  link.upload_s = update_bits / link.rate_bps;  // (4)
  link.energy_j = power_w * link.upload_s;      // (5)
  return link;
}

}  // namespace airlot
