#include "planning/concurrent_uploads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "airlot/link.h"

namespace airlot::planning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostSteps = 100;  // Newton takes about 6; a bracket halves to nothing in 60

// Returns y - 1 + e^-y with a relative error below 2e-13, where the plain sum loses all digits for
// small y.
double Excess(double y) {
  if (y > 0.05) return y + std::expm1(-y);
  const double series =
      1 - y / 3 * (1 - y / 4 * (1 - y / 5 * (1 - y / 6 * (1 - y / 7 * (1 - y / 8 * (1 - y / 9))))));
  return y * y / 2 * series;
}

// Takes Newton's steps up to the root of `excess`, concave and rising, from a start below it.
template <class Function>
double RiseToRoot(double y, const Function& excess_and_slope) {
  for (int step = 0; step < kMostSteps; ++step) {
    const auto [excess, slope] = excess_and_slope(y);
    const double next = y - excess / slope;
    if (!(next > y * (1 + 1e-15))) break;
    y = next;
  }
  return y;
}

struct ValueAndSlope {
  double value = 0, slope = 0;
};

// Returns the root of `function`, rising, in [low, high], by Newton's steps or halves of the
// bracket. The last step is small enough to be followed by none that counts, but above the rounding
// of long sums.
template <class Function>
double RootInBracket(double low, double high, double start, double scale,
                     const Function& function) {
  double x = std::clamp(start, low, high);
  for (int step = 0; step < kMostSteps && low < high; ++step) {
    const auto [value, slope] = function(x);
    if (value == 0) break;
    (value < 0 ? low : high) = x;
    const double newton = x - value / slope, distance = std::abs(value);
    const bool is_inside = newton >= low && newton <= high;
    if (distance <= 1e-10) return is_inside ? newton : x;
    const double next = is_inside ? newton : low + (high - low) / 2;
    const double move = std::abs(next - x);
    x = next;
    if (distance <= 1e-7 && move <= 1e-12 * scale) break;
  }
  return x;
}

// Returns what a device has to send.
double Nats(const Cell& cell, std::size_t device) { return NatsOfBits(cell.update_bits[device]); }
// Returns the noise-to-gain in one hertz where noise is a density, else in any band.
double Noise(const Cell& cell, std::size_t device) { return NoiseToGain(cell, device, 1); }
double MostNats(const Cell& cell) { return MaxNatsPerHertz(cell.problem.spectral_efficiency_cap); }

// Makes the bands add up to the whole, from which they differ by rounding.
void Normalise(double total_hz, std::vector<double>& bandwidth_hz) {
  double sum_hz = 0;
  for (const double band_hz : bandwidth_hz) sum_hz += band_hz;
  for (double& band_hz : bandwidth_hz) band_hz *= total_hz / sum_hz;
}

}  // namespace

// ln((e^y - 1)/y) is convex, lies above y/2 and rises by 1/2 to 1 in y: Newton comes down from 2
// times its value.
double NatsOfPower(double log_value) {
  double y = 2 * log_value;
  for (int step = 0; step < kMostSteps; ++step) {
    const double part = -std::expm1(-y);
    const bool is_small = y < 1e-3;  // where the sums would cancel
    const double value = is_small ? y / 2 + y * y / 24 : y + std::log(part / y);
    const double slope = is_small ? 0.5 + y / 12 : 1 / part - 1 / y;
    const double next = y - (value - log_value) / slope;
    if (!(next < y * (1 - 1e-15))) break;
    y = next;
  }
  return y;
}

// 1 + (y - 1)·e^y is 1 at y = 1 and at most y²·e^y/2: both give starts below the root.
double NatsOfPrice(double log_value) {
  const double start = log_value > 0 ? 1 : std::sqrt(2.0) * std::exp((log_value - 1) / 2);
  return RiseToRoot(start, [&](double y) {
    const double excess = Excess(y);
    return ValueAndSlope{y + std::log(excess) - log_value, y / excess};
  });
}

double NatsOfPriceFixedNoise(double log_value) {
  const double start = log_value > 1 ? 1 : std::exp((log_value - 1) / 2);
  return RiseToRoot(start, [&](double y) {
    return ValueAndSlope{y + 2 * std::log(y) - log_value, 1 + 2 / y};
  });
}

double LeastBandNats(const Cell& cell, std::size_t device, double power_w, double upload_s) {
  if (!(upload_s > 0)) return 0;
  const double noise = Noise(cell, device), most = MostNats(cell);
  if (!cell.noise_grows_with_band) return NatsPerHertz(power_w / noise, most);
  const double log_value = std::log(power_w * upload_s / (noise * Nats(cell, device)));
  return log_value > 0 ? std::min(NatsOfPower(log_value), most) : 0;
}

double LeastBand(const Cell& cell, std::size_t device, double power_w, double upload_s) {
  const double nats_per_s_hz = LeastBandNats(cell, device, power_w, upload_s);
  return nats_per_s_hz > 0 ? Nats(cell, device) / (upload_s * nats_per_s_hz) : kInfinity;
}

