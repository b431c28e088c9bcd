// These kernels are the closed form, one vector of devices at a time; see docs/mathematics.md,
// section 5.
//
// Every lane looks for the smallest of three roots (12): u_full (known), u_power = ln(1 + x), and
// u_energy, the root of expm1(u) + c·u = b. Solving each and taking the minimum would cost several
// precise exponentials and logarithms. Instead all three share one precise expm1: cheap
// approximations (error below 1e-3 in u) give the minimum's neighbourhood u_0; with E = expm1(u_0)
// the three exact corrections are short series in the Newton residual, and the least correction
// belongs to the least root.
#if defined(AIRLOT_PLANNING_CLOSED_FORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AIRLOT_PLANNING_CLOSED_FORM_INL_H_
#undef AIRLOT_PLANNING_CLOSED_FORM_INL_H_
#else
#define AIRLOT_PLANNING_CLOSED_FORM_INL_H_
#endif

#include <hwy/highway.h>

#include "airlot/planning.h"
#include "planning/device.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Corrections up to this size are resolved by the series below to full precision.
constexpr double kSeriesRadius = 1.0 / 256;
// Beyond the series' radius the iteration has converged on every input of the domain after a few
// steps; the bound only guarantees an end.
constexpr int kMostRefinements = 60;
// Where computation time makes c negative, the slope e^u + c at the root is at least u/2. A slope
// below this bound is rounding noise; but then any u up to it meets the energy budget within its
// size.
constexpr double kLeastSlope = 1e-13;

// Returns ln(y) for y >= 1 within 6e-5 relative: exponent and a degree-4 fit of ln(1+t)/t
// (tools/fit_polynomials.py). It is exactly 0 at 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ApproximateLog(D d, V y) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, y);
  // This centres the mantissa m on [sqrt(1/2), sqrt(2)).
  const auto above_sqrt_half = hn::Sub(bits, hn::Set(du, 0x3FE6A09E667F3BCDull));
  const auto exponent = hn::ShiftRight<52>(above_sqrt_half);
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(exponent)));
  // A small integer becomes a double by putting it in the mantissa of 2^52 and subtracting 2^52.
  const V e = hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::Set(du, 0x4330000000000000ull))),
                      hn::Set(d, 4503599627370496.0));
  const V t = hn::Sub(m, hn::Set(d, 1.0));
  V q = hn::MulAdd(t, hn::Set(d, 0.1728644), hn::Set(d, -0.26992927));
  q = hn::MulAdd(t, q, hn::Set(d, 0.33674713));
  q = hn::MulAdd(t, q, hn::Set(d, -0.49951271));
  q = hn::MulAdd(t, q, hn::Set(d, 0.99996139));
  return hn::MulAdd(e, hn::Set(d, 0.6931471805599453), hn::Mul(t, q));
}

// Splits u = k·ln2 + r with |r| <= ln2/2, for 0 <= u < 709; returns 2^k and sets r.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReduceExponent(D d, V u, V& r) {
  const hn::RebindToUnsigned<D> du;
  // Adding 1.5·2^52 rounds to an integer and leaves it in the low bits.
  const V magic = hn::Set(d, 6755399441055744.0);
  const V shifted = hn::MulAdd(u, hn::Set(d, 1.4426950408889634), magic);
  const V k = hn::Sub(shifted, magic);
  r = hn::NegMulAdd(k, hn::Set(d, 6.93147180369123816490e-01), u);
  r = hn::NegMulAdd(k, hn::Set(d, 1.90821492927058770002e-10), r);
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::Add(hn::BitCast(du, shifted), hn::Set(du, 1023))));
}

// Returns expm1(u) for 0 <= u < 709 within 1.2e-5 relative, by Taylor to degree 5.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ApproximateExpm1(D d, V u) {
  V r;
  const V power_of_two = ReduceExponent(d, u, r);
  V p = hn::MulAdd(r, hn::Set(d, 1.0 / 120), hn::Set(d, 1.0 / 24));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0 / 6));
  p = hn::MulAdd(r, p, hn::Set(d, 0.5));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0));
  p = hn::Mul(p, r);
  return hn::MulAdd(power_of_two, p, hn::Sub(power_of_two, hn::Set(d, 1.0)));
}

