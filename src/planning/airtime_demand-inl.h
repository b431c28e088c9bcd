// These kernels compute what devices buy at a price of a second, one vector of devices at a time;
// see docs/airtime.md and airtime_demand.h.
#if defined(AIRLOT_PLANNING_AIRTIME_DEMAND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AIRLOT_PLANNING_AIRTIME_DEMAND_INL_H_
#undef AIRLOT_PLANNING_AIRTIME_DEMAND_INL_H_
#else
#define AIRLOT_PLANNING_AIRTIME_DEMAND_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "planning/band_demand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Fairness is φ as far as it changes the arithmetic.
enum class Fairness { kNone, kOne, kTwo, kAny };  // 0, 1, 2, any other
constexpr bool HasLogPrices(Fairness fairness) { return fairness == Fairness::kAny; }

// Nor is a step the last while the two sides of (A9) differ by more than so many times its size:
// next to u_0 steps are small far from the root, too.
constexpr double kLastAirtimeRatio = 30;
constexpr int kMostAirtimeSteps = 100;
constexpr double kSlowestNats = 1e-60;  // no device sends slower; squares are still numbers

// Returns ln x for 1e-300 < x < 1e300 within 1.2e-16·(1 + 7.2·|ln x|). This bound and those below
// are derived in docs/airtime.md, section 11.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogOf(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const auto is_large = hn::Ge(x, one);
  const V l = Log1p(d, hn::Sub(hn::IfThenElse(is_large, x, hn::Div(one, x)), one));
  return hn::IfThenElse(is_large, l, hn::Neg(l));
}

// Returns e^-x for x >= 0 within 1e-15 relative, and 0 beyond 700.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfMinus(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const V most = hn::Set(d, kMostNats);
  const V value = hn::Div(one, hn::Add(one, Expm1(d, hn::Min(x, most))));
  return hn::IfThenElseZero(hn::Le(x, most), value);
}

// Returns h(u) = 1 + (u - 1)·e^u for m = expm1(u) within 8e-15 relative.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V EnergySlopeOf(D d, V u, V m) {
  // The series is Σ (k-1)·u^k/k!.
  V p = hn::MulAdd(u, hn::Set(d, 1.0 / 45360), hn::Set(d, 1.0 / 5760));
  p = hn::MulAdd(u, p, hn::Set(d, 1.0 / 840));
  p = hn::MulAdd(u, p, hn::Set(d, 1.0 / 144));
  p = hn::MulAdd(u, p, hn::Set(d, 1.0 / 30));
  p = hn::MulAdd(u, p, hn::Set(d, 1.0 / 8));
  p = hn::MulAdd(u, p, hn::Set(d, 1.0 / 3));
  p = hn::MulAdd(u, p, hn::Set(d, 0.5));
  const V small = hn::Mul(hn::Mul(u, u), p);
  const V large = hn::MulAdd(u, m, hn::Sub(u, m));
  return hn::IfThenElse(hn::Lt(u, hn::Set(d, 1.0 / 16)), small, large);
}

// Returns the root of h(u) = x for lanes of `active`, 0 <= x, within 4e-15 + (u + 2)²·1e-16
// relative; (A7). Halley's steps need one division, because h' = u·e^u and h'' = (u + 1)·e^u.
template <class D, class V, class M>
HWY_INLINE V NatsOfSlope(D d, V x, M active) {
  const V limited = hn::Min(x, hn::Set(d, 1e290));
  const V start = RoughExcessRoot(d, hn::Zero(d), limited);
  return Iterate(d, start, hn::Zero(d), active, kLastHalleyStep, [&](V at) HWY_ATTR {
    const V u = hn::Min(at, hn::Set(d, kMostNats));
    const V m = Expm1(d, u);
    const V rest = hn::Sub(limited, EnergySlopeOf(d, u, m));
    const V steep = hn::Mul(hn::Mul(u, u), hn::Add(m, hn::Set(d, 1.0)));
    const V bend = hn::MulAdd(hn::Set(d, 0.5), u, hn::Set(d, 0.5));
    return hn::Div(hn::Mul(rest, u), hn::MulAdd(rest, bend, steep));
  });
}

