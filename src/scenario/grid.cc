#include "airlot/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/text.h"

namespace airlot {
namespace {

constexpr std::size_t kMostValues = 10'000;

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// Cuts a text at a character, but not inside of brackets, braces or quotes.
std::vector<std::string> Split(std::string_view text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : at;
    if (i < text.size()) {
      if (quote != 0) {
        if (c == '\\' && quote == '"') ++i;
        if (c == quote) quote = 0;
        continue;
      }
      if (c == '"' || c == '\'') quote = c;
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      if (c != at || depth > 0) continue;
    }
    parts.emplace_back(Trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

// --- Ranges --------------------------------------------------------------------------------------

struct Range {
  double low = 0, high = 0, count = 0;
  bool is_log = false;
};

// Returns a range where the text has the form of one.
std::optional<Range> RangeOf(std::string_view text) {
  const std::vector<std::string> parts = Split(text, ':');
  if (parts.size() < 3 || parts.size() > 4) return std::nullopt;
  const auto low = base::ParseNumber(parts[0]), high = base::ParseNumber(parts[1]),
             count = base::ParseNumber(parts[2]);
  if (!low || !high || !count) return std::nullopt;
  if (parts.size() == 4 && parts[3] != "log") return std::nullopt;
  return Range{*low, *high, *count, parts.size() == 4};
}

std::string WrongWith(const Range& range) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return "its ends must be finite";
  if (range.count != std::floor(range.count)) return "the count must be a whole number";
  if (range.count < 2 || range.count > double(kMostValues)) {
    return fmt::format("the count is {}, and must be 2 to {}", base::FormatNumber(range.count),
                       kMostValues);
  }
  if (range.low == range.high) return "the range is empty: its ends are equal";
  if (range.is_log && (range.low <= 0 || range.high <= 0)) {
    return "both ends of a logarithmic range must be above 0";
  }
  return "";
}

// Both ends are exact. What is between them is rounded to twelve digits, which leaves 0.3 of 0 to 1
// in steps of 0.1 as it is, and not 0.30000000000000004.
std::vector<std::string> ValuesOf(const Range& range) {
  std::vector<std::string> values;
  const auto count = std::size_t(range.count);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = double(i) / double(count - 1);
    double value = range.is_log ? range.low * std::pow(range.high / range.low, share)
                                : range.low + (range.high - range.low) * share;
    value = *base::ParseNumber(fmt::format("{:.12g}", value));
    if (i == 0) value = range.low;
    if (i + 1 == count) value = range.high;
    values.push_back(base::FormatNumber(value));
  }
  return values;
}

// Two numbers are the same value however they are written.
std::string WithoutSpelling(const std::string& value) {
  const auto number = base::ParseNumber(value);
  return number ? base::FormatNumber(*number) : value;
}

Error WrongAt(std::string_view text, const std::string& what) {
  return {fmt::format("{}: {}", base::Quoted(text), what)};
}

}  // namespace

Result<GridKey> ParseGridKey(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || Trimmed(text.substr(0, equals)).empty()) {
    return WrongAt(text, "must be section.key=value,value,... or section.key=low:high:count[:log]");
  }
  GridKey key{.name = std::string(Trimmed(text.substr(0, equals))), .values = {}};
  const std::string_view given = Trimmed(text.substr(equals + 1));
  if (given.empty()) return WrongAt(text, "has no values: name at least one");
  if (const auto range = RangeOf(given)) {
    if (const std::string wrong = WrongWith(*range); !wrong.empty()) return WrongAt(text, wrong);
    key.values = ValuesOf(*range);
  } else {
    key.values = Split(given, ',');
  }
  if (key.values.size() > kMostValues) {
    return WrongAt(text, fmt::format("has more than {} values", kMostValues));
  }
  for (const std::string& value : key.values) {
    if (value.empty()) return WrongAt(text, "has an empty value: remove a comma");
  }
  return key;
}

namespace {

// Returns the values of an axis that stand there twice, if any: two cells would be the same.
std::optional<std::string> ValuesTwice(const GridAxis& axis) {
  std::set<std::vector<std::string>> places;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    std::vector<std::string> values;
    for (const GridKey& key : axis.keys) values.push_back(WithoutSpelling(key.values[i]));
    if (!places.insert(values).second) return fmt::format("{}", fmt::join(values, ", "));
  }
  return std::nullopt;
}

}  // namespace

Status CheckGrid(const Grid& grid) {
  if (grid.axes.empty()) return Error{"nothing is varied: add --vary section.key=value,value,..."};
  std::set<std::string_view> names;
  double cells = 1;
  for (const GridAxis& axis : grid.axes) {
    if (axis.keys.empty() || axis.keys.front().values.empty()) {
      return Error{"an axis has no values"};
    }
    for (const GridKey& key : axis.keys) {
      if (!names.insert(key.name).second) {
        return Error{fmt::format("{} is varied twice", base::Quoted(key.name))};
      }
      if (key.values.size() != axis.size()) {
        return Error{
            fmt::format("{} has {} values, and {} in step with it has {}: they must be "
                        "as many",
                        axis.keys.front().name, axis.size(), key.name, key.values.size())};
      }
    }
    if (const auto twice = ValuesTwice(axis)) {
      return Error{fmt::format("{} has the value{} {} twice", axis.keys.front().name,
                               axis.keys.size() == 1 ? "" : "s in step", *twice)};
    }
    cells *= double(axis.size());
  }
  if (cells <= double(kMostCells)) return {};
  return Error{fmt::format("the grid has {:.0f} cells, and {} are the most: vary less at a time",
                           cells, kMostCells)};
}

std::size_t CellCount(const Grid& grid) {
  std::size_t cells = 1;
  for (const GridAxis& axis : grid.axes) cells *= axis.size();
  return cells;
}

std::vector<std::size_t> PlaceOf(const Grid& grid, std::size_t cell) {
  std::vector<std::size_t> place(grid.axes.size());
  for (std::size_t i = grid.axes.size(); i-- > 0;) {
    place[i] = cell % grid.axes[i].size();
    cell /= grid.axes[i].size();
  }
  return place;
}

std::vector<std::string> OverridesOf(const Grid& grid, std::size_t cell) {
  const std::vector<std::size_t> place = PlaceOf(grid, cell);
  std::vector<std::string> overrides;
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (const GridKey& key : grid.axes[i].keys) {
      overrides.push_back(key.name + "=" + key.values[place[i]]);
    }
  }
  return overrides;
}

std::string CellName(const Grid& grid, std::size_t cell) {
  return fmt::format("{}", fmt::join(OverridesOf(grid, cell), ", "));
}

}  // namespace airlot
