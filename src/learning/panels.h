// Matrices that vectors can be loaded from: how the layers keep what belongs to a micro-batch.
//
// The columns of a matrix are cut into panels of PanelWidth() columns, two vectors of this machine.
// Number (r, c) is at data[c / width * panel + r * row + c % width]. With row = width and
// panel = rows * width each panel is contiguous ("in panels"), so that kernels run through it
// without packing it first; with panel = width the matrix is row by row as usual. Rows are filled
// up to whole panels with zeros.
//
// A micro-batch is kept "by feature" (features x samples; a vector is some samples of one feature)
// for the forward pass, and "by sample" (samples x features) for gradients.
#ifndef AIRLOT_LEARNING_PANELS_H_
#define AIRLOT_LEARNING_PANELS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "airlot/column.h"

namespace airlot::learning {

using Floats = std::vector<float, ColumnAllocator<float>>;

// Columns of a panel on this machine; a power of two.
std::size_t PanelWidth();

// `count`, rounded up to whole panels.
inline std::size_t RoundUp(std::size_t count, std::size_t width) {
  return (count + width - 1) / width * width;
}

template <class T>
struct MatrixOf {
  T* data = nullptr;
  std::size_t row = 0;    // from one row to the next
  std::size_t panel = 0;  // from one panel to the next
};
using Matrix = MatrixOf<float>;
using ConstMatrix = MatrixOf<const float>;

template <class T>
MatrixOf<T> InPanels(T* data, std::size_t rows) {
  return {data, PanelWidth(), rows * PanelWidth()};
}
template <class T>
MatrixOf<T> RowByRow(T* data, std::size_t columns) {
  return {data, RoundUp(columns, PanelWidth()), PanelWidth()};
}

// out = the transpose of `in`, which has so many rows and columns.
void Transpose(ConstMatrix in, std::size_t rows, std::size_t columns, Matrix out);

// Pixels of images, scaled to [0, 1]: row i is images[i].
void LoadPixels(std::span<const std::uint8_t* const> images, std::size_t pixels, Matrix out);

// sums[r] += the sum of row r of a matrix row by row.
void AddRowSums(const float* in, std::size_t rows, std::size_t columns, float* sums);

// y += x.
void Add(std::span<const float> x, std::span<float> y);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_PANELS_H_
