// This header is for tests only: it calls a kernel of one vector for pairs of numbers.
#if defined(AIRLOT_PLANNING_KERNEL_PAIRS_FOR_TESTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AIRLOT_PLANNING_KERNEL_PAIRS_FOR_TESTS_INL_H_
#undef AIRLOT_PLANNING_KERNEL_PAIRS_FOR_TESTS_INL_H_
#else
#define AIRLOT_PLANNING_KERNEL_PAIRS_FOR_TESTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using TestTag = hn::ScalableTag<double>;
using TestVec = hn::Vec<TestTag>;

// Maps pairs (x, y) to function(x, y).
template <class Function>
void MapPairs(const std::vector<double>& x, const std::vector<double>& y, std::vector<double>& out,
              const Function& function) {
  const TestTag d;
  HWY_ALIGN double lane[hn::MaxLanes(TestTag())];
  for (std::size_t i = 0; i < x.size(); ++i) {
    hn::Store(function(hn::Set(d, x[i]), hn::Set(d, y[i])), d, lane);
    out[i] = lane[0];
  }
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AIRLOT_PLANNING_KERNEL_PAIRS_FOR_TESTS_INL_H_
