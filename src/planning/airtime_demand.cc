#include "planning/airtime_demand.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/shards.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "planning/airtime_demand.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "planning/airtime_terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {

// Adds up those of the groups [begin, end) that are every `stride`-th of the fleet.
AirtimeTotals TotalsOfGroups(AirtimeBuyers& buyers, double log_price, std::size_t stride,
                             double last_step, std::size_t begin, std::size_t end) {
  return WithFairness(buyers, [&](auto fairness) HWY_ATTR {
    const D d;
    const AirtimeColumns columns = ColumnsOf(buyers);
    const PriceLanes<V> at = PriceLanesOf(buyers, log_price, last_step);
    Sums sums = NoSums();
    const std::size_t before = (buyers.first_device / kAirtimePadding + begin) % stride;
    for (std::size_t group = begin + (stride - before) % stride; group < end;) {
      // Where there is no stride, groups make larger blocks.
      std::size_t groups = 1;
      if (stride == 1) groups = std::min(end - group, kAirtimeBlock / kAirtimePadding);
      BuyBlock<decltype(fairness)::value>(
          d, columns, group * kAirtimePadding, groups * kAirtimePadding, at, nullptr, nullptr,
          [&](const Bought<V>& bought) HWY_ATTR { sums.Add(buyers.goal, bought); });
      group += stride == 1 ? groups : stride;
    }
    return sums.Totals();
  });
}

// PlanColumns are where a plan goes.
struct PlanColumns {
  double *probability, *power_w, *upload_s;
};
PlanColumns ColumnsOf(AirtimePlan& plan) {
  return {plan.plan.probability.data(), plan.plan.power_w.data(), plan.upload_s.data()};
}

// At `high_nats` the power is known to the last digit, the cap itself where it is the cap.
HWY_INLINE void StorePlan(D d, const AirtimeBuyers& buyers, V probability, V nats, std::size_t i,
                          const PlanColumns& plan) {
  const V high_w = hn::LoadU(d, buyers.high_power_w.data() + i);
  const V noise_w = hn::LoadU(d, buyers.noise_to_gain_w.data() + i);
  const auto is_high = hn::Ge(nats, hn::LoadU(d, buyers.high_nats.data() + i));
  const V lower_w = hn::Min(hn::Mul(noise_w, Expm1(d, nats)), high_w);
  const auto takes_part = hn::Gt(probability, hn::Zero(d));
  const V upload_s = hn::Div(hn::LoadU(d, buyers.nat_time_s.data() + i), nats);
  hn::StoreU(probability, d, plan.probability + i);
  hn::StoreU(hn::IfThenElseZero(takes_part, hn::IfThenElse(is_high, high_w, lower_w)), d,
             plan.power_w + i);
  hn::StoreU(hn::IfThenElseZero(takes_part, upload_s), d, plan.upload_s + i);
}

AirtimeTotals PlanRange(AirtimeBuyers& buyers, double log_price, std::size_t begin, std::size_t end,
                        AirtimePlan& plan) {
  return WithFairness(buyers, [&](auto fairness) HWY_ATTR {
    const D d;
    const AirtimeColumns columns = ColumnsOf(buyers);
    const PlanColumns outputs = ColumnsOf(plan);
    const PriceLanes<V> at = PriceLanesOf(buyers, log_price, kExactStep);
    Sums sums = NoSums();
    if (log_price == -std::numeric_limits<double>::infinity()) {
      const V no_price = hn::Set(d, NoPrice(decltype(fairness)::value));
      for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
        const Bought<V> bought = BuyMost(d, columns, i, no_price);
        sums.Add(buyers.goal, bought);
        StorePlan(d, buyers, bought.probability, bought.nats, i, outputs);
      }
      return sums.Totals();
    }
    HWY_ALIGN double probability[kAirtimeBlock], nats[kAirtimeBlock];
    for (std::size_t first = begin; first < end; first += kAirtimeBlock) {
      const std::size_t size = std::min(kAirtimeBlock, end - first);
      BuyBlock<decltype(fairness)::value>(d, columns, first, size, at, probability, nats,
                                          [&](const Bought<V>& bought)
                                              HWY_ATTR { sums.Add(buyers.goal, bought); });
      for (std::size_t k = 0; k < size; k += hn::Lanes(d)) {
        StorePlan(d, buyers, hn::Load(d, probability + k), hn::Load(d, nats + k), first + k,
                  outputs);
      }
    }
    return sums.Totals();
  });
}

