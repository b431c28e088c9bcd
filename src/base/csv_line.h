// These functions take a line of a CSV file apart (base/csv.h says what such a file is).
#ifndef AIRLOT_BASE_CSV_LINE_H_
#define AIRLOT_BASE_CSV_LINE_H_

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot::base {

// Longer lines are an error, so a file without line breaks cannot exhaust the memory; more of blank
// lines in a row, too, so that a stream of them ends.
inline constexpr std::size_t kLongestCsvLine = std::size_t{1} << 20;
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// A Text is a part of a buffer, and writable, because quoted fields are unquoted in place.
struct Text {
  char* begin = nullptr;
  char* end = nullptr;

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  std::string_view view() const { return {begin, size()}; }
  // Returns the first `c`, or `end`.
  char* Find(char c) const {
    void* const found = std::memchr(begin, c, size());
    return found == nullptr ? end : static_cast<char*>(found);
  }
  void SkipBlanks() {
    while (begin != end && IsBlank(*begin)) ++begin;
  }
  Text Trimmed() const {
    Text text = *this;
    text.SkipBlanks();
    while (text.end != text.begin && IsBlank(text.end[-1])) --text.end;
    return text;
  }
  static bool IsBlank(char c) { return c == ' ' || c == '\t'; }
};

// Takes a line without its LF, CR LF or, where it is the first of a file, byte-order mark off the
// front of `rest`; the last one may have no end.
Text TakeCsvLine(Text& rest, bool is_first);

// These functions return what is wrong, without the place of the line.
Error TooLongCsvLine();
Error TooManyBlankCsvLines();
// Puts the fields of a line that is not blank behind each other. They are valid as long as the
// line.
Status SplitCsvLine(Text line, std::vector<std::string_view>& fields);
// Does the same where the line has neither a quote nor a NUL byte, which is quicker.
Status SplitPlainCsvLine(Text line, std::vector<std::string_view>& fields);
// Fails where the fields of a row are not as many as those of the header.
Status CheckFieldCount(std::size_t fields, std::size_t wanted);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_CSV_LINE_H_
