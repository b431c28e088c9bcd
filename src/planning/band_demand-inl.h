// These kernels compute what devices buy at a price, one vector of devices at a time; see
// docs/bandwidth.md.
//
// A device is described by the nats u that it sends per second and hertz: the fewer, the wider its
// band k·a(u)/u. Its best u at a price is the root of one equation, (B11) or (B12), clamped to
// where a limit takes over. Band and probability are computed from the same u, so they fit together
// whatever the error of the root, and around its best u a device's gain is flat.
#if defined(AIRLOT_PLANNING_BAND_DEMAND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AIRLOT_PLANNING_BAND_DEMAND_INL_H_
#undef AIRLOT_PLANNING_BAND_DEMAND_INL_H_
#else
#define AIRLOT_PLANNING_BAND_DEMAND_INL_H_
#endif

#include <hwy/highway.h>

#include "planning/closed_form-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A step of this size, relative to u, is the last: the next one would be about its square with
// Newton's method, and its cube with Halley's.
constexpr double kLastNewtonStep = 1e-7;
constexpr double kLastHalleyStep = 1e-5;
// No root takes more than 8 steps on the inputs of band_demand_test.cc; the bound only guarantees
// an end.
constexpr int kMostSteps = 40;
// Beyond this u, e^u overflows; a device that sends so densely needs no band worth the name.
constexpr double kMostNats = 700;
constexpr double kLeastNats = 1e-150;  // its square is still a number

// Returns ln(1 + x) for 0 <= x < 1e300 within 7e-16 relative.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log1p(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const V u = ApproximateLog(d, hn::Add(one, x));
  const V e = Expm1(d, u);
  return hn::Add(u, Log1pSmall(d, hn::Div(hn::Sub(x, e), hn::Add(e, one))));
}

// Returns u - 1 + e^-u for e = expm1(u) within 1e-13 relative; the plain sum loses all digits of a
// small u.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Excess(D d, V u, V e) {
  V p = hn::MulAdd(u, hn::Set(d, 1.0 / 40320), hn::Set(d, -1.0 / 5040));
  p = hn::MulAdd(u, p, hn::Set(d, 1.0 / 720));
  p = hn::MulAdd(u, p, hn::Set(d, -1.0 / 120));
  p = hn::MulAdd(u, p, hn::Set(d, 1.0 / 24));
  p = hn::MulAdd(u, p, hn::Set(d, -1.0 / 6));
  p = hn::MulAdd(u, p, hn::Set(d, 0.5));
  const V small = hn::Mul(hn::Mul(u, u), p);
  const V large = hn::Sub(u, hn::Div(e, hn::Add(e, hn::Set(d, 1.0))));
  return hn::IfThenElse(hn::Lt(u, hn::Set(d, 1.0 / 16)), small, large);
}

// Returns ln(1 + z) for z > -1: within 1e-4 for |z| < 0.2, within 6e-3 for |z| < 1/2 (the error is
// about z⁴/36), of the right sign and not too large elsewhere.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V RoughLog1p(D d, V z) {
  const V y = hn::Min(z, hn::Set(d, 4.0));
  const V six = hn::Set(d, 6.0);
  return hn::Div(hn::Mul(y, hn::Add(six, y)), hn::MulAdd(hn::Set(d, 4.0), y, six));
}

// Runs `step_at` from `start` on every lane of `active` until its step is small, never below
// `least`. Each lane is on its own: its result does not depend on its neighbours.
template <class D, class V, class M, class StepAt>
HWY_INLINE V Iterate(D d, V start, V least, M active, double last_step, const StepAt& step_at) {
  V u = start;
  for (int step = 0; step < kMostSteps && !hn::AllFalse(d, active); ++step) {
    const V change = step_at(u);
    // A step does not go below half of u: the functions are steep there, and steps from afar too
    // long.
    const V next = hn::Max(hn::Add(u, change), hn::Max(hn::Mul(u, hn::Set(d, 0.5)), least));
    u = hn::IfThenElse(active, next, u);
    active = hn::And(active, hn::Gt(hn::Abs(change), hn::Mul(u, hn::Set(d, last_step))));
  }
  return u;
}

