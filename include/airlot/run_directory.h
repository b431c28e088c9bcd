// The files of one or several training runs of a scenario (docs/formats.md).
//
//   manifest.json                     what was asked for, and how far it is
//   <strategy>/seed-<n>/rounds.csv    one row per round
//   <strategy>/seed-<n>/devices.csv   one row per device
//   <strategy>/seed-<n>/checkpoint    to go on from, and checkpoint.previous, the one before; gone
//                                     when the run is complete
//
// Every file appears whole or not at all, so that a run that is killed loses at most what it did
// since its last checkpoint.
#ifndef AIRLOT_RUN_DIRECTORY_H_
#define AIRLOT_RUN_DIRECTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"
#include "airlot/scenario.h"
#include "airlot/simulation.h"

namespace airlot {

// What a run directory is about.
struct Comparison {
  Scenario scenario;
  std::vector<std::string> strategies;
  std::vector<std::uint64_t> seeds;
};

enum class RunStatus : std::uint8_t { kRunning, kComplete, kInterrupted, kFailed };

// What to do with a directory that holds runs already.
enum class ExistingRuns : std::uint8_t {
  kRefuse,
  kResume,   // go on with them; an error if they are of another scenario
  kReplace,  // remove them first, and nothing else
};

// Threads may share it, each with runs of its own.
class RunDirectory {
 public:
  // Makes or opens it and writes the manifest. An error where it exists and may not be used, holds
  // something else, or cannot be written.
  static Result<RunDirectory> Open(const std::string& path, const Comparison& comparison,
                                   ExistingRuns existing);

  // One that holds runs, to look at: nothing is written. Its comparison is that of the last call.
  static Result<RunDirectory> Look(const std::string& path);

  const std::string& path() const { return path_; }
  const Comparison& comparison() const { return comparison_; }
  // When it was opened.
  RunStatus status() const { return status_; }
  const std::string& version() const { return version_; }  // of the airlot that wrote it

  // A run that was begun before: from its newest checkpoint that is whole, or the files of a
  // complete run. An error where they are of another run, or cannot be read.
  struct Found {
    std::optional<RunState> state;  // none: there is no such run; parameters only if not complete
    bool is_complete = false;
    std::string note;  // what was wrong with checkpoints that could not be used; empty: nothing
  };
  Result<Found> Find(const std::string& strategy, std::uint64_t seed) const;

  Status SaveCheckpoint(const std::string& strategy, std::uint64_t seed,
                        const RunState& state) const;
  // Writes the files of a complete run and removes its checkpoints.
  Status Complete(const std::string& strategy, const Setting& setting, const RunState& state) const;
  Status SetStatus(RunStatus status) const;
  // Where nothing was written but the manifest, removes it, and the directory if Open made it.
  void RemoveIfNothingRan() const;

 private:
  RunDirectory(std::string path, Comparison comparison);
  std::string FileOf(const std::string& strategy, std::uint64_t seed, std::string_view name) const;

  std::string path_;
  Comparison comparison_;
  bool is_new_ = false;
  RunStatus status_ = RunStatus::kRunning;
  std::string version_;
};

}  // namespace airlot

#endif  // AIRLOT_RUN_DIRECTORY_H_
