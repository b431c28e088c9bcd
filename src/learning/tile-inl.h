// The inner loop of every layer works on a tile of a few rows by one panel, held in registers.
#if defined(AIRLOT_LEARNING_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AIRLOT_LEARNING_TILE_INL_H_
#undef AIRLOT_LEARNING_TILE_INL_H_
#else
#define AIRLOT_LEARNING_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "learning/micro_batch.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::learning::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// A panel is two vectors wide. Six rows of it are twelve sums in registers, enough to keep two
// fused multiply-adds per cycle in flight, and the two vectors and one number that are multiplied
// fit beside them in the 16 registers of AVX2.
constexpr std::size_t kLanes = hn::MaxLanes(D());
constexpr std::size_t kPanel = 2 * kLanes;
constexpr std::size_t kMostRows = 6;
static_assert(kMicroBatch % kPanel == 0, "a micro-batch is whole panels");

// AddStep computes tile += s b for one row of the panel `b`; row i of the tile takes s[i * s_row].
template <std::size_t kRows>
HWY_INLINE void AddStep(const float* HWY_RESTRICT s, std::size_t s_row, const float* HWY_RESTRICT b,
                        V (&left)[kRows], V (&right)[kRows]) {
  const D d;
  const V b_left = hn::Load(d, b), b_right = hn::Load(d, b + kLanes);
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kRows; ++i) {
    const V factor = hn::Set(d, s[i * s_row]);
    left[i] = hn::MulAdd(factor, b_left, left[i]);
    right[i] = hn::MulAdd(factor, b_right, right[i]);
  }
}

template <std::size_t kRows>
HWY_INLINE void SetAll(V value, V (&left)[kRows], V (&right)[kRows]) {
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kRows; ++i) left[i] = right[i] = value;
}

// Relu returns max(0, x), and NaN for NaN, which Max need not keep: a training that has diverged
// has to show.
HWY_INLINE V Relu(V x) {
  const D d;
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
}

// ForEachTile calls tile<rows>(first_row) for tiles of nearly equal height that cover `rows`: 20
// rows are four times 5, not three times 6 and 2.
template <class Tile>
HWY_INLINE void ForEachTile(std::size_t rows, const Tile& tile) {
  const std::size_t tiles = (rows + kMostRows - 1) / kMostRows;
  std::size_t first = 0;
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t height = (rows - first) / (tiles - t);
    switch (height) {
      case 1:
        tile.template operator()<1>(first);
        break;
      case 2:
        tile.template operator()<2>(first);
        break;
      case 3:
        tile.template operator()<3>(first);
        break;
      case 4:
        tile.template operator()<4>(first);
        break;
      case 5:
        tile.template operator()<5>(first);
        break;
      default:
        tile.template operator()<6>(first);
        break;
    }
    first += height;
  }
}

}  // namespace airlot::learning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AIRLOT_LEARNING_TILE_INL_H_
