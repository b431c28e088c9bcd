#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/plan_file.h"
#include "base/atomic_file.h"
#include "base/check.h"
#include "base/csv.h"
#include "base/text.h"
#include "fleet/duplicate_ids.h"
#include "planning/shape.h"

namespace airlot {
namespace {

constexpr std::array<std::string_view, 7> kColumns{"id",       "probability", "power_w", "rate_bps",
                                                   "upload_s", "energy_j",    "limit"};
constexpr std::string_view kBandColumn = "bandwidth_hz";
constexpr std::string_view kRowColumn = "mcs_row";
constexpr std::array<std::string_view, 3> kNeedColumns{"energy_budget_needed_j",
                                                       "time_limit_needed_s", "max_power_needed_w"};

// A PlanLayout says which columns a plan has beside those that every plan has.
struct PlanLayout {
  bool has_band = false;   // where the band was split
  bool has_row = false;    // where rates are those of a table
  bool has_needs = false;  // where every device should reach a probability
};

std::vector<std::string_view> ColumnsOf(const PlanLayout& layout) {
  std::vector<std::string_view> columns(kColumns.begin(), kColumns.end());
  if (layout.has_band) columns.push_back(kBandColumn);
  if (layout.has_row) columns.push_back(kRowColumn);
  if (layout.has_needs) columns.insert(columns.end(), kNeedColumns.begin(), kNeedColumns.end());
  return columns;
}

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

// Writes the rows that `row_of` makes.
template <class RowOfDevice>
Status WriteRows(const std::string& path, const PlanLayout& layout, std::size_t devices,
                 const DeviceIds& ids, const RowOfDevice& row_of,
                 const std::function<void(double)>& progress) {
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  file->Append(fmt::format("{}\n", fmt::join(ColumnsOf(layout), ",")));
  constexpr std::size_t kRowsPerReport = 1 << 14;
  std::string rows, id_buffer;
  for (std::size_t i = 0; i < devices; ++i) {
    AppendRow(rows, ids.Get(i, id_buffer), row_of(i));
    if ((i + 1) % kRowsPerReport == 0 || i + 1 == devices) {
      file->Append(rows);
      rows.clear();
      if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(devices));
    }
  }
  return file->Commit();
}

Result<PlanLayout> ReadPlanLayout(const base::CsvReader& csv) {
  const auto has = [&](std::string_view column) {
    return std::ranges::find(csv.header(), column) != csv.header().end();
  };
  const PlanLayout layout{
      .has_band = has(kBandColumn), .has_row = has(kRowColumn), .has_needs = has(kNeedColumns[0])};
  if (std::ranges::equal(csv.header(), ColumnsOf(layout))) return layout;
  return Error{fmt::format(
      "{}: columns {}: a plan has {}, then {} where the band is split, {} where radio.mcs has the "
      "rates, and {} where a least probability is wanted",
      csv.Where(), fmt::join(csv.header(), ","), fmt::join(kColumns, ","), kBandColumn, kRowColumn,
      fmt::join(kNeedColumns, ","))};
}

// Reads the number of a field, from 0 to `most`.
Result<double> ReadNumber(const base::CsvReader& csv, std::size_t field, double most) {
  const std::string_view text = csv.fields()[field];
  const auto error = [&](std::string_view bound) {
    return Error{fmt::format("{}: {} = {}: {}", csv.Where(), csv.header()[field],
                             base::Quoted(text), bound)};
  };
  const auto value = base::ParseNumber(text);
  if (!value) return error("must be a number");
  if (!(*value >= 0)) return error("must be >= 0");
  if (!(*value <= most)) return error(fmt::format("must be <= {}", most));
  return *value;
}

// Reads the needs of a device from the last fields of a row: none or all of them.
Status ReadNeeds(const base::CsvReader& csv, PlanNeeds& needs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ColumnValues* const columns[] = {&needs.energy_budget_needed_j, &needs.time_limit_needed_s,
                                   &needs.max_power_needed_w};
  const std::size_t first = csv.fields().size() - std::size(columns);
  const bool has_none = csv.fields()[first].empty();
  for (std::size_t i = 0; i < std::size(columns); ++i) {
    if (csv.fields()[first + i].empty() != has_none) {
      return Error{
          fmt::format("{}: {} = {}: must be empty where the other needs are, and only then",
                      csv.Where(), csv.header()[first + i], base::Quoted(csv.fields()[first + i]))};
    }
    if (has_none) {
      columns[i]->push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const auto value = ReadNumber(csv, first + i, kInfinity);
    if (!value) return value.error();
    columns[i]->push_back(*value);
  }
  return {};
}

// Reads the row of a table of rates.
Status ReadRateRow(const base::CsvReader& csv, std::size_t field,
                   std::vector<std::size_t>& mcs_row) {
  const auto row = ReadNumber(csv, field, double(kMostRateRows));
  if (!row) return row.error();
  if (*row != std::floor(*row)) {
    return Error{fmt::format("{}: {} = {}: must be a whole number", csv.Where(), kRowColumn,
                             base::Quoted(csv.fields()[field]))};
  }
  mcs_row.push_back(std::size_t(*row));
  return {};
}

Status ReadRow(const base::CsvReader& csv, PlanFile& file) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const auto fields = csv.fields();
  if (fields[0].empty()) return Error{fmt::format("{}: id is missing", csv.Where())};
  ColumnValues* const columns[] = {&file.plan.probability, &file.plan.power_w, &file.rate_bps,
                                   &file.upload_s, &file.energy_j};
  for (std::size_t i = 0; i < std::size(columns); ++i) {
    const auto value = ReadNumber(csv, i + 1, i == 0 ? 1 : kLargest);
    if (!value) return value.error();
    columns[i]->push_back(*value);
  }
  if (file.plan.probability.back() == 0 && file.plan.power_w.back() != 0) {
    return Error{fmt::format("{}: power_w = {}: must be 0 where the probability is 0", csv.Where(),
                             fields[2])};
  }
  const auto limit = LimitByName(fields[6]);
  if (!limit) {
    return Error{fmt::format("{}: limit = {}: must be the name of a limit, such as {}", csv.Where(),
                             base::Quoted(fields[6]), LimitName(Limit::kEnergy))};
  }
  if (file.bandwidth_hz) {
    const auto band_hz = ReadNumber(csv, 7, kLargest);
    if (!band_hz) return band_hz.error();
    file.bandwidth_hz->push_back(*band_hz);
  }
  if (file.mcs_row) {
    const std::size_t field = kColumns.size() + (file.bandwidth_hz ? 1 : 0);
    if (auto status = ReadRateRow(csv, field, *file.mcs_row); !status) return status;
  }
  if (file.needs) {
    if (auto status = ReadNeeds(csv, *file.needs); !status) return status;
  }
  file.ids.Append(fields[0]);
  file.limits.push_back(*limit);
  return {};
}

}  // namespace

