// This file is apart from its header so that it can be optimised: tests are not, and gradients of
// whole networks would take them minutes.
#include "learning/rounded_network_for_tests.h"

#include <algorithm>
#include <variant>

#include "learning/models_for_tests.h"

namespace airlot::learning {
namespace {

std::vector<double> DoublesOf(std::span<const float> parameters) {
  return {parameters.begin(), parameters.end()};
}

// A parameter that is no float is rounded to one.
Bounded ParameterOf(double value) { return {value, std::abs(value - double(float(value)))}; }

}  // namespace

// A Gate says whether a gradient passes; where rounding may decide that, it is not sure.
struct RoundedNetwork::Gate {
  bool is_open, is_sure;
};

// A Way is a sum that an output may come from: of the sums of a window the largest is taken.
struct RoundedNetwork::Way {
  Index output, place;
  Gate gate;
};

// An output is open where it is above 0.
struct RoundedNetwork::Output {
  Bounded number;
  Gate gate;
  std::vector<Way> ways;
};

struct RoundedNetwork::Activity {
  std::vector<Bounded> inputs;
  std::vector<Output> outputs;

  std::vector<Bounded> Numbers() const {
    std::vector<Bounded> numbers;
    for (const Output& output : outputs) numbers.push_back(output.number);
    return numbers;
  }
};

struct RoundedNetwork::Softmax {
  Bounded loss;
  std::vector<Bounded> deltas;  // by the logits, times the weight
};

RoundedNetwork::RoundedNetwork(const Model& model, const ImageShape& shape, double roundoff)
    : roundoff_(roundoff), classes_(std::size_t(shape.classes)) {
  Index channels = 1, height = shape.height, width = shape.width;
  std::size_t begin = 0;
  const auto add = [&](Stage stage) {
    stage.weights = begin;
    stage.biases = begin + std::size_t(stage.outputs * stage.Terms());
    begin = stage.biases + std::size_t(stage.outputs);
    stages_.push_back(stage);
    channels = stage.outputs;
    height = stage.is_dense ? 1 : height / stage.pool;
    width = stage.is_dense ? 1 : width / stage.pool;
  };
  for (const auto& layer : FusedOf(model)) {
    if (const auto* pooled = std::get_if<Pooled>(&layer)) {
      add({false, channels, height, width, pooled->channels, pooled->kernel, pooled->pool});
    } else {
      add({true, channels, height, width, std::get<Units>(layer).units, 0, 1});
    }
  }
  add({true, channels, height, width, shape.classes, 0, 1});
  parameter_count_ = begin;
}

std::vector<Bounded> RoundedNetwork::Logits(std::span<const float> parameters,
                                            std::span<const std::uint8_t> image) const {
  return RunForward(DoublesOf(parameters), image).back().Numbers();
}

Bounded RoundedNetwork::Loss(std::span<const float> parameters, std::span<const std::uint8_t> image,
                             std::size_t label) const {
  return SoftmaxOf(Logits(parameters, image), label, 1).loss;
}

RoundedNetwork::LossAndGradient RoundedNetwork::Gradient(
    std::span<const float> parameters, const Images& images,
    std::span<const WeightedSamples> parts) const {
  return Gradient(DoublesOf(parameters), images, parts);
}

RoundedNetwork::LossAndGradient RoundedNetwork::Gradient(
    std::span<const double> parameters, const Images& images,
    std::span<const WeightedSamples> parts) const {
  std::vector<BoundedSum> sums(parameter_count_);
  BoundedSum loss;
  double samples = 0;
  for (const WeightedSamples& part : parts) {
    const double weight = part.weight / double(part.samples.size());
    for (const std::uint32_t sample : part.samples) {
      const std::vector<Activity> activities = RunForward(parameters, images.Image(sample));
      const Softmax softmax = SoftmaxOf(activities.back().Numbers(), images.labels[sample], weight);
      loss.AddProduct(softmax.loss, {weight, roundoff_ * std::abs(weight)});
      PassBack(parameters, activities, softmax.deltas, sums);
      ++samples;
    }
  }
  LossAndGradient result{loss.Rounded(samples, 0x1p-53), {}};  // added up in double
  for (const Stage& stage : stages_) {
    for (std::size_t i = stage.weights; i < stage.biases + std::size_t(stage.outputs); ++i) {
      result.gradient.push_back(sums[i].Rounded(samples * double(stage.Windows()), roundoff_));
    }
  }
  return result;
}

// Calls use(place of a weight, place of an input) for each term of the sum at `place`, a position
// of the input image. A dense layer has one sum, at 0.
template <class Use>
void RoundedNetwork::ForEachTerm(const Stage& stage, Index output, Index place, const Use& use) {
  std::size_t weight = stage.weights + std::size_t(output * stage.Terms());
  if (stage.is_dense) {
    for (std::size_t i = 0; i < std::size_t(stage.Terms()); ++i) use(weight++, i);
    return;
  }
  const Index top = place / stage.width - stage.kernel / 2;
  const Index left = place % stage.width - stage.kernel / 2;
  for (Index i = 0; i < stage.channels; ++i) {
    for (Index y = top; y < top + stage.kernel; ++y) {
      for (Index x = left; x < left + stage.kernel; ++x, ++weight) {
        if (y < 0 || x < 0 || y >= stage.height || x >= stage.width) continue;
        use(weight, std::size_t((i * stage.height + y) * stage.width + x));
      }
    }
  }
}

std::vector<RoundedNetwork::Activity> RoundedNetwork::RunForward(
    std::span<const double> parameters, std::span<const std::uint8_t> image) const {
  std::vector<Activity> activities(stages_.size());
  for (const std::uint8_t pixel : image) {
    activities[0].inputs.push_back({pixel / 255.0, 2.001 * roundoff_ * pixel / 255.0});
  }
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (s > 0) activities[s].inputs = activities[s - 1].Numbers();
    const bool is_last = s + 1 == stages_.size();
    for (Index output = 0; output < stages_[s].outputs; ++output) {
      for (Index window = 0; window < stages_[s].Windows(); ++window) {
        activities[s].outputs.push_back(
            OutputOf(stages_[s], parameters, activities[s].inputs, output, window, is_last));
      }
    }
  }
  return activities;
}

