#include "learning/product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learning/product.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "learning/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::learning::HWY_NAMESPACE {

// A PanelProduct is one panel of a product.
struct PanelProduct {
  const Product& x;
  const float* b;
  float* c;
  std::size_t c_row;
  const float* gate;  // may be null
  std::size_t gate_row;
};

// Store stores a sum; `at` is the column within the panel.
template <Finish kFinish>
HWY_INLINE void Store(D d, const PanelProduct& panel, V sum, std::size_t row, std::size_t at) {
  float* c = panel.c + row * panel.c_row + at;
  if constexpr (kFinish == Finish::kAdd) sum = hn::Add(sum, hn::LoadU(d, c));
  if constexpr (kFinish == Finish::kBias) {
    sum = hn::Add(sum, hn::Set(d, panel.x.bias[row]));
    if (panel.x.relu) sum = Relu(sum);
  }
  if constexpr (kFinish == Finish::kGate) {
    const V gate = hn::LoadU(d, panel.gate + row * panel.gate_row + at);
    sum = hn::IfThenElseZero(hn::Gt(gate, hn::Zero(d)), sum);
  }
  hn::StoreU(sum, d, c);
}

template <Finish kFinish, std::size_t kRows>
HWY_INLINE void MultiplyTile(const PanelProduct& panel, std::size_t row) {
  const D d;
  V left[kRows], right[kRows];
  SetAll(hn::Zero(d), left, right);
  // C is added at the end and not loaded at the start, so that the sums need not wait for the
  // memory.
  if constexpr (kFinish == Finish::kAdd) {
    for (std::size_t i = 0; i < kRows; ++i) hwy::Prefetch(panel.c + (row + i) * panel.c_row);
  }
  const Product& x = panel.x;
  const float* s = x.s + row * x.s_row;
  const float* b = panel.b;
  const Run all{0, x.terms};
  for (const Run& run : x.runs.empty() ? std::span(&all, 1) : x.runs) {
    for (std::size_t k = 0; k < run.length; ++k, b += kPanel) {
      AddStep(s + run.begin + k, x.s_row, b, left, right);
    }
  }
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kRows; ++i) {
    Store<kFinish>(d, panel, left[i], row + i, 0);
    Store<kFinish>(d, panel, right[i], row + i, kLanes);
  }
}

// MultiplyPartTile computes a tile of a panel of which C has only some columns by way of a whole
// tile.
template <Finish kFinish, std::size_t kRows>
HWY_NOINLINE void MultiplyPartTile(const PanelProduct& panel, std::size_t row,
                                   std::size_t columns) {
  HWY_ALIGN float whole[kMostRows * kPanel] = {};
  for (std::size_t i = 0; i < kRows; ++i) {
    std::copy_n(panel.c + (row + i) * panel.c_row, columns, whole + i * kPanel);
  }
  Product part = panel.x;
  part.s += row * part.s_row;
  if (part.bias != nullptr) part.bias += row;
  const float* gate = panel.gate == nullptr ? nullptr : panel.gate + row * panel.gate_row;
  MultiplyTile<kFinish, kRows>({part, panel.b, whole, kPanel, gate, panel.gate_row}, 0);
  for (std::size_t i = 0; i < kRows; ++i) {
    std::copy_n(whole + i * kPanel, columns, panel.c + (row + i) * panel.c_row);
  }
}

template <Finish kFinish, std::size_t kRows>
HWY_INLINE void MultiplyRows(const Product& x, std::size_t row, std::size_t panel) {
  const PanelProduct at{x,
                        x.b + panel * x.terms * kPanel,
                        x.c.data + panel * x.c.panel,
                        x.c.row,
                        x.gate.data == nullptr ? nullptr : x.gate.data + panel * x.gate.panel,
                        x.gate.row};
  if (const std::size_t columns = x.columns - panel * kPanel; columns < kPanel) {
    MultiplyPartTile<kFinish, kRows>(at, row, columns);
  } else {
    MultiplyTile<kFinish, kRows>(at, row);
  }
}

template <Finish kFinish>
void MultiplyAndFinish(const Product& x) {
  const std::size_t panels = (x.columns + kPanel - 1) / kPanel;
  // A step is all panels or one.
  const std::size_t step = x.columns_first ? 1 : panels;
  for (std::size_t first = 0; first < panels; first += step) {
    ForEachTile(x.rows, [&]<std::size_t kRows>(std::size_t row) HWY_ATTR {
      for (std::size_t panel = first; panel < first + step; ++panel) {
        MultiplyRows<kFinish, kRows>(x, row, panel);
      }
    });
  }
}

void MultiplyHere(const Product& x) {
  switch (x.finish) {
    case Finish::kStore:
      return MultiplyAndFinish<Finish::kStore>(x);
    case Finish::kAdd:
      return MultiplyAndFinish<Finish::kAdd>(x);
    case Finish::kBias:
      return MultiplyAndFinish<Finish::kBias>(x);
    case Finish::kGate:
      return MultiplyAndFinish<Finish::kGate>(x);
  }
}

void PackPanelHere(const float* in, std::size_t rows, std::size_t columns, std::size_t panel,
                   float* out) {
  const D d;
  const std::size_t first = panel * kPanel;
  for (std::size_t r = 0; r < rows; ++r, in += columns, out += kPanel) {
    if (first + kPanel <= columns) {
      hn::Store(hn::LoadU(d, in + first), d, out);
      hn::Store(hn::LoadU(d, in + first + kLanes), d, out + kLanes);
    } else {
      std::fill_n(std::copy(in + first, in + columns, out), first + kPanel - columns, 0.0F);
    }
  }
}

}  // namespace airlot::learning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::learning {

HWY_EXPORT(MultiplyHere);
HWY_EXPORT(PackPanelHere);

void Multiply(const Product& product) { HWY_DYNAMIC_DISPATCH(MultiplyHere)(product); }

void PackPanel(const float* in, std::size_t rows, std::size_t columns, std::size_t panel,
               float* out) {
  HWY_DYNAMIC_DISPATCH(PackPanelHere)(in, rows, columns, panel, out);
}

}  // namespace airlot::learning
#endif  // HWY_ONCE
