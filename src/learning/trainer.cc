#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "airlot/training.h"
#include "base/check.h"
#include "base/shards.h"
#include "learning/network.h"
#include "learning/panels.h"

namespace airlot {
namespace {

using learning::kMicroBatch;

// The gradients of so many micro-batches are summed in one array, by one thread. Their number is
// fixed, so that the sums do not depend on the number of threads.
constexpr std::size_t kShardBatches = 5;
constexpr std::size_t kShardSamples = kShardBatches * kMicroBatch;

std::size_t ShardsOf(std::size_t samples) { return (samples + kShardSamples - 1) / kShardSamples; }

template <class T>
std::span<T> ShardOf(std::span<T> all, std::size_t shard) {
  const std::size_t begin = shard * kShardSamples;
  return all.subspan(begin, std::min(kShardSamples, all.size() - begin));
}

// A WeightedSample is one sample of a pass and the weight of its loss.
struct WeightedSample {
  std::uint32_t sample;
  float weight;
};

// Union returns all samples of all parts; the samples of a part share its weight. (49)
std::vector<WeightedSample> Union(std::span<const WeightedSamples> parts, std::size_t images) {
  std::vector<WeightedSample> all;
  for (const WeightedSamples& part : parts) {
    const auto weight = float(part.weight / double(part.samples.size()));
    for (const std::uint32_t sample : part.samples) {
      AIRLOT_CHECK(sample < images, "sample {} of {}", sample, images);
      all.push_back({sample, weight});
    }
  }
  return all;
}

void CheckImages(const Images& images) {
  AIRLOT_CHECK(images.pixels.size() == images.size() * images.PixelsPerImage(),
               "{} pixels of {} images", images.pixels.size(), images.size());
  for (const std::uint8_t label : images.labels) {
    AIRLOT_CHECK(label < images.classes, "label {} of {} classes", label, images.classes);
  }
}

// A MicroBatch is what the micro-batch kernels are given.
struct MicroBatch {
  std::array<const std::uint8_t*, kMicroBatch> pixels;
  std::array<std::uint8_t, kMicroBatch> labels;
  std::array<float, kMicroBatch> weights, losses;
  std::size_t size = 0;

  void Add(const Images& images, std::size_t sample, float weight) {
    pixels[size] = images.Image(sample).data();
    labels[size] = images.labels[sample];
    weights[size++] = weight;
  }
  std::span<const std::uint8_t* const> Pixels() const { return {pixels.data(), size}; }
  std::span<const std::uint8_t> Labels() const { return {labels.data(), size}; }
  std::span<const float> Weights() const { return {weights.data(), size}; }
  std::span<float> Losses() { return {losses.data(), size}; }
};

// RunForward puts samples into the network's input and runs it forward.
MicroBatch RunForward(learning::Network& network, const Images& images,
                      std::span<const float> parameters, std::span<const WeightedSample> samples) {
  MicroBatch batch;
  for (const auto& [sample, weight] : samples) batch.Add(images, sample, weight);
  network.Load(batch.Pixels());
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
    const MicroBatch batch = RunForward(network, images, parameters, samples.subspan(first, size));
    const std::span<float> own = losses.subspan(first, size);
    network.AddGradient(parameters, batch.Labels(), batch.Weights(), own, gradient);
    for (std::size_t i = 0; i < size; ++i) loss += double(batch.weights[i]) * double(own[i]);
  }
  return loss;
}

// TakeLosses computes the samples' losses without their gradient.
void TakeLosses(learning::Network& network, const Images& images, std::span<const float> parameters,
                std::span<const WeightedSample> samples, std::span<float> losses) {
  for (std::size_t first = 0; first < samples.size(); first += kMicroBatch) {
    const std::size_t size = std::min(kMicroBatch, samples.size() - first);
    const MicroBatch batch = RunForward(network, images, parameters, samples.subspan(first, size));
    network.Losses(batch.Labels(), losses.subspan(first, size));
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

// A Tally holds sums over some images, by class.
struct Tally {
  double loss = 0;
  std::vector<std::size_t> images, right;
};

// Returns whether the label of sample i has the largest logit; the first of equal ones wins.
bool IsRight(const float* logits, std::size_t classes, std::size_t i, std::size_t label) {
  const std::size_t panel = learning::PanelWidth();
  const float* sample = logits + i / panel * panel * classes + i % panel;
  std::size_t best = 0;
  for (std::size_t k = 1; k < classes; ++k) {
    if (sample[k * panel] > sample[best * panel]) best = k;
  }
  return best == label;
}

Tally TallyImages(learning::Network& network, const Images& images,
                  std::span<const float> parameters, std::size_t begin, std::size_t end) {
  const auto classes = std::size_t(images.classes);
  Tally tally{0, std::vector<std::size_t>(classes), std::vector<std::size_t>(classes)};
  for (std::size_t first = begin; first < end; first += kMicroBatch) {
    MicroBatch batch;
    for (std::size_t i = first; i < std::min(end, first + kMicroBatch); ++i)
      batch.Add(images, i, 1);
    network.Load(batch.Pixels());
    const float* logits = network.Forward(parameters);
    for (std::size_t i = 0; i < batch.size; ++i) {
      ++tally.images[batch.labels[i]];
      if (IsRight(logits, classes, i, batch.labels[i])) ++tally.right[batch.labels[i]];
    }
    network.Losses(batch.Labels(), batch.Losses());
    for (const float loss : batch.Losses()) tally.loss += double(loss);
  }
  return tally;
}

Evaluation EvaluationOf(std::span<const Tally> tallies, std::size_t classes) {
  Evaluation evaluation;
  std::vector<std::size_t> images(classes), right(classes);
  for (const Tally& tally : tallies) {
    evaluation.loss += tally.loss;
    for (std::size_t k = 0; k < classes; ++k) {
      images[k] += tally.images[k];
      right[k] += tally.right[k];
    }
  }
  std::size_t all = 0, all_right = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    all += images[k];
    all_right += right[k];
    evaluation.class_accuracy.push_back(images[k] == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                       : double(right[k]) / double(images[k]));
  }
  evaluation.loss /= double(all);
  evaluation.accuracy = double(all_right) / double(all);
  return evaluation;
}

}  // namespace

class Trainer::State {
 public:
  State(const Model& model, const Images& images, int threads)
      : images_(images), threads_(threads) {
    AIRLOT_CHECK(threads >= 1, "{} threads", threads);
    CheckImages(images);
    for (int i = 0; i < threads; ++i) workers_.emplace_back(model, ShapeOf(images));
    count_ = airlot::ParameterCount(model, ShapeOf(images));
  }

