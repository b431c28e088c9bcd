// Both models against PyTorch: loss, gradient, and 20 steps of gradient descent.
//
// tests/data/learning_vectors.csv is written by tools/learning_vectors.py, which makes the same
// images and parameters by the same recipe and computes in float64.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "airlot/training.h"

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

// Parameters of layers with so many inputs per output and so many parameters.
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

// index -> value of one quantity of one model.
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

// The largest distance from the stored values, relative to their largest.
double Error(const std::map<std::size_t, double>& stored, const std::vector<float>& values) {
  double largest = 0, error = 0;
  for (const auto& [index, value] : stored) {
    largest = std::max(largest, std::abs(value));
    error = std::max(error, std::abs(double(values[index]) - value));
  }
  return error / largest;
}

class AgainstPyTorch : public testing::TestWithParam<std::string> {};

TEST_P(AgainstPyTorch, LossAndGradient) {
  const Images images = MakeImages();
  const std::vector<float> parameters = MakeParameters(GetParam());
  Trainer trainer(*FindModel(GetParam()), images);
  std::vector<float> gradient(trainer.ParameterCount());
  const auto samples = Range(0, 64);
  const WeightedSamples part{samples};
  EXPECT_NEAR(trainer.Gradient(parameters, {&part, 1}, gradient), Stored(GetParam(), "loss").at(0),
              1e-6);
  EXPECT_LT(Error(Stored(GetParam(), "gradient"), gradient), 1e-6);
}

TEST_P(AgainstPyTorch, TwentySteps) {
  const Images images = MakeImages();
  std::vector<float> parameters = MakeParameters(GetParam());
  Trainer trainer(*FindModel(GetParam()), images);
  std::vector<float> gradient(trainer.ParameterCount());
  const auto losses = Stored(GetParam(), "step_loss");
  ASSERT_EQ(losses.size(), 20U);
  for (const auto& [step, loss] : losses) {
    const auto samples = Range(std::uint32_t(16 * step % 80), 48);
    const WeightedSamples part{samples};
    EXPECT_NEAR(trainer.Gradient(parameters, {&part, 1}, gradient), loss, 1e-5) << step;
    for (std::size_t i = 0; i < gradient.size(); ++i) parameters[i] -= 0.5F * gradient[i];
  }
  EXPECT_LT(losses.at(19), 0.95 * losses.at(0));  // the steps do something
  EXPECT_LT(Error(Stored(GetParam(), "trained"), parameters), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Models, AgainstPyTorch, testing::Values("cnn", "mlp"));

}  // namespace
}  // namespace airlot
