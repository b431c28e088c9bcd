// This header has the columns that a fleet file may have, and says which of them may stand together
// (docs/formats.md).
#ifndef AIRLOT_FLEET_FILE_COLUMNS_H_
#define AIRLOT_FLEET_FILE_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/fleet.h"
#include "airlot/result.h"

namespace airlot::fleet {

// NumberRange says which numbers a column may hold.
enum class NumberRange : std::uint8_t {
  kPositive,     // [kSmallestInput, kLargestInput]
  kNotNegative,  // the same, or 0
  kDecibel,      // [-400, 400], which is what a positive number may be in decibels
  kLoss,         // [0, 400] dB: no link delivers more than was sent
  kGain,         // [-400, 0] dB
  kCoordinate,   // [-kLargestInput, kLargestInput]
};

// A FileColumn is one that a fleet file may have.
struct FileColumn {
  std::string_view name;
  ColumnValues FleetRows::*values;
  NumberRange range;
};
std::span<const FileColumn> FileColumns();
inline constexpr std::string_view kIdColumn = "id";

bool IsIn(NumberRange range, double value);
// Says why a number cannot stand in a column of this range.
std::string BoundOf(NumberRange range, double value);

// A FileLayout says what the columns of one file are: an index into FileColumns() each, or one of
// the two numbers below.
struct FileLayout {
  static constexpr std::size_t kId = static_cast<std::size_t>(-1);
  static constexpr std::size_t kIgnored = static_cast<std::size_t>(-2);
  std::vector<std::size_t> columns;
  std::vector<std::string> ignored;  // names of those that are ignored

  bool Has(std::string_view name) const;
};

// Reads a header. `where` begins the messages, "fleet.csv:1". Fails where a column is not known
// (unless those are ignored), appears twice, contradicts another one or lacks one.
Result<FileLayout> ReadFileLayout(std::span<const std::string> header, const std::string& where,
                                  UnknownColumns unknown);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_FILE_COLUMNS_H_