// Returns expm1(u) for 0 <= u < 709 within 1e-15 relative, by Taylor to degree 13, even and odd
// powers apart to shorten the chain.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Expm1(D d, V u) {
  V r;
  const V power_of_two = ReduceExponent(d, u, r);
  const V r2 = hn::Mul(r, r);
  V odd = hn::MulAdd(r2, hn::Set(d, 1.0 / 6227020800), hn::Set(d, 1.0 / 39916800));
  V even = hn::MulAdd(r2, hn::Set(d, 1.0 / 479001600), hn::Set(d, 1.0 / 3628800));
  odd = hn::MulAdd(r2, odd, hn::Set(d, 1.0 / 362880));
  even = hn::MulAdd(r2, even, hn::Set(d, 1.0 / 40320));
  odd = hn::MulAdd(r2, odd, hn::Set(d, 1.0 / 5040));
  even = hn::MulAdd(r2, even, hn::Set(d, 1.0 / 720));
  odd = hn::MulAdd(r2, odd, hn::Set(d, 1.0 / 120));
  even = hn::MulAdd(r2, even, hn::Set(d, 1.0 / 24));
  odd = hn::MulAdd(r2, odd, hn::Set(d, 1.0 / 6));
  even = hn::MulAdd(r2, even, hn::Set(d, 0.5));
  // p is r + r²·(even + r·odd), whose leading term is exact.
  const V p = hn::MulAdd(r2, hn::MulAdd(r, odd, even), r);
  return hn::MulAdd(power_of_two, p, hn::Sub(power_of_two, hn::Set(d, 1.0)));
}

// Returns expm1(x) for |x| <= kSeriesRadius, by Taylor to degree 6.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Expm1Small(D d, V x) {
  V p = hn::MulAdd(x, hn::Set(d, 1.0 / 720), hn::Set(d, 1.0 / 120));
  p = hn::MulAdd(x, p, hn::Set(d, 1.0 / 24));
  p = hn::MulAdd(x, p, hn::Set(d, 1.0 / 6));
  p = hn::MulAdd(x, p, hn::Set(d, 0.5));
  return hn::MulAdd(hn::Mul(x, x), p, x);
}

// Returns log1p(z) for |z| <= kSeriesRadius, by Taylor to degree 6.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log1pSmall(D d, V z) {
  V p = hn::MulAdd(z, hn::Set(d, -1.0 / 6), hn::Set(d, 1.0 / 5));
  p = hn::MulAdd(z, p, hn::Set(d, -1.0 / 4));
  p = hn::MulAdd(z, p, hn::Set(d, 1.0 / 3));
  p = hn::MulAdd(z, p, hn::Set(d, -0.5));
  return hn::MulAdd(hn::Mul(z, z), p, z);
}

// Returns the δ of (17), δ + s·(e^δ - 1 - δ) = z, for |z| <= kSeriesRadius and 0 <= s <= 1, by the
// reverted series to z^5.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V EnergyCorrection(D d, V z, V s) {
  V c5 = hn::MulAdd(s, hn::Set(d, 7.0 / 8), hn::Set(d, -7.0 / 8));
  c5 = hn::MulAdd(s, c5, hn::Set(d, 5.0 / 24));
  c5 = hn::MulAdd(s, c5, hn::Set(d, -1.0 / 120));
  V c4 = hn::MulAdd(s, hn::Set(d, -5.0 / 8), hn::Set(d, 5.0 / 12));
  c4 = hn::MulAdd(s, c4, hn::Set(d, -1.0 / 24));
  const V c3 = hn::MulAdd(s, hn::Set(d, 0.5), hn::Set(d, -1.0 / 6));
  V p = hn::MulAdd(z, c5, c4);
  p = hn::MulAdd(z, p, c3);
  p = hn::MulAdd(z, p, hn::Set(d, -0.5));
  return hn::MulAdd(hn::Mul(s, hn::Mul(z, z)), p, z);
}

// Returns one Householder step of order 4, (21), for (17), for residuals of any size.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V HouseholderStep(D d, V z, V s) {
  const V sz = hn::Mul(s, z);
  const V numerator = hn::MulAdd(sz, hn::Set(d, 0.5), hn::Set(d, 1.0));
  const V denominator =
      hn::MulAdd(sz, hn::MulAdd(z, hn::Set(d, 1.0 / 6), hn::Set(d, 1.0)), hn::Set(d, 1.0));
  return hn::Mul(z, hn::Div(numerator, denominator));
}

// Returns a start for expm1(u) + c·u = b, c >= 0 (20): the less of ln(1+b) and b/(1+c). It is not
// below the root, up to the error of the logarithm.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V StartFromAbove(D d, V b, V c) {
  const V one = hn::Set(d, 1.0);
  return hn::Min(ApproximateLog(d, hn::Add(one, b)), hn::Div(b, hn::Add(one, c)));
}

