#include "airlot/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "airlot/device_table.h"
#include "airlot/simd_target.h"
#include "airlot/version.h"
#include "base/atomic_file.h"
#include "base/lock_file.h"
#include "runs/checkpoint.h"
#include "runs/file_names.h"
#include "runs/files.h"
#include "runs/manifest.h"
#include "runs/run_folder.h"
#include "scenario/differences.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;
using runs::Manifest;

// --- Runs that are there already -----------------------------------------------------------------

// Says how the first key differs that does: "fleet.devices is 100 there and 50 here".
std::string FirstDifference(std::string_view there, std::string_view here) {
  const auto differences = scenario::DifferencesBetween(here, there);
  if (differences.empty()) return "its keys are in another order";
  const auto shown = [](const std::optional<std::string>& value) {
    return value ? scenario::Shown(*value) : "not set";
  };
  const scenario::KeyDifference& first = differences.front();
  return fmt::format("{} is {} there and {} here", scenario::Shown(first.key), shown(first.there),
                     shown(first.here));
}

// The scenario, the data and the fleet of each seed must be those of the runs that are there.
Status CheckSame(const std::string& directory, const Manifest& old, const Manifest& now) {
  const auto other = [&](const std::string& what) {
    return Error{fmt::format("{}: holds runs of {}", directory, what)};
  };
  if (old.scenario != now.scenario) {
    return other("another scenario: " + FirstDifference(old.scenario, now.scenario));
  }
  const std::optional<std::string>& old_data = old.provenance.dataset_digest;
  if (old_data && old_data != now.provenance.dataset_digest) {
    return other("other data: the data set has changed since");
  }
  for (const PreparedSeed& seed : now.provenance.seeds) {
    const auto before = std::ranges::find(old.provenance.seeds, seed.seed, &PreparedSeed::seed);
    if (before == old.provenance.seeds.end() || before->setting_digest == seed.setting_digest) {
      continue;
    }
    return other(fmt::format("another fleet: that of seed {} has changed since", seed.seed));
  }
  return {};
}

// Returns the seeds of both lists, in rising order; of a seed that is in both, it takes the newer.
std::vector<PreparedSeed> Union(const std::vector<PreparedSeed>& newer,
                                const std::vector<PreparedSeed>& older) {
  std::vector<PreparedSeed> all = newer;
  for (const PreparedSeed& seed : older) {
    if (std::ranges::find(newer, seed.seed, &PreparedSeed::seed) == newer.end()) {
      all.push_back(seed);
    }
  }
  std::ranges::sort(all, {}, &PreparedSeed::seed);
  return all;
}

// --- Removing them -------------------------------------------------------------------------------

Status RemoveRunsOf(const fs::path& strategy) {
  const auto is_there = runs::IsFolder(strategy);
  if (!is_there) return is_there.error();
  if (!*is_there) return {};
  const auto paths = runs::PathsIn(strategy);
  if (!paths) return paths.error();
  for (const fs::path& path : *paths) {
    if (!runs::SeedOf(path.filename().string())) continue;
    const auto is_folder = runs::IsFolder(path);
    if (!is_folder) return is_folder.error();
    if (auto status = runs::RemoveFiles(path, runs::kRunFiles); !status) return status;
    runs::RemoveIfEmpty(path);
  }
  runs::RemoveIfEmpty(strategy);
  return {};
}

// Removes all but the manifest, which is replaced later: so the folder stays a run directory
// whenever this is cut off.
Status RemoveRuns(const fs::path& directory, const Manifest& manifest) {
  std::set<std::string, std::less<>> names;
  for (const StrategyEntry& entry : Strategies()) names.emplace(entry.name);
  for (const std::string& name : manifest.strategies) {
    if (runs::IsPlainName(name)) names.insert(name);
  }
  for (const std::string& name : names) {
    if (auto status = RemoveRunsOf(directory / name); !status) return status;
  }
  constexpr std::array kResults{runs::kSummaryFile, runs::kReportFile};
  return runs::RemoveFiles(directory, kResults);
}

