#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "airlot/training.h"
#include "learning/models_for_tests.h"
#include "learning/purposes.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

using Numbers = std::vector<float>;
using Samples = std::vector<std::uint32_t>;

TEST(DrawBatch, ChoosesWithoutRepetition) {
  const Samples samples{11, 3, 8, 20, 5, 14, 2};
  for (std::uint64_t round = 0; round < 50; ++round) {
    const Samples batch = DrawBatch(samples, 4, 1, round, 0);
    ASSERT_EQ(batch.size(), 4);
    EXPECT_EQ(std::set<std::uint32_t>(batch.begin(), batch.end()).size(), 4);
    for (const std::uint32_t sample : batch) {
      EXPECT_TRUE(std::find(samples.begin(), samples.end(), sample) != samples.end());
    }
  }
}

TEST(DrawBatch, AllWhereZeroOrTooMany) {
  const Samples samples{5, 9, 1};
  for (const std::size_t count : {0, 3, 4, 100}) {
    Samples batch = DrawBatch(samples, count, 1, 2, 3);
    std::sort(batch.begin(), batch.end());
    EXPECT_EQ(batch, (Samples{1, 5, 9}));
  }
  EXPECT_EQ(DrawBatch({}, 4, 1, 2, 3), Samples{});
}

TEST(DrawBatch, SeedRoundAndDeviceDecide) {
  Samples samples(1000);
  std::iota(samples.begin(), samples.end(), 0U);
  const Samples batch = DrawBatch(samples, 20, 1, 2, 3);
  EXPECT_EQ(DrawBatch(samples, 20, 1, 2, 3), batch);
  EXPECT_NE(DrawBatch(samples, 20, 0, 2, 3), batch);
  EXPECT_NE(DrawBatch(samples, 20, 1, 0, 3), batch);
  EXPECT_NE(DrawBatch(samples, 20, 1, 2, 0), batch);
}

// Two of five samples in order are each of the 20 pairs equally often. Chi-square with 19 degrees
// of freedom stays below 60 but for one case in a million.
TEST(DrawBatch, EveryPairIsEquallyLikely) {
  const Samples samples{0, 1, 2, 3, 4};
  std::vector<double> counts(25);
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    const Samples batch = DrawBatch(samples, 2, 9, std::uint64_t(i), 0);
    ++counts[batch[0] * 5 + batch[1]];
  }
  double chi_square = 0;
  for (std::size_t pair = 0; pair < 25; ++pair) {
    if (pair / 5 == pair % 5) continue;
    const double expected = draws / 20.0;
    chi_square += std::pow(counts[pair] - expected, 2) / expected;
  }
  EXPECT_LT(chi_square, 60);
}

// These tests have a device with noise for images, and take steps by hand.
class LocalTrainingTest : public ::testing::Test {
 protected:
  LocalTrainingTest() : stream_(TestStream(60)) {
    samples_.resize(images_.size());
    std::iota(samples_.begin(), samples_.end(), 0U);
  }

  // Step takes one step on these samples and returns the loss before it.
  double Step(const Samples& samples, double rate, Numbers& parameters) {
    const WeightedSamples part{samples, 1};
    Numbers gradient(parameters.size());
    const double loss = trainer_.Gradient(parameters, {&part, 1}, gradient);
    for (std::size_t i = 0; i < gradient.size(); ++i) parameters[i] -= float(rate) * gradient[i];
    return loss;
  }

  // Every step takes all samples in an order of its own, from one stream, so that the same sums by
  // hand have the same bytes.
  void ExpectFullSteps(const LocalTraining& options, int steps) {
    Numbers trained = initial_, by_hand = initial_;
    const double mean_loss = trainer_.TrainLocally(trained, samples_, options, 1, 2, 3);
    base::RandomStream stream(1, kBatch, 2, 3);
    Samples order = samples_;
    double loss = 0;
    for (int step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        std::swap(order[i], order[i + stream.Below(order.size() - i)]);
      }
      loss += Step(order, options.rate, by_hand);
    }
    EXPECT_EQ(mean_loss, loss / steps);
    EXPECT_EQ(trained, by_hand);
  }

  base::RandomStream stream_;
  ImageShape shape_{5, 6, 3};
  Images images_ = DrawImages(45, shape_, {0, 0, 5, 6}, stream_);
  Model model_{"test", learning::Hidden({learning::Units{4}}), ""};
  Trainer trainer_{model_, images_};
  Numbers initial_ = InitialParameters(model_, shape_, 1);
  Samples samples_;
};

TEST_F(LocalTrainingTest, OneStepIsOneBatchDown) {
  Numbers trained = initial_, by_hand = initial_;
  const double loss = trainer_.TrainLocally(trained, samples_, {.rate = 0.5, .batch = 10}, 1, 2, 3);
  EXPECT_EQ(loss, Step(DrawBatch(samples_, 10, 1, 2, 3), 0.5, by_hand));
  EXPECT_EQ(trained, by_hand);
  EXPECT_NE(trained, initial_);
}

