#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace airlot::base {
namespace {

// Returns the exponent behind `e`, saturated.
long DecimalExponent(std::string_view digits) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  long exponent = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (end.ec != std::errc::result_out_of_range) return exponent;
  return digits.starts_with('-') ? std::numeric_limits<long>::min() / 2
                                 : std::numeric_limits<long>::max() / 2;
}

// Says whether a decimal number that a double cannot hold is too large, rather than too small.
bool IsTooLarge(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t leading = mantissa.find_first_of("123456789");
  const long exponent = e == text.size() ? 0 : DecimalExponent(text.substr(e + 1));
  return exponent + static_cast<long>(point) - static_cast<long>(leading) > 0;
}

// Counts the edits between two texts, a swap of neighbours being one ("optimal string alignment").
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<double> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const double size = IsTooLarge(text) ? std::numeric_limits<double>::infinity() : 0;
    return text.starts_with('-') ? -size : size;
  }
  return value;
}

void AppendNumber(std::string& out, double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), end.ptr);
}

std::string FormatNumber(double value) {
  std::string text;
  AppendNumber(text, value);
  return text;
}

std::string Grouped(std::string_view digits) {
  std::string grouped(digits);
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = digits.size(); i > sign + 3; i -= 3) grouped.insert(i - 3, 1, ',');
  return grouped;
}

std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> candidates) {
  const std::size_t most = std::max<std::size_t>(2, name.size() / 3);
  std::optional<std::string_view> nearest;
  std::size_t fewest = most + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t shorter = std::min(name.size(), candidate.size());
    // The difference in length bounds the edits from below; without it a long name costs much time.
    if (longer - shorter >= fewest) continue;
    const std::size_t edits = EditDistance(name, candidate);
    if (edits < fewest && edits < longer) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string WithoutUserInfo(std::string_view address) {
  constexpr std::string_view kBeforeHost = "://";
  const std::size_t scheme = address.find(kBeforeHost);
  if (scheme == std::string_view::npos) return std::string(address);
  const std::size_t begin = scheme + kBeforeHost.size();
  const std::size_t end = std::min(address.find_first_of("/?#", begin), address.size());
  const std::size_t at = address.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < begin) return std::string(address);
  return std::string(address.substr(0, begin)) + std::string(address.substr(at + 1));
}

std::string Joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

std::string Quoted(std::string_view original) {
  std::string text = SafeForTerminal(WithoutUserInfo(original));
  std::ranges::replace(text, '\n', '?');
  constexpr std::size_t kMost = 60;
  constexpr std::string_view kCut = "...";
  if (CutToColumns(text, kMost).size() == text.size()) return '"' + text + '"';
  return '"' + std::string(CutToColumns(text, kMost - kCut.size())).append(kCut) + '"';
}

std::string ShellQuoted(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace airlot::base