// Returns the larger root of (e^u - 1 + p)/u = q, at least `least`, where the left side is least.
// The function e^u - 1 + p - q·u is convex, and Newton's method comes down to its root from that
// without p.
template <class D, class V, class M>
HWY_INLINE V NatsOfEnergy(D d, V q, V p, V least, M active) {
  const V one = hn::Set(d, 1.0);
  const V start = hn::Max(NatsOfRatio(d, hn::IfThenElse(active, q, one)), least);
  const auto has_circuits = hn::And(active, hn::Gt(p, hn::Zero(d)));
  return Iterate(d, start, least, has_circuits, 1e-8, [&](V u) HWY_ATTR {
    const V m = Expm1(d, hn::Min(u, hn::Set(d, kMostNats)));
    const V slope = hn::Sub(hn::Add(m, one), q);
    const V step = hn::Div(hn::NegMulAdd(q, u, hn::Add(m, p)), slope);
    // Left of the minimum there are only roundings.
    return hn::Neg(hn::IfThenElseZero(hn::Gt(slope, hn::Zero(d)), hn::Max(step, hn::Zero(d))));
  });
}

// AirtimeLanes are the parts of (A9) for one vector of devices.
template <class V>
struct AirtimeLanes {
  V budget, compute, circuit, added, worth;
};

// A Balance compares the two sides of (A9) at u: w·a^-φ, where a = b/e, and μ·R.
template <class V>
struct Balance {
  V energy_u;       // e·u
  V energy_rise;    // d ln e/d ln u
  V g;              // G
  V inverse_sigma;  // e/(R·G)
  V rise_slope;     // d energy_rise/d ln u
  V mobility;       // d ln u/d ln μ = 1/F', where F(ln u) is the logarithm of the balance
  V bend;           // F''/(2·F')
};
template <class D, class V = hn::Vec<D>>
HWY_INLINE Balance<V> BalanceAt(D d, const AirtimeLanes<V>& lanes, V fairness, V u) {
  const V one = hn::Set(d, 1.0);
  const V m = Expm1(d, u);
  const V energy_u = hn::MulAdd(lanes.compute, u, hn::Add(m, lanes.circuit));
  // G is 0 at u_0 but for rounding.
  const V g = hn::Max(hn::Sub(EnergySlopeOf(d, u, m), lanes.circuit),
                      hn::MulAdd(lanes.circuit, hn::Set(d, 1e-17), hn::Set(d, 1e-290)));
  // Their product may overflow.
  const V inverse_g = hn::Div(one, g), inverse_energy = hn::Div(one, energy_u);
  const V rise = hn::Mul(g, inverse_energy);
  const V added = hn::Mul(lanes.added, u);
  const V time_u = hn::Add(added, one);
  const V sigma = hn::MulAdd(time_u, rise, one);
  const V e_u = hn::Add(m, one);
  const V g_rise = hn::Mul(hn::Mul(hn::Mul(u, u), e_u), inverse_g);  // d ln G/d ln u
  const V energy_u_rise = hn::Mul(hn::Mul(u, hn::Add(e_u, lanes.compute)), inverse_energy);
  const V rise_slope = hn::Mul(rise, hn::Sub(g_rise, energy_u_rise));
  const V sigma_slope = hn::MulAdd(added, rise, hn::Mul(time_u, rise_slope));
  // F' = φ·rise + g_rise/σ, and all of it times σ.
  const V slope = hn::MulAdd(hn::Mul(fairness, rise), sigma, g_rise);
  const V mobility = hn::Div(sigma, slope);
  const V inverse_sigma = hn::Div(one, sigma);
  const V g_rise_rise =
      hn::Sub(hn::Sub(hn::Add(hn::Set(d, 2.0), u), g_rise), hn::Mul(sigma_slope, inverse_sigma));
  const V second =
      hn::MulAdd(fairness, rise_slope, hn::Mul(hn::Mul(g_rise, inverse_sigma), g_rise_rise));
  return {energy_u,
          rise,
          g,
          inverse_sigma,
          rise_slope,
          mobility,
          hn::Mul(hn::Mul(hn::Set(d, 0.5), second), mobility)};
}

