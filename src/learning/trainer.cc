#include <algorithm>
#include <numeric>

#include "airlot/training.h"
#include "base/check.h"
#include "base/shards.h"
#include "learning/evaluation.h"
#include "learning/network.h"
#include "learning/panels.h"
#include "learning/sample_batch.h"

namespace airlot {
namespace {

using learning::kMicroBatch;
using learning::SampleBatch;

// The gradients of so many micro-batches are summed in one array, by one thread. Their number is
// fixed, so that the sums do not depend on the number of threads.
constexpr std::size_t kShardBatches = 5;
constexpr std::size_t kShardSamples = kShardBatches * kMicroBatch;

// A ShardRange is the samples of a shard.
struct ShardRange {
  std::size_t begin, size;
};

template <class T>
std::span<T> ShardOf(std::span<T> all, const ShardRange& shard) {
  return all.subspan(shard.begin, shard.size);
}

// A WeightedSample is one sample of a pass, the weight of its loss, and what decides its dropout.
struct WeightedSample {
  std::uint32_t sample;
  float weight;
  const MaskDraw* masks;  // null: no dropout
};

// Union returns all samples of all parts; the samples of a part share its weight. (49)
std::vector<WeightedSample> Union(std::span<const WeightedSamples> parts, std::size_t images) {
  std::vector<WeightedSample> all;
  for (const WeightedSamples& part : parts) {
    const auto weight = float(part.weight / double(part.samples.size()));
    AIRLOT_CHECK(part.masks.has_value() == parts[0].masks.has_value(), "masks of {} in {} parts",
                 part.masks.has_value() ? "some" : "not all", parts.size());
    for (const std::uint32_t sample : part.samples) {
      AIRLOT_CHECK(sample < images, "sample {} of {}", sample, images);
      all.push_back({sample, weight, part.masks ? &*part.masks : nullptr});
    }
  }
  return all;
}

// CutIntoShards returns the shards of all samples of all parts. Where parts must not be mixed, each
// has shards of its own.
std::vector<ShardRange> CutIntoShards(std::span<const WeightedSamples> parts, bool keep_apart) {
  std::vector<ShardRange> shards;
  std::size_t first = 0, samples = 0;
  const auto cut = [&] {
    for (std::size_t begin = 0; begin < samples; begin += kShardSamples) {
      shards.push_back({first + begin, std::min(kShardSamples, samples - begin)});
    }
    first += samples;
    samples = 0;
  };
  for (const WeightedSamples& part : parts) {
    samples += part.samples.size();
    if (keep_apart) cut();
  }
  cut();
  return shards;
}

void CheckImages(const Images& images) {
  const std::size_t numbers = images.values.empty() ? images.pixels.size() : images.values.size();
  AIRLOT_CHECK(numbers == images.size() * images.PixelsPerImage(), "{} pixels of {} images",
               numbers, images.size());
  AIRLOT_CHECK(images.classes > 0 ? images.targets.empty() : images.labels.empty(),
               "{} classes, {} labels and {} targets", images.classes, images.labels.size(),
               images.targets.size());
  for (const std::uint8_t label : images.labels) {
    AIRLOT_CHECK(label < images.classes, "label {} of {} classes", label, images.classes);
  }
}

// RunForward puts samples into the network's input and runs it forward.
SampleBatch RunForward(learning::Network& network, const Images& images,
                       std::span<const float> parameters, std::span<const WeightedSample> samples) {
  SampleBatch batch(images);
  for (const auto& [sample, weight, masks] : samples) batch.Add(sample, weight, masks);
  batch.LoadInto(network);
  network.Forward(parameters);
  return batch;
}

// AddGradient adds the gradient of the samples' weighted loss and returns that loss; `losses` gets
// the loss of each sample.
double AddGradient(learning::Network& network, const Images& images,
                   std::span<const float> parameters, std::span<const WeightedSample> samples,
                   std::span<float> losses, std::span<float> gradient) {
  double loss = 0;
  for (std::size_t first = 0; first < samples.size(); first += kMicroBatch) {
    const std::size_t size = std::min(kMicroBatch, samples.size() - first);
    const SampleBatch batch = RunForward(network, images, parameters, samples.subspan(first, size));
    const std::span<float> own = losses.subspan(first, size);
    network.AddGradient(parameters, batch.Goal(), batch.Weights(), own, gradient);
    for (std::size_t i = 0; i < size; ++i) loss += double(batch.weights[i]) * double(own[i]);
  }
  return loss;
}

// TakeLosses computes the samples' losses without their gradient.
void TakeLosses(learning::Network& network, const Images& images, std::span<const float> parameters,
                std::span<const WeightedSample> samples, std::span<float> losses) {
  for (std::size_t first = 0; first < samples.size(); first += kMicroBatch) {
    const std::size_t size = std::min(kMicroBatch, samples.size() - first);
    const SampleBatch batch = RunForward(network, images, parameters, samples.subspan(first, size));
    network.Losses(batch.Goal(), losses.subspan(first, size));
  }
}

PartLoss MeansOf(std::span<const float> losses) {
  PartLoss sum;
  for (const float loss : losses) {
    sum.mean += double(loss);
    sum.mean_square += double(loss) * double(loss);
  }
  const double count = double(std::max<std::size_t>(losses.size(), 1));
  return {sum.mean / count, sum.mean_square / count};
}

// SplitLosses finds the loss of each part from the losses of all samples of all parts.
void SplitLosses(std::span<const WeightedSamples> parts, std::span<const float> sample_losses,
                 std::span<PartLoss> losses) {
  std::size_t first = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    losses[part] = MeansOf(sample_losses.subspan(first, parts[part].samples.size()));
    first += parts[part].samples.size();
  }
}

}  // namespace

