// This header holds what the commands with training runs share: train, compare and reproduce.
#ifndef AIRLOT_CLI_RUNS_H_
#define AIRLOT_CLI_RUNS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/experiment.h"
#include "airlot/report.h"
#include "cli/command.h"

namespace airlot::cli {

// Returns how many runs there are at a time by default: as many as there are processors, or one
// where mpirun has started several processes.
int JobsByDefault();

struct RunsOptions {
  std::optional<std::string> folder;  // none: a new one is to be made
  bool resume = false;
  bool force = false;
  int jobs = JobsByDefault();
  std::optional<int> threads;  // of each run; none: ThreadsOfEachRun says how many
  double checkpoint_every_s = ExperimentOptions{}.checkpoint_every_s;
  bool no_participants = false;  // no log of who takes part
  OutputOptions output;
};
void AddRunsOptions(CLI::App& command, RunsOptions& options);
// Returns how many threads each of so many runs gets: what was asked for, or else its part of the
// processors, at least one, among the runs that are performed at a time.
int ThreadsOfEachRun(const RunsOptions& options, std::size_t runs);
// Adds the options that say which strategies and seeds are compared.
void AddComparisonOptions(CLI::App& command, std::vector<std::string>& strategies,
                          std::size_t& seeds, std::uint64_t& first_seed);

// Says what to do with runs that are there already.
ExistingRuns ExistingOf(const RunsOptions& options);
// Makes a folder that did not exist: `name`, or else `name`-2, `name`-3, ... Two programs that
// start at once get two.
Result<std::string> MakeNewFolder(const std::string& name);
// Says what the user can do about a directory that was not opened.
std::string_view AdviceOn(OpenProblem problem);
// Says which checkpoints of a run are damaged, and from where it goes on.
std::string NoteOnDamage(const KeptRun& run);
// Says that a run goes on without a log of its participants.
std::string NoteOnNoLog(const KeptRun& run);
// Returns a scenario's name as that of one folder, whatever it contains.
std::string FolderNameOf(const Scenario& scenario);

// A RunsRequest says what is to be run, and where its files go.
struct RunsRequest {
  std::vector<Comparison> comparisons;
  // Each folder has the name of its scenario, below the folder of all.
  bool has_folder_each = false;
  // This folder is used where the user names none, with a number behind it if it exists.
  std::string default_folder;
  // Where mpirun has started several processes, they divide the devices of each run, instead of the
  // runs.
  bool divides_devices = false;
};

// Says whether each scenario has a folder of its own name.
Status CheckNames(const std::vector<Comparison>& comparisons);
// Returns seeds in a row, or says that there are no such numbers.
Result<std::vector<std::uint64_t>> SeedsFrom(std::uint64_t first, std::size_t count);

// A FinishedScenario holds the runs of one scenario when they have ended.
struct FinishedScenario {
  Comparison comparison;
  std::string folder;
  std::vector<RunResult> runs;
  std::vector<StrategySummary> summaries;
};
struct FinishedRuns {
  int exit_code = kDone;  // Where it is another, what went wrong has been said.
  // Says whether this process writes and says what came out: others have only helped.
  bool is_first = true;
  std::string folder;  // folder of all scenarios
  std::vector<FinishedScenario> scenarios;
};
// Performs all runs, scenario after scenario, and writes their files. Every scenario and every seed
// is prepared, and so checked, before the first run begins.
FinishedRuns PerformRuns(const RunsRequest& plan, const RunsOptions& options);

// Writes `folder`/report.html of the runs in it, or right below it. Returns the exit code.
int LeaveReport(const std::string& folder, bool quiet, bool has_heat_maps = false);

// The JSON holds the summary, and where the files are.
Json ToJson(const FinishedScenario& scenario);

inline constexpr std::string_view kEvery = kEveryStrategy;
std::vector<std::string> StrategyNames();
// Returns the strategies that were named, the paper's where there are none, or all for kEvery.
Result<std::vector<std::string>> StrategiesOf(const std::vector<std::string>& names);
// Returns those of some known strategies that can run with a scenario's learning, and says which
// are left out and why; `where` follows, such as " of the cell rounds=8".
std::vector<std::string> FittingIn(const Scenario& scenario, std::vector<std::string> strategies,
                                   std::string_view where = "");
// Returns the strategies that are compared in a scenario where these names were given, which
// StrategiesOf takes: without names the scenario's first one and the paper's, and for kEvery those
// that fit in it.
std::vector<std::string> StrategiesIn(const Scenario& scenario,
                                      const std::vector<std::string>& names);

// Prints the lines above a scenario's tables, which say what the times in them count.
void PrintHeading(const FinishedScenario& scenario);
// Prints which strategy to use, and why.
void PrintVerdict(const FinishedScenario& scenario);
TableStyle StyleOfTables();

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RUNS_H_