// Returns 1/R in units of L, times e^φ where that is a plain product.
template <Fairness kFairness, class D, class V = hn::Vec<D>>
HWY_INLINE V PullOf(D /*d*/, const Balance<V>& balance, V u) {
  if constexpr (kFairness == Fairness::kOne) {
    return hn::Mul(balance.g, balance.inverse_sigma);
  } else if constexpr (kFairness == Fairness::kTwo) {
    return hn::Div(hn::Mul(hn::Mul(balance.g, balance.energy_u), balance.inverse_sigma), u);
  } else {
    return hn::Mul(hn::Mul(balance.energy_rise, u), balance.inverse_sigma);
  }
}

// PriceLanes are a price as the arithmetic of a fairness needs it.
template <class V>
struct PriceLanes {
  V price;    // or its logarithm
  V inverse;  // 1/μ
  V fairness, inverse_fairness;
  V last_step;  // a step of this size, relative to u and to e, is the last: the next is its cube
};

// Returns (A6), not yet clamped to what the device can and must do.
template <Fairness kFairness, class D, class V = hn::Vec<D>>
HWY_INLINE V FreeProbability(D d, V free_price, const PriceLanes<V>& at) {
  const V one = hn::Set(d, 1.0);
  if constexpr (kFairness == Fairness::kNone) {
    return hn::IfThenElseZero(hn::Gt(free_price, at.price), one);
  } else if constexpr (kFairness == Fairness::kOne) {
    return hn::Mul(free_price, at.inverse);
  } else if constexpr (kFairness == Fairness::kTwo) {
    return hn::Sqrt(hn::Mul(free_price, at.inverse));
  } else {
    const V log_ratio = hn::Max(hn::Sub(at.price, free_price), hn::Zero(d));
    return ExpOfMinus(d, hn::Mul(log_ratio, at.inverse_fairness));
  }
}

// Returns the logarithm of q = (w·a^-φ)/(μ·R), within 1e-2 relative and for q near 1 within
// (q - 1)⁴/36, which is enough for Halley's method; and with circuit power, for q below 1/2, its
// lower bound 1 - 1/q, because next to u_0 q is linear in u.
template <Fairness kFairness, class D, class V = hn::Vec<D>>
HWY_INLINE V LogBalance(D d, const AirtimeLanes<V>& lanes, const Balance<V>& balance, V u,
                        const PriceLanes<V>& at) {
  const V pull = PullOf<kFairness>(d, balance, u);
  if constexpr (kFairness == Fairness::kAny) {
    const V rarity = LogOf(d, hn::Div(balance.energy_u, hn::Mul(u, lanes.budget)));
    const V rest = hn::Sub(LogOf(d, pull), hn::Sub(at.price, lanes.worth));
    const V log_ratio = hn::MulAdd(at.fairness, rarity, rest);
    const auto is_small =
        hn::And(hn::Lt(log_ratio, hn::Set(d, -0.6931)), hn::Gt(lanes.circuit, hn::Zero(d)));
    if (hn::AllFalse(d, is_small)) return log_ratio;
    const V size = hn::Min(hn::Max(hn::Neg(log_ratio), hn::Zero(d)), hn::Set(d, kMostNats));
    return hn::IfThenElse(is_small, hn::Neg(Expm1(d, size)), log_ratio);
  } else {
    const V one = hn::Set(d, 1.0);
    const V ratio = hn::Mul(hn::Mul(lanes.worth, at.inverse), pull);
    const V z = hn::Sub(ratio, one);
    const auto is_near = hn::And(hn::Gt(ratio, hn::Set(d, 0.5)), hn::Lt(ratio, hn::Set(d, 1.5)));
    const V near = RoughLog1p(d, z);
    if (HWY_LIKELY(hn::AllTrue(d, is_near))) return near;
    const V inverse = hn::Div(one, hn::Max(ratio, hn::Set(d, 1e-300)));
    const auto is_small = hn::Lt(ratio, one);
    const V log =
        ApproximateLog(d, hn::Min(hn::IfThenElse(is_small, inverse, ratio), hn::Set(d, 1e300)));
    const auto is_linear = hn::And(is_small, hn::Gt(lanes.circuit, hn::Zero(d)));
    const V far = hn::IfThenElse(is_linear, hn::Sub(one, inverse),
                                 hn::IfThenElse(is_small, hn::Neg(log), log));
    return hn::IfThenElse(is_near, near, far);
  }
}

