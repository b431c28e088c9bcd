#include "runs/run_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <numeric>
#include <string_view>

#include "airlot/planning.h"
#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/text.h"
#include "simulation/round_fields.h"
#include "simulation/state_parts.h"

namespace airlot::runs {
namespace {

using simulation::Batteries;
using simulation::PlannedProbabilities;

// Runs that were made before a column was there have a shorter header.
std::string RoundsHeader() {
  std::vector<std::string_view> names;
  for (const simulation::RoundField& field : simulation::kRoundFields) names.push_back(field.name);
  return fmt::format("{}", fmt::join(names, ","));
}
constexpr std::size_t kLeastRoundsColumns = 7;
constexpr std::string_view kDevicesHeader =
    "id,x_m,y_m,distance_m,samples,probability,power_w,upload_s,energy_j,participations,"
    "energy_spent_j,battery_j,first_empty_round,mean_probability";
constexpr std::size_t kLeastDevicesColumns = 11;
// Columns of state parts; they are empty where a run has no such part.
constexpr std::string_view kPartColumns[] = {"battery_j", "first_empty_round", "mean_probability"};

// --- Writing -------------------------------------------------------------------------------------

// A comma and the number, or nothing behind it where there is none or training diverged.
void AppendField(std::string& row, const std::optional<double>& value) {
  row += ',';
  if (value && !std::isnan(*value)) base::AppendNumber(row, *value);
}
void AppendField(std::string& row, double value) { AppendField(row, std::optional(value)); }
void AppendField(std::string& row, std::uint64_t count) { row += fmt::format(",{}", count); }

// The columns that state parts have: the known ones first, then those of parts from elsewhere.
std::vector<DeviceColumn> PartColumns(const RunState& state) {
  std::vector<DeviceColumn> columns;
  for (const std::string_view name : kPartColumns) columns.push_back({std::string(name), {}});
  for (const auto& part : state.parts.all()) {
    for (DeviceColumn& column : part->DeviceColumns(state.round)) {
      const auto known = std::ranges::find(columns, column.name, &DeviceColumn::name);
      if (known != columns.end()) {
        *known = std::move(column);
      } else {
        columns.push_back(std::move(column));
      }
    }
  }
  return columns;
}

void AppendDevice(std::string& row, const Setting& setting, const PlanningProblem& problem,
                  const RunState& state, std::span<const DeviceColumn> columns, std::size_t i) {
  const Fleet& fleet = setting.fleet;
  const Participation once = Describe(problem, setting.plan, i);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::string buffer;
  base::AppendCsvField(row, fleet.ids.Get(i, buffer));
  AppendField(row, fleet.has_place ? fleet.x_m[i] : kUnknown);
  AppendField(row, fleet.has_place ? fleet.y_m[i] : kUnknown);
  AppendField(row, fleet.has_distance ? fleet.distance_m[i] : kUnknown);
  AppendField(row, std::uint64_t{setting.partition.SamplesOf(i).size()});
  AppendField(row, setting.plan.probability[i]);
  AppendField(row, setting.plan.power_w[i]);
  AppendField(row, once.upload_s);
  AppendField(row, once.energy_j);
  AppendField(row, std::uint64_t{state.participations[i]});
  AppendField(row, state.energy_spent_j[i]);
  for (const DeviceColumn& column : columns) {
    AppendField(row, i < column.values.size() ? column.values[i] : std::nullopt);
  }
  row += '\n';
}

// --- Reading -------------------------------------------------------------------------------------

// A table of numbers with the header that we write.
class Table {
 public:
  static Result<Table> Open(const std::string& path, std::string_view header,
                            std::size_t least_columns) {
    auto csv = base::CsvReader::Open(path);
    if (!csv) return csv.error();
    const std::string found = fmt::format("{}", fmt::join(csv->header(), ","));
    const bool is_known = found == header || header.starts_with(found + ",") ||
                          found.starts_with(std::string(header) + ",");
    if (!is_known || csv->header().size() < least_columns) {
      return Error{fmt::format("{}:1: the header must be {}", path, header)};
    }
    // A last line that is cut off may still read as a row.
    std::ifstream file(path, std::ios::binary);
    file.seekg(-1, std::ios::end);
    if (file.get() != '\n') return Error{path + ": the last line is cut off"};
    return Table(std::move(*csv));
  }

  // False at the end of the file or after an error.
  bool Next() {
    if (!status_) return false;
    const auto more = csv_.Next();
    if (!more) status_ = more.error();
    return more && *more;
  }

