#include "report/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "airlot/experiment.h"

namespace airlot::report {
namespace {

// Returns 1/(1 + d₁/(1 + d₂/(1 + …))) with the coefficients of the incomplete beta function, by the
// method of Lentz as Thompson and Barnett changed it: a denominator of 0 becomes tiny. (V11)
double BetaFraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kMost = 100'000;
  const auto not_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double numerator = 1, denominator = 0, fraction = 1;
  for (int n = 1; n < kMost; ++n) {
    const bool is_odd = n % 2 == 1;
    const double m = (n - (is_odd ? 1 : 0)) / 2.0;
    const double coefficient = is_odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                                      : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    denominator = 1 / not_zero(1 + coefficient * denominator);
    numerator = not_zero(1 + coefficient / numerator);
    fraction *= numerator * denominator;
    if (std::abs(numerator * denominator - 1) <= 0x1p-53) break;
  }
  return 1 / fraction;
}

// Returns the regularised incomplete beta function of x, where y = 1 - x is given as well, so that
// neither end loses digits. (V11)
double IncompleteBeta(double x, double y, double a, double b) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - IncompleteBeta(y, x, b, a);
  const double logarithm = a * std::log(x) + b * std::log(y) + std::lgamma(a + b) - std::lgamma(a) -
                           std::lgamma(b) - std::log(a);
  return std::exp(logarithm) * BetaFraction(x, a, b);
}

// Returns the probability of such a mean, or a larger one, where the true mean is 0. Where some
// values are not known or all are 0, nothing speaks against that; where none differs from the
// others by more than the rounding of its digits, there is no telling.
std::optional<double> MeanAtLeast(std::span<const double> values) {
  constexpr double kRounding = 1e-9;
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) return 1;
  const Moments moments = MomentsOf(values);
  if (moments.sd <= kRounding * std::abs(moments.mean)) {
    return moments.mean == 0 ? std::optional(1.0) : std::nullopt;
  }
  return StudentAtLeast(moments.mean / moments.sd * std::sqrt(double(moments.count)),
                        moments.count - 1);
}

}  // namespace

double StudentAtLeast(double t, std::size_t degrees) {
  const auto n = double(degrees);
  // Both shares are of n + t², and neither is a difference.
  const double outside = IncompleteBeta(n / (n + t * t), t * t / (n + t * t), n / 2, 0.5);
  return t > 0 ? outside / 2 : 1 - outside / 2;
}

std::optional<double> PairedTest(std::span<const double> lower, std::span<const double> upper) {
  if (lower.size() < 2) return std::nullopt;
  std::vector<double> mirrored;
  for (const double value : upper) mirrored.push_back(-value);
  const std::optional<double> above = MeanAtLeast(lower), below = MeanAtLeast(mirrored);
  if (!above || !below) return std::nullopt;
  return std::min(1.0, 2 * std::min(*above, *below));
}

std::vector<double> HolmAdjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double one = double(order.size() - k) * p_values[order[k]];
    largest = std::max(largest, std::min(one, 1.0));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

}  // namespace airlot::report