// Bought is what one vector of devices does at a price.
template <class V>
struct Bought {
  V probability, nats;
  V time_s;                            // t, with what counts for the goal beside it
  V probability_slope, seconds_slope;  // derivatives of a and of a times that in ln μ
};

// AirtimeColumns are the columns of a fleet as plain pointers, null where a column is empty.
struct AirtimeColumns {
  const double *nat_time_s, *added, *counted, *budget, *compute, *circuit, *worth, *least,
      *free_price, *knee_price, *high_nats, *high_probability, *high_time_s, *most, *most_ratio,
      *cheapest_nats;
  double* nats;
};

template <class D>
HWY_INLINE hn::Vec<D> LoadOr(D d, const double* column, std::size_t i, double otherwise) {
  return column != nullptr ? hn::LoadU(d, column + i) : hn::Set(d, otherwise);
}

// Returns the u of devices that take part as often as they may, for lanes of `active`.
template <class D, class M, class V = hn::Vec<D>>
HWY_INLINE V MostNats(D d, const AirtimeColumns& columns, std::size_t i, M active) {
  const V ratio = hn::LoadU(d, columns.most_ratio + i);
  const V cheapest = LoadOr(d, columns.cheapest_nats, i, kSlowestNats);
  const V high = hn::LoadU(d, columns.high_nats + i);
  const auto is_paid = hn::And(active, hn::Gt(ratio, hn::Zero(d)));
  if (hn::AllFalse(d, is_paid)) return cheapest;
  const V circuit = LoadOr(d, columns.circuit, i, 0);
  const V u = hn::Min(NatsOfEnergy(d, ratio, circuit, cheapest, is_paid), high);
  return hn::IfThenElse(is_paid, u, cheapest);
}

// Returns a start for the root of (A9): that for a constant e = c + 1 and R = e/G.
template <Fairness kFairness, class D, class V = hn::Vec<D>>
HWY_INLINE V StartNats(D d, const AirtimeLanes<V>& lanes, const PriceLanes<V>& at) {
  const V energy = hn::Add(lanes.compute, hn::Set(d, 1.0));
  V slope;
  if constexpr (kFairness == Fairness::kAny) {
    const V rarity = LogOf(d, hn::Div(lanes.budget, energy));
    const V most = hn::Set(d, 600.0);
    const V log_ratio = hn::MulAdd(at.fairness, rarity, hn::Sub(at.price, lanes.worth));
    const V limited = hn::Max(hn::Min(log_ratio, most), hn::Neg(most));
    const V part = ExpOfMinus(d, hn::Abs(limited));
    const auto is_large = hn::Gt(limited, hn::Zero(d));
    slope = hn::Mul(energy, hn::IfThenElse(is_large, hn::Div(hn::Set(d, 1.0), part), part));
  } else {
    slope = hn::Div(at.price, lanes.worth);
    if constexpr (kFairness == Fairness::kNone) slope = hn::Mul(slope, energy);
    if constexpr (kFairness == Fairness::kTwo) slope = hn::Div(slope, energy);
  }
  slope = hn::Add(hn::Min(slope, hn::Set(d, 1e290)), lanes.circuit);
  return RoughExcessRoot(d, hn::Zero(d), slope);
}

// Returns e^-s, within 1e-5 for |s| < 1/4 and better for less; but beyond, upwards, 1 - s, because
// at a large u the logarithm of (A9) is linear in u.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V StepFactor(D d, V s) {
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  V p = hn::NegMulAdd(s, hn::Set(d, 0.25), one);
  p = hn::NegMulAdd(hn::Mul(s, hn::Set(d, 1.0 / 3)), p, one);
  p = hn::NegMulAdd(hn::Mul(s, hn::Set(d, 0.5)), p, one);
  const V small = hn::NegMulAdd(s, p, one);
  const auto is_small = hn::Lt(hn::Abs(s), hn::Set(d, 0.25));
  if (HWY_LIKELY(hn::AllTrue(d, is_small))) return small;
  const V middle = hn::MulAdd(hn::Mul(hn::Set(d, 0.5), s), hn::Max(s, zero), hn::Sub(one, s));
  const V part = ExpOfMinus(d, hn::Min(hn::Abs(s), hn::Set(d, 100.0)));
  const V large = hn::IfThenElse(hn::Gt(s, zero), part, hn::Div(one, part));
  const V far = hn::IfThenElse(hn::Gt(hn::Abs(s), one), large, middle);
  return hn::IfThenElse(is_small, small, far);
}

