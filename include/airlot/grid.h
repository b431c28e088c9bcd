// A grid varies keys of a scenario: every combination of the values of its axes is a cell.
#ifndef AIRLOT_GRID_H_
#define AIRLOT_GRID_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot {

// A GridKey is a key of a scenario and the values that it takes, as --set takes them.
struct GridKey {
  std::string name;  // "radio.bandwidth_hz"
  std::vector<std::string> values;
  bool operator==(const GridKey&) const = default;
};

// The keys of a GridAxis change in step: each has as many values as the first.
struct GridAxis {
  std::vector<GridKey> keys;
  std::size_t size() const { return keys.front().values.size(); }
  bool operator==(const GridAxis&) const = default;
};

// A Grid has a cell for each combination of places on its axes. The last axis changes fastest.
struct Grid {
  std::vector<GridAxis> axes;
  bool operator==(const Grid&) const = default;
};

// A grid has no more cells than this.
inline constexpr std::size_t kMostCells = 100'000;

// Reads "key=1e6,3e6,1e7", "key=low:high:count" or "key=low:high:count:log". A comma in brackets,
// braces or quotes does not end a value. Values must differ.
Result<GridKey> ParseGridKey(std::string_view text);

// Fails where keys in step have different numbers of values, a key is given twice, an axis has no
// key or no value, or there are too many cells.
Status CheckGrid(const Grid& grid);

std::size_t CellCount(const Grid& grid);

// Returns where on each axis a cell is.
std::vector<std::size_t> PlaceOf(const Grid& grid, std::size_t cell);

// Returns what a cell overrides in the scenario: "key=value" for every key, axis by axis.
std::vector<std::string> OverridesOf(const Grid& grid, std::size_t cell);

// Says which cell it is: "radio.bandwidth_hz=1e6, data.beta=0.1".
std::string CellName(const Grid& grid, std::size_t cell);

}  // namespace airlot

#endif  // AIRLOT_GRID_H_
