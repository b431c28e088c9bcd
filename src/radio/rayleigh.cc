#include "radio/rayleigh.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "radio/rayleigh.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace airlot::radio::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using U = hn::Vec<hn::RebindToUnsigned<D>>;

// (146). Multiplications and additions stay apart: fused ones, which not all machines have, would
// round differently.
HWY_INLINE V NegativeLog(D d, U bits) {
  const hn::RebindToUnsigned<D> du;
  const V one = hn::Set(d, 1.0);
  // The upper 52 bits behind the point of 1.0, less 1, and half a part.
  const U one_bits = hn::BitCast(du, one);
  const V u = hn::Add(hn::Sub(hn::BitCast(d, hn::Or(hn::ShiftRight<12>(bits), one_bits)), one),
                      hn::Set(d, 0x1p-53));
  // u = m·2^-k with m in [sqrt(1/2), sqrt(2)); the exponent is 2^12 - k, or 0.
  const U u_bits = hn::BitCast(du, u);
  const U exponent = hn::ShiftRight<52>(hn::Sub(u_bits, hn::Set(du, 0x3FE6A09E667F3BCDull)));
  const V m = hn::BitCast(d, hn::Sub(u_bits, hn::ShiftLeft<52>(exponent)));
  // A small integer to double: put it in the mantissa of 2^52, subtract 2^52.
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

void FillGains(const std::uint64_t* bits, double* gains, std::size_t size) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(NegativeLog(d, hn::LoadU(du, bits + i)), d, gains + i);
  }
  if (i == size) return;
  HWY_ALIGN std::uint64_t some_bits[hn::MaxLanes(D())] = {};
  HWY_ALIGN double some_gains[hn::MaxLanes(D())];
  std::copy(bits + i, bits + size, some_bits);
  hn::Store(NegativeLog(d, hn::Load(du, some_bits)), d, some_gains);
  std::copy_n(some_gains, size - i, gains + i);
}

}  // namespace airlot::radio::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::radio {

HWY_EXPORT(FillGains);

void RayleighGains(std::span<const std::uint64_t> bits, std::span<double> gains) {
  HWY_DYNAMIC_DISPATCH(FillGains)(bits.data(), gains.data(), bits.size());
}

}  // namespace airlot::radio
#endif  // HWY_ONCE
