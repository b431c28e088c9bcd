// Training runs as commands: what train, compare and reproduce share.
#ifndef AIRLOT_CLI_RUNS_H_
#define AIRLOT_CLI_RUNS_H_

#include <string>
#include <vector>

#include "airlot/experiment.h"
#include "airlot/report.h"
#include "cli/command.h"

namespace airlot::cli {

struct RunsOptions {
  std::string folder;  // empty: a new one
  bool resume = false;
  bool force = false;
  int jobs = 1;
  double checkpoint_every_s = ExperimentOptions{}.checkpoint_every_s;
  OutputOptions output;
};
void AddRunsOptions(CLI::App& command, RunsOptions& options);

// A scenario's name as that of one folder, whatever it contains.
std::string FolderNameOf(const Scenario& scenario);
// A folder that does not exist yet: `name`, or else `name`-2, `name`-3, ...
std::string NewFolder(const std::string& name);

// The runs of one scenario and where their files go.
struct ComparisonInFolder {
  Comparison comparison;
  std::string folder;
};
struct RunsResult {
  std::vector<RunResult> runs;
  std::vector<StrategySummary> summaries;
};
// Performs all runs, scenario after scenario, and writes their files. On an error or an interrupt
// it says so and sets `exit_code` to what is not kDone. `folder` is the one that holds them all.
std::vector<RunsResult> PerformRuns(const std::vector<ComparisonInFolder>& scenarios,
                                    const std::string& folder, const RunsOptions& options,
                                    int& exit_code);

// Writes `folder`/report.html of the runs in it, or right below it. Returns the exit code.
int LeaveReport(const std::string& folder);

// The summary, and where the files are.
Json ToJson(const ComparisonInFolder& scenario, const RunsResult& result);

inline constexpr std::string_view kEvery = kEveryStrategy;
// The strategies that were named, the paper's where there are none, or all for kEvery.
Result<std::vector<std::string>> StrategiesOf(const std::vector<std::string>& names);
// Those of them that can run with the scenario's learning; says which are left out, and why.
std::vector<std::string> FittingOf(const std::vector<std::string>& strategies,
                                   const Scenario& scenario);

// The line above a scenario's tables.
void PrintHeading(const Comparison& comparison, const RunsResult& result);
TableStyle StyleOfTables();

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RUNS_H_
