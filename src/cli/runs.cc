#include "cli/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/processors.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/data_sets.h"
#include "cli/ranks.h"
#include "cli/repetition.h"
#include "cli/run_notes.h"
#include "cli/run_progress.h"
#include "cli/terminal.h"
#include "runs/file_names.h"

namespace airlot::cli {
namespace {

constexpr int kMostJobs = 1024;
// A round has about ten pieces of work for threads or some more; threads without any cost time,
// too.
constexpr int kMostThreadsByDefault = 16;

std::vector<RunProgress::Task> TasksOf(const std::vector<Comparison>& comparisons) {
  std::vector<RunProgress::Task> tasks;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const Comparison& comparison = comparisons[i];
    const std::string number = comparisons.size() == 1 ? "" : fmt::format("{}: ", i + 1);
    for (const std::string& strategy : comparison.strategies) {
      for (const std::uint64_t seed : comparison.seeds) {
        tasks.push_back(
            {fmt::format("{}{}, seed {}", number, strategy, seed), comparison.scenario.rounds});
      }
    }
  }
  return tasks;
}

std::vector<std::string> WithEvery(std::vector<std::string> strategies) {
  strategies.emplace_back(kEvery);
  return strategies;
}

// --- Before the first run ------------------------------------------------------------------------

// PreparationProgress says on standard error how many of all seeds are prepared.
class PreparationProgress {
 public:
  PreparationProgress(const std::vector<Comparison>& comparisons, bool quiet)
      : progress_("preparing", quiet) {
    for (const Comparison& comparison : comparisons) seeds_ += comparison.seeds.size();
  }
  void Read(const std::string& dataset) { progress_.Say("reading " + dataset); }
  void Prepare() { progress_.Say(fmt::format("preparing seed {} of {}", prepared_ + 1, seeds_)); }
  void AfterSeed() {
    ++prepared_;
    progress_(double(prepared_) / double(seeds_));
    if (prepared_ < seeds_) Prepare();
  }

 private:
  Progress progress_;
  std::size_t prepared_ = 0, seeds_ = 0;
};

// A scenario may charge for another number of parameters than the model has, and that has to show.
void NoteOnParameters(const ModelChoice& model, const ImageShape& shape) {
  if (!model.parameters || !CheckModel(model, shape)) return;
  const std::size_t own = ParameterCount(ModelOf(model), shape);
  if (double(own) == *model.parameters) return;
  Warn(
      "note: model.parameters = {}: updates are charged as so many, but the model that is trained, "
      "{}, has {}; leave the key out to charge for those\n",
      base::FormatNumber(*model.parameters), model.name, Count(own));
}

Result<std::vector<PreparedComparison>> PrepareAll(const std::vector<Comparison>& comparisons,
                                                   const RunsOptions& options) {
  PreparationProgress progress(comparisons, options.output.quiet);
  DataSets data;
  std::vector<PreparedComparison> all;
  for (const Comparison& comparison : comparisons) {
    progress.Read(comparison.scenario.data.dataset.value_or(""));
    const auto dataset = data.Get(comparison.scenario.data, options.jobs);
    if (!dataset) return dataset.error();
    progress.Prepare();
    NoteOnParameters(comparison.scenario.model, ShapeOf((*dataset)->train));
    auto prepared = PrepareComparison(
        comparison, *dataset,
        {.threads = options.jobs, .after_seed = [&](const Setting&) { progress.AfterSeed(); }});
    if (!prepared) return prepared.error();
    all.push_back(std::move(*prepared));
  }
  return all;
}

// Opens the directories of all scenarios, or none of them.
Result<std::vector<RunDirectory>> OpenAll(const std::vector<PreparedComparison>& prepared,
                                          const std::vector<std::string>& folders,
                                          ExistingRuns existing) {
  std::vector<RunDirectory> directories;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    OpenProblem problem;
    auto directory = RunDirectory::Open(folders[i], prepared[i], existing, &problem);
    if (!directory) {
      for (RunDirectory& opened : directories) opened.CloseAndRemoveIfNothingRan();
      return Error{directory.error().message + std::string(AdviceOn(problem))};
    }
    directories.push_back(std::move(*directory));
  }
  return directories;
}

