// Kept runs are what a run directory holds, for those who go on with it or report on it
// (docs/formats.md).
#ifndef AIRLOT_KEPT_RUNS_H_
#define AIRLOT_KEPT_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "airlot/comparison.h"
#include "airlot/device_table.h"
#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot {

// RunStatus says how the last call ended. A program that was killed leaves kRunning.
enum class RunStatus : std::uint8_t { kRunning, kComplete, kInterrupted, kFailed };

// Provenance says by what the last call made runs, and which seeds any call has prepared. Manifests
// of earlier versions say only the version and the target.
struct Provenance {
  std::string version;      // version of airlot
  std::string simd_target;  // vector instructions that were in use
  std::optional<std::string> dataset_digest;
  Score score = Score::kAccuracy;   // what is kept as accuracy
  std::vector<PreparedSeed> seeds;  // every seed that was ever prepared, in rising order
};

// The bytes of a DamagedCheckpoint are not those that were written.
struct DamagedCheckpoint {
  std::string file;
  std::string damage;  // "its checksum does not match"
};

enum class RunStage : std::uint8_t {
  kNotBegun,  // there is nothing to go on from
  kBegun,     // the run has come as far as its checkpoint
  kComplete,
};

// A KeptRun is one run, as far as it has come.
struct KeptRun {
  std::string strategy;
  std::uint64_t seed = 1;
  RunStage stage = RunStage::kNotBegun;
  std::vector<RoundRecord> records;
  // There are no devices where the run has not begun, nor in a run of an earlier version that is
  // not complete.
  std::optional<DeviceTable> devices;
  // These three remain of the devices where a reader has taken the table away (ReadRuns).
  std::optional<std::size_t> device_count;
  std::optional<double> fairness;  // Jain's index of the participations; none: nobody took part
  std::optional<BudgetUse> budget;
  // This is the accuracy of each class at the end of a complete run, NaN where the class has no
  // test image. It is empty in runs of earlier versions.
  std::vector<double> class_accuracy;
  std::vector<DamagedCheckpoint> damaged;  // those that were passed over
};

// An UnreadableRun has files that cannot be used.
struct UnreadableRun {
  std::string strategy;
  std::uint64_t seed = 1;
  std::string fault;
};

struct KeptRuns {
  std::string directory;
  RunStatus status = RunStatus::kRunning;
  Comparison comparison;  // what the last call asked for
  Provenance provenance;
  std::vector<KeptRun> runs;  // strategy by strategy, seed by seed, without the unreadable ones
  std::vector<UnreadableRun> unreadable;
};

// Reads a run directory, also one that another program is writing to: nothing is changed. Where
// `after_run` is given, it is told of each run that can be read, one after another; it may look at
// the run's devices and take them away, so that those of all runs are never in memory at once.
Result<KeptRuns> ReadRuns(const std::string& directory,
                          const std::function<void(KeptRun& run)>& after_run = {});

// Says whether there is a manifest, so that ReadRuns can be tried.
bool HoldsRuns(const std::string& directory);

// A ModelOrigin is the run that made a model.
struct ModelOrigin {
  std::string manifest;  // the file, for messages
  std::string strategy;
  std::uint64_t seed = 1;
  std::string scenario;  // text for ParseScenario
  std::optional<std::string> dataset_digest;
};
// A KeptModel is a file for ReadModel (airlot/model_file.h).
struct KeptModel {
  std::string file;
  std::optional<ModelOrigin> origin;  // none: the file does not lie in the folder of a run
};
// Finds the model that a path means: a file, which need not be there, the folder of a complete run,
// or a run directory with one complete run. An error says which other path to give.
Result<KeptModel> FindKeptModel(const std::string& path);

}  // namespace airlot

#endif  // AIRLOT_KEPT_RUNS_H_
