#include "planning/airtime_demand.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/shards.h"
#include "planning/device.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "planning/airtime_demand.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "planning/airtime_demand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

AirtimeColumns ColumnsOf(AirtimeBuyers& buyers) {
  return {buyers.nat_time_s.data(),
          buyers.added.data(),
          buyers.counted.data(),
          buyers.budget.data(),
          buyers.compute.data(),
          buyers.has_circuits ? buyers.circuit.data() : nullptr,
          buyers.worth.data(),
          buyers.least.data(),
          buyers.free_price.data(),
          buyers.knee_price.data(),
          buyers.low_price.data(),
          buyers.high_nats.data(),
          buyers.high_probability.data(),
          buyers.high_time_s.data(),
          buyers.low_nats.data(),
          buyers.low_probability.data(),
          buyers.nats.data()};
}

Fairness FairnessOf(const AirtimeBuyers& buyers) {
  if (buyers.fairness == 0) return Fairness::kNone;
  if (buyers.fairness == 1) return Fairness::kOne;
  if (buyers.fairness == 2) return Fairness::kTwo;
  return Fairness::kAny;
}

// Calls `work` with the fairness as a constant.
template <class Work>
auto WithFairness(const AirtimeBuyers& buyers, const Work& work) {
  switch (FairnessOf(buyers)) {
    case Fairness::kNone:
      return work(std::integral_constant<Fairness, Fairness::kNone>());
    case Fairness::kOne:
      return work(std::integral_constant<Fairness, Fairness::kOne>());
    case Fairness::kTwo:
      return work(std::integral_constant<Fairness, Fairness::kTwo>());
    case Fairness::kAny:
      break;
  }
  return work(std::integral_constant<Fairness, Fairness::kAny>());
}

PriceLanes<V> PriceLanesOf(const AirtimeBuyers& buyers, double log_price) {
  const D d;
  const double price = std::exp(log_price);
  return {hn::Set(d, HasLogPrices(FairnessOf(buyers)) ? log_price : price), hn::Set(d, 1 / price),
          hn::Set(d, buyers.fairness), hn::Set(d, 1 / buyers.fairness)};
}

// Sums are those of one vector of devices each lane.
struct Sums {
  V seconds, participants, slope;

  void Add(AirtimeGoal goal, const Bought<V>& bought) {
    seconds = hn::MulAdd(bought.probability, bought.time_s, seconds);
    participants = hn::Add(participants, bought.probability);
    slope = hn::Add(slope,
                    goal == AirtimeGoal::kTime ? bought.seconds_slope : bought.probability_slope);
  }
  AirtimeTotals Totals() const {
    const D d;
    return {.seconds = hn::GetLane(hn::SumOfLanes(d, seconds)),
            .participants = hn::GetLane(hn::SumOfLanes(d, participants)),
            .slope = hn::GetLane(hn::SumOfLanes(d, slope))};
  }
};

Sums NoSums() {
  const D d;
  return {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
}

// --- What does not depend on the price -----------------------------------------------------------

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

  HWY_INLINE V UploadEnergy(V u, V m) const {
    return hn::Div(hn::Mul(nat_time_s, hn::MulAdd(noise_w, m, circuit_w)), u);
  }
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
  Terms terms{.noise_w = hn::Mul(load(devices.noise_to_gain_w), hn::Set(d, devices.snr_gap)),
              .nat_time_s = load(devices.nat_time_s),
              .max_power_w = load(devices.max_power_w),
              .budget_j = hn::Mul(hn::Max(hn::Sub(load(devices.energy_budget_j), always_j), zero),
                                  efficiency),
              .compute_j = hn::Mul(hn::Mul(compute_j, hn::Set(d, rule.drawn)), efficiency),
              .circuit_w = hn::Set(d, devices.circuit_power_w * devices.amplifier_efficiency),
              .weight = load(problem.weight),
              .price_s_per_j = hn::Div(load(problem.energy_price_s_per_j), efficiency),
              .added_s = load(problem.added_time_s),
              .priced_s = load(problem.priced_time_s),
              .least = load(problem.least_probability),
              .most = load(problem.most_probability)};
  const V place = hn::Iota(d, static_cast<double>(i));
  const auto takes_part =
      hn::And(hn::And(hn::Lt(terms.nat_time_s, hn::Set(d, std::numeric_limits<double>::infinity())),
                      hn::Lt(place, hn::Set(d, static_cast<double>(devices.devices)))),
              hn::And(hn::Gt(terms.budget_j, zero), hn::Gt(terms.most, zero)));
  if (hn::AllTrue(d, takes_part)) return terms;
  for (V* column :
       {&terms.noise_w, &terms.nat_time_s, &terms.max_power_w, &terms.budget_j, &terms.weight}) {
    *column = hn::IfThenElse(takes_part, *column, one);
  }
  for (V* column : {&terms.compute_j, &terms.price_s_per_j, &terms.added_s, &terms.priced_s,
                    &terms.least, &terms.most}) {
    *column = hn::IfThenElseZero(takes_part, *column);
  }
  return terms;
}

