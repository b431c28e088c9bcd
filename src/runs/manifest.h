// A Manifest is what manifest.json of a run directory says.
#ifndef AIRLOT_RUNS_MANIFEST_H_
#define AIRLOT_RUNS_MANIFEST_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/kept_runs.h"
#include "airlot/result.h"

namespace airlot::runs {

struct Manifest {
  RunStatus status = RunStatus::kRunning;
  std::string name;      // name of the scenario
  std::string scenario;  // text as FormatScenario gives it
  std::optional<std::string> scenario_file;
  std::optional<std::vector<std::string>> overrides;  // what was set beside that file
  std::vector<std::string> strategies;
  std::vector<std::uint64_t> seeds;
  Provenance provenance;
};

// Returns a text as it comes back from a manifest: bytes that are not UTF-8, as in the path of a
// data set, become U+FFFD.
std::string AsManifestText(const std::string& text);

std::string FormatManifest(const Manifest& manifest);

// An error says which part is not as we write it: "seeds must be whole numbers". Parts that an
// earlier version did not write may be missing.
Result<Manifest> ParseManifest(std::string_view text);

// Returns nothing where there is no directory yet, or an empty one. It fails where the path is a
// file, or a directory that holds something else.
Result<std::optional<Manifest>> FindManifest(const std::filesystem::path& directory);

// Reads the runs that the manifest of a directory tells of, as airlot::ReadRuns does.
Result<KeptRuns> ReadRuns(const std::string& directory, Manifest manifest,
                          const std::function<void(KeptRun& run)>& after_run = {});

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_MANIFEST_H_
