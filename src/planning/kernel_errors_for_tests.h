// This header is for tests only: it measures the errors of kernels, on every SIMD target, against
// references in extended precision.
#ifndef AIRLOT_PLANNING_KERNEL_ERRORS_FOR_TESTS_H_
#define AIRLOT_PLANNING_KERNEL_ERRORS_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/targets_for_tests.h"

namespace airlot::planning {

using TestColumn = std::vector<double>;
using Real = long double;

// Returns values at equal ratios, both ends included. The ratio of the ends may be beyond all
// doubles.
inline TestColumn LogSpaced(double low, double high, std::size_t count) {
  TestColumn values(count);
  const double width = std::log(high) - std::log(low);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    // Half of the way at a time, because all of it may overflow.
    values[i] = std::min(high, low * std::exp(share * width / 2) * std::exp(share * width / 2));
  }
  values.front() = low;
  values.back() = high;
  return values;
}

// A PairMap writes what a kernel makes of each pair (x, y).
using PairMap = std::function<void(const TestColumn& x, const TestColumn& y, TestColumn& out)>;

// Makes one of an exported function; the target is chosen with each call.
#define AIRLOT_DISPATCHED(function)                       \
  [](const auto& first, const auto& second, auto& made) { \
    HWY_DYNAMIC_DISPATCH(function)(first, second, made);  \
  }

// Expects of a kernel, on every target, that its relative errors are within most(x, y), and that
// this bound is not a thousand times too large everywhere.
inline void ExpectErrors(const TestColumn& x, const TestColumn& y, const PairMap& map,
                         const std::function<Real(Real, Real)>& reference,
                         const std::function<double(double, double)>& most) {
  ASSERT_LT(*std::min_element(x.begin(), x.end()), *std::max_element(x.begin(), x.end()));
  TestColumn bounds(x.size());
  std::vector<Real> exact(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    bounds[i] = most(x[i], y[i]);
    exact[i] = reference(x[i], y[i]);
  }
  base::OnEveryTarget([&] {
    TestColumn out(x.size());
    map(x, y, out);
    double largest = 0;  // in units of the bound
    std::size_t worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Real error = std::abs(out[i] - exact[i]) / std::abs(exact[i]);
      const auto share = static_cast<double>(error / bounds[i]);
      if (!(share <= largest)) {
        largest = share;
        worst = i;
      }
    }
    EXPECT_LE(largest, 1) << "at " << x[worst] << ", " << y[worst] << ": " << out[worst] << " for "
                          << static_cast<double>(exact[worst]);
    EXPECT_GT(largest, 1e-3) << "the stated error could be smaller";
  });
}

// The same with one bound for all.
inline void ExpectErrors(const TestColumn& x, const TestColumn& y, const PairMap& map,
                         const std::function<Real(Real, Real)>& reference, double most) {
  ExpectErrors(x, y, map, reference, [most](double, double) { return most; });
}

// Returns the root of a rising function in [low, high], by halves in the logarithm.
inline Real Bisect(Real low, Real high, const std::function<Real(Real)>& function) {
  for (int i = 0; i < 100; ++i) {
    const Real middle = std::sqrt(low) * std::sqrt(high);
    (function(middle) < 0 ? low : high) = middle;
  }
  return low;
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_KERNEL_ERRORS_FOR_TESTS_H_
