#include "runs/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "airlot/device_table.h"
#include "airlot/model_file.h"
#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/replacement.h"
#include "base/text.h"
#include "runs/checkpoint.h"
#include "runs/class_table.h"
#include "runs/file_names.h"
#include "runs/files.h"
#include "runs/round_table.h"
#include "simulation/state_parts.h"

namespace airlot::runs {
namespace {

namespace fs = std::filesystem;
using Found = RunDirectory::Found;

constexpr std::array kCheckpoints{kCheckpointFile, kPreviousFile};

bool IsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// --- A run that was begun ------------------------------------------------------------------------

// Returns the newest checkpoint that is not damaged, or nothing where there is none.
Result<std::optional<RunState>> FindCheckpoint(const fs::path& folder, std::string_view fingerprint,
                                               std::vector<DamagedCheckpoint>& damaged) {
  for (const std::string_view name : kCheckpoints) {
    const fs::path path = folder / name;
    const auto bytes = base::ReadWholeIfThere(path);
    if (!bytes) return bytes.error();
    if (!*bytes) continue;
    if (auto damage = DamageOf(**bytes)) {
      damaged.push_back({path.string(), std::move(*damage)});
      continue;
    }
    auto state = DecodeCheckpoint(**bytes, fingerprint);
    if (!state) return Error{fmt::format("{}: {}", path.string(), state.error().message)};
    return std::optional(std::move(*state));
  }
  return std::optional<RunState>();
}

// Adds the table of devices beside a checkpoint, whose own lists and parts are of one number of
// devices: DecodeCheckpoint has checked that.
Status AddDevices(const fs::path& folder, const RunState& state, KeptRun& kept) {
  const fs::path path = folder / kDevicesFile;
  if (!IsThere(path)) return {};  // Earlier versions left it so.
  auto devices = ReadDeviceTable(path);
  if (!devices) return devices.error();
  if (state.participations.size() != devices->devices()) {
    return Error{fmt::format("{}: has {} devices, and the checkpoint beside it has {}",
                             path.string(), devices->devices(), state.participations.size())};
  }
  SetSpending(state, *devices);
  kept.devices = std::move(*devices);
  return {};
}

// --- A run that is complete ----------------------------------------------------------------------

// Names the first device that a number of rounds does not allow for; the text is empty where there
// is none.
std::string FirstBeyond(std::uint64_t rounds, const DeviceTable& devices) {
  for (std::size_t i = 0; i < devices.devices(); ++i) {
    const std::pair<std::string_view, std::optional<std::uint32_t>> counts[] = {
        {"participations", devices.participations[i]},
        {"first_empty_round", devices.first_empty_round[i]}};
    for (const auto& [name, count] : counts) {
      if (!count || *count <= rounds) continue;
      return fmt::format("device {}: {} = {}: must be at most {}, the number of rounds",
                         base::Quoted(devices.id[i]), name, *count, rounds);
    }
  }
  return "";
}

// Checks that the tables are whole and do not contradict each other.
Status CheckTables(const fs::path& folder, const std::vector<RoundRecord>& records,
                   const DeviceTable& devices, const Scenario& scenario) {
  const std::string rounds_path = folder / kRoundsFile, devices_path = folder / kDevicesFile;
  const std::uint64_t rounds = records.empty() ? 0 : records.back().round;
  if (!IsOver(scenario, records) || records.size() > scenario.rounds + 1) {
    return Error{fmt::format("{}: has {} rows, but {} rounds and the start make {}{}", rounds_path,
                             records.size(), scenario.rounds, scenario.rounds + 1,
                             scenario.stop_at_targets ? ", unless the targets are reached" : "")};
  }
  if (const std::string beyond = FirstBeyond(rounds, devices); !beyond.empty()) {
    return Error{fmt::format("{}: {}", devices_path, beyond)};
  }
  std::uint64_t of_rounds = 0;
  for (const RoundRecord& record : records) of_rounds += record.participants;
  const std::uint64_t of_devices = std::accumulate(devices.participations.begin(),
                                                   devices.participations.end(), std::uint64_t{0});
  if (of_rounds == of_devices) return {};
  return Error{fmt::format("{}: counts {} participations, but {} counts {}", rounds_path, of_rounds,
                           devices_path, of_devices)};
}

Status ReadComplete(const fs::path& folder, const Scenario& scenario, KeptRun& kept) {
  auto records = ReadRounds(folder / kRoundsFile);
  if (!records) return records.error();
  auto devices = ReadDeviceTable(folder / kDevicesFile);
  if (!devices) return devices.error();
  if (auto status = CheckTables(folder, *records, *devices, scenario); !status) return status;
  if (IsThere(folder / kClassesFile)) {  // Earlier versions did not write it.
    auto classes = ReadClasses(folder / kClassesFile);
    if (!classes) return classes.error();
    kept.class_accuracy = std::move(*classes);
  }
  kept.stage = RunStage::kComplete;
  kept.records = std::move(*records);
  kept.devices = std::move(*devices);
  return {};
}

}  // namespace

fs::path RunFolder(const fs::path& directory, std::string_view strategy, std::uint64_t seed) {
  return directory / strategy / fmt::format("{}{}", kSeedPrefix, seed);
}

std::optional<std::uint64_t> SeedOf(std::string_view folder_name) {
  if (!folder_name.starts_with(kSeedPrefix)) return std::nullopt;
  const std::string_view digits = folder_name.substr(kSeedPrefix.size());
  std::uint64_t seed = 0;
  const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (fault != std::errc() || fmt::format("{}", seed) != digits) return std::nullopt;
  return seed;
}

Result<Found> FindRun(const fs::path& folder, std::string_view fingerprint,
                      const Scenario& scenario) {
  Found found;
  auto state = FindCheckpoint(folder, fingerprint, found.kept.damaged);
  if (!state) return state.error();
  if (*state) {
    found.kept.stage = RunStage::kBegun;
    found.kept.records = (*state)->records;
    if (auto status = AddDevices(folder, **state, found.kept); !status) return status.error();
    found.checkpoint = std::move(**state);
    return found;
  }
  // Beside checkpoints that are damaged, a table of rounds is from a run that was not completed.
  if (!found.kept.damaged.empty() || !IsThere(folder / kRoundsFile)) return found;
  if (auto status = ReadComplete(folder, scenario, found.kept); !status) return status.error();
  return found;
}

Status SaveCheckpoint(const fs::path& folder, std::string_view fingerprint, const RunState& state) {
  const std::string path = folder / kCheckpointFile;
  const auto last = base::ReadWholeIfThere(path);
  if (!last) return last.error();
  // A checkpoint that is damaged must not take the place of the one before.
  if (*last && !DamageOf(**last)) {
    const std::string previous = folder / kPreviousFile;
    if (std::rename(path.c_str(), previous.c_str()) != 0) return base::CannotWrite(previous);
  }
  return base::WriteWhole(path, EncodeCheckpoint(state, fingerprint));
}

Status CompleteRun(const fs::path& folder, const Setting& setting, const RunState& state) {
  if (auto status = WriteDeviceTable(folder / kDevicesFile, DeviceTableOf(setting, state));
      !status) {
    return status;
  }
  const auto* classes = state.parts.Find<simulation::ClassAccuracies>();
  if (classes != nullptr && !classes->values.empty()) {
    if (auto status = WriteClasses(folder / kClassesFile, classes->values); !status) return status;
  }
  if (auto status = WriteModel(folder / kModelFile, ModelOf(setting.scenario.model),
                               ShapeOf(setting.dataset->train), state.parameters);
      !status) {
    return status;
  }
  if (auto status = WriteRounds(folder / kRoundsFile, state.records); !status) return status;
  if (auto status = RemoveFiles(folder, kCheckpoints); !status) return status;
  // A run that goes on from a checkpoint needs the log, so it goes later.
  return RemoveLeftovers(folder);
}

Status RemoveLeftovers(const fs::path& folder) {
  constexpr std::array kLeftovers{kPartialLogFile};
  return RemoveFiles(folder, kLeftovers);
}

}  // namespace airlot::runs
