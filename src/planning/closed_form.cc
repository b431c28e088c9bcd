#include "planning/closed_form.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "planning/closed_form.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "planning/closed_form-inl.h"
#include "planning/solvers.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// Loads a vector of a column; lanes past `end` repeat the last device.
template <bool kWhole>
HWY_INLINE V LoadColumn(D d, const ColumnView& column, std::size_t i, std::size_t end) {
  if (column.is_constant()) return hn::Set(d, column.constant());
  if constexpr (kWhole) return hn::LoadU(d, column.values().data() + i);
  HWY_ALIGN double lanes[hn::MaxLanes(D())];
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    lanes[lane] = column[std::min(i + lane, end - 1)];
  }
  return hn::Load(d, lanes);
}

template <bool kWhole>
HWY_INLINE DeviceLanes<V> LoadDevices(D d, const PlanningProblem& problem, std::size_t i,
                                      std::size_t end) {
  const auto load = [&](const ColumnView& column)
                        HWY_ATTR { return LoadColumn<kWhole>(d, column, i, end); };
  DeviceLanes<V> lanes{load(problem.noise_to_gain_w),  load(problem.nat_time_s),
                       load(problem.max_power_w),      load(problem.energy_budget_j),
                       load(problem.compute_energy_j), load(problem.time_limit_s),
                       load(problem.compute_time_s)};
  lanes.noise_to_gain_w = hn::Mul(lanes.noise_to_gain_w, hn::Set(d, problem.snr_gap));
  // The energies are as `EnergyRule` has them for one device.
  const EnergyRule rule = EnergyRuleOf(problem);
  const V always_j = hn::Mul(lanes.compute_energy_j, hn::Set(d, rule.always));
  const V efficiency = hn::Set(d, rule.efficiency);
  lanes.energy_budget_j =
      hn::Mul(hn::Max(hn::Sub(lanes.energy_budget_j, always_j), hn::Zero(d)), efficiency);
  lanes.compute_energy_j =
      hn::Mul(hn::Mul(lanes.compute_energy_j, hn::Set(d, rule.drawn)), efficiency);
  return lanes;
}

template <bool kWhole>
HWY_INLINE void StoreColumn(D d, V values, double* column, std::size_t i, std::size_t end) {
  if constexpr (kWhole) {
    hn::StoreU(values, d, column + i);
  } else if (i < end) {
    HWY_ALIGN double lanes[hn::MaxLanes(D())];
    hn::Store(values, d, lanes);
    std::copy_n(lanes, std::min(hn::Lanes(d), end - i), column + i);
  }
}

// Plans [begin, end), at most kBlock devices; kWhole says that it is just that many.
template <bool kWhole, bool kCountComputeTime>
HWY_INLINE void SolveBlock(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                           double* probability, double* power_w) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V max_nats = hn::Set(d, MaxNatsPerHertz(problem.spectral_efficiency_cap));
  const std::size_t size = kWhole ? kBlock : end - begin;
  Block block;
  for (std::size_t i = 0; i < size; i += lanes) {
    Normalise<kCountComputeTime>(d, LoadDevices<kWhole>(d, problem, begin + i, end), max_nats,
                                 block, i);
  }
  for (std::size_t i = 0; i < size; i += lanes) Approach<kCountComputeTime>(d, block, i);
  for (std::size_t i = 0; i < size; i += lanes) Resolve<kCountComputeTime>(d, block, i);
  for (std::size_t i = 0; i < size; i += lanes) {
    V a, p;
    Finish<kCountComputeTime>(d, LoadDevices<kWhole>(d, problem, begin + i, end), max_nats, block,
                              i, a, p);
    StoreColumn<kWhole>(d, a, probability, begin + i, end);
    StoreColumn<kWhole>(d, p, power_w, begin + i, end);
  }
}

template <bool kCountComputeTime>
void SolveExpectedRange(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                        double* probability, double* power_w) {
  for (; begin + kBlock <= end; begin += kBlock) {
    SolveBlock<true, kCountComputeTime>(problem, begin, begin + kBlock, probability, power_w);
  }
  if (begin < end) {
    SolveBlock<false, kCountComputeTime>(problem, begin, end, probability, power_w);
  }
}

void SolveDeadlineRange(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                        double* probability, double* power_w) {
  const D d;
  const V max_nats = hn::Set(d, MaxNatsPerHertz(problem.spectral_efficiency_cap));
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    V a, p;
    SolveDeadline(d, LoadDevices<false>(d, problem, i, end), max_nats, a, p);
    StoreColumn<false>(d, a, probability, i, end);
    StoreColumn<false>(d, p, power_w, i, end);
  }
}

void SolveRange(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                double* probability, double* power_w) {
  if (problem.time_rule == TimeRule::kDeadline) {
    SolveDeadlineRange(problem, begin, end, probability, power_w);
  } else if (problem.compute_time_s.is_constant() && problem.compute_time_s.constant() == 0) {
    SolveExpectedRange<false>(problem, begin, end, probability, power_w);
  } else {
    SolveExpectedRange<true>(problem, begin, end, probability, power_w);
  }
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::planning {

HWY_EXPORT(SolveRange);

void SolveClosedForm(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                     std::span<double> probability, std::span<double> power_w) {
  if (problem.circuit_power_w == 0) {
    HWY_DYNAMIC_DISPATCH(SolveRange)(problem, begin, end, probability.data(), power_w.data());
    return;
  }
  // Circuit power has another closed form, (E6), with one more root to find.
  for (std::size_t i = begin; i < end; ++i) {
    const DevicePlan plan = SolveScalar(DeviceAt(problem, i));
    probability[i] = plan.probability;
    power_w[i] = plan.power_w;
  }
}

}  // namespace airlot::planning
#endif  // HWY_ONCE
