// This file reads a fleet file that is CSV (docs/formats.md).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "airlot/fleet.h"
#include "base/csv_blocks.h"
#include "base/gather.h"
#include "base/npz_columns.h"
#include "base/text.h"
#include "fleet/csv_ids.h"
#include "fleet/duplicate_ids.h"
#include "fleet/file_columns.h"
#include "fleet/fleet_memory.h"
#include "fleet/fleet_npz.h"
#include "fleet/growing_rows.h"

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

// The rows are read in blocks, by several threads.
class CsvFleet {
 public:
  CsvFleet(const std::string& path, const FileLayout& layout)
      : layout_(layout), rows_{.origin = path, .ignored = layout.ignored} {}

  // Prepares for the rows of the next block.
  Status Begin(const base::CsvBlocks& csv, const base::CsvBlock& block) {
    rows_.devices = block.first_row() + block.rows();
    for (const auto& run : block.runs()) rows_.lines.Append(run.first_line, run.rows);
    if (auto status = fleet::CheckMemoryOfRows(rows_.origin, rows_.devices, ids_.bytes());
        !status) {
      return status;
    }
    room_.MakeFor(csv, rows_.devices, [&](std::size_t rows) {
      ForEachColumn([&](ColumnValues& values) { values.resize(rows); });
      if (HasIds()) ids_.Resize(rows);
    });
    return {};
  }

  Status Take(base::CsvBlock& block) {
    const auto use = room_.Use();
    std::string id_text;
    while (true) {
      const auto more = block.Next();
      if (!more) return more.error();
      if (!*more) break;
      if (auto status = TakeRow(block, id_text); !status) return status;
    }
    ids_.Keep(block, std::move(id_text));
    return {};
  }

  // Returns all rows; nothing may be called afterwards.
  FleetRows Finish(int threads) {
    ForEachColumn([&](ColumnValues& values) { values.resize(rows_.devices); });
    if (HasIds()) rows_.ids = ids_.Finish(rows_.devices, threads);
    return std::move(rows_);
  }

 private:
  bool HasIds() const { return layout_.Has(fleet::kIdColumn); }

  template <class Work>
  void ForEachColumn(const Work& work) {
    for (const std::size_t column : layout_.columns) {
      if (column == FileLayout::kId || column == FileLayout::kIgnored) continue;
      work(rows_.*FileColumns()[column].values);
    }
  }

  Status TakeRow(const base::CsvBlock& block, std::string& id_text) {
    const auto fields = block.fields();
    for (std::size_t f = 0; f < layout_.columns.size(); ++f) {
      if (layout_.columns[f] == FileLayout::kId) {
        if (auto status = fleet::CheckId(fields[f]); !status) {
          return Error{fmt::format("{}: {}", block.Where(), status.error().message)};
        }
        ids_.Take(block.row(), fields[f], id_text);
        continue;
      }
      if (layout_.columns[f] == FileLayout::kIgnored) continue;
      const FileColumn& column = FileColumns()[layout_.columns[f]];
      const auto value = base::ParseNumber(fields[f]);
      if (!value || !fleet::IsIn(column.range, *value)) {
        return BadValue(block.Where(), column, fields[f]);
      }
      (rows_.*column.values)[block.row()] = *value;
    }
    return {};
  }

  const FileLayout& layout_;
  FleetRows rows_;
  fleet::CsvIds ids_;
  fleet::GrowingRows room_;
};

// Reads the rows of this process, and looks at nothing that others have.
Result<FleetRows> ReadOwnRows(const std::string& path, const std::function<void(double)>& progress,
                              UnknownColumns unknown, int threads, const FleetPart* part) {
  if (auto status = part == nullptr ? fleet::CheckMemoryForFile(path)
                                    : fleet::CheckMemoryOfRows(path, part->devices, 0);
      !status) {
    return status.error();
  }
  auto csv = part == nullptr ? base::CsvBlocks::Open(path)
                             : base::CsvBlocks::OpenPart(
                                   path, {part->first_byte, part->end_byte, part->lines_before});
  if (!csv) return csv.error();
  const auto layout = fleet::ReadFileLayout(csv->header(), csv->HeaderPlace(), unknown);
  if (!layout) return layout.error();
  CsvFleet reading(path, *layout);
  const auto status = csv->ForEach(
      threads,
      [&](const base::CsvBlock& block) {
        if (progress && csv->file_size() > 0) {
          progress(static_cast<double>(csv->bytes_read()) / static_cast<double>(csv->file_size()));
        }
        return reading.Begin(*csv, block);
      },
      [&](base::CsvBlock& block) { return reading.Take(block); });
  if (!status) return status.error();
  FleetRows rows = reading.Finish(threads);
  if (rows.devices == 0) return Error{fmt::format("{}: has a header but no devices", path)};
  if (part != nullptr && rows.devices != part->devices) {
    return Error{fmt::format("{}: has changed while it was read", path)};
  }
  if (part != nullptr) {
    rows.first_device = part->first_device;
    if (rows.ids.empty()) rows.ids = DeviceIds::RowNumbersFrom(part->first_device);
  }
  return rows;
}

Result<FleetRows> ReadCsvRows(const std::string& path, const std::function<void(double)>& progress,
                              UnknownColumns unknown, const Hands& hands, const FleetPart* part) {
  auto rows = ReadOwnRows(path, progress, unknown, hands.threads, part);
  if (auto status = base::AgreeOn(hands, rows ? Status() : rows.error()); !status) {
    return status.error();
  }
  if (auto unique = fleet::CheckIds(path, rows->ids, rows->lines, hands); !unique) {
    return unique.error();
  }
  return rows;
}

}  // namespace

Result<FleetRows> ReadFleetRows(const std::string& path,
                                const std::function<void(double)>& progress, UnknownColumns unknown,
                                const Hands& hands, const FleetPart* part) {
  return base::IsNpz(path) ? fleet::ReadNpzRows(path, progress, unknown, hands, part)
                           : ReadCsvRows(path, progress, unknown, hands, part);
}

}  // namespace airlot
