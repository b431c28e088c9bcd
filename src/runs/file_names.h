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
inline constexpr std::array kTopFiles{kManifestFile, kSummaryFile, kReportFile};

// The files of one run lie in the folder <strategy>/seed-<n>.
inline constexpr std::string_view kRoundsFile = "rounds.csv";
inline constexpr std::string_view kDevicesFile = "devices.csv";
inline constexpr std::string_view kClassesFile = "classes.csv";
inline constexpr std::string_view kCheckpointFile = "checkpoint";
inline constexpr std::string_view kPreviousFile = "checkpoint.previous";
inline constexpr std::array kRunFiles{kRoundsFile, kDevicesFile, kClassesFile, kCheckpointFile,
                                      kPreviousFile};
inline constexpr std::string_view kSeedPrefix = "seed-";

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_FILE_NAMES_H_
