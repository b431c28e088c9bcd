#include "airlot/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/replacement.h"
#include "runs/checkpoint.h"
#include "runs/manifest.h"
#include "runs/run_files.h"
#include "scenario/keys.h"
#include "scenario/text.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;
using runs::Manifest;
using scenario::KeyValues;

constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kRounds = "rounds.csv";
constexpr std::string_view kDevices = "devices.csv";
constexpr std::string_view kCheckpoint = "checkpoint";
constexpr std::string_view kPrevious = "checkpoint.previous";
constexpr std::array kRunFiles{kRounds, kDevices, kCheckpoint, kPrevious};

// --- Files ---------------------------------------------------------------------------------------

Error Failed(const fs::path& path, std::string_view what, const std::error_code& why) {
  return {fmt::format("{}: {}: {}", path.string(), what, why.message())};
}

// For the call that just failed.
Error Failed(const fs::path& path, std::string_view what) {
  return Failed(path, what, std::error_code(errno, std::generic_category()));
}

Status MakeFolder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Failed(path, "cannot make this folder", error);
  return {};
}

// Nothing where there is no such file.
Result<std::optional<std::string>> ReadWhole(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr && errno == ENOENT) return std::optional<std::string>();
  if (file == nullptr) return Failed(path, "cannot open");
  std::string bytes;
  std::size_t count = 0;
  do {
    bytes.resize(std::max<std::size_t>(2 * count, 1 << 16));
    count += std::fread(bytes.data() + count, 1, bytes.size() - count, file.get());
    if (std::ferror(file.get()) != 0) return Failed(path, "cannot read");
  } while (count == bytes.size());
  bytes.resize(count);
  return std::optional(std::move(bytes));
}

Result<std::vector<fs::path>> PathsIn(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    paths.push_back(entry->path());
  }
  if (error) return Failed(folder, "cannot read this folder", error);
  return paths;
}

// Beside the manifest.
constexpr std::array<std::string_view, 2> kResultFiles{"summary.json", "report.html"};

// Removes the files of these names in a folder, and what a killed process left of any of ours.
Status RemoveFiles(const fs::path& folder, std::span<const std::string_view> names) {
  const auto paths = PathsIn(folder);
  if (!paths) return paths.error();
  for (const fs::path& path : *paths) {
    const std::string file = path.filename();
    const auto is_temporary_for = [&](std::string_view name) {
      return base::IsTemporaryFor(name, file);
    };
    const bool is_left = std::ranges::any_of(kRunFiles, is_temporary_for) ||
                         std::ranges::any_of(kResultFiles, is_temporary_for) ||
                         is_temporary_for(kManifest);
    const bool is_named = std::ranges::find(names, file) != names.end();
    std::error_code error;
    if (!(is_named || is_left) || fs::is_directory(fs::symlink_status(path, error))) continue;
    if (!fs::remove(path, error) && error) return Failed(path, "cannot remove", error);
  }
  return {};
}

// --- Runs that are there already -----------------------------------------------------------------

// Nothing where there is no directory yet, or an empty one.
Result<std::optional<Manifest>> FindManifest(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found) return std::optional<Manifest>();
  if (error) return Failed(directory, "cannot open", error);
  if (!fs::is_directory(status)) {
    return Error{directory.string() + ": is a file, not a directory"};
  }
  const auto text = ReadWhole(directory / kManifest);
  if (!text) return text.error();
  if (*text) {
    if (auto manifest = runs::ParseManifest(**text)) return std::optional(std::move(manifest));
    return Error{(directory / kManifest).string() +
                 ": is not the manifest of a run directory: choose another directory"};
  }
  const auto paths = PathsIn(directory);
  if (!paths) return paths.error();
  const bool is_empty = std::ranges::all_of(*paths, [](const fs::path& path) {
    return base::IsTemporaryFor(kManifest, path.filename().string());
  });
  if (is_empty) return std::optional<Manifest>();
  return Error{directory.string() + ": exists and is not a run directory: choose another"};
}

std::string ValueIn(const KeyValues& keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, [](const auto& key) { return key.first; });
  return found == keys.end() ? "not set" : scenario::Shown(found->second);
}

