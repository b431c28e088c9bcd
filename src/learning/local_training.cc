// Stochastic gradient descent on the samples of one device.
#include <algorithm>
#include <numeric>
#include <vector>

#include "airlot/training.h"
#include "learning/purposes.h"

namespace airlot {
namespace {

// Moves a random choice of `count` samples to the front, in random order.
void Shuffle(std::span<std::uint32_t> samples, std::size_t count, base::RandomStream& stream) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(samples[i], samples[i + stream.Below(samples.size() - i)]);
  }
}

std::size_t BatchSize(std::size_t batch, std::size_t samples) {
  return batch == 0 ? samples : std::min(batch, samples);
}

}  // namespace

std::vector<std::uint32_t> DrawBatch(std::span<const std::uint32_t> samples, std::size_t count,
                                     std::uint64_t seed, std::uint64_t round,
                                     std::uint64_t device) {
  base::RandomStream stream(seed, learning::kBatch, round, device);
  std::vector<std::uint32_t> drawn(samples.begin(), samples.end());
  const std::size_t size = BatchSize(count, samples.size());
  Shuffle(drawn, size, stream);
  drawn.resize(size);
  return drawn;
}

double Trainer::TrainLocally(std::span<float> parameters, std::span<const std::uint32_t> samples,
                             const LocalTraining& options, std::uint64_t seed, std::uint64_t round,
                             std::uint64_t device) {
  if (samples.empty()) return 0;
  base::RandomStream stream(seed, learning::kBatch, round, device);
  std::vector<std::uint32_t> order(samples.begin(), samples.end());
  const std::size_t batch = BatchSize(options.batch, order.size());
  const std::size_t per_epoch = (order.size() + batch - 1) / batch;
  const std::size_t steps = options.epochs > 0 ? options.epochs * per_epoch : options.steps;
  std::vector<float> gradient(parameters.size());
  ServerOptimizer optimizer{.rate = options.rate};
  double loss = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    // A step takes the next batch of an epoch, or any batch.
    const std::size_t first = options.epochs > 0 ? step % per_epoch * batch : 0;
    if (first == 0) Shuffle(order, options.epochs > 0 ? order.size() : batch, stream);
    const WeightedSamples part{
        std::span(order).subspan(first, std::min(batch, order.size() - first))};
    loss += Gradient(parameters, {&part, 1}, gradient);
    optimizer.Step(gradient, parameters);
  }
  return steps == 0 ? 0 : loss / double(steps);
}

}  // namespace airlot
