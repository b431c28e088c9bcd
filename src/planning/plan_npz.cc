// This file writes and reads plans as columns of NumPy (docs/formats.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/npz_columns.h"
#include "base/text.h"
#include "fleet/fleet_memory.h"
#include "fleet/fleet_npz.h"
#include "planning/plan_columns.h"

namespace airlot::planning {
namespace {

using base::ElementType;
using base::NpzArray;
using base::NpzReader;

std::size_t LongestLimitName() {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    longest = std::max(longest, LimitName(static_cast<Limit>(i)).size());
  }
  return longest;
}

// Returns the column of limits, whose names it copies from a table in which all have the same
// width. The simple form is a `TextColumn`, which fills up each text with zeros on its own; a plan
// of 10 million devices spent 8 % of its processor time on its texts.
base::NpzColumn LimitColumn(const std::vector<Limit>& limits) {
  const std::size_t width = LongestLimitName();
  std::string table(kLimitCount * width, '\0');
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    std::ranges::copy(LimitName(static_cast<Limit>(i)), table.begin() + std::ptrdiff_t(i * width));
  }
  return {.name = std::string(kPlanColumns[6]),
          .type = fmt::format("|S{}", width),
          .element_bytes = width,
          .put = [&limits, width, table](std::size_t begin, std::size_t end, char* out) {
            for (std::size_t i = begin; i < end; ++i, out += width) {
              std::memcpy(out, table.data() + static_cast<std::size_t>(limits[i]) * width, width);
            }
          }};
}

Error WrongValue(const NpzArray& array, std::size_t row, double value, std::string_view bound) {
  return {fmt::format("{} = {}: {}", array.Where(row), base::FormatNumber(value), bound)};
}

Error WrongType(const NpzArray& array, std::string_view wanted) {
  return {fmt::format("{}: has the type {}: must be {}", array.where,
                      base::TypeInWords(array.header.type), wanted)};
}

// Reads the numbers of an array, each from 0 to `most`, or NaN where that means none.
Status ReadNumbers(const NpzReader& file, const NpzArray& array, double most, bool may_be_nan,
                   int threads, ColumnValues& values) {
  if (!array.type.IsNumber()) return WrongType(array, "little-endian floats, such as \"<f8\"");
  return file.Read(array, threads, [&](std::size_t first, std::string_view bytes) -> Status {
    double* const begin = values.data() + first;
    base::ToDoubles(array.type, bytes, begin);
    for (std::size_t i = 0; i < bytes.size() / array.type.bytes; ++i) {
      if ((begin[i] >= 0 && begin[i] <= most) || (may_be_nan && std::isnan(begin[i]))) continue;
      return WrongValue(array, first + i, begin[i], BoundOf(begin[i], most));
    }
    return {};
  });
}

Status ReadLimits(const NpzReader& file, const NpzArray& array, int threads,
                  std::vector<Limit>& limits) {
  if (array.type.kind != ElementType::Kind::kBytes || array.type.bytes == 0) {
    return WrongType(array, "the names of limits as texts of bytes, such as \"|S6\"");
  }
  const std::size_t width = array.type.bytes;
  return file.Read(array, threads, [&](std::size_t first, std::string_view bytes) -> Status {
    for (std::size_t i = 0; i < bytes.size() / width; ++i) {
      std::string_view name = bytes.substr(i * width, width);
      name = name.substr(0, name.find_last_not_of('\0') + 1);
      const auto limit = LimitByName(name);
      if (!limit) {
        return Error{fmt::format("{} = {}: must be the name of a limit, such as {}",
                                 array.Where(first + i), base::Quoted(name),
                                 LimitName(Limit::kEnergy))};
      }
      limits[first + i] = *limit;
    }
    return {};
  });
}

Status ReadRateRows(const NpzReader& file, const NpzArray& array, int threads,
                    std::vector<std::size_t>& mcs_row) {
  if (!array.type.IsWhole()) return WrongType(array, "integers, such as int64 (\"<i8\")");
  ColumnValues values(array.rows);
  if (auto status =
          ReadNumbers(file, array, static_cast<double>(kMostRateRows), false, threads, values);
      !status) {
    return status;
  }
  std::ranges::transform(values, mcs_row.begin(),
                         [](double value) { return static_cast<std::size_t>(value); });
  return {};
}

