// A partition says which device holds which samples. Samples are indices into one shared array of
// images.
#ifndef AIRLOT_PARTITION_H_
#define AIRLOT_PARTITION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/result.h"

namespace airlot {

struct PartitionOptions {
  std::string method = "dirichlet";
  std::size_t devices = 100;
  double beta = 0.1;                   // concentration of the Dirichlet draws; small is uneven
  std::size_t minimum_samples = 10;    // least number of samples of a device (dirichlet)
  std::size_t shards_per_device = 2;   // number of shards (shards)
  std::size_t samples_per_device = 0;  // 0: all samples, shared equally (client-dirichlet, iid)
  // With overlap, each draw is from all samples (client-dirichlet): devices share some, and one may
  // hold the same sample twice.
  bool overlap = false;
  std::optional<std::string> file;  // CSV with the columns sample and device (file)
  std::uint64_t seed = 1;
  bool operator==(const PartitionOptions&) const = default;
};

// In a Partition, device i holds samples[begin[i]] to samples[begin[i + 1] - 1].
struct Partition {
  std::vector<std::uint32_t> samples;
  std::vector<std::size_t> begin = {0};

  std::size_t devices() const { return begin.size() - 1; }
  std::span<const std::uint32_t> SamplesOf(std::size_t device) const {
    return {samples.data() + begin[device], begin[device + 1] - begin[device]};
  }
};

// DeviceNames returns what a device is called in a partition file. The name is valid until the next
// call on the same buffer.
using DeviceNames = std::function<std::string_view(std::size_t device, std::string& buffer)>;

// Splits samples over devices. Where labels and options cannot be met, the error names the key to
// change. In a partition file, devices are called by `names` or, where that is empty, by their row
// numbers, from 1. Samples that have targets instead of labels can be split by "iid" and "file".
Result<Partition> MakePartition(const Labels& labels, const PartitionOptions& options,
                                const DeviceNames& names = {});

// A PartitionEntry is a method; each is one file in src/data/.
struct PartitionEntry {
  std::string_view name;
  std::string_view summary;
};
std::span<const PartitionEntry> Partitions();

// A PartitionSummary says how uneven a partition came out.
struct PartitionSummary {
  std::size_t smallest = 0;
  std::size_t largest = 0;
  double mean = 0;
  double mean_missing_labels = 0;  // number of labels of which a device has no sample
  std::size_t unused = 0;          // samples that nobody holds
};
PartitionSummary SummarizePartition(const Partition& partition, const Labels& labels);

// Counts the samples of each class on one device; where there are no classes, it counts nothing.
std::vector<std::size_t> CountLabels(std::span<const std::uint32_t> samples, const Labels& labels);

}  // namespace airlot

#endif  // AIRLOT_PARTITION_H_
