// These are the columns of a plan file (docs/formats.md).
#ifndef AIRLOT_PLANNING_PLAN_COLUMNS_H_
#define AIRLOT_PLANNING_PLAN_COLUMNS_H_

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/plan_file.h"
#include "airlot/result.h"

namespace airlot::planning {

// Every plan has the first columns.
inline constexpr std::array<std::string_view, 7> kPlanColumns{
    "id", "probability", "power_w", "rate_bps", "upload_s", "energy_j", "limit"};
inline constexpr std::string_view kBandColumn = "bandwidth_hz";
inline constexpr std::string_view kRateRowColumn = "mcs_row";
inline constexpr std::array<std::string_view, 3> kNeedColumns{
    "energy_budget_needed_j", "time_limit_needed_s", "max_power_needed_w"};

// A PlanLayout says which columns a plan has beside those that every plan has.
struct PlanLayout {
  bool has_band = false;   // where the band was split
  bool has_row = false;    // where rates are those of a table
  bool has_needs = false;  // where every device should reach a probability
};
std::vector<std::string_view> ColumnsOf(const PlanLayout& layout);
// Reads a header. `where` begins the message.
Result<PlanLayout> ReadPlanLayout(std::span<const std::string> header, const std::string& where);

// The columns of numbers are from 0 to these bounds.
inline constexpr double kLargestProbability = 1;
inline constexpr double kLargestNumber = std::numeric_limits<double>::max();
inline constexpr double kLargestNeed = std::numeric_limits<double>::infinity();
// Says why a number cannot stand in a column; empty: it can.
std::string BoundOf(double value, double most);

// Makes the columns that a layout has, with room for `devices` rows.
void Resize(PlanFile& file, const PlanLayout& layout, std::size_t devices);
// Returns the columns of numbers that every plan has, in their order.
std::array<ColumnValues*, 5> NumbersOf(PlanFile& file);
std::array<ColumnValues*, 3> NumbersOf(PlanNeeds& needs);

// These functions do what WritePlan and ReadPlan do, with files of columns of NumPy. The ids of the
// plan are `ids`, and its probabilities and powers `plan`; the rest are those of `columns`.
Status WriteNpzPlan(const std::string& path, const DeviceIds& ids, const PlanView& plan,
                    const PlanFile& columns, const Hands& hands,
                    const std::function<void(double)>& progress);
Result<PlanFile> ReadNpzPlan(const std::string& path, const std::function<void(double)>& progress,
                             int threads);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_PLAN_COLUMNS_H_
