// These are the terms of an airtime problem, one vector of devices at a time.
#if defined(AIRLOT_PLANNING_AIRTIME_TERMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AIRLOT_PLANNING_AIRTIME_TERMS_INL_H_
#undef AIRLOT_PLANNING_AIRTIME_TERMS_INL_H_
#else
#define AIRLOT_PLANNING_AIRTIME_TERMS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "planning/airtime_sums-inl.h"
#include "planning/device.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads a vector of a column; lanes past the end repeat the last device.
HWY_INLINE V LoadLanes(D d, const ColumnView& column, std::size_t i, std::size_t devices) {
  if (column.is_constant()) return hn::Set(d, column.constant());
  if (i + hn::Lanes(d) <= devices) return hn::LoadU(d, column.values().data() + i);
  HWY_ALIGN double lanes[hn::MaxLanes(D())];
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    lanes[lane] = column[std::min(i + lane, devices - 1)];
  }
  return hn::Load(d, lanes);
}

// Terms are one vector of devices as `Device` has them, and what an airtime problem adds.
struct Terms {
  V noise_w, nat_time_s, max_power_w, budget_j, compute_j, circuit_w;
  V weight, price_s_per_j, added_s, priced_s, least, most;
  V inverse_unit;  // 1/(L·g): divisions are what this file spends its time with

  HWY_INLINE V Energy(V upload_s, V m) const {
    return hn::MulAdd(upload_s, hn::MulAdd(noise_w, m, circuit_w), compute_j);
  }
  HWY_INLINE V InverseNoise() const { return hn::Mul(inverse_unit, nat_time_s); }
};

// Devices that cannot take part become others that never do.
HWY_INLINE Terms LoadTerms(D d, const AirtimeProblem& problem, std::size_t i) {
  const PlanningProblem& devices = problem.devices;
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const auto load = [&](const ColumnView& column)
                        HWY_ATTR { return LoadLanes(d, column, i, devices.devices); };
  const EnergyRule rule = EnergyRuleOf(devices);
  const V efficiency = hn::Set(d, rule.efficiency);
  const V compute_j = load(devices.compute_energy_j);
  const V always_j = hn::Mul(compute_j, hn::Set(d, rule.always));
  Terms terms{
      .noise_w = hn::Mul(load(devices.noise_to_gain_w), hn::Set(d, devices.snr_gap)),
      .nat_time_s = load(devices.nat_time_s),
      .max_power_w = load(devices.max_power_w),
      .budget_j =
          hn::Mul(hn::Max(hn::Sub(load(devices.energy_budget_j), always_j), zero), efficiency),
      .compute_j = hn::Mul(hn::Mul(compute_j, hn::Set(d, rule.drawn)), efficiency),
      .circuit_w = hn::Set(d, devices.circuit_power_w * devices.amplifier_efficiency),
      .weight = load(problem.weight),
      .price_s_per_j = hn::Mul(load(problem.energy_price_s_per_j), hn::Set(d, 1 / rule.efficiency)),
      .added_s = load(problem.added_time_s),
      .priced_s = load(problem.priced_time_s),
      .least = load(problem.least_probability),
      .most = load(problem.most_probability),
      .inverse_unit = zero};
  const V place = hn::Iota(d, static_cast<double>(i));
  const auto takes_part =
      hn::And(hn::And(hn::Lt(terms.nat_time_s, hn::Set(d, std::numeric_limits<double>::infinity())),
                      hn::Lt(place, hn::Set(d, static_cast<double>(devices.devices)))),
              hn::And(hn::Gt(terms.budget_j, zero), hn::Gt(terms.most, zero)));
  if (HWY_LIKELY(hn::AllTrue(d, takes_part))) {
    terms.inverse_unit = hn::Div(one, hn::Mul(terms.nat_time_s, terms.noise_w));
    return terms;
  }
  for (V* column :
       {&terms.noise_w, &terms.nat_time_s, &terms.max_power_w, &terms.budget_j, &terms.weight}) {
    *column = hn::IfThenElse(takes_part, *column, one);
  }
  for (V* column : {&terms.compute_j, &terms.price_s_per_j, &terms.added_s, &terms.priced_s,
                    &terms.least, &terms.most}) {
    *column = hn::IfThenElseZero(takes_part, *column);
  }
  terms.inverse_unit = hn::Div(one, hn::Mul(terms.nat_time_s, terms.noise_w));
  return terms;
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AIRLOT_PLANNING_AIRTIME_TERMS_INL_H_
