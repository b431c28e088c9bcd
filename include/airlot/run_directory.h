// Training runs are written to a run directory (docs/formats.md).
//
//   manifest.json                     what was asked for, by what it was made, and how far it is
//   <strategy>/seed-<n>/devices.csv   one row per device; there from the first checkpoint on
//   <strategy>/seed-<n>/checkpoint    to go on from, and checkpoint.previous, the one before; gone
//                                     when the run is complete
//   <strategy>/seed-<n>/participants.csv.partial   one row per participation so far; gone when the
//                                     run is complete
//   <strategy>/seed-<n>/participants.csv.gz   the same, whole; there when the run is complete
//   <strategy>/seed-<n>/classes.csv   one row per class; there when the run is complete
//   <strategy>/seed-<n>/model.npz     the trained model; there when the run is complete
//   <strategy>/seed-<n>/rounds.csv    one row per round; there when the run is complete
//
// Every file but the partial one appears whole or not at all, so that a run that is killed loses at
// most what it did since its last checkpoint.
#ifndef AIRLOT_RUN_DIRECTORY_H_
#define AIRLOT_RUN_DIRECTORY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "airlot/comparison.h"
#include "airlot/kept_runs.h"
#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot {

namespace base {
class LockFile;
}
namespace runs {
struct Manifest;
}

// ExistingRuns says what to do with a directory that holds runs already.
enum class ExistingRuns : std::uint8_t {
  kRefuse,
  kResume,   // goes on with them; an error if they are of another scenario
  kReplace,  // removes them first, and nothing else
};

// An OpenProblem is why a directory was not opened.
enum class OpenProblem : std::uint8_t {
  kOther,         // the directory cannot be written, or holds something else
  kHoldsRuns,     // it holds runs, and ExistingRuns::kRefuse was given
  kOtherSetting,  // its runs are of another scenario, fleet or data
  kInUse,         // another program is writing to it
};

// A RunDirectory is open for writing: no other program opens it meanwhile. Threads may share it,
// each with runs of its own.
class RunDirectory {
 public:
  // Makes or opens the directory and writes the manifest. An error leaves what is there as it was;
  // `problem` then gets its kind.
  static Result<RunDirectory> Open(const std::string& path, const PreparedComparison& prepared,
                                   ExistingRuns existing, OpenProblem* problem = nullptr);
  // Opens a directory that another process holds open, with the same scenario, fleets and data, and
  // that has this one perform some of the runs: lock and manifest are left to it.
  static Result<RunDirectory> Join(const std::string& path, const PreparedComparison& prepared);
  RunDirectory(RunDirectory&&) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  // Where the manifest still says that the runs go on, the destructor makes it say that they were
  // interrupted.
  ~RunDirectory();

  const std::string& path() const { return path_; }

  // Found is a run that was begun before. Where its checkpoint is damaged, the previous one is
  // taken. Find fails where a file cannot be read or is not of this run, or a link leads elsewhere.
  struct Found {
    KeptRun kept;
    std::optional<RunState> checkpoint;  // where to go on from, at RunStage::kBegun
  };
  Result<Found> Find(const std::string& strategy, std::uint64_t seed) const;

  // Writes the devices of a run, with nothing spent, unless they are there.
  Status Begin(const std::string& strategy, const Setting& setting) const;
  Status SaveCheckpoint(const std::string& strategy, std::uint64_t seed,
                        const RunState& state) const;
  // Writes the files of a complete run and removes its checkpoints.
  Status Complete(const std::string& strategy, const Setting& setting, const RunState& state) const;
  // Removes what a kill left beside the files of a run that is complete.
  Status TidyUp(const std::string& strategy, std::uint64_t seed) const;
  // Returns the folder of a run, which need not be there until MakeFolderOf has made it.
  std::string FolderOf(const std::string& strategy, std::uint64_t seed) const;
  Status MakeFolderOf(const std::string& strategy, std::uint64_t seed) const;

  Status SetStatus(RunStatus status);
  // Closes the directory. Where nothing was written but the manifest, the manifest goes, and the
  // directory with it if Open made it.
  void CloseAndRemoveIfNothingRan();

 private:
  RunDirectory(std::string path, const PreparedComparison& prepared,
               std::shared_ptr<const base::LockFile> lock);
  Status TakeOver(ExistingRuns existing, OpenProblem& problem);
  void Close();
  runs::Manifest ManifestNow(RunStatus status) const;
  Status CheckFolderOf(const std::string& strategy, std::uint64_t seed) const;
  std::string FingerprintOf(const std::string& strategy, std::uint64_t seed) const;

  std::string path_;
  Comparison comparison_;
  std::string scenario_text_;
  Provenance provenance_;
  std::shared_ptr<const base::LockFile> lock_;  // none: the directory is closed
  bool is_new_ = false;
  bool is_joined_ = false;
  bool is_running_ = false;  // whether the manifest says that the runs go on
};

// Removes the runs of a directory and what was made of them, but nothing else; the directory goes
// where it is then empty. It does nothing where there are no runs, and fails where another program
// is writing to it.
Status RemoveRunDirectory(const std::string& path);

}  // namespace airlot

#endif  // AIRLOT_RUN_DIRECTORY_H_
