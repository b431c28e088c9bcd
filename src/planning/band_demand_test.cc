// These tests compare the functions of band_demand-inl.h, on every target, with the mathematics
// library in extended precision.
#include "planning/band_demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "planning/band_fleet_for_tests.h"
#include "planning/kernel_errors_for_tests.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "planning/band_demand_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "planning/band_demand-inl.h"
#include "planning/kernel_pairs_for_tests-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {

using TestColumn = std::vector<double>;

void MapLog1p(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec at, TestVec) HWY_ATTR { return Log1p(TestTag(), at); });
}
void MapExcess(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec at, TestVec) HWY_ATTR {
    return Excess(TestTag(), at, Expm1(TestTag(), at));
  });
}
void MapNatsOfRatio(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec at, TestVec) HWY_ATTR { return NatsOfRatio(TestTag(), at); });
}
void MapFixedNoiseRoot(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec p, TestVec b) HWY_ATTR {
    return FixedNoiseRoot(TestTag(), p, b, hn::Eq(p, p));
  });
}
void MapDensityRoot(const TestColumn& x, const TestColumn& y, TestColumn& out) {
  MapPairs(x, y, out, [](TestVec p, TestVec kappa) HWY_ATTR {
    return DensityRoot(TestTag(), p, kappa, hn::Eq(p, p));
  });
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::planning {
namespace {

HWY_EXPORT(MapLog1p);
HWY_EXPORT(MapExcess);
HWY_EXPORT(MapNatsOfRatio);
HWY_EXPORT(MapFixedNoiseRoot);
HWY_EXPORT(MapDensityRoot);

// Returns u - 1 + e^-u.
Real ExactExcess(Real u) {
  if (u > 0.1L) return u + std::expm1(-u);
  Real sum = 0, term = u * u / 2;
  for (int k = 2; k < 25; ++k) {
    sum += term;
    term *= -u / (k + 1);
  }
  return sum;
}

// The bounds are derived in docs/bandwidth.md, "Rounding".
TEST(BandDemandKernel, Log1p) {
  const TestColumn x = LogSpaced(1e-30, 1e250, 20'000);
  ExpectErrors(
      x, x, AIRLOT_DISPATCHED(MapLog1p), [](Real at, Real) { return std::log1p(at); }, 7e-16);
}

TEST(BandDemandKernel, Excess) {
  const TestColumn x = LogSpaced(1e-100, 700, 20'000);
  ExpectErrors(
      x, x, AIRLOT_DISPATCHED(MapExcess), [](Real at, Real) { return ExactExcess(at); }, 1e-13);
}

// For q near 1, where u is about 2·(q - 1), the bound is 8 roundings over u.
TEST(BandDemandKernel, NatsOfRatio) {
  struct Range {
    double low, high, most;
  };
  for (const auto& [low, high, most] :
       {Range{1.001, 1e200, 1e-12}, Range{1.0001, 1.001, 6e-12}, Range{1.00001, 1.0001, 6e-11}}) {
    const TestColumn x = LogSpaced(low, high, 3'000);
    ExpectErrors(
        x, x, AIRLOT_DISPATCHED(MapNatsOfRatio),
        [](Real q, Real) {
          return Bisect(1e-6L, 800, [&](Real u) { return std::expm1(u) / u - q; });
        },
        most);
  }
}

TEST(BandDemandKernel, NatsOfRatioIsZeroUpToOne) {
  const TestColumn x{0, 1e-30, 0.5, 1};
  TestColumn out(x.size());
  HWY_DYNAMIC_DISPATCH(MapNatsOfRatio)(x, x, out);
  for (const double u : out) EXPECT_EQ(u, 0);
}

TEST(BandDemandKernel, FixedNoiseRoot) {
  TestColumn p, b;
  for (const double budget : LogSpaced(1e-70, 1e120, 150)) {
    for (const double share : LogSpaced(1e-15, 1, 40)) {
      b.push_back(budget);
      p.push_back(share * std::log1p(budget));
    }
  }
  ExpectErrors(
      p, b, AIRLOT_DISPATCHED(MapFixedNoiseRoot),
      [](Real price, Real budget) {
        return Bisect(price / 2, 400, [&](Real u) {
          return u * u - price * (ExactExcess(u) + budget * std::exp(-u));
        });
      },
      1e-13);
}

TEST(BandDemandKernel, DensityRoot) {
  TestColumn p, kappa;
  for (const double price : LogSpaced(1e-30, 600, 150)) {
    for (const double compute : LogSpaced(1e-10, 1e30, 40)) {
      p.push_back(price);
      kappa.push_back(compute);
    }
    p.push_back(price);
    kappa.push_back(0);
  }
  ExpectErrors(
      p, kappa, AIRLOT_DISPATCHED(MapDensityRoot),
      [](Real price, Real compute) {
        return Bisect(1e-40L, 800, [&](Real u) {
          return ExactExcess(u) - price * (1 + compute * std::exp(-u));
        });
      },
      1e-13);
}

// What a device buys is what is best for it: no band on a fine grid gains more at that price.
TEST(BandDemand, NoOtherBandGainsMore) {
  std::size_t bought = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(5);
    fleet.Draw(seed + 60'000, seed % 2 == 1);
    const BandBuyers priced = MakeBandBuyers(fleet.problem, 1);
    for (std::size_t i = 0; i < 5; ++i) {
      if (!(priced.choke_price[i] > 0)) continue;
      const double price = priced.choke_price[i] * std::pow(10, -0.3 * double(seed % 17) - 0.1);
      ColumnValues bands_hz(priced.band_scale.size());
      BandsAt(priced, price, true, bands_hz, 1);
      const double own = fleet.Gain(i, bands_hz[i]) - price * bands_hz[i];
      bought += bands_hz[i] > 0 ? 1 : 0;
      for (const double factor : LogSpaced(1e-4, 1e4, 400)) {
        const double other_hz = factor * bands_hz[i];
        // Gains are off by 1e-12 on either side, and with circuit power bands by 3e-12.
        EXPECT_LE(fleet.Gain(i, other_hz) - price * other_hz,
                  own + 1e-11 * fleet.Gain(i, other_hz));
      }
    }
  }
  EXPECT_GT(bought, 500u);
}

// At the choke price it is all the same, above it nothing is bought.
TEST(BandDemand, NothingIsBoughtAboveTheChokePrice) {
  DrawnBandFleet fleet(3);
  fleet.compute_energy_j.assign(3, 0.0);
  fleet.weight = {1, 2, 3};
  const BandBuyers priced = MakeBandBuyers(fleet.problem, 1);
  const double choke = priced.choke_price[1];
  EXPECT_DOUBLE_EQ(choke, 2 * priced.choke_price[0]);
  const Demand at = DemandAt(priced, choke, 1), above = DemandAt(priced, choke * 1.1, 1);
  EXPECT_GT(at.most_hz, 1.9 * at.least_hz);
  EXPECT_EQ(at.next_choke_above, priced.choke_price[2]);
  EXPECT_EQ(at.next_choke_below, priced.choke_price[0]);
  EXPECT_EQ(above.most_hz, at.least_hz);
  EXPECT_EQ(above.next_choke_below, choke);
}

}  // namespace
}  // namespace airlot::planning
#endif  // HWY_ONCE
