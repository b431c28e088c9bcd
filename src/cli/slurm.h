// These functions hand a sweep to Slurm (docs/clusters.md).
#ifndef AIRLOT_CLI_SLURM_H_
#define AIRLOT_CLI_SLURM_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "airlot/result.h"
#include "airlot/sweep.h"
#include "cli/command.h"
#include "cluster/slurm_job.h"

namespace airlot::cli {

struct SlurmOptions {
  bool is_wanted = false;
  bool submits = false;
  std::vector<std::string> sbatch;   // options of sbatch
  std::optional<std::size_t> tasks;  // none: one for each cell, up to a limit
  std::optional<std::size_t> tasks_at_a_time;
};
void AddSlurmOptions(CLI::App& command, SlurmOptions& options);

// Returns the job that runs what `command` has parsed, a sweep in `folder`, with so many runs at a
// time in one task, and so many threads in each, or says what stands against it. Nothing is
// written.
Result<cluster::SlurmJob> SlurmJobOf(const CLI::App& command, const std::string& folder,
                                     const Sweep& sweep, int jobs, int threads,
                                     const SlurmOptions& options);
// Writes the scripts of a job: all of them, or none.
Status WriteScripts(const cluster::SlurmJob& job);
// Submits the scripts on demand, and says what there is. Returns the exit code.
int HandToSlurm(const cluster::SlurmJob& job, const std::string& folder, const Sweep& sweep,
                const SlurmOptions& options, const OutputOptions& output);

// Reads "T/N", the T-th of N parts, counted from 1.
Result<SweepPart> ParsePart(const std::string& text);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_SLURM_H_
