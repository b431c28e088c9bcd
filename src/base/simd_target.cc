#include "airlot/simd_target.h"

#include <hwy/targets.h>

#include <cstdint>

namespace airlot {
namespace {

// Highway names the best target by its lowest set bit.
std::int64_t BestOf(std::int64_t targets) { return targets & -targets; }

}  // namespace

std::string_view SimdTarget() {
  return hwy::TargetName(BestOf(hwy::SupportedTargets() & HWY_TARGETS));
}

std::vector<std::string_view> SimdTargets() {
  std::vector<std::string_view> names;
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    names.emplace_back(hwy::TargetName(BestOf(rest)));
  }
  return names;
}

bool ForceSimdTarget(std::string_view name) {
  hwy::SetSupportedTargetsForTest(0);
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    if (name != hwy::TargetName(BestOf(rest))) continue;
    hwy::SetSupportedTargetsForTest(BestOf(rest));
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return name.empty();
}

}  // namespace airlot
