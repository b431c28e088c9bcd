// Products of matrices in panels: the dense layers and all of their gradients.
#ifndef AIRLOT_LEARNING_PRODUCT_H_
#define AIRLOT_LEARNING_PRODUCT_H_

#include <cstddef>
#include <span>

#include "learning/panels.h"

namespace airlot::learning {

// Numbers of each row of S that are used, from `begin` of the row.
struct Run {
  std::size_t begin = 0;
  std::size_t length = 0;
};

// What becomes of the sums.
enum class Finish {
  kStore,  // C = S B
  kAdd,    // C += S B
  kBias,   // C = S B + bias, and perhaps ReLU
  kGate,   // C = S B where the gate is above 0, else 0
};

// C = S B, or what `finish` says. S is read one number at a time, row by row; B is in panels.
struct Product {
  std::size_t rows = 0;     // of S and C
  std::size_t terms = 0;    // columns of S, rows of B
  std::size_t columns = 0;  // of B and C
  const float* s = nullptr;
  std::size_t s_row = 0;     // from one row to the next
  const float* b = nullptr;  // on a cache line, rows filled up
  Matrix c = {};             // nothing is written beyond its columns

  std::span<const Run> runs = {};  // of S, `terms` in all; none: all together
  Finish finish = Finish::kStore;
  const float* bias = nullptr;  // kBias: one number per row
  bool relu = false;            // kBias: C = max(0, C)
  ConstMatrix gate = {};        // kGate: of C's size
  bool columns_first = false;   // goes through all rows of a panel before the next panel
};
void Multiply(const Product& product);

// Copies panel `panel` of the row-major matrix `in` to `out`: its columns from panel *
// PanelWidth(), filled up with zeros.
void PackPanel(const float* in, std::size_t rows, std::size_t columns, std::size_t panel,
               float* out);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_PRODUCT_H_
