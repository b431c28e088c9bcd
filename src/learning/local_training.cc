// Local training is stochastic gradient descent on the samples of one device.
#include <algorithm>
#include <numeric>
#include <vector>

#include "airlot/training.h"
#include "base/check.h"
#include "learning/panels.h"
#include "learning/purposes.h"

namespace airlot {
namespace {

// Shuffle moves a random choice of `count` samples to the front, in random order.
void Shuffle(std::span<std::uint32_t> samples, std::size_t count, base::RandomStream& stream) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(samples[i], samples[i + stream.Below(samples.size() - i)]);
  }
}

std::size_t BatchSize(std::size_t batch, std::size_t samples) {
  return batch == 0 ? samples : std::min(batch, samples);
}

std::size_t StepsPerEpoch(std::size_t batch, std::size_t samples) {
  return (samples + batch - 1) / batch;
}

// AddTerms adds what FedProx (L4) and SCAFFOLD (L5) add to the gradient of a step.
void AddTerms(const LocalTraining& options, std::span<const float> start,
              std::span<const float> parameters, std::span<float> gradient) {
  if (options.proximal != 0) {
    const auto pull = float(options.proximal);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] += pull * (parameters[i] - start[i]);
    }
  }
  if (!options.correction.empty()) learning::Add(options.correction, gradient);
}

// Unite returns the mean of two losses, weighted by their numbers of samples.
PartLoss Unite(const PartLoss& a, std::size_t a_samples, const PartLoss& b, std::size_t b_samples) {
  const double share = double(b_samples) / double(a_samples + b_samples);
  return {a.mean + share * (b.mean - a.mean),
          a.mean_square + share * (b.mean_square - a.mean_square)};
}

}  // namespace

std::vector<std::uint32_t> DrawBatch(std::span<const std::uint32_t> samples, std::size_t count,
                                     std::uint64_t seed, std::uint64_t round, std::uint64_t device,
                                     BatchUse use) {
  const base::Purpose purpose =
      use == BatchUse::kTraining ? learning::kBatch : learning::kQuestionBatch;
  base::RandomStream stream(seed, purpose, round, device);
  std::vector<std::uint32_t> drawn(samples.begin(), samples.end());
  const std::size_t size = BatchSize(count, samples.size());
  Shuffle(drawn, size, stream);
  drawn.resize(size);
  return drawn;
}

std::size_t StepsOf(const LocalTraining& options, std::size_t samples) {
  if (samples == 0) return 0;
  if (options.epochs == 0) return options.steps;
  return options.epochs * StepsPerEpoch(BatchSize(options.batch, samples), samples);
}

LocalBatches::LocalBatches(std::span<const std::uint32_t> samples, const LocalTraining& options,
                           std::uint64_t seed, std::uint64_t round, std::uint64_t device)
    : has_epochs_(options.epochs > 0),
      order_(samples.begin(), samples.end()),
      batch_(BatchSize(options.batch, order_.size())),
      per_epoch_(StepsPerEpoch(batch_, order_.size())),
      stream_(seed, learning::kBatch, round, device) {}

std::span<const std::uint32_t> LocalBatches::Next() {
  // A step takes the next batch of an epoch, or any batch where epochs are not asked for.
  const std::size_t first = has_epochs_ ? step_ % per_epoch_ * batch_ : 0;
  if (first == 0) Shuffle(order_, has_epochs_ ? order_.size() : batch_, stream_);
  ++step_;
  return std::span(order_).subspan(first, std::min(batch_, order_.size() - first));
}

double Trainer::TrainLocally(std::span<float> parameters, std::span<const std::uint32_t> samples,
                             const LocalTraining& options, std::uint64_t seed, std::uint64_t round,
                             std::uint64_t device, PartLoss* losses) {
  AIRLOT_CHECK(options.correction.empty() || options.correction.size() == parameters.size(),
               "{} parameters, a correction of {}", parameters.size(), options.correction.size());
  if (losses != nullptr) *losses = {};
  const std::size_t steps = StepsOf(options, samples.size());
  if (steps == 0) return 0;
  LocalBatches batches(samples, options, seed, round, device);
  std::vector<float> start, gradient(parameters.size());
  if (options.proximal != 0) start.assign(parameters.begin(), parameters.end());
  const auto rate = float(options.rate);
  double loss = 0;
  std::size_t taken = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const WeightedSamples part{batches.Next(), 1,
                               MaskDraw{seed, round, device, std::uint32_t(step)}};
    PartLoss step_loss;
    loss += Gradient(parameters, {&part, 1}, gradient, {&step_loss, 1});
    if (losses != nullptr) *losses = Unite(*losses, taken, step_loss, part.samples.size());
    taken += part.samples.size();
    AddTerms(options, start, parameters, gradient);
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= rate * gradient[i];
  }
  return loss / double(steps);
}

}  // namespace airlot
