#include "cli/plan_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/output_files.h"
#include "cli/repetition.h"
#include "cli/runs.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

Status CheckFiles(const PlanSweepRequest& request, const std::vector<Scenario>& cells) {
  if (request.report_file == "-") return Error{"--report -: the report goes to a file; name one"};
  std::vector<NamedFile> inputs = InputsOf(request.scenario.scenario, request.base);
  for (const Scenario& cell : cells) {
    std::ranges::move(InputsOf(request.scenario.scenario, cell), std::back_inserter(inputs));
  }
  return CheckDistinct(inputs,
                       {{request.csv_file, "the table"}, {request.report_file, "the report"}});
}

// Plans a cell for every seed; where one cannot be planned, the cell has a problem.
void PlanCell(const PlanSweepRequest& request, std::size_t cell, PlanSweep& sweep) {
  std::vector<std::string> overrides = request.scenario.overrides;
  for (std::string& text : OverridesOf(sweep.grid, cell)) overrides.push_back(std::move(text));
  std::vector<PlannedRound>& all = sweep.cells[cell];
  for (const std::uint64_t seed : sweep.seeds) {
    const auto planned = request.plan(overrides, seed);
    if (!planned) {
      all.clear();
      sweep.problems[cell] = planned.error().message;
      return;
    }
    all.push_back(*planned);
  }
}

Result<PlanSweep> MakeSweep(const PlanSweepRequest& request) {
  auto grid = GridOf(request.options->grid);
  if (!grid) return grid.error();
  if (request.options->has_heat_maps && (grid->axes.size() != 2 || !request.report_file)) {
    return Error{"--heat-maps is for two --vary and a --report"};
  }
  auto seeds = SeedsFrom(request.scenario.seed, request.options->seeds);
  if (!seeds) return seeds.error();
  const auto scenarios = ScenariosOf(*request.scenario.source, request.scenario.overrides, *grid);
  if (!scenarios) return scenarios.error();
  if (auto status = CheckFiles(request, *scenarios); !status) return status.error();
  PlanSweep sweep{.name = request.base.name,
                  .scenario = FormatScenario(request.base),
                  .grid = std::move(*grid),
                  .seeds = std::move(*seeds)};
  const std::size_t cells = CellCount(sweep.grid);
  sweep.cells.resize(cells);
  sweep.problems.resize(cells);
  Progress progress("planning", request.output.quiet);
  for (std::size_t i = 0; i < cells; ++i) {
    PlanCell(request, i, sweep);
    progress(double(i + 1) / double(cells));
  }
  // The plans of one cell have the command of all but for what is varied.
  sweep.repetition = PlanRepetition(request.base, ScenarioFileOf(request.scenario.scenario),
                                    {.seed = request.scenario.seed, .round = request.round});
  if (auto& command = sweep.repetition.command) {
    *command += GridText(sweep.grid);
    if (sweep.seeds.size() > 1) *command += fmt::format(" --seeds {}", sweep.seeds.size());
  }
  return sweep;
}

}  // namespace

void AddPlanSweepOptions(CLI::App& command, PlanSweepOptions& options) {
  AddGridOptions(command, options.grid);
  command.add_option("--seeds", options.seeds, "With --vary: plan so many fleets of each cell")
      ->check(WholeNumberIn(1, 100000))
      ->capture_default_str();
  command.add_flag("--heat-maps", options.has_heat_maps,
                   "With two --vary and --report: draw heat maps");
}

int SweepPlans(const PlanSweepRequest& request) {
  const auto sweep = MakeSweep(request);
  if (!sweep) return Report(sweep.error());
  std::size_t missing = 0;
  for (std::size_t i = 0; i < sweep->problems.size(); ++i) {
    if (!sweep->problems[i]) continue;
    ++missing;
    Warn("note: the cell {} cannot be planned: {}\n", CellName(sweep->grid, i),
         *sweep->problems[i]);
  }
  if (missing == sweep->problems.size()) {
    return Report({fmt::format("no cell can be planned: {}", *sweep->problems[0])});
  }
  const PlanSweepFiles files{.table = request.csv_file,
                             .report = request.report_file,
                             .has_heat_maps = request.options->has_heat_maps};
  if (const auto status = WritePlanSweep(*sweep, files); !status) return Report(status.error());
  std::FILE* stream = request.csv_file == "/dev/stdout" ? stderr : stdout;
  request.output.json ? WriteSafely(stream, SweepJson(*sweep))
                      : WriteForPeople(stream, DrawSweep(*sweep, StyleOfTables()));
  return kDone;
}

}  // namespace airlot::cli
