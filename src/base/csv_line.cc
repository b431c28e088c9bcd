#include "base/csv_line.h"

#include <optional>
#include <string>

namespace airlot::base {
namespace {

// Takes a quoted field, without its quotes, off the front of `rest`, which begins with a quote.
// Returns nothing if the quote is not closed.
std::optional<std::string_view> TakeQuoted(Text& rest) {
  Text field{rest.begin + 1, rest.begin + 1};
  for (char* in = field.begin; in != rest.end; ++in) {
    if (*in == '"') {
      const bool doubled = in + 1 != rest.end && in[1] == '"';
      if (!doubled) {
        rest.begin = in + 1;
        return field.view();
      }
      ++in;
    }
    *field.end++ = *in;
  }
  return std::nullopt;
}

}  // namespace

Text TakeCsvLine(Text& rest, bool is_first) {
  char* const newline = rest.Find('\n');
  Text line{rest.begin, newline};
  if (line.size() > 0 && line.end[-1] == '\r') --line.end;
  rest.begin = newline == rest.end ? newline : newline + 1;
  if (is_first && line.view().starts_with(kByteOrderMark)) line.begin += kByteOrderMark.size();
  return line;
}

Error TooLongCsvLine() {
  return {"line is longer than " + std::to_string(kLongestCsvLine) + " bytes"};
}

Error TooManyBlankCsvLines() {
  return {"blank lines of more than " + std::to_string(kLongestCsvLine) + " bytes in a row"};
}

Status SplitCsvLine(Text line, std::vector<std::string_view>& fields) {
  if (line.Find('\0') != line.end) return Error{"contains a NUL byte: it is not a text file"};
  const bool may_be_quoted = line.Find('"') != line.end;
  while (true) {
    Text rest = line;
    if (may_be_quoted) rest.SkipBlanks();
    if (may_be_quoted && rest.view().starts_with('"')) {
      const std::optional<std::string_view> field = TakeQuoted(rest);
      if (!field) return Error{"a quote is not closed"};
      rest.SkipBlanks();
      if (rest.size() > 0 && *rest.begin != ',') {
        return Error{"there is text after a closing quote"};
      }
      fields.push_back(*field);
    } else {
      rest.begin = rest.Find(',');
      fields.push_back(Text{line.begin, rest.begin}.Trimmed().view());
    }
    if (rest.size() == 0) return {};
    line.begin = rest.begin + 1;  // behind the comma
  }
}

// Fields are short, so that looking at every byte is quicker than a search for each comma.
Status SplitPlainCsvLine(Text line, std::vector<std::string_view>& fields) {
  char* begin = line.begin;
  for (char* at = line.begin;; ++at) {
    if (at != line.end && *at != ',') continue;
    fields.push_back(Text{begin, at}.Trimmed().view());
    if (at == line.end) return {};
    begin = at + 1;
  }
}

Status CheckFieldCount(std::size_t fields, std::size_t wanted) {
  if (fields == wanted) return {};
  return Error{std::to_string(fields) + (fields == 1 ? " field" : " fields") +
               ", but the header has " + std::to_string(wanted)};
}

}  // namespace airlot::base
