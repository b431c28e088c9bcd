#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/fleet.h"
#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/in_order.h"
#include "base/npz_columns.h"
#include "base/shards.h"
#include "base/text.h"
#include "fleet/fleet_npz.h"

namespace airlot {
namespace {

struct WrittenColumn {
  std::string_view name;
  ColumnView values;
};

// The channel and the energy are written as they are, not what they were derived from. The distance
// follows from a place, where there is one.
std::vector<WrittenColumn> ColumnsOf(const Fleet& fleet) {
  std::vector<WrittenColumn> columns;
  if (fleet.places) {
    columns.push_back({"x_m", fleet.places->x_m});
    columns.push_back({"y_m", fleet.places->y_m});
  } else if (fleet.distance_m) {
    columns.push_back({"distance_m", *fleet.distance_m});
  }
  columns.push_back({"noise_to_gain_w", fleet.noise_to_gain_w});
  columns.push_back({"bandwidth_hz", fleet.bandwidth_hz});
  columns.push_back({"noise_band_hz", fleet.bandwidth_hz});  // so that it goes with the noise
  columns.push_back({"update_bits", fleet.update_bits});
  columns.push_back({"max_power_w", fleet.max_power_w});
  columns.push_back({"energy_budget_j", fleet.energy_budget_j});
  columns.push_back({"compute_energy_j", fleet.compute_energy_j});
  if (fleet.samples) columns.push_back({"samples", *fleet.samples});
  if (fleet.compute_time_s) columns.push_back({"compute_time_s", *fleet.compute_time_s});
  columns.push_back({"time_limit_s", fleet.time_limit_s});
  columns.push_back({"receive_energy_j", fleet.ReceiveEnergy()});
  if (fleet.batteries) {
    columns.push_back({"battery_j", fleet.batteries->capacity_j});
    columns.push_back({"harvest_w", fleet.batteries->harvest_w});
  }
  return columns;
}

}  // namespace

Status WriteFleet(const std::string& path, const Fleet& fleet, int threads) {
  const auto columns = ColumnsOf(fleet);
  if (base::IsNpz(path)) {
    auto ids = fleet::NpzIds(path, fleet.ids, fleet.devices, threads);
    if (!ids) return ids.error();
    std::vector<base::NpzColumn> arrays{std::move(*ids)};
    for (const auto& [name, values] : columns) arrays.push_back(base::NumberColumn(name, values));
    return base::WriteNpz(path, fleet.devices, arrays, threads);
  }
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  std::string header = "id";
  for (const WrittenColumn& column : columns) (header += ',') += column.name;
  file->Append(header + "\n");
  const auto make = [&](std::size_t task, std::string& rows) {
    rows.clear();
    std::string id_buffer;
    const std::size_t end = std::min(fleet.devices, (task + 1) * base::kShardSize);
    for (std::size_t i = task * base::kShardSize; i < end; ++i) {
      base::AppendCsvField(rows, fleet.ids.Get(i, id_buffer));
      for (const WrittenColumn& column : columns) {
        rows += ',';
        base::AppendNumber(rows, column.values[i]);
      }
      rows += '\n';
    }
  };
  base::ForEachInOrder(base::ShardCount(fleet.devices), threads, make,
                       [&](std::size_t, std::string_view rows) { file->Append(rows); });
  return file->Commit();
}

}  // namespace airlot
