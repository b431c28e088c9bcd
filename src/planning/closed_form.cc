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

// BlockColumns are the columns of a problem, of which a block at a time is read. That a column may
// be a constant is looked at once for each block, and not for each vector.
class BlockColumns {
 public:
  explicit BlockColumns(const PlanningProblem& problem)
      : columns_{&problem.noise_to_gain_w, &problem.nat_time_s,       &problem.max_power_w,
                 &problem.energy_budget_j, &problem.compute_energy_j, &problem.time_limit_s,
                 &problem.compute_time_s},
        snr_gap_(problem.snr_gap),
        rule_(EnergyRuleOf(problem)) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (!columns_[column]->is_constant()) continue;
      std::fill_n(copies_[column], kBlock, columns_[column]->constant());
      begin_[column] = copies_[column];
    }
  }

  const ColumnView& nat_time_s() const { return *columns_[1]; }

  // Goes to the devices [begin, end), at most kBlock. Those past `end` repeat the last one.
  void GoTo(std::size_t begin, std::size_t end) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (columns_[column]->is_constant()) continue;
      const double* const values = columns_[column]->values().data();
      begin_[column] = values + begin;
      if (end - begin == kBlock) continue;
      std::fill(std::copy(values + begin, values + end, copies_[column]), copies_[column] + kBlock,
                values[end - 1]);
      begin_[column] = copies_[column];
    }
  }

  // Loads a vector of devices, of which the first is number i of the block.
  HWY_INLINE DeviceLanes<V> Load(D d, std::size_t i) const {
    const auto load = [&](std::size_t column) HWY_ATTR { return hn::LoadU(d, begin_[column] + i); };
    DeviceLanes<V> lanes{load(0), load(1), load(2), load(3), load(4), load(5), load(6)};
    lanes.noise_to_gain_w = hn::Mul(lanes.noise_to_gain_w, hn::Set(d, snr_gap_));
    // The energies are as `EnergyRule` has them for one device. As it multiplies by 0 or 1 what is
    // fused or multiplied in another order here, the bits are the same.
    const V left_j =
        hn::NegMulAdd(lanes.compute_energy_j, hn::Set(d, rule_.always), lanes.energy_budget_j);
    lanes.energy_budget_j = hn::Mul(hn::Max(left_j, hn::Zero(d)), hn::Set(d, rule_.efficiency));
    lanes.compute_energy_j =
        hn::Mul(lanes.compute_energy_j, hn::Set(d, rule_.drawn * rule_.efficiency));
    return lanes;
  }

 private:
  static constexpr std::size_t kColumns = 7;

  const ColumnView* columns_[kColumns];
  const double* begin_[kColumns];
  double snr_gap_;
  EnergyRule rule_;
  HWY_ALIGN double copies_[kColumns][kBlock];
};

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
HWY_INLINE void SolveBlock(BlockColumns& columns, V max_nats, std::size_t begin, std::size_t end,
                           double* probability, double* power_w) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t size = kWhole ? kBlock : end - begin;
  columns.GoTo(begin, begin + size);
  Block block;
  V longest_s = hn::Zero(d);
  for (std::size_t i = 0; i < size; i += lanes) {
    const DeviceLanes<V> devices = columns.Load(d, i);
    longest_s = hn::Max(longest_s, devices.nat_time_s);
    Normalise<kCountComputeTime>(d, devices, max_nats, block, i);
  }
  if constexpr (!kCountComputeTime) {
    for (std::size_t i = 0; i < size; i += lanes) Start(d, block, i);
  }
  for (std::size_t i = 0; i < size; i += lanes) Approach<kCountComputeTime>(d, block, i);
  for (std::size_t i = 0; i < size; i += lanes) Exponentiate(d, block, i);
  for (std::size_t i = 0; i < size; i += lanes) Resolve<kCountComputeTime>(d, block, i);
  for (std::size_t i = 0; i < size; i += lanes) {
    V a, p;
    Finish<kCountComputeTime>(d, columns.Load(d, i), max_nats, block, i, a, p);
    StoreColumn<kWhole>(d, a, probability, begin + i, end);
    StoreColumn<kWhole>(d, p, power_w, begin + i, end);
  }
  // What the kernel makes of an infinite nat time means nothing.
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Lt(longest_s, hn::Set(d, kNoBand))))) {
    LeaveOutBandless(columns.nat_time_s(), begin, begin + size, probability, power_w);
  }
}

template <bool kCountComputeTime>
void SolveExpectedRange(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                        double* probability, double* power_w) {
  BlockColumns columns(problem);
  const V max_nats = hn::Set(D(), MaxNatsPerHertz(problem.spectral_efficiency_cap));
  for (; begin + kBlock <= end; begin += kBlock) {
    SolveBlock<true, kCountComputeTime>(columns, max_nats, begin, begin + kBlock, probability,
                                        power_w);
  }
  if (begin < end) {
    SolveBlock<false, kCountComputeTime>(columns, max_nats, begin, end, probability, power_w);
  }
}

void SolveDeadlineRange(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                        double* probability, double* power_w) {
  const D d;
  BlockColumns columns(problem);
  const V max_nats = hn::Set(d, MaxNatsPerHertz(problem.spectral_efficiency_cap));
  for (; begin < end; begin += kBlock) {
    const std::size_t stop = std::min(end, begin + kBlock);
    columns.GoTo(begin, stop);
    for (std::size_t i = begin; i < stop; i += hn::Lanes(d)) {
      V a, p;
      SolveDeadline(d, columns.Load(d, i - begin), max_nats, a, p);
      StoreColumn<false>(d, a, probability, i, end);
      StoreColumn<false>(d, p, power_w, i, end);
    }
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

void LeaveOutBandless(const ColumnView& nat_time_s, std::size_t begin, std::size_t end,
                      double* probability, double* power_w) {
  if (nat_time_s.is_constant() && nat_time_s.constant() != kNoBand) return;
  for (std::size_t i = begin; i < end; ++i) {
    if (nat_time_s[i] == kNoBand) probability[i] = power_w[i] = 0;
  }
}

void SolveClosedForm(const PlanningProblem& problem, std::size_t begin, std::size_t end,
                     std::span<double> probability, std::span<double> power_w) {
  if (problem.circuit_power_w == 0) {
    HWY_DYNAMIC_DISPATCH(SolveRange)(problem, begin, end, probability.data(), power_w.data());
    if (problem.time_rule == TimeRule::kExpected) return;
  } else {
    // Circuit power has another closed form, (E6), with one more root to find.
    for (std::size_t i = begin; i < end; ++i) {
      const DevicePlan plan = SolveScalar(DeviceAt(problem, i));
      probability[i] = plan.probability;
      power_w[i] = plan.power_w;
    }
  }
  LeaveOutBandless(problem.nat_time_s, begin, end, probability.data(), power_w.data());
}

}  // namespace airlot::planning
#endif  // HWY_ONCE
