// A plan file is a plan as CSV (docs/formats.md).
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

// Writes one row per device. The file appears whole or not at all. `progress` is told the share
// written so far, from 0 to 1.
Status WritePlan(const std::string& path, const Fleet& fleet, const PlanningProblem& problem,
                 const PlanView& plan, const std::function<void(double)>& progress = {});

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
};

// Writes a plan whose columns are known, such as that of airlot/airtime_expectations.h. `rate_bps`
// and the others must have one value for each limit.
Status WritePlan(const std::string& path, const PlanFile& rows,
                 const std::function<void(double)>& progress = {});

// Reads what `WritePlan` writes, and nothing else: the columns in their order, probabilities from 0
// to 1, all other numbers finite and >= 0, no power at probability 0. An error names the file, the
// line, the field, its value and the bound.
Result<PlanFile> ReadPlan(const std::string& path);

}  // namespace airlot

#endif  // AIRLOT_PLAN_FILE_H_