Bounded RoundedNetwork::SumAt(const Stage& stage, std::span<const double> parameters,
                              const std::vector<Bounded>& inputs, Index output, Index place) const {
  BoundedSum sum;
  ForEachTerm(stage, output, place, [&](std::size_t weight, std::size_t input) {
    if (inputs[input].value == 0 && inputs[input].error == 0) return;
    sum.AddProduct(ParameterOf(parameters[weight]), inputs[input]);
  });
  sum.Add(ParameterOf(parameters[stage.biases + std::size_t(output)]));
  return sum.RoundedInOrder(double(stage.Terms() + 1), roundoff_);
}

RoundedNetwork::Output RoundedNetwork::OutputOf(const Stage& stage,
                                                std::span<const double> parameters,
                                                const std::vector<Bounded>& inputs, Index output,
                                                Index window, bool is_last) const {
  const Index y = window / stage.Columns() * stage.pool, x = window % stage.Columns() * stage.pool;
  const auto place_of = [&](Index p) {
    return stage.is_dense ? 0 : (y + p / stage.pool) * stage.width + x + p % stage.pool;
  };
  std::vector<Bounded> sums;
  std::size_t best = 0;
  double least = -INFINITY, most = -INFINITY;  // that the largest may come out as
  for (Index p = 0; p < stage.pool * stage.pool; ++p) {
    sums.push_back(SumAt(stage, parameters, inputs, output, place_of(p)));
    if (sums.back().value > sums[best].value) best = sums.size() - 1;
    least = std::max(least, sums.back().value - sums.back().error);
    most = std::max(most, sums.back().value + sums.back().error);
  }
  const bool is_open = is_last || sums[best].value > 0;
  Output result{
      {is_open ? sums[best].value : 0, 0}, {is_open, is_last || least > 0 || most <= 0}, {}};
  if (!is_last && most <= 0) return result;  // 0 for sure
  for (std::size_t p = 0; p < sums.size(); ++p) {
    // Sums of the same terms are the same in any arithmetic, and the first of them is taken.
    const auto first = std::find(sums.begin(), sums.end(), sums[p]);
    if (sums[p].value + sums[p].error < least || first != sums.begin() + Index(p)) continue;
    result.number.error = std::max(result.number.error, sums[p].error);
    result.ways.push_back({output, place_of(Index(p)), {p == best, true}});
  }
  for (Way& way : result.ways) way.gate.is_sure = result.ways.size() == 1;
  return result;
}