Result<std::shared_ptr<const base::LockFile>> TakeLock(const std::string& path,
                                                       OpenProblem& problem) {
  auto attempt = base::LockFile::Try(fs::path(path) / runs::kLockFile);
  if (!attempt) return attempt.error();
  if (attempt->lock) return std::make_shared<const base::LockFile>(std::move(*attempt->lock));
  problem = OpenProblem::kInUse;
  const std::string who =
      attempt->holder ? fmt::format("process {}", *attempt->holder) : "another process";
  return Error{fmt::format("{}: {} is writing to it: wait until that has ended", path, who)};
}

}  // namespace

// --- Opening and closing -------------------------------------------------------------------------

Result<RunDirectory> RunDirectory::Open(const std::string& path, const PreparedComparison& prepared,
                                        ExistingRuns existing, OpenProblem* problem) {
  OpenProblem kind = OpenProblem::kOther;
  OpenProblem& why = problem != nullptr ? *problem : kind;
  why = OpenProblem::kOther;
  // A folder of something else gets no file of ours, not even a lock.
  if (const auto old = runs::FindManifest(path); !old) return old.error();
  const auto is_new = runs::MakeFolder(path);
  if (!is_new) return is_new.error();
  auto lock = TakeLock(path, why);
  if (!lock) {
    if (*is_new) runs::RemoveIfEmpty(path);
    return lock.error();
  }
  RunDirectory directory(path, prepared, std::move(*lock));
  directory.is_new_ = *is_new;
  if (auto status = directory.TakeOver(existing, why); !status) {
    directory.lock_.reset();
    if (*is_new) runs::RemoveIfEmpty(path);
    return status.error();
  }
  return directory;
}

Result<RunDirectory> RunDirectory::Join(const std::string& path,
                                        const PreparedComparison& prepared) {
  const auto manifest = runs::FindManifest(path);
  if (!manifest) return manifest.error();
  if (!*manifest) {
    return Error{path + ": is not here what the first process sees: give a folder that all share"};
  }
  RunDirectory directory(path, prepared, nullptr);
  directory.is_joined_ = true;
  if (auto status = CheckSame(path, **manifest, directory.ManifestNow(RunStatus::kRunning));
      !status) {
    return status.error();
  }
  return directory;
}

RunDirectory::RunDirectory(std::string path, const PreparedComparison& prepared,
                           std::shared_ptr<const base::LockFile> lock)
    : path_(std::move(path)),
      comparison_(prepared.comparison),
      scenario_text_(runs::AsManifestText(FormatScenario(prepared.comparison.scenario))),
      provenance_{.version = std::string(kVersion),
                  .simd_target = std::string(SimdTarget()),
                  .dataset_digest = prepared.dataset_digest,
                  .score = prepared.score,
                  .seeds = Union(prepared.seeds, {})},
      lock_(std::move(lock)) {}

RunDirectory::RunDirectory(RunDirectory&&) noexcept = default;

RunDirectory::~RunDirectory() { Close(); }

// Where the manifest cannot be written, be it for want of memory, it stays as after a kill.
void RunDirectory::Close() {
  try {
    if (lock_ != nullptr && is_running_) static_cast<void>(SetStatus(RunStatus::kInterrupted));
  } catch (const std::exception&) {
  }
  lock_.reset();
}

// Only from here on does this program see all that another one did before it gave up the lock.
Status RunDirectory::TakeOver(ExistingRuns existing, OpenProblem& problem) {
  const auto old = runs::FindManifest(path_);
  if (!old) return old.error();
  if (*old) {
    problem = OpenProblem::kHoldsRuns;
    if (existing == ExistingRuns::kRefuse) return Error{path_ + ": holds runs already"};
    if (existing == ExistingRuns::kResume) {
      problem = OpenProblem::kOtherSetting;
      if (auto status = CheckSame(path_, **old, ManifestNow(RunStatus::kRunning)); !status) {
        return status;
      }
      provenance_.seeds = Union(provenance_.seeds, (*old)->provenance.seeds);
    }
    problem = OpenProblem::kOther;
    if (existing == ExistingRuns::kReplace) {
      if (auto status = RemoveRuns(path_, **old); !status) return status;
    }
  }
  // This removes what a kill left.
  if (auto status = runs::RemoveFiles(path_, {}); !status) return status;
  return SetStatus(RunStatus::kRunning);
}

Status RunDirectory::SetStatus(RunStatus status) {
  if (is_joined_) return {};
  is_running_ = status == RunStatus::kRunning;
  return base::WriteWhole(fs::path(path_) / runs::kManifestFile,
                          runs::FormatManifest(ManifestNow(status)));
}

