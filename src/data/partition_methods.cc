#include "data/partition_methods.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/purposes.h"

namespace airlot::data {

Classes SamplesByClass(const Labels& labels) {
  Classes classes(std::size_t(labels.classes));
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    classes[labels.values[i]].push_back(std::uint32_t(i));
  }
  return classes;
}

void Shuffle(std::span<std::uint32_t> values, base::RandomStream& stream) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[stream.Below(i)]);
}

void ShuffleEachDevice(Partition& partition, std::uint64_t seed) {
  constexpr std::uint64_t kRound = std::uint64_t{1} << 32;  // beyond the attempts of any method
  for (std::size_t i = 0; i < partition.devices(); ++i) {
    base::RandomStream stream(seed, kPartition, kRound, i);
    Shuffle({partition.samples.data() + partition.begin[i], partition.SamplesOf(i).size()}, stream);
  }
}

void NormalizeLogs(std::span<double> values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - largest);  // the largest becomes 1
  for (double& value : values) value /= sum;
}

Partition MakeEmpty(std::span<const std::size_t> sizes) {
  Partition partition;
  partition.begin.reserve(sizes.size() + 1);
  for (const std::size_t size : sizes) partition.begin.push_back(partition.begin.back() + size);
  partition.samples.resize(partition.begin.back());
  return partition;
}

}  // namespace airlot::data