TEST_F(LocalTrainingTest, StepsOnAllSamples) {
  ExpectFullSteps({.rate = 0.5, .batch = 0, .steps = 1}, 1);
  ExpectFullSteps({.rate = 0.5, .batch = 0, .steps = 3}, 3);
  ExpectFullSteps({.rate = 0.5, .batch = 1000, .steps = 2}, 2);
  ExpectFullSteps({.rate = 0.5, .batch = 0, .steps = 7, .epochs = 1}, 1);
  ExpectFullSteps({.rate = 0.5, .batch = 45, .steps = 1, .epochs = 2}, 2);
}

TEST_F(LocalTrainingTest, NothingToDo) {
  Numbers trained = initial_;
  EXPECT_EQ(trainer_.TrainLocally(trained, {}, {}, 1, 2, 3), 0);
  EXPECT_EQ(trainer_.TrainLocally(trained, samples_, {.steps = 0}, 1, 2, 3), 0);
  EXPECT_EQ(trained, initial_);
}

TEST_F(LocalTrainingTest, SeedRoundAndDeviceDecide) {
  const auto train = [&](std::uint64_t seed, std::uint64_t round, std::uint64_t device) {
    Numbers trained = initial_;
    trainer_.TrainLocally(trained, samples_, {.batch = 5, .steps = 3}, seed, round, device);
    return trained;
  };
  EXPECT_EQ(train(1, 2, 3), train(1, 2, 3));
  EXPECT_NE(train(0, 2, 3), train(1, 2, 3));
  EXPECT_NE(train(1, 0, 3), train(1, 2, 3));
  EXPECT_NE(train(1, 2, 0), train(1, 2, 3));
}

TEST_F(LocalTrainingTest, StepsOf) {
  EXPECT_EQ(StepsOf({.steps = 7}, 45), 7);
  EXPECT_EQ(StepsOf({.steps = 7}, 0), 0);
  EXPECT_EQ(StepsOf({.batch = 10, .steps = 7, .epochs = 1}, 45), 5);
  EXPECT_EQ(StepsOf({.batch = 10, .epochs = 3}, 41), 15);
  EXPECT_EQ(StepsOf({.batch = 10, .epochs = 3}, 40), 12);
  EXPECT_EQ(StepsOf({.batch = 10, .epochs = 3}, 4), 3);
  EXPECT_EQ(StepsOf({.batch = 0, .epochs = 3}, 45), 3);
  EXPECT_EQ(StepsOf({.batch = 10, .epochs = 3}, 0), 0);
}

// With one sample there is only one batch, so that steps by hand have the same bytes. FedProx takes
// w1 = w0 - rate g(w0), w2 = w1 - rate (g(w1) + mu (w1 - w0)).
TEST_F(LocalTrainingTest, TheProximalTermPullsToTheStart) {
  const Samples one{7};
  Numbers trained = initial_;
  trainer_.TrainLocally(trained, one, {.rate = 0.5, .steps = 2, .proximal = 0.25}, 1, 2, 3);
  Numbers first = initial_;
  Step(one, 0.5, first);
  Numbers gradient(first.size()), second = first;
  const WeightedSamples part{one};
  trainer_.Gradient(first, {&part, 1}, gradient);
  for (std::size_t i = 0; i < first.size(); ++i) {
    second[i] -= 0.5F * (gradient[i] + 0.25F * (first[i] - initial_[i]));
  }
  EXPECT_EQ(trained, second);
  Step(one, 0.5, first);
  EXPECT_NE(trained, first);  // the steps without the term
}

TEST_F(LocalTrainingTest, ALargerProximalTermStaysCloser) {
  const auto distance = [&](double proximal) {
    Numbers trained = initial_;
    trainer_.TrainLocally(trained, samples_,
                          {.rate = 0.5, .batch = 10, .epochs = 5, .proximal = proximal}, 1, 2, 3);
    double sum = 0;
    for (std::size_t i = 0; i < trained.size(); ++i) {
      sum += std::pow(double(trained[i]) - double(initial_[i]), 2);
    }
    return std::sqrt(sum);
  };
  EXPECT_LT(distance(0.1), distance(0));
  EXPECT_LT(distance(1), distance(0.1));
}

// SCAFFOLD moves to w - rate (g(w) + correction) in each step.
TEST_F(LocalTrainingTest, ACorrectionIsAddedToEachGradient) {
  const Samples one{7};
  Numbers correction(initial_.size()), by_hand = initial_, gradient(initial_.size());
  for (float& number : correction) number = float(stream_.Below(9)) / 8 - 0.5F;
  Numbers trained = initial_;
  trainer_.TrainLocally(trained, one, {.rate = 0.5, .steps = 3, .correction = correction}, 1, 2, 3);
  const WeightedSamples part{one};
  for (int step = 0; step < 3; ++step) {
    trainer_.Gradient(by_hand, {&part, 1}, gradient);
    for (std::size_t i = 0; i < by_hand.size(); ++i) {
      by_hand[i] -= 0.5F * (gradient[i] + correction[i]);
    }
  }
  EXPECT_EQ(trained, by_hand);
  const Numbers few(3);
  EXPECT_DEATH(trainer_.TrainLocally(trained, one, {.correction = few}, 1, 2, 3),
               "broken contract");
}