// Returns a start for expm1(u) + c·u = b, c < 0 (only where computation time counts): u = ln(1+b) +
// D with e^D = 1 + k·(l + D); see (24). Lanes with c >= 0 are garbage.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V StartNegative(D d, V b, V c) {
  const V one = hn::Set(d, 1.0);
  const V b1 = hn::Add(one, b);
  const V l = ApproximateLog(d, b1);
  const V k = hn::Max(hn::Neg(hn::Div(c, b1)), hn::Zero(d));
  const V bound = hn::Mul(hn::Set(d, 1.2131), hn::MulAdd(k, hn::Add(l, one), one));
  V shift = hn::Mul(hn::Set(d, 2.0), ApproximateLog(d, bound));
  shift = ApproximateLog(d, hn::MulAdd(k, hn::Add(l, shift), one));
  shift = ApproximateLog(d, hn::MulAdd(k, hn::Add(l, shift), one));
  return hn::Add(l, hn::Mul(shift, hn::Set(d, 1.001)));
}

// DeviceLanes are one vector of devices.
template <class V>
struct DeviceLanes {
  V noise_to_gain_w, nat_time_s, max_power_w, energy_budget_j, compute_energy_j, time_limit_s,
      compute_time_s;
};

// A Block keeps its devices between two steps in the first-level cache. One vector's chain of
// dependent instructions is as long as the processor's window, so a loop that takes each vector
// from start to end waits; a loop per step keeps several vectors in flight (measured: 1.8 times
// faster).
constexpr std::size_t kBlock = 64;
struct Block {
  // These are the dimensionless problem (16): the smallest of `flat` (where a = 1, or the
  // spectral-efficiency cap), ln(1 + x), and the root of expm1(u) + c·u = b is wanted.
  HWY_ALIGN double flat[kBlock], x[kBlock], b[kBlock], c[kBlock];
  HWY_ALIGN double cap[kBlock];        // min(flat, about ln(1 + x))
  HWY_ALIGN double u[kBlock];          // the current point
  HWY_ALIGN double e[kBlock];          // expm1(u)
  HWY_ALIGN double to_power[kBlock];   // residual of ln(1 + x) at u
  HWY_ALIGN double to_energy[kBlock];  // residual of the energy root at u
  HWY_ALIGN double s[kBlock];          // e^u / (e^u + c)
};

// Says whether the energy root lies below u + other, for a small `other`, by (17) and because f is
// convex. Only with computation time, where c may be negative and s large, does this differ from a
// comparison of residuals. 0.51 for 1/2 covers the rest of the series.
template <class D, class V = hn::Vec<D>>
HWY_INLINE auto IsEnergyLeast(D d, V z_energy, V s, V other) {
  const V square = hn::Mul(s, hn::Mul(other, other));
  return hn::Gt(hn::MulAdd(square, hn::Set(d, 0.51), other), z_energy);
}

// Step 1 computes (16) and the start (20).
template <bool kCountComputeTime, class D, class V = hn::Vec<D>>
HWY_INLINE void Normalise(D d, const DeviceLanes<V>& lanes, V max_nats, Block& block,
                          std::size_t i) {
  const V one = hn::Set(d, 1.0);
  // Three reciprocals cost one division.
  const V g_l = hn::Mul(lanes.noise_to_gain_w, lanes.nat_time_s);
  const V inverse = hn::Div(one, hn::Mul(g_l, lanes.time_limit_s));
  const V inverse_tau = hn::Mul(inverse, g_l);
  const V inverse_g_l = hn::Mul(inverse, lanes.time_limit_s);
  const V inverse_g = hn::Mul(inverse_g_l, lanes.nat_time_s);

  V full = hn::Mul(lanes.nat_time_s, inverse_tau);
  const V x = hn::Mul(lanes.max_power_w, inverse_g);
  const V b = hn::Mul(hn::Mul(lanes.energy_budget_j, inverse_g), inverse_tau);
  V c = hn::Mul(lanes.compute_energy_j, inverse_g_l);
  V start;
  if constexpr (kCountComputeTime) {  // (12), (16)
    const V left = hn::Sub(lanes.time_limit_s, lanes.compute_time_s);
    full = hn::IfThenElse(hn::Gt(left, hn::Zero(d)), hn::Div(lanes.nat_time_s, left),
                          hn::Set(d, 1e300));
    c = hn::NegMulAdd(b, hn::Div(lanes.compute_time_s, lanes.nat_time_s), c);
    start = hn::IfThenElse(hn::Lt(c, hn::Zero(d)), StartNegative(d, b, c), StartFromAbove(d, b, c));
  } else {
    start = StartFromAbove(d, b, c);
  }
  const V flat = hn::Min(full, max_nats);
  const V cap = hn::Min(flat, ApproximateLog(d, hn::Add(one, x)));
  hn::Store(flat, d, block.flat + i);
  hn::Store(x, d, block.x + i);
  hn::Store(b, d, block.b + i);
  hn::Store(c, d, block.c + i);
  hn::Store(cap, d, block.cap + i);
  hn::Store(hn::Min(start, cap), d, block.u + i);
}