// Finds the roots of (A9) for lanes of `active`. Below the knee price the root lies between u_0 and
// `high_nats`, and the logarithm of the left side over the right rises in u, (A10): Halley's method
// in ln u, kept inside, finds it. Where it would make a device take part too often, `MostNats`
// does.
template <Fairness kFairness, class D, class V, class M>
HWY_INLINE void SpendBudget(D d, const AirtimeColumns& columns, std::size_t i, M active,
                            const PriceLanes<V>& at, Bought<V>& bought) {
  const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), zero = hn::Zero(d);
  const AirtimeLanes<V> lanes{hn::LoadU(d, columns.budget + i), hn::LoadU(d, columns.compute + i),
                              LoadOr(d, columns.circuit, i, 0), LoadOr(d, columns.added, i, 0),
                              hn::LoadU(d, columns.worth + i)};
  const V low = LoadOr(d, columns.cheapest_nats, i, kSlowestNats);
  const V high = hn::LoadU(d, columns.high_nats + i);
  const V half_low = hn::Mul(half, low), half_high = hn::Mul(half, high);
  const V stored = hn::LoadU(d, columns.nats + i);
  V u = stored;
  const auto is_new = hn::And(active, hn::Eq(stored, zero));
  if (!hn::AllFalse(d, is_new)) {
    const V start = hn::Min(StartNats<kFairness>(d, lanes, at), high);
    u = hn::IfThenElse(is_new, hn::Max(start, hn::MulAdd(half, start, half_low)), u);
  }
  u = hn::IfThenElse(active, u, one);
  V rise = zero, mobility = zero, log_a_step = zero, energy_u = one, at_u = one;
  const V last_ratio = hn::Mul(at.last_step, hn::Set(d, kLastAirtimeRatio));
  auto moves = active;
  for (int step = 0; step < kMostAirtimeSteps && !hn::AllFalse(d, moves); ++step) {
    const Balance<V> balance = BalanceAt(d, lanes, at.fairness, u);
    const V log_ratio = LogBalance<kFairness>(d, lanes, balance, u, at);
    const V newton = hn::Mul(log_ratio, balance.mobility);
    // Halley's step: the error of the next point is the cube of this one's.
    const V curve = hn::NegMulAdd(newton, balance.bend, one);
    const V s = hn::Div(newton, hn::Min(hn::Max(curve, half), hn::Set(d, 2.0)));
    V next = hn::Mul(u, StepFactor(d, s));
    // A long step goes at most half of the way to an end.
    const auto is_long = hn::Gt(hn::Abs(s), hn::Set(d, 1e-3));
    next = hn::Max(next, hn::IfThenElse(is_long, hn::MulAdd(half, u, half_low), low));
    next = hn::Min(next, hn::IfThenElse(is_long, hn::MulAdd(half, u, half_high), high));
    at_u = hn::IfThenElse(moves, u, at_u);
    u = hn::IfThenElse(moves, next, u);
    rise = hn::IfThenElse(moves, balance.energy_rise, rise);
    mobility = hn::IfThenElse(moves, balance.mobility, mobility);
    energy_u = hn::IfThenElse(moves, balance.energy_u, energy_u);
    const V size = hn::Mul(hn::Abs(s), hn::Max(balance.energy_rise, one));
    const V bent = hn::NegMulAdd(hn::Mul(half, s), balance.rise_slope, balance.energy_rise);
    log_a_step = hn::IfThenElse(moves, hn::Mul(s, bent), log_a_step);
    moves =
        hn::And(moves, hn::Or(hn::Gt(size, at.last_step), hn::Gt(hn::Abs(log_ratio), last_ratio)));
  }
  hn::StoreU(hn::IfThenElse(active, u, stored), d, columns.nats + i);
  // The last step is so small that its effect on a = b/e, (A8), needs but two terms.
  V a = hn::Div(hn::Mul(lanes.budget, at_u), energy_u);
  a = hn::MulAdd(a, hn::MulAdd(hn::Mul(half, log_a_step), log_a_step, log_a_step), a);
  const V most = hn::LoadU(d, columns.most + i);
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::And(active, hn::Ge(a, most))))) {
    // Where the budget does not pay for a_most, only rounding gets here.
    const auto is_paid = hn::Gt(hn::LoadU(d, columns.most_ratio + i), zero);
    const auto is_most = hn::And(hn::And(active, is_paid), hn::Ge(a, most));
    u = hn::IfThenElse(is_most, MostNats(d, columns, i, is_most), u);
    mobility = hn::IfThenZeroElse(is_most, mobility);
  }
  a = hn::Min(hn::Max(a, LoadOr(d, columns.least, i, 0)), most);
  const V nat_time_s = hn::LoadU(d, columns.nat_time_s + i);
  const V upload_s = hn::Div(nat_time_s, u);
  const V time_s = hn::MulAdd(LoadOr(d, columns.counted, i, 0), nat_time_s, upload_s);
  const V seconds_slope =
      hn::Mul(hn::Neg(hn::Mul(a, mobility)), hn::MulAdd(rise, time_s, upload_s));
  const V a_slope = hn::Neg(hn::Mul(hn::Mul(a, mobility), rise));
  bought = {a, u, time_s, a_slope, seconds_slope};
}

