#include "scenario/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace airlot::scenario {
namespace {

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// CharacterLength returns the bytes of the UTF-8 character that `text` starts with, or 0 where it
// starts with none.
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return text.empty() ? 0 : 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and numbers above U+10FFFF show in the second byte.
  const unsigned second = byte(1);
  const bool wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                     (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

std::optional<std::size_t> FirstInvalid(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = CharacterLength(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

// EndOfString returns where the TOML string that opens at `begin` is over. One that is not closed
// ends with its line, or with the text if it may span lines: toml++ stops there too.
std::size_t EndOfString(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string_view three = text.substr(begin, 3);
  const bool spans_lines = three.size() == 3 && std::ranges::count(three, quote) == 3;
  const std::string_view delimiter = spans_lines ? three : three.substr(0, 1);
  for (std::size_t i = begin + delimiter.size(); i < text.size(); ++i) {
    if (text[i] == '\n' && !spans_lines) return i;
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text.substr(i).starts_with(delimiter)) {
      i += delimiter.size();
      // Up to two quotes right before the closing three belong to the string.
      for (int more = 0; spans_lines && more < 2 && text.substr(i).starts_with(quote); ++more) ++i;
      return i;
    }
  }
  return text.size();
}

std::optional<std::size_t> FirstOutsideAscii(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (text[i] == '"' || text[i] == '\'') {
      i = EndOfString(text, i);
    } else if (IsAscii(text[i])) {
      ++i;
    } else {
      return i;
    }
  }
  return std::nullopt;
}

TextFault FaultAt(std::string_view text, std::size_t offset, std::string_view reason) {
  const auto breaks = std::ranges::count(text.substr(0, offset), '\n');
  return {static_cast<std::size_t>(breaks) + 1, reason};
}

std::size_t OffsetOf(std::string_view text, Place place) {
  std::size_t offset = 0;
  for (std::size_t line = 1; line < place.line; ++line) {
    offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
  }
  for (std::size_t column = 1; column < place.column && offset < text.size(); ++column) {
    offset += CharacterLength(text.substr(offset));
  }
  return offset;
}

// toml++ follows the parts of a dotted key by recursion; a short line keeps its stack short.
std::optional<std::size_t> FirstLongLine(std::string_view text) {
  constexpr std::size_t kLongestLine = 8192;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > kLongestLine) return begin;
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> CountCharacters(std::string_view text) {
  if (FirstInvalid(text)) return std::nullopt;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

std::optional<TextFault> CheckText(std::string_view text) {
  if (const auto offset = FirstLongLine(text)) {
    return FaultAt(text, *offset, "line is longer than 8192 bytes");
  }
  if (const auto offset = FirstInvalid(text)) {
    return FaultAt(text, *offset, "the text is not valid UTF-8");
  }
  if (const auto offset = FirstOutsideAscii(text)) {
    return FaultAt(text, *offset, "only strings and comments may hold characters beyond ASCII");
  }
  return std::nullopt;
}

std::string_view Excerpt(std::string_view text, Place begin, Place end) {
  if (text.empty()) return text;
  const std::size_t first = OffsetOf(text, begin);
  const std::size_t last = OffsetOf(text, end);
  return text.substr(first, std::max(first, last) - first);
}

KeyValues KeyValuesOf(std::string_view text) {
  KeyValues keys;
  std::string section;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find(" = ");
    if (line.starts_with('[')) {
      section = fmt::format("{}.", line.substr(1, line.find(']') - 1));
    } else if (equals != std::string_view::npos) {
      keys.emplace_back(section + std::string(line.substr(0, equals)), line.substr(equals + 3));
    }
  }
  return keys;
}

}  // namespace airlot::scenario
