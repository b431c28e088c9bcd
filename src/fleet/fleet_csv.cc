// This file reads a fleet file (docs/formats.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/fleet.h"
#include "base/csv.h"
#include "base/text.h"
#include "fleet/fleet_memory.h"

namespace airlot {
namespace {

// A FileColumn is one that a fleet file may have.
struct FileColumn {
  std::string_view name;
  ColumnValues FleetRows::*values;
  bool may_be_zero;
};

constexpr std::array kFileColumns{
    FileColumn{"distance_m", &FleetRows::distance_m, true},
    FileColumn{"noise_to_gain_w", &FleetRows::noise_to_gain_w, false},
    FileColumn{"bandwidth_hz", &FleetRows::bandwidth_hz, false},
    FileColumn{"max_power_w", &FleetRows::max_power_w, false},
    FileColumn{"energy_budget_j", &FleetRows::energy_budget_j, true},
    FileColumn{"compute_energy_j", &FleetRows::compute_energy_j, true},
    FileColumn{"compute_time_s", &FleetRows::compute_time_s, true},
    FileColumn{"samples", &FleetRows::samples, true},
    FileColumn{"cycles_per_sample", &FleetRows::cycles_per_sample, true},
    FileColumn{"cpu_hz", &FleetRows::cpu_hz, false},
    FileColumn{"kappa", &FleetRows::kappa, true},
    FileColumn{"update_bits", &FleetRows::update_bits, false},
    FileColumn{"time_limit_s", &FleetRows::time_limit_s, false},
    FileColumn{"receive_energy_j", &FleetRows::receive_energy_j, true},
    FileColumn{"battery_j", &FleetRows::battery_j, false},
    FileColumn{"harvest_w", &FleetRows::harvest_w, true},
};
constexpr std::string_view kIdColumn = "id";

// A Layout says what the columns of one file are: an index into kFileColumns each, or the id.
struct Layout {
  static constexpr std::size_t kId = kFileColumns.size();
  std::vector<std::size_t> columns;
  bool has(std::string_view name) const {
    return std::any_of(columns.begin(), columns.end(),
                       [&](std::size_t c) { return c != kId && kFileColumns[c].name == name; });
  }
};

std::vector<std::string_view> ColumnNames() {
  std::vector<std::string_view> names{kIdColumn};
  for (const FileColumn& column : kFileColumns) names.push_back(column.name);
  return names;
}

Error UnknownColumn(const std::string& where, std::string_view name) {
  if (name.find_first_of(";\t") != std::string_view::npos) {
    return {fmt::format("{}: unknown column {}: columns are separated by commas", where,
                        base::Quoted(name))};
  }
  const auto names = ColumnNames();
  if (const auto nearest = base::NearestName(name, names)) {
    return {fmt::format("{}: unknown column {}: did you mean {}?", where, base::Quoted(name),
                        *nearest)};
  }
  return {fmt::format("{}: unknown column {}: known are {}", where, base::Quoted(name),
                      fmt::join(names, ", "))};
}

// An energy and what it would be computed from contradict each other.
Status CheckChoice(const std::string& where, const Layout& layout) {
  if (!layout.has("compute_energy_j")) return {};
  for (const std::string_view part : {"cycles_per_sample", "cpu_hz", "kappa"}) {
    if (layout.has(part)) {
      return Error{
          fmt::format("{}: columns compute_energy_j and {}: give either the energy or "
                      "what it is computed from",
                      where, part)};
    }
  }
  return {};
}

Result<Layout> ReadLayout(const base::CsvReader& csv) {
  Layout layout;
  for (const std::string& name : csv.header()) {
    const auto known = std::find_if(kFileColumns.begin(), kFileColumns.end(),
                                    [&](const FileColumn& column) { return column.name == name; });
    const auto column = static_cast<std::size_t>(known - kFileColumns.begin());
    if (column == Layout::kId && name != kIdColumn) return UnknownColumn(csv.Where(), name);
    if (std::count(layout.columns.begin(), layout.columns.end(), column) > 0) {
      return Error{fmt::format("{}: column {} appears twice", csv.Where(), name)};
    }
    layout.columns.push_back(column);
  }
  if (const auto status = CheckChoice(csv.Where(), layout); !status) return status.error();
  return layout;
}

// Says why a number cannot stand in a column.
std::string BoundOf(const FileColumn& column, double value) {
  if (!std::isfinite(value)) return "must be a finite number";
  if (value > kLargestInput) return fmt::format("must be <= {}", kLargestInput);
  if (column.may_be_zero) {
    return value < 0 ? "must be >= 0" : fmt::format("must be 0 or >= {}", kSmallestInput);
  }
  return value <= 0 ? "must be > 0" : fmt::format("must be >= {}", kSmallestInput);
}

Error BadValue(const std::string& where, const FileColumn& column, std::string_view text) {
  if (text.empty()) return {fmt::format("{}: {} is missing", where, column.name)};
  if (const auto value = base::ParseNumber(text)) {
    return {fmt::format("{}: {} = {}: {}", where, column.name, text, BoundOf(column, *value))};
  }
  return {fmt::format("{}: {} = {}: must be a number", where, column.name, base::Quoted(text))};
}

Status ReadRow(const base::CsvReader& csv, const Layout& layout, FleetRows& rows) {
  const auto fields = csv.fields();
  for (std::size_t f = 0; f < layout.columns.size(); ++f) {
    if (layout.columns[f] == Layout::kId) {
      if (fields[f].empty()) return Error{fmt::format("{}: id is missing", csv.Where())};
      if (std::any_of(fields[f].begin(), fields[f].end(), base::IsControl)) {
        return Error{fmt::format("{}: id = {}: must not have control characters", csv.Where(),
                                 base::Quoted(fields[f]))};
      }
      rows.ids.Append(fields[f]);
      continue;
    }
    const FileColumn& column = kFileColumns[layout.columns[f]];
    const auto value = base::ParseNumber(fields[f]);
    if (!value || !IsInput(*value, column.may_be_zero)) {
      return BadValue(csv.Where(), column, fields[f]);
    }
    (rows.*column.values).push_back(*value);
  }
  return {};
}

// Makes room for all rows, judged from the first ones, so that a large file is not copied as it
// grows.
void Reserve(const base::CsvReader& csv, const Layout& layout, FleetRows& rows) {
  if (csv.bytes_read() == 0) return;
  const double expected = 1.02 * static_cast<double>(rows.devices) *
                          static_cast<double>(csv.file_size()) /
                          static_cast<double>(csv.bytes_read());
  for (const std::size_t column : layout.columns) {
    if (column == Layout::kId) continue;
    (rows.*kFileColumns[column].values).reserve(static_cast<std::size_t>(expected));
  }
}

}  // namespace

Result<FleetRows> ReadFleetRows(const std::string& path,
                                const std::function<void(double)>& progress) {
  if (auto status = fleet::CheckMemoryForFile(path); !status) return status.error();
  auto csv = base::CsvReader::Open(path);
  if (!csv) return csv.error();
  const auto layout = ReadLayout(*csv);
  if (!layout) return layout.error();
  constexpr std::size_t kRowsPerLook = 1 << 16, kIdBytesPerLook = 1 << 22;
  std::size_t next_look_bytes = kIdBytesPerLook;
  FleetRows rows{.origin = path};
  while (true) {
    const auto more = csv->Next();
    if (!more) return more.error();
    if (!*more) break;
    if (const auto status = ReadRow(*csv, *layout, rows); !status) return status.error();
    if (++rows.devices == kRowsPerLook) Reserve(*csv, *layout, rows);
    const std::size_t id_bytes = rows.ids.bytes();
    if (rows.devices % kRowsPerLook != 0 && id_bytes < next_look_bytes) continue;
    next_look_bytes = id_bytes + kIdBytesPerLook;
    if (auto status = fleet::CheckMemoryOfRows(path, rows.devices, id_bytes); !status) {
      return status.error();
    }
    if (progress && csv->file_size() > 0) {
      progress(static_cast<double>(csv->bytes_read()) / static_cast<double>(csv->file_size()));
    }
  }
  if (rows.devices == 0) return Error{fmt::format("{}: has a header but no devices", path)};
  return rows;
}

}  // namespace airlot
