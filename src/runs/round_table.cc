#include "runs/round_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "runs/csv_cells.h"
#include "runs/csv_table.h"
#include "simulation/round_fields.h"

namespace airlot::runs {
namespace {

using Records = std::vector<RoundRecord>;
using Column = CsvColumn<Records>;
using simulation::RoundField;

template <class T, class Cell>
Column ColumnOf(std::string_view name, T RoundRecord::*member, const Cell& cell) {
  return {name,
          [=](const Records& records, std::size_t row, std::string& line) {
            cell.Append(line, records[row].*member);
          },
          [=](Records& records, std::size_t row, std::string_view text) {
            if (records.size() == row) records.emplace_back();
            const auto value = cell.Parse(text);
            if (value) records[row].*member = *value;
            return value.has_value();
          },
          cell.Bound()};
}

Column ColumnOf(const RoundField& field) {
  if (const auto* count = std::get_if<std::uint64_t RoundRecord::*>(&field.member)) {
    // Counts beyond 2^53 would not be exact as bounds.
    const double most = std::min(field.most, 9007199254740992.0);
    return ColumnOf(field.name, *count, CountCell{.most = static_cast<std::uint64_t>(most)});
  }
  const NumberCell number{.least = field.least, .most = field.most};
  if (const auto* value = std::get_if<double RoundRecord::*>(&field.member)) {
    return ColumnOf(field.name, *value, number);
  }
  return ColumnOf(field.name, std::get<std::optional<double> RoundRecord::*>(field.member),
                  OptionalCell<NumberCell>{number});
}

std::span<const Column> Columns() {
  static const std::vector<Column> columns = [] {
    std::vector<Column> made;
    made.reserve(simulation::kRoundFields.size());
    for (const RoundField& field : simulation::kRoundFields) made.push_back(ColumnOf(field));
    return made;
  }();
  return columns;
}
constexpr std::size_t kLeastColumns = 7;  // Files of earlier versions have no more.

Status CheckOrder(const std::string& path, const Records& records) {
  const auto wrong = [&](std::size_t row, std::string_view name, double value, double bound,
                         std::string_view relation) {
    return Error{fmt::format("{}:{}: {} = {}: must be {}{}", path, row + 2, name,
                             base::FormatNumber(value), relation, base::FormatNumber(bound))};
  };
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RoundRecord before = i == 0 ? RoundRecord{} : records[i - 1];
    const RoundRecord& record = records[i];
    if (record.round != i) return wrong(i, "round", double(record.round), double(i), "");
    if (record.time_s < before.time_s) {
      return wrong(i, "time_s", record.time_s, before.time_s, ">= ");
    }
    if (record.energy_j < before.energy_j) {
      return wrong(i, "energy_j", record.energy_j, before.energy_j, ">= ");
    }
  }
  return {};
}

}  // namespace

Status WriteRounds(const std::string& path, const Records& records) {
  return WriteTable(path, Columns(), records, records.size());
}

Result<Records> ReadRounds(const std::string& path) {
  auto records = ReadTable(path, Columns(), kLeastColumns);
  if (!records) return records.error();
  if (auto status = CheckOrder(path, *records); !status) return status.error();
  return records;
}

}  // namespace airlot::runs
