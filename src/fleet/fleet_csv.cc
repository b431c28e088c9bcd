// Reading a fleet file (docs/formats.md).
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
#include "fleet/complete.h"

namespace airlot {
namespace {

using fleet::GivenColumns;

// A column that a fleet file may have.
struct FileColumn {
  std::string_view name;
  Values GivenColumns::*values;
  bool may_be_zero;
};

constexpr std::array kFileColumns{
    FileColumn{"distance_m", &GivenColumns::distance_m, true},
    FileColumn{"noise_to_gain_w", &GivenColumns::noise_to_gain_w, false},
    FileColumn{"bandwidth_hz", &GivenColumns::bandwidth_hz, false},
    FileColumn{"max_power_w", &GivenColumns::max_power_w, false},
    FileColumn{"energy_budget_j", &GivenColumns::energy_budget_j, true},
    FileColumn{"compute_energy_j", &GivenColumns::compute_energy_j, true},
    FileColumn{"compute_time_s", &GivenColumns::compute_time_s, true},
    FileColumn{"samples", &GivenColumns::samples, true},
    FileColumn{"cycles_per_sample", &GivenColumns::cycles_per_sample, true},
    FileColumn{"cpu_hz", &GivenColumns::cpu_hz, false},
    FileColumn{"kappa", &GivenColumns::kappa, true},
    FileColumn{"update_bits", &GivenColumns::update_bits, false},
    FileColumn{"time_limit_s", &GivenColumns::time_limit_s, false},
    FileColumn{"receive_energy_j", &GivenColumns::receive_energy_j, true},
    FileColumn{"battery_j", &GivenColumns::battery_j, false},
    FileColumn{"harvest_w", &GivenColumns::harvest_w, true},
};
constexpr std::string_view kIdColumn = "id";

// What the columns of one file are: an index into kFileColumns each, or the id.
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

// Why a number cannot stand in a column.
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

Status ReadRow(const base::CsvReader& csv, const Layout& layout, GivenColumns& given,
               DeviceIds& ids) {
  const auto fields = csv.fields();
  for (std::size_t f = 0; f < layout.columns.size(); ++f) {
    if (layout.columns[f] == Layout::kId) {
      if (fields[f].empty()) return Error{fmt::format("{}: id is missing", csv.Where())};
      if (std::any_of(fields[f].begin(), fields[f].end(), base::IsControl)) {
        return Error{fmt::format("{}: id = {}: must not have control characters", csv.Where(),
                                 base::Quoted(fields[f]))};
      }
      ids.Append(fields[f]);
      continue;
    }
    const FileColumn& column = kFileColumns[layout.columns[f]];
    const auto value = base::ParseNumber(fields[f]);
    if (!value || !IsInput(*value, column.may_be_zero)) {
      return BadValue(csv.Where(), column, fields[f]);
    }
    (given.*column.values).push_back(*value);
  }
  return {};
}

// Room for all rows, judged from the first ones, so that a large file is not copied as it grows.
void Reserve(const base::CsvReader& csv, const Layout& layout, std::size_t rows,
             GivenColumns& given) {
  if (csv.bytes_read() == 0) return;
  const double expected = 1.02 * static_cast<double>(rows) * static_cast<double>(csv.file_size()) /
                          static_cast<double>(csv.bytes_read());
  for (const std::size_t column : layout.columns) {
    if (column == Layout::kId) continue;
    (given.*kFileColumns[column].values).reserve(static_cast<std::size_t>(expected));
  }
}

}  // namespace

Result<Fleet> ReadFleet(const std::string& path, const FleetDefaults& defaults, int threads,
                        const std::function<void(double)>& progress) {
  auto csv = base::CsvReader::Open(path);
  if (!csv) return csv.error();
  const auto layout = ReadLayout(*csv);
  if (!layout) return layout.error();
  if (layout->has("harvest_w") && !layout->has("battery_j") && !defaults.model.battery_j) {
    return Error{
        fmt::format("{}: column harvest_w: there is no battery to charge: add battery_j, "
                    "or set fleet.battery_j",
                    csv->Where())};
  }

  constexpr std::size_t kRowsPerReport = 1 << 16;
  GivenColumns given;
  DeviceIds ids;
  std::size_t rows = 0;
  while (true) {
    const auto more = csv->Next();
    if (!more) return more.error();
    if (!*more) break;
    if (const auto status = ReadRow(*csv, *layout, given, ids); !status) return status.error();
    if (++rows == kRowsPerReport) Reserve(*csv, *layout, rows, given);
    if (progress && rows % kRowsPerReport == 0 && csv->file_size() > 0) {
      progress(static_cast<double>(csv->bytes_read()) / static_cast<double>(csv->file_size()));
    }
  }
  if (rows == 0) return Error{fmt::format("{}: has a header but no devices", path)};
  auto fleet = fleet::Complete(rows, std::move(given), defaults, threads);
  if (!fleet) return fleet;
  fleet->ids = std::move(ids);
  if (layout->has("distance_m") && !layout->has("noise_to_gain_w")) {
    if (auto status = fleet::CheckDistances(*fleet, defaults.radio, path); !status)
      return status.error();
  }
  if (auto status = fleet::CheckDerived(*fleet, path); !status) return status.error();
  return fleet;
}

}  // namespace airlot
