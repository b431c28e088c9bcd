#include "runs/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "runs/round_table.h"

namespace airlot::runs {
namespace {

// The first device that a number of rounds does not allow for, or an empty text.
std::string FirstBeyond(std::uint64_t rounds, const DeviceTable& devices) {
  for (std::size_t i = 0; i < devices.devices(); ++i) {
    const std::pair<std::string_view, std::uint32_t> counts[] = {
        {"participations", devices.participations[i]},
        {"first_empty_round", devices.first_empty_round[i]}};
    for (const auto& [name, count] : counts) {
      if (count <= rounds) continue;
      return fmt::format("device {}: {} = {}: must be at most {}, the number of rounds",
                         base::Quoted(devices.id[i]), name, count, rounds);
    }
  }
  return "";
}

}  // namespace

Result<RunTables> ReadRunTables(const std::string& rounds_path, const std::string& devices_path) {
  auto records = ReadRounds(rounds_path);
  if (!records) return records.error();
  auto devices = ReadDeviceTable(devices_path);
  if (!devices) return devices.error();
  const std::uint64_t rounds = records->empty() ? 0 : records->back().round;
  if (const std::string beyond = FirstBeyond(rounds, *devices); !beyond.empty()) {
    return Error{fmt::format("{}: {}", devices_path, beyond)};
  }
  // Lines that are missing show here.
  std::uint64_t of_rounds = 0;
  for (const RoundRecord& record : *records) of_rounds += record.participants;
  const std::uint64_t of_devices = std::accumulate(devices->participations.begin(),
                                                   devices->participations.end(), std::uint64_t{0});
  if (of_rounds != of_devices) {
    return Error{fmt::format("{}: counts {} participations, but {} counts {}", rounds_path,
                             of_rounds, devices_path, of_devices)};
  }
  return RunTables{std::move(*records), std::move(*devices)};
}

}  // namespace airlot::runs
