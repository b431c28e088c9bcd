#include "radio/rayleigh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "airlot/simd_target.h"
#include "base/random.h"

namespace airlot::radio {
namespace {

std::vector<std::uint64_t> Bits(std::size_t size) {
  std::vector<std::uint64_t> bits(size);
  base::FirstBits(1, base::Purpose{951}, 0, 0, bits);
  return bits;
}

double Plain(std::uint64_t bits) {
  return -std::log((static_cast<double>(bits >> 12) + 0.5) * 0x1p-52);
}

TEST(RayleighGain, AtItsEnds) {
  EXPECT_NEAR(RayleighGain(0), 53 * std::log(2.0), 1e-13);  // u = 2^-53
  EXPECT_EQ(RayleighGain(~std::uint64_t{0}), 0x1p-53);      // u = 1 - 2^-53
  EXPECT_NEAR(RayleighGain(std::uint64_t{1} << 63), std::log(2.0), 1e-15);
}

TEST(RayleighGains, AreLogarithms) {
  const std::vector<std::uint64_t> bits = Bits(200'000);
  std::vector<double> gains(bits.size());
  RayleighGains(bits, gains);
  double largest = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    largest = std::max(largest, std::abs(gains[i] / Plain(bits[i]) - 1));
  }
  EXPECT_LT(largest, 5e-16);  // 4e-16, and what std::log adds
}

// Around the numbers at which the exponent changes: powers of 2 times sqrt(1/2).
TEST(RayleighGains, AreLogarithmsWhereTheExponentChanges) {
  for (int k = 0; k < 45; ++k) {
    const auto middle = static_cast<std::uint64_t>(std::ldexp(std::sqrt(0.5), 64 - k));
    for (const std::uint64_t bits : {middle - 8192, middle, middle + 8192}) {
      EXPECT_NEAR(RayleighGain(bits) / Plain(bits), 1, 5e-16) << k;
    }
  }
}

TEST(RayleighGains, AreTheSameBitsOnEveryTargetWhateverIsLeftOver) {
  const std::vector<std::uint64_t> bits = Bits(67);
  std::vector<double> expected(bits.size());
  std::ranges::transform(bits, expected.begin(), RayleighGain);
  for (const std::string_view target : SimdTargets()) {
    ASSERT_TRUE(ForceSimdTarget(target));
    for (std::size_t size = 0; size <= bits.size(); ++size) {
      std::vector<double> gains(bits.size(), -1);
      RayleighGains(std::span(bits).first(size), std::span(gains).first(size));
      EXPECT_TRUE(
          std::equal(expected.begin(), expected.begin() + std::ptrdiff_t(size), gains.begin()))
          << target << " " << size;
      EXPECT_EQ(std::count(gains.begin(), gains.end(), -1), std::ptrdiff_t(bits.size() - size));
    }
  }
  ForceSimdTarget("");
}

}  // namespace
}  // namespace airlot::radio
