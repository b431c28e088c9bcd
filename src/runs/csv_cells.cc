#include "runs/csv_cells.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/csv.h"
#include "base/text.h"

namespace airlot::runs {
namespace {

std::optional<std::uint64_t> ParseCount(std::string_view text, std::uint64_t most) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, count);
  if (fault != std::errc() || stop != end || count > most) return std::nullopt;
  return count;
}

}  // namespace

void TextCell::Append(std::string& row, const std::string& text) {
  base::AppendCsvField(row, text);
}

void NumberCell::Append(std::string& row, double value) const {
  if (!std::isnan(value)) base::AppendNumber(row, value);
}

std::optional<double> NumberCell::Parse(std::string_view cell) const {
  const auto number = base::ParseNumber(cell);
  const bool is_within = number && *number >= least && *number <= most;  // A NaN never is.
  return is_within ? number : std::nullopt;
}

std::string NumberCell::Bound() const {
  std::string bound = "must be a number";
  if (most < std::numeric_limits<double>::max()) {
    bound += fmt::format(" from {} to {}", base::FormatNumber(least), base::FormatNumber(most));
  } else {
    if (std::isfinite(most)) bound = "must be a finite number";
    if (least > std::numeric_limits<double>::lowest()) {
      bound += " >= " + base::FormatNumber(least);
    }
  }
  return bound;
}

void CountCell::Append(std::string& row, std::uint64_t count) { row += fmt::format("{}", count); }

std::optional<std::uint64_t> CountCell::Parse(std::string_view cell) const {
  const auto count = ParseCount(cell, most);
  return count && *count >= least ? count : std::nullopt;
}

std::string CountCell::Bound() const {
  return fmt::format("must be a whole number from {} to {}", least, most);
}

std::optional<Limit> LimitCell::Parse(std::string_view cell) {
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    if (LimitName(Limit(i)) == cell) return Limit(i);
  }
  return std::nullopt;
}

std::string LimitCell::Bound() {
  std::string bound = "must be one of";
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    bound += fmt::format("{} {}", i == 0 ? "" : ",", LimitName(Limit(i)));
  }
  return bound;
}

void CountsCell::Append(std::string& row, const std::vector<std::uint32_t>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) row += ' ';
    row += fmt::format("{}", counts[i]);
  }
}

std::optional<std::vector<std::uint32_t>> CountsCell::Parse(std::string_view cell) {
  std::vector<std::uint32_t> counts;
  while (true) {
    const std::size_t space = cell.find(' ');
    const auto count = ParseCount(cell.substr(0, space), std::numeric_limits<std::uint32_t>::max());
    if (!count) return std::nullopt;
    counts.push_back(static_cast<std::uint32_t>(*count));
    if (space == std::string_view::npos) return counts;
    cell.remove_prefix(space + 1);
  }
}

std::string CountsCell::Bound() {
  return "must be whole numbers with single spaces between them, as many as in the first row";
}

}  // namespace airlot::runs