class Trainer::State {
 public:
  State(const Model& model, const Images& images, int threads)
      : images_(images), threads_(threads), keeps_apart_(HasBatchNorm(model)) {
    AIRLOT_CHECK(threads >= 1, "{} threads", threads);
    CheckImages(images);
    for (int i = 0; i < threads; ++i) workers_.emplace_back(model, ShapeOf(images));
    count_ = airlot::ParameterCount(model, ShapeOf(images));
  }

  std::size_t Count() const { return count_; }
  int Threads() const { return threads_; }
  const Images& AllImages() const { return images_; }
  std::vector<ShardRange> ShardsOf(std::span<const WeightedSamples> parts) const {
    return CutIntoShards(parts, keeps_apart_);
  }
  learning::Network& NetworkOf(std::size_t worker) { return workers_[worker].network; }

  // A worker has two buffers, as large as the parameters: BufferOf is for a shard, and SumOf for
  // all shards.
  std::span<float> BufferOf(std::size_t worker) { return Sized(workers_[worker].shard); }
  std::span<float> SumOf(std::size_t worker) { return Sized(workers_[worker].sum); }

  // TakeShard writes the gradient of one shard to `gradient`, the losses of its samples to their
  // places in `losses`, and returns its loss.
  double TakeShard(std::size_t worker, std::span<const float> parameters,
                   std::span<const WeightedSample> samples, const ShardRange& shard,
                   std::span<float> losses, std::span<float> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    return AddGradient(NetworkOf(worker), images_, parameters, ShardOf(samples, shard),
                       ShardOf(losses, shard), gradient);
  }

  void TakeLossesOfShard(std::size_t worker, std::span<const float> parameters,
                         std::span<const WeightedSample> samples, const ShardRange& shard,
                         std::span<float> losses) {
    TakeLosses(NetworkOf(worker), images_, parameters, ShardOf(samples, shard),
               ShardOf(losses, shard));
  }

 private:
  struct Worker {
    Worker(const Model& model, const ImageShape& shape) : network(model, shape) {}
    learning::Network network;
    learning::Floats shard, sum;
  };

  std::span<float> Sized(learning::Floats& buffer) {
    buffer.resize(count_);
    return buffer;
  }

  const Images& images_;
  int threads_;
  bool keeps_apart_;  // samples of different parts are not mixed
  std::size_t count_ = 0;
  std::vector<Worker> workers_;  // one per thread
};

