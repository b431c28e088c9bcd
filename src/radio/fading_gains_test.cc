#include "radio/fading_gains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include "airlot/simd_target.h"
#include "base/random.h"

namespace airlot::radio {
namespace {

std::vector<std::uint64_t> Bits(std::size_t size, std::uint64_t round = 0) {
  std::vector<std::uint64_t> bits(size);
  base::DeviceBits(1, base::Purpose{951}, round, 0, bits);
  return bits;
}

double Uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }
double Plain(std::uint64_t bits) { return -std::log(Uniform(bits)); }
long double Exact(std::uint64_t bits) { return -std::log(static_cast<long double>(Uniform(bits))); }

// fading_gains.h states this of -ln u, and docs/radio.md derives it.
constexpr double kMostError = 8e-16;

double RelativeError(double gain, std::uint64_t bits) {
  return static_cast<double>(std::abs(gain / Exact(bits) - 1));
}

TEST(RayleighGain, AtItsEnds) {
  // u = 2^-53, and the expected number has 4 roundings.
  EXPECT_NEAR(RayleighGain(0) / (53 * std::log(2.0)), 1, kMostError + 4 * 0x1p-53);
  EXPECT_EQ(RayleighGain(~std::uint64_t{0}), 0x1p-53);  // u = 1 - 2^-53
  // u is 2^-53 above 1/2, which is 3 roundings of ln 2.
  EXPECT_NEAR(RayleighGain(std::uint64_t{1} << 63) / std::log(2.0), 1, kMostError + 6 * 0x1p-53);
}

TEST(RayleighGains, AreLogarithms) {
  const std::vector<std::uint64_t> bits = Bits(200'000);
  std::vector<double> gains(bits.size());
  RayleighGains(bits, gains);
  double largest = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    largest = std::max(largest, RelativeError(gains[i], bits[i]));
  }
  EXPECT_LE(largest, kMostError);
  EXPECT_GT(largest, kMostError / 4) << "the stated error could be smaller";
}

// The numbers are around those at which the exponent changes: powers of 2 times sqrt(1/2).
TEST(RayleighGains, AreLogarithmsWhereTheExponentChanges) {
  for (int k = 0; k < 45; ++k) {
    const auto middle = static_cast<std::uint64_t>(std::ldexp(std::sqrt(0.5), 64 - k));
    for (const std::uint64_t bits : {middle - 8192, middle, middle + 8192}) {
      EXPECT_LE(RelativeError(RayleighGain(bits), bits), kMostError) << k;
    }
  }
}

// The reference is (R26) with the angle of (R30): the direct path and the scattered ones as complex
// numbers. The bound is derived in docs/radio.md.
TEST(RicianGains, AreTheSquareOfASum) {
  const std::vector<std::uint64_t> radius = Bits(20'000, 1), phase = Bits(20'000, 2);
  std::vector<double> k(radius.size()), gains(radius.size());
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = static_cast<double>(i % 40) / 4;
  RicianGains(radius, phase, k, gains);
  for (std::size_t i = 0; i < k.size(); ++i) {
    const long double paths = k[i] + 1, angle = std::numbers::pi_v<long double> *
                                                (1 - static_cast<long double>(Uniform(phase[i])));
    const long double power =
        std::norm(std::sqrt(k[i] / paths) + std::polar(std::sqrt(Exact(radius[i]) / paths), angle));
    ASSERT_NEAR(gains[i], static_cast<double>(power), 41 * 0x1p-53 * static_cast<double>(1 + power))
        << i;
  }
}

TEST(RicianGains, AreNeverZero) {
  // Two equal paths stand against each other: -ln u = k.
  const std::uint64_t half = std::uint64_t{1} << 63;
  const double k = RayleighGain(half);
  double gain = -1;
  RicianGains({&half, 1}, std::vector<std::uint64_t>{0}, {&k, 1}, {&gain, 1});
  EXPECT_GE(gain, 0x1p-100);
  EXPECT_LT(gain, 1e-30);  // 2^-100, as the square of a rounding is below 1e-31
}

// Computes (R31) by the library's functions.
double PlainNormal(std::uint64_t radius, std::uint64_t phase) {
  const double cosine = std::cos(std::numbers::pi / 2 * (1 - Uniform(phase)));
  return std::sqrt(2 * Plain(radius)) * (phase % 2 == 0 ? cosine : -cosine);
}

// With ε = 2^-53, a normal number x is off by 11ε of itself by (R28), (R29), a root and a product;
// here, by 3ε of itself and, through the angle, by 3ε of √(-2·ln u) <= 8.6. So the root is off by
// (14·|x| + 26)·ε/√(9d) + 2ε, and d·v by 3·d·root² times that: for d >= 2/3 that is less than
// 45ε·(1 + d·v).
TEST(GammaTries, AreAcceptedAsTheMethodSays) {
  const std::vector<std::uint64_t> radius = Bits(20'000, 1), phase = Bits(20'000, 2),
                                   accept = Bits(20'000, 3);
  std::vector<double> gammas(radius.size()), quick(radius.size());
  for (const double shape : {1.0, 1.5, 30.0}) {
    GammaTries(radius, phase, accept, shape, GammaTest::kQuick, quick);
    GammaTries(radius, phase, accept, shape, GammaTest::kExact, gammas);
    const double d = shape - 1.0 / 3;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < gammas.size(); ++i) {
      const double x = PlainNormal(radius[i], phase[i]), root = 1 + x / std::sqrt(9 * d),
                   v = root * root * root;
      const bool is_accepted = root > 0 && std::log(Uniform(accept[i])) <
                                               0.5 * x * x + d * (1 - v + std::log(v));  // (36)
      ASSERT_NEAR(gammas[i], is_accepted ? d * v : -1, 64 * 0x1p-53 * (1 + d * std::abs(v))) << i;
      if (quick[i] > 0) {
        ASSERT_EQ(quick[i], gammas[i]) << i;
      }
      refused += is_accepted ? 0 : 1;
    }
    EXPECT_GT(refused, 10u);
    EXPECT_LT(refused, 1200u);
    EXPECT_LT(std::ranges::count(quick, -1.0), 2500);
  }
}

TEST(FadingGains, AreTheSameBitsOnEveryTargetWhateverIsLeftOver) {
  const std::vector<std::uint64_t> bits = Bits(67), phase = Bits(67, 1);
  std::vector<double> k(bits.size());
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = static_cast<double>(i % 5);
  struct Case {
    const char* name;
    std::function<void(std::size_t first, std::span<double> out)> fill;
  };
  const Case cases[] = {
      {"rayleigh",
       [&](std::size_t first, std::span<double> out) {
         RayleighGains(std::span(bits).subspan(first, out.size()), out);
       }},
      {"rician",
       [&](std::size_t first, std::span<double> out) {
         RicianGains(std::span(bits).subspan(first, out.size()),
                     std::span(phase).subspan(first, out.size()),
                     std::span(k).subspan(first, out.size()), out);
       }},
      {"gamma",
       [&](std::size_t first, std::span<double> out) {
         GammaTries(std::span(bits).subspan(first, out.size()),
                    std::span(phase).subspan(first, out.size()),
                    std::span(bits).subspan(first, out.size()), 1.5, GammaTest::kExact, out);
       }},
      {"quick gamma", [&](std::size_t first, std::span<double> out) {
         GammaTries(std::span(bits).subspan(first, out.size()),
                    std::span(phase).subspan(first, out.size()),
                    std::span(bits).subspan(first, out.size()), 1.5, GammaTest::kQuick, out);
       }}};
  for (const Case& c : cases) {
    std::vector<double> expected(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) c.fill(i, std::span(expected).subspan(i, 1));
    for (const std::string_view target : SimdTargets()) {
      ASSERT_TRUE(ForceSimdTarget(target));
      for (std::size_t size = 0; size <= bits.size(); ++size) {
        std::vector<double> out(bits.size(), 1e9);
        c.fill(0, std::span(out).first(size));
        EXPECT_TRUE(std::ranges::equal(std::span(expected).first(size), std::span(out).first(size)))
            << c.name << " " << target << " " << size;
        EXPECT_EQ(std::ranges::count(out, 1e9), std::ptrdiff_t(bits.size() - size));
      }
    }
    ForceSimdTarget("");
  }
}

}  // namespace
}  // namespace airlot::radio
