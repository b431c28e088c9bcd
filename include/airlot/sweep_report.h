// These functions show what a sweep found: as a table, as CSV and JSON, and as a page
// (docs/sweeps.md). Reports of run directories show sweeps, too (airlot/report.h).
#ifndef AIRLOT_SWEEP_REPORT_H_
#define AIRLOT_SWEEP_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "airlot/grid.h"
#include "airlot/planning.h"
#include "airlot/report.h"
#include "airlot/result.h"
#include "airlot/sweep.h"

namespace airlot {

// Draws a row for each cell and strategy: what it takes to come to the highest target, the accuracy
// at the end, and how many devices are over their budgets.
std::string DrawSweep(const KeptSweep& kept, const TableStyle& style);

// Returns as JSON what is in cells.csv, and which cells are missing.
std::string SweepJson(const KeptSweep& kept);

// Writes into the directory of a sweep runs.csv, with a row for each run, and cells.csv, with a row
// for each cell, strategy and metric.
Status WriteSweepTables(const std::string& directory, const KeptSweep& kept);

// A PlannedRound is what a plan expects of a round.
struct PlannedRound {
  Expectations expected;
  bool is_time_known = true;  // else the time is only a bound
};
// A PlanSweep is what plans expect of a round in every cell of a grid.
struct PlanSweep {
  std::string name;  // of the scenario
  std::string scenario;
  Grid grid;
  std::vector<std::uint64_t> seeds;
  // There is one for each cell, with one for each seed, or none where the cell has a problem.
  std::vector<std::vector<PlannedRound>> cells;
  std::vector<std::optional<std::string>> problems;
  Repetition repetition = {};
};
std::string DrawSweep(const PlanSweep& sweep, const TableStyle& style);
std::string SweepJson(const PlanSweep& sweep);
std::string SweepCsv(const PlanSweep& sweep);  // as cells.csv
// Writes the table, as SweepCsv returns it, and the report: both or, where something goes wrong,
// neither.
struct PlanSweepFiles {
  std::optional<std::string> table, report;
  bool has_heat_maps = false;  // in the report
};
Status WritePlanSweep(const PlanSweep& sweep, const PlanSweepFiles& files);

}  // namespace airlot

#endif  // AIRLOT_SWEEP_REPORT_H_
