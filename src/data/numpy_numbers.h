// These functions turn the numbers of a NumPy array into pixels, values, labels and targets.
#ifndef AIRLOT_DATA_NUMPY_NUMBERS_H_
#define AIRLOT_DATA_NUMPY_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"
#include "base/npy.h"

namespace airlot::data {

// A NumberType is a type of numbers that can be read: little-endian, of a fixed size.
struct NumberType {
  enum class Kind : std::uint8_t { kUnsigned, kSigned, kFloat };
  std::string_view code;  // as NumPy writes it
  Kind kind;
  std::size_t bytes;  // of one number

  bool IsByte() const { return kind == Kind::kUnsigned && bytes == 1; }
  bool IsFloat() const { return kind == Kind::kFloat; }
};

// Returns the type of an array in C order, or null. `wanted` ends the message.
Result<const NumberType*> TypeOf(const std::string& where, const base::NpyHeader& header,
                                 std::string_view wanted);

// Returns the numbers as floats. Each must be finite, and within the range of a float. `numbers`
// are of the type, which is one with a fraction; `shape` and `where` are for messages.
Result<std::vector<float>> ToFloats(const std::string& where, const base::NpyHeader& header,
                                    const NumberType& type, std::string_view numbers);

// Returns whole numbers as labels, each from 0 to 255.
Result<std::vector<std::uint8_t>> ToLabels(const std::string& where, const base::NpyHeader& header,
                                           const NumberType& type, std::string_view numbers);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_NUMPY_NUMBERS_H_
