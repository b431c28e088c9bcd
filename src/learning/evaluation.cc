#include "learning/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "learning/sample_batch.h"

namespace airlot::learning {
namespace {

// Returns whether the label of sample i has the largest logit; the first of equal ones wins.
bool IsRight(const float* logits, std::size_t classes, std::size_t i, std::size_t label) {
  const std::size_t panel = PanelWidth();
  const float* sample = logits + i / panel * panel * classes + i % panel;
  std::size_t best = 0;
  for (std::size_t k = 1; k < classes; ++k) {
    if (sample[k * panel] > sample[best * panel]) best = k;
  }
  return best == label;
}

// Returns 1 - SSE / SST (L16). Where all targets are the same, it is 1 if all were met and else 0.
// A training that has diverged is infinitely bad.
double Determination(double squared_errors, std::span<const float> targets) {
  if (std::isnan(squared_errors)) return -std::numeric_limits<double>::infinity();
  double mean = 0, squares = 0;
  for (const float target : targets) mean += double(target) / double(targets.size());
  for (const float target : targets) {
    squares += (double(target) - mean) * (double(target) - mean);
  }
  if (squares == 0) return squared_errors == 0 ? 1 : 0;
  return 1 - squared_errors / squares;
}

}  // namespace

Tally TallyImages(Network& network, const Images& images, std::span<const float> parameters,
                  std::size_t begin, std::size_t end) {
  const auto classes = std::size_t(images.classes);
  Tally tally{0, std::vector<std::size_t>(classes), std::vector<std::size_t>(classes)};
  for (std::size_t first = begin; first < end; first += kMicroBatch) {
    SampleBatch batch(images);
    for (std::size_t i = first; i < std::min(end, first + kMicroBatch); ++i) batch.Add(i, 1);
    batch.LoadInto(network);
    const float* logits = network.Forward(parameters);
    for (std::size_t i = 0; i < batch.size && classes > 0; ++i) {
      ++tally.images[batch.labels[i]];
      if (IsRight(logits, classes, i, batch.labels[i])) ++tally.right[batch.labels[i]];
    }
    std::array<float, kMicroBatch> losses{};
    network.Losses(batch.Goal(), {losses.data(), batch.size});
    for (std::size_t i = 0; i < batch.size; ++i) tally.loss += double(losses[i]);
  }
  return tally;
}

Evaluation EvaluationOf(std::span<const Tally> tallies, const Images& images) {
  const auto classes = std::size_t(images.classes);
  Evaluation evaluation;
  std::vector<std::size_t> all(classes), right(classes);
  for (const Tally& tally : tallies) {
    evaluation.loss += tally.loss;
    for (std::size_t k = 0; k < classes; ++k) {
      all[k] += tally.images[k];
      right[k] += tally.right[k];
    }
  }
  std::size_t all_right = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    all_right += right[k];
    evaluation.class_accuracy.push_back(all[k] == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                    : double(right[k]) / double(all[k]));
  }
  evaluation.accuracy = classes > 0 ? double(all_right) / double(images.size())
                                    : Determination(evaluation.loss, images.targets);
  evaluation.loss /= double(images.size());
  return evaluation;
}

}  // namespace airlot::learning