// Returns the largest u: (A7), or where the power or the spectral efficiency ends.
HWY_INLINE V FreeNats(D d, const AirtimeProblem& problem, const Terms& terms, V& at_cap_w) {
  const V one = hn::Set(d, 1.0);
  const double max_nats = MaxNatsPerHertz(problem.devices.spectral_efficiency_cap);
  V u = hn::Set(d, std::min(max_nats, kMostNats));
  auto is_capped = hn::Lt(one, one);
  if (problem.is_power_limited) {
    const V by_power = Log1p(d, hn::Div(terms.max_power_w, terms.noise_w));
    is_capped = hn::Le(by_power, u);
    u = hn::Min(u, by_power);
  }
  const auto has_price = hn::Gt(terms.price_s_per_j, hn::Zero(d));
  if (!hn::AllFalse(d, has_price)) {
    const V price = hn::IfThenElse(has_price, terms.price_s_per_j, one);
    const V slope = hn::Div(hn::Add(hn::Div(one, price), terms.circuit_w), terms.noise_w);
    const V by_price = NatsOfSlope(d, slope, has_price);
    const auto is_less = hn::And(has_price, hn::Lt(by_price, u));
    is_capped = hn::AndNot(is_less, is_capped);
    u = hn::IfThenElse(is_less, by_price, u);
  }
  at_cap_w = hn::IfThenElseZero(is_capped, terms.max_power_w);
  return u;
}

// Returns w·a^-φ/R(u), the price at which (A9) holds at u and a, or its logarithm.
template <Fairness kFairness>
HWY_INLINE V PriceAt(D d, const AirtimeLanes<V>& lanes, V fairness, V worth, V a, V u) {
  const V pull = PullOf<Fairness::kNone>(d, BalanceAt(d, lanes, fairness, u), u);
  const V plain = hn::Mul(worth, pull);
  if constexpr (kFairness == Fairness::kNone) return plain;
  if constexpr (kFairness == Fairness::kOne) return hn::Div(plain, a);
  if constexpr (kFairness == Fairness::kTwo) return hn::Div(plain, hn::Mul(a, a));
  return hn::NegMulAdd(fairness, LogOf(d, a), hn::Add(LogOf(d, worth), LogOf(d, pull)));
}

