#include "base/random.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace airlot {
namespace {

std::array<std::uint64_t, 4> Block(std::uint64_t seed,
                                   const std::array<std::uint64_t, 4>& counter) {
  const r123::Philox4x64 philox;
  const auto out = philox({{counter[0], counter[1], counter[2], counter[3]}}, {{seed, 0}});
  return {out[0], out[1], out[2], out[3]};
}

}  // namespace

std::uint64_t RandomStream::NextBits() {
  if (used_ == 4) {
    block_ = Block(seed_, counter_);
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

// The method is that of Marsaglia and Tsang, "A simple method for generating gamma variables",
// 2000. -Exponential() is the logarithm of a uniform number.
double RandomStream::LogGamma(double shape) {
  AIRLOT_CHECK(shape > 0, "shape = {}", shape);
  if (shape < 1) {  // (35); in two lines, because the order of two calls in one is not fixed
    const double log_gamma = LogGamma(shape + 1);
    return log_gamma - Exponential() / shape;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {  // (36); at least 95 of 100 draws are accepted
    const double x = Normal();
    if (c * x <= -1) continue;
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    const double log_v = std::log(v);
    if (-Exponential() < 0.5 * x * x + d * (1 - v + log_v)) return std::log(d) + log_v;
  }
}

namespace base {

std::array<std::uint64_t, 4> StreamBlock(std::uint64_t seed, Purpose purpose, std::uint64_t round,
                                         std::uint64_t device, std::uint64_t block) {
  return Block(seed, {block, device, round, static_cast<std::uint64_t>(purpose)});
}

void DeviceBits(std::uint64_t seed, Purpose purpose, std::uint64_t round,
                std::uint64_t first_device, std::span<std::uint64_t> bits) {
  std::size_t i = 0;
  const r123::Philox4x64 philox;
  const auto next = [&] {
    return philox({{0, (first_device + i) / 4, round, static_cast<std::uint64_t>(purpose)}},
                  {{seed, 0}});
  };
  const auto some = [&](std::uint64_t from) {
    const auto block = next();
    for (std::size_t word = from; word < 4 && i < bits.size(); ++word) bits[i++] = block[word];
  };
  if (first_device % 4 != 0) some(first_device % 4);
  for (; i + 4 <= bits.size(); i += 4) {
    const auto block = next();
    for (unsigned word = 0; word < 4; ++word) bits[i + word] = block[word];
  }
  if (i < bits.size()) some(0);
}

}  // namespace base
}  // namespace airlot
