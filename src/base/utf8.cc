#include "base/utf8.h"

#include <algorithm>

#include "base/text.h"

namespace airlot::base {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Returns the bytes of a character that begins so, or 0 where none does.
std::size_t SizeByFirstByte(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// The second byte excludes what is written longer than needed, surrogates, and what is beyond
// U+10FFFF (RFC 3629).
bool IsSecondByte(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second < 0xA0;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second < 0x90;
    default:
      return true;
  }
}

// Says whether a character is one of U+0080 to U+009F; U+009B begins a sequence as ESC [ does.
bool IsControlBeyondAscii(std::string_view character) {
  return character.size() == 2 && character[0] == '\xC2' &&
         static_cast<unsigned char>(character[1]) < 0xA0;
}

std::size_t FrontSize(std::string_view text) {
  return std::max<std::size_t>(FrontCharacterSize(text), 1);
}

}  // namespace

std::size_t FrontCharacterSize(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = SizeByFirstByte(first);
  if (size > text.size()) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + std::ptrdiff_t(std::max<std::size_t>(size, 1)),
                   IsContinuation)) {
    return 0;
  }
  if (size > 1 && !IsSecondByte(first, static_cast<unsigned char>(text[1]))) return 0;
  return size;
}

std::string_view CutToBytes(std::string_view text, std::size_t most_bytes) {
  std::size_t end = 0;
  while (end < text.size() && end + FrontSize(text.substr(end)) <= most_bytes) {
    end += FrontSize(text.substr(end));
  }
  return text.substr(0, end);
}

std::string_view CutToColumns(std::string_view text, std::size_t most_columns) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < most_columns && end < text.size(); ++i) {
    end += FrontSize(text.substr(end));
  }
  return text.substr(0, end);
}

std::size_t ColumnsOf(std::string_view text) {
  std::size_t columns = 0;
  for (; !text.empty(); ++columns) text.remove_prefix(FrontSize(text));
  return columns;
}

std::string SafeForTerminal(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = FrontCharacterSize(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    const bool is_line_feed = character == "\n";
    const bool steers = size == 0 || IsControl(character[0]) || IsControlBeyondAscii(character);
    if (steers && !is_line_feed) {
      safe += '?';
    } else {
      safe += character;
    }
    text.remove_prefix(character.size());
  }
  return safe;
}

}  // namespace airlot::base
