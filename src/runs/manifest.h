// manifest.json of a run directory.
#ifndef AIRLOT_RUNS_MANIFEST_H_
#define AIRLOT_RUNS_MANIFEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/run_directory.h"

namespace airlot::runs {

struct Manifest {
  RunStatus status = RunStatus::kRunning;
  std::string version;   // of the airlot that wrote it
  std::string name;      // of the scenario
  std::string scenario;  // as FormatScenario gives it
  std::vector<std::string> strategies;
  std::vector<std::uint64_t> seeds;

  bool operator==(const Manifest&) const = default;
};
Manifest ManifestOf(const Comparison& comparison, RunStatus status);

// Bytes that are not UTF-8, as in the path of a data set, become U+FFFD.
std::string FormatManifest(const Manifest& manifest);
// Nothing where `text` is no manifest of ours.
std::optional<Manifest> ParseManifest(std::string_view text);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_MANIFEST_H_
