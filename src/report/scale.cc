#include "report/scale.h"

#include <algorithm>
#include <cmath>

#include "report/numbers.h"

namespace airlot::report {
namespace {

std::vector<Tick> LinearTicks(double low, double high, int wanted) {
  std::vector<Tick> ticks;
  const double step = RoundStep((high - low) / wanted);
  const auto first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double i = first; i <= last; ++i) {
    const double value = i == 0 ? 0 : i * step;  // never -0
    ticks.push_back({value, AxisNumber(value)});
  }
  return ticks;
}

std::vector<Tick> LogTicks(double low, double high, int wanted) {
  std::vector<Tick> ticks;
  const int first = int(std::floor(std::log10(low) + 1e-9));
  const int last = int(std::ceil(std::log10(high) - 1e-9));
  const int stride = std::max(1, (last - first + wanted) / (wanted + 1));
  for (int exponent = first; exponent <= last; exponent += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && last - first > 2) break;
      const double value = factor * std::pow(10, exponent);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      ticks.push_back({value, AxisNumber(value)});
    }
  }
  return ticks;
}

}  // namespace

double Scale::operator()(double value) const {
  const double share =
      is_log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return begin + share * (end - begin);
}

std::vector<Tick> Scale::Ticks(int wanted) const {
  return is_log ? LogTicks(low, high, wanted) : LinearTicks(low, high, wanted);
}

Scale RoundScale(double low, double high, bool is_log) {
  if (is_log) {
    if (high <= low) {
      low /= 2;
      high *= 2;
    }
    // To the next 1, 2 or 5.
    const auto down = [](double value) {
      const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
      for (const double factor : {5.0, 2.0}) {
        if (factor * power <= value * (1 + 1e-9)) return factor * power;
      }
      return power;
    };
    return {.low = down(low), .high = 1 / down(1 / high), .is_log = true};
  }
  if (high <= low) high = low + (low == 0 ? 1 : std::abs(low));
  const double step = RoundStep((high - low) / 5);
  return {.low = std::floor(low / step + 1e-9) * step,
          .high = std::ceil(high / step - 1e-9) * step};
}

}  // namespace airlot::report
