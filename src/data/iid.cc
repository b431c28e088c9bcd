// With iid, all samples are shuffled and shared equally.
#include <numeric>
#include <vector>

#include "data/partition_methods.h"
#include "data/purposes.h"

namespace airlot::data {

Result<Partition> SplitIid(const Labels& labels, const PartitionOptions& options) {
  const std::size_t devices = options.devices;
  const std::size_t used =
      options.samples_per_device > 0 ? devices * options.samples_per_device : labels.values.size();
  Partition partition;
  partition.samples.resize(labels.values.size());
  std::iota(partition.samples.begin(), partition.samples.end(), 0U);
  base::RandomStream stream(options.seed, kPartition, 0, 0);
  Shuffle(partition.samples, stream);
  partition.samples.resize(used);
  for (std::size_t i = 1; i <= devices; ++i) {
    partition.begin.push_back(EvenCut(used, devices, i));  // (43)
  }
  return partition;
}

}  // namespace airlot::data
