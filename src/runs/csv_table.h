// The writer and the reader of a table in a CSV file follow from one list of columns.
#ifndef AIRLOT_RUNS_CSV_TABLE_H_
#define AIRLOT_RUNS_CSV_TABLE_H_

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "airlot/result.h"
#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/text.h"

namespace airlot::runs {

// A CsvColumn is one column of a table in memory.
template <class Table>
struct CsvColumn {
  std::string_view name;
  // Appends the cell of a row.
  std::function<void(const Table&, std::size_t row, std::string& line)> append;
  // Takes the cell of the next row, and returns false where it lies outside of the bound.
  std::function<bool(Table&, std::size_t row, std::string_view cell)> take;
  std::string bound;
};

template <class Table>
std::string HeaderOf(std::span<const CsvColumn<Table>> columns) {
  std::string header;
  for (const CsvColumn<Table>& column : columns) {
    header += fmt::format("{}{}", header.empty() ? "" : ",", column.name);
  }
  return header;
}

// Opens a table whose header is the given one, or as many of its first columns as an earlier
// version wrote, at least `least_columns`; where `may_have_more`, others may follow. It fails also
// where the file is no regular file or its last line is cut off, since what is left of that line
// may still read as a row.
Result<base::CsvReader> OpenTable(const std::string& path, const std::string& header,
                                  std::size_t least_columns, bool may_have_more = false);

// The file appears whole or not at all.
template <class Table>
Status WriteTable(const std::string& path, std::span<const CsvColumn<Table>> columns,
                  const Table& table, std::size_t rows) {
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  file->Append(HeaderOf(columns) + "\n");
  std::string line;
  for (std::size_t row = 0; row < rows; ++row) {
    line.clear();
    for (const CsvColumn<Table>& column : columns) {
      if (&column != &columns.front()) line += ',';
      column.append(table, row, line);
    }
    file->Append(line += '\n');
  }
  return file->Commit();
}

// Columns that an earlier version did not write are left as they are, and columns after those that
// are known are passed over. Errors name the line, the column, the value and the bound.
template <class Table>
Result<Table> ReadTable(const std::string& path, std::span<const CsvColumn<Table>> columns,
                        std::size_t least_columns, bool may_have_more = false) {
  auto csv = OpenTable(path, HeaderOf(columns), least_columns, may_have_more);
  if (!csv) return csv.error();
  Table table;
  for (std::size_t row = 0;; ++row) {
    const auto more = csv->Next();
    if (!more) return more.error();
    if (!*more) return table;
    for (std::size_t i = 0; i < std::min(csv->fields().size(), columns.size()); ++i) {
      if (columns[i].take(table, row, csv->fields()[i])) continue;
      return Error{fmt::format("{}: {} = {}: {}", csv->Where(), columns[i].name,
                               base::Quoted(csv->fields()[i]), columns[i].bound)};
    }
  }
}

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_CSV_TABLE_H_
