#include "cli/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "base/atomic_file.h"
#include "base/text.h"
#include "cli/terminal.h"
#include "runs/file_names.h"
#include "runs/files.h"

namespace airlot::cli {
namespace {

namespace fs = std::filesystem;

// Slurm takes no array of more tasks unless its administrator allows it (MaxArraySize is 1001).
constexpr std::size_t kMostTasks = 1000;
constexpr int kMostTasksEver = 4'000'000;  // that it takes at all

// The scripts have these options of their own.
bool IsOfTheScripts(const CLI::Option& option) {
  constexpr std::string_view kOwn[] = {"--output",  "--resume", "--force", "--jobs",
                                       "--threads", "--json",   "--quiet", "--slurm",
                                       "--submit",  "--sbatch", "--tasks", "--tasks-at-a-time"};
  return std::ranges::any_of(
      kOwn, [&](std::string_view name) { return option.check_name(std::string(name)); });
}

// Returns the words that give a command what it was given, but for the scripts' own options.
std::vector<std::string> WordsOf(const CLI::App& command) {
  std::vector<std::string> words;
  std::map<const CLI::Option*, std::size_t> taken;  // of each option, how many results
  for (const CLI::Option* option : command.parse_order()) {
    const auto& results = option->results();
    std::size_t& next = taken[option];
    if (IsOfTheScripts(*option) || next >= results.size()) continue;
    const bool is_list = option->get_delimiter() != '\0';
    const std::string value =
        is_list ? CLI::detail::join(results, std::string(1, option->get_delimiter()))
                : results[next];
    next = is_list ? results.size() : next + 1;
    const std::string name = option->get_lnames().empty() ? "" : "--" + option->get_lnames()[0];
    if (name.empty()) {
      words.insert(words.begin(), value);
    } else {
      words.push_back(fmt::format("{}={}", name, value));  // A flag takes a value, too.
    }
  }
  return words;
}

Result<std::string> ThisProgram() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{"cannot tell where this program lies: " + error.message()};
  return path.string();
}

Json ToJson(const std::string& folder, const cluster::SlurmJob& job,
            const std::optional<cluster::SubmittedJobs>& jobs) {
  Json json{{"folder", folder}, {"tasks", job.tasks}, {"scripts", Json::array()}};
  for (const auto name : {cluster::kCellsScript, cluster::kCollectScript, cluster::kSubmitScript}) {
    json["scripts"].push_back((fs::path(job.script_folder) / name).string());
  }
  json["job"] = jobs ? Json(jobs->cells) : Json();
  json["collecting_job"] = jobs ? Json(jobs->collect) : Json();
  return json;
}

void PrintText(const Sweep& sweep, const cluster::SlurmJob& job,
               const std::optional<cluster::SubmittedJobs>& jobs) {
  const std::size_t cells = CellCount(sweep.grid);
  Print("{}: {} cell{} in {} task{} of an array job, scripts in {}\n", sweep.name, cells,
        cells == 1 ? "" : "s", job.tasks, job.tasks == 1 ? "" : "s", job.script_folder);
  if (jobs) {
    Print("Slurm runs them as job {}, and collects the results as job {}: see squeue.\n",
          jobs->cells, jobs->collect);
  } else {
    const auto script = fs::path(job.script_folder) / cluster::kSubmitScript;
    Print("Submit it: bash {}\n", base::ShellQuoted(script.string()));
  }
}

}  // namespace