// Returns the u > 0 of (e^u - 1)/u = q, at most kMostNats, and 0 for q <= 1. In ln q the left side
// rises by 1/2 to 1 and is convex: Newton's method finds it from anywhere.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V NatsOfRatio(D d, V q) {
  const V one = hn::Set(d, 1.0);
  const V most = hn::Set(d, kMostNats);
  const auto has_root = hn::Gt(q, one);
  const V l = ApproximateLog(d, hn::Max(q, one));
  const V two_l = hn::Add(l, l);
  // 2·(q - 1) is right for q near 1, where the logarithm has no digits.
  const V small = hn::Mul(hn::Set(d, 2.0), hn::Sub(q, one));
  const V large = hn::Min(two_l, hn::Add(l, ApproximateLog(d, hn::Add(one, two_l))));
  V start = hn::IfThenElse(hn::Lt(small, hn::Set(d, 1e-3)), small, large);
  start = hn::Min(hn::Max(start, hn::Set(d, kLeastNats)), most);
  const V u = Iterate(d, start, hn::Zero(d), has_root, kLastNewtonStep, [&](V at) HWY_ATTR {
    const V e = Expm1(d, hn::Min(at, most));
    const V rest = hn::Sub(hn::Div(hn::Mul(q, at), e), one);
    // The slope is e^u/(e^u - 1) - 1/u, where it does not cancel.
    const V slope = hn::IfThenElse(hn::Lt(at, hn::Set(d, 1e-4)), hn::Set(d, 0.5),
                                   hn::Sub(hn::Div(hn::Add(e, one), e), hn::Div(one, at)));
    return hn::Div(RoughLog1p(d, rest), slope);
  });
  return hn::IfThenElseZero(has_root, hn::Min(u, most));
}

// Returns the root of (B11), u² = p·(u - 1 + e^-u + b·e^-u), for 0 < p <= ln(1 + b) and lanes of
// `active`. It lies between p and min(ln(1 + b), √(p·b)).
template <class D, class V, class M>
HWY_INLINE V FixedNoiseRoot(D d, V p, V b, M active) {
  const V one = hn::Set(d, 1.0);
  const V log_b = hn::IfThenElse(hn::Lt(b, hn::Set(d, 1e-3)), b,  // where 1 + b loses digits
                                 ApproximateLog(d, hn::Add(one, b)));
  V u = hn::Max(hn::Min(log_b, hn::Sqrt(hn::Mul(p, b))), p);
  // In the logarithm of (1 + b)·p = (u² - p·u + p)·e^u the first step goes most of the way.
  const V m = hn::MulAdd(u, hn::Sub(u, p), p);
  const V ratio =
      hn::Div(hn::Mul(m, hn::Add(ApproximateExpm1(d, u), one)), hn::Mul(p, hn::Add(one, b)));
  const V log_ratio = ApproximateLog(d, hn::Max(ratio, one));
  const V slope = hn::Add(one, hn::Div(hn::Sub(hn::Add(u, u), p), m));
  const V moved = hn::Max(hn::Sub(u, hn::Div(log_ratio, slope)), p);
  u = hn::IfThenElse(hn::Gt(log_ratio, hn::Set(d, 0.1)), moved, u);
  return Iterate(d, u, p, active, kLastNewtonStep, [&](V at) HWY_ATTR {
    const V e = Expm1(d, at);
    const V y = hn::Div(one, hn::Add(e, one));
    const V rest = hn::Sub(hn::Mul(p, hn::MulAdd(b, y, Excess(d, at, e))), hn::Mul(at, at));
    const V inverse_m = hn::Div(one, hn::MulAdd(at, hn::Sub(at, p), p));
    const V rise = hn::MulAdd(hn::Sub(hn::Add(at, at), p), inverse_m, one);
    return hn::Div(RoughLog1p(d, hn::Mul(rest, inverse_m)), rise);
  });
}

// Returns the root of u - 1 + e^-u = p + k·e^-u, for 0 <= p <= kMostNats and k >= 0, within a few
// per cent: 1 + p + W((k - 1)·e^(-1-p)) with Lambert's W.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V RoughExcessRoot(D d, V p, V pk) {
  const V one = hn::Set(d, 1.0);
  const V e_p = ApproximateExpm1(d, p);
  const V inverse = hn::Div(one, hn::Add(e_p, one));
  // The starts are from W's branch point, with s² = 2 + 2e·z, and its logarithm for z > 0.
  const V s = hn::Sqrt(hn::Mul(hn::Mul(hn::Set(d, 2.0), hn::Add(e_p, hn::Min(pk, one))), inverse));
  const V near =
      hn::Div(s, hn::Add(one, hn::Div(s, hn::MulAdd(hn::Set(d, 0.3), s, hn::Set(d, 3.0)))));
  const V z =
      hn::Mul(hn::Mul(hn::Sub(hn::Max(pk, one), one), inverse), hn::Set(d, 0.36787944117144233));
  const V l = ApproximateLog(d, hn::Add(one, z));
  const V share = hn::Div(ApproximateLog(d, hn::Add(one, l)), hn::Add(l, hn::Set(d, 2.0)));
  const V far = hn::Add(one, hn::NegMulAdd(l, share, l));
  const V u = hn::Add(p, hn::IfThenElse(hn::Gt(pk, one), far, near));
  return hn::Min(hn::Max(u, hn::Set(d, kLeastNats)), hn::Set(d, kMostNats));
}

