// MakePartition checks the options of a partition and calls its method.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "airlot/partition.h"
#include "base/text.h"
#include "data/file_partition.h"
#include "data/partition_methods.h"

namespace airlot {
namespace {

using Split = Result<Partition> (*)(const Labels&, const PartitionOptions&);

constexpr std::string_view kFile = "file";

// The methods have the order of kPartitionEntries; the last of those needs more than labels and
// options.
constexpr std::array<Split, 4> kSplits = {data::SplitDirichlet, data::SplitClientDirichlet,
                                          data::SplitShards, data::SplitIid};
constexpr std::array<PartitionEntry, 5> kPartitionEntries = {{
    {"dirichlet", "Each class is split over the devices by a Dirichlet draw (NIID-Bench)."},
    {"client-dirichlet",
     "Each device draws its own mix of labels; all hold equally many (Hsu et al.)."},
    {"shards",
     "Samples are sorted by label and cut; each device gets a few shards (McMahan et al.)."},
    {"iid", "Samples are shuffled and shared equally."},
    {kFile, "A file says who has which samples (data.partition_file)."},
}};

constexpr double kSmallestBeta = 1e-9;
constexpr double kLargestBeta = 1e6;

std::size_t IndexOf(std::string_view method) {
  const auto* entry = std::ranges::find(kPartitionEntries, method, &PartitionEntry::name);
  return std::size_t(entry - kPartitionEntries.begin());
}

Error UnknownMethod(const std::string& method) {
  std::vector<std::string_view> names;
  names.reserve(kPartitionEntries.size());
  for (const PartitionEntry& entry : kPartitionEntries) names.push_back(entry.name);
  const auto nearest = base::NearestName(method, names);
  return {fmt::format("data.partition = {}: {}", base::Quoted(method),
                      nearest ? fmt::format("did you mean {}?", *nearest)
                              : fmt::format("must be one of {}", fmt::join(names, ", ")))};
}

Status CheckLabels(const Labels& labels) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (labels.values.empty()) return Error{"data.dataset: has no training samples"};
  if (labels.values.size() > kMost) {
    return Error{fmt::format("data.dataset: has {} training samples: must be <= {}",
                             labels.values.size(), kMost)};
  }
  if (labels.classes == 0) return {};
  const auto highest = std::ranges::max_element(labels.values);
  if (*highest < labels.classes) return {};
  return Error{
      fmt::format("data.dataset: label {} of sample {}: must be < {}, the number of labels",
                  *highest, highest - labels.values.begin(), labels.classes)};
}

Status CheckBeta(double beta) {
  if (beta >= kSmallestBeta && beta <= kLargestBeta) return {};
  return Error{fmt::format("data.beta = {}: must be {}", base::FormatNumber(beta),
                           beta > kLargestBeta ? "<= " + base::FormatNumber(kLargestBeta)
                                               : ">= " + base::FormatNumber(kSmallestBeta))};
}

// CheckClasses refuses to split by label what has none.
Status CheckClasses(const PartitionOptions& options, int classes) {
  if (classes > 0 || options.method == "iid" || options.method == kFile) return {};
  return Error{
      fmt::format("data.partition = {}: splits by label, but this data set has numbers to predict: "
                  "use \"iid\", "
                  "or \"file\" with data.partition_file",
                  base::Quoted(options.method))};
}

Status CheckFile(const PartitionOptions& options) {
  const bool is_file = options.method == kFile;
  if (is_file && !options.file) {
    return Error{"data.partition = \"file\": needs data.partition_file"};
  }
  if (!is_file && options.file) {
    return Error{fmt::format("data.partition_file = {}: needs data.partition = \"file\"",
                             base::Quoted(*options.file))};
  }
  return {};
}

Status CheckDevices(const PartitionOptions& options, std::size_t samples) {
  if (options.devices == 0) return Error{"0 devices: there must be at least 1"};
  if (options.overlap || options.method == kFile || options.devices <= samples) return {};
  return Error{fmt::format(
      "{} devices: there must be at most {}, the number of samples; or let devices share samples: "
      "data.partition = \"client-dirichlet\", data.overlap = true, data.samples_per_device",
      options.devices, samples)};
}

// CheckPerDevice checks that `per_device` samples of each device do not add up to more than there
// are.
Status CheckPerDevice(std::string_view key, std::size_t per_device, std::size_t samples,
                      std::size_t devices) {
  if (per_device <= samples / devices) return {};
  return Error{fmt::format("{} = {}: must be <= {} ({} samples / {} devices)", key, per_device,
                           samples / devices, samples, devices)};
}

// CheckForeign refuses options that belong to other methods.
Status CheckForeign(const PartitionOptions& options) {
  const bool is_client = options.method == "client-dirichlet";
  if (options.overlap && !is_client) {
    return Error{"data.overlap = true: needs data.partition = \"client-dirichlet\""};
  }
  if (options.samples_per_device > 0 && !is_client && options.method != "iid") {
    return Error{fmt::format(
        "data.samples_per_device = {}: needs data.partition = \"client-dirichlet\" or \"iid\"",
        options.samples_per_device)};
  }
  return {};
}

Status CheckOverlap(const PartitionOptions& options, std::size_t samples) {
  if (options.samples_per_device == 0 && options.devices > samples) {
    return Error{fmt::format(
        "data.samples_per_device = 0: must be >= 1 where {} devices are more than the {} "
        "samples",
        options.devices, samples)};
  }
  constexpr std::size_t kMostDraws = std::size_t{1} << 32;
  return CheckPerDevice("data.samples_per_device", options.samples_per_device, kMostDraws,
                        options.devices);
}

Status CheckSizes(const PartitionOptions& options, std::size_t samples) {
  if (options.method == "dirichlet") {
    return CheckPerDevice("data.minimum_samples", options.minimum_samples, samples,
                          options.devices);
  }
  if (options.method == "shards") {
    if (options.shards_per_device == 0) {
      return Error{"data.shards_per_device = 0: must be >= 1"};
    }
    return CheckPerDevice("data.shards_per_device", options.shards_per_device, samples,
                          options.devices);
  }
  if (options.overlap) return CheckOverlap(options, samples);
  return CheckPerDevice("data.samples_per_device", options.samples_per_device, samples,
                        options.devices);
}

Status Validate(const Labels& labels, const PartitionOptions& options) {
  if (IndexOf(options.method) == kPartitionEntries.size()) return UnknownMethod(options.method);
  if (auto status = CheckLabels(labels); !status) return status;
  if (auto status = CheckBeta(options.beta); !status) return status;
  if (auto status = CheckForeign(options); !status) return status;
  if (auto status = CheckFile(options); !status) return status;
  if (auto status = CheckClasses(options, labels.classes); !status) return status;
  if (auto status = CheckDevices(options, labels.values.size()); !status) return status;
  return CheckSizes(options, labels.values.size());
}

}  // namespace

std::span<const PartitionEntry> Partitions() { return kPartitionEntries; }

Result<Partition> MakePartition(const Labels& labels, const PartitionOptions& options,
                                const DeviceNames& names) {
  if (const auto status = Validate(labels, options); !status) return status.error();
  if (options.method == kFile) {
    return data::ReadPartition(*options.file, labels.values.size(), options.devices, names);
  }
  return kSplits[IndexOf(options.method)](labels, options);
}

}  // namespace airlot
