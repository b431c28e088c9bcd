// A SlurmJob runs a sweep as an array job of Slurm, and collects its results (docs/clusters.md).
#ifndef AIRLOT_CLUSTER_SLURM_JOB_H_
#define AIRLOT_CLUSTER_SLURM_JOB_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"
#include "base/atomic_file.h"

namespace airlot::cluster {

inline constexpr std::string_view kCellsScript = "cells.sh";
inline constexpr std::string_view kCollectScript = "collect.sh";
inline constexpr std::string_view kSubmitScript = "submit.sh";

struct SlurmJob {
  std::string name;                  // of the job, as the queue shows it
  std::string working_folder;        // absolute; the command runs there
  std::string script_folder;         // absolute; the scripts and the logs lie there
  std::vector<std::string> command;  // runs the sweep; the first word is the program
  std::vector<std::string> of_part;  // words that the command has for a part, before "T/N"
  std::vector<std::string> of_all;   // words that the command has for what is left of all
  std::size_t tasks = 1;             // number of parts
  std::optional<std::size_t> tasks_at_a_time = {};  // as many as Slurm allows, where not given
  int cpus_per_task = 1;
  std::vector<std::string> options = {};  // options of sbatch for both jobs, as the user gave them
};

// Returns the three scripts, or says which text cannot stand in one.
Result<std::vector<base::FileText>> ScriptsOf(const SlurmJob& job);

// SubmittedJobs are the numbers that Slurm has given.
struct SubmittedJobs {
  std::string cells;
  std::string collect;
};
// Submits the scripts that lie in a folder.
Result<SubmittedJobs> Submit(const std::string& script_folder);

}  // namespace airlot::cluster

#endif  // AIRLOT_CLUSTER_SLURM_JOB_H_
