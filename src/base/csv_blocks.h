// CsvBlocks reads a CSV file by several threads: one at a time takes the next lines of the file as
// a block, and takes them apart while others take theirs. What a file may look like, and what is an
// error, is the same as for CsvReader.
#ifndef AIRLOT_BASE_CSV_BLOCKS_H_
#define AIRLOT_BASE_CSV_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"
#include "base/csv_line.h"

namespace airlot::base {

// A CsvBlock has whole lines of a file, which one thread reads row by row.
class CsvBlock {
 public:
  // A Run is of rows that follow each other without a blank line.
  struct Run {
    std::size_t rows = 0;
    std::uint64_t first_line = 0;
  };

  std::size_t index() const { return index_; }          // of this block, from 0
  std::size_t first_row() const { return first_row_; }  // of the file, from 0
  std::size_t rows() const { return rows_; }
  std::span<const Run> runs() const { return runs_; }

  // Reads the next row, and returns false at the end of the block. The fields are valid until the
  // next call and exactly as many as the header has (otherwise it fails).
  Result<bool> Next();
  std::span<const std::string_view> fields() const { return fields_; }
  // Returns the index of the current row in the file.
  std::size_t row() const { return row_ - 1; }
  // Returns "path:line" of the current row, for messages.
  std::string Where() const;

 private:
  friend class CsvBlocks;

  std::string path_;
  std::size_t header_size_ = 0;
  std::size_t index_ = 0, first_row_ = 0, rows_ = 0;
  std::vector<Run> runs_;
  Status after_;  // what is wrong with the file behind these rows
  bool is_plain_ = false;
  std::unique_ptr<char[]> buffer_;
  Text text_;
  std::uint64_t line_ = 0;  // the line before `text_`
  std::size_t row_ = 0;     // the row behind the current one
  std::vector<std::string_view> fields_;
};

// A CsvPart is a run of lines of a file.
struct CsvPart {
  std::uint64_t begin = 0, end = 0;  // bytes of the file
  std::uint64_t lines_before = 0;    // in the file
};

class CsvBlocks {
 public:
  // Opens a file or stream and reads the header, as CsvReader does.
  static Result<CsvBlocks> Open(const std::string& path);
  // Opens a regular file, reads the header, and goes on with a part of the lines, whose rows are
  // counted from 0.
  static Result<CsvBlocks> OpenPart(const std::string& path, const CsvPart& part);
  CsvBlocks(CsvBlocks&&) noexcept;
  ~CsvBlocks();

  std::span<const std::string> header() const;
  // Returns "path:line" of the header.
  std::string HeaderPlace() const;
  // Returns the bytes and the lines up to the end of the header, before blocks are read.
  std::uint64_t header_end() const;
  std::uint64_t header_lines() const;
  // For progress, bytes_read counts the bytes of the blocks that were begun, and file_size is the
  // size of the file, or of its part (0 if it cannot be known).
  std::uint64_t bytes_read() const;
  std::uint64_t file_size() const;

  // Calls `begin` for every block in the order of the file, one at a time, and then `take` for the
  // same block, on several threads. Returns the first error in the order of the file, of whichever
  // thread. It may be called once.
  Status ForEach(int threads, const std::function<Status(const CsvBlock&)>& begin,
                 const std::function<Status(CsvBlock&)>& take);

 private:
  struct State;
  explicit CsvBlocks(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace airlot::base

#endif  // AIRLOT_BASE_CSV_BLOCKS_H_
