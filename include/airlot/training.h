// Training computes gradients, evaluates, trains locally, and weighs updates for the server.
#ifndef AIRLOT_TRAINING_H_
#define AIRLOT_TRAINING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/model.h"
#include "airlot/random.h"
#include "airlot/team.h"

namespace airlot {

// A MaskDraw decides which numbers the dropout layers of a model leave out, together with the
// sample.
struct MaskDraw {
  std::uint64_t seed = 0;
  std::uint64_t round = 0;  // below 2^32
  std::uint64_t device = 0;
  std::uint32_t step = 0;  // of local training
};

// WeightedSamples are some samples of one device, indices into the images, and the weight of their
// mean gradient. In one call all parts have masks, or none has: without them dropout layers pass
// everything on, as in an evaluation.
struct WeightedSamples {
  std::span<const std::uint32_t> samples;
  double weight = 1;
  std::optional<MaskDraw> masks = {};
};

// An Evaluation is usually on images that the model has not seen.
struct Evaluation {
  double loss = 0;      // mean over the images
  double accuracy = 0;  // share of the images whose largest output is their label; without classes,
                        // the coefficient of determination R^2 (L16)
  std::vector<double> class_accuracy;  // accuracy by class; NaN where it has no image
};

// LocalTraining takes steps of stochastic gradient descent on one device's samples.
struct LocalTraining {
  double rate = 0.1;
  std::size_t batch = 32;  // number of samples in a step; 0: all
  std::size_t steps = 1;
  std::size_t epochs = 0;  // passes over all samples, instead of `steps`; 0: none
  double proximal = 0;     // FedProx: how much of (w - w at the start) each gradient gets (L4)
  std::span<const float> correction = {};  // SCAFFOLD: what each gradient gets (L5); empty: nothing
};
// Returns how many steps local training takes on a device with so many samples.
std::size_t StepsOf(const LocalTraining& options, std::size_t samples);

// LocalBatches draw the samples of each step of local training: (seed, round, device) decide them.
class LocalBatches {
 public:
  LocalBatches(std::span<const std::uint32_t> samples, const LocalTraining& options,
               std::uint64_t seed, std::uint64_t round, std::uint64_t device);
  // Returns the batch of the next step, until the call after. There must be a sample.
  std::span<const std::uint32_t> Next();

 private:
  bool has_epochs_;
  std::vector<std::uint32_t> order_;
  std::size_t batch_ = 0, per_epoch_ = 0, step_ = 0;
  RandomStream stream_;
};

// A PartLoss has the losses of some samples; it is 0 where there are none.
struct PartLoss {
  double mean = 0;
  double mean_square = 0;
};

// A Trainer computes with one model on one set of images. It keeps buffers, about 2 MB per thread
// for the smaller models (64 samples in all layers), so that no call allocates much; there may be
// one call at a time. Results do not depend on the number of threads; in the last digits they may
// depend on the vector instructions of the machine (airlot/simd_target.h).
class Trainer {
 public:
  // The images must outlive the trainer; the model must be valid for them. With a team, every
  // member has such a trainer, and makes the same calls of it; none of the results depends on how
  // many members there are.
  Trainer(const Model& model, const Images& images, int threads = 1, Team* team = nullptr);
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;
  ~Trainer();

  std::size_t ParameterCount() const;

  // Computes `gradient`, the sum over the parts of weight * the mean gradient of its samples'
  // losses (49), as one pass over all samples. Returns the loss that it is the gradient of. A part
  // without samples adds nothing. `losses`, unless empty, gets that of each part, its weight
  // ignored.
  double Gradient(std::span<const float> parameters, std::span<const WeightedSamples> parts,
                  std::span<float> gradient, std::span<PartLoss> losses = {});

  // Computes each part's mean gradient on its own, its weight ignored, and calls use(part, loss,
  // gradient) in the order of the parts, never two at a time.
  using UseGradient =
      std::function<void(std::size_t part, const PartLoss& loss, std::span<const float> gradient)>;
  void GradientOfEach(std::span<const float> parameters, std::span<const WeightedSamples> parts,
                      const UseGradient& use);

  // Computes the losses of each part alone, without gradients.
  void Losses(std::span<const float> parameters, std::span<const WeightedSamples> parts,
              std::span<PartLoss> losses);

  // Trains `parameters` in place on a device's samples; (seed, round, device) decide which samples
  // a step takes. Returns the mean loss of the steps, each before it was taken and without what
  // `options` adds to the gradient; `losses` gets that of all samples that the steps took.
  double TrainLocally(std::span<float> parameters, std::span<const std::uint32_t> samples,
                      const LocalTraining& options, std::uint64_t seed, std::uint64_t round,
                      std::uint64_t device, PartLoss* losses = nullptr);

  // Evaluates other images of the same shape.
  Evaluation Evaluate(std::span<const float> parameters, const Images& images);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Returns a random choice of `count` of the samples (all of them where it is 0 or more than there
// are), without repetition, in random order. It is decided by (seed, round, device) and by what it
// is for: the answer to a question is no hint of the batch that is trained on.
enum class BatchUse : std::uint8_t { kTraining, kQuestion };
std::vector<std::uint32_t> DrawBatch(std::span<const std::uint32_t> samples, std::size_t count,
                                     std::uint64_t seed, std::uint64_t round, std::uint64_t device,
                                     BatchUse use = BatchUse::kTraining);

// Aggregation is how the server weighs the participants' updates. (50)
enum class Aggregation {
  kAverage,   // by data share, over the participants
  kSum,       // by data share of all devices, whoever takes part
  kUnbiased,  // as kSum, divided by the probability, so that the mean is that of all devices
};
struct AggregationEntry {
  Aggregation rule;
  std::string_view name;
  std::string_view summary;
};
std::span<const AggregationEntry> Aggregations();

// Returns the weights of the participants, from their shares of all data and their probabilities.
// No probability below `least_probability` is divided by, which gives less variance for some bias.
std::vector<double> AggregationWeights(Aggregation rule, std::span<const double> data_shares,
                                       std::span<const double> probabilities,
                                       double least_probability = 0);

}  // namespace airlot

#endif  // AIRLOT_TRAINING_H_