// Returns the devices of `most` at an extra price of energy. The derivative is that of (A7).
HWY_INLINE Bought<V> SlowLanes(D d, const AirtimeProblem& problem, const Bought<V>& most,
                               std::size_t i, double extra_price) {
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const Terms terms = LoadTerms(d, problem, i);
  const V extra = hn::Set(d, extra_price / problem.devices.amplifier_efficiency);
  const V price = hn::Add(terms.price_s_per_j, extra);
  const V slope = hn::Div(hn::Add(hn::Div(one, price), terms.circuit_w), terms.noise_w);
  const V root = hn::Max(NatsOfSlope(d, slope, hn::Ge(one, one)), hn::Set(d, kSlowestNats));
  const auto moves = hn::Lt(root, most.nats);
  const V u = hn::IfThenElse(moves, root, most.nats);
  const V a = most.probability;
  const V upload_s = hn::Div(terms.nat_time_s, u);
  // u·e^u·du = d(slope) = -extra/(price²·g)·d ln(extra).
  const V exponential = hn::Add(Expm1(d, u), one);
  const V shift = hn::Div(hn::Div(extra, hn::Mul(hn::Mul(price, price), terms.noise_w)),
                          hn::Mul(hn::Mul(u, u), exponential));
  return {a, u, hn::Add(upload_s, terms.added_s), zero,
          hn::IfThenElseZero(moves, hn::Mul(hn::Mul(a, upload_s), shift))};
}

AirtimeTotals SlowRange(const AirtimeProblem& problem, AirtimeBuyers& buyers, double extra_price,
                        std::size_t begin, std::size_t end, AirtimePlan* plan) {
  const D d;
  const AirtimeColumns columns = ColumnsOf(buyers);
  const V no_price = hn::Set(d, NoPrice(FairnessOf(buyers)));
  Sums sums = NoSums();
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const Bought<V> most = BuyMost(d, columns, i, no_price);
    const Bought<V> bought = SlowLanes(d, problem, most, i, extra_price);
    sums.Add(AirtimeGoal::kTime, bought);
    if (plan != nullptr) StorePlan(d, buyers, bought.probability, bought.nats, i, ColumnsOf(*plan));
  }
  return sums.Totals();
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::planning {
namespace {

HWY_EXPORT(TotalsOfGroups);
HWY_EXPORT(PlanRange);
HWY_EXPORT(SlowRange);

void Resize(AirtimePlan& plan, std::size_t size) {
  for (ColumnValues* column : {&plan.plan.probability, &plan.plan.power_w, &plan.upload_s}) {
    column->resize(size);
  }
}

// Returns the sum of `work` over the shards of the fleet, in their order.
template <class Work>
AirtimeTotals SumShards(const AirtimeBuyers& buyers, const Hands& hands, const Work& work) {
  AirtimeTotals sum;
  for (const AirtimeTotals& part : base::MapFleet(buyers.nats.size(), hands, work)) sum += part;
  return sum;
}

}  // namespace

AirtimeTotals TotalsAt(AirtimeBuyers& buyers, double log_price, std::size_t stride,
                       double last_step, const Hands& hands) {
  return SumShards(buyers, hands, [&](const base::Shard& shard) {
    return HWY_DYNAMIC_DISPATCH(TotalsOfGroups)(buyers, log_price, stride, last_step,
                                                shard.begin / kAirtimePadding,
                                                shard.end / kAirtimePadding);
  });
}

AirtimeTotals PlanAt(AirtimeBuyers& buyers, double log_price, AirtimePlan& plan,
                     const Hands& hands) {
  Resize(plan, buyers.nats.size());
  const AirtimeTotals sum = SumShards(buyers, hands, [&](const base::Shard& shard) {
    return HWY_DYNAMIC_DISPATCH(PlanRange)(buyers, log_price, shard.begin, shard.end, plan);
  });
  Resize(plan, buyers.devices);
  return sum;
}

AirtimeTotals SlowDown(const AirtimeProblem& problem, AirtimeBuyers& buyers, double log_extra_price,
                       AirtimePlan* plan, const Hands& hands) {
  if (plan != nullptr) Resize(*plan, buyers.nats.size());
  const double extra_price = std::exp(log_extra_price);
  const AirtimeTotals sum = SumShards(buyers, hands, [&](const base::Shard& shard) {
    return HWY_DYNAMIC_DISPATCH(SlowRange)(problem, buyers, extra_price, shard.begin, shard.end,
                                           plan);
  });
  if (plan != nullptr) Resize(*plan, buyers.devices);
  return sum;
}

}  // namespace airlot::planning
#endif  // HWY_ONCE
