// LittleEndian reads numbers from bytes.
#ifndef AIRLOT_BASE_LITTLE_ENDIAN_H_
#define AIRLOT_BASE_LITTLE_ENDIAN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace airlot::base {

// Returns the number that these bytes are, at most four, of which the first is the smallest.
inline std::uint32_t LittleEndian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::uint32_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

}  // namespace airlot::base

#endif  // AIRLOT_BASE_LITTLE_ENDIAN_H_