// "fleet.devices is 100 there and 50 here", of the first key that differs.
std::string FirstDifference(std::string_view there, std::string_view here) {
  const KeyValues old_keys = scenario::KeyValuesOf(there), new_keys = scenario::KeyValuesOf(here);
  for (const KeyValues* keys : {&new_keys, &old_keys}) {
    const KeyValues& others = keys == &new_keys ? old_keys : new_keys;
    for (const auto& key : *keys) {
      if (std::ranges::find(others, key) != others.end()) continue;
      return fmt::format("{} is {} there and {} here", scenario::Shown(key.first),
                         ValueIn(old_keys, key.first), ValueIn(new_keys, key.first));
    }
  }
  return "its keys are in another order";
}

Status CheckSameScenario(const std::string& directory, const Manifest& old,
                         const Comparison& comparison) {
  // Through the text and back, as the old one.
  const auto now =
      runs::ParseManifest(runs::FormatManifest(runs::ManifestOf(comparison, RunStatus::kRunning)));
  if (old.scenario == now->scenario) return {};
  return Error{fmt::format(
      "{}: holds runs of another scenario: {}: choose another directory, or add --force to replace "
      "them",
      directory, FirstDifference(old.scenario, now->scenario))};
}

// --- Removing them -------------------------------------------------------------------------------

// Whether there is such a folder, itself and not a link: behind a link, nothing is ours to remove.
Result<bool> IsFolder(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (error) return Failed(path, "cannot open", error);
  if (fs::is_directory(status)) return true;
  return Error{path.string() + ": is in the way and is not a folder: remove it first"};
}

bool IsSeedFolder(std::string_view name) {
  constexpr std::string_view kSeed = "seed-";
  return name.starts_with(kSeed) && name.size() > kSeed.size() &&
         name.find_first_not_of("0123456789", kSeed.size()) == std::string_view::npos;
}

void RemoveIfEmpty(const fs::path& folder) {
  std::error_code not_empty;
  fs::remove(folder, not_empty);
}

Status RemoveRunsOf(const fs::path& strategy) {
  const auto is_there = IsFolder(strategy);
  if (!is_there) return is_there.error();
  if (!*is_there) return {};
  const auto paths = PathsIn(strategy);
  if (!paths) return paths.error();
  for (const fs::path& path : *paths) {
    if (!IsSeedFolder(path.filename().string())) continue;
    const auto is_folder = IsFolder(path);
    if (!is_folder) return is_folder.error();
    if (auto status = RemoveFiles(path, kRunFiles); !status) return status;
    RemoveIfEmpty(path);
  }
  RemoveIfEmpty(strategy);
  return {};
}

// A name that leads nowhere else.
bool IsPlainName(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

// All but the manifest, which is replaced: so it stays a run directory whenever this is cut off.
Status RemoveRuns(const fs::path& directory, const Manifest& manifest) {
  std::set<std::string, std::less<>> names;
  for (const StrategyEntry& entry : Strategies()) names.emplace(entry.name);
  for (const std::string& name : manifest.strategies) {
    if (IsPlainName(name)) names.insert(name);
  }
  for (const std::string& name : names) {
    if (auto status = RemoveRunsOf(directory / name); !status) return status;
  }
  return RemoveFiles(directory, kResultFiles);
}

Status Reuse(const std::string& directory, const Manifest& old, const Comparison& comparison,
             ExistingRuns existing) {
  switch (existing) {
    case ExistingRuns::kRefuse:
      break;
    case ExistingRuns::kResume:
      if (auto status = CheckSameScenario(directory, old, comparison); !status) return status;
      return RemoveFiles(directory, {});
    case ExistingRuns::kReplace:
      return RemoveRuns(directory, old);
  }
  return Error{directory +
               ": holds runs already: add --resume to go on with them, or --force to replace them"};
}

}  // namespace

Result<RunDirectory> RunDirectory::Open(const std::string& path, const Comparison& comparison,
                                        ExistingRuns existing) {
  const auto old = FindManifest(path);
  if (!old) return old.error();
  if (*old) {
    if (auto status = Reuse(path, **old, comparison, existing); !status) return status.error();
  }
  std::error_code unknown;
  const bool was_there = fs::exists(path, unknown);
  if (auto status = MakeFolder(path); !status) return status.error();
  RunDirectory directory(path, comparison);
  directory.is_new_ = !was_there;
  if (auto status = directory.SetStatus(RunStatus::kRunning); !status) {
    if (!was_there) RemoveIfEmpty(path);
    return status.error();
  }
  return directory;
}

