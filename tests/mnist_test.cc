// Centralised training on MNIST must reach a certain accuracy with both models, in a certain
// memory. It needs MNIST in the cache (airlot data fetch mnist).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <numeric>
#include <string>

#include "airlot/dataset.h"
#include "airlot/training.h"

namespace airlot {
namespace {

// Returns the test accuracy after so many epochs of plain stochastic gradient descent.
double TrainAndTest(const std::string& name, std::size_t epochs,
                    const std::string& dataset = "mnist") {
  const auto data = ReadDataset(dataset);
  if (!data) {
    ADD_FAILURE() << data.error().message;
    return 0;
  }
  const Model& model = *FindModel(name);
  std::vector<float> parameters = InitialParameters(model, {}, 1);
  std::vector<std::uint32_t> samples(data->train.size());
  std::iota(samples.begin(), samples.end(), 0U);
  Trainer trainer(model, data->train, 2);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    const double loss = trainer.TrainLocally(parameters, samples,
                                             {.rate = 0.1, .batch = 32, .epochs = 1}, 1, epoch, 0);
    std::printf("%s, epoch %zu: mean training loss %.4f\n", name.c_str(), epoch + 1, loss);
  }
  const Evaluation evaluation = trainer.Evaluate(parameters, data->test);
  std::printf("%s: test accuracy %.4f, loss %.4f\n", name.c_str(), evaluation.accuracy,
              evaluation.loss);
  return evaluation.accuracy;
}

TEST(Mnist, CnnGetsAbove98Percent) { EXPECT_GT(TrainAndTest("cnn", 3), 0.98); }

TEST(Mnist, MlpGetsAbove97Percent) { EXPECT_GT(TrainAndTest("mlp", 4), 0.97); }

// The cnn does better than the mlp, and neither is perfect.
TEST(Digits, TellModelsApartAfterOneEpoch) {
  const double cnn = TrainAndTest("cnn", 1, "digits"), mlp = TrainAndTest("mlp", 1, "digits");
  EXPECT_GT(cnn, mlp + 0.02);
  EXPECT_GT(mlp, 0.8);
  EXPECT_LT(cnn, 0.99);
}

TEST(Mnist, TrainingTakesLessThan150Megabytes) {
  TrainAndTest("cnn", 1);
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  std::printf("peak memory %ld MB\n", usage.ru_maxrss / 1024);
  EXPECT_LT(usage.ru_maxrss, 150 * 1024);
}

}  // namespace
}  // namespace airlot
