// These are the names of all files in a run directory (docs/formats.md).
#ifndef AIRLOT_RUNS_FILE_NAMES_H_
#define AIRLOT_RUNS_FILE_NAMES_H_

#include <array>
#include <string_view>

namespace airlot::runs {

inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kSummaryFile = "summary.json";
inline constexpr std::string_view kReportFile = "report.html";
inline constexpr std::string_view kLockFile = ".lock";
// This folder is of who runs live devices, and may be there before the first run (docs/live.md).
inline constexpr std::string_view kLiveFolder = "live";
inline constexpr std::array kTopFiles{kManifestFile, kSummaryFile, kReportFile};

// A sweep has these files, and a run directory for each cell below `cells`.
inline constexpr std::string_view kSweepFile = "sweep.json";
inline constexpr std::string_view kSweepRunsFile = "runs.csv";
inline constexpr std::string_view kSweepCellsFile = "cells.csv";
inline constexpr std::string_view kCellsFolder = "cells";
// This folder holds the scripts that run it as an array job (docs/clusters.md).
inline constexpr std::string_view kSlurmFolder = "slurm";
inline constexpr std::array kSweepFiles{kSweepFile, kSweepRunsFile, kSweepCellsFile};

// The files of one run lie in the folder <strategy>/seed-<n>.
inline constexpr std::string_view kRoundsFile = "rounds.csv";
inline constexpr std::string_view kDevicesFile = "devices.csv";
inline constexpr std::string_view kClassesFile = "classes.csv";
inline constexpr std::string_view kModelFile = "model.npz";
inline constexpr std::string_view kParticipantsFile = "participants.csv.gz";
inline constexpr std::string_view kPartialLogFile = "participants.csv.partial";
inline constexpr std::string_view kCheckpointFile = "checkpoint";
inline constexpr std::string_view kPreviousFile = "checkpoint.previous";
inline constexpr std::array kRunFiles{kRoundsFile,     kDevicesFile,      kClassesFile,
                                      kModelFile,      kParticipantsFile, kPartialLogFile,
                                      kCheckpointFile, kPreviousFile};
inline constexpr std::string_view kSeedPrefix = "seed-";

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_FILE_NAMES_H_
