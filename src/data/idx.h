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

// Ranks are the numbers of dimensions that a file may have.
struct Ranks {
  Ranks(std::size_t only) : least(only), most(only) {}  // NOLINT(google-explicit-constructor)
  Ranks(std::size_t low, std::size_t high) : least(low), most(high) {}
  std::size_t least, most;
};

// Reads an IDX file of unsigned bytes with so many dimensions, each at least 1. The file must be
// exactly as long as its dimensions say. It is compressed where its name ends in ".gz".
Result<IdxArray> ReadIdx(const std::string& path, Ranks ranks);

// Reads the dimensions of an IDX file alone. It checks the file's length where the file is not
// compressed.
Result<std::vector<std::uint32_t>> ReadIdxDimensions(const std::string& path, Ranks ranks);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_IDX_H_