Status WritePlan(const std::string& path, const Fleet& fleet, const PlanningProblem& problem,
                 const PlanView& plan, const std::function<void(double)>& progress,
                 const FloorReport* floor) {
  planning::CheckShape(problem, plan);
  const PlanLayout layout{.has_band = IsBandSplit(fleet),
                          .has_row = problem.steps.has_rates(),
                          .has_needs = floor != nullptr};
  if (floor != nullptr) {
    AIRLOT_CHECK(floor->shortfalls.size() == floor->below, "{} of {} shortfalls are described",
                 floor->shortfalls.size(), floor->below);
  }
  std::size_t next = 0;  // the first shortfall of a device that is not written yet
  const auto row_of = [&](std::size_t i) {
    PlanRow row = RowOf(fleet, problem, plan, i);
    if (floor == nullptr) return row;
    const bool is_below = next < floor->below && floor->shortfalls[next].device == i;
    row.needs = NeedsOf(is_below ? &floor->shortfalls[next++] : nullptr);
    return row;
  };
  return WriteRows(path, layout, problem.devices, fleet.ids, row_of, progress);
}

Status WritePlan(const std::string& path, const PlanFile& rows,
                 const std::function<void(double)>& progress) {
  return WriteRows(
      path,
      {.has_band = rows.bandwidth_hz.has_value(),
       .has_row = rows.mcs_row.has_value(),
       .has_needs = rows.needs.has_value()},
      rows.limits.size(), rows.ids, [&](std::size_t i) { return RowOf(rows, i); }, progress);
}

Result<PlanFile> ReadPlan(const std::string& path, const std::function<void(double)>& progress) {
  auto csv = base::CsvReader::Open(path);
  if (!csv) return csv.error();
  const auto layout = ReadPlanLayout(*csv);
  if (!layout) return layout.error();
  constexpr std::size_t kRowsPerReport = 1 << 14;
  PlanFile file;
  RowLines lines;
  if (layout->has_band) file.bandwidth_hz.emplace();
  if (layout->has_row) file.mcs_row.emplace();
  if (layout->has_needs) file.needs.emplace();
  while (true) {
    const auto more = csv->Next();
    if (!more) return more.error();
    if (!*more) break;
    if (auto status = ReadRow(*csv, file); !status) return status.error();
    lines.Append(csv->line());
    if (progress && file.limits.size() % kRowsPerReport == 0 && csv->file_size() > 0) {
      progress(static_cast<double>(csv->bytes_read()) / static_cast<double>(csv->file_size()));
    }
  }
  if (file.limits.empty()) return Error{fmt::format("{}: has a header but no devices", path)};
  if (auto status = fleet::CheckIds(path, file.ids, lines); !status) return status.error();
  return file;
}

}  // namespace airlot
