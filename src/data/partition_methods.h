// The ways to split samples over devices, one file each. They take options that MakePartition has
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

// --- What they share -----------------------------------------------------------------------------

// The samples of each class, in rising order.
using Classes = std::vector<std::vector<std::uint32_t>>;
Classes SamplesByClass(const Labels& labels);

// Every order is equally likely (Fisher and Yates).
void Shuffle(std::span<std::uint32_t> values, base::RandomStream& stream);

// Shuffles the samples of every device, so that no device has them class by class.
void ShuffleEachDevice(Partition& partition, std::uint64_t seed);

// Turns logarithms of Gamma numbers into a Dirichlet vector, (39). Never 0 in all places.
void NormalizeLogs(std::span<double> values);

// Room for `sizes[i]` samples of each device i.
Partition MakeEmpty(std::span<const std::size_t> sizes);

// Where [0, total) is cut for part `i` of `parts`, (43): sizes differ by at most one.
inline std::size_t EvenCut(std::size_t total, std::size_t parts, std::size_t i) {
  return total / parts * i + (i < total % parts ? i : total % parts);
}

// Samples of each class and device, class by class, and how many draws they took.
struct DirichletCounts {
  std::vector<std::uint32_t> counts;  // [k * devices + i]
  std::size_t attempts = 0;
};
inline constexpr std::size_t kMostAttempts = 1000;
// An error where no draw of kMostAttempts (fewer in large fleets) gives every device
// options.minimum_samples.
Result<DirichletCounts> DrawDirichletCounts(std::span<const std::size_t> class_sizes,
                                            const PartitionOptions& options);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_PARTITION_METHODS_H_
