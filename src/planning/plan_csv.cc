// This file writes and reads plans as CSV (docs/formats.md).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/plan_file.h"
#include "base/check.h"
#include "base/csv.h"
#include "base/csv_blocks.h"
#include "base/gather.h"
#include "base/in_order.h"
#include "base/npz_columns.h"
#include "base/shards.h"
#include "base/team_file.h"
#include "base/text.h"
#include "fleet/csv_ids.h"
#include "fleet/duplicate_ids.h"
#include "fleet/fleet_memory.h"
#include "fleet/growing_rows.h"
#include "planning/plan_columns.h"
#include "planning/shape.h"

namespace airlot {
namespace {

using planning::kPlanColumns;
using planning::kRateRowColumn;
using planning::PlanLayout;

bool IsBandSplit(const Fleet& fleet) { return fleet.band_sharing != BandSharing::kEqual; }

// A PlanRow is what a plan file says of a device, beside its id.
struct PlanRow {
  double probability, power_w, rate_bps, upload_s, energy_j;
  Limit limit;
  std::optional<double> bandwidth_hz;
  std::optional<std::size_t> mcs_row;  // counted from 1; 0: none
  // These are the needs in the order of kNeedColumns; NaN: it has none.
  std::optional<std::array<double, 3>> needs = {};
};

// Returns what a shortfall says of the needs of a device; null: it reaches the probability.
std::array<double, 3> NeedsOf(const Shortfall* shortfall) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (shortfall == nullptr) return {kNone, kNone, kNone};
  return {shortfall->energy_budget_needed_j, shortfall->time_limit_needed_s,
          shortfall->max_power_needed_w};
}

PlanRow RowOf(const Fleet& fleet, const PlanningProblem& problem, const PlanView& plan,
              std::size_t i) {
  const Participation once = Describe(problem, plan, i);
  std::optional<std::size_t> mcs_row;
  if (problem.steps.has_rates()) {
    const auto row = RateRowOf(problem, i, plan.power_w[i]);
    mcs_row = row ? *row + 1 : 0;
  }
  return {.probability = plan.probability[i],
          .power_w = plan.power_w[i],
          .rate_bps = once.upload_s > 0 ? fleet.update_bits[i] / once.upload_s : 0,
          .upload_s = once.upload_s,
          .energy_j = once.energy_j,
          .limit = once.limit,
          .bandwidth_hz =
              IsBandSplit(fleet) ? std::optional<double>(fleet.bandwidth_hz[i]) : std::nullopt,
          .mcs_row = mcs_row};
}

PlanRow RowOf(const PlanFile& rows, std::size_t i) {
  return {.probability = rows.plan.probability[i],
          .power_w = rows.plan.power_w[i],
          .rate_bps = rows.rate_bps[i],
          .upload_s = rows.upload_s[i],
          .energy_j = rows.energy_j[i],
          .limit = rows.limits[i],
          .bandwidth_hz =
              rows.bandwidth_hz ? std::optional<double>((*rows.bandwidth_hz)[i]) : std::nullopt,
          .mcs_row = rows.mcs_row ? std::optional((*rows.mcs_row)[i]) : std::nullopt,
          .needs = rows.needs ? std::optional(std::array{rows.needs->energy_budget_needed_j[i],
                                                         rows.needs->time_limit_needed_s[i],
                                                         rows.needs->max_power_needed_w[i]})
                              : std::nullopt};
}

void AppendRow(std::string& out, std::string_view id, const PlanRow& row) {
  base::AppendCsvField(out, id);
  for (const double value :
       {row.probability, row.power_w, row.rate_bps, row.upload_s, row.energy_j}) {
    out += ',';
    base::AppendNumber(out, value);
  }
  out += ',';
  out += LimitName(row.limit);
  if (row.bandwidth_hz) {
    out += ',';
    base::AppendNumber(out, *row.bandwidth_hz);
  }
  if (row.mcs_row) fmt::format_to(std::back_inserter(out), ",{}", *row.mcs_row);
  for (std::size_t i = 0; row.needs && i < row.needs->size(); ++i) {
    out += ',';
    if (!std::isnan((*row.needs)[i])) base::AppendNumber(out, (*row.needs)[i]);
  }
  out += '\n';
}

// Writes the rows that `row_of` makes, on any thread. A member of a team makes its rows twice: to
// know where those of the next one begin, and to write them.
template <class RowOfDevice>
Status WriteRows(const std::string& path, const PlanLayout& layout, std::size_t devices,
                 const DeviceIds& ids, const RowOfDevice& row_of,
                 const std::function<void(double)>& progress, const Hands& hands) {
  auto file = base::TeamFile::Create(path, hands);
  if (!file) return file.error();
  const std::size_t shards = base::ShardCount(devices);
  const auto make = [&](std::size_t shard, std::string& rows) {
    rows.clear();
    std::string id_buffer;
    const std::size_t end = std::min(devices, (shard + 1) * base::kShardSize);
    for (std::size_t i = shard * base::kShardSize; i < end; ++i) {
      AppendRow(rows, ids.Get(i, id_buffer), row_of(i));
    }
  };
  const std::string header = fmt::format("{}\n", fmt::join(ColumnsOf(layout), ","));
  std::size_t own_bytes = hands.is_first() ? header.size() : 0;
  if (hands.team != nullptr) {
    std::vector<std::size_t> sizes(shards);
    std::vector<std::string> buffers(static_cast<std::size_t>(hands.threads));
    base::ForEachTask(shards, hands.threads, [&](std::size_t shard, std::size_t worker) {
      make(shard, buffers[worker]);
      sizes[shard] = buffers[worker].size();
    });
    own_bytes = std::accumulate(sizes.begin(), sizes.end(), own_bytes);
  }
  file->GoTo(base::SumOfEarlierMembers(hands, own_bytes));
  if (hands.is_first()) file->Append(header);
  base::ForEachInOrder(shards, hands.threads, make, [&](std::size_t shard, std::string_view rows) {
    file->Append(rows);
    if (progress) progress(static_cast<double>(shard + 1) / static_cast<double>(shards));
  });
  return file->Commit();
}

// Makes the columns of the rows that `row_of` makes, but for probabilities and powers.
template <class RowOfDevice>
PlanFile ColumnsOfRows(const PlanLayout& layout, std::size_t devices, const RowOfDevice& row_of,
                       int threads) {
  PlanFile columns;
  planning::Resize(columns, layout, devices);
  columns.plan.probability = columns.plan.power_w = {};
  base::ForEachShard(devices, threads, [&](const base::Shard& shard) {
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      const PlanRow row = row_of(i);
      columns.rate_bps[i] = row.rate_bps;
      columns.upload_s[i] = row.upload_s;
      columns.energy_j[i] = row.energy_j;
      columns.limits[i] = row.limit;
      if (row.bandwidth_hz) (*columns.bandwidth_hz)[i] = *row.bandwidth_hz;
      if (row.mcs_row) (*columns.mcs_row)[i] = *row.mcs_row;
      if (!row.needs) continue;
      const auto needs = planning::NumbersOf(*columns.needs);
      for (std::size_t k = 0; k < needs.size(); ++k) (*needs[k])[i] = (*row.needs)[k];
    }
  });
  return columns;
}

