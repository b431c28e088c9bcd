// An .npy file is one array, as numpy.save writes it: a header, then the numbers.
#ifndef AIRLOT_DATA_NPY_H_
#define AIRLOT_DATA_NPY_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot::data {

// An NpyHeader says what the numbers are that follow it.
struct NpyHeader {
  std::string type;  // as NumPy writes it: "<f4" is a little-endian float32
  bool is_fortran_order = false;
  std::vector<std::size_t> shape;  // empty: one number
  std::size_t bytes = 0;           // of the header itself, with all that stands before the numbers
};

// A header, with all that stands before it, has at most this many bytes.
inline constexpr std::size_t kMostNpyHeader = 12 + 65535;

// Reads the header at the beginning of `bytes`. An error does not name the array.
Result<NpyHeader> ParseNpyHeader(std::string_view bytes);

// Returns the bytes of the header of an array in C order.
std::string EncodeNpyHeader(std::string_view type, std::span<const std::size_t> shape);

// Returns a shape as NumPy shows it: "(200, 784)", "(10,)", "()".
std::string ShapeText(std::span<const std::size_t> shape);

// Returns the number of elements, or nothing where there are more than a computer can count.
std::optional<std::size_t> CountOf(std::span<const std::size_t> shape);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_NPY_H_
