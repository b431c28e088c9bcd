// A plan file is a plan as CSV, or as columns of NumPy where its name ends with .npz
// (docs/formats.md).
#ifndef AIRLOT_PLAN_FILE_H_
#define AIRLOT_PLAN_FILE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "airlot/result.h"

namespace airlot {

// Writes one row per device. The file appears whole or not at all; its bytes are the same for any
// number of threads. `progress` is told the share written so far, from 0 to 1, on any thread but by
// one at a time. Where `floor` is given, all of whose devices must be described,
// columns say what each of them needs. Where there is a team, each member writes the rows of its
// devices into one file, in a folder that all of them see, and all have the same error.
Status WritePlan(const std::string& path, const Fleet& fleet, const PlanningProblem& problem,
                 const PlanView& plan, const std::function<void(double)>& progress = {},
                 const FloorReport* floor = nullptr, const Hands& hands = 1);

// PlanNeeds say what the devices below a wanted probability need (Shortfall). A device that reaches
// it has NaN in all three columns.
struct PlanNeeds {
  ColumnValues energy_budget_needed_j, time_limit_needed_s, max_power_needed_w;
};

// A PlanFile is a plan as its file has it, each column with one value for each device.
struct PlanFile {
  DeviceIds ids;
  Plan plan;
  ColumnValues rate_bps, upload_s, energy_j;
  std::vector<Limit> limits;
  std::optional<ColumnValues> bandwidth_hz;  // set where the file has this column
  // These are the rows of the MCS table, counted from 1, 0 for who does not take part; set where
  // the file has this column.
  std::optional<std::vector<std::size_t>> mcs_row;
  std::optional<PlanNeeds> needs = {};  // set where the file has its columns
};

// Writes a plan whose columns are known, such as that of airlot/airtime_expectations.h. `rate_bps`
// and the others must have one value for each limit.
Status WritePlan(const std::string& path, const PlanFile& rows,
                 const std::function<void(double)>& progress = {}, const Hands& hands = 1);

// Reads what `WritePlan` writes, and nothing else: the columns in their order, probabilities from 0
// to 1, all other numbers finite and >= 0 (a need may be infinite), no power at probability 0. An
// error names the file, the line (or the place in an array), the field, its value and the bound.
// `progress` is told the share read so far, from 0 to 1, as by WritePlan.
Result<PlanFile> ReadPlan(const std::string& path, const std::function<void(double)>& progress = {},
                          int threads = 1);

}  // namespace airlot

#endif  // AIRLOT_PLAN_FILE_H_
