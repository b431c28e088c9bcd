// These kernels are the closed form, one vector of devices at a time; see docs/mathematics.md,
// section 5.
//
// Every lane looks for the smallest of three roots (12): u_full (known), u_power = ln(1 + x), and
// u_energy, the root of expm1(u) + c·u = b. Solving each and taking the minimum would cost several
// precise exponentials and logarithms. Instead all three share one precise expm1: cheap
// approximations (error below 1e-3 in u) give the minimum's neighbourhood u_0; with E = expm1(u_0)
// the three exact corrections are short series in the Newton residual, and the least correction
// belongs to the least root.
//
// What only leads to the neighbourhood takes neither a polynomial of the exponential nor a division
// (docs/performance.md says what bounds the kernel, and what was tried).
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
constexpr double kSeriesRadius = 1.0 / 1024;
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

// Returns the 2^k for which k·ln 2 is nearest to u, for 0 <= u < 709, and sets nearest = k·ln 2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V NearestPowerOfTwo(D d, V u, V& nearest) {
  const hn::RebindToUnsigned<D> du;
  const V magic = hn::Set(d, 6755399441055744.0);
  const V shifted = hn::MulAdd(u, hn::Set(d, 1.4426950408889634), magic);
  nearest = hn::Mul(hn::Sub(shifted, magic), hn::Set(d, 0.6931471805599453));
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

// Returns expm1(u) for 0 <= u < 709 within 1e-15 relative: 1 + r + r²·Q(r) for e^r, where Q is a
// fit of degree 9 (tools/fit_polynomials.py) whose lowest two coefficients are exact; even and odd
// powers apart to shorten the chain. Taylor's series needs two coefficients more.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Expm1(D d, V u) {
  V r;
  const V power_of_two = ReduceExponent(d, u, r);
  const V r2 = hn::Mul(r, r);
  V odd = hn::MulAdd(r2, hn::Set(d, 2.5072455532791857e-08), hn::Set(d, 2.7557341572596375e-06));
  V even = hn::MulAdd(r2, hn::Set(d, 2.7622491771952306e-07), hn::Set(d, 2.480151565167669e-05));
  odd = hn::MulAdd(r2, odd, hn::Set(d, 0.00019841269802121206));
  even = hn::MulAdd(r2, even, hn::Set(d, 0.001388888892109004));
  odd = hn::MulAdd(r2, odd, hn::Set(d, 0.008333333333346061));
  even = hn::MulAdd(r2, even, hn::Set(d, 0.04166666666661847));
  odd = hn::MulAdd(r2, odd, hn::Set(d, 1.0 / 6));
  even = hn::MulAdd(r2, even, hn::Set(d, 0.5));
  // p is r + r²·(even + r·odd), whose leading term is exact.
  const V p = hn::MulAdd(r2, hn::MulAdd(r, odd, even), r);
  return hn::MulAdd(power_of_two, p, hn::Sub(power_of_two, hn::Set(d, 1.0)));
}

// Returns expm1(x) for |x| <= kSeriesRadius, by Taylor to degree 4.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Expm1Small(D d, V x) {
  V p = hn::MulAdd(x, hn::Set(d, 1.0 / 24), hn::Set(d, 1.0 / 6));
  p = hn::MulAdd(x, p, hn::Set(d, 0.5));
  return hn::MulAdd(hn::Mul(x, x), p, x);
}

// Returns log1p(z) for |z| <= 1/256, by Taylor to degree 6.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log1pSmall(D d, V z) {
  V p = hn::MulAdd(z, hn::Set(d, -1.0 / 6), hn::Set(d, 1.0 / 5));
  p = hn::MulAdd(z, p, hn::Set(d, -1.0 / 4));
  p = hn::MulAdd(z, p, hn::Set(d, 1.0 / 3));
  p = hn::MulAdd(z, p, hn::Set(d, -0.5));
  return hn::MulAdd(hn::Mul(z, z), p, z);
}

// Returns the δ of (17) with s = 1, log1p(z), for |z| <= kSeriesRadius, by Taylor to degree 4.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V PowerCorrection(D d, V z) {
  V p = hn::MulAdd(z, hn::Set(d, -1.0 / 4), hn::Set(d, 1.0 / 3));
  p = hn::MulAdd(z, p, hn::Set(d, -0.5));
  return hn::MulAdd(hn::Mul(z, z), p, z);
}

// Returns the δ of (17), δ + s·(e^δ - 1 - δ) = z, for |z| <= kSeriesRadius and 0 <= s <= 1, by the
// reverted series (19) to z^4.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V EnergyCorrection(D d, V z, V s) {
  V c4 = hn::MulAdd(s, hn::Set(d, -5.0 / 8), hn::Set(d, 5.0 / 12));
  c4 = hn::MulAdd(s, c4, hn::Set(d, -1.0 / 24));
  const V c3 = hn::MulAdd(s, hn::Set(d, 0.5), hn::Set(d, -1.0 / 6));
  V p = hn::MulAdd(z, c4, c3);
  p = hn::MulAdd(z, p, hn::Set(d, -0.5));
  return hn::MulAdd(hn::Mul(s, hn::Mul(z, z)), p, z);
}

