#include "cluster/slurm_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "base/replacement.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace airlot::cluster {
namespace {

namespace fs = std::filesystem;

// A line of a script ends at a line's end, however it is quoted.
Status CheckLine(const std::string& text) {
  if (std::ranges::none_of(text, base::IsControl)) return {};
  return Error{base::Quoted(text) +
               ": a script of Slurm takes no line breaks or other control "
               "characters here"};
}

// Returns a text in quotes, as sbatch takes it in a line of a script.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// Returns a path of which sbatch takes no part for a pattern such as %j.
std::string WithoutPatterns(std::string_view path) {
  std::string text;
  for (const char c : path) text += c == '%' ? "%%" : std::string(1, c);
  return text;
}

// Returns an option as a line of a script has it: a value that is not plain stands in quotes.
std::string OptionLine(const std::string& option) {
  const std::size_t equals = option.find('=');
  const bool is_plain = option.find_first_of(" \"'#\\", equals) == std::string::npos;
  if (equals == std::string::npos || is_plain) return fmt::format("#SBATCH {}\n", option);
  return fmt::format("#SBATCH {}={}\n", option.substr(0, equals),
                     Quoted(std::string_view(option).substr(equals + 1)));
}

// The scripts say these themselves: an array, and a job that waits for it.
constexpr std::string_view kOwnOptions[] = {"--array", "--dependency", "--output", "--parsable"};
constexpr std::string_view kOwnLetters[] = {"-a", "-d", "-o"};

// An option of sbatch for both jobs must leave them what they are.
Status CheckOption(const std::string& option) {
  const std::string name = option.substr(0, option.find_first_of("= "));
  if (!option.starts_with('-') || name == "-" || name == "--") {
    return Error{fmt::format("--sbatch {}: an option of sbatch begins with -, as --time=2:00:00",
                             base::Quoted(option))};
  }
  const bool is_own =
      std::ranges::find(kOwnOptions, name) != std::end(kOwnOptions) ||
      std::ranges::any_of(kOwnLetters, [&](auto own) { return name.starts_with(own); });
  if (!is_own) return {};
  return Error{fmt::format(
      "--sbatch {}: the scripts have an array, a dependency and logs of their own; --tasks and "
      "--tasks-at-a-time choose the array",
      base::Quoted(option))};
}

std::string CommandText(const std::vector<std::string>& words,
                        const std::vector<std::string>& more) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + base::ShellQuoted(word);
  for (const std::string& word : more) text += " " + base::ShellQuoted(word);
  return text;
}

// The lines that both jobs have. A log grows when a task is run again.
std::string Header(const SlurmJob& job, std::string_view what, std::string_view log) {
  std::string text = fmt::format(
      "#!/bin/bash\n# {}\n#SBATCH --job-name={}\n#SBATCH --output={}\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --cpus-per-task={}\n#SBATCH --requeue\n"
      "# A minute before the time limit the program is told to leave checkpoints.\n"
      "#SBATCH --signal=B:TERM@60\n",
      what, Quoted(job.name), Quoted(WithoutPatterns(job.script_folder + "/") + std::string(log)),
      job.cpus_per_task);
  for (const std::string& option : job.options) text += OptionLine(option);
  return text;
}

std::string CellsText(const SlurmJob& job) {
  return Header(job,
                "Runs the cells of a sweep: each task has a part of them, and goes on where it "
                "stopped.",
                "cells-%a.log") +
         fmt::format(
             "#SBATCH --array=1-{}{}\ncd -- {} || exit\nexec {} \"$SLURM_ARRAY_TASK_ID/{}\"\n",
             job.tasks, job.tasks_at_a_time ? fmt::format("%{}", *job.tasks_at_a_time) : "",
             base::ShellQuoted(job.working_folder), CommandText(job.command, job.of_part),
             job.tasks);
}

std::string CollectText(const SlurmJob& job) {
  return Header(job, "Runs what the tasks have left, and writes the tables and the report.",
                "collect.log") +
         fmt::format("cd -- {} || exit\nexec {}\n", base::ShellQuoted(job.working_folder),
                     CommandText(job.command, job.of_all));
}

std::string SubmitText() {
  return fmt::format(
      "#!/bin/bash\n"
      "# Submits the sweep, and the step that collects its results when all tasks have ended.\n"
      "# Options of this script are options of sbatch. Submitted again, it goes on with what is "
      "left.\n"
      "set -euo pipefail\n"
      "folder=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd)\n"
      "cells=$(sbatch --parsable \"$@\" \"$folder/{0}\")\n"
      "cells=${{cells%%;*}}\n"
      "# Without the step that collects them, no tasks are left in the queue.\n"
      "collect=$(sbatch --parsable \"$@\" --dependency=\"afterany:$cells\" \"$folder/{1}\") || {{\n"
      "  scancel \"$cells\"\n"
      "  exit 1\n"
      "}}\n"
      "echo \"$cells ${{collect%%;*}}\"\n",
      kCellsScript, kCollectScript);
}

// Returns what a program has printed, without the spaces at its end.
std::string PrintedIn(const std::string& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.erase(std::find_if(text.rbegin(), text.rend(), [](char c) { return c > ' '; }).base(),
             text.end());
  return text;
}

// Returns the last line, with '?' for whatever could steer a terminal.
std::string LastLine(const std::string& text) {
  std::string line = text.substr(text.rfind('\n') + 1);
  std::ranges::replace_if(line, base::IsControl, '?');
  return line;
}

}  // namespace

Result<std::vector<base::FileText>> ScriptsOf(const SlurmJob& job) {
  std::vector<std::string> texts = job.command;
  texts.insert(texts.end(), job.options.begin(), job.options.end());
  texts.insert(texts.end(), {job.name, job.working_folder, job.script_folder});
  for (const std::string& text : texts) {
    if (auto status = CheckLine(text); !status) return status.error();
  }
  for (const std::string& option : job.options) {
    if (auto status = CheckOption(option); !status) return status.error();
  }
  if (job.script_folder.find('\\') != std::string::npos) {
    return Error{base::Quoted(job.script_folder) +
                 ": Slurm takes no log in a folder with a backslash in its name: choose another"};
  }
  const auto in_folder = [&](std::string_view name) {
    return (fs::path(job.script_folder) / name).string();
  };
  return std::vector<base::FileText>{{in_folder(kCellsScript), CellsText(job)},
                                     {in_folder(kCollectScript), CollectText(job)},
                                     {in_folder(kSubmitScript), SubmitText()}};
}

Result<SubmittedJobs> Submit(const std::string& script_folder) {
  const std::string output = base::TemporaryFor((fs::path(script_folder) / "submitted").string());
  const auto exit_code =
      base::RunProgram({"bash", (fs::path(script_folder) / kSubmitScript).string()}, output);
  const std::string printed = PrintedIn(output);
  std::error_code ignored;
  fs::remove(output, ignored);
  if (!exit_code) return exit_code.error();
  const std::string by_hand =
      fmt::format("submit it with bash {}",
                  base::ShellQuoted((fs::path(script_folder) / kSubmitScript).string()));
  if (*exit_code == base::kNoSuchProgram) {
    return Error{"there is no sbatch here: where there is, " + by_hand};
  }
  if (*exit_code != 0) {
    return Error{fmt::format("sbatch failed: {}; mend that, and {}", LastLine(printed), by_hand)};
  }
  SubmittedJobs jobs;
  // The numbers stand in the last line; sbatch may have warned before.
  std::istringstream(LastLine(printed)) >> jobs.cells >> jobs.collect;
  return jobs;
}

}  // namespace airlot::cluster