// The losses are those of the samples of each step, before the step.
TEST_F(LocalTrainingTest, LossesOfTheSamples) {
  const Samples batch = DrawBatch(samples_, 10, 1, 2, 3);
  const WeightedSamples part{batch};
  PartLoss expected, losses{-1, -1};
  trainer_.Losses(initial_, {&part, 1}, {&expected, 1});
  Numbers trained = initial_;
  trainer_.TrainLocally(trained, samples_, {.batch = 10}, 1, 2, 3, &losses);
  EXPECT_EQ(losses.mean, expected.mean);
  EXPECT_EQ(losses.mean_square, expected.mean_square);

  // The epoch does not move, so all samples count the same, also those of the short batch. The
  // losses of samples are the same bytes in any batch, so only their means are rounded apart: 45
  // additions on one side, 4 operations for each of 5 batches and fewer additions on the other.
  const WeightedSamples all{samples_};
  trainer_.Losses(initial_, {&all, 1}, {&expected, 1});
  trained = initial_;
  trainer_.TrainLocally(trained, samples_, {.rate = 0, .batch = 10, .epochs = 1}, 1, 2, 3, &losses);
  EXPECT_EQ(trained, initial_);
  EXPECT_NEAR(losses.mean, expected.mean, 128 * 0x1p-53 * expected.mean);
  EXPECT_NEAR(losses.mean_square, expected.mean_square, 128 * 0x1p-53 * expected.mean_square);

  trainer_.TrainLocally(trained, {}, {}, 1, 2, 3, &losses);
  EXPECT_EQ(losses.mean, 0);
  EXPECT_EQ(losses.mean_square, 0);
}

// Image i has only pixel i, so the weights that see the pixel say how often, and in how large a
// batch, sample i was used. A small rate keeps the gradient what it was at the start: a step moves
// the biases apart by at most the rate, and a use the weights of the pixel. So after n steps and m
// uses the logits differ by d <= (n + m) 1e-3, and the gradient 1/(1 + e^d) is less than 1/2 by at
// most d/2 of it.
std::vector<double> UsesOf(std::size_t batch, std::size_t steps, std::size_t epochs) {
  constexpr std::size_t kPixels = 35;
  Images images{5, 7, 2, std::vector<std::uint8_t>(kPixels * kPixels),
                std::vector<std::uint8_t>(kPixels)};
  Samples samples;
  for (std::size_t i = 0; i < kPixels; ++i) {
    images.pixels[i * kPixels + i] = 255;
    samples.push_back(std::uint32_t(i));
  }
  const Model model{"test", {}, ""};
  Trainer trainer(model, images);
  Numbers parameters(trainer.ParameterCount(), 0.0F);
  const LocalTraining options{.rate = 1e-3, .batch = batch, .steps = steps, .epochs = epochs};
  trainer.TrainLocally(parameters, samples, options, 4, 5, 6);
  std::vector<double> uses;
  // Class 0 is the label of all, so softmax - 1 = -1/2 where all parameters are 0.
  for (std::size_t i = 0; i < kPixels; ++i) uses.push_back(double(parameters[i]) / (0.5 * 1e-3));
  return uses;
}

TEST(LocalTraining, AnEpochUsesEverySampleOnce) {
  for (const double use : UsesOf(1, 0, 1)) EXPECT_NEAR(use, 1, 0.02);  // 35 steps
  for (const double use : UsesOf(1, 0, 3)) EXPECT_NEAR(use, 3, 0.17);  // 105 steps
}

// In batches of 8, 35 samples are four whole ones, and one of 3 samples, each of which counts a
// third.
TEST(LocalTraining, TheLastBatchOfAnEpochIsTheRest) {
  std::size_t eighths = 0, thirds = 0;
  for (const double use : UsesOf(8, 0, 1)) {
    eighths += std::abs(use - 1.0 / 8) < 0.01 ? 1 : 0;
    thirds += std::abs(use - 1.0 / 3) < 0.01 ? 1 : 0;
  }
  EXPECT_EQ(eighths, 32);
  EXPECT_EQ(thirds, 3);
}

// Each epoch has an order of its own, so that the samples of the last batches of two epochs differ.
TEST(LocalTraining, EpochsAreShuffledAnew) {
  std::size_t of_both = 0;
  for (const double use : UsesOf(8, 0, 2)) of_both += std::abs(use - 2.0 / 3) < 0.02 ? 1 : 0;
  EXPECT_LT(of_both, 3);
}

// Steps without epochs draw any batch, in which no sample is twice, but may be again in the next.
TEST(LocalTraining, StepsDrawAnew) {
  double sum = 0;
  std::size_t twice = 0;
  for (const double use : UsesOf(20, 2, 0)) {
    sum += use * 20;
    EXPECT_NEAR(use * 20, std::round(use * 20), 0.05);
    EXPECT_LT(use * 20, 2.1);
    twice += use * 20 > 1.9 ? 1 : 0;
  }
  EXPECT_NEAR(sum, 40, 0.2);
  EXPECT_GE(twice, 5);
  EXPECT_LT(twice, 20);
}

}  // namespace
}  // namespace airlot::learning
