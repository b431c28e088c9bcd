// With shards, samples are sorted by label and cut into equal shards, and each device gets some of
// them at random, so that it knows few labels (McMahan et al., arXiv:1602.05629).
#include <numeric>
#include <vector>

#include "data/partition_methods.h"
#include "data/purposes.h"

namespace airlot::data {
namespace {

std::vector<std::uint32_t> SortedByLabel(const Labels& labels) {
  std::vector<std::uint32_t> sorted;
  sorted.reserve(labels.values.size());
  for (const auto& samples : SamplesByClass(labels)) {
    sorted.insert(sorted.end(), samples.begin(), samples.end());
  }
  return sorted;
}

std::vector<std::uint32_t> ShuffledShards(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> shards(count);
  std::iota(shards.begin(), shards.end(), 0U);
  base::RandomStream stream(seed, kPartition, 0, 0);
  Shuffle(shards, stream);
  return shards;
}

}  // namespace

Result<Partition> SplitShards(const Labels& labels, const PartitionOptions& options) {
  const std::vector<std::uint32_t> sorted = SortedByLabel(labels);
  const auto shards = ShuffledShards(options.devices * options.shards_per_device, options.seed);
  Partition partition;
  partition.samples.reserve(sorted.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::size_t from = EvenCut(sorted.size(), shards.size(), shards[i]);  // (43)
    const std::size_t to = EvenCut(sorted.size(), shards.size(), shards[i] + 1);
    partition.samples.insert(partition.samples.end(), sorted.begin() + std::ptrdiff_t(from),
                             sorted.begin() + std::ptrdiff_t(to));
    const bool device_is_full = (i + 1) % options.shards_per_device == 0;
    if (device_is_full) partition.begin.push_back(partition.samples.size());
  }
  ShuffleEachDevice(partition, options.seed);
  return partition;
}

}  // namespace airlot::data