Trainer::Trainer(const Model& model, const Images& images, int threads)
    : state_(std::make_unique<State>(model, images, threads)) {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

std::size_t Trainer::ParameterCount() const { return state_->Count(); }

// As many shards run at a time as there are threads; their gradients are added in the order of the
// shards. The first goes straight into `gradient`.
double Trainer::Gradient(std::span<const float> parameters, std::span<const WeightedSamples> parts,
                         std::span<float> gradient, std::span<PartLoss> losses) {
  AIRLOT_CHECK(parameters.size() == state_->Count() && gradient.size() == state_->Count(),
               "{} parameters, {} of the gradient, not {}", parameters.size(), gradient.size(),
               state_->Count());
  AIRLOT_CHECK(losses.empty() || losses.size() == parts.size(), "losses of {} parts, not {}",
               losses.size(), parts.size());
  const std::vector<WeightedSample> samples = Union(parts, state_->AllImages().size());
  const std::vector<ShardRange> shards = state_->ShardsOf(parts);
  const auto threads = std::size_t(state_->Threads());
  std::vector<double> shard_losses(shards.size());
  std::vector<float> sample_losses(samples.size());
  if (shards.empty()) std::fill(gradient.begin(), gradient.end(), 0.0F);
  for (std::size_t first = 0; first < shards.size(); first += threads) {
    const std::size_t wave = std::min(threads, shards.size() - first);
    base::ForEachTask(wave, state_->Threads(), [&](std::size_t task, std::size_t) {
      const std::size_t shard = first + task;
      shard_losses[shard] =
          state_->TakeShard(task, parameters, samples, shards[shard], sample_losses,
                            shard == 0 ? gradient : state_->BufferOf(task));
    });
    for (std::size_t task = 0; task < wave; ++task) {
      if (first + task > 0) learning::Add(state_->BufferOf(task), gradient);
    }
  }
  if (!losses.empty()) SplitLosses(parts, sample_losses, losses);
  return std::accumulate(shard_losses.begin(), shard_losses.end(), 0.0);
}

// As many parts run at a time as there are threads; one thread sums each, shard by shard as
// Gradient does.
void Trainer::GradientOfEach(std::span<const float> parameters,
                             std::span<const WeightedSamples> parts, const UseGradient& use) {
  AIRLOT_CHECK(parameters.size() == state_->Count(), "{} parameters, not {}", parameters.size(),
               state_->Count());
  const auto threads = std::size_t(state_->Threads());
  std::vector<PartLoss> losses(parts.size());
  for (std::size_t first = 0; first < parts.size(); first += threads) {
    const std::size_t wave = std::min(threads, parts.size() - first);
    base::ForEachTask(wave, state_->Threads(), [&](std::size_t task, std::size_t) {
      const WeightedSamples part{parts[first + task].samples, 1, parts[first + task].masks};
      const auto samples = Union({&part, 1}, state_->AllImages().size());
      std::vector<float> sample_losses(samples.size());
      const std::span<float> sum = state_->SumOf(task);
      std::fill(sum.begin(), sum.end(), 0.0F);
      for (const ShardRange& shard : state_->ShardsOf({&part, 1})) {
        const std::span<float> gradient = shard.begin == 0 ? sum : state_->BufferOf(task);
        state_->TakeShard(task, parameters, samples, shard, sample_losses, gradient);
        if (shard.begin > 0) learning::Add(gradient, sum);
      }
      losses[first + task] = MeansOf(sample_losses);
    });
    for (std::size_t task = 0; task < wave; ++task) {
      use(first + task, losses[first + task], state_->SumOf(task));
    }
  }
}

void Trainer::Losses(std::span<const float> parameters, std::span<const WeightedSamples> parts,
                     std::span<PartLoss> losses) {
  AIRLOT_CHECK(parameters.size() == state_->Count() && losses.size() == parts.size(),
               "{} parameters, not {}; losses of {} parts, not {}", parameters.size(),
               state_->Count(), losses.size(), parts.size());
  const std::vector<WeightedSample> samples = Union(parts, state_->AllImages().size());
  const std::vector<ShardRange> shards = state_->ShardsOf(parts);
  std::vector<float> sample_losses(samples.size());
  base::ForEachTask(shards.size(), state_->Threads(), [&](std::size_t shard, std::size_t worker) {
    state_->TakeLossesOfShard(worker, parameters, samples, shards[shard], sample_losses);
  });
  SplitLosses(parts, sample_losses, losses);
}

Evaluation Trainer::Evaluate(std::span<const float> parameters, const Images& images) {
  AIRLOT_CHECK(parameters.size() == state_->Count(), "{} parameters, not {}", parameters.size(),
               state_->Count());
  const Images& own = state_->AllImages();
  const ImageShape shape = ShapeOf(images);
  AIRLOT_CHECK(images.size() > 0 && shape == ShapeOf(own),
               "{} images of {} x {} x {} in {} classes, not {} x {} x {} in {}", images.size(),
               images.channels, images.height, images.width, images.classes, own.channels,
               own.height, own.width, own.classes);
  CheckImages(images);
  std::vector<learning::Tally> tallies((images.size() + kShardSamples - 1) / kShardSamples);
  base::ForEachTask(tallies.size(), state_->Threads(), [&](std::size_t shard, std::size_t worker) {
    const std::size_t begin = shard * kShardSamples;
    tallies[shard] = learning::TallyImages(state_->NetworkOf(worker), images, parameters, begin,
                                           std::min(images.size(), begin + kShardSamples));
  });
  return learning::EvaluationOf(tallies, images);
}

}  // namespace airlot