// The rows are read in blocks, by several threads.
class CsvPlan {
 public:
  CsvPlan(const std::string& path, std::span<const std::string> header, const PlanLayout& layout)
      : path_(path), header_(header), layout_(layout) {}

  // Prepares for the rows of the next block.
  Status Begin(const base::CsvBlocks& csv, const base::CsvBlock& block) {
    devices_ = block.first_row() + block.rows();
    for (const auto& run : block.runs()) lines_.Append(run.first_line, run.rows);
    if (auto status = fleet::CheckMemoryOfRows(path_, devices_, ids_.bytes()); !status) {
      return status;
    }
    room_.MakeFor(csv, devices_, [&](std::size_t rows) {
      Resize(file_, layout_, rows);
      ids_.Resize(rows);
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

  // Returns the whole plan; nothing may be called afterwards.
  Result<PlanFile> Finish(int threads) {
    if (devices_ == 0) return Error{fmt::format("{}: has a header but no devices", path_)};
    Resize(file_, layout_, devices_);
    file_.ids = ids_.Finish(devices_, threads);
    if (auto status = fleet::CheckIds(path_, file_.ids, lines_, threads); !status) {
      return status.error();
    }
    return std::move(file_);
  }

 private:
  // Reads the number of a field, from 0 to `most`.
  Status ReadNumber(const base::CsvBlock& block, std::size_t field, double most,
                    double& number) const {
    const std::string_view text = block.fields()[field];
    const auto value = base::ParseNumber(text);
    const std::string bound = value ? planning::BoundOf(*value, most) : "must be a number";
    if (!bound.empty()) {
      return Error{
          fmt::format("{}: {} = {}: {}", block.Where(), header_[field], base::Quoted(text), bound)};
    }
    number = *value;
    return {};
  }

  // Reads the needs of a device from the last fields of a row: none or all of them.
  Status ReadNeeds(const base::CsvBlock& block) {
    const auto columns = planning::NumbersOf(*file_.needs);
    const auto fields = block.fields();
    const std::size_t first = fields.size() - columns.size();
    const bool has_none = fields[first].empty();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (fields[first + i].empty() != has_none) {
        return Error{
            fmt::format("{}: {} = {}: must be empty where the other needs are, and only then",
                        block.Where(), header_[first + i], base::Quoted(fields[first + i]))};
      }
      double& need = (*columns[i])[block.row()];
      need = std::numeric_limits<double>::quiet_NaN();
      if (has_none) continue;
      if (auto status = ReadNumber(block, first + i, planning::kLargestNeed, need); !status) {
        return status;
      }
    }
    return {};
  }

  // Reads the row of a table of rates.
  Status ReadRateRow(const base::CsvBlock& block, std::size_t field) {
    double row = 0;
    if (auto status = ReadNumber(block, field, double(kMostRateRows), row); !status) return status;
    if (row != std::floor(row)) {
      return Error{fmt::format("{}: {} = {}: must be a whole number", block.Where(), kRateRowColumn,
                               base::Quoted(block.fields()[field]))};
    }
    (*file_.mcs_row)[block.row()] = std::size_t(row);
    return {};
  }

  Status TakeRow(const base::CsvBlock& block, std::string& id_text) {
    const auto fields = block.fields();
    const std::size_t row = block.row();
    if (fields[0].empty()) return Error{fmt::format("{}: id is missing", block.Where())};
    const auto numbers = planning::NumbersOf(file_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double most = i == 0 ? planning::kLargestProbability : planning::kLargestNumber;
      if (auto status = ReadNumber(block, i + 1, most, (*numbers[i])[row]); !status) return status;
    }
    if (file_.plan.probability[row] == 0 && file_.plan.power_w[row] != 0) {
      return Error{fmt::format("{}: power_w = {}: must be 0 where the probability is 0",
                               block.Where(), fields[2])};
    }
    const auto limit = LimitByName(fields[6]);
    if (!limit) {
      return Error{fmt::format("{}: limit = {}: must be the name of a limit, such as {}",
                               block.Where(), base::Quoted(fields[6]), LimitName(Limit::kEnergy))};
    }
    file_.limits[row] = *limit;
    std::size_t next = kPlanColumns.size();
    if (layout_.has_band) {
      auto status = ReadNumber(block, next++, planning::kLargestNumber, (*file_.bandwidth_hz)[row]);
      if (!status) return status;
    }
    if (layout_.has_row) {
      if (auto status = ReadRateRow(block, next); !status) return status;
    }
    if (layout_.has_needs) {
      if (auto status = ReadNeeds(block); !status) return status;
    }
    ids_.Take(row, fields[0], id_text);
    return {};
  }

  const std::string& path_;
  std::span<const std::string> header_;
  PlanLayout layout_;
  std::size_t devices_ = 0;
  PlanFile file_;
  RowLines lines_;
  fleet::CsvIds ids_;
  fleet::GrowingRows room_;
};

}  // namespace

Status WritePlan(const std::string& path, const Fleet& fleet, const PlanningProblem& problem,
                 const PlanView& plan, const std::function<void(double)>& progress,
                 const FloorReport* floor, const Hands& hands) {
  planning::CheckShape(problem, plan);
  const PlanLayout layout{.has_band = IsBandSplit(fleet),
                          .has_row = problem.steps.has_rates(),
                          .has_needs = floor != nullptr};
  if (floor != nullptr) {
    AIRLOT_CHECK(floor->shortfalls.size() == floor->below, "{} of {} shortfalls are described",
                 floor->shortfalls.size(), floor->below);
  }
  const auto row_of = [&](std::size_t i) {
    PlanRow row = RowOf(fleet, problem, plan, i);
    if (floor == nullptr) return row;
    const auto found = std::ranges::lower_bound(floor->shortfalls, i, {}, &Shortfall::device);
    const bool is_below = found != floor->shortfalls.end() && found->device == i;
    row.needs = NeedsOf(is_below ? &*found : nullptr);
    return row;
  };
  if (base::IsNpz(path)) {
    const PlanFile columns = ColumnsOfRows(layout, problem.devices, row_of, hands.threads);
    return planning::WriteNpzPlan(path, fleet.ids, plan, columns, hands, progress);
  }
  return WriteRows(path, layout, problem.devices, fleet.ids, row_of, progress, hands);
}

Status WritePlan(const std::string& path, const PlanFile& rows,
                 const std::function<void(double)>& progress, const Hands& hands) {
  if (base::IsNpz(path)) {
    return planning::WriteNpzPlan(path, rows.ids, rows.plan, rows, hands, progress);
  }
  return WriteRows(
      path,
      {.has_band = rows.bandwidth_hz.has_value(),
       .has_row = rows.mcs_row.has_value(),
       .has_needs = rows.needs.has_value()},
      rows.limits.size(), rows.ids, [&](std::size_t i) { return RowOf(rows, i); }, progress, hands);
}

Result<PlanFile> ReadPlan(const std::string& path, const std::function<void(double)>& progress,
                          int threads) {
  if (base::IsNpz(path)) return planning::ReadNpzPlan(path, progress, threads);
  auto csv = base::CsvBlocks::Open(path);
  if (!csv) return csv.error();
  const auto layout = planning::ReadPlanLayout(csv->header(), csv->HeaderPlace());
  if (!layout) return layout.error();
  CsvPlan reading(path, csv->header(), *layout);
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
  return reading.Finish(threads);
}

}  // namespace airlot
