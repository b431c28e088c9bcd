#include "planning/plan_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace airlot::planning {

std::vector<std::string_view> ColumnsOf(const PlanLayout& layout) {
  std::vector<std::string_view> columns(kPlanColumns.begin(), kPlanColumns.end());
  if (layout.has_band) columns.push_back(kBandColumn);
  if (layout.has_row) columns.push_back(kRateRowColumn);
  if (layout.has_needs) columns.insert(columns.end(), kNeedColumns.begin(), kNeedColumns.end());
  return columns;
}

Result<PlanLayout> ReadPlanLayout(std::span<const std::string> header, const std::string& where) {
  const auto has = [&](std::string_view column) {
    return std::ranges::find(header, column) != header.end();
  };
  const PlanLayout layout{.has_band = has(kBandColumn),
                          .has_row = has(kRateRowColumn),
                          .has_needs = has(kNeedColumns[0])};
  if (std::ranges::equal(header, ColumnsOf(layout))) return layout;
  return Error{fmt::format(
      "{}: columns {}: a plan has {}, then {} where the band is split, {} where radio.mcs has the "
      "rates, and {} where a least probability is wanted",
      where, fmt::join(header, ","), fmt::join(kPlanColumns, ","), kBandColumn, kRateRowColumn,
      fmt::join(kNeedColumns, ","))};
}

std::string BoundOf(double value, double most) {
  if (!(value >= 0)) return "must be >= 0";
  if (!(value <= most)) return fmt::format("must be <= {}", most);
  return "";
}

void Resize(PlanFile& file, const PlanLayout& layout, std::size_t devices) {
  for (ColumnValues* const values : NumbersOf(file)) values->resize(devices);
  file.limits.resize(devices);
  if (layout.has_band) {
    if (!file.bandwidth_hz) file.bandwidth_hz.emplace();
    file.bandwidth_hz->resize(devices);
  }
  if (layout.has_row) {
    if (!file.mcs_row) file.mcs_row.emplace();
    file.mcs_row->resize(devices);
  }
  if (layout.has_needs) {
    if (!file.needs) file.needs.emplace();
    for (ColumnValues* const values : NumbersOf(*file.needs)) values->resize(devices);
  }
}

std::array<ColumnValues*, 5> NumbersOf(PlanFile& file) {
  return {&file.plan.probability, &file.plan.power_w, &file.rate_bps, &file.upload_s,
          &file.energy_j};
}

std::array<ColumnValues*, 3> NumbersOf(PlanNeeds& needs) {
  return {&needs.energy_budget_needed_j, &needs.time_limit_needed_s, &needs.max_power_needed_w};
}

}  // namespace airlot::planning
