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
#include "base/csv.h"
#include "base/text.h"
#include "planning/shape.h"

namespace airlot {
namespace {

constexpr std::array<std::string_view, 7> kColumns{"id",       "probability", "power_w", "rate_bps",
                                                   "upload_s", "energy_j",    "limit"};
constexpr std::string_view kBandColumn = "bandwidth_hz";  // where the band was split
constexpr std::string_view kRowColumn = "mcs_row";        // where rates are those of a table

// Extras are the columns that only some plans have, in this order.
struct Extras {
  bool band = false, row = false;
};

std::vector<std::string_view> ColumnsOf(const Extras& extras) {
  std::vector<std::string_view> columns(kColumns.begin(), kColumns.end());
  if (extras.band) columns.push_back(kBandColumn);
  if (extras.row) columns.push_back(kRowColumn);
  return columns;
}

bool IsBandSplit(const Fleet& fleet) { return fleet.band_sharing != BandSharing::kEqual; }

// A PlanRow is what a plan file says of a device, beside its id.
struct PlanRow {
  double probability, power_w, rate_bps, upload_s, energy_j;
  Limit limit;
  std::optional<double> bandwidth_hz;
  std::optional<std::size_t> mcs_row;  // counted from 1; 0: none
};

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
          .mcs_row = rows.mcs_row ? std::optional((*rows.mcs_row)[i]) : std::nullopt};
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
  out += '\n';
}

// Writes the rows that `row_of` makes.
template <class RowOfDevice>
Status WriteRows(const std::string& path, const Extras& extras, std::size_t devices,
                 const DeviceIds& ids, const RowOfDevice& row_of,
                 const std::function<void(double)>& progress) {
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  file->Append(fmt::format("{}\n", fmt::join(ColumnsOf(extras), ",")));
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

Result<Extras> ExtrasOf(const base::CsvReader& csv) {
  for (const Extras extras : {Extras{}, Extras{.band = true}, Extras{.row = true}}) {
    if (std::ranges::equal(csv.header(), ColumnsOf(extras))) return extras;
  }
  return Error{fmt::format(
      "{}: columns {}: a plan has {}, and {} where the band is split, or {} where radio.mcs has "
      "the rates",
      csv.Where(), fmt::join(csv.header(), ","), fmt::join(kColumns, ","), kBandColumn,
      kRowColumn)};
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
    const auto row = ReadNumber(csv, 7, double(kMostRateRows));
    if (!row) return row.error();
    if (*row != std::floor(*row)) {
      return Error{fmt::format("{}: {} = {}: must be a whole number", csv.Where(), kRowColumn,
                               base::Quoted(fields[7]))};
    }
    file.mcs_row->push_back(std::size_t(*row));
  }
  file.ids.Append(fields[0]);
  file.limits.push_back(*limit);
  return {};
}

}  // namespace

Status WritePlan(const std::string& path, const Fleet& fleet, const PlanningProblem& problem,
                 const PlanView& plan, const std::function<void(double)>& progress) {
  planning::CheckShape(problem, plan);
  return WriteRows(
      path, {.band = IsBandSplit(fleet), .row = problem.steps.has_rates()}, problem.devices,
      fleet.ids, [&](std::size_t i) { return RowOf(fleet, problem, plan, i); }, progress);
}

Status WritePlan(const std::string& path, const PlanFile& rows,
                 const std::function<void(double)>& progress) {
  return WriteRows(
      path, {.band = rows.bandwidth_hz.has_value(), .row = rows.mcs_row.has_value()},
      rows.limits.size(), rows.ids, [&](std::size_t i) { return RowOf(rows, i); }, progress);
}

Result<PlanFile> ReadPlan(const std::string& path) {
  auto csv = base::CsvReader::Open(path);
  if (!csv) return csv.error();
  const auto extras = ExtrasOf(*csv);
  if (!extras) return extras.error();
  PlanFile file;
  if (extras->band) file.bandwidth_hz.emplace();
  if (extras->row) file.mcs_row.emplace();
  while (true) {
    const auto more = csv->Next();
    if (!more) return more.error();
    if (!*more) break;
    if (auto status = ReadRow(*csv, file); !status) return status.error();
  }
  if (file.limits.empty()) return Error{fmt::format("{}: has a header but no devices", path)};
  return file;
}

}  // namespace airlot
