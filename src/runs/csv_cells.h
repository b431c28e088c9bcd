// The kinds of cells here say how values are written to a CSV file, read and checked.
#ifndef AIRLOT_RUNS_CSV_CELLS_H_
#define AIRLOT_RUNS_CSV_CELLS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/planning.h"

namespace airlot::runs {

// Every kind has Append, which writes a value, Parse, which returns nothing for what lies outside
// of its bounds, and Bound, which names the bounds: "must be a number from 0 to 1".

struct TextCell {
  static void Append(std::string& row, const std::string& text);
  static std::optional<std::string> Parse(std::string_view cell) { return std::string(cell); }
  static std::string Bound() { return "must be a text"; }
};

// A NumberCell holds a number within finite or infinite bounds. NaN is written as an empty cell.
struct NumberCell {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();

  void Append(std::string& row, double value) const;
  std::optional<double> Parse(std::string_view cell) const;
  std::string Bound() const;
};

// A CountCell holds a whole number.
struct CountCell {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();

  static void Append(std::string& row, std::uint64_t count);
  std::optional<std::uint64_t> Parse(std::string_view cell) const;
  std::string Bound() const;
};

// An OptionalCell holds a value of another kind that may be missing; the cell is then empty.
template <class Cell>
struct OptionalCell {
  using Value = decltype(std::declval<const Cell&>().Parse(""));  // an optional

  Cell present;

  void Append(std::string& row, const Value& value) const {
    if (value) present.Append(row, *value);
  }
  std::optional<Value> Parse(std::string_view cell) const {
    if (cell.empty()) return Value();
    const Value value = present.Parse(cell);
    return value ? std::optional<Value>(std::in_place, value) : std::nullopt;
  }
  std::string Bound() const { return present.Bound() + ", or empty"; }
};

struct LimitCell {
  static void Append(std::string& row, Limit limit) { row += LimitName(limit); }
  static std::optional<Limit> Parse(std::string_view cell);
  static std::string Bound();
};

// A CountsCell holds whole numbers that are separated by single spaces.
struct CountsCell {
  static void Append(std::string& row, const std::vector<std::uint32_t>& counts);
  static std::optional<std::vector<std::uint32_t>> Parse(std::string_view cell);
  static std::string Bound();
};

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_CSV_CELLS_H_
