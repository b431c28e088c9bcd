// With client-dirichlet, each device has its own mix of labels, drawn around that of the whole data
// set, and all have equally many samples (Hsu, Qi and Brown, arXiv:1909.06335).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/partition_methods.h"
#include "data/purposes.h"

namespace airlot::data {
namespace {

enum Round : std::uint64_t { kPools, kDevices };  // tells the random streams of this method apart

// Pools holds the samples that may still be drawn, by class.
class Pools {
 public:
  Pools(const Labels& labels, const PartitionOptions& options)
      : classes_(SamplesByClass(labels)), is_refilled_(options.overlap) {
    for (std::size_t k = 0; k < classes_.size() && !is_refilled_; ++k) {
      base::RandomStream stream(options.seed, kPartition, kPools, k);
      Shuffle(classes_[k], stream);
    }
  }

  std::size_t classes() const { return classes_.size(); }
  std::size_t left(std::size_t k) const { return classes_[k].size(); }

  // Take returns a sample of class k, which is gone afterwards, unless devices may overlap.
  std::uint32_t Take(std::size_t k, base::RandomStream& stream) {
    if (is_refilled_) return classes_[k][stream.Below(classes_[k].size())];
    const std::uint32_t sample = classes_[k].back();
    classes_[k].pop_back();
    return sample;
  }

 private:
  Classes classes_;
  bool is_refilled_;
};

// Returns the shapes of (44): beta * (share of each class in all samples).
std::vector<double> ShapesOf(const Labels& labels, const Pools& pools, double beta) {
  std::vector<double> shapes(pools.classes());
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    shapes[k] = beta * double(pools.left(k)) / double(labels.values.size());
  }
  return shapes;
}

// DrawMix draws a device's mix of labels, (44). A class without samples has no part in it.
void DrawMix(std::span<const double> shapes, base::RandomStream& stream, std::span<double> mix) {
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    mix[k] = shapes[k] > 0 ? stream.LogGamma(shapes[k]) : -HUGE_VAL;
  }
  NormalizeLogs(mix);
}

// Renormalize takes the classes that ran out from the mix, (45). Where nothing of the mix is left,
// the device takes what there is.
void Renormalize(const Pools& pools, std::span<double> mix) {
  for (std::size_t k = 0; k < mix.size(); ++k) {
    if (pools.left(k) == 0) mix[k] = 0;
  }
  if (std::ranges::all_of(mix, [](double share) { return share == 0; })) {
    for (std::size_t k = 0; k < mix.size(); ++k) mix[k] = double(pools.left(k));
  }
  const double sum = std::accumulate(mix.begin(), mix.end(), 0.0);
  for (double& share : mix) share /= sum;
}

// DrawClass returns class k with probability mix[k].
std::size_t DrawClass(std::span<const double> mix, base::RandomStream& stream) {
  double u = stream.Uniform();
  std::size_t last = 0;  // the answer where rounding lets u pass the end
  for (std::size_t k = 0; k < mix.size(); ++k) {
    if (mix[k] > 0) last = k;
    if ((u -= mix[k]) < 0) return k;
  }
  return last;
}

}  // namespace

Result<Partition> SplitClientDirichlet(const Labels& labels, const PartitionOptions& options) {
  const std::size_t per_device = options.samples_per_device > 0
                                     ? options.samples_per_device
                                     : labels.values.size() / options.devices;
  Pools pools(labels, options);
  const std::vector<double> shapes = ShapesOf(labels, pools, options.beta);
  std::vector<double> mix(shapes.size());
  Partition partition;
  partition.samples.reserve(options.devices * per_device);
  partition.begin.reserve(options.devices + 1);
  for (std::size_t i = 0; i < options.devices; ++i) {
    base::RandomStream stream(options.seed, kPartition, kDevices, i);
    DrawMix(shapes, stream, mix);
    Renormalize(pools, mix);
    for (std::size_t n = 0; n < per_device; ++n) {
      const std::size_t k = DrawClass(mix, stream);
      partition.samples.push_back(pools.Take(k, stream));
      const bool is_more_wanted = n + 1 < per_device;
      if (pools.left(k) == 0 && is_more_wanted) Renormalize(pools, mix);
    }
    partition.begin.push_back(partition.samples.size());
  }
  return partition;
}

}  // namespace airlot::data
