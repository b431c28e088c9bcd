// These tests find the largest error of each function of closed_form-inl.h, on every target,
// against the mathematics library in extended precision. The bounds are derived in
// docs/mathematics.md, section 5, with fused multiply-adds and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "airlot/planning.h"
#include "airlot/simd_target.h"
#include "planning/kernel_errors_for_tests.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "planning/closed_form_kernels_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "planning/closed_form-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

template <class Function>
void Map(const std::vector<double>& in, std::vector<double>& out, const Function& function) {
  const D d;
  HWY_ALIGN double lane[hn::MaxLanes(D())];
  for (std::size_t i = 0; i < in.size(); ++i) {
    hn::Store(function(hn::Set(d, in[i])), d, lane);
    out[i] = lane[0];
  }
}

void MapApproximateLog(const std::vector<double>& in, std::vector<double>& out) {
  Map(in, out, [](V y) HWY_ATTR { return ApproximateLog(D(), y); });
}
void MapApproximateExpm1(const std::vector<double>& in, std::vector<double>& out) {
  Map(in, out, [](V u) HWY_ATTR { return ApproximateExpm1(D(), u); });
}
void MapExpm1(const std::vector<double>& in, std::vector<double>& out) {
  Map(in, out, [](V u) HWY_ATTR { return Expm1(D(), u); });
}
void MapExpm1Small(const std::vector<double>& in, std::vector<double>& out) {
  Map(in, out, [](V x) HWY_ATTR { return Expm1Small(D(), x); });
}
void MapLog1pSmall(const std::vector<double>& in, std::vector<double>& out) {
  Map(in, out, [](V z) HWY_ATTR { return Log1pSmall(D(), z); });
}
void MapPowerCorrection(const std::vector<double>& in, std::vector<double>& out) {
  Map(in, out, [](V z) HWY_ATTR { return PowerCorrection(D(), z); });
}
void MapApproximateReciprocal(const std::vector<double>& in, std::vector<double>& out) {
  Map(in, out, [](V x) HWY_ATTR { return ApproximateReciprocal(D(), x); });
}
void MapReciprocalFromAbove(const std::vector<double>& in, std::vector<double>& out) {
  Map(in, out, [](V x) HWY_ATTR { return ReciprocalFromAbove(D(), x); });
}
// Here s runs through [0, 1] with the index.
void MapEnergyCorrection(const std::vector<double>& in, std::vector<double>& out) {
  double s = 0;
  Map(in, out, [&s](V z) HWY_ATTR {
    s = std::fmod(s + 0.37, 1.0);
    return EnergyCorrection(D(), z, hn::Set(D(), s));
  });
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::planning {
namespace {

HWY_EXPORT(MapApproximateLog);
HWY_EXPORT(MapApproximateExpm1);
HWY_EXPORT(MapExpm1);
HWY_EXPORT(MapExpm1Small);
HWY_EXPORT(MapLog1pSmall);
HWY_EXPORT(MapPowerCorrection);
HWY_EXPORT(MapApproximateReciprocal);
HWY_EXPORT(MapReciprocalFromAbove);
HWY_EXPORT(MapEnergyCorrection);

constexpr double kRadius = 1.0 / 1024;

// The values have both signs, and 0 is left out.
std::vector<double> AroundZero(double radius) {
  std::vector<double> values = LogSpaced(1e-12, radius, 20'000);
  for (std::size_t i = 0; i < 20'000; ++i) values.push_back(-values[i]);
  return values;
}

template <class Map, class Reference>
void ExpectError(double most, const std::vector<double>& in, const Map& map,
                 const Reference& reference) {
  for (const std::string_view target : SimdTargets()) {
    ASSERT_TRUE(ForceSimdTarget(target));
    std::vector<double> out(in.size());
    map(in, out);
    ForceSimdTarget("");
    long double largest = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const long double exact = reference(static_cast<long double>(in[i]), i);
      if (exact != 0) largest = std::max(largest, std::abs(out[i] / exact - 1));
    }
    EXPECT_LE(largest, most) << target;
    EXPECT_GT(largest, most / 20) << target << ": the stated error could be smaller";
  }
}

TEST(Kernel, ApproximateLog) {
  ExpectError(
      6e-5, LogSpaced(1 + 1e-6, 1e300, 200'000),
      [](const auto& in, auto& out) {
        HWY_DYNAMIC_DISPATCH(MapApproximateLog)
        (in, out);
      },
      [](long double y, std::size_t) { return std::log(y); });
}

TEST(Kernel, ApproximateLogIsZeroAtOne) {
  const std::vector<double> one{1.0};
  std::vector<double> out{2.0};
  HWY_DYNAMIC_DISPATCH(MapApproximateLog)(one, out);
  EXPECT_EQ(out[0], 0);
}

TEST(Kernel, ApproximateExpm1) {
  ExpectError(
      1.2e-5, LogSpaced(1e-12, 708, 200'000),
      [](const auto& in, auto& out) {
        HWY_DYNAMIC_DISPATCH(MapApproximateExpm1)
        (in, out);
      },
      [](long double u, std::size_t) { return std::expm1(u); });
}

TEST(Kernel, Expm1) {
  ExpectError(
      1e-15, LogSpaced(1e-12, 708, 200'000),
      [](const auto& in, auto& out) {
        HWY_DYNAMIC_DISPATCH(MapExpm1)
        (in, out);
      },
      [](long double u, std::size_t) { return std::expm1(u); });
}

TEST(Kernel, ApproximateReciprocal) {
  ExpectError(
      1.4e-4, LogSpaced(1e-200, 1e200, 200'000),
      [](const auto& in, auto& out) {
        HWY_DYNAMIC_DISPATCH(MapApproximateReciprocal)
        (in, out);
      },
      [](long double x, std::size_t) { return 1 / x; });
}

TEST(Kernel, ReciprocalFromAbove) {
  const std::vector<double> in = LogSpaced(1e-200, 1e200, 200'000);
  base::OnEveryTarget([&] {
    std::vector<double> out(in.size());
    HWY_DYNAMIC_DISPATCH(MapReciprocalFromAbove)(in, out);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_GE(out[i] * in[i], 1) << in[i];
      ASSERT_LE(out[i] * in[i], 1.003) << in[i];
    }
  });
}

TEST(Kernel, Expm1Small) {
  ExpectError(
      1.3e-13, AroundZero(2 * kRadius),
      [](const auto& in, auto& out) {
        HWY_DYNAMIC_DISPATCH(MapExpm1Small)
        (in, out);
      },
      [](long double x, std::size_t) { return std::expm1(x); });
}

TEST(Kernel, Log1pSmall) {
  ExpectError(
      1e-15, AroundZero(1.0 / 256),
      [](const auto& in, auto& out) {
        HWY_DYNAMIC_DISPATCH(MapLog1pSmall)
        (in, out);
      },
      [](long double z, std::size_t) { return std::log1p(z); });
}

TEST(Kernel, PowerCorrection) {
  ExpectError(
      2e-13, AroundZero(kRadius),
      [](const auto& in, auto& out) {
        HWY_DYNAMIC_DISPATCH(MapPowerCorrection)
        (in, out);
      },
      [](long double z, std::size_t) { return std::log1p(z); });
}

// The error is relative to δ, whose size is at most the radius.
TEST(Kernel, EnergyCorrection) {
  double s = 0;
  ExpectError(
      2e-13, AroundZero(kRadius),
      [](const auto& in, auto& out) {
        HWY_DYNAMIC_DISPATCH(MapEnergyCorrection)
        (in, out);
      },
      [&s](long double z, std::size_t i) {
        s = i == 0 ? std::fmod(0.37, 1.0) : std::fmod(s + 0.37, 1.0);
        long double delta = z;  // Newton's method on (17)
        for (int step = 0; step < 20; ++step) {
          const long double e = std::expm1(delta);
          delta -= (delta + s * (e - delta) - z) / (1 + s * e);
        }
        return delta;
      });
}

}  // namespace
}  // namespace airlot::planning
#endif  // HWY_ONCE
