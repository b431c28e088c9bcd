// Which device holds which samples. Samples are indices into one shared array of images.
#ifndef AIRLOT_PARTITION_H_
#define AIRLOT_PARTITION_H_

#include <cstddef>
#include <cstdint>
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
  std::size_t minimum_samples = 10;    // of every device (dirichlet)
  std::size_t shards_per_device = 2;   // (shards)
  std::size_t samples_per_device = 0;  // (client-dirichlet, iid) 0: all samples, shared equally
  // (client-dirichlet) Each draw is from all samples: devices share some, and one may hold the same
  // sample twice.
  bool overlap = false;
  std::uint64_t seed = 1;
};

// Device i holds samples[begin[i]] to samples[begin[i + 1] - 1].
struct Partition {
  std::vector<std::uint32_t> samples;
  std::vector<std::size_t> begin = {0};

  std::size_t devices() const { return begin.size() - 1; }
  std::span<const std::uint32_t> SamplesOf(std::size_t device) const {
    return {samples.data() + begin[device], begin[device + 1] - begin[device]};
  }
};

// Splits labelled samples over devices. An error names the key to change where the labels and the
// options cannot be met.
Result<Partition> MakePartition(const Labels& labels, const PartitionOptions& options);

// The methods, one file each in src/data/.
struct PartitionEntry {
  std::string_view name;
  std::string_view summary;
};
std::span<const PartitionEntry> Partitions();

// How uneven a partition came out.
struct PartitionSummary {
  std::size_t smallest = 0;
  std::size_t largest = 0;
  double mean = 0;
  double mean_missing_labels = 0;  // labels of which a device has no sample
};
PartitionSummary SummarizePartition(const Partition& partition, const Labels& labels);

// Samples of each class on one device.
std::vector<std::size_t> CountLabels(std::span<const std::uint32_t> samples, const Labels& labels);

}  // namespace airlot

#endif  // AIRLOT_PARTITION_H_