  // Of the row; 0 where it is wrong, and the first thing that is wrong is kept.
  std::uint64_t Count(std::size_t column, std::uint64_t least, std::uint64_t most) {
    const std::string_view text = csv_.fields()[column];
    std::uint64_t count = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault == std::errc() && end == text.data() + text.size() && count >= least &&
        count <= most) {
      return count;
    }
    Wrong(column, least == most ? fmt::format("must be {}", least)
                                : fmt::format("must be a whole number from {} to {}", least, most));
    return 0;
  }
  double Number(std::size_t column, double least) {
    const auto number = base::ParseNumber(csv_.fields()[column]);
    if (number && *number >= least) return *number;
    Wrong(column, std::isinf(least) ? "must be a number or empty"
                                    : "must be a number >= " + base::FormatNumber(least));
    return 0;
  }
  std::optional<double> NumberOrNone(std::size_t column) {
    if (column >= csv_.fields().size() || csv_.fields()[column].empty()) return std::nullopt;
    return Number(column, -std::numeric_limits<double>::infinity());
  }

  const Status& status() const { return status_; }

 private:
  explicit Table(base::CsvReader csv) : csv_(std::move(csv)) {}

  void Wrong(std::size_t column, const std::string& bound) {
    if (!status_) return;
    status_ = Error{fmt::format("{}: {} = {}: {}", csv_.Where(), csv_.header()[column],
                                base::Quoted(csv_.fields()[column]), bound)};
  }

  base::CsvReader csv_;
  Status status_;
};

Status ReadRounds(const std::string& path, RunState& state) {
  auto table = Table::Open(path, RoundsHeader(), kLeastRoundsColumns);
  if (!table) return table.error();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  while (table->Next()) {
    RoundRecord record;
    record.round = table->Count(0, state.records.size(), state.records.size());
    record.time_s = table->Number(1, state.time_s);
    record.energy_j = table->Number(2, state.energy_j);
    record.participants = table->Count(3, 0, kMost);
    record.loss = table->NumberOrNone(4);
    record.accuracy = table->NumberOrNone(5);
    record.test_loss = table->NumberOrNone(6);
    record.mean_participation_s = table->NumberOrNone(7);
    record.empty_batteries = table->NumberOrNone(8);
    state.round = record.round;
    state.time_s = record.time_s;
    state.energy_j = record.energy_j;
    state.records.push_back(record);
  }
  return table->status();
}

Status ReadDevices(const std::string& path, RunState& state) {
  auto table = Table::Open(path, kDevicesHeader, kLeastDevicesColumns);
  if (!table) return table.error();
  while (table->Next()) {
    state.participations.push_back(
        static_cast<std::uint32_t>(table->Count(9, 0, state.records.size())));
    state.energy_spent_j.push_back(table->Number(10, 0));
    if (const auto battery_j = table->NumberOrNone(11)) {
      auto& batteries = state.parts.Get<Batteries>();
      batteries.charge_j.push_back(*battery_j);
      batteries.first_empty_round.push_back(std::uint32_t(table->NumberOrNone(12).value_or(0)));
    }
    if (const auto mean = table->NumberOrNone(13)) {
      state.parts.Get<PlannedProbabilities>().sum.push_back(*mean * double(state.round));
    }
  }
  return table->status();
}

}  // namespace

Status WriteRounds(const std::string& path, std::span<const RoundRecord> records) {
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  file->Append(RoundsHeader() + "\n");
  for (const RoundRecord& record : records) {
    std::string row;
    simulation::ForEachField(record,
                             [&](const auto&, const auto& value) { AppendField(row, value); });
    file->Append(row.substr(1) + "\n");
  }
  return file->Commit();
}

Status WriteDevices(const std::string& path, const Setting& setting, const RunState& state) {
  const auto problem = ProblemOf(setting.fleet, setting.scenario.radio, setting.scenario.round);
  if (!problem) return problem.error();
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  const std::vector<DeviceColumn> columns = PartColumns(state);
  std::string row(kDevicesHeader);
  for (std::size_t i = std::size(kPartColumns); i < columns.size(); ++i) {
    row += ',';
    base::AppendCsvField(row, columns[i].name);
  }
  file->Append(row + "\n");
  for (std::size_t i = 0; i < setting.fleet.devices; ++i) {
    row.clear();
    AppendDevice(row, setting, *problem, state, columns, i);
    file->Append(row);
  }
  return file->Commit();
}

Result<RunState> ReadRun(const std::string& rounds_path, const std::string& devices_path) {
  RunState state;
  if (auto status = ReadRounds(rounds_path, state); !status) return status.error();
  if (auto status = ReadDevices(devices_path, state); !status) return status.error();
  // Lines that are missing show here.
  std::uint64_t of_rounds = 0;
  for (const RoundRecord& record : state.records) of_rounds += record.participants;
  const std::uint64_t of_devices =
      std::accumulate(state.participations.begin(), state.participations.end(), std::uint64_t{0});
  if (of_rounds != of_devices) {
    return Error{fmt::format("{}: counts {} participations, but {} counts {}", rounds_path,
                             of_rounds, devices_path, of_devices)};
  }
  return state;
}

}  // namespace airlot::runs
