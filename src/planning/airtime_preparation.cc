// This file computes of airtime buyers what does not depend on the price of a second.
#include <algorithm>
#include <numbers>

#include "base/shards.h"
#include "planning/airtime_demand.h"
#include "planning/shape.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "planning/airtime_preparation.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "planning/airtime_terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {

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

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::planning {
namespace {

HWY_EXPORT(PrepareRange);

std::size_t Padded(std::size_t devices) {
  return (devices + kAirtimePadding - 1) / kAirtimePadding * kAirtimePadding;
}

// Columns that would be 0 throughout stay empty.
void Resize(const AirtimeProblem& problem, std::size_t size, const Hands& hands,
            AirtimeBuyers& buyers) {
  for (ColumnValues* column :
       {&buyers.noise_to_gain_w, &buyers.nat_time_s, &buyers.budget, &buyers.compute, &buyers.worth,
        &buyers.free_price, &buyers.knee_price, &buyers.high_nats, &buyers.high_probability,
        &buyers.high_time_s, &buyers.high_power_w, &buyers.most, &buyers.most_ratio,
        &buyers.nats}) {
    column->resize(size);
  }
  const bool counts = !IsZero(problem.added_time_s, hands);
  const bool is_priced = !IsZero(problem.priced_time_s, hands);
  const bool has_least = !IsZero(problem.least_probability, hands);
  buyers.counted.resize(counts ? size : 0);
  buyers.added.resize(counts || is_priced ? size : 0);
  buyers.least.resize(has_least ? size : 0);
  buyers.circuit.resize(buyers.has_circuits ? size : 0);
  buyers.cheapest_nats.resize(buyers.has_circuits ? size : 0);
}

}  // namespace

AirtimeEnds Prepare(const AirtimeProblem& problem, AirtimeBuyers& buyers, const Hands& hands) {
  buyers.devices = problem.devices.devices;
  buyers.first_device = problem.devices.first_device;
  buyers.goal = problem.goal;
  buyers.fairness = problem.fairness;
  buyers.has_circuits = problem.devices.circuit_power_w > 0;
  const std::size_t size = Padded(buyers.devices);
  buyers.all_groups = base::SumOfMembers(hands, size / kAirtimePadding);
  const std::size_t all_devices = base::SumOfMembers(hands, buyers.devices);
  Resize(problem, size, hands, buyers);
  AirtimeEnds sum;
  for (const AirtimeEnds& part : base::MapFleet(size, hands, [&](const base::Shard& shard) {
         return HWY_DYNAMIC_DISPATCH(PrepareRange)(problem, buyers, shard.begin, shard.end);
       })) {
    sum.least += part.least;
    sum.most_soon += part.most_soon;
    sum.log_free_price += part.log_free_price;
  }
  sum.log_free_price /= static_cast<double>(std::max<std::size_t>(all_devices, 1));
  return sum;
}

}  // namespace airlot::planning
#endif  // HWY_ONCE