RoundedNetwork::Softmax RoundedNetwork::SoftmaxOf(const std::vector<Bounded>& logits,
                                                  std::size_t label, double weight) const {
  double largest = -INFINITY, error = 0, sum = 0;
  for (const Bounded& logit : logits) {
    largest = std::max(largest, logit.value);
    error = std::max(error, logit.error);
  }
  for (const Bounded& logit : logits) sum += std::exp(logit.value - largest);
  const double classes = double(classes_), loss = std::log(sum) + largest - logits[label].value;
  const double moved = logits[label].error + error;
  Softmax softmax{
      {loss, moved + roundoff_ * (classes + 3 + std::log(classes) + 10 * (loss + moved))}, {}};
  for (std::size_t k = 0; k < classes_; ++k) {
    const double share = std::exp(logits[k].value - largest) / sum;
    const double factor = logits[k].error + error, off = share * std::expm1(factor);
    const double delta = share - (k == label ? 1 : 0);
    const double below = largest - logits[k].value + factor;
    const double kernel = roundoff_ * ((share + off) * (classes + 8 + std::log(classes) + below) +
                                       std::abs(delta) + off);
    // The weight itself is rounded to a float.
    const double all = off + kernel + roundoff_ * (std::abs(delta) + off + kernel);
    softmax.deltas.push_back(
        {weight * delta, std::abs(weight) * all + 0x1p-148 * (1 + std::abs(weight))});
  }
  return softmax;
}

Bounded RoundedNetwork::Through(const Gate& gate, const Bounded& delta) {
  if (gate.is_sure) return gate.is_open ? delta : Bounded{};
  return {gate.is_open ? delta.value : 0, delta.Largest()};
}

void RoundedNetwork::PassBack(std::span<const double> parameters,
                              const std::vector<Activity>& activities, std::vector<Bounded> deltas,
                              std::vector<BoundedSum>& gradient) const {
  for (std::size_t s = stages_.size(); s-- > 0;) {
    const Stage& stage = stages_[s];
    const std::vector<Bounded>& inputs = activities[s].inputs;
    std::vector<BoundedSum> sums(s > 0 ? inputs.size() : 0);
    for (std::size_t o = 0; o < deltas.size(); ++o) {
      const Output& output = activities[s].outputs[o];
      const Bounded passed = Through(output.gate, deltas[o]);
      for (const Way& way : output.ways) {
        const Bounded delta = Through(way.gate, passed);
        ForEachTerm(stage, way.output, way.place, [&](std::size_t weight, std::size_t input) {
          if (inputs[input].value != 0 || inputs[input].error != 0) {
            gradient[weight].AddProduct(delta, inputs[input]);
          }
          if (s > 0) sums[input].AddProduct(ParameterOf(parameters[weight]), delta);
        });
      }
      if (!output.ways.empty()) {
        gradient[stage.biases + std::size_t(output.ways[0].output)].Add(passed);
      }
    }
    // An input is seen by each output at most once for each place of a kernel.
    const double terms = double(stage.outputs * std::max<Index>(1, stage.kernel * stage.kernel));
    deltas.clear();
    for (const BoundedSum& sum : sums) deltas.push_back(sum.RoundedInOrder(terms, roundoff_));
  }
}

}  // namespace airlot::learning