std::vector<std::string> FoldersOf(const RunsRequest& plan, const std::string& folder) {
  std::vector<std::string> folders;
  for (const Comparison& comparison : plan.comparisons) {
    folders.push_back(plan.has_folder_each ? folder + "/" + FolderNameOf(comparison.scenario)
                                           : folder);
  }
  return folders;
}

// --- The runs ------------------------------------------------------------------------------------

// Together is with whom the runs are performed, where there is anybody.
struct Together {
  Crew* crew = nullptr;
  Team* team = nullptr;
};

Result<FinishedScenario> PerformScenario(const PreparedComparison& prepared,
                                         RunDirectory& directory, const RunsOptions& options,
                                         const Together& together, std::size_t first_run,
                                         RunProgress& progress) {
  const ExperimentOptions experiment{
      .jobs = options.jobs,
      .threads = ThreadsOfEachRun(
          options, prepared.comparison.strategies.size() * prepared.comparison.seeds.size()),
      .checkpoint_every_s = options.checkpoint_every_s,
      .logs_participants = !options.no_participants,
      .after_round =
          [&](std::size_t run, const RunState& state) {
            const bool is_over = IsOver(prepared.comparison.scenario, state.records);
            progress.Show(first_run + run, state, is_over);
            return base::InterruptThatCame() == 0;
          },
      .damaged = [&](const KeptRun& run) { progress.Note(NoteOnDamage(run)); },
      .unlogged = [&](const KeptRun& run) { progress.Note(NoteOnNoLog(run)); },
      .crew = together.crew,
      .team = together.team};
  auto runs = RunExperiment(prepared, directory, experiment);
  if (!runs) return runs.error();
  FinishedScenario scenario{
      .comparison = prepared.comparison, .folder = directory.path(), .runs = std::move(*runs)};
  if (base::InterruptThatCame() != 0) return scenario;
  for (const std::string& note : NotesOn(scenario.comparison.scenario, scenario.runs)) {
    progress.Note(note);
  }
  scenario.summaries = SummarizeRuns(scenario.runs, scenario.comparison.scenario.targets);
  if (auto status = WriteSummary(scenario.comparison.scenario, scenario.folder, scenario.summaries);
      !status) {
    return status.error();
  }
  return scenario;
}

// Goes through scenario after scenario, until an error or an interrupt. Directories in which
// nothing ran are gone then.
Status PerformAll(const std::vector<PreparedComparison>& prepared,
                  std::vector<RunDirectory>& directories, const RunsOptions& options,
                  const Together& together, RunProgress& progress,
                  std::vector<FinishedScenario>& finished) {
  Status status;
  std::size_t first_run = 0;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    if (status && base::InterruptThatCame() == 0) {
      auto scenario =
          PerformScenario(prepared[i], directories[i], options, together, first_run, progress);
      if (scenario) {
        first_run += scenario->runs.size();
        finished.push_back(std::move(*scenario));
        continue;
      }
      status = scenario.error();
    }
    directories[i].CloseAndRemoveIfNothingRan();
  }
  return status;
}

// Opens the directories of all scenarios, in a folder that is made where the user names none.
Result<std::vector<RunDirectory>> OpenFor(const RunsRequest& plan,
                                          const std::vector<PreparedComparison>& prepared,
                                          const RunsOptions& options, FinishedRuns& done) {
  if (!options.folder) {
    auto folder = MakeNewFolder(plan.default_folder);
    if (!folder) return folder.error();
    done.folder = std::move(*folder);
  }
  return OpenAll(prepared, FoldersOf(plan, done.folder), ExistingOf(options));
}

Status PerformPrepared(const RunsRequest& plan, const std::vector<PreparedComparison>& prepared,
                       const RunsOptions& options, FinishedRuns& done) {
  auto directories = OpenFor(plan, prepared, options, done);
  cluster::Ranks* const ranks = JoinedRanks();
  if (ranks != nullptr) {
    ShareFolders(directories ? FoldersOf(plan, done.folder) : std::vector<std::string>());
  }
  if (!directories) return directories.error();
  RunProgress progress(TasksOf(plan.comparisons), options.output.quiet);
  if (ranks == nullptr) {
    return PerformAll(prepared, *directories, options, {}, progress, done.scenarios);
  }
  if (plan.divides_devices) {
    auto status =
        PerformAll(prepared, *directories, options, {.team = ranks}, progress, done.scenarios);
    EndFollowing(*ranks);
    return status;
  }
  cluster::RankCrew crew(*ranks,
                         CrewOptions([&](const std::string& note) { progress.Note(note); }));
  auto status =
      PerformAll(prepared, *directories, options, {.crew = &crew}, progress, done.scenarios);
  EndCrew(crew);
  return status;
}

