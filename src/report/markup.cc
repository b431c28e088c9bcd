#include "report/markup.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/text.h"
#include "data/sha256.h"
#include "scenario/text.h"

namespace airlot::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
// U+FFFE and U+FFFF are UTF-8, but no characters of XML.
constexpr std::string_view kNoCharacters[] = {"\xEF\xBF\xBE", "\xEF\xBF\xBF"};

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

}  // namespace

std::string Escape(std::string_view text) {
  const bool is_utf8 = scenario::CountCharacters(text).has_value();
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&':
        escaped += "&amp;";
        continue;
      case '<':
        escaped += "&lt;";
        continue;
      case '>':
        escaped += "&gt;";
        continue;
      case '"':
        escaped += "&quot;";
        continue;
      case '\'':
        escaped += "&#39;";
        continue;
      default:
        break;
    }
    const bool is_no_character =
        text.substr(i, 3) == kNoCharacters[0] || text.substr(i, 3) == kNoCharacters[1];
    if ((base::IsControl(c) && c != '\n' && c != '\t') ||
        (static_cast<unsigned char>(c) >= 0x80 && !is_utf8) || is_no_character) {
      escaped += kReplacement;
      if (is_no_character) i += 2;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string ScriptJson(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const std::string_view next = json.substr(i, 3);
    if (c == '<' || c == '>' || c == '&') {
      text += fmt::format("\\u{:04x}", int(c));
    } else if (next == "\xE2\x80\xA8" || next == "\xE2\x80\xA9") {
      // These are the separators of lines and of paragraphs.
      text += next[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      text += c;
    }
  }
  return text;
}

std::string PolicyHash(std::string_view text) {
  data::Sha256 hash;
  hash.Update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  const std::string hex = hash.Hex();
  const auto nibble = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes(hex.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
  }
  return "sha256-" + Base64(bytes);
}

}  // namespace airlot::report