runs::Manifest RunDirectory::ManifestNow(RunStatus status) const {
  return {.status = status,
          .name = comparison_.scenario.name,
          .scenario = scenario_text_,
          .scenario_file = comparison_.scenario_file,
          .overrides = comparison_.overrides,
          .strategies = comparison_.strategies,
          .seeds = comparison_.seeds,
          .provenance = provenance_};
}

void RunDirectory::CloseAndRemoveIfNothingRan() {
  if (is_joined_) return;
  const auto paths = runs::PathsIn(path_);
  const auto is_ours = [](const fs::path& path) {
    return path.filename() == runs::kManifestFile || path.filename() == runs::kLockFile;
  };
  if (!paths || !std::ranges::all_of(*paths, is_ours)) return Close();
  std::error_code stays;
  fs::remove(fs::path(path_) / runs::kManifestFile, stays);
  lock_.reset();
  if (is_new_) runs::RemoveIfEmpty(path_);
}

// --- Runs ----------------------------------------------------------------------------------------

std::string RunDirectory::FolderOf(const std::string& strategy, std::uint64_t seed) const {
  return runs::RunFolder(path_, strategy, seed);
}

std::string RunDirectory::FingerprintOf(const std::string& strategy, std::uint64_t seed) const {
  return runs::Fingerprint(scenario_text_, strategy, seed);
}

Status RunDirectory::CheckFolderOf(const std::string& strategy, std::uint64_t seed) const {
  const fs::path folder = FolderOf(strategy, seed);
  for (const fs::path& path : {folder.parent_path(), folder}) {
    if (const auto is_folder = runs::IsFolder(path); !is_folder) return is_folder.error();
  }
  return {};
}

Status RunDirectory::MakeFolderOf(const std::string& strategy, std::uint64_t seed) const {
  if (auto status = CheckFolderOf(strategy, seed); !status) return status;
  const auto is_new = runs::MakeFolder(FolderOf(strategy, seed));
  if (!is_new) return is_new.error();
  return {};
}

Result<RunDirectory::Found> RunDirectory::Find(const std::string& strategy,
                                               std::uint64_t seed) const {
  if (auto status = CheckFolderOf(strategy, seed); !status) return status.error();
  auto found =
      runs::FindRun(FolderOf(strategy, seed), FingerprintOf(strategy, seed), comparison_.scenario);
  if (!found) return found.error();
  found->kept.strategy = strategy;
  found->kept.seed = seed;
  return found;
}

Status RunDirectory::Begin(const std::string& strategy, const Setting& setting) const {
  if (auto status = MakeFolderOf(strategy, setting.seed); !status) return status;
  const fs::path path = fs::path(FolderOf(strategy, setting.seed)) / runs::kDevicesFile;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return {};
  return WriteDeviceTable(path, DeviceTableOf(setting, StartOf(setting)));
}

Status RunDirectory::SaveCheckpoint(const std::string& strategy, std::uint64_t seed,
                                    const RunState& state) const {
  if (auto status = MakeFolderOf(strategy, seed); !status) return status;
  return runs::SaveCheckpoint(FolderOf(strategy, seed), FingerprintOf(strategy, seed), state);
}

Status RunDirectory::Complete(const std::string& strategy, const Setting& setting,
                              const RunState& state) const {
  if (auto status = MakeFolderOf(strategy, setting.seed); !status) return status;
  return runs::CompleteRun(FolderOf(strategy, setting.seed), setting, state);
}

Status RunDirectory::TidyUp(const std::string& strategy, std::uint64_t seed) const {
  if (auto status = CheckFolderOf(strategy, seed); !status) return status;
  return runs::RemoveLeftovers(FolderOf(strategy, seed));
}

Status RemoveRunDirectory(const std::string& path) {
  const auto manifest = runs::FindManifest(path);
  if (!manifest) return manifest.error();
  if (!*manifest) return {};
  OpenProblem ignored;
  const auto lock = TakeLock(path, ignored);
  if (!lock) return lock.error();
  if (auto status = RemoveRuns(path, **manifest); !status) return status;
  constexpr std::array kLast{runs::kManifestFile, runs::kLockFile};
  if (auto status = runs::RemoveFiles(path, kLast); !status) return status;
  runs::RemoveIfEmpty(path);
  return {};
}

}  // namespace airlot