// --- Other ranks than the first ------------------------------------------------------------------

// Says what all ranks must have in common.
std::vector<cluster::Claim> ClaimsOf(const RunsRequest& plan,
                                     const std::vector<PreparedComparison>& prepared) {
  std::vector<std::string> what{plan.divides_devices ? "devices" : "runs"}, scenarios, fleets;
  for (const PreparedComparison& one : prepared) {
    scenarios.push_back(FormatScenario(one.comparison.scenario));
    for (const std::string& strategy : one.comparison.strategies) what.push_back(strategy);
    for (const PreparedSeed& seed : one.seeds) {
      what.push_back(fmt::format("{}", seed.seed));
      fleets.push_back(seed.setting_digest);
    }
    fleets.push_back(one.dataset_digest);
  }
  return {ClaimOf("what it runs", what, "give all ranks the same command"),
          ClaimOf("the scenario", scenarios, "give all ranks the same file and the same options"),
          ClaimOf("the fleet or the data", fleets, "let all ranks read the same files")};
}

// Performs what the first rank deals in a scenario. A rank that cannot join its folder says so for
// every run that it gets.
void AssistIn(const PreparedComparison& prepared, const std::string& folder,
              const RunsOptions& options, cluster::RankCrew& crew) {
  const std::size_t runs = prepared.comparison.strategies.size() * prepared.comparison.seeds.size();
  auto directory = RunDirectory::Join(folder, prepared);
  if (!directory) {
    return crew.Perform({.tasks = runs,
                         .jobs = options.jobs,
                         .perform = [&](std::size_t) { return Status(directory.error()); },
                         .has_stopped = [] { return false; },
                         .stop = [] {}});
  }
  const ExperimentOptions experiment{
      .jobs = options.jobs,
      .threads = ThreadsOfEachRun(options, runs),
      .checkpoint_every_s = options.checkpoint_every_s,
      .logs_participants = !options.no_participants,
      .after_round = [](std::size_t, const RunState&) { return base::InterruptThatCame() == 0; },
      .damaged = [](const KeptRun& run) { WriteNote(NoteOnDamage(run)); },
      .unlogged = [](const KeptRun& run) { WriteNote(NoteOnNoLog(run)); },
      .crew = &crew};
  static_cast<void>(RunExperiment(prepared, *directory, experiment));  // The first rank knows.
}

int Assist(const RunsRequest& plan, const std::vector<PreparedComparison>& prepared,
           const RunsOptions& options) {
  const base::InterruptsNoted noted;
  const std::vector<std::string> folders = ShareFolders({});
  if (folders.empty()) return kBadInput;
  if (plan.divides_devices) {
    FollowExperiment(prepared[0], {.threads = ThreadsOfEachRun(options, 1), .team = JoinedRanks()});
    return kDone;
  }
  cluster::RankCrew crew(*JoinedRanks(), CrewOptions({}));
  for (std::size_t i = 0; i < prepared.size() && !crew.is_closed(); ++i) {
    AssistIn(prepared[i], folders[i], options, crew);
  }
  EndCrew(crew);
  return kDone;
}

}  // namespace

int JobsByDefault() {
  if (JoinedRanks() != nullptr) return 1;  // Whoever starts them says how many there are.
  return std::min(base::UsableProcessors(), kMostJobs);
}

int ThreadsOfEachRun(const RunsOptions& options, std::size_t runs) {
  if (options.threads) return *options.threads;
  const int at_a_time = int(std::clamp<std::size_t>(runs, 1, std::size_t(options.jobs)));
  return std::clamp(JobsByDefault() / at_a_time, 1, kMostThreadsByDefault);
}

ExistingRuns ExistingOf(const RunsOptions& options) {
  if (options.force) return ExistingRuns::kReplace;
  return options.resume ? ExistingRuns::kResume : ExistingRuns::kRefuse;
}

