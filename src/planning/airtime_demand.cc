#include "planning/airtime_demand.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/shards.h"
#include "planning/device.h"
#include "planning/shape.h"

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
          buyers.added.empty() ? nullptr : buyers.added.data(),
          buyers.counted.empty() ? nullptr : buyers.counted.data(),
          buyers.budget.data(),
          buyers.compute.data(),
          buyers.circuit.empty() ? nullptr : buyers.circuit.data(),
          buyers.worth.data(),
          buyers.least.empty() ? nullptr : buyers.least.data(),
          buyers.free_price.data(),
          buyers.knee_price.data(),
          buyers.high_nats.data(),
          buyers.high_probability.data(),
          buyers.high_time_s.data(),
          buyers.most.data(),
          buyers.most_ratio.data(),
          buyers.cheapest_nats.empty() ? nullptr : buyers.cheapest_nats.data(),
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

// Returns what stands for a price of 0.
double NoPrice(Fairness fairness) {
  return HasLogPrices(fairness) ? -std::numeric_limits<double>::infinity() : 0;
}

PriceLanes<V> PriceLanesOf(const AirtimeBuyers& buyers, double log_price, double last_step) {
  const D d;
  const double price = std::exp(log_price);
  return {hn::Set(d, HasLogPrices(FairnessOf(buyers)) ? log_price : price), hn::Set(d, 1 / price),
          hn::Set(d, buyers.fairness), hn::Set(d, 1 / buyers.fairness), hn::Set(d, last_step)};
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

// Returns the largest u: (A7), or where the power or the spectral efficiency ends.
HWY_INLINE V FreeNats(D d, const AirtimeProblem& problem, const Terms& terms, V& at_cap_w) {
  const V one = hn::Set(d, 1.0);
  const double max_nats = MaxNatsPerHertz(problem.devices.spectral_efficiency_cap);
  V u = hn::Set(d, std::min(max_nats, kMostNats));
  auto is_capped = hn::Lt(one, one);
  if (problem.is_power_limited) {
    const V by_power = Log1p(d, hn::Mul(terms.max_power_w, terms.InverseNoise()));
    is_capped = hn::Le(by_power, u);
    u = hn::Min(u, by_power);
  }
  const auto has_price = hn::Gt(terms.price_s_per_j, hn::Zero(d));
  if (!hn::AllFalse(d, has_price)) {
    const V price = hn::IfThenElse(has_price, terms.price_s_per_j, one);
    const V slope = hn::Mul(hn::Add(hn::Div(one, price), terms.circuit_w), terms.InverseNoise());
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
HWY_INLINE V PriceAt(D d, const AirtimeLanes<V>& lanes, V fairness, V a, V u) {
  const V pull = PullOf<Fairness::kNone>(d, BalanceAt(d, lanes, fairness, u), u);
  const V plain = hn::Mul(lanes.worth, pull);
  if constexpr (kFairness == Fairness::kNone) return plain;
  if constexpr (kFairness == Fairness::kOne) return hn::Div(plain, a);
  if constexpr (kFairness == Fairness::kTwo) return hn::Div(plain, hn::Mul(a, a));
  return hn::NegMulAdd(fairness, LogOf(d, a), hn::Add(LogOf(d, lanes.worth), LogOf(d, pull)));
}

// Rates are where a device may send, and how often it may take part there.
struct Rates {
  V high_nats, high_probability, high_time_s, high_power_w;
  V cheapest_nats, most, most_ratio, least;
  V free_price;
  hn::Mask<D> is_poor;  // the budget does not pay for a_most at the u of the least cost
};

// Computes the rates of devices whose budget pays for all that they want.
HWY_INLINE Rates FreeRates(D d, const AirtimeProblem& problem, const Terms& terms, V& affordable) {
  V at_cap_w;
  const V u = FreeNats(d, problem, terms, at_cap_w);
  const V m = Expm1(d, u);
  const V upload_s = hn::Div(terms.nat_time_s, u);
  const V energy_j = terms.Energy(upload_s, m);
  const V time_s = hn::Add(upload_s, terms.added_s);
  const V cost_s = hn::Add(time_s, terms.priced_s);
  affordable = hn::Div(terms.budget_j, energy_j);
  const V power_w = hn::Mul(terms.noise_w, m);
  return {.high_nats = u,
          .high_probability = hn::Min(terms.most, affordable),
          .high_time_s = time_s,
          .high_power_w = hn::IfThenElse(hn::Gt(at_cap_w, hn::Zero(d)), at_cap_w, power_w),
          .cheapest_nats = hn::Set(d, kSlowestNats),
          .most = terms.most,
          .most_ratio = hn::Zero(d),
          .least = hn::Min(terms.least, terms.most),
          .free_price = hn::Div(terms.weight, hn::MulAdd(terms.price_s_per_j, energy_j, cost_s)),
          .is_poor = hn::Gt(terms.most, affordable)};
}

// Changes the rates of poor devices: how often they can take part at all, and from where on they
// need not go faster, because of a floor.
HWY_INLINE void LimitRates(D d, bool has_circuits, const Terms& terms, V affordable, Rates& rates) {
  const V one = hn::Set(d, 1.0);
  const V unit_j = hn::Mul(terms.nat_time_s, terms.noise_w);
  const V circuit = hn::Mul(terms.circuit_w, terms.InverseNoise());
  V cheapest_j = hn::Add(unit_j, terms.compute_j);
  if (has_circuits) {
    rates.cheapest_nats = hn::Min(NatsOfSlope(d, circuit, rates.is_poor), rates.high_nats);
    const V upload_s = hn::Div(terms.nat_time_s, rates.cheapest_nats);
    cheapest_j = terms.Energy(upload_s, Expm1(d, rates.cheapest_nats));
  }
  const V best = hn::Div(terms.budget_j, cheapest_j);
  // Returns (e^u - 1 + p)/u where the budget pays for just a.
  const auto ratio_of = [&](V a) HWY_ATTR {
    const V left_j = hn::Sub(hn::Div(terms.budget_j, a), terms.compute_j);
    return hn::Max(hn::Mul(left_j, terms.inverse_unit), one);
  };
  const auto is_paid = hn::And(rates.is_poor, hn::Lt(terms.most, best));
  rates.most_ratio = hn::IfThenElseZero(is_paid, ratio_of(terms.most));
  rates.most = hn::IfThenElse(rates.is_poor, hn::Min(best, terms.most), terms.most);
  rates.least = hn::IfThenElse(rates.is_poor, hn::Min(rates.least, best), rates.least);  // (A14)
  const auto is_floored = hn::And(rates.is_poor, hn::Gt(rates.least, affordable));
  if (hn::AllFalse(d, is_floored)) return;
  const auto is_soon = hn::And(is_floored, hn::Lt(rates.least, best));
  const V ratio = ratio_of(hn::IfThenElse(is_soon, rates.least, one));
  const V u = NatsOfEnergy(d, ratio, circuit, rates.cheapest_nats, is_soon);
  const V nats = hn::IfThenElse(is_soon, hn::Min(u, rates.high_nats), rates.cheapest_nats);
  const V power_w = hn::Mul(terms.noise_w, Expm1(d, nats));
  rates.high_nats = hn::IfThenElse(is_floored, nats, rates.high_nats);
  rates.high_probability = hn::IfThenElse(is_floored, rates.least, rates.high_probability);
  rates.high_power_w =
      hn::IfThenElse(is_floored, hn::Min(power_w, rates.high_power_w), rates.high_power_w);
  rates.high_time_s = hn::Add(hn::Div(terms.nat_time_s, rates.high_nats), terms.added_s);
}

// Returns w/L as the balance of (A9) needs it.
template <Fairness kFairness>
HWY_INLINE V WorthOf(D d, V worth, V budget) {
  if constexpr (kFairness == Fairness::kNone) return worth;
  if constexpr (kFairness == Fairness::kOne) return hn::Div(worth, budget);
  if constexpr (kFairness == Fairness::kTwo) return hn::Div(hn::Div(worth, budget), budget);
  return LogOf(d, worth);
}

// Returns the logarithm within 1e-2, for the start of a search.
HWY_INLINE V RoughLog(D d, V x) {
  constexpr double kScale = 1e150;
  const V limited = hn::Min(hn::Max(x, hn::Set(d, 1 / kScale)), hn::Set(d, kScale));
  const V l = ApproximateLog(d, hn::Max(hn::Mul(limited, hn::Set(d, kScale)), hn::Set(d, 1.0)));
  return hn::Sub(l, hn::Set(d, 150 * std::numbers::ln10));
}

// PreparedSums are those of AirtimeEnds.
struct PreparedSums {
  Sums least, most_soon;
  V log_free_price;
};

// Computes one vector of devices.
template <Fairness kFairness>
HWY_INLINE void PrepareLanes(D d, const AirtimeProblem& problem, AirtimeBuyers& buyers,
                             std::size_t i, PreparedSums& sums) {
  const V zero = hn::Zero(d);
  const V fairness = hn::Set(d, buyers.fairness);
  const Terms terms = LoadTerms(d, problem, i);
  V affordable;
  Rates rates = FreeRates(d, problem, terms, affordable);
  const V inverse_nat_time = hn::Mul(terms.inverse_unit, terms.noise_w);
  const AirtimeLanes<V> lanes{
      .budget = hn::Mul(terms.budget_j, terms.inverse_unit),
      .compute = hn::Mul(terms.compute_j, terms.inverse_unit),
      .circuit = hn::Mul(terms.circuit_w, terms.InverseNoise()),
      .added = hn::Mul(hn::Add(terms.added_s, terms.priced_s), inverse_nat_time),
      .worth = hn::Mul(terms.weight, inverse_nat_time)};
  V knee_price = hn::Set(d, NoPrice(kFairness));
  if (!hn::AllFalse(d, rates.is_poor)) {
    LimitRates(d, buyers.has_circuits, terms, affordable, rates);
    const V knee = PriceAt<kFairness>(d, lanes, fairness, rates.high_probability, rates.high_nats);
    knee_price = hn::IfThenElse(rates.is_poor, knee, knee_price);
  }
  const auto store = [&](V values, ColumnValues& column) HWY_ATTR {
    if (!column.empty()) hn::StoreU(values, d, column.data() + i);
  };
  store(terms.noise_w, buyers.noise_to_gain_w);
  store(terms.nat_time_s, buyers.nat_time_s);
  store(lanes.added, buyers.added);
  store(hn::Mul(terms.added_s, inverse_nat_time), buyers.counted);
  store(lanes.budget, buyers.budget);
  store(lanes.compute, buyers.compute);
  store(lanes.circuit, buyers.circuit);
  store(rates.cheapest_nats, buyers.cheapest_nats);
  store(WorthOf<kFairness>(d, lanes.worth, lanes.budget), buyers.worth);
  store(rates.least, buyers.least);
  V free_price = rates.free_price;
  if constexpr (HasLogPrices(kFairness)) free_price = LogOf(d, free_price);
  store(free_price, buyers.free_price);
  store(knee_price, buyers.knee_price);
  store(rates.high_nats, buyers.high_nats);
  store(rates.high_probability, buyers.high_probability);
  store(rates.high_time_s, buyers.high_time_s);
  store(rates.high_power_w, buyers.high_power_w);
  store(rates.most, buyers.most);
  store(rates.most_ratio, buyers.most_ratio);
  store(zero, buyers.nats);

  sums.least.Add(buyers.goal, {rates.least, rates.high_nats, rates.high_time_s, zero, zero});
  sums.most_soon.Add(buyers.goal, {rates.most, rates.high_nats, rates.high_time_s, zero, zero});
  sums.log_free_price =
      hn::Add(sums.log_free_price,
              hn::IfThenElseZero(hn::Gt(rates.most, zero), RoughLog(d, rates.free_price)));
}

AirtimeEnds PrepareRange(const AirtimeProblem& problem, AirtimeBuyers& buyers, std::size_t begin,
                         std::size_t end) {
  return WithFairness(buyers, [&](auto fairness) HWY_ATTR {
    const D d;
    PreparedSums sums{NoSums(), NoSums(), hn::Zero(d)};
    for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
      PrepareLanes<decltype(fairness)::value>(d, problem, buyers, i, sums);
    }
    return AirtimeEnds{sums.least.Totals(), sums.most_soon.Totals(),
                       hn::GetLane(hn::SumOfLanes(d, sums.log_free_price))};
  });
}

// --- What depends on it --------------------------------------------------------------------------

// Adds up every `stride`-th group of those numbered [begin, end) among them.
AirtimeTotals TotalsOfGroups(AirtimeBuyers& buyers, double log_price, std::size_t stride,
                             double last_step, std::size_t begin, std::size_t end) {
  return WithFairness(buyers, [&](auto fairness) HWY_ATTR {
    const D d;
    const AirtimeColumns columns = ColumnsOf(buyers);
    const PriceLanes<V> at = PriceLanesOf(buyers, log_price, last_step);
    Sums sums = NoSums();
    for (std::size_t group = begin; group < end; ++group) {
      const std::size_t first = group * stride * kAirtimePadding;
      // Where there is no stride, groups make larger blocks.
      std::size_t groups = 1;
      if (stride == 1) groups = std::min(end - group, kAirtimeBlock / kAirtimePadding);
      BuyBlock<decltype(fairness)::value>(
          d, columns, first, groups * kAirtimePadding, at, nullptr, nullptr,
          [&](const Bought<V>& bought) HWY_ATTR { sums.Add(buyers.goal, bought); });
      group += groups - 1;
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

HWY_EXPORT(PrepareRange);
HWY_EXPORT(TotalsOfGroups);
HWY_EXPORT(PlanRange);
HWY_EXPORT(SlowRange);

std::size_t Padded(std::size_t devices) {
  return (devices + kAirtimePadding - 1) / kAirtimePadding * kAirtimePadding;
}

// Columns that would be 0 throughout stay empty.
void Resize(const AirtimeProblem& problem, std::size_t size, AirtimeBuyers& buyers) {
  for (ColumnValues* column :
       {&buyers.noise_to_gain_w, &buyers.nat_time_s, &buyers.budget, &buyers.compute, &buyers.worth,
        &buyers.free_price, &buyers.knee_price, &buyers.high_nats, &buyers.high_probability,
        &buyers.high_time_s, &buyers.high_power_w, &buyers.most, &buyers.most_ratio,
        &buyers.nats}) {
    column->resize(size);
  }
  const bool counts = !IsZero(problem.added_time_s);
  buyers.counted.resize(counts ? size : 0);
  buyers.added.resize(counts || !IsZero(problem.priced_time_s) ? size : 0);
  buyers.least.resize(IsZero(problem.least_probability) ? 0 : size);
  buyers.circuit.resize(buyers.has_circuits ? size : 0);
  buyers.cheapest_nats.resize(buyers.has_circuits ? size : 0);
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
  Resize(problem, size, buyers);
  AirtimeEnds sum;
  for (const AirtimeEnds& part : base::MapShards(size, threads, [&](const base::Shard& shard) {
         return HWY_DYNAMIC_DISPATCH(PrepareRange)(problem, buyers, shard.begin, shard.end);
       })) {
    sum.least += part.least;
    sum.most_soon += part.most_soon;
    sum.log_free_price += part.log_free_price;
  }
  sum.log_free_price /= static_cast<double>(std::max<std::size_t>(buyers.devices, 1));
  return sum;
}

AirtimeTotals TotalsAt(AirtimeBuyers& buyers, double log_price, std::size_t stride,
                       double last_step, int threads) {
  const std::size_t groups = (buyers.nats.size() / kAirtimePadding + stride - 1) / stride;
  // A shard of groups is as large as one of devices, so that its sums are as exact.
  const std::size_t per_shard = base::kShardSize / kAirtimePadding;
  const std::size_t shards = (groups + per_shard - 1) / per_shard;
  std::vector<AirtimeTotals> parts(shards);
  base::ForEachTask(shards, threads, [&](std::size_t shard, std::size_t) {
    const std::size_t begin = shard * per_shard, end = std::min(groups, begin + per_shard);
    parts[shard] =
        HWY_DYNAMIC_DISPATCH(TotalsOfGroups)(buyers, log_price, stride, last_step, begin, end);
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

AirtimeTotals SlowDown(const AirtimeProblem& problem, AirtimeBuyers& buyers, double log_extra_price,
                       AirtimePlan* plan, int threads) {
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
