#include "airlot/kept_runs.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "runs/checkpoint.h"
#include "runs/file_names.h"
#include "runs/files.h"
#include "runs/manifest.h"
#include "runs/run_folder.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;

Result<KeptRuns> FromManifest(const std::string& directory, runs::Manifest manifest) {
  const std::string path = fs::path(directory) / runs::kManifestFile;
  auto scenario = ParseScenario(manifest.scenario, path);
  if (!scenario) return scenario.error();
  // Earlier versions, which knew no books, booked the computations that the limit bounds.
  if (manifest.scenario.find("\n[books]\n") == std::string::npos) {
    scenario->books.compute_time = scenario->round.count_compute_time;
  }
  for (const std::string& name : manifest.strategies) {
    if (!runs::IsPlainName(name)) return Error{path + ": a strategy has no plain name"};
  }
  return KeptRuns{.directory = directory,
                  .status = manifest.status,
                  .comparison = {std::move(*scenario), std::move(manifest.strategies),
                                 std::move(manifest.seeds), std::move(manifest.scenario_file),
                                 std::move(manifest.overrides)},
                  .provenance = std::move(manifest.provenance)};
}

// Says why a run that is not there should be; the text is empty where the run has simply not begun.
std::string FaultOf(const KeptRun& run, const fs::path& folder, RunStatus status) {
  if (run.stage != RunStage::kNotBegun) return "";
  std::string fault;
  for (const DamagedCheckpoint& checkpoint : run.damaged) {
    fault += (fault.empty() ? "" : "; ") + checkpoint.file + ": " + checkpoint.damage;
  }
  if (fault.empty() && status == RunStatus::kComplete) {
    fault = (folder / runs::kRoundsFile).string() + ": is missing";
  }
  return fault;
}

}  // namespace

bool HoldsRuns(const std::string& directory) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(directory) / runs::kManifestFile, ignored);
}

Result<KeptRuns> runs::ReadRuns(const std::string& directory, Manifest manifest,
                                const std::function<void(KeptRun& run)>& after_run) {
  const std::string scenario_text = manifest.scenario;
  auto kept = FromManifest(directory, std::move(manifest));
  if (!kept) return kept.error();
  for (const std::string& strategy : kept->comparison.strategies) {
    for (const std::uint64_t seed : kept->comparison.seeds) {
      const fs::path folder = runs::RunFolder(directory, strategy, seed);
      auto found = runs::FindRun(folder, runs::Fingerprint(scenario_text, strategy, seed),
                                 kept->comparison.scenario);
      const std::string fault =
          found ? FaultOf(found->kept, folder, kept->status) : found.error().message;
      if (!fault.empty()) {
        kept->unreadable.push_back({strategy, seed, fault});
        continue;
      }
      found->kept.strategy = strategy;
      found->kept.seed = seed;
      if (const auto& devices = found->kept.devices) {
        found->kept.device_count = devices->devices();
        found->kept.fairness = JainIndex(devices->participations);
        const auto& records = found->kept.records;
        found->kept.budget = BudgetUseOf(*devices, records.empty() ? 0 : records.back().round);
      }
      if (after_run) after_run(found->kept);
      kept->runs.push_back(std::move(found->kept));
    }
  }
  return kept;
}

Result<KeptRuns> ReadRuns(const std::string& directory,
                          const std::function<void(KeptRun& run)>& after_run) {
  auto manifest = runs::FindManifest(directory);
  if (!manifest) return manifest.error();
  if (!*manifest) return Error{directory + ": holds no runs"};
  return runs::ReadRuns(directory, std::move(**manifest), after_run);
}

}  // namespace airlot
