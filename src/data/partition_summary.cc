#include <algorithm>
#include <vector>

#include "airlot/partition.h"

namespace airlot {

std::vector<std::size_t> CountLabels(std::span<const std::uint32_t> samples, const Labels& labels) {
  std::vector<std::size_t> counts(std::size_t(labels.classes));
  if (counts.empty()) return counts;
  for (const std::uint32_t sample : samples) ++counts[labels.values[sample]];
  return counts;
}

PartitionSummary SummarizePartition(const Partition& partition, const Labels& labels) {
  PartitionSummary summary;
  std::vector<bool> is_used(labels.values.size());
  for (const std::uint32_t sample : partition.samples) is_used[sample] = true;
  summary.unused = std::size_t(std::ranges::count(is_used, false));
  if (partition.devices() == 0) return summary;
  summary.smallest = partition.samples.size();
  std::size_t missing = 0;
  for (std::size_t device = 0; device < partition.devices(); ++device) {
    const auto samples = partition.SamplesOf(device);
    summary.smallest = std::min(summary.smallest, samples.size());
    summary.largest = std::max(summary.largest, samples.size());
    const auto counts = CountLabels(samples, labels);
    missing += std::size_t(std::count(counts.begin(), counts.end(), std::size_t{0}));
  }
  const auto devices = double(partition.devices());
  summary.mean = double(partition.samples.size()) / devices;
  summary.mean_missing_labels = double(missing) / devices;
  return summary;
}

}  // namespace airlot