  std::size_t Count() const { return count_; }
  int Threads() const { return threads_; }
  const Images& AllImages() const { return images_; }
  learning::Network& NetworkOf(std::size_t worker) { return workers_[worker].network; }

  // A worker has two buffers, as large as the parameters: BufferOf is for a shard, and SumOf for
  // all shards.
  std::span<float> BufferOf(std::size_t worker) { return Sized(workers_[worker].shard); }
  std::span<float> SumOf(std::size_t worker) { return Sized(workers_[worker].sum); }

  // TakeShard writes the gradient of one shard to `gradient`, the losses of its samples to their
  // places in `losses`, and returns its loss.
  double TakeShard(std::size_t worker, std::span<const float> parameters,
                   std::span<const WeightedSample> samples, std::size_t shard,
                   std::span<float> losses, std::span<float> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    return AddGradient(NetworkOf(worker), images_, parameters, ShardOf(samples, shard),
                       ShardOf(losses, shard), gradient);
  }

  void TakeLossesOfShard(std::size_t worker, std::span<const float> parameters,
                         std::span<const WeightedSample> samples, std::size_t shard,
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
  const std::size_t shards = ShardsOf(samples.size());
  const auto threads = std::size_t(state_->Threads());
  std::vector<double> shard_losses(shards);
  std::vector<float> sample_losses(samples.size());
  if (shards == 0) std::fill(gradient.begin(), gradient.end(), 0.0F);
  for (std::size_t first = 0; first < shards; first += threads) {
    const std::size_t wave = std::min(threads, shards - first);
    base::ForEachTask(wave, state_->Threads(), [&](std::size_t task, std::size_t) {
      const std::size_t shard = first + task;
      shard_losses[shard] = state_->TakeShard(task, parameters, samples, shard, sample_losses,
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
      const WeightedSamples part{parts[first + task].samples, 1};
      const auto samples = Union({&part, 1}, state_->AllImages().size());
      std::vector<float> sample_losses(samples.size());
      const std::span<float> sum = state_->SumOf(task);
      std::fill(sum.begin(), sum.end(), 0.0F);
      for (std::size_t shard = 0; shard < ShardsOf(samples.size()); ++shard) {
        const std::span<float> gradient = shard == 0 ? sum : state_->BufferOf(task);
        state_->TakeShard(task, parameters, samples, shard, sample_losses, gradient);
        if (shard > 0) learning::Add(gradient, sum);
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
  std::vector<float> sample_losses(samples.size());
  base::ForEachTask(ShardsOf(samples.size()), state_->Threads(),
                    [&](std::size_t shard, std::size_t worker) {
                      state_->TakeLossesOfShard(worker, parameters, samples, shard, sample_losses);
                    });
  SplitLosses(parts, sample_losses, losses);
}

Evaluation Trainer::Evaluate(std::span<const float> parameters, const Images& images) {
  AIRLOT_CHECK(parameters.size() == state_->Count(), "{} parameters, not {}", parameters.size(),
               state_->Count());
  const Images& own = state_->AllImages();
  AIRLOT_CHECK(images.size() > 0 && images.height == own.height && images.width == own.width &&
                   images.classes == own.classes,
               "{} images of {} x {} in {} classes, not {} x {} in {}", images.size(),
               images.height, images.width, images.classes, own.height, own.width, own.classes);
  CheckImages(images);
  std::vector<Tally> tallies(ShardsOf(images.size()));
  base::ForEachTask(tallies.size(), state_->Threads(), [&](std::size_t shard, std::size_t worker) {
    const std::size_t begin = shard * kShardSamples;
    tallies[shard] = TallyImages(state_->NetworkOf(worker), images, parameters, begin,
                                 std::min(images.size(), begin + kShardSamples));
  });
  return EvaluationOf(tallies, std::size_t(images.classes));
}

}  // namespace airlot