// Step 2 takes one step with a rough exponential, which brings 97 lanes in 100 within the series'
// radius.
template <bool kCountComputeTime, class D>
HWY_INLINE void Approach(D d, Block& block, std::size_t i) {
  using V = hn::Vec<D>;
  const V one = hn::Set(d, 1.0);
  const V u = hn::Load(d, block.u + i);
  const V c = hn::Load(d, block.c + i);
  const V e = ApproximateExpm1(d, u);
  const V y = hn::Add(e, one);
  const V slope = hn::Add(y, c);
  const V inverse_slope = hn::Div(one, slope);
  const V z = hn::Mul(hn::NegMulAdd(c, u, hn::Sub(hn::Load(d, block.b + i), e)), inverse_slope);
  V next = hn::Add(u, HouseholderStep(d, z, hn::Mul(y, inverse_slope)));
  // Left of the minimum of f the step would lead away from the root.
  if constexpr (kCountComputeTime) next = hn::IfThenElse(hn::Gt(slope, hn::Zero(d)), next, u);
  hn::Store(hn::Max(hn::Min(next, hn::Load(d, block.cap + i)), hn::Zero(d)), d, block.u + i);
}

// Step 3 computes the precise exponential and the residuals; lanes still beyond the radius step
// again.
template <bool kCountComputeTime, class D>
HWY_INLINE void Resolve(D d, Block& block, std::size_t i) {
  using V = hn::Vec<D>;
  const V one = hn::Set(d, 1.0);
  const V c = hn::Load(d, block.c + i);
  V u = hn::Load(d, block.u + i);
  V e, s, z_power, z_energy;
  for (int refinement = 0;; ++refinement) {
    e = Expm1(d, u);
    const V y = hn::Add(e, one);
    V slope = hn::Add(y, c);
    // Where c < 0, f falls before it rises to its root.
    const auto is_flat = hn::Lt(slope, hn::Set(d, kLeastSlope));
    if constexpr (kCountComputeTime) slope = hn::IfThenElse(is_flat, y, slope);
    const V inverse = hn::Div(one, hn::Mul(y, slope));
    const V inverse_slope = hn::Mul(y, inverse);
    s = hn::Mul(y, inverse_slope);
    z_power = hn::Mul(hn::Sub(hn::Load(d, block.x + i), e), hn::Mul(slope, inverse));
    z_energy = hn::Mul(hn::NegMulAdd(c, u, hn::Sub(hn::Load(d, block.b + i), e)), inverse_slope);
    const V z_flat = hn::Sub(hn::Load(d, block.flat + i), u);
    const V z_other = hn::Min(z_flat, z_power);
    V size;
    if constexpr (kCountComputeTime) {
      // Where c < 0, s exceeds 1 and the series is one in s·z; and the start (24) may be far above
      // a small root, so that u + z would cancel.
      const V z = hn::Abs(z_energy);
      const auto cancels =
          hn::And(hn::Lt(c, hn::Zero(d)), hn::Gt(z, hn::Mul(u, hn::Set(d, 0.125))));
      const V energy_size = hn::IfThenElse(cancels, one, hn::Mul(z, hn::Max(s, one)));
      size = hn::IfThenElse(IsEnergyLeast(d, z_energy, s, z_other), energy_size, hn::Abs(z_other));
      // At the cap the root is beyond it; elsewhere it is below kLeastSlope, up to rounding.
      const auto at_cap = hn::Ge(u, hn::Load(d, block.cap + i));
      const V to_least = hn::Max(hn::Sub(hn::Set(d, kLeastSlope), u), hn::Zero(d));
      z_energy = hn::IfThenElse(is_flat, hn::IfThenElse(at_cap, one, to_least), z_energy);
      size = hn::IfThenElse(is_flat, hn::Abs(hn::Min(z_other, z_energy)), size);
    } else {
      size = hn::Abs(hn::Min(z_other, z_energy));
    }
    const auto far = hn::Gt(size, hn::Set(d, kSeriesRadius));
    if (HWY_LIKELY(hn::AllFalse(d, far)) || refinement == kMostRefinements) break;
    // Only the far lanes move, so that a lane's result does not depend on its neighbours.
    const V next = hn::Min(hn::Add(u, HouseholderStep(d, z_energy, s)), hn::Load(d, block.cap + i));
    u = hn::IfThenElse(far, hn::Max(next, hn::Zero(d)), u);
  }
  hn::Store(u, d, block.u + i);
  hn::Store(e, d, block.e + i);
  hn::Store(s, d, block.s + i);
  hn::Store(z_power, d, block.to_power + i);
  hn::Store(z_energy, d, block.to_energy + i);
}

