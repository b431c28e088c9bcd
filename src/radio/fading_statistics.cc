// These functions say what fading does to a link on average, and in its worst rounds.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "airlot/radio.h"
#include "base/check.h"

namespace airlot {
namespace {

// Returns x^n e^-x / Γ(n + 1).
double PoissonTerm(double n, double x) {
  if (x == 0) return n == 0 ? 1 : 0;
  return std::exp(n * std::log(x) - x - std::lgamma(n + 1));
}

// Returns the regularised incomplete Gamma function P(a, x): below a + 1 by its power series,
// beyond by the continued fraction of 1 - P (Lentz). It is exact within 1e-11 for a from 0.5 to
// 20000.
double GammaCdf(double a, double x) {
  constexpr double kSmall = 1e-16;
  if (x <= 0) return 0;
  const double front = PoissonTerm(a, x);
  if (x < a + 1) {
    double term = 1, sum = 1;
    for (double n = a + 1; term > kSmall * sum; ++n) sum += term *= x / n;
    return std::min(front * sum, 1.0);
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d;
  for (int i = 1; i < 100'000; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    fraction *= c * d;
    if (std::abs(c * d - 1) < kSmall) break;
  }
  return std::max(1 - front * a * fraction, 0.0);
}

// By (R33), X·(K + 1) is Gamma-distributed of shape 1 + N, where N is Poisson-distributed of mean
// K. P(n, y) = P(n + 1, y) + y^n e^-y / n! leads from the largest n that matters to the least.
double RicianCdf(double k, double x) {
  const double y = (k + 1) * x;
  const double reach = 10 * std::sqrt(k) + 40;
  const double least = std::max(0.0, std::floor(k - reach));
  double n = std::ceil(k + reach);
  double cdf = GammaCdf(n + 1, y), sum = 0;
  for (; n >= least; --n) {
    sum += PoissonTerm(n, k) * cdf;
    cdf += PoissonTerm(n, y);
  }
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace

double FadingCdf(const FadingModel& fading, double rician_k, double gain) {
  if (gain <= 0) return 0;
  switch (fading.kind) {
    case Fading::kNone:
      return gain > 1 ? 1 : 0;
    case Fading::kRayleigh:
      return -std::expm1(-gain);  // (R32)
    case Fading::kRician:
      return RicianCdf(rician_k, gain);
    case Fading::kNakagami:
      return GammaCdf(fading.nakagami_m, fading.nakagami_m * gain);  // (R34)
  }
  AIRLOT_CHECK(false, "fading {}", static_cast<int>(fading.kind));
}

double FadingQuantile(const FadingModel& fading, double rician_k, double share) {
  AIRLOT_CHECK(share > 0 && share < 1, "share = {}", share);
  if (fading.kind == Fading::kNone) return 1;
  double low = std::log(1e-100), high = std::log(1e3);
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (FadingCdf(fading, rician_k, std::exp(middle)) < share ? low : high) = middle;
  }
  return std::exp(high);
}

namespace {

// The mean of a step function is the sum of its steps, each as often as the SNR reaches it. (D10)
double ErgodicTableEfficiency(const FadingModel& fading, const McsTable& table, double rician_k,
                              double effective_snr) {
  double mean = 0, before = 0;
  for (const auto& [snr_db, rate] : table.rows) {
    const double least_gain = FromDecibel(snr_db) / effective_snr;
    const double share = fading.kind == Fading::kNone ? (least_gain <= 1 + kStepSlack ? 1 : 0)
                                                      : 1 - FadingCdf(fading, rician_k, least_gain);
    mean += (rate - before) * share;
    before = rate;
  }
  return mean;
}

}  // namespace

// The integral (R35) is taken by Simpson's rule in log X, in which the integrand is smooth. Below
// the least gain the share of rounds is negligible, or what they carry is.
double ErgodicEfficiency(const FadingModel& fading, const LinkCoding& coding, double rician_k,
                         double snr) {
  constexpr double kNegligible = 1e-14;
  constexpr int kSteps = 2000;
  const double effective_snr = snr / FromDecibel(coding.snr_gap_db);
  if (!coding.mcs.rows.empty()) {
    return ErgodicTableEfficiency(fading, coding.mcs, rician_k, effective_snr);
  }
  const double cap = coding.spectral_efficiency_cap;
  const auto efficiency = [&](double gain) {
    return NatsPerHertz(effective_snr * gain) / std::numbers::ln2;  // (3)
  };
  if (fading.kind == Fading::kNone) return std::min(efficiency(1), cap);
  const double least = std::max(FadingQuantile(fading, rician_k, kNegligible), kNegligible);
  double most = FadingQuantile(fading, rician_k, 1 - kNegligible);
  if (efficiency(most) > cap) most = std::expm1(MaxNatsPerHertz(cap)) / effective_snr;
  if (most <= least) return cap;
  const double step = std::log(most / least) / kSteps;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double gain = least * std::exp(i * step);
    const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * (1 - FadingCdf(fading, rician_k, gain)) * effective_snr * gain /
           (1 + effective_snr * gain);
  }
  return efficiency(least) + sum * step / 3 / std::numbers::ln2;
}

}  // namespace airlot