void RunDirectory::RemoveIfNothingRan() const {
  const auto paths = PathsIn(path_);
  if (!paths || paths->size() != 1 || paths->front().filename() != kManifest) return;
  std::error_code stays;
  fs::remove(paths->front(), stays);
  if (is_new_) RemoveIfEmpty(path_);
}

Result<RunDirectory> RunDirectory::Look(const std::string& path) {
  auto manifest = FindManifest(path);
  if (!manifest) return manifest.error();
  if (!*manifest) return Error{path + ": holds no runs"};
  Manifest& found = **manifest;
  auto scenario = ParseScenario(found.scenario, (fs::path(path) / kManifest).string());
  if (!scenario) return scenario.error();
  for (const std::string& name : found.strategies) {
    if (!IsPlainName(name)) {
      return Error{(fs::path(path) / kManifest).string() + ": a strategy has no plain name"};
    }
  }
  RunDirectory directory(path, {std::move(*scenario), found.strategies, found.seeds});
  directory.status_ = found.status;
  directory.version_ = std::move(found.version);
  return directory;
}

RunDirectory::RunDirectory(std::string path, Comparison comparison)
    : path_(std::move(path)), comparison_(std::move(comparison)) {}

std::string RunDirectory::FileOf(const std::string& strategy, std::uint64_t seed,
                                 std::string_view name) const {
  return fs::path(path_) / strategy / fmt::format("seed-{}", seed) / name;
}

Status RunDirectory::SetStatus(RunStatus status) const {
  return base::WriteWhole(fs::path(path_) / kManifest,
                          runs::FormatManifest(runs::ManifestOf(comparison_, status)));
}

Result<RunDirectory::Found> RunDirectory::Find(const std::string& strategy,
                                               std::uint64_t seed) const {
  Found found;
  for (const std::string_view name : {kCheckpoint, kPrevious}) {
    const std::string path = FileOf(strategy, seed, name);
    const auto bytes = ReadWhole(path);
    if (!bytes) return bytes.error();
    if (!*bytes) continue;
    auto damage = runs::DamageOf(**bytes);
    if (!damage) {
      auto state =
          runs::DecodeCheckpoint(**bytes, runs::Fingerprint(comparison_.scenario, strategy, seed));
      if (state) {
        found.state = std::move(*state);
      } else {
        damage = state.error().message;
      }
    }
    if (damage) {
      found.note += fmt::format("{}{}: {}", found.note.empty() ? "" : "; ", path, *damage);
      continue;
    }
    if (!found.note.empty()) found.note += fmt::format(": going on from {}", name);
    return found;
  }
  if (!found.note.empty()) {
    found.note += ": starting from the beginning";
    return found;
  }
  const std::string rounds = FileOf(strategy, seed, kRounds);
  const std::string devices = FileOf(strategy, seed, kDevices);
  std::error_code ignored;
  if (!fs::exists(rounds, ignored) || !fs::exists(devices, ignored)) return found;
  auto state = runs::ReadRun(rounds, devices);
  if (!state) return state.error();
  found.state = std::move(*state);
  found.is_complete = true;
  return found;
}

Status RunDirectory::SaveCheckpoint(const std::string& strategy, std::uint64_t seed,
                                    const RunState& state) const {
  const std::string path = FileOf(strategy, seed, kCheckpoint);
  if (auto status = MakeFolder(fs::path(path).parent_path()); !status) return status;
  const auto last = ReadWhole(path);
  if (!last) return last.error();
  // One that is damaged must not take the place of the one before.
  if (*last && !runs::DamageOf(**last)) {
    const std::string previous = FileOf(strategy, seed, kPrevious);
    if (std::rename(path.c_str(), previous.c_str()) != 0) return base::CannotWrite(previous);
  }
  return base::WriteWhole(
      path, runs::EncodeCheckpoint(state, runs::Fingerprint(comparison_.scenario, strategy, seed)));
}

Status RunDirectory::Complete(const std::string& strategy, const Setting& setting,
                              const RunState& state) const {
  const std::string rounds = FileOf(strategy, setting.seed, kRounds);
  const fs::path folder = fs::path(rounds).parent_path();
  if (auto status = MakeFolder(folder); !status) return status;
  if (auto status = runs::WriteRounds(rounds, state.records); !status) return status;
  const std::string devices = FileOf(strategy, setting.seed, kDevices);
  if (auto status = runs::WriteDevices(devices, setting, state); !status) return status;
  constexpr std::array kFiles{kCheckpoint, kPrevious};
  return RemoveFiles(folder, kFiles);
}

}  // namespace airlot
