// Each way to split samples over devices is one file. It takes options that MakePartition has
// checked.
#ifndef AIRLOT_DATA_PARTITION_METHODS_H_
#define AIRLOT_DATA_PARTITION_METHODS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "airlot/partition.h"
#include "base/random.h"

namespace airlot::data {

Result<Partition> SplitDirichlet(const Labels& labels, const PartitionOptions& options);
Result<Partition> SplitClientDirichlet(const Labels& labels, const PartitionOptions& options);
Result<Partition> SplitShards(const Labels& labels, const PartitionOptions& options);
Result<Partition> SplitIid(const Labels& labels, const PartitionOptions& options);

// --- What the methods share ----------------------------------------------------------------------

// SamplesByClass returns the samples of each class, in rising order.
using Classes = std::vector<std::vector<std::uint32_t>>;
Classes SamplesByClass(const Labels& labels);

// Shuffle makes every order of the values equally likely (Fisher and Yates).
void Shuffle(std::span<std::uint32_t> values, base::RandomStream& stream);

// ShuffleEachDevice shuffles the samples of every device, so that no device has them class by
// class.
void ShuffleEachDevice(Partition& partition, std::uint64_t seed);

// NormalizeLogs turns logarithms of Gamma numbers into a Dirichlet vector, (39), which is never 0
// in all places.
void NormalizeLogs(std::span<double> values);

// MakeEmpty returns a partition with room for `sizes[i]` samples of each device i.
Partition MakeEmpty(std::span<const std::size_t> sizes);

// EvenCut returns where part `i` of `parts` begins in [0, total), (43). The sizes of the parts
// differ by at most one.
inline std::size_t EvenCut(std::size_t total, std::size_t parts, std::size_t i) {
  return total / parts * i + (i < total % parts ? i : total % parts);
}

// DirichletCounts holds how many samples each device has of each class, class by class, and how
// many draws that took.
struct DirichletCounts {
  std::vector<std::uint32_t> counts;  // of class k and device i at [k * devices + i]
  std::size_t attempts = 0;
};
inline constexpr std::size_t kMostAttempts = 1000;
// DrawDirichletCounts fails where none of kMostAttempts draws (fewer in large fleets) gives every
// device options.minimum_samples.
Result<DirichletCounts> DrawDirichletCounts(std::span<const std::size_t> class_sizes,
                                            const PartitionOptions& options);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_PARTITION_METHODS_H_