// Checks what columns say together: no power at probability 0, and all needs of a device or none.
Status CheckRows(const std::string& path, const PlanFile& file) {
  for (std::size_t i = 0; i < file.limits.size(); ++i) {
    if (file.plan.probability[i] == 0 && file.plan.power_w[i] != 0) {
      return Error{fmt::format("{}: power_w[{}] = {}: must be 0 where the probability is 0", path,
                               i, base::FormatNumber(file.plan.power_w[i]))};
    }
    if (!file.needs) continue;
    const bool has_none = std::isnan(file.needs->energy_budget_needed_j[i]);
    for (const ColumnValues* const need :
         {&file.needs->time_limit_needed_s, &file.needs->max_power_needed_w}) {
      if (std::isnan((*need)[i]) == has_none) continue;
      return Error{fmt::format(
          "{}: {}[{}] = {}: must be nan where the other needs are, and only "
          "then",
          path, need == &file.needs->time_limit_needed_s ? kNeedColumns[1] : kNeedColumns[2], i,
          base::FormatNumber((*need)[i]))};
    }
  }
  return {};
}

}  // namespace

Status WriteNpzPlan(const std::string& path, const DeviceIds& ids, const PlanView& plan,
                    const PlanFile& columns, const Hands& hands,
                    const std::function<void(double)>& progress) {
  const std::size_t devices = columns.limits.size();
  auto id_column = fleet::NpzIds(path, ids, devices, hands);
  if (!id_column) return id_column.error();
  std::vector<base::NpzColumn> arrays{std::move(*id_column)};
  const auto add = [&](std::string_view name, ColumnView values) {
    arrays.push_back(base::NumberColumn(name, values));
  };
  add(kPlanColumns[1], plan.probability);
  add(kPlanColumns[2], plan.power_w);
  add(kPlanColumns[3], columns.rate_bps);
  add(kPlanColumns[4], columns.upload_s);
  add(kPlanColumns[5], columns.energy_j);
  arrays.push_back(LimitColumn(columns.limits));
  if (columns.bandwidth_hz) add(kBandColumn, *columns.bandwidth_hz);
  if (columns.mcs_row) {
    arrays.push_back(base::WholeNumberColumn(kRateRowColumn, [&](std::size_t i) {
      return static_cast<std::int64_t>((*columns.mcs_row)[i]);
    }));
  }
  if (columns.needs) {
    add(kNeedColumns[0], columns.needs->energy_budget_needed_j);
    add(kNeedColumns[1], columns.needs->time_limit_needed_s);
    add(kNeedColumns[2], columns.needs->max_power_needed_w);
  }
  return base::WriteNpz(path, devices, arrays, hands, progress);
}

Result<PlanFile> ReadNpzPlan(const std::string& path, const std::function<void(double)>& progress,
                             int threads) {
  const auto file = NpzReader::Open(path);
  if (!file) return file.error();
  const auto layout = ReadPlanLayout(file->names(), path);
  if (!layout) return layout.error();
  std::vector<NpzArray> arrays;
  for (std::size_t i = 0; i < file->names().size(); ++i) {
    auto array = file->Look(i);
    if (!array) return array.error();
    arrays.push_back(std::move(*array));
    if (arrays[i].rows == arrays[0].rows) continue;
    return Error{fmt::format("{}: has {} elements, but {} has {}: all need one for each device",
                             arrays[i].where, arrays[i].rows, file->names()[0], arrays[0].rows)};
  }
  const std::size_t devices = arrays[0].rows;
  if (devices == 0) return Error{fmt::format("{}: has columns but no devices", path)};
  if (auto status = fleet::CheckMemoryOfRows(path, devices, devices * arrays[0].type.bytes);
      !status) {
    return status.error();
  }
  PlanFile plan;
  Resize(plan, *layout, devices);
  std::size_t next = 0;  // the array to be read
  Status status;
  const auto read = [&](const auto& read_one) {
    if (status) status = read_one(arrays[next++]);
    if (progress) progress(static_cast<double>(next) / static_cast<double>(arrays.size()));
  };
  const auto read_numbers = [&](double most, bool may_be_nan, ColumnValues& values) {
    read([&](const NpzArray& array) {
      return ReadNumbers(*file, array, most, may_be_nan, threads, values);
    });
  };
  read([&](const NpzArray& array) -> Status {
    auto ids = fleet::ReadNpzIds(*file, array, {.count = array.rows}, threads);
    if (!ids) return ids.error();
    plan.ids = std::move(*ids);
    return {};
  });
  for (ColumnValues* const values : NumbersOf(plan)) {
    read_numbers(next == 1 ? kLargestProbability : kLargestNumber, false, *values);
  }
  read([&](const NpzArray& array) { return ReadLimits(*file, array, threads, plan.limits); });
  if (plan.bandwidth_hz) read_numbers(kLargestNumber, false, *plan.bandwidth_hz);
  if (plan.mcs_row) {
    read([&](const NpzArray& array) { return ReadRateRows(*file, array, threads, *plan.mcs_row); });
  }
  if (plan.needs) {
    for (ColumnValues* const values : NumbersOf(*plan.needs)) {
      read_numbers(kLargestNeed, true, *values);
    }
  }
  if (!status) return status.error();
  if (auto checked = CheckRows(path, plan); !checked) return checked.error();
  return plan;
}

}  // namespace airlot::planning