// Returns a start for a reciprocal, within 5.1 % of 1/x, and sets `error` to 1 - x·start: the
// difference of integers takes the exponent and the mantissa from a constant. Unlike the rough
// reciprocals of processors it has the same bits on all of them.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V StartReciprocal(D d, V x, V& error) {
  const hn::RebindToUnsigned<D> du;
  const V start = hn::BitCast(d, hn::Sub(hn::Set(du, 0x7FDE623822FC16E6ull), hn::BitCast(du, x)));
  error = hn::NegMulAdd(x, start, hn::Set(d, 1.0));
  return start;
}

// Returns 1/x within 1.4e-4 relative: with the error e of the start, 1/x is start/(1 - e), and
// 1 + e + e² are the first terms of 1/(1 - e). The simple form is a division.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ApproximateReciprocal(D d, V x) {
  V error;
  const V start = StartReciprocal(d, x, error);
  return hn::MulAdd(start, hn::MulAdd(error, error, error), start);
}

// Returns 1/x or up to 0.3 % more.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReciprocalFromAbove(D d, V x) {
  V error;
  const V start = StartReciprocal(d, x, error);
  return hn::Mul(start, hn::Add(error, hn::Set(d, 1.00269)));
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

// Returns a start for expm1(u) + c·u = b, c >= 0 (20), or ln(1 + x) where that is less: the least
// of ln(1 + min(b, x)) and b/(1+c). It is not below the root, up to the error of the logarithm, and
// at most 0.3 % above it where b/(1+c) is.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V StartFromAbove(D d, V b, V c, V x) {
  const V one = hn::Set(d, 1.0);
  return hn::Min(ApproximateLog(d, hn::Add(one, hn::Min(b, x))),
                 hn::Mul(b, ReciprocalFromAbove(d, hn::Add(one, c))));
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
// from start to end waits; a loop per step keeps several vectors in flight (measured: six steps
// take three quarters of the time of four longer ones: AVX2, Zen 5). Larger and smaller blocks were
// slower.
constexpr std::size_t kBlock = 64;
struct Block {
  // These are the dimensionless problem (16): the smallest of `flat` (where a = 1, or the
  // spectral-efficiency cap), ln(1 + x), and the root of expm1(u) + c·u = b is wanted.
  HWY_ALIGN double flat[kBlock], x[kBlock], b[kBlock], c[kBlock];
  // No root that is wanted lies beyond the cap: min(flat, about ln(1 + x)), or the start (20),
  // which is less.
  HWY_ALIGN double cap[kBlock];
  HWY_ALIGN double u[kBlock];          // the current point
  HWY_ALIGN double e[kBlock];          // expm1(u)
  HWY_ALIGN double to_power[kBlock];   // residual of ln(1 + x) at u
  HWY_ALIGN double to_energy[kBlock];  // residual of the energy root at u
  HWY_ALIGN double s[kBlock];          // e^u / (e^u + c)
  HWY_ALIGN double per_nat[kBlock];    // a/u = τ/L, without computation time
};

// Says whether the energy root lies below u + other, for a small `other`, by (17) and because f is
// convex. Only with computation time, where c may be negative and s large, does this differ from a
// comparison of residuals. 0.51 for 1/2 covers the rest of the series.
template <class D, class V = hn::Vec<D>>
HWY_INLINE auto IsEnergyLeast(D d, V z_energy, V s, V other) {
  const V square = hn::Mul(s, hn::Mul(other, other));
  return hn::Gt(hn::MulAdd(square, hn::Set(d, 0.51), other), z_energy);
}

// Step 1 computes (16), and with computation time the start too.
template <bool kCountComputeTime, class D, class V = hn::Vec<D>>
HWY_INLINE void Normalise(D d, const DeviceLanes<V>& lanes, V max_nats, Block& block,
                          std::size_t i) {
  const V one = hn::Set(d, 1.0);
  // All quotients cost one division.
  const V time = hn::Mul(lanes.nat_time_s, lanes.time_limit_s);
  const V inverse = hn::Div(one, hn::Mul(lanes.noise_to_gain_w, time));
  const V inverse_time = hn::Mul(inverse, lanes.noise_to_gain_w);
  V full = hn::Mul(lanes.nat_time_s, hn::Mul(lanes.nat_time_s, inverse_time));
  const V x = hn::Mul(hn::Mul(lanes.max_power_w, time), inverse);
  const V b = hn::Mul(hn::Mul(lanes.energy_budget_j, lanes.nat_time_s), inverse);
  V c = hn::Mul(hn::Mul(lanes.compute_energy_j, lanes.time_limit_s), inverse);
  if constexpr (kCountComputeTime) {  // (12), (16)
    const V left = hn::Sub(lanes.time_limit_s, lanes.compute_time_s);
    full = hn::IfThenElse(hn::Gt(left, hn::Zero(d)), hn::Div(lanes.nat_time_s, left),
                          hn::Set(d, 1e300));
    c = hn::NegMulAdd(b, hn::Div(lanes.compute_time_s, lanes.nat_time_s), c);
    const V cap = hn::Min(hn::Min(full, max_nats), ApproximateLog(d, hn::Add(one, x)));
    const V start =
        hn::IfThenElse(hn::Lt(c, hn::Zero(d)), StartNegative(d, b, c), StartFromAbove(d, b, c, x));
    hn::Store(hn::Min(start, cap), d, block.u + i);
    hn::Store(cap, d, block.cap + i);
  } else {
    const V per_nat = hn::Mul(lanes.time_limit_s, hn::Mul(lanes.time_limit_s, inverse_time));
    hn::Store(per_nat, d, block.per_nat + i);
  }
  hn::Store(hn::Min(full, max_nats), d, block.flat + i);
  hn::Store(x, d, block.x + i);
  hn::Store(b, d, block.b + i);
  hn::Store(c, d, block.c + i);
}