// Returns that root with all digits for lanes of `active`.
template <class D, class V, class M>
HWY_INLINE V ExcessRoot(D d, V p, V pk, M active) {
  const V one = hn::Set(d, 1.0);
  const V u = RoughExcessRoot(d, p, pk);
  return Iterate(d, u, hn::Zero(d), active, kLastHalleyStep, [&](V at) HWY_ATTR {
    const V e = Expm1(d, hn::Min(at, hn::Set(d, kMostNats)));
    const V y = hn::Div(one, hn::Add(e, one));
    // This is Halley's step.
    const V rest = hn::Sub(Excess(d, at, e), hn::MulAdd(pk, y, p));
    const V slope = hn::Mul(y, hn::Add(e, pk));
    const V newton = hn::Div(rest, slope);
    const V bend = hn::Div(hn::Mul(hn::Mul(hn::Sub(one, pk), y), hn::Set(d, 0.5)), slope);
    return hn::Neg(hn::Div(newton, hn::Max(hn::NegMulAdd(newton, bend, one), hn::Set(d, 0.25))));
  });
}

// Returns the root of (B12), u - 1 + e^-u = p·(1 + κ·e^-u), for 0 < p <= kMostNats and lanes of
// `active`.
template <class D, class V, class M>
HWY_INLINE V DensityRoot(D d, V p, V kappa, M active) {
  return ExcessRoot(d, p, hn::Mul(p, kappa), active);
}

// A Purchase is what one vector of devices buys.
template <class V, class M>
struct Purchase {
  V bandwidth_hz;  // 0 where it buys nothing
  V surplus;       // w·a - ν·B
  M is_tied;       // it is all the same whether it buys
};

// PricedColumns are the columns of a fleet as plain pointers.
struct PricedColumns {
  const double *band_scale, *price_scale, *choke_price, *top, *full, *budget, *compute, *power,
      *kink, *kink_slope;
};

template <bool kDensity, class D, class V = hn::Vec<D>>
HWY_INLINE auto Buy(D d, const PricedColumns& columns, std::size_t i, V price) {
  const V one = hn::Set(d, 1.0);
  const V choke = hn::LoadU(d, columns.choke_price + i);
  const auto buys = hn::Le(price, choke);
  Purchase<V, decltype(buys)> result{hn::Zero(d), hn::Zero(d), hn::Eq(price, choke)};
  if (hn::AllFalse(d, buys)) return result;
  const V band_scale = hn::LoadU(d, columns.band_scale + i);
  const V price_scale = hn::LoadU(d, columns.price_scale + i);
  const V top = hn::LoadU(d, columns.top + i);
  const V full = hn::LoadU(d, columns.full + i);
  const V budget = hn::LoadU(d, columns.budget + i);
  const V compute = hn::LoadU(d, columns.compute + i);
  const V p = hn::Min(hn::Mul(price, price_scale), top);
  const auto needs_root = hn::And(buys, hn::Lt(full, top));
  V u, a;
  if constexpr (kDensity) {
    const auto is_power = hn::Ge(p, hn::LoadU(d, columns.kink_slope + i));
    u = DensityRoot(d, p, hn::IfThenZeroElse(is_power, compute), needs_root);
    u = hn::IfThenElse(is_power, u, hn::Min(u, hn::LoadU(d, columns.kink + i)));
    u = hn::Min(hn::Max(u, full), top);
    const V e = hn::Div(Expm1(d, u), u);
    a = hn::Min(hn::Div(budget, hn::Add(e, compute)),  // (B7)
                hn::Div(hn::LoadU(d, columns.power + i), e));
  } else {
    u = FixedNoiseRoot(d, p, budget, needs_root);
    u = hn::Min(hn::Max(u, full), top);
    a = hn::Div(hn::Sub(budget, Expm1(d, u)), compute);  // (B5)
  }
  a = hn::IfThenElse(hn::Le(u, full), one, hn::Min(hn::Max(a, hn::Zero(d)), one));
  const V bandwidth_hz = hn::Div(hn::Mul(band_scale, a), u);  // (B4)
  const V gain = hn::Max(hn::Sub(u, p), hn::Zero(d));
  result.bandwidth_hz = hn::IfThenElseZero(buys, bandwidth_hz);
  // The surplus is 0 for those that are tied, but for rounding.
  const auto gains = hn::Lt(price, choke);
  result.surplus = hn::IfThenElseZero(gains, hn::Div(hn::Mul(bandwidth_hz, gain), price_scale));
  return result;
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AIRLOT_PLANNING_BAND_DEMAND_INL_H_
