// With dirichlet, each class is split over the devices by a Dirichlet draw, so that devices differ
// both in their labels and in how many samples they have (the procedure of NIID-Bench,
// arXiv:2102.02079).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/text.h"
#include "data/partition_methods.h"
#include "data/purposes.h"

namespace airlot::data {
namespace {

// The shares of one class are a Dirichlet draw over the devices that hold less than an equal share
// of all samples, (40). As long as a sample is left there is such a device: otherwise the sizes
// would sum to N.
std::vector<double> DrawShares(std::span<const std::size_t> sizes, std::size_t total, double beta,
                               base::RandomStream& stream) {
  std::vector<double> shares(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    // A number is drawn in any case, so that the draws of other devices do not shift.
    const double log_gamma = stream.LogGamma(beta);
    const bool may_grow = sizes[i] * sizes.size() < total;
    shares[i] = may_grow ? log_gamma : -std::numeric_limits<double>::infinity();
  }
  NormalizeLogs(shares);
  return shares;
}

// Cut cuts `size` samples at floor(size * cumulated share), (41). What rounding leaves over goes to
// the last device that has a share.
void Cut(std::span<const double> shares, std::size_t size, std::span<std::uint32_t> counts) {
  double cumulated = 0;
  std::size_t begin = 0, last = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    cumulated += shares[i];
    const auto cut = std::min(size, std::size_t(std::floor(cumulated * double(size))));
    counts[i] = std::uint32_t(std::max(cut, begin) - begin);
    begin += counts[i];
    if (shares[i] > 0) last = i;
  }
  counts[last] += std::uint32_t(size - begin);
}

struct Draw {
  std::vector<std::uint32_t> counts;
  std::vector<std::size_t> sizes;  // how many samples each device has
};

Draw DrawOnce(std::span<const std::size_t> class_sizes, std::size_t total,
              const PartitionOptions& options, std::size_t attempt) {
  const std::size_t devices = options.devices;
  Draw draw{std::vector<std::uint32_t>(class_sizes.size() * devices),
            std::vector<std::size_t>(devices)};
  for (std::size_t k = 0; k < class_sizes.size(); ++k) {
    if (class_sizes[k] == 0) continue;
    base::RandomStream stream(options.seed, kPartition, attempt, k);
    const std::span counts(draw.counts.data() + k * devices, devices);
    Cut(DrawShares(draw.sizes, total, options.beta, stream), class_sizes[k], counts);
    for (std::size_t i = 0; i < devices; ++i) draw.sizes[i] += counts[i];
  }
  return draw;
}

// AttemptsFor keeps attempts so few that an error takes a second or two at most, also in large
// fleets.
std::size_t AttemptsFor(std::size_t devices, std::size_t classes) {
  constexpr std::size_t kMostNumbers = 10'000'000, kLeastAttempts = 10;
  return std::clamp(kMostNumbers / (devices * classes), kLeastAttempts, kMostAttempts);
}

Error NotReached(const PartitionOptions& options, std::size_t attempts) {
  return {fmt::format(
      "data.minimum_samples = {}: none of {} draws gave every device that many (data.beta = {}, {} "
      "devices): lower it or take fewer devices, or raise data.beta",
      options.minimum_samples, attempts, base::FormatNumber(options.beta), options.devices)};
}

Partition Deal(Classes classes, std::span<const std::uint32_t> counts,
               const PartitionOptions& options) {
  std::vector<std::size_t> sizes(options.devices);
  for (std::size_t i = 0; i < counts.size(); ++i) sizes[i % options.devices] += counts[i];
  Partition partition = MakeEmpty(sizes);
  std::vector<std::size_t> next(partition.begin.begin(), partition.begin.end() - 1);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    base::RandomStream stream(options.seed, kPartition, kMostAttempts, k);
    Shuffle(classes[k], stream);
    const std::uint32_t* sample = classes[k].data();
    for (std::size_t i = 0; i < options.devices; ++i) {
      const std::size_t count = counts[k * options.devices + i];
      std::copy_n(sample, count, partition.samples.data() + next[i]);
      sample += count;
      next[i] += count;
    }
  }
  return partition;
}

}  // namespace

// NIID-Bench draws anew in every attempt which samples go where. How many samples a device gets
// does not depend on that, so here the numbers alone are drawn until they will do.
Result<DirichletCounts> DrawDirichletCounts(std::span<const std::size_t> class_sizes,
                                            const PartitionOptions& options) {
  std::size_t total = 0;
  for (const std::size_t size : class_sizes) total += size;
  const std::size_t most = AttemptsFor(options.devices, class_sizes.size());
  for (std::size_t attempt = 0; attempt < most; ++attempt) {
    Draw draw = DrawOnce(class_sizes, total, options, attempt);
    const std::size_t smallest = std::ranges::min(draw.sizes);
    if (smallest >= options.minimum_samples) {  // (42)
      return DirichletCounts{std::move(draw.counts), attempt + 1};
    }
  }
  return NotReached(options, most);
}

Result<Partition> SplitDirichlet(const Labels& labels, const PartitionOptions& options) {
  Classes classes = SamplesByClass(labels);
  std::vector<std::size_t> class_sizes;
  for (const auto& samples : classes) class_sizes.push_back(samples.size());
  const auto drawn = DrawDirichletCounts(class_sizes, options);
  if (!drawn) return drawn.error();
  Partition partition = Deal(std::move(classes), drawn->counts, options);
  ShuffleEachDevice(partition, options.seed);
  return partition;
}

}  // namespace airlot::data
