// The layers keep what belongs to a micro-batch in matrices that vectors can be loaded from.
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

// PanelWidth returns the columns of a panel on this machine, a power of two.
std::size_t PanelWidth();

// RoundUp returns `count`, rounded up to whole panels.
inline std::size_t RoundUp(std::size_t count, std::size_t width) {
  return (count + width - 1) / width * width;
}

template <class T>
struct MatrixOf {
  T* data = nullptr;
  std::size_t row = 0;    // numbers from one row to the next
  std::size_t panel = 0;  // numbers from one panel to the next
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

// Transpose writes the transpose of `in`, which has so many rows and columns, to `out`.
void Transpose(ConstMatrix in, std::size_t rows, std::size_t columns, Matrix out);

// LoadPixels writes the pixels of images, scaled to [0, 1]; row i is images[i].
void LoadPixels(std::span<const std::uint8_t* const> images, std::size_t pixels, Matrix out);

// AddRowSums adds the sum of row r of a matrix that is kept row by row to sums[r].
void AddRowSums(const float* in, std::size_t rows, std::size_t columns, float* sums);

// Add computes y += x.
void Add(std::span<const float> x, std::span<float> y);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_PANELS_H_
