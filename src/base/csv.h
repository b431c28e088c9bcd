// CsvReader reads CSV files row by row, in constant memory.
//
// A file has one header line, then one row per line, with fields separated by commas, LF or CRLF,
// and an optional UTF-8 byte-order mark. A field may be put in double quotes (a doubled quote
// inside stands for one); quoted fields do not span lines. Spaces and tabs around a field are not
// part of it, inside quotes they are. Empty lines are skipped.
//
// Errors start with "path: " or "path:line: ", lines counted from 1.
#ifndef AIRLOT_BASE_CSV_H_
#define AIRLOT_BASE_CSV_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"
#include "base/csv_line.h"

namespace airlot::base {

class CsvReader {
 public:
  static constexpr std::size_t kLongestLine = kLongestCsvLine;

  // Opens a regular file, /dev/stdin or /dev/fd/N and reads the header. Fails where there is no
  // such file, where it is a directory, a pipe, a device or empty, or where a line is too long.
  static Result<CsvReader> Open(const std::string& path);
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;
  ~CsvReader();

  std::span<const std::string> header() const;

  // Reads the next row, and returns false at the end of the file. The fields are valid until the
  // next call and exactly as many as the header has (otherwise it fails).
  Result<bool> Next();
  std::span<const std::string_view> fields() const;

  // Returns "path:line" of the current row, for messages.
  std::string Where() const;
  // Returns the number of the line of the current row, from 1.
  std::uint64_t line() const;
  // For progress, bytes_read counts the bytes up to the end of the current row, and file_size is
  // the size of the file (0 if it cannot be known).
  std::uint64_t bytes_read() const;
  std::uint64_t file_size() const;

 private:
  struct State;
  explicit CsvReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Appends a field as a CSV file has it: in quotes only where it needs them.
void AppendCsvField(std::string& out, std::string_view field);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_CSV_H_
