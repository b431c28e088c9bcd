// An IDX file holds a magic number of four bytes (0, 0, type, number of dimensions), the dimensions
// as 32-bit big-endian numbers, and the values, the last dimension running fastest.
#ifndef AIRLOT_DATA_IDX_H_
#define AIRLOT_DATA_IDX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "airlot/result.h"

namespace airlot::data {

struct IdxArray {
  std::vector<std::uint32_t> dimensions;
  std::vector<std::uint8_t> values;
};

// Reads an IDX file of unsigned bytes with `rank` dimensions, each at least 1. The file must be
// exactly as long as its dimensions say. It is compressed where its name ends in ".gz".
Result<IdxArray> ReadIdx(const std::string& path, std::size_t rank);

// Reads the dimensions of an IDX file alone. It checks the file's length where the file is not
// compressed.
Result<std::vector<std::uint32_t>> ReadIdxDimensions(const std::string& path, std::size_t rank);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_IDX_H_
