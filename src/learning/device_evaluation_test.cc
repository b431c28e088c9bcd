// What devices hold is evaluated as if it were all there is.
#include "airlot/device_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "airlot/training.h"
#include "learning/models_for_tests.h"

namespace airlot {
namespace {

TEST(DeviceEvaluation, IsThatOfTheSamplesOfADevice) {
  const Dataset digits = DrawDigits({.train_samples = 300, .test_samples = 1, .seed = 3});
  const Model model{"small", learning::Hidden({learning::Units{5}}), ""};
  const std::vector<float> parameters = InitialParameters(model, ShapeOf(digits.train), 1);
  // The first two devices have all samples between them, one has none, and one has a sample twice.
  Partition partition;
  for (std::uint32_t i = 0; i < 300; ++i) partition.samples.push_back(i);
  partition.samples.insert(partition.samples.end(), {7, 7, 9});
  partition.begin = {0, 101, 300, 300, 303};
  const auto devices = EvaluateDevices(model, parameters, digits.train, partition);
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[1].samples, 199u);
  EXPECT_EQ(devices[2].samples, 0u);
  EXPECT_TRUE(std::isnan(devices[2].loss) && std::isnan(devices[2].accuracy));

  Trainer trainer(model, digits.train);
  const Evaluation all = trainer.Evaluate(parameters, digits.train);
  const double right = devices[0].accuracy * 101 + devices[1].accuracy * 199,
               wanted = all.accuracy * 300;
  EXPECT_NEAR(right, wanted, 1e-9);  // Both are whole numbers, but for rounding.
  std::vector<WeightedSamples> parts;
  for (const std::size_t i : {0, 1, 3}) parts.push_back({partition.SamplesOf(i), 1});
  std::vector<PartLoss> losses(3);
  trainer.Losses(parameters, parts, losses);
  // A mean of positive numbers, added in another order, is off by at most a rounding for each; the
  // loss of a sample does not depend on its neighbours.
  for (const auto& [device, part] : {std::pair{0, 0}, {1, 1}, {3, 2}}) {
    EXPECT_NEAR(devices[device].loss, losses[part].mean, losses[part].mean * 300 * 0x1p-52);
  }
  const auto threaded = EvaluateDevices(model, parameters, digits.train, partition, 3);
  for (const std::size_t i : {0, 1, 3}) {
    EXPECT_EQ(threaded[i].loss, devices[i].loss);
    EXPECT_EQ(threaded[i].accuracy, devices[i].accuracy);
  }
}

TEST(DeviceEvaluation, IsSummedUpOverThoseWithSamples) {
  const std::vector<DeviceEvaluation> devices{{.samples = 1, .accuracy = 1},
                                              {},
                                              {.samples = 3, .accuracy = 0.25},
                                              {.samples = 4, .accuracy = 0.5}};
  const DeviceSummary odd = SummarizeDevices(devices, &DeviceEvaluation::accuracy);
  EXPECT_EQ(odd.lowest, 0.25);
  EXPECT_EQ(odd.median, 0.5);
  EXPECT_EQ(odd.highest, 1);
  EXPECT_EQ(odd.weighted_mean, (1 + 0.75 + 2) / 8);
  const DeviceSummary even =
      SummarizeDevices(std::span(devices).first(3), &DeviceEvaluation::accuracy);
  EXPECT_EQ(even.median, 0.625);
}

}  // namespace
}  // namespace airlot
