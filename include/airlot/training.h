// Gradients, evaluation, local training, and what the server does with the updates.
#ifndef AIRLOT_TRAINING_H_
#define AIRLOT_TRAINING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/model.h"

namespace airlot {

// Some samples of one device, indices into the images, and the weight of their mean gradient.
struct WeightedSamples {
  std::span<const std::uint32_t> samples;
  double weight = 1;
};

// On images that it has not seen, usually.
struct Evaluation {
  double loss = 0;                     // mean over the images
  double accuracy = 0;                 // share of the images whose largest output is their label
  std::vector<double> class_accuracy;  // of the images of each class; NaN where there is none
};

// Steps of stochastic gradient descent on one device's samples.
struct LocalTraining {
  double rate = 0.1;
  std::size_t batch = 32;  // samples of a step; 0: all
  std::size_t steps = 1;
  std::size_t epochs = 0;  // not 0: so many passes over all samples, instead of `steps`
};

// Computes with one model on one set of images. Keeps buffers, about 2 MB per thread, so that no
// call allocates much; one call at a time. Results do not depend on the number of threads; in the
// last digits they may depend on the vector instructions of the machine (airlot/simd_target.h).
class Trainer {
 public:
  // The images must outlive the trainer; the model must be valid for them.
  Trainer(const Model& model, const Images& images, int threads = 1);
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;
  ~Trainer();

  std::size_t ParameterCount() const;

  // gradient = the sum over the parts of weight * the mean gradient of its samples' losses (47), as
  // one pass over all samples. Returns the loss that it is the gradient of. A part without samples
  // adds nothing.
  double Gradient(std::span<const float> parameters, std::span<const WeightedSamples> parts,
                  std::span<float> gradient);

  // The same, but each part's mean gradient on its own, its weight ignored: calls
  // use(part, loss, gradient) in the order of the parts, never two at a time.
  using UseGradient =
      std::function<void(std::size_t part, double loss, std::span<const float> gradient)>;
  void GradientOfEach(std::span<const float> parameters, std::span<const WeightedSamples> parts,
                      const UseGradient& use);

  // Trains `parameters` in place on a device's samples; (seed, round, device) decide which samples
  // a step takes. Returns the mean loss of the steps, each before it was taken.
  double TrainLocally(std::span<float> parameters, std::span<const std::uint32_t> samples,
                      const LocalTraining& options, std::uint64_t seed, std::uint64_t round,
                      std::uint64_t device);

  // Of other images of the same shape.
  Evaluation Evaluate(std::span<const float> parameters, const Images& images);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// A random choice of `count` of the samples (all of them where 0 or more than there are), without
// repetition, in random order; decided by (seed, round, device).
std::vector<std::uint32_t> DrawBatch(std::span<const std::uint32_t> samples, std::size_t count,
                                     std::uint64_t seed, std::uint64_t round, std::uint64_t device);

// How the server weighs the participants' updates. (48)
enum class Aggregation {
  kAverage,   // by data share, over the participants
  kSum,       // by data share of all devices, whoever takes part
  kUnbiased,  // the same divided by the probability, so that the mean is that of all devices
};
struct AggregationEntry {
  Aggregation rule;
  std::string_view name;
  std::string_view summary;
};
std::span<const AggregationEntry> Aggregations();

// The weights of the participants, from their shares of all data and their probabilities. No
// probability below `least_probability` is divided by: less variance for some bias.
std::vector<double> AggregationWeights(Aggregation rule, std::span<const double> data_shares,
                                       std::span<const double> probabilities,
                                       double least_probability = 0);

// Gradient descent at the server, with momentum (49): velocity = momentum * velocity + gradient,
// parameters -= rate * velocity. An average of local models enters as the gradient
// (parameters - average) with rate 1.
struct ServerOptimizer {
  double rate = 0.1;
  double momentum = 0;
  std::vector<float> velocity = {};  // empty until the first step, and without momentum

  void Step(std::span<const float> gradient, std::span<float> parameters);
};

}  // namespace airlot

#endif  // AIRLOT_TRAINING_H_
