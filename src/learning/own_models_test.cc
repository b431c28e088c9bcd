// These tests are of what models of lists of layers ask of a trainer: samples of different devices
// stay apart, dropout has masks of its own, and threads change nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "airlot/device_evaluation.h"
#include "airlot/training.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

constexpr std::size_t kSamples = 700;  // three shards

const Model& Mixed() {
  static const Model model{
      "mixed",
      {Convolution{4, 3, 2, 1}, BatchNorm{}, Relu{},
       Residual{{Convolution{4, 1}, Dropout{0.5}}, {}}, Dense{6}, Relu{}, Dropout{0.25}},
      ""};
  return model;
}

const Images& SomeImages() {
  static const Images images = [] {
    base::RandomStream stream = TestStream(60);
    Images all{.height = 6, .width = 5, .classes = 3};
    all.channels = 2;
    for (std::size_t i = 0; i < kSamples; ++i) all.labels.push_back(std::uint8_t(stream.Below(3)));
    all.pixels.resize(kSamples * all.PixelsPerImage());
    for (auto& pixel : all.pixels) pixel = std::uint8_t(stream.Below(256));
    return all;
  }();
  return images;
}

std::vector<std::uint32_t> Range(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> samples(count);
  std::iota(samples.begin(), samples.end(), first);
  return samples;
}

TEST(OwnModels, ThreadsChangeNothing) {
  const auto parameters = InitialParameters(Mixed(), ShapeOf(SomeImages()), 1);
  const auto first = Range(0, 650), second = Range(650, 50);
  const std::vector<WeightedSamples> parts{{first, 0.7, MaskDraw{1, 2, 3, 0}},
                                           {second, 0.3, MaskDraw{1, 2, 4, 0}}};
  const auto train = [&](int threads) {
    Trainer trainer(Mixed(), SomeImages(), threads);
    std::vector<float> gradient(parameters.size()), model = parameters;
    trainer.Gradient(parameters, parts, gradient);
    trainer.TrainLocally(model, first, {.batch = 400, .steps = 2}, 5, 6, 7);
    gradient.insert(gradient.end(), model.begin(), model.end());
    gradient.push_back(float(trainer.Evaluate(model, SomeImages()).loss));
    return gradient;
  };
  EXPECT_EQ(train(1), train(2));
  EXPECT_EQ(train(1), train(3));
}

// The statistics of a batch normalisation are of one part, so that its gradient is the same beside
// others.
TEST(OwnModels, PartsStayApart) {
  const auto parameters = InitialParameters(Mixed(), ShapeOf(SomeImages()), 1);
  const auto first = Range(0, 70), second = Range(70, 30);
  const std::vector<WeightedSamples> parts{{first, 1}, {second, 1}};
  Trainer trainer(Mixed(), SomeImages());
  std::vector<float> together(parameters.size());
  trainer.Gradient(parameters, parts, together);
  std::vector<float> sum(parameters.size());
  trainer.GradientOfEach(parameters, parts, [&](std::size_t, const PartLoss&, auto gradient) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
  });
  EXPECT_EQ(together, sum);
  std::vector<PartLoss> both(2), alone(1);
  trainer.Losses(parameters, parts, both);
  trainer.Losses(parameters, std::span(parts).subspan(1), alone);
  EXPECT_EQ(both[1].mean, alone[0].mean);
}

// One number goes in and through a dropout to the output, so that the outputs are the masks.
TEST(OwnModels, DropoutKeepsItsShare) {
  constexpr std::size_t kFeatures = 500;
  Images images{.height = 1, .width = int(kFeatures), .classes = 0};
  images.values.assign(40 * kFeatures, 1.0F);
  images.targets.assign(40, 0.0F);
  const Model model{"dropout", {Dropout{0.3}}, ""};
  // The gradient of weight f is 2 output * factor f; with a bias of 1 and no weights the output
  // is 1.
  std::vector<float> parameters(kFeatures + 1);
  parameters.back() = 1;
  const auto masks_of = [&](const MaskDraw& draw, std::uint32_t sample) {
    const std::vector<std::uint32_t> samples{sample};
    const WeightedSamples part{samples, 1, draw};
    std::vector<float> gradient(parameters.size());
    Trainer(model, images).Gradient(parameters, {&part, 1}, gradient);
    gradient.pop_back();
    return gradient;
  };
  const MaskDraw draw{1, 2, 3, 4};
  double kept = 0;
  for (std::uint32_t sample = 0; sample < 40; ++sample) {
    for (const float factor : masks_of(draw, sample)) {
      if (factor == 0) continue;
      EXPECT_FLOAT_EQ(factor, 2 / 0.7F);
      ++kept;
    }
  }
  const double draws = 40 * kFeatures;
  EXPECT_NEAR(kept / draws, 0.7, 5 * std::sqrt(0.7 * 0.3 / draws));
  EXPECT_EQ(masks_of(draw, 7), masks_of(draw, 7));
  EXPECT_NE(masks_of(draw, 7), masks_of(draw, 8));
  EXPECT_NE(masks_of(draw, 7), masks_of({2, 2, 3, 4}, 7));
  EXPECT_NE(masks_of(draw, 7), masks_of({1, 1, 3, 4}, 7));
  EXPECT_NE(masks_of(draw, 7), masks_of({1, 2, 4, 4}, 7));
  EXPECT_NE(masks_of(draw, 7), masks_of({1, 2, 3, 5}, 7));
}