// Returns what devices buy where seconds cost nothing.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Bought<V> BuyMost(D d, const AirtimeColumns& columns, std::size_t i, V no_price) {
  const V zero = hn::Zero(d);
  const auto is_spent = hn::Gt(hn::LoadU(d, columns.knee_price + i), no_price);
  const V high = hn::LoadU(d, columns.high_nats + i);
  const V u = hn::IfThenElse(is_spent, MostNats(d, columns, i, is_spent), high);
  const V nat_time_s = hn::LoadU(d, columns.nat_time_s + i);
  const V counted = LoadOr(d, columns.counted, i, 0);
  return {hn::LoadU(d, columns.most + i), u,
          hn::MulAdd(counted, nat_time_s, hn::Div(nat_time_s, u)), zero, zero};
}

// Returns what devices buy at a price > 0 as long as their budgets last, (A6), and says for whom
// they do not.
template <Fairness kFairness, class D, class M, class V = hn::Vec<D>>
HWY_INLINE Bought<V> BuyFreely(D d, const AirtimeColumns& columns, std::size_t i,
                               const PriceLanes<V>& at, M& is_spent) {
  const V least = LoadOr(d, columns.least, i, 0);
  const V high = hn::LoadU(d, columns.high_probability + i);
  const V free = FreeProbability<kFairness>(d, hn::LoadU(d, columns.free_price + i), at);
  is_spent = hn::Lt(at.price, hn::LoadU(d, columns.knee_price + i));
  Bought<V> bought;
  bought.probability = hn::Min(hn::Max(free, least), high);
  bought.nats = hn::LoadU(d, columns.high_nats + i);
  bought.time_s = hn::LoadU(d, columns.high_time_s + i);
  bought.probability_slope = hn::Zero(d);
  if constexpr (kFairness != Fairness::kNone) {
    const auto is_inner = hn::And(hn::Gt(free, least), hn::Lt(free, high));
    const V slope = hn::Mul(bought.probability, at.inverse_fairness);
    bought.probability_slope = hn::Neg(hn::IfThenElseZero(is_inner, slope));
  }
  bought.seconds_slope = hn::Mul(bought.probability_slope, bought.time_s);
  return bought;
}

// Returns the same with nothing bought in some lanes.
template <class V, class M>
HWY_INLINE Bought<V> Without(M lanes, Bought<V> bought) {
  bought.probability = hn::IfThenZeroElse(lanes, bought.probability);
  bought.probability_slope = hn::IfThenZeroElse(lanes, bought.probability_slope);
  bought.seconds_slope = hn::IfThenZeroElse(lanes, bought.seconds_slope);
  return bought;
}