Result<std::string> MakeNewFolder(const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(name).parent_path(), error);
  std::string folder = name;
  for (int i = 2; !error; ++i) {
    if (std::filesystem::create_directory(folder, error)) return folder;
    // What is there and no folder counts as taken, too.
    if (error == std::errc::file_exists) error.clear();
    if (!error) folder = fmt::format("{}-{}", name, i);
  }
  return Error{fmt::format("{}: cannot make this folder: {}", folder, error.message())};
}

std::string_view AdviceOn(OpenProblem problem) {
  switch (problem) {
    case OpenProblem::kHoldsRuns:
      return ": add --resume to go on with them, or --force to replace them";
    case OpenProblem::kOtherSetting:
      return ": choose another directory, or --force instead of --resume to replace them";
    case OpenProblem::kInUse:
    case OpenProblem::kOther:
      break;
  }
  return "";
}

std::string NoteOnDamage(const KeptRun& run) {
  std::string note;
  for (const DamagedCheckpoint& checkpoint : run.damaged) {
    note += fmt::format("{}{}: {}", note.empty() ? "" : "; ", checkpoint.file, checkpoint.damage);
  }
  return run.stage == RunStage::kBegun
             ? fmt::format("{}: the run goes on from {}", note, runs::kPreviousFile)
             : note + ": the run starts from the beginning";
}

std::string NoteOnNoLog(const KeptRun& run) {
  return fmt::format(
      "{}, seed {}: the run began without a log of participants, and goes on without", run.strategy,
      run.seed);
}

void AddRunsOptions(CLI::App& command, RunsOptions& options) {
  auto* folder =
      command.add_option("-o,--output", options.folder, "Folder for the runs (a new one in runs/)");
  folder->check(kNotEmpty)->type_name("FOLDER");
  auto* resume = command.add_flag("--resume", options.resume, "Go on with the runs in the folder");
  auto* force = command.add_flag("--force", options.force, "Replace the runs in the folder");
  for (CLI::Option* option : {resume, force}) option->needs(folder);
  force->excludes(resume);
  command.add_option("--jobs", options.jobs, "Runs at a time")
      ->check(WholeNumberIn(1, kMostJobs))
      ->capture_default_str();
  command
      .add_option("--threads", options.threads,
                  "Threads of each run (processors that --jobs leaves)")
      ->check(WholeNumberIn(1, kMostJobs));
  command
      .add_option("--checkpoint-every-s", options.checkpoint_every_s,
                  "Seconds between two checkpoints of a run")
      ->check(NumberIn(0, 1e9))
      ->capture_default_str();
  command.add_flag("--no-participants", options.no_participants,
                   "Keep no log of who takes part in each round");
  AddOutputOptions(command, options.output);
}

void AddComparisonOptions(CLI::App& command, std::vector<std::string>& strategies,
                          std::size_t& seeds, std::uint64_t& first_seed) {
  command.add_option("--strategies", strategies, "Which, or 'every'; by default the paper's")
      ->delimiter(',')
      ->transform(kTrimmed)
      ->check(Offers(WithEvery(StrategyNames())))
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command.add_option("--seeds", seeds, "Runs of each strategy")
      ->check(WholeNumberIn(1, 100000))
      ->capture_default_str();
  command.add_option("--seed", first_seed, "The first seed")->check(kSeed)->capture_default_str();
}

std::string FolderNameOf(const Scenario& scenario) {
  std::string name(base::CutToBytes(scenario.name, 100));
  for (char& c : name) {
    if (c == '/' || base::IsControl(c)) c = '-';
  }
  if (name.empty() || name[0] == '.' || name[0] == '-') name.insert(0, "scenario");
  return name;
}

Status CheckNames(const std::vector<Comparison>& comparisons) {
  std::set<std::string> names;
  for (const Comparison& comparison : comparisons) {
    if (names.insert(FolderNameOf(comparison.scenario)).second) continue;
    return Error{fmt::format("two scenarios are called {}: give each a name of its own",
                             base::Quoted(comparison.scenario.name))};
  }
  return {};
}

