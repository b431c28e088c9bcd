// These are sums over what devices buy, and the fleet and its fairness as kernels take them.
#if defined(AIRLOT_PLANNING_AIRTIME_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AIRLOT_PLANNING_AIRTIME_SUMS_INL_H_
#undef AIRLOT_PLANNING_AIRTIME_SUMS_INL_H_
#else
#define AIRLOT_PLANNING_AIRTIME_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "planning/airtime_demand-inl.h"
#include "planning/airtime_demand.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

inline AirtimeColumns ColumnsOf(AirtimeBuyers& buyers) {
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

inline Fairness FairnessOf(const AirtimeBuyers& buyers) {
  if (buyers.fairness == 0) return Fairness::kNone;
  if (buyers.fairness == 1) return Fairness::kOne;
  if (buyers.fairness == 2) return Fairness::kTwo;
  return Fairness::kAny;
}

// Calls `work` with the fairness as a constant.
template <class Work>
inline auto WithFairness(const AirtimeBuyers& buyers, const Work& work) {
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
inline double NoPrice(Fairness fairness) {
  return HasLogPrices(fairness) ? -std::numeric_limits<double>::infinity() : 0;
}

inline PriceLanes<V> PriceLanesOf(const AirtimeBuyers& buyers, double log_price, double last_step) {
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

inline Sums NoSums() {
  const D d;
  return {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AIRLOT_PLANNING_AIRTIME_SUMS_INL_H_