// Step 4 takes the least of the three corrections (17), and from it a* and P* of (12).
template <bool kCountComputeTime, class D, class V = hn::Vec<D>>
HWY_INLINE void Finish(D d, const DeviceLanes<V>& lanes, V max_nats, const Block& block,
                       std::size_t i, V& probability, V& power_w) {
  const V one = hn::Set(d, 1.0);
  const V u = hn::Load(d, block.u + i);
  const V e = hn::Load(d, block.e + i);
  const V s = hn::Load(d, block.s + i);
  const V flat = hn::Load(d, block.flat + i);
  const V z_energy = hn::Load(d, block.to_energy + i);
  // A residual beyond the radius belongs to a root that is not the smallest; any larger value does.
  const V beyond = hn::Set(d, 2 * kSeriesRadius);
  const V to_flat = hn::Sub(flat, u);
  const V z_power = hn::Load(d, block.to_power + i);
  const V to_power = Log1pSmall(d, hn::Min(z_power, beyond));
  V to_energy = EnergyCorrection(d, hn::Min(z_energy, beyond), s);
  if constexpr (kCountComputeTime) {  // beyond the radius of s·z the series means nothing
    const auto is_least = IsEnergyLeast(d, z_energy, s, hn::Min(to_flat, z_power));
    to_energy = hn::IfThenElse(is_least, to_energy, beyond);
  }
  const V correction = hn::Min(to_flat, hn::Min(to_power, to_energy));
  const V root = hn::Add(u, correction);
  const V expm1_root =  // (18)
      hn::MulAdd(hn::Add(e, one), Expm1Small(d, correction), e);

  const V power = hn::Min(hn::Mul(lanes.noise_to_gain_w, expm1_root), lanes.max_power_w);
  power_w = hn::IfThenElse(hn::Le(to_power, correction), lanes.max_power_w, power);
  V nat_time_s = lanes.nat_time_s;
  if constexpr (kCountComputeTime) nat_time_s = hn::MulAdd(root, lanes.compute_time_s, nat_time_s);
  const V a = hn::Div(hn::Mul(root, lanes.time_limit_s), nat_time_s);
  // `flat` is where a = 1 unless the spectral-efficiency cap comes before.
  const auto is_full = hn::And(hn::Le(to_flat, correction), hn::Lt(flat, max_nats));
  probability = hn::IfThenElse(is_full, one, hn::Min(a, one));
}

// Computes a* and P* of (14), where every participation must meet the limit.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void SolveDeadline(D d, const DeviceLanes<V>& lanes, V max_nats, V& probability,
                              V& power_w) {
  const V zero = hn::Zero(d);
  const V upload_s = hn::Sub(lanes.time_limit_s, lanes.compute_time_s);
  const auto has_time = hn::Gt(upload_s, zero);
  const V u = hn::Div(lanes.nat_time_s, hn::IfThenElse(has_time, upload_s, hn::Set(d, 1.0)));
  // Beyond 700 no power of the domain suffices, and e^u would overflow.
  const V needed = hn::Mul(lanes.noise_to_gain_w, Expm1(d, hn::Min(u, hn::Set(d, 700.0))));
  const V power = hn::Min(needed, lanes.max_power_w);
  const V energy_j = hn::MulAdd(power, upload_s, lanes.compute_energy_j);
  const V a = hn::Min(hn::Div(lanes.energy_budget_j, energy_j), hn::Set(d, 1.0));
  const V slack = hn::Set(d, 1 + kDeadlineSlack);
  const auto reachable = hn::And(hn::And(has_time, hn::Gt(a, zero)),
                                 hn::And(hn::Le(u, hn::Mul(max_nats, slack)),
                                         hn::Le(needed, hn::Mul(lanes.max_power_w, slack))));
  probability = hn::IfThenElseZero(reachable, a);
  power_w = hn::IfThenElseZero(reachable, power);
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AIRLOT_PLANNING_CLOSED_FORM_INL_H_
