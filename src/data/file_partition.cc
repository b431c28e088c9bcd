#include "data/file_partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/text.h"
#include "data/partition_methods.h"

namespace airlot::data {
namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

// A DeviceFinder knows devices by their names or, where they have none, by their row numbers.
class DeviceFinder {
 public:
  static Result<DeviceFinder> Make(std::size_t devices, const DeviceNames& names) {
    DeviceFinder finder(devices);
    if (!names) return finder;
    finder.has_names_ = true;
    finder.devices_by_name_.reserve(devices);
    std::string buffer;
    for (std::size_t i = 0; i < devices; ++i) {
      const std::string name(names(i, buffer));
      if (finder.devices_by_name_.emplace(name, std::uint32_t(i)).second) continue;
      return Error{
          fmt::format("two devices of the fleet are called {}: data.partition_file cannot "
                      "tell them apart",
                      base::Quoted(name))};
    }
    return finder;
  }

  std::optional<std::uint32_t> Find(std::string_view text) const {
    if (has_names_) {
      const auto found = devices_by_name_.find(std::string(text));
      if (found == devices_by_name_.end()) return std::nullopt;
      return found->second;
    }
    const auto number = base::ParseNumber(text);
    const bool is_device =
        number && *number >= 1 && *number <= double(devices_) && *number == std::floor(*number);
    if (!is_device) return std::nullopt;
    return std::uint32_t(*number) - 1;
  }

  std::string Wanted() const {
    return has_names_ ? "must be the id of a device of the fleet"
                      : fmt::format("must be the row number of a device, from 1 to {}", devices_);
  }

 private:
  explicit DeviceFinder(std::size_t devices) : devices_(devices) {}
  std::size_t devices_;
  bool has_names_ = false;
  std::unordered_map<std::string, std::uint32_t> devices_by_name_;
};

struct Places {
  std::size_t sample, device;
};

Result<Places> PlacesIn(const base::CsvReader& file, const std::string& path) {
  const auto header = file.header();
  const auto sample = std::ranges::find(header, "sample");
  const auto device = std::ranges::find(header, "device");
  if (header.size() != 2 || sample == header.end() || device == header.end()) {
    std::vector<std::string> names;
    for (const std::string& name : header) names.push_back(base::Quoted(name));
    constexpr std::size_t kShown = 6;
    if (names.size() > kShown) names.resize(kShown);
    return Error{fmt::format("{}:1: has the columns {}: must be sample and device", path,
                             fmt::join(names, ", "))};
  }
  return Places{std::size_t(sample - header.begin()), std::size_t(device - header.begin())};
}

// Holdings are who has which samples, in the order of the file.
struct Holdings {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;  // sample, device
  std::vector<std::uint32_t> holder;                          // of each sample, or kNobody

  Status Take(const base::CsvReader& file, const Places& places, const DeviceFinder& finder) {
    const std::string_view sample_text = file.fields()[places.sample];
    const std::string_view device_text = file.fields()[places.device];
    const auto number = base::ParseNumber(sample_text);
    const bool is_sample =
        number && *number >= 0 && *number < double(holder.size()) && *number == std::floor(*number);
    if (!is_sample) {
      return Error{fmt::format(
          "{}: sample = {}: must be a whole number from 0 to {}, a sample to train with",
          file.Where(), base::Quoted(sample_text), holder.size() - 1)};
    }
    const auto sample = std::uint32_t(*number);
    const auto device = finder.Find(device_text);
    if (!device) {
      return Error{fmt::format("{}: device = {}: {}", file.Where(), base::Quoted(device_text),
                               finder.Wanted())};
    }
    if (holder[sample] != kNobody) {
      return Error{
          fmt::format("{}: sample = {}: is there for the second time", file.Where(), sample)};
    }
    holder[sample] = *device;
    rows.emplace_back(sample, *device);
    return {};
  }
};

Partition Sorted(const Holdings& holdings, std::size_t devices) {
  std::vector<std::size_t> sizes(devices);
  for (const auto& [sample, device] : holdings.rows) ++sizes[device];
  Partition partition = MakeEmpty(sizes);
  std::vector<std::size_t> next(partition.begin.begin(), partition.begin.end() - 1);
  for (const auto& [sample, device] : holdings.rows) partition.samples[next[device]++] = sample;
  return partition;
}

}  // namespace

Result<Partition> ReadPartition(const std::string& path, std::size_t samples, std::size_t devices,
                                const DeviceNames& names) {
  const auto finder = DeviceFinder::Make(devices, names);
  if (!finder) return finder.error();
  auto file = base::CsvReader::Open(path);
  if (!file) return file.error();
  const auto places = PlacesIn(*file, path);
  if (!places) return places.error();
  Holdings holdings{.holder = std::vector<std::uint32_t>(samples, kNobody)};
  while (true) {
    const auto more = file->Next();
    if (!more) return more.error();
    if (!*more) break;
    if (auto status = holdings.Take(*file, *places, *finder); !status) return status.error();
  }
  if (holdings.rows.empty()) return Error{fmt::format("{}: gives nobody a sample", path)};
  return Sorted(holdings, devices);
}

}  // namespace airlot::data