// The first layer turns (1, 2) to (-1, -2). The residual adds nothing to it, whatever its ReLU
// makes of it, so that the output is -3 and the loss 9 for a target of 0.
TEST(OwnModels, ReluOfAResidualLeavesItsShortcutAlone) {
  Images images{.height = 1, .width = 2, .classes = 0};
  images.values = {1, 2};
  images.targets = {0};
  const std::vector<float> parameters{-1, 0, 0, -1, 0, 0,  // turns signs
                                      0,  0, 0, 0,  0, 0,  // the residual's dense layer
                                      1,  1, 0};           // the sum of both
  const Residual plain{{Relu{}, Dense{2}}, {}}, flat{{Flatten{}, Relu{}, Dense{2}}, {}};
  for (const Residual& residual : {plain, flat}) {
    const Model model{"residual", {Dense{2}, residual}, ""};
    EXPECT_EQ(Trainer(model, images).Evaluate(parameters, images).loss, 9);
  }
  // Here the shortcut has the ReLU, and the other list is the input itself.
  const Model model{"shortcut", {Dense{2}, Residual{{Flatten{}}, {Flatten{}, Relu{}}}}, ""};
  const std::vector<float> fewer{-1, 0, 0, -1, 0, 0, 1, 1, 0};
  EXPECT_EQ(Trainer(model, images).Evaluate(fewer, images).loss, 9);
}

// The outputs are 1, 2 and 3 for the targets 1, 3 and 5, whose mean is 3: the squared errors are 0,
// 1 and 4, and those of the mean 4, 0 and 4.
TEST(OwnModels, RegressionIsJudgedByItsDetermination) {
  Images images{.height = 1, .width = 1, .classes = 0};
  images.values = {1, 2, 3};
  images.targets = {1, 3, 5};
  const Model model{"linear", {}, ""};
  const std::vector<float> parameters{1, 0};
  const Evaluation evaluation = Trainer(model, images).Evaluate(parameters, images);
  EXPECT_DOUBLE_EQ(evaluation.loss, 5.0 / 3);
  EXPECT_DOUBLE_EQ(evaluation.accuracy, 1 - 5.0 / 8);
  EXPECT_TRUE(evaluation.class_accuracy.empty());
  images.targets = {2, 2, 2};
  EXPECT_EQ(Trainer(model, images).Evaluate(parameters, images).accuracy, 0);
  EXPECT_EQ(Trainer(model, images).Evaluate(std::vector<float>{0, 2}, images).accuracy, 1);
  Partition partition;
  partition.begin = {0, 1, 3};
  partition.samples = {0, 1, 2};
  const auto devices = EvaluateDevices(model, parameters, images, partition);
  EXPECT_EQ(devices[0].loss, 1);
  EXPECT_EQ(devices[1].loss, 0.5);
}

TEST(OwnModels, RegressionLearns) {
  base::RandomStream stream = TestStream(61);
  Images images{.height = 1, .width = 3, .classes = 0};
  for (int i = 0; i < 200; ++i) {
    const double a = stream.Uniform(-1, 1), b = stream.Uniform(-1, 1), c = stream.Uniform(-1, 1);
    images.values.insert(images.values.end(), {float(a), float(b), float(c)});
    images.targets.push_back(float(2 * a - b + 0.5));
  }
  const Model model{"linear", {}, ""};
  std::vector<float> parameters = InitialParameters(model, ShapeOf(images), 1);
  Trainer trainer(model, images);
  trainer.TrainLocally(parameters, Range(0, 200), {.rate = 0.1, .batch = 0, .steps = 300}, 1, 1, 1);
  EXPECT_GT(trainer.Evaluate(parameters, images).accuracy, 0.999);
  EXPECT_NEAR(double(parameters[0]), 2, 0.05);
  EXPECT_NEAR(double(parameters[3]), 0.5, 0.05);
}

}  // namespace
}  // namespace airlot::learning
