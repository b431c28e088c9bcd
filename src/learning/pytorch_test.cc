// These tests compare both models with PyTorch: loss, gradient, and 20 steps of gradient descent.
//
// tests/data/learning_vectors.csv is written by tools/learning_vectors.py, which makes the same
// images and parameters by the same recipe and computes in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "airlot/training.h"
#include "base/targets_for_tests.h"
#include "learning/rounded_network_for_tests.h"

namespace airlot {
namespace {

constexpr std::size_t kSide = 28;

std::uint64_t SplitMix(std::uint64_t n) {
  std::uint64_t z = (n + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

Images MakeImages() {
  Images images{.height = int(kSide), .width = int(kSide), .classes = 10};
  for (std::uint64_t i = 0; i < 128; ++i) {
    const std::size_t margin = i % 8;
    for (std::size_t p = 0; p < kSide * kSide; ++p) {
      const std::size_t y = p / kSide, x = p % kSide;
      const std::uint64_t bits = SplitMix((i << 32) + p);
      const bool inside = std::min(y, x) >= margin && std::max(y, x) < kSide - margin;
      images.pixels.push_back(inside && (bits & 3) == 0 ? std::uint8_t(bits >> 56) : 0);
    }
    images.labels.push_back(std::uint8_t(SplitMix((1ULL << 62) + i) % 10));
  }
  return images;
}

// Returns the parameters of layers that are given by their inputs per output and their number of
// parameters.
std::vector<float> MakeParameters(const std::string& model) {
  struct Layer {
    double inputs;
    std::size_t parameters;
  };
  const std::map<std::string, std::vector<Layer>> layers{
      {"cnn", {{49, 1000}, {980, 196200}, {200, 2010}}},
      {"mlp", {{784, 157000}, {200, 40200}, {200, 2010}}}};
  std::vector<float> values;
  std::uint64_t n = 1ULL << 61;
  for (const Layer& layer : layers.at(model)) {
    const double bound = 1 / std::sqrt(layer.inputs);
    for (std::size_t i = 0; i < layer.parameters; ++i) {
      values.push_back(float(bound * (double(SplitMix(n++) >> 11) * 0x1p-52 - 1)));
    }
  }
  return values;
}

// Returns index -> value of one quantity of one model.
std::map<std::size_t, double> Stored(const std::string& model, const std::string& quantity) {
  std::map<std::size_t, double> values;
  std::ifstream file("tests/data/learning_vectors.csv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name, kind, index, value;
    std::getline(fields, name, ',');
    std::getline(fields, kind, ',');
    std::getline(fields, index, ',');
    std::getline(fields, value, ',');
    if (name == model && kind == quantity) values[std::stoul(index)] = std::stod(value);
  }
  EXPECT_FALSE(values.empty()) << model << " " << quantity;
  return values;
}

std::vector<std::uint32_t> Range(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> samples(count);
  std::iota(samples.begin(), samples.end(), first);
  return samples;
}

double LargestOf(const std::map<std::size_t, double>& stored) {
  double largest = 0;
  for (const auto& [index, value] : stored) largest = std::max(largest, std::abs(value));
  return largest;
}

// RoundedNetwork computes in double as PyTorch does, in another order: that rounds a sum of n terms
// apart by about n·2^-53 of its terms, for n up to 64·49 and through three layers 1e-11 at the
// most. The file has 12 digits.
constexpr double kSameGradient = 1e-9;

// Over 20 steps such differences grow. Those of float were tried: gradients that are off by their
// bounds, with random signs, moved the losses by up to 1e-3 and the parameters by up to 0.024, both
// as shares of the largest. Those of double are 2^-29 of that, 5e-11. They are too small to decide
// between the sums of a window or the signs of a unit: of the 10^6 that there are, one in 10^13 is
// that close.
constexpr double kSameWay = 1e-9;

// Larger bounds than these would let wrong losses and gradients pass. The bounds are computed in
// double from the same floats on every machine, so that they are the same but for their last
// digits.
constexpr double kWrongLoss = 1e-4;
constexpr double kWrongEntry = 0.01;  // of the largest

// Expects of every target that the trainer's loss and gradient are within their bounds.
void ExpectWithin(const learning::RoundedNetwork::LossAndGradient& bounds, const Model& model,
                  const Images& images, const std::vector<float>& parameters,
                  const WeightedSamples& part) {
  EXPECT_LT(bounds.loss.error, kWrongLoss);
  base::OnEveryTarget([&] {
    std::vector<float> gradient(parameters.size());
    const double loss = Trainer(model, images).Gradient(parameters, {&part, 1}, gradient);
    EXPECT_NEAR(loss, bounds.loss.value, bounds.loss.error);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const auto& [value, error] = bounds.gradient[i];
      const bool is_within = std::abs(double(gradient[i]) - value) <= error;
      if (!is_within) FAIL() << i << ": " << gradient[i] << ", not " << value << " ± " << error;
    }
  });
}

class AgainstPyTorch : public testing::TestWithParam<std::string> {};

TEST_P(AgainstPyTorch, LossAndGradient) {
  const Images images = MakeImages();
  const Model& model = *FindModel(GetParam());
  const std::vector<float> parameters = MakeParameters(GetParam());
  const auto samples = Range(0, 64);
  const WeightedSamples part{samples};
  const auto rounded =
      learning::RoundedNetwork(model, ShapeOf(images)).Gradient(parameters, images, {&part, 1});
  ExpectWithin(rounded, model, images, parameters, part);
  const double loss = Stored(GetParam(), "loss").at(0);
  EXPECT_NEAR(rounded.loss.value, loss, kSameGradient * loss);
  const auto stored = Stored(GetParam(), "gradient");
  const double largest = LargestOf(stored);
  for (const auto& [index, value] : stored) {
    EXPECT_NEAR(rounded.gradient[index].value, value, kSameGradient * largest) << index;
    EXPECT_LT(rounded.gradient[index].error, kWrongEntry * largest) << index;
  }
}

// The steps are taken in double along PyTorch's way, and at each of them the trainer computes from
// the parameters rounded to floats, within the bounds of that one step. A way in float would have
// no useful bound: rounding grows over the steps, and where it decides which sum of a window is the
// largest, or whether a unit is above 0, the steps go another way.
TEST_P(AgainstPyTorch, TwentySteps) {
  const Images images = MakeImages();
  const Model& model = *FindModel(GetParam());
  const learning::RoundedNetwork network(model, ShapeOf(images));
  const std::vector<float> start = MakeParameters(GetParam());
  std::vector<double> parameters(start.begin(), start.end());
  const auto losses = Stored(GetParam(), "step_loss");
  ASSERT_EQ(losses.size(), 20U);
  for (const auto& [step, stored_loss] : losses) {
    const auto samples = Range(std::uint32_t(16 * step % 80), 48);
    const WeightedSamples part{samples};
    const auto rounded = network.Gradient(parameters, images, {&part, 1});
    EXPECT_NEAR(rounded.loss.value, stored_loss, kSameWay * stored_loss) << step;
    const std::vector<float> floats(parameters.begin(), parameters.end());
    SCOPED_TRACE(step);
    ExpectWithin(rounded, model, images, floats, part);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= 0.5 * rounded.gradient[i].value;
    }
  }
  EXPECT_LT(losses.at(19), 0.95 * losses.at(0));  // the steps do something
  const auto trained = Stored(GetParam(), "trained");
  for (const auto& [index, value] : trained) {
    EXPECT_NEAR(parameters[index], value, kSameWay * LargestOf(trained)) << index;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, AgainstPyTorch, testing::Values("cnn", "mlp"));

}  // namespace
}  // namespace airlot
