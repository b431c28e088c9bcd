// This file reads a fleet file (docs/formats.md).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "airlot/fleet.h"
#include "base/csv.h"
#include "base/text.h"
#include "fleet/duplicate_ids.h"
#include "fleet/file_columns.h"
#include "fleet/fleet_memory.h"

namespace airlot {
namespace {

using fleet::FileColumn;
using fleet::FileColumns;
using fleet::FileLayout;

Error BadValue(const std::string& where, const FileColumn& column, std::string_view text) {
  if (text.empty()) return {fmt::format("{}: {} is missing", where, column.name)};
  if (const auto value = base::ParseNumber(text)) {
    return {fmt::format("{}: {} = {}: {}", where, column.name, text,
                        fleet::BoundOf(column.range, *value))};
  }
  return {fmt::format("{}: {} = {}: must be a number", where, column.name, base::Quoted(text))};
}

Status ReadRow(const base::CsvReader& csv, const FileLayout& layout, FleetRows& rows) {
  const auto fields = csv.fields();
  for (std::size_t f = 0; f < layout.columns.size(); ++f) {
    if (layout.columns[f] == FileLayout::kId) {
      if (fields[f].empty()) return Error{fmt::format("{}: id is missing", csv.Where())};
      if (std::any_of(fields[f].begin(), fields[f].end(), base::IsControl)) {
        return Error{fmt::format("{}: id = {}: must not have control characters", csv.Where(),
                                 base::Quoted(fields[f]))};
      }
      rows.ids.Append(fields[f]);
      continue;
    }
    if (layout.columns[f] == FileLayout::kIgnored) continue;
    const FileColumn& column = FileColumns()[layout.columns[f]];
    const auto value = base::ParseNumber(fields[f]);
    if (!value || !fleet::IsIn(column.range, *value)) {
      return BadValue(csv.Where(), column, fields[f]);
    }
    (rows.*column.values).push_back(*value);
  }
  return {};
}

// Makes room for all rows, judged from the first ones, so that a large file is not copied as it
// grows.
void Reserve(const base::CsvReader& csv, const FileLayout& layout, FleetRows& rows) {
  if (csv.bytes_read() == 0) return;
  const double expected = 1.02 * static_cast<double>(rows.devices) *
                          static_cast<double>(csv.file_size()) /
                          static_cast<double>(csv.bytes_read());
  for (const std::size_t column : layout.columns) {
    if (column == FileLayout::kId || column == FileLayout::kIgnored) continue;
    (rows.*FileColumns()[column].values).reserve(static_cast<std::size_t>(expected));
  }
}

}  // namespace

Result<FleetRows> ReadFleetRows(const std::string& path,
                                const std::function<void(double)>& progress,
                                UnknownColumns unknown) {
  if (auto status = fleet::CheckMemoryForFile(path); !status) return status.error();
  auto csv = base::CsvReader::Open(path);
  if (!csv) return csv.error();
  const auto layout = fleet::ReadFileLayout(csv->header(), csv->Where(), unknown);
  if (!layout) return layout.error();
  constexpr std::size_t kRowsPerLook = 1 << 16, kIdBytesPerLook = 1 << 22;
  std::size_t next_look_bytes = kIdBytesPerLook;
  FleetRows rows{.origin = path, .ignored = layout->ignored};
  while (true) {
    const auto more = csv->Next();
    if (!more) return more.error();
    if (!*more) break;
    if (const auto status = ReadRow(*csv, *layout, rows); !status) return status.error();
    rows.lines.Append(csv->line());
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
  if (auto status = fleet::CheckIds(path, rows.ids, rows.lines); !status) return status.error();
  return rows;
}

}  // namespace airlot
