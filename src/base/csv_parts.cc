#include "base/csv_parts.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/gather.h"
#include "base/input_file.h"
#include "base/shards.h"

namespace airlot::base {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;
// Of so many rows, one is remembered.
constexpr std::size_t kRowsPerMark = 1024;

// A RowMark is where a row begins.
struct RowMark {
  std::uint64_t byte = 0;
  std::uint64_t lines_before = 0, rows_before = 0;
};

// A LineScan goes from line to line of a part of a file, and sees which of them are rows: those
// that are not blank. It keeps no line, however long.
class LineScan {
 public:
  LineScan(const InputFile& file, std::uint64_t begin, std::uint64_t end)
      : file_(file), next_(begin), end_(end), buffer_(kBufferSize) {}

  bool has_failed() const { return has_failed_; }
  std::uint64_t place() const { return next_ - rest_.size(); }  // of the next line

  // Goes to the next line of the file, where this is not the beginning of one.
  void SkipToLine() { Next(); }
  // Goes over a line, and says whether it is a row. It may be called where place() is before the
  // end of the file.
  bool Next() {
    bool is_row = false;
    while (!rest_.empty() || Fill()) {
      const void* const newline = std::memchr(rest_.data(), '\n', rest_.size());
      const std::size_t size = newline == nullptr
                                   ? rest_.size()
                                   : std::size_t(static_cast<const char*>(newline) - rest_.data());
      is_row = is_row || HasText(rest_.first(size), newline != nullptr || place() + size == end_);
      rest_ = rest_.subspan(newline == nullptr ? size : size + 1);
      if (newline != nullptr) break;
    }
    return is_row;
  }

 private:
  // A CR is a part of the end of a line; at the end of the buffer it may be one.
  static bool HasText(std::span<const char> text, bool is_at_end) {
    if (is_at_end && !text.empty() && text.back() == '\r') text = text.first(text.size() - 1);
    return std::ranges::any_of(text, [](char c) { return !Text::IsBlank(c); });
  }

  bool Fill() {
    const auto size = std::size_t(std::min<std::uint64_t>(kBufferSize, end_ - next_));
    if (size == 0 || has_failed_) return false;
    const std::span<char> bytes = std::span(buffer_).first(size);
    has_failed_ = !file_.ReadAt(next_, bytes);
    if (has_failed_) return false;
    // A CR whose LF is in the next buffer stays for that one.
    std::size_t whole = size;
    if (bytes.back() == '\r' && next_ + size < end_ && size > 1) --whole;
    rest_ = bytes.first(whole);
    next_ += whole;
    return true;
  }

  const InputFile& file_;
  std::uint64_t next_, end_;  // bytes of the file: the first one that is not in `rest_`
  std::vector<char> buffer_;
  std::span<const char> rest_;
  bool has_failed_ = false;
};

// FoundLines are those that begin in one part of the bytes of a file.
struct FoundLines {
  std::uint64_t lines = 0, rows = 0;
  std::vector<RowMark> marks;
  bool has_failed = false;
};

// Looks at the lines that begin in [begin, end).
FoundLines FindLines(const InputFile& file, std::uint64_t header_end, std::uint64_t begin,
                     std::uint64_t end) {
  FoundLines found;
  if (begin == end) return found;
  // A line begins here where the byte before is the end of one.
  const bool is_first = begin == header_end;
  LineScan scan(file, is_first ? begin : begin - 1, *file.size());
  if (!is_first) scan.SkipToLine();
  while (scan.place() < end && !scan.has_failed()) {
    const std::uint64_t byte = scan.place();
    const bool is_row = scan.Next();
    if (is_row && found.rows % kRowsPerMark == 0) {
      found.marks.push_back({byte, found.lines, found.rows});
    }
    found.rows += is_row ? 1 : 0;
    ++found.lines;
  }
  found.has_failed = scan.has_failed();
  return found;
}

// Returns where a row begins, from the last mark that is not behind it.
RowMark FindRow(const InputFile& file, std::span<const RowMark> marks, std::size_t row,
                bool& has_failed) {
  const auto after = std::ranges::upper_bound(marks, row, {}, &RowMark::rows_before);
  RowMark mark = *(after - 1);
  LineScan scan(file, mark.byte, *file.size());
  while (!scan.has_failed()) {
    mark.byte = scan.place();
    if (scan.place() >= *file.size()) break;
    const bool is_row = scan.Next();
    if (is_row && mark.rows_before == row) break;
    mark.rows_before += is_row ? 1 : 0;
    ++mark.lines_before;
  }
  has_failed = has_failed || scan.has_failed();
  return mark;
}

Error CannotRead(const std::string& path) {
  return {path + ": cannot be read any more: it has changed, or its disk fails"};
}

}  // namespace

RowRange RowsOfMember(std::size_t rows, std::size_t member, std::size_t members) {
  const std::size_t shards = ShardCount(rows), busy = std::min(members, shards);
  const auto begin_of = [&](std::size_t number) {
    return number >= busy ? rows : shards * number / busy * kShardSize;
  };
  return {begin_of(member), begin_of(member + 1) - begin_of(member)};
}

Result<DividedCsv> DivideCsv(const std::string& path, Team& team) {
  const Hands hands(1, &team);
  auto csv = CsvBlocks::Open(path);
  auto file = InputFile::Open(path);
  Status status;
  if (!csv) status = csv.error();
  if (!file) status = file.error();
  if (status = AgreeOn(hands, status); !status) return status.error();

  const std::uint64_t header_end = csv->header_end(), size = *file->size();
  const auto begin_of = [&](std::size_t member) {
    return header_end + (size - std::min(size, header_end)) * member / team.size();
  };
  FoundLines found = FindLines(*file, header_end, begin_of(team.rank()), begin_of(team.rank() + 1));
  status = found.has_failed ? Status(CannotRead(path)) : Status();
  if (status = AgreeOn(hands, status); !status) return status.error();

  const std::uint64_t lines_before =
      csv->header_lines() + SumOfEarlierMembers(hands, std::size_t(found.lines));
  const std::uint64_t rows_before = SumOfEarlierMembers(hands, std::size_t(found.rows));
  for (RowMark& mark : found.marks) {
    mark.lines_before += lines_before;
    mark.rows_before += rows_before;
  }
  const std::vector<RowMark> marks = GatherAll<RowMark>(team, found.marks);
  DividedCsv divided;
  divided.all_rows = SumOfMembers(hands, std::size_t(found.rows));
  divided.rows = RowsOfMember(divided.all_rows, team.rank(), team.size());

  RowMark begin{.byte = size};
  bool has_failed = false;
  if (divided.rows.count > 0) begin = FindRow(*file, marks, divided.rows.first, has_failed);
  status = has_failed ? Status(CannotRead(path)) : Status();
  if (status = AgreeOn(hands, status); !status) return status.error();
  // What is before the first row, and behind the last, belongs to the part beside it.
  if (team.rank() == 0) begin = {.byte = header_end, .lines_before = csv->header_lines()};
  const std::vector<RowMark> begins = GatherOne(hands, begin);
  const bool is_last = team.rank() + 1 == team.size();
  divided.part = {begin.byte, is_last ? size : begins[team.rank() + 1].byte, begin.lines_before};
  return divided;
}

}  // namespace airlot::base
