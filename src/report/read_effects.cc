#include <fmt/format.h>

#include <filesystem>

#include "airlot/experiment.h"
#include "airlot/kept_runs.h"
#include "airlot/sweep.h"
#include "report/effects.h"
#include "report/run_folders.h"
#include "runs/file_names.h"

namespace airlot::report {

namespace fs = std::filesystem;

Result<std::vector<ScenarioEffects>> ReadEffects(const std::string& directory) {
  // The cells of a sweep are comparisons, each named by its values.
  const bool is_sweep = HoldsSweep(directory);
  const fs::path path = directory;
  const auto folders = FindRunDirectories((is_sweep ? path / runs::kCellsFolder : path).string());
  if (!folders) return folders.error();
  std::vector<ScenarioEffects> all;
  for (const std::string& folder : *folders) {
    const auto runs = ReadRuns(folder, [](KeptRun& run) { run.devices.reset(); });
    if (!runs) return runs.error();
    const std::string cell = fs::path(folder).filename().string();
    ScenarioEffects effects{.scenario = is_sweep ? cell : runs->comparison.scenario.name,
                            .tables = EffectTables(SummarizeComplete(*runs))};
    for (const UnreadableRun& run : runs->unreadable) {
      effects.left_out.push_back(
          fmt::format("{}, seed {}, is left out: {}", run.strategy, run.seed, run.fault));
    }
    for (const KeptRun& run : runs->runs) {
      if (run.stage == RunStage::kComplete) continue;
      effects.left_out.push_back(
          fmt::format("{}, seed {}, is left out: it is not complete", run.strategy, run.seed));
    }
    all.push_back(std::move(effects));
  }
  return all;
}

}  // namespace airlot::report
