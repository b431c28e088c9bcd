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

double Trainer::TrainLocally(std::span<float> parameters, std::span<const std::uint32_t> samples,
                             const LocalTraining& options, std::uint64_t seed, std::uint64_t round,
                             std::uint64_t device, PartLoss* losses) {
  AIRLOT_CHECK(options.correction.empty() || options.correction.size() == parameters.size(),
               "{} parameters, a correction of {}", parameters.size(), options.correction.size());
  if (losses != nullptr) *losses = {};
  const std::size_t steps = StepsOf(options, samples.size());
  if (steps == 0) return 0;
  base::RandomStream stream(seed, learning::kBatch, round, device);
  std::vector<std::uint32_t> order(samples.begin(), samples.end());
  const std::size_t batch = BatchSize(options.batch, order.size());
  const std::size_t per_epoch = StepsPerEpoch(batch, order.size());
  std::vector<float> start, gradient(parameters.size());
  if (options.proximal != 0) start.assign(parameters.begin(), parameters.end());
  const auto rate = float(options.rate);
  double loss = 0;
  std::size_t taken = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    // A step takes the next batch of an epoch, or any batch where epochs are not asked for.
    const std::size_t first = options.epochs > 0 ? step % per_epoch * batch : 0;
    if (first == 0) Shuffle(order, options.epochs > 0 ? order.size() : batch, stream);
    const WeightedSamples part{
        std::span(order).subspan(first, std::min(batch, order.size() - first)), 1,
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
