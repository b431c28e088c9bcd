#include "radio/fading_gains.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "radio/fading_gains.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace airlot::radio::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Multiplications and additions stay apart: fused ones, which not all machines have, would round
// differently.
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using DU = hn::RebindToUnsigned<D>;
using U = hn::Vec<DU>;

HWY_INLINE V Load(const double* from) { return hn::LoadU(D(), from); }
HWY_INLINE U Load(const std::uint64_t* from) { return hn::LoadU(DU(), from); }

// u is the upper 52 bits behind the point of 1.0, less 1, and half a part.
HWY_INLINE V Uniform(U bits) {
  const D d;
  const DU du;
  const V one = hn::Set(d, 1.0);
  const V above_one = hn::BitCast(d, hn::Or(hn::ShiftRight<12>(bits), hn::BitCast(du, one)));
  return hn::Add(hn::Sub(above_one, one), hn::Set(d, 0x1p-53));
}

// (R28)
HWY_INLINE V NegativeLog(V u) {
  const D d;
  const DU du;
  const V one = hn::Set(d, 1.0);
  // u = m·2^-k with m in [sqrt(1/2), sqrt(2)); the exponent is 2^12 - k, or 0.
  const U u_bits = hn::BitCast(du, u);
  const U exponent = hn::ShiftRight<52>(hn::Sub(u_bits, hn::Set(du, 0x3FE6A09E667F3BCDull)));
  const V m = hn::BitCast(d, hn::Sub(u_bits, hn::ShiftLeft<52>(exponent)));
  // A small integer becomes a double by putting it in the mantissa of 2^52 and subtracting 2^52.
  const U k_bits = hn::And(hn::Sub(hn::Set(du, 0x1000ull), exponent), hn::Set(du, 0xFFFull));
  const V k = hn::Sub(hn::BitCast(d, hn::Or(k_bits, hn::Set(du, 0x4330000000000000ull))),
                      hn::Set(d, 0x1p52));
  const V w = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const V z = hn::Mul(w, w);
  V series = hn::Set(d, 2.0 / 19);
  for (const double odd : {17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0}) {
    series = hn::Add(hn::Mul(series, z), hn::Set(d, 2 / odd));
  }
  const V log_m = hn::Add(hn::Mul(hn::Mul(series, z), w), hn::Add(w, w));
  return hn::Sub(hn::Mul(k, hn::Set(d, 0.6931471805599453)), log_m);
}

// (R29)
HWY_INLINE V SineOfQuarters(V u) {
  const D d;
  const V y = hn::Mul(u, hn::Set(d, std::numbers::pi / 2));
  const V z = hn::Mul(y, y);
  V series = hn::Set(d, 1.0);
  for (const double n : {21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0}) {
    const V next = hn::Mul(hn::Mul(series, z), hn::Set(d, 1 / (n * (n - 1))));
    series = hn::Sub(hn::Set(d, 1.0), next);
  }
  return hn::Mul(series, y);
}

HWY_INLINE V RayleighGain(U bits) { return NegativeLog(Uniform(bits)); }

// (R30)
HWY_INLINE V RicianGain(U radius_bits, U phase_bits, V k) {
  const D d;
  const V exponential = RayleighGain(radius_bits);
  const V paths = hn::Add(k, hn::Set(d, 1.0));
  const V direct = hn::Sqrt(hn::Div(k, paths));
  const V scattered = hn::Sqrt(hn::Div(exponential, paths));
  const V sine = SineOfQuarters(Uniform(phase_bits));
  const V difference = hn::Sub(direct, scattered);
  const V product = hn::Mul(hn::Set(d, 4.0), hn::Mul(direct, scattered));
  const V gain = hn::Add(hn::Mul(difference, difference), hn::Mul(product, hn::Mul(sine, sine)));
  return hn::IfThenElse(hn::Eq(k, hn::Zero(d)), exponential, hn::Max(gain, hn::Set(d, 0x1p-100)));
}

// (R31)
HWY_INLINE V Normal(U radius_bits, U phase_bits) {
  const D d;
  const V exponential = RayleighGain(radius_bits);
  const V radius = hn::Sqrt(hn::Add(exponential, exponential));
  // The sign is the last bit of phase_bits, which u does not use.
  const V sign = hn::BitCast(d, hn::ShiftLeft<63>(phase_bits));
  return hn::Xor(hn::Mul(radius, SineOfQuarters(Uniform(phase_bits))), sign);
}

// The fields are d and c of (36).
struct GammaShape {
  V d, c;
};

