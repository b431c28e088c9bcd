// The dense layers and all of their gradients are products of matrices in panels.
#ifndef AIRLOT_LEARNING_PRODUCT_H_
#define AIRLOT_LEARNING_PRODUCT_H_

#include <cstddef>
#include <span>

#include "learning/panels.h"

namespace airlot::learning {

// A Run says which numbers of each row of S are used: `length` of them from `begin` of the row.
struct Run {
  std::size_t begin = 0;
  std::size_t length = 0;
};

// Finish says what becomes of the sums.
enum class Finish {
  kStore,  // C = S B
  kAdd,    // C += S B
  kBias,   // C = S B + bias, and perhaps ReLU
  kGate,   // C = S B where the gate is above 0, else 0
};

// A Product is C = S B, or what `finish` says. S is read one number at a time, row by row; B is in
// panels.
struct Product {
  std::size_t rows = 0;     // rows of S and C
  std::size_t terms = 0;    // columns of S, rows of B
  std::size_t columns = 0;  // columns of B and C
  const float* s = nullptr;
  std::size_t s_row = 0;     // numbers from one row of S to the next
  const float* b = nullptr;  // starts on a cache line, its rows are filled up
  Matrix c = {};             // nothing is written beyond its columns

  std::span<const Run> runs = {};  // `terms` numbers of S in all; without runs all are together
  Finish finish = Finish::kStore;
  const float* bias = nullptr;  // one number per row, for kBias
  bool relu = false;            // C = max(0, C), for kBias
  ConstMatrix gate = {};        // a matrix of C's size, for kGate
  bool columns_first = false;   // all rows of a panel come before the next panel
};
void Multiply(const Product& product);

// Copies panel `panel` of the row-major matrix `in` to `out`: its columns from panel *
// PanelWidth(), filled up with zeros.
void PackPanel(const float* in, std::size_t rows, std::size_t columns, std::size_t panel,
               float* out);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_PRODUCT_H_
