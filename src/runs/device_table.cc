#include "airlot/device_table.h"

#include "base/check.h"
#include "runs/csv_cells.h"
#include "runs/csv_table.h"

namespace airlot {
namespace {

using Column = runs::CsvColumn<DeviceTable>;
using runs::CountCell;
using runs::CountsCell;
using runs::LimitCell;
using runs::NumberCell;
using runs::OptionalCell;
using runs::TextCell;

// --- The columns of devices.csv ------------------------------------------------------------------

constexpr NumberCell kPlace{};
constexpr NumberCell kQuantity{.least = 0};
constexpr NumberCell kProbability{.least = 0, .most = 1};
constexpr CountCell kCount{};
constexpr OptionalCell<CountCell> kRoundOrNone{{.least = 1}};

// Tells whether the last value has as many parts as the first, where values have parts.
template <class T>
bool HasPartsOfFirst(const std::vector<T>&) {
  return true;
}
bool HasPartsOfFirst(const std::vector<std::vector<std::uint32_t>>& values) {
  return values.back().size() == values.front().size();
}

template <class T, class Cell>
bool TakeNext(const Cell& cell, std::string_view text, std::vector<T>& values) {
  auto value = cell.Parse(text);
  if (!value) return false;
  values.push_back(static_cast<T>(std::move(*value)));
  return HasPartsOfFirst(values);
}

template <class T, class Cell>
Column ColumnOf(std::string_view name, std::vector<T> DeviceTable::*member, const Cell& cell) {
  return {name,
          [=](const DeviceTable& table, std::size_t row, std::string& line) {
            cell.Append(line, (table.*member)[row]);
          },
          [=](DeviceTable& table, std::size_t, std::string_view text) {
            return TakeNext(cell, text, table.*member);
          },
          cell.Bound()};
}

template <class T, class Cell>
Column ColumnOf(std::string_view name, std::optional<std::vector<T>> DeviceTable::*member,
                const Cell& cell) {
  return {name,
          [=](const DeviceTable& table, std::size_t row, std::string& line) {
            if (table.*member) cell.Append(line, (*(table.*member))[row]);
          },
          // The first row decides whether the column is there.
          [=](DeviceTable& table, std::size_t row, std::string_view text) {
            auto& values = table.*member;
            if (row == 0 && !text.empty()) values.emplace();
            if (!values) return text.empty();
            return TakeNext(cell, text, *values);
          },
          cell.Bound() + ", or empty in every row"};
}

// A device has both coordinates or none: the first row of x_m decides for both columns.
Column ColumnOf(std::string_view name, std::vector<double> KeptPlaces::*member,
                const NumberCell& cell) {
  return {name,
          [=](const DeviceTable& table, std::size_t row, std::string& line) {
            if (table.places) cell.Append(line, ((*table.places).*member)[row]);
          },
          [=](DeviceTable& table, std::size_t row, std::string_view text) {
            const bool decides = row == 0 && member == &KeptPlaces::x_m;
            if (decides && !text.empty()) table.places.emplace();
            if (!table.places) return text.empty();
            return TakeNext(cell, text, (*table.places).*member);
          },
          cell.Bound() + ", or empty in every row"};
}

// The columns are in the order of the file. Earlier versions wrote only the first ones,
// kLeastColumns or more.
std::span<const Column> Columns() {
  using Table = DeviceTable;
  static const std::vector<Column> columns = {
      ColumnOf("id", &Table::id, TextCell()),
      ColumnOf("x_m", &KeptPlaces::x_m, kPlace),
      ColumnOf("y_m", &KeptPlaces::y_m, kPlace),
      ColumnOf("distance_m", &Table::distance_m, kQuantity),
      ColumnOf("samples", &Table::samples, kCount),
      ColumnOf("probability", &Table::probability, kProbability),
      ColumnOf("power_w", &Table::power_w, kQuantity),
      ColumnOf("upload_s", &Table::upload_s, kQuantity),
      ColumnOf("energy_j", &Table::energy_j, kQuantity),
      ColumnOf("participations", &Table::participations, kCount),
      ColumnOf("energy_spent_j", &Table::energy_spent_j, kQuantity),
      ColumnOf("battery_j", &Table::battery_j, kQuantity),
      ColumnOf("first_empty_round", &Table::first_empty_round, kRoundOrNone),
      ColumnOf("mean_probability", &Table::mean_probability, kProbability),
      ColumnOf("energy_budget_j", &Table::energy_budget_j, kQuantity),
      ColumnOf("limit", &Table::limit, LimitCell()),
      ColumnOf("participation_s", &Table::participation_s, kQuantity),
      ColumnOf("label_counts", &Table::label_counts, CountsCell()),
  };
  return columns;
}
constexpr std::size_t kLeastColumns = 11;

// A device that spends its whole budget in every round is not over it by the rounding of sums.
constexpr double kBudgetRounding = 1e-9;

// This column is only written, never read.
Column ColumnOf(const DeviceColumn& other) {
  return {other.name,
          [&other](const DeviceTable&, std::size_t row, std::string& line) {
            OptionalCell<NumberCell>{}.Append(line, other.values[row]);
          },
          {},
          {}};
}

// --- From a setting ------------------------------------------------------------------------------

void SetIdsAndPlaces(const Fleet& fleet, DeviceTable& table) {
  const auto values_of = [&](const airlot::Column& column) {
    std::vector<double> values(fleet.devices);
    for (std::size_t i = 0; i < fleet.devices; ++i) values[i] = column[i];
    return values;
  };
  std::string buffer;
  for (std::size_t i = 0; i < fleet.devices; ++i) table.id.emplace_back(fleet.ids.Get(i, buffer));
  if (fleet.places) {
    table.places = {.x_m = values_of(fleet.places->x_m), .y_m = values_of(fleet.places->y_m)};
  }
  if (fleet.distance_m) table.distance_m = values_of(*fleet.distance_m);
  table.energy_budget_j = values_of(fleet.energy_budget_j);
}

void SetPlan(const Setting& setting, DeviceTable& table) {
  const Cell cell = CellOf(setting);
  const PlanningProblem& problem = cell.problem;
  table.probability.assign(setting.plan.probability.begin(), setting.plan.probability.end());
  table.power_w.assign(setting.plan.power_w.begin(), setting.plan.power_w.end());
  table.participation_s.emplace();
  table.limit.emplace();
  for (std::size_t i = 0; i < setting.fleet.devices; ++i) {
    const Participation once = Describe(problem, setting.plan, i);
    table.upload_s.push_back(once.upload_s);
    table.energy_j.push_back(once.energy_j);
    table.limit->push_back(once.limit);
    const bool is_able = setting.plan.probability[i] > 0;
    const double booked_s = (setting.scenario.books.upload_time ? once.upload_s : 0) +
                            (is_able ? cell.compute_time_s[i] : 0);
    table.participation_s->push_back(booked_s);
  }
}

void SetSamples(const Setting& setting, DeviceTable& table) {
  const Images& images = setting.dataset->train;
  const bool has_labels = images.targets.empty();
  if (has_labels) table.label_counts.emplace();
  for (std::size_t i = 0; i < setting.fleet.devices; ++i) {
    const auto samples = setting.partition.SamplesOf(i);
    table.samples.push_back(static_cast<std::uint32_t>(samples.size()));
    if (!has_labels) continue;
    std::vector<std::uint32_t> counts(std::size_t(images.classes));
    for (const std::uint32_t sample : samples) ++counts[images.labels[sample]];
    table.label_counts->push_back(std::move(counts));
  }
}

std::vector<double> NumbersOf(const DeviceColumn& column) {
  std::vector<double> numbers;
  for (const std::optional<double>& value : column.values) numbers.push_back(value.value_or(0));
  return numbers;
}

// A name that is no word, or that another column has, would make a table that nobody can read.
void CheckNameOf(const DeviceColumn& column, const DeviceTable& table) {
  const bool is_word =
      !column.name.empty() &&
      column.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  AIRLOT_CHECK(is_word, "column \"{}\": its name must be small letters, digits and underlines",
               column.name);
  const auto is_taken = [&](const auto& other) { return other.name == column.name; };
  AIRLOT_CHECK(
      std::ranges::none_of(Columns(), is_taken) && std::ranges::none_of(table.others, is_taken),
      "column {}: devices.csv has a column of this name", column.name);
}

// Puts what a part of the state tells into the column of that name, or after all others.
void SetColumn(DeviceColumn& column, DeviceTable& table) {
  AIRLOT_CHECK(column.values.size() == table.devices(), "column {} has {} values of {} devices",
               column.name, column.values.size(), table.devices());
  if (column.name == "battery_j") {
    table.battery_j = NumbersOf(column);
  } else if (column.name == "mean_probability") {
    table.mean_probability = NumbersOf(column);
  } else if (column.name == "first_empty_round") {
    table.first_empty_round.assign(column.values.begin(), column.values.end());
  } else {
    CheckNameOf(column, table);
    table.others.push_back(std::move(column));
  }
}

}  // namespace

DeviceTable DeviceTableOf(const Setting& setting, const RunState& state) {
  DeviceTable table;
  SetIdsAndPlaces(setting.fleet, table);
  SetPlan(setting, table);
  SetSamples(setting, table);
  SetSpending(state, table);
  return table;
}

void SetSpending(const RunState& state, DeviceTable& table) {
  AIRLOT_CHECK(state.participations.size() == table.devices() &&
                   state.energy_spent_j.size() == table.devices(),
               "{} and {} values of {} devices", state.participations.size(),
               state.energy_spent_j.size(), table.devices());
  table.participations = state.participations;
  table.energy_spent_j = state.energy_spent_j;
  table.battery_j.reset();
  table.mean_probability.reset();
  table.first_empty_round.assign(table.devices(), std::nullopt);
  table.others.clear();
  for (const auto& part : state.parts.all()) {
    for (DeviceColumn& column : part->DeviceColumns(state.round)) SetColumn(column, table);
  }
}

// (docs/verdicts.md, (V7) to (V9))
std::optional<BudgetUse> BudgetUseOf(std::span<const double> energy_spent_j,
                                     const ColumnView& energy_budget_j, std::uint64_t rounds) {
  if (rounds == 0) return std::nullopt;
  BudgetUse use{.devices = energy_spent_j.size()};
  for (std::size_t i = 0; i < energy_spent_j.size(); ++i) {
    const double spent_j = energy_spent_j[i], budget_j = double(rounds) * energy_budget_j[i];
    if (spent_j > 0) use.worst_ratio = std::max(use.worst_ratio, spent_j / budget_j);
    if (spent_j <= budget_j * (1 + kBudgetRounding)) continue;
    ++use.devices_over;
    use.excess_j += spent_j - budget_j;
  }
  return use;
}

std::optional<BudgetUse> BudgetUseOf(const DeviceTable& table, std::uint64_t rounds) {
  if (!table.energy_budget_j) return std::nullopt;
  return BudgetUseOf(table.energy_spent_j, ColumnView(*table.energy_budget_j), rounds);
}

Status WriteDeviceTable(const std::string& path, const DeviceTable& table) {
  const auto declared = Columns();
  std::vector<runs::CsvColumn<DeviceTable>> columns(declared.begin(), declared.end());
  for (const DeviceColumn& other : table.others) columns.push_back(ColumnOf(other));
  return runs::WriteTable<DeviceTable>(path, columns, table, table.devices());
}

Result<DeviceTable> ReadDeviceTable(const std::string& path) {
  auto table = runs::ReadTable(path, Columns(), kLeastColumns, true);
  if (table) table->first_empty_round.resize(table->devices());
  return table;
}

}  // namespace airlot
