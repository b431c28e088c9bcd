#include "learning/panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learning/panels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "learning/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::learning::HWY_NAMESPACE {

std::size_t PanelWidthHere() { return kPanel; }

// Transpose4 takes four rows by four columns; each row of `out` is a column of `in`.
HWY_INLINE void Transpose4(const float* HWY_RESTRICT in, std::size_t in_row,
                           float* HWY_RESTRICT out, std::size_t out_row) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 4; ++c) out[c * out_row + r] = in[r * in_row + c];
  }
#else
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto r0 = hn::LoadU(d, in), r1 = hn::LoadU(d, in + in_row);
  const auto r2 = hn::LoadU(d, in + 2 * in_row), r3 = hn::LoadU(d, in + 3 * in_row);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, out);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, out + out_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, out + 2 * out_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, out + 3 * out_row);
#endif
}

// TransposeBlock makes part of one panel part of another: `rows` x `columns`, both at most a
// panel's width.
HWY_INLINE void TransposeBlock(const float* HWY_RESTRICT in, std::size_t in_row, std::size_t rows,
                               std::size_t columns, float* HWY_RESTRICT out, std::size_t out_row) {
  const std::size_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
  for (std::size_t c = 0; c < whole_columns; c += 4) {
    for (std::size_t r = 0; r < whole_rows; r += 4) {
      Transpose4(in + r * in_row + c, in_row, out + c * out_row + r, out_row);
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = c < whole_columns ? whole_rows : 0; r < rows; ++r) {
      out[c * out_row + r] = in[r * in_row + c];
    }
    for (std::size_t r = rows; r < kPanel; ++r) out[c * out_row + r] = 0;
  }
}

void TransposeHere(ConstMatrix in, std::size_t rows, std::size_t columns, Matrix out) {
  for (std::size_t r = 0; r < rows; r += kPanel) {
    for (std::size_t c = 0; c < columns; c += kPanel) {
      TransposeBlock(in.data + c / kPanel * in.panel + r * in.row, in.row,
                     std::min(kPanel, rows - r), std::min(kPanel, columns - c),
                     out.data + r / kPanel * out.panel + c * out.row, out.row);
    }
  }
}

HWY_INLINE V LoadVector(D d, const std::uint8_t* pixels) {
  const hn::Rebind<std::uint8_t, D> bytes;
  const hn::Rebind<std::int32_t, D> integers;
  return hn::Mul(hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, pixels))),
                 hn::Set(d, 1.0F / 255));
}

void LoadPixelsHere(std::span<const std::uint8_t* const> images, std::size_t pixels, Matrix out) {
  const D d;
  const std::size_t whole = pixels / kLanes * kLanes;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto place = [&](std::size_t pixel) {
      return pixel / kPanel * out.panel + i * out.row + pixel % kPanel;
    };
    for (std::size_t p = 0; p < whole; p += kLanes) {
      hn::Store(LoadVector(d, images[i] + p), d, out.data + place(p));
    }
    for (std::size_t p = whole; p < RoundUp(pixels, kPanel); ++p) {
      out.data[place(p)] = p < pixels ? float(images[i][p]) * (1.0F / 255) : 0;
    }
  }
}

void AddRowSumsHere(const float* in, std::size_t rows, std::size_t columns, float* sums) {
  const D d;
  for (std::size_t r = 0; r < rows; ++r, in += RoundUp(columns, kPanel)) {
    V left = hn::Zero(d), right = hn::Zero(d);
    for (std::size_t c = 0; c < columns; c += kPanel) {
      left = hn::Add(left, hn::Load(d, in + c));
      right = hn::Add(right, hn::Load(d, in + c + kLanes));
    }
    sums[r] += hn::GetLane(hn::SumOfLanes(d, hn::Add(left, right)));
  }
}

void AddHere(const float* HWY_RESTRICT x, std::size_t size, float* HWY_RESTRICT y) {
  const D d;
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, y + i), hn::LoadU(d, x + i)), d, y + i);
  }
  for (; i < size; ++i) y[i] += x[i];
}

}  // namespace airlot::learning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::learning {

HWY_EXPORT(PanelWidthHere);
HWY_EXPORT(TransposeHere);
HWY_EXPORT(LoadPixelsHere);
HWY_EXPORT(AddRowSumsHere);
HWY_EXPORT(AddHere);

std::size_t PanelWidth() { return HWY_DYNAMIC_DISPATCH(PanelWidthHere)(); }

void Transpose(ConstMatrix in, std::size_t rows, std::size_t columns, Matrix out) {
  HWY_DYNAMIC_DISPATCH(TransposeHere)(in, rows, columns, out);
}

void LoadPixels(std::span<const std::uint8_t* const> images, std::size_t pixels, Matrix out) {
  HWY_DYNAMIC_DISPATCH(LoadPixelsHere)(images, pixels, out);
}

void AddRowSums(const float* in, std::size_t rows, std::size_t columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(AddRowSumsHere)(in, rows, columns, sums);
}

void Add(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(AddHere)(x.data(), x.size(), y.data());
}

}  // namespace airlot::learning
#endif  // HWY_ONCE