// Computes one vector of devices, and adds up what they do at both ends of the prices.
template <Fairness kFairness>
HWY_INLINE void PrepareLanes(D d, const AirtimeProblem& problem, AirtimeBuyers& buyers,
                             std::size_t i, Sums& most, Sums& least, V& log_free_price) {
  constexpr bool kLogs = HasLogPrices(kFairness);
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const V fairness = hn::Set(d, buyers.fairness);
  const V no_price = hn::Set(d, kLogs ? -std::numeric_limits<double>::infinity() : 0.0);
  const Terms terms = LoadTerms(d, problem, i);
  const V unit_j = hn::Mul(terms.nat_time_s, terms.noise_w);
  AirtimeLanes<V> lanes{.budget = hn::Div(terms.budget_j, unit_j),
                        .compute = hn::Div(terms.compute_j, unit_j),
                        .circuit = hn::Div(terms.circuit_w, terms.noise_w),
                        .added = hn::Div(hn::Add(terms.added_s, terms.priced_s), terms.nat_time_s),
                        .worth = hn::Div(terms.weight, terms.nat_time_s)};
  V at_cap_w;
  const V free_nats = FreeNats(d, problem, terms, at_cap_w);
  const V m = Expm1(d, free_nats);
  const V free_j = hn::Add(terms.UploadEnergy(free_nats, m), terms.compute_j);
  const V free_upload_s = hn::Div(terms.nat_time_s, free_nats);
  const V free_time_s = hn::Add(free_upload_s, terms.added_s);
  const V free_price = hn::Div(
      terms.weight, hn::MulAdd(terms.price_s_per_j, free_j, hn::Add(free_time_s, terms.priced_s)));
  const V affordable = hn::Div(terms.budget_j, free_j);
  const V power_w = hn::Mul(terms.noise_w, m);

  V high_nats = free_nats, high_time_s = free_time_s;
  V high_probability = hn::Min(terms.most, affordable);
  V high_power_w = hn::IfThenElse(hn::Gt(at_cap_w, zero), at_cap_w, power_w);
  V low_nats = free_nats, low_probability = high_probability;
  V knee_price = no_price, low_price = no_price, floor = hn::Min(terms.least, terms.most);
  V low_time_s = free_time_s;
  const auto is_poor = hn::Gt(terms.most, affordable);
  if (!hn::AllFalse(d, is_poor)) {
    V cheapest = hn::Set(d, kSlowestNats), cheapest_j = hn::Add(unit_j, terms.compute_j);
    if (buyers.has_circuits) {
      cheapest = hn::Min(NatsOfSlope(d, lanes.circuit, is_poor), free_nats);
      cheapest_j = hn::Add(terms.UploadEnergy(cheapest, Expm1(d, cheapest)), terms.compute_j);
    }
    const V best = hn::Div(terms.budget_j, cheapest_j);
    // Returns the u at which the budget pays for just a.
    const auto nats_of = [&](V a, decltype(is_poor) active) HWY_ATTR {
      const V left_j = hn::Sub(hn::Div(terms.budget_j, a), terms.compute_j);
      const V q = hn::Max(hn::Div(left_j, unit_j), one);
      return hn::Min(NatsOfEnergy(d, q, lanes.circuit, cheapest, active), free_nats);
    };
    const auto is_reached = hn::And(is_poor, hn::Lt(terms.most, best));
    low_nats = hn::IfThenElse(is_poor, cheapest, low_nats);
    low_probability = hn::IfThenElse(is_poor, hn::Min(best, terms.most), low_probability);
    if (!hn::AllFalse(d, is_reached)) {
      low_nats = hn::IfThenElse(is_reached, nats_of(terms.most, is_reached), low_nats);
    }
    floor = hn::IfThenElse(is_poor, hn::Min(floor, best), floor);  // (A14)
    const auto is_floored = hn::And(is_poor, hn::Gt(floor, affordable));
    if (!hn::AllFalse(d, is_floored)) {
      const auto is_least = hn::And(is_floored, hn::Ge(floor, best));
      V nats = nats_of(hn::IfThenElse(is_floored, floor, one), is_floored);
      nats = hn::IfThenElse(is_least, cheapest, nats);
      high_nats = hn::IfThenElse(is_floored, hn::Max(nats, low_nats), high_nats);
      high_probability = hn::IfThenElse(is_floored, floor, high_probability);
      const V floor_w = hn::Mul(terms.noise_w, Expm1(d, high_nats));
      high_power_w = hn::IfThenElse(is_floored, hn::Min(floor_w, high_power_w), high_power_w);
      high_time_s = hn::Add(hn::Div(terms.nat_time_s, high_nats), terms.added_s);
    }
    low_time_s = hn::Add(hn::Div(terms.nat_time_s, low_nats), terms.added_s);
    knee_price = hn::IfThenElse(
        is_poor, PriceAt<kFairness>(d, lanes, fairness, lanes.worth, high_probability, high_nats),
        no_price);
    low_price = hn::IfThenElse(
        is_poor, PriceAt<kFairness>(d, lanes, fairness, lanes.worth, low_probability, low_nats),
        no_price);
    if (buyers.has_circuits) {  // at u_0 it is 0 but for rounding
      low_price = hn::IfThenElse(hn::Le(low_nats, cheapest), no_price, low_price);
    }
  }
  if constexpr (kFairness == Fairness::kOne || kFairness == Fairness::kTwo) {
    lanes.worth = hn::Div(lanes.worth, lanes.budget);
  }
  if constexpr (kFairness == Fairness::kTwo) lanes.worth = hn::Div(lanes.worth, lanes.budget);
  if constexpr (kLogs) lanes.worth = LogOf(d, lanes.worth);

  const auto store = [&](V values, ColumnValues& column)
                         HWY_ATTR { hn::StoreU(values, d, column.data() + i); };
  store(terms.noise_w, buyers.noise_to_gain_w);
  store(terms.nat_time_s, buyers.nat_time_s);
  store(lanes.added, buyers.added);
  store(hn::Div(terms.added_s, terms.nat_time_s), buyers.counted);
  store(lanes.budget, buyers.budget);
  store(lanes.compute, buyers.compute);
  if (buyers.has_circuits) store(lanes.circuit, buyers.circuit);
  store(lanes.worth, buyers.worth);
  store(floor, buyers.least);
  if constexpr (kLogs) {
    store(LogOf(d, free_price), buyers.free_price);
  } else {
    store(free_price, buyers.free_price);
  }
  store(knee_price, buyers.knee_price);
  store(low_price, buyers.low_price);
  store(high_nats, buyers.high_nats);
  store(high_probability, buyers.high_probability);
  store(high_time_s, buyers.high_time_s);
  store(high_power_w, buyers.high_power_w);
  store(low_nats, buyers.low_nats);
  store(low_probability, buyers.low_probability);
  store(high_nats, buyers.nats);

  const auto takes_part = hn::Gt(low_probability, zero);
  most.Add(buyers.goal, {low_probability, low_nats, low_time_s, zero, zero});
  least.Add(buyers.goal, {floor, high_nats, high_time_s, zero, zero});
  const V in_range = hn::Min(hn::Max(free_price, hn::Set(d, 1e-300)), hn::Set(d, 1e300));
  const auto is_large = hn::Ge(in_range, one);
  const V rough = ApproximateLog(d, hn::IfThenElse(is_large, in_range, hn::Div(one, in_range)));
  log_free_price =
      hn::Add(log_free_price,
              hn::IfThenElseZero(takes_part, hn::IfThenElse(is_large, rough, hn::Neg(rough))));
}

