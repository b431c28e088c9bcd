#include "report/scale.h"

#include <algorithm>
#include <cmath>

#include "report/numbers.h"

namespace airlot::report {
namespace {

// The ticks are counted in whole numbers: adding steps up would stand still where a step is less
// than the rounding of the values.
std::vector<Tick> LinearTicks(double low, double high, int wanted) {
  const double step = RoundStep((high - low) / wanted);
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  const int count = int(std::clamp(last - first + 1, 0.0, 4.0 * wanted));
  std::vector<Tick> ticks;
  for (int i = 0; i < count; ++i) {
    const double number = first + i;
    const double value = number == 0 ? 0 : number * step;  // It is never -0.
    ticks.push_back({value, AxisNumber(value, step)});
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

// Returns the next 1, 2 or 5 times a power of ten, downwards.
double RoundDown(double value) {
  const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= value * (1 + 1e-9)) return factor * power;
  }
  return power;
}

}  // namespace

double Scale::operator()(double value) const {
  // A factor of 1e600 between two numbers is infinite, but not the difference of their logarithms.
  const double share = is_log ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low))
                              : (value - low) / (high - low);
  // Comparisons with NaN are false.
  if (!(share > 0)) return begin;
  return share < 1 ? begin + share * (end - begin) : end;
}

std::vector<Tick> Scale::Ticks(int wanted) const {
  return is_log ? LogTicks(low, high, wanted) : LinearTicks(low, high, wanted);
}

Scale ExactScale(double low, double high, bool is_log) {
  low = std::clamp(low, is_log ? kLeastShown : -kMostShown, kMostShown);
  high = std::clamp(high, low, kMostShown);
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= std::max(kNarrowest * size, kLeastShown)) {
    if (is_log) {
      low /= 2;
      high *= 2;
    } else {
      high = low + (size <= kLeastShown ? 1 : size);
    }
  }
  return {.low = low, .high = high, .is_log = is_log};
}

Scale RoundScale(double low, double high, bool is_log) {
  Scale scale = ExactScale(low, high, is_log);
  if (is_log) {
    scale.low = RoundDown(scale.low);
    scale.high = 1 / RoundDown(1 / scale.high);
    return scale;
  }
  const double step = RoundStep((scale.high - scale.low) / 5);
  scale.low = std::floor(scale.low / step + 1e-9) * step;
  scale.high = std::ceil(scale.high / step - 1e-9) * step;
  return scale;
}

}  // namespace airlot::report