// (36)
template <bool kExact>
HWY_INLINE V GammaTry(U radius_bits, U phase_bits, U accept_bits, const GammaShape& shape) {
  const D d;
  const V one = hn::Set(d, 1.0);
  const V x = Normal(radius_bits, phase_bits);
  const V root = hn::Add(one, hn::Mul(shape.c, x));
  const V v = hn::Mul(root, hn::Mul(root, root));
  const V u = Uniform(accept_bits);
  const V square = hn::Mul(x, x);
  auto is_accepted = hn::Gt(root, hn::Zero(d));
  if constexpr (kExact) {
    // root < 8, so its eighth is where NegativeLog holds; it is no less than a positive number.
    const V eighth = hn::Max(hn::Mul(root, hn::Set(d, 0.125)), hn::Set(d, 0x1p-1000));
    const V log_root = hn::Sub(hn::Set(d, 2.0794415416798357), NegativeLog(eighth));
    const V log_v = hn::Mul(hn::Set(d, 3.0), log_root);
    const V bound = hn::Add(hn::Mul(hn::Set(d, 0.5), square),
                            hn::Mul(shape.d, hn::Add(hn::Sub(one, v), log_v)));
    is_accepted = hn::And(is_accepted, hn::Lt(hn::Neg(NegativeLog(u)), bound));
  } else {
    const V quick = hn::Sub(one, hn::Mul(hn::Set(d, 0.0331), hn::Mul(square, square)));
    is_accepted = hn::And(is_accepted, hn::Lt(u, quick));
  }
  return hn::IfThenElse(is_accepted, hn::Mul(shape.d, v), hn::Set(d, -1.0));
}

// Computes out[i] = function(inputs[i]...).
template <class Function, class... Inputs>
HWY_INLINE void Fill(Function function, std::size_t size, double* out, const Inputs*... inputs) {
  constexpr std::size_t kMaxLanes = hn::MaxLanes(D());
  const std::size_t lanes = hn::Lanes(D());
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(function(Load(inputs + i)...), D(), out + i);
  }
  if (i == size) return;
  const auto padded = [i, size]<class T>(const T* input) {
    std::array<T, kMaxLanes> copy{};
    std::copy(input + i, input + size, copy.begin());
    return copy;
  };
  std::array<double, kMaxLanes> rest;
  hn::StoreU(function(Load(padded(inputs).data())...), D(), rest.data());
  std::copy_n(rest.begin(), size - i, out + i);
}

void FillRayleigh(const std::uint64_t* bits, double* gains, std::size_t size) {
  Fill([](U b) HWY_ATTR { return RayleighGain(b); }, size, gains, bits);
}

void FillRician(const std::uint64_t* radius_bits, const std::uint64_t* phase_bits, const double* k,
                double* gains, std::size_t size) {
  Fill([](U r, U p, V one_k) HWY_ATTR { return RicianGain(r, p, one_k); }, size, gains, radius_bits,
       phase_bits, k);
}

void FillGammas(const std::uint64_t* radius_bits, const std::uint64_t* phase_bits,
                const std::uint64_t* accept_bits, double shape, GammaTest test, double* gammas,
                std::size_t size) {
  const double d = shape - 1.0 / 3;
  const GammaShape vectors{hn::Set(D(), d), hn::Set(D(), 1 / std::sqrt(9 * d))};
  if (test == GammaTest::kExact) {
    Fill([&](U r, U p, U a) HWY_ATTR { return GammaTry<true>(r, p, a, vectors); }, size, gammas,
         radius_bits, phase_bits, accept_bits);
  } else {
    Fill([&](U r, U p, U a) HWY_ATTR { return GammaTry<false>(r, p, a, vectors); }, size, gammas,
         radius_bits, phase_bits, accept_bits);
  }
}

}  // namespace airlot::radio::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::radio {

HWY_EXPORT(FillRayleigh);
HWY_EXPORT(FillRician);
HWY_EXPORT(FillGammas);

void RayleighGains(std::span<const std::uint64_t> bits, std::span<double> gains) {
  HWY_DYNAMIC_DISPATCH(FillRayleigh)(bits.data(), gains.data(), gains.size());
}

void RicianGains(std::span<const std::uint64_t> radius_bits,
                 std::span<const std::uint64_t> phase_bits, std::span<const double> k,
                 std::span<double> gains) {
  HWY_DYNAMIC_DISPATCH(FillRician)
  (radius_bits.data(), phase_bits.data(), k.data(), gains.data(), gains.size());
}

void GammaTries(std::span<const std::uint64_t> radius_bits,
                std::span<const std::uint64_t> phase_bits,
                std::span<const std::uint64_t> accept_bits, double shape, GammaTest test,
                std::span<double> gammas) {
  HWY_DYNAMIC_DISPATCH(FillGammas)
  (radius_bits.data(), phase_bits.data(), accept_bits.data(), shape, test, gammas.data(),
   gammas.size());
}

}  // namespace airlot::radio
#endif  // HWY_ONCE