AirtimeEnds PrepareRange(const AirtimeProblem& problem, AirtimeBuyers& buyers, std::size_t begin,
                         std::size_t end) {
  return WithFairness(buyers, [&](auto fairness) HWY_ATTR {
    const D d;
    Sums most = NoSums(), least = NoSums();
    V log_free_price = hn::Zero(d);
    for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
      PrepareLanes<decltype(fairness)::value>(d, problem, buyers, i, most, least, log_free_price);
    }
    return AirtimeEnds{most.Totals(), least.Totals(),
                       hn::GetLane(hn::SumOfLanes(d, log_free_price))};
  });
}

// --- What depends on it --------------------------------------------------------------------------

// Adds up every `stride`-th group of those numbered [begin, end) among them.
AirtimeTotals TotalsOfGroups(AirtimeBuyers& buyers, double log_price, std::size_t stride,
                             std::size_t begin, std::size_t end) {
  return WithFairness(buyers, [&](auto fairness) HWY_ATTR {
    const D d;
    const AirtimeColumns columns = ColumnsOf(buyers);
    const PriceLanes<V> at = PriceLanesOf(buyers, log_price);
    Sums sums = NoSums();
    for (std::size_t group = begin; group < end; ++group) {
      const std::size_t first = group * stride * kAirtimePadding;
      for (std::size_t i = first; i < first + kAirtimePadding; i += hn::Lanes(d)) {
        sums.Add(buyers.goal, BuyTime<decltype(fairness)::value>(d, columns, i, at));
      }
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
HWY_INLINE void StorePlan(D d, const AirtimeBuyers& buyers, const Bought<V>& bought, std::size_t i,
                          const PlanColumns& plan) {
  const V high_w = hn::LoadU(d, buyers.high_power_w.data() + i);
  const V noise_w = hn::LoadU(d, buyers.noise_to_gain_w.data() + i);
  const auto is_high = hn::Ge(bought.nats, hn::LoadU(d, buyers.high_nats.data() + i));
  const V lower_w = hn::Min(hn::Mul(noise_w, Expm1(d, bought.nats)), high_w);
  const auto takes_part = hn::Gt(bought.probability, hn::Zero(d));
  const V upload_s = hn::Div(hn::LoadU(d, buyers.nat_time_s.data() + i), bought.nats);
  hn::StoreU(bought.probability, d, plan.probability + i);
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
    const PriceLanes<V> at = PriceLanesOf(buyers, log_price);
    Sums sums = NoSums();
    for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
      const Bought<V> bought = BuyTime<decltype(fairness)::value>(d, columns, i, at);
      sums.Add(buyers.goal, bought);
      StorePlan(d, buyers, bought, i, outputs);
    }
    return sums.Totals();
  });
}

// Returns the devices of `most` at an extra price of energy. The derivative is that of (A7).
HWY_INLINE Bought<V> SlowLanes(D d, const AirtimeProblem& problem, const AirtimeBuyers& buyers,
                               std::size_t i, double extra_price) {
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const Terms terms = LoadTerms(d, problem, i);
  const auto load = [&](const ColumnValues& column)
                        HWY_ATTR { return hn::LoadU(d, column.data() + i); };
  const V most_nats = hn::Min(load(buyers.low_nats), load(buyers.high_nats));
  const V extra = hn::Set(d, extra_price / problem.devices.amplifier_efficiency);
  const V price = hn::Add(terms.price_s_per_j, extra);
  const V slope = hn::Div(hn::Add(hn::Div(one, price), terms.circuit_w), terms.noise_w);
  const V root = hn::Max(NatsOfSlope(d, slope, hn::Ge(one, one)), hn::Set(d, kSlowestNats));
  const auto moves = hn::Lt(root, most_nats);
  const V u = hn::IfThenElse(moves, root, most_nats);
  const V a = load(buyers.low_probability);
  const V upload_s = hn::Div(terms.nat_time_s, u);
  // u·e^u·du = d(slope) = -extra/(price²·g)·d ln(extra).
  const V exponential = hn::Add(Expm1(d, u), one);
  const V shift = hn::Div(hn::Div(extra, hn::Mul(hn::Mul(price, price), terms.noise_w)),
                          hn::Mul(hn::Mul(u, u), exponential));
  return {a, u, hn::Add(upload_s, terms.added_s), zero,
          hn::IfThenElseZero(moves, hn::Mul(hn::Mul(a, upload_s), shift))};
}

AirtimeTotals SlowRange(const AirtimeProblem& problem, const AirtimeBuyers& buyers,
                        double extra_price, std::size_t begin, std::size_t end, AirtimePlan* plan) {
  const D d;
  Sums sums = NoSums();
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const Bought<V> bought = SlowLanes(d, problem, buyers, i, extra_price);
    sums.Add(AirtimeGoal::kTime, bought);
    if (plan != nullptr) StorePlan(d, buyers, bought, i, ColumnsOf(*plan));
  }
  return sums.Totals();
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::planning {
namespace {

HWY_EXPORT(PrepareRange);
HWY_EXPORT(TotalsOfGroups);
HWY_EXPORT(PlanRange);
HWY_EXPORT(SlowRange);

std::size_t Padded(std::size_t devices) {
  return (devices + kAirtimePadding - 1) / kAirtimePadding * kAirtimePadding;
}

void Resize(AirtimeBuyers& buyers, std::size_t size) {
  for (ColumnValues* column :
       {&buyers.noise_to_gain_w, &buyers.nat_time_s, &buyers.added, &buyers.counted, &buyers.budget,
        &buyers.compute, &buyers.worth, &buyers.least, &buyers.free_price, &buyers.knee_price,
        &buyers.low_price, &buyers.high_nats, &buyers.high_probability, &buyers.high_time_s,
        &buyers.high_power_w, &buyers.low_nats, &buyers.low_probability, &buyers.nats}) {
    column->resize(size);
  }
  buyers.circuit.resize(buyers.has_circuits ? size : 0);
}

void Resize(AirtimePlan& plan, std::size_t size) {
  for (ColumnValues* column : {&plan.plan.probability, &plan.plan.power_w, &plan.upload_s}) {
    column->resize(size);
  }
}

AirtimeTotals& operator+=(AirtimeTotals& sum, const AirtimeTotals& part) {
  sum.seconds += part.seconds;
  sum.participants += part.participants;
  sum.slope += part.slope;
  return sum;
}

// Returns the sum of `work` over shards of [0, size), in their order.
template <class Work>
AirtimeTotals SumShards(std::size_t size, int threads, const Work& work) {
  AirtimeTotals sum;
  for (const AirtimeTotals& part : base::MapShards(size, threads, work)) sum += part;
  return sum;
}

}  // namespace

AirtimeEnds Prepare(const AirtimeProblem& problem, AirtimeBuyers& buyers, int threads) {
  buyers.devices = problem.devices.devices;
  buyers.goal = problem.goal;
  buyers.fairness = problem.fairness;
  buyers.has_circuits = problem.devices.circuit_power_w > 0;
  const std::size_t size = Padded(buyers.devices);
  Resize(buyers, size);
  AirtimeEnds sum;
  for (const AirtimeEnds& part : base::MapShards(size, threads, [&](const base::Shard& shard) {
         return HWY_DYNAMIC_DISPATCH(PrepareRange)(problem, buyers, shard.begin, shard.end);
       })) {
    sum.most += part.most;
    sum.least += part.least;
    sum.log_free_price += part.log_free_price;
  }
  sum.log_free_price /= static_cast<double>(std::max<std::size_t>(buyers.devices, 1));
  return sum;
}

AirtimeTotals TotalsAt(AirtimeBuyers& buyers, double log_price, std::size_t stride, int threads) {
  const std::size_t groups = (buyers.nats.size() / kAirtimePadding + stride - 1) / stride;
  // A shard of groups is as large as one of devices, so that its sums are as exact.
  const std::size_t per_shard = base::kShardSize / kAirtimePadding;
  const std::size_t shards = (groups + per_shard - 1) / per_shard;
  std::vector<AirtimeTotals> parts(shards);
  base::ForEachTask(shards, threads, [&](std::size_t shard, std::size_t) {
    const std::size_t begin = shard * per_shard, end = std::min(groups, begin + per_shard);
    parts[shard] = HWY_DYNAMIC_DISPATCH(TotalsOfGroups)(buyers, log_price, stride, begin, end);
  });
  AirtimeTotals sum;
  for (const AirtimeTotals& part : parts) sum += part;
  return sum;
}

AirtimeTotals PlanAt(AirtimeBuyers& buyers, double log_price, AirtimePlan& plan, int threads) {
  Resize(plan, buyers.nats.size());
  const AirtimeTotals sum = SumShards(buyers.nats.size(), threads, [&](const base::Shard& shard) {
    return HWY_DYNAMIC_DISPATCH(PlanRange)(buyers, log_price, shard.begin, shard.end, plan);
  });
  Resize(plan, buyers.devices);
  return sum;
}

AirtimeTotals SlowDown(const AirtimeProblem& problem, const AirtimeBuyers& buyers,
                       double log_extra_price, AirtimePlan* plan, int threads) {
  if (plan != nullptr) Resize(*plan, buyers.nats.size());
  const double extra_price = std::exp(log_extra_price);
  const AirtimeTotals sum = SumShards(buyers.nats.size(), threads, [&](const base::Shard& shard) {
    return HWY_DYNAMIC_DISPATCH(SlowRange)(problem, buyers, extra_price, shard.begin, shard.end,
                                           plan);
  });
  if (plan != nullptr) Resize(*plan, buyers.devices);
  return sum;
}

}  // namespace airlot::planning
#endif  // HWY_ONCE