Result<std::vector<std::uint64_t>> SeedsFrom(std::uint64_t first, std::size_t count) {
  if (first + (count - 1) < first) {
    return Error{fmt::format("--seed {}: {} seeds from there on are beyond the largest number, {}",
                             first, count, UINT64_MAX)};
  }
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

FinishedRuns PerformRuns(const RunsRequest& plan, const RunsOptions& options) {
  FinishedRuns done{.folder = options.folder.value_or("")};
  // What can be wrong with the input comes first and the folders come second, so that nothing is
  // replaced in vain.
  const auto prepared = PrepareAll(plan.comparisons, options);
  if (!prepared) {
    done.exit_code = Report(prepared.error());
    return done;
  }
  if (JoinedRanks() != nullptr) {
    done.is_first = IsFirstRank();
    if (const auto met = MeetRanks(ClaimsOf(plan, *prepared)); !met) {
      done.exit_code = done.is_first ? Report(met.error()) : kBadInput;
      return done;
    }
    if (!done.is_first) {
      done.exit_code = Assist(plan, *prepared, options);
      return done;
    }
  }
  Status status;
  {
    // Later interrupts, while the report is written, end the program at once.
    const base::InterruptsNoted noted;
    status = PerformPrepared(plan, *prepared, options, done);
  }
  // The folder that was made here is removed only if nothing ran in it.
  std::error_code not_empty;
  if (!options.folder) std::filesystem::remove(done.folder, not_empty);
  if (!status) {
    done.exit_code = Report(status.error());
  } else if (const int signal = base::InterruptThatCame(); signal != 0) {
    Warn("the runs were interrupted: add --resume -o {} to go on\n", done.folder);
    done.exit_code = 128 + signal;
  }
  return done;
}

int LeaveReport(const std::string& folder, bool quiet, bool has_heat_maps) {
  const Progress progress("writing the report", quiet);
  // The runs have just ended: what is left out has been said.
  const auto left_out = WriteReport(folder, {.file = ReportFileOf(folder),
                                             .repetition = RunsRepetition,
                                             .sweep_repetition = SweepRepetition,
                                             .has_heat_maps = has_heat_maps});
  return left_out ? kDone : Report(left_out.error());
}

Json ToJson(const FinishedScenario& scenario) {
  Json json = Json::parse(SummaryJson(scenario.comparison.scenario, scenario.summaries));
  json["folder"] = scenario.folder;
  return json;
}

std::vector<std::string> StrategyNames() {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : Strategies()) names.emplace_back(entry.name);
  return names;
}

Result<std::vector<std::string>> StrategiesOf(const std::vector<std::string>& names) {
  const auto papers = PaperStrategies();
  if (names.empty()) return std::vector<std::string>(papers.begin(), papers.end());
  const std::vector<std::string> known = StrategyNames();
  if (names == std::vector<std::string>{std::string(kEvery)}) return known;
  if (std::ranges::find(names, kEvery) != names.end()) {
    return Error{"every stands alone: leave the other strategies out"};
  }
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) {
      return Error{fmt::format("strategy {} is given twice", *name)};
    }
    if (FindStrategy(*name) == nullptr) {
      const std::vector<std::string_view> views(known.begin(), known.end());
      const auto nearest = base::NearestName(*name, views);
      return Error{fmt::format("unknown strategy {}: {}'airlot list strategies' shows all",
                               base::Quoted(*name),
                               nearest ? fmt::format("did you mean {}? ", *nearest) : "")};
    }
  }
  return names;
}

std::vector<std::string> FittingIn(const Scenario& scenario, std::vector<std::string> strategies,
                                   std::string_view where) {
  std::erase_if(strategies, [&](const std::string& strategy) {
    const auto status = CheckStrategy(*FindStrategy(strategy), scenario);
    if (!status) Warn("note: {} is left out{}: {}\n", strategy, where, status.error().message);
    return !status.ok();
  });
  return strategies;
}

std::vector<std::string> StrategiesIn(const Scenario& scenario,
                                      const std::vector<std::string>& names) {
  std::vector<std::string> strategies = *StrategiesOf(names);
  if (names.empty()) {
    std::erase(strategies, scenario.first_strategy);
    strategies.insert(strategies.begin(), scenario.first_strategy);
  }
  const bool is_every = names == std::vector<std::string>{std::string(kEvery)};
  return is_every ? FittingIn(scenario, std::move(strategies)) : strategies;
}

}  // namespace airlot::cli
