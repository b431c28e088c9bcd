// Tests make NumPy files with these functions.
#ifndef AIRLOT_DATA_NUMPY_BYTES_FOR_TESTS_H_
#define AIRLOT_DATA_NUMPY_BYTES_FOR_TESTS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/npy.h"
#include "base/zip.h"

namespace airlot::data {

// Returns the bytes of numbers, as they lie in memory.
template <class Number>
std::string BytesOfNumbers(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

// Returns the bytes of an .npy file.
template <class Number>
std::string Npy(const std::string& type, const std::vector<std::size_t>& shape,
                const std::vector<Number>& numbers) {
  return base::EncodeNpyHeader(type, shape) + BytesOfNumbers(numbers);
}

// Returns the bytes of an .npz file of arrays, each a name and the bytes of its .npy file.
inline std::string Npz(const std::vector<std::pair<std::string, std::string>>& arrays) {
  std::vector<base::ZipMember> members;
  for (const auto& [name, bytes] : arrays) members.push_back({name + ".npy", bytes});
  return *base::EncodeZip(members);
}

}  // namespace airlot::data

#endif  // AIRLOT_DATA_NUMPY_BYTES_FOR_TESTS_H_
