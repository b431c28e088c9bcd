// The rows of a CSV file are divided among the members of a team, each of which reads its own.
#ifndef AIRLOT_BASE_CSV_PARTS_H_
#define AIRLOT_BASE_CSV_PARTS_H_

#include <cstddef>
#include <string>

#include "airlot/result.h"
#include "airlot/team.h"
#include "base/csv_blocks.h"

namespace airlot::base {

// A RowRange is some rows that follow each other.
struct RowRange {
  std::size_t first = 0, count = 0;
};
// Returns the rows of a member: whole shards, as many as the others have, or one more. Where there
// are fewer shards than members, the last members have none.
RowRange RowsOfMember(std::size_t rows, std::size_t member, std::size_t members);

// A DividedCsv says what a member reads of a file.
struct DividedCsv {
  std::size_t all_rows = 0;
  RowRange rows;
  CsvPart part;
};

// Divides the rows of a regular file; every member calls this, and has the same error as the
// others. Each looks for the lines of as many bytes of the file as the others do, and of what they
// find, a number for each thousand rows travels; what stands in the rows nobody looks at.
Result<DividedCsv> DivideCsv(const std::string& path, Team& team);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_CSV_PARTS_H_