// Step 2 computes the start (20), where no computation time counts. One logarithm does for the
// start and the cap, and they are the same.
template <class D>
HWY_INLINE void Start(D d, Block& block, std::size_t i) {
  const auto start = StartFromAbove(d, hn::Load(d, block.b + i), hn::Load(d, block.c + i),
                                    hn::Load(d, block.x + i));
  hn::Store(hn::Min(hn::Load(d, block.flat + i), start), d, block.cap + i);
}

// Step 3 takes one step towards the energy root, which brings nearly all lanes within the series'
// radius.
template <bool kCountComputeTime, class D>
HWY_INLINE void Approach(D d, Block& block, std::size_t i) {
  using V = hn::Vec<D>;
  const V one = hn::Set(d, 1.0);
  const V b = hn::Load(d, block.b + i);
  const V c = hn::Load(d, block.c + i);
  const V cap = hn::Load(d, block.cap + i);
  V next;
  if constexpr (kCountComputeTime) {
    const V u = hn::Load(d, block.u + i);
    const V e = ApproximateExpm1(d, u);
    const V y = hn::Add(e, one);
    const V slope = hn::Add(y, c);
    const V inverse_slope = hn::Div(one, slope);
    const V z = hn::Mul(hn::NegMulAdd(c, u, hn::Sub(b, e)), inverse_slope);
    next = hn::Add(u, HouseholderStep(d, z, hn::Mul(y, inverse_slope)));
    // Left of the minimum of f the step would lead away from the root.
    next = hn::IfThenElse(hn::Gt(slope, hn::Zero(d)), next, u);
  } else {
    // The step starts from the next multiple of ln 2, whose exponential is a power of two. It is at
    // most 0.35 away, of which (21) leaves so little that a step from the start itself, with a
    // polynomial for its exponential, brings no more lanes within the radius.
    V u;
    const V y = NearestPowerOfTwo(d, cap, u);
    const V inverse_slope = ApproximateReciprocal(d, hn::Add(y, c));
    const V z = hn::Mul(hn::NegMulAdd(c, u, hn::Sub(b, hn::Sub(y, one))), inverse_slope);
    const V sz = hn::Mul(hn::Mul(y, inverse_slope), z);
    const V numerator = hn::MulAdd(sz, hn::Set(d, 0.5), one);
    const V denominator = hn::MulAdd(sz, hn::MulAdd(z, hn::Set(d, 1.0 / 6), one), one);
    next = hn::MulAdd(hn::Mul(z, numerator), ApproximateReciprocal(d, denominator), u);
  }
  hn::Store(hn::Max(hn::Min(next, cap), hn::Zero(d)), d, block.u + i);
}

// Step 4 computes the precise exponential.
template <class D>
HWY_INLINE void Exponentiate(D d, Block& block, std::size_t i) {
  hn::Store(Expm1(d, hn::Load(d, block.u + i)), d, block.e + i);
}

// Step 5 computes the residuals; lanes still beyond the radius step again.
template <bool kCountComputeTime, class D>
HWY_INLINE void Resolve(D d, Block& block, std::size_t i) {
  using V = hn::Vec<D>;
  const V one = hn::Set(d, 1.0);
  const V c = hn::Load(d, block.c + i);
  V u = hn::Load(d, block.u + i);
  V e = hn::Load(d, block.e + i);
  V s, z_power, z_energy;
  for (int refinement = 0;; ++refinement) {
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
    e = Expm1(d, u);
    hn::Store(u, d, block.u + i);
    hn::Store(e, d, block.e + i);
  }
  hn::Store(s, d, block.s + i);
  hn::Store(z_power, d, block.to_power + i);
  hn::Store(z_energy, d, block.to_energy + i);
}

// Step 6 takes the least of the three corrections (17), and from it a* and P* of (12).
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
  const V to_power = PowerCorrection(d, hn::Min(z_power, beyond));
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
  V a;
  if constexpr (kCountComputeTime) {
    const V nat_time_s = hn::MulAdd(root, lanes.compute_time_s, lanes.nat_time_s);
    a = hn::Div(hn::Mul(root, lanes.time_limit_s), nat_time_s);
  } else {
    a = hn::Mul(root, hn::Load(d, block.per_nat + i));
  }
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
