// An .npz file is a zip archive of arrays, as numpy.savez writes and numpy.load reads it.
#ifndef AIRLOT_DATA_NPZ_H_
#define AIRLOT_DATA_NPZ_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"
#include "base/npy.h"

namespace airlot::data {

struct NamedArray {
  std::string name;                // the member of the archive is called <name>.npy
  std::vector<std::size_t> shape;  // empty: one number
  std::vector<float> values;       // the last index runs fastest, as in C
};

// Returns the bytes of a file, the same for the same arrays. Each has as many values as its shape
// says. Fails where there are too many (EncodeZip).
Result<std::string> EncodeNpz(std::span<const NamedArray> arrays);

// Returns the arrays of a file, in its order; they may be compressed. An error says which array is
// wrong, and how, without the name of the file: numbers must be little-endian float32 in C order,
// and all that EncodeNpz writes must be there and nothing else.
Result<std::vector<NamedArray>> DecodeNpz(std::string_view bytes);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_NPZ_H_
