// An .npy file is one array, as numpy.save writes it: a header, then the numbers.
#ifndef AIRLOT_BASE_NPY_H_
#define AIRLOT_BASE_NPY_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot::base {

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

// An ElementType says what the elements of an array are.
struct ElementType {
  enum class Kind : std::uint8_t {
    kUnsigned,
    kSigned,
    kFloat,
    kBytes,      // texts of bytes, with zeros behind those that are shorter
    kCharacters  // the same, of four bytes for each character
  };
  Kind kind = Kind::kFloat;
  std::size_t bytes = 0;  // of one element; 0: one that is not known, or not little-endian

  bool IsWhole() const { return bytes > 0 && (kind == Kind::kUnsigned || kind == Kind::kSigned); }
  bool IsNumber() const { return IsWhole() || (bytes > 0 && kind == Kind::kFloat); }
};
// Takes NumPy's code of a type apart.
ElementType ElementTypeOf(std::string_view code);
// Says in words what NumPy's code of a type means, for messages.
std::string TypeInWords(std::string_view code);

// Loads a number from little-endian bytes, which need not be aligned, and stores it as such.
template <class Number>
Number LoadLittle(const char* place) {
  std::array<char, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), place, bytes.size());
  if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
  return std::bit_cast<Number>(bytes);
}
template <class Number>
void StoreLittle(Number number, char* place) {
  auto bytes = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
  std::memcpy(place, bytes.data(), bytes.size());
}
// Puts numbers of a type into doubles; a whole number beyond 2^53 is rounded.
void ToDoubles(const ElementType& type, std::string_view elements, double* values);

// Returns the number of elements, or nothing where there are more than a computer can count.
std::optional<std::size_t> CountOf(std::span<const std::size_t> shape);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_NPY_H_