// The root is between the time of the slowest device, each alone in the whole band, and that of
// taking turns in it after the longest computation: a share of the band carries at least that share
// of the bits. Between them 1/Σ b_i(T) is nearly linear in T: exactly so where the noise is fixed
// and the computations take equally long.
CommonFinish FinishTogether(const Cell& cell, std::span<const std::uint32_t> devices,
                            const ColumnView& power_w) {
  CommonFinish result;
  if (devices.empty()) return result;
  const double total_hz = cell.total_bandwidth_hz, most = MostNats(cell);
  const ColumnView& compute_s = cell.compute_time_s;
  double low_s = 0, longest_s = 0, turns_s = 0;
  for (const std::uint32_t i : devices) {
    const double alone_s = SendTime(cell, i, power_w[i], total_hz, cell.update_bits[i]);
    low_s = std::max(low_s, compute_s[i] + alone_s);
    longest_s = std::max(longest_s, compute_s[i]);
    turns_s += alone_s;
  }

  const auto excess = [&](double finish_s) {  // 1/Σ b - 1/B, in units of 1/B
    double sum_hz = 0, slope = 0;
    for (const std::uint32_t i : devices) {
      const double upload_s = finish_s - compute_s[i];
      const double y = LeastBandNats(cell, i, power_w[i], upload_s);
      if (!(y > 0)) return ValueAndSlope{-1, 0};
      const double band_hz = Nats(cell, i) / (upload_s * y);
      sum_hz += band_hz;
      // By (S11), -d ln b / d ln t is 1 where y stays and y/(y - 1 + e^-y) where it grows with t.
      const bool is_growing = cell.noise_grows_with_band && y < most;
      slope += band_hz / upload_s * (is_growing ? y / Excess(y) : 1);
    }
    return ValueAndSlope{total_hz / sum_hz - 1, total_hz / sum_hz * slope / sum_hz};
  };
  const double high_s = std::max(low_s, longest_s + turns_s);
  result.finish_s = RootInBracket(low_s, high_s, high_s, low_s, excess);

  for (const std::uint32_t i : devices) {
    const double band_hz = LeastBand(cell, i, power_w[i], result.finish_s - compute_s[i]);
    result.bandwidth_hz.push_back(std::min(band_hz, total_hz));  // infinite only by rounding
  }
  Normalise(total_hz, result.bandwidth_hz);
  return result;
}

TimedUpload::TimedUpload(const Cell& cell, std::size_t device, double upload_s)
    : is_density_(cell.noise_grows_with_band),
      nats_(Nats(cell, device)),
      upload_s_(upload_s),
      most_nats_(LeastBandNats(cell, device, cell.problem.max_power_w[device], upload_s)) {
  if (!is_possible()) return;
  const double scale = Noise(cell, device) * upload_s;  // what divides the price in (S13)
  log_scale_ = std::log(is_density_ ? scale : scale * upload_s / nats_);
}

double TimedUpload::NatsAt(double log_price) const {
  const double value = log_price - log_scale_;
  return std::min(most_nats_, is_density_ ? NatsOfPrice(value) : NatsOfPriceFixedNoise(value));
}

double TimedUpload::LogPriceOf(double nats) const {
  return log_scale_ + nats + (is_density_ ? std::log(Excess(nats)) : 2 * std::log(nats));
}

std::optional<LeastEnergy> LeastEnergyBands(const Cell& cell,
                                            std::span<const std::uint32_t> devices,
                                            std::span<const double> upload_s) {
  const double total_hz = cell.total_bandwidth_hz;
  const auto count = double(devices.size());
  std::vector<TimedUpload> bands;
  double least_hz = 0, low = -kInfinity, high = -kInfinity, guess = 0;
  for (std::size_t j = 0; j < devices.size(); ++j) {
    const TimedUpload& band = bands.emplace_back(cell, devices[j], upload_s[j]);
    if (!band.is_possible()) return std::nullopt;
    const double most = band.most_nats(), least = band.BandOf(1) / total_hz;  // in all of the band
    least_hz += band.BandOf(most);
    low = std::max(low, band.LogPriceOf(std::min(most, least)));
    high = std::max(high, band.LogPriceOf(most));
    guess += band.LogPriceOf(std::min(most, least * count)) / count;
  }
  if (least_hz > total_hz * (1 + 1e-9)) return std::nullopt;
  LeastEnergy result;
  if (devices.empty()) return result;

  const auto excess = [&](double log_price) {  // ln(B/Σ b)
    double sum_hz = 0, slope = 0;
    for (const TimedUpload& band : bands) {
      const double y = band.NatsAt(log_price), band_hz = band.BandOf(y);
      sum_hz += band_hz;
      // This adds -d ln b / d ln μ, by (S13).
      if (y < band.most_nats()) {
        slope += band_hz * (cell.noise_grows_with_band ? Excess(y) / (y * y) : 1 / (y + 2));
      }
    }
    return ValueAndSlope{std::log(total_hz / sum_hz), slope / sum_hz};
  };
  const bool has_spare = least_hz < total_hz * (1 - 1e-12);
  const double log_price = has_spare ? RootInBracket(low, high, guess, 1, excess) : high;

  for (const TimedUpload& band : bands) {
    result.bandwidth_hz.push_back(band.BandOf(band.NatsAt(log_price)));
  }
  Normalise(total_hz, result.bandwidth_hz);
  for (std::size_t j = 0; j < devices.size(); ++j) {
    const std::uint32_t i = devices[j];
    const double power_w =
        SendPower(cell, i, result.bandwidth_hz[j], cell.update_bits[i], upload_s[j]);
    result.power_w.push_back(std::min(power_w, cell.problem.max_power_w[i]));
    result.energy_j += result.power_w[j] * upload_s[j];
  }
  return result;
}

}  // namespace airlot::planning