void AddSlurmOptions(CLI::App& command, SlurmOptions& options) {
  auto* slurm = command.add_flag("--slurm", options.is_wanted,
                                 "Run nothing: write an array job of Slurm that does");
  auto* submit = command.add_flag("--submit", options.submits, "Submit that job, too");
  auto* sbatch = command.add_option("--sbatch", options.sbatch,
                                    "An option of sbatch, as --time=2:00:00; repeatable");
  sbatch->allow_extra_args(false)->type_name("OPTION");
  auto* tasks =
      command.add_option("--tasks", options.tasks, "Tasks of the array (one a cell, up to 1000)");
  tasks->check(WholeNumberIn(1, kMostTasksEver));
  auto* at_a_time = command.add_option("--tasks-at-a-time", options.tasks_at_a_time,
                                       "Tasks that run at a time (all that Slurm allows)");
  at_a_time->check(WholeNumberIn(1, kMostTasksEver));
  for (CLI::Option* option : {submit, sbatch, tasks, at_a_time}) option->needs(slurm);
}

Result<cluster::SlurmJob> SlurmJobOf(const CLI::App& command, const std::string& folder,
                                     const Sweep& sweep, int jobs, int threads,
                                     const SlurmOptions& options) {
  if (sweep.scenario_file &&
      (sweep.scenario_file->starts_with("/dev/") || sweep.scenario_file->starts_with("/proc/"))) {
    return Error{
        "--slurm: the scenario came through a pipe, which the tasks cannot read: save it "
        "to a file"};
  }
  auto program = ThisProgram();
  if (!program) return program.error();
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return Error{"cannot tell the current folder: " + error.message()};
  const std::string absolute = fs::weakly_canonical(here / folder, error).string();
  if (error) return Error{folder + ": cannot tell where it lies: " + error.message()};
  cluster::SlurmJob job{
      .name = "airlot-" + sweep.name,
      .working_folder = here.string(),
      .script_folder = (fs::path(absolute) / runs::kSlurmFolder).string(),
      .command = {*program, command.get_name()},
      .of_part = {"--part"},
      .of_all = {"--resume"},
      .tasks = options.tasks.value_or(std::min(CellCount(sweep.grid), kMostTasks)),
      .tasks_at_a_time = options.tasks_at_a_time,
      .cpus_per_task = jobs * threads,
      .options = options.sbatch};
  for (std::string& word : WordsOf(command)) job.command.push_back(std::move(word));
  for (std::string word : {fmt::format("--jobs={}", jobs), fmt::format("--threads={}", threads),
                           "--output=" + absolute, std::string("--quiet")}) {
    job.command.push_back(std::move(word));
  }
  if (const auto scripts = cluster::ScriptsOf(job); !scripts) return scripts.error();
  return job;
}

Status WriteScripts(const cluster::SlurmJob& job) {
  const auto scripts = cluster::ScriptsOf(job);
  if (!scripts) return scripts.error();
  if (const auto made = runs::MakeFolder(job.script_folder); !made) return made.error();
  auto written = base::WriteAllWhole(*scripts);
  if (!written) runs::RemoveIfEmpty(job.script_folder);
  return written;
}

int HandToSlurm(const cluster::SlurmJob& job, const std::string& folder, const Sweep& sweep,
                const SlurmOptions& options, const OutputOptions& output) {
  std::optional<cluster::SubmittedJobs> jobs_there;
  if (options.submits) {
    auto submitted = cluster::Submit(job.script_folder);
    if (!submitted) return Report(submitted.error());
    jobs_there = std::move(*submitted);
  }
  if (output.json) {
    PrintExactly(TextOf(ToJson(folder, job, jobs_there)));
  } else {
    PrintText(sweep, job, jobs_there);
  }
  return kDone;
}

Result<SweepPart> ParsePart(const std::string& text) {
  std::size_t number = 0, count = 0;
  const char* end = text.data() + text.size();
  const auto [slash, fault] = std::from_chars(text.data(), end, number);
  const bool has_number = fault == std::errc() && slash != end && *slash == '/';
  if (has_number) {
    const auto [last, other_fault] = std::from_chars(slash + 1, end, count);
    if (other_fault == std::errc() && last == end && number >= 1 && number <= count) {
      return SweepPart{number - 1, count};
    }
  }
  return Error{
      fmt::format("--part {}: must be T/N with T from 1 to N, as 3/10", base::Quoted(text))};
}

}  // namespace airlot::cli
