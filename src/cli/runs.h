// Training runs as commands: what train, compare and reproduce share.
#ifndef AIRLOT_CLI_RUNS_H_
#define AIRLOT_CLI_RUNS_H_

#include <string>
#include <vector>

#include "airlot/experiment.h"
#include "airlot/report.h"
#include "cli/command.h"

namespace airlot::cli {

// As many runs at a time as there are processors.
int JobsByDefault();

struct RunsOptions {
  std::string folder;  // empty: a new one
  bool resume = false;
  bool force = false;
  int jobs = JobsByDefault();
  double checkpoint_every_s = ExperimentOptions{}.checkpoint_every_s;
  OutputOptions output;
};
void AddRunsOptions(CLI::App& command, RunsOptions& options);

// A scenario's name as that of one folder, whatever it contains.
std::string FolderNameOf(const Scenario& scenario);

// The file that ReadScenario reads for a name or path; empty where the scenario is built in.
std::string ScenarioFileOf(const std::string& name_or_path);

// What is to be run, and where its files go.
struct RunsPlan {
  std::vector<Comparison> comparisons;
  bool has_folder_each = false;  // named like the scenario, below the folder of all
  std::string default_folder;    // where the user names none; with a number behind it if it exists
};

// The runs of one scenario when they have ended.
struct FinishedScenario {
  Comparison comparison;
  std::string folder;
  std::vector<RunResult> runs;
  std::vector<StrategySummary> summaries;
};
struct FinishedRuns {
  int exit_code = kDone;  // else what went wrong has been said
  std::string folder;     // of all
  std::vector<FinishedScenario> scenarios;
};
// Performs all runs, scenario after scenario, and writes their files. Every scenario and every seed
// is prepared, and so checked, before the first run begins.
FinishedRuns PerformRuns(const RunsPlan& plan, const RunsOptions& options);

// Writes `folder`/report.html of the runs in it, or right below it. Returns the exit code.
int LeaveReport(const std::string& folder, bool quiet);

// The summary, and where the files are.
Json ToJson(const FinishedScenario& scenario);

inline constexpr std::string_view kEvery = kEveryStrategy;
// The strategies that were named, the paper's where there are none, or all for kEvery.
Result<std::vector<std::string>> StrategiesOf(const std::vector<std::string>& names);
// Those of them that can run with the scenario's learning; says which are left out, and why.
std::vector<std::string> FittingOf(const std::vector<std::string>& strategies,
                                   const Scenario& scenario);

// The line above a scenario's tables.
void PrintHeading(const FinishedScenario& scenario);
TableStyle StyleOfTables();

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RUNS_H_
