#include <gtest/gtest.h>

#include <vector>

#include "airlot/training.h"

namespace airlot {
namespace {

using Numbers = std::vector<float>;

TEST(ServerOptimizer, GradientDescent) {
  ServerOptimizer optimizer{.rate = 0.5};
  Numbers parameters{1, 2, 3};
  optimizer.Step(Numbers{2, -4, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{0, 4, 3}));
  optimizer.Step(Numbers{1, 1, 1}, parameters);
  EXPECT_EQ(parameters, (Numbers{-0.5, 3.5, 2.5}));
  EXPECT_TRUE(optimizer.velocity.empty());
}

// velocity: 4, 2 + 2 = 4, 2 - 8 = -6; the other: -8, -4 + 0, -2 + 4 = 2.
TEST(ServerOptimizer, ThreeStepsWithMomentum) {
  ServerOptimizer optimizer{.rate = 0.25, .momentum = 0.5};
  Numbers parameters{10, 0};
  optimizer.Step(Numbers{4, -8}, parameters);
  EXPECT_EQ(parameters, (Numbers{9, 2}));
  EXPECT_EQ(optimizer.velocity, (Numbers{4, -8}));
  optimizer.Step(Numbers{2, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{8, 3}));
  EXPECT_EQ(optimizer.velocity, (Numbers{4, -4}));
  optimizer.Step(Numbers{-8, 4}, parameters);
  EXPECT_EQ(parameters, (Numbers{9.5, 2.5}));
  EXPECT_EQ(optimizer.velocity, (Numbers{-6, 2}));
}

TEST(ServerOptimizer, AverageOfModelsEntersAsAGradient) {
  ServerOptimizer optimizer{.rate = 1};
  Numbers parameters{1, -2};
  const Numbers average{0.5, 4};
  optimizer.Step(Numbers{parameters[0] - average[0], parameters[1] - average[1]}, parameters);
  EXPECT_EQ(parameters, average);
}

}  // namespace
}  // namespace airlot