// SpentDevices are those of a block whose budgets are used up, side by side: roots are found for
// them alone, in full vectors (measured: 1.5 times faster where a third of the devices are).
constexpr std::size_t kAirtimeBlock = 64;
struct SpentDevices {
  HWY_ALIGN double column[13][kAirtimeBlock];
  HWY_ALIGN double place[kAirtimeBlock];  // in the fleet
  std::size_t count = 0;

  // Copies the columns that a root depends on, and fills the last vector.
  AirtimeColumns Gather(const AirtimeColumns& columns, std::size_t lanes) {
    std::size_t next = 0;
    const auto gather = [&](const double* from) -> const double* {
      if (from == nullptr) return nullptr;
      double* to = column[next++];
      for (std::size_t k = 0; k < count; ++k) to[k] = from[static_cast<std::size_t>(place[k])];
      for (std::size_t k = count; k % lanes != 0; ++k) to[k] = to[0];
      return to;
    };
    AirtimeColumns spent{};
    spent.nat_time_s = gather(columns.nat_time_s);
    spent.added = gather(columns.added);
    spent.counted = gather(columns.counted);
    spent.budget = gather(columns.budget);
    spent.compute = gather(columns.compute);
    spent.circuit = gather(columns.circuit);
    spent.worth = gather(columns.worth);
    spent.least = gather(columns.least);
    spent.high_nats = gather(columns.high_nats);
    spent.most = gather(columns.most);
    spent.most_ratio = gather(columns.most_ratio);
    spent.cheapest_nats = gather(columns.cheapest_nats);
    gather(columns.nats);
    spent.nats = column[next - 1];
    return spent;
  }
};

// Buys for the devices [first, first + size), at most kAirtimeBlock, at a price > 0. (A6) to (A9)
// Calls `use`(bought) for vectors that hold each device once. Where `probability` and `nats` are
// not null, sets them for the block.
template <Fairness kFairness, class D, class Use, class V = hn::Vec<D>>
HWY_INLINE void BuyBlock(D d, const AirtimeColumns& columns, std::size_t first, std::size_t size,
                         const PriceLanes<V>& at, double* probability, double* nats,
                         const Use& use) {
  SpentDevices spent;
  for (std::size_t i = first; i < first + size; i += hn::Lanes(d)) {
    hn::Mask<D> is_spent;
    const Bought<V> bought = BuyFreely<kFairness>(d, columns, i, at, is_spent);
    use(Without(is_spent, bought));
    if (probability != nullptr) {
      hn::Store(bought.probability, d, probability + (i - first));
      hn::Store(bought.nats, d, nats + (i - first));
    }
    const V place = hn::Iota(d, static_cast<double>(i));
    spent.count += hn::CompressBlendedStore(place, is_spent, d, spent.place + spent.count);
  }
  if (spent.count == 0) return;
  const AirtimeColumns dense = spent.Gather(columns, hn::Lanes(d));
  for (std::size_t k = 0; k < spent.count; k += hn::Lanes(d)) {
    const auto active = hn::FirstN(d, spent.count - k);
    Bought<V> bought;
    SpendBudget<kFairness>(d, dense, k, active, at, bought);
    use(Without(hn::Not(active), bought));
    if (probability == nullptr) continue;
    HWY_ALIGN double a[hn::MaxLanes(D())], u[hn::MaxLanes(D())];
    hn::Store(bought.probability, d, a);
    hn::Store(bought.nats, d, u);
    for (std::size_t lane = 0; lane < hn::Lanes(d) && k + lane < spent.count; ++lane) {
      const std::size_t i = static_cast<std::size_t>(spent.place[k + lane]) - first;
      probability[i] = a[lane];
      nats[i] = u[lane];
    }
  }
  for (std::size_t k = 0; k < spent.count; ++k) {
    columns.nats[static_cast<std::size_t>(spent.place[k])] = dense.nats[k];
  }
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AIRLOT_PLANNING_AIRTIME_DEMAND_INL_H_
