#include "base/random.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace airlot::base {

std::uint64_t RandomStream::NextBits() {
  if (used_ == 4) {
    const r123::Philox4x64 philox;
    const auto out = philox({{counter_[0], counter_[1], counter_[2], counter_[3]}}, {{seed_, 0}});
    for (unsigned i = 0; i < 4; ++i) block_[i] = out[i];
    ++counter_[0];
    used_ = 0;
  }
  return block_[static_cast<unsigned>(used_++)];
}

double RandomStream::Uniform() { return static_cast<double>(NextBits() >> 11) * 0x1p-53; }

double RandomStream::Uniform(double low, double high) {
  AIRLOT_CHECK(low <= high, "low = {}, high = {}", low, high);
  const double value = low + (high - low) * Uniform();
  return value < high ? value : std::nextafter(high, low);  // the sum may round up to `high`
}

double RandomStream::LogUniform(double low, double high) {
  AIRLOT_CHECK(0 < low && low <= high, "low = {}, high = {}", low, high);
  return std::min(high, low * std::exp(Uniform() * std::log(high / low)));
}

std::uint64_t RandomStream::Below(std::uint64_t bound) {
  AIRLOT_CHECK(bound >= 1, "bound = {}", bound);
  // The largest multiple of `bound` cuts off what would favour small numbers.
  const std::uint64_t reject_from = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t bits;
  do bits = NextBits();
  while (bits >= reject_from);
  return bits % bound;
}

double RandomStream::Normal() {
  const double radius = std::sqrt(2 * Exponential());
  return radius * std::cos(2 * std::numbers::pi * Uniform());
}

double RandomStream::Exponential() { return -std::log1p(-Uniform()); }

}  // namespace airlot::base
