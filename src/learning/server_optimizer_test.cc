#include <gtest/gtest.h>

#include <cmath>
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
  EXPECT_TRUE(optimizer.second.empty());
  EXPECT_EQ(optimizer.steps, 2);
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
  EXPECT_TRUE(optimizer.second.empty());
}

TEST(ServerOptimizer, AverageOfModelsEntersAsAGradient) {
  ServerOptimizer optimizer{.rate = 1};
  Numbers parameters{1, -2};
  const Numbers average{0.5, 4};
  optimizer.Step(Numbers{parameters[0] - average[0], parameters[1] - average[1]}, parameters);
  EXPECT_EQ(parameters, average);
}

// velocity = velocity/2 + gradient/2, second = 3/4 second + gradient^2/4, step = 3 velocity/(sqrt +
// 2):
//   gradient  4: velocity 2,         second 4,          step 3*2/4 = 1.5
//   gradient  2: velocity 1 + 1 = 2, second 3 + 1 = 4,  step 1.5
//   gradient -2: velocity 1 - 1 = 0, second 3 + 1 = 4,  step 0
//   gradient -8: velocity -4,          second 16,           step 3*(-4)/6 = -2
//   gradient -4: velocity -2 - 2 = -4, second 12 + 4 = 16,  step -2
//   gradient -4: the same again.
// A parameter without gradient stays, though its second moment is 0.
TEST(ServerOptimizer, ThreeStepsOfAdam) {
  ServerOptimizer optimizer{
      .rule = ServerRule::kAdam, .rate = 3, .beta1 = 0.5, .beta2 = 0.75, .tau = 2};
  Numbers parameters{1, 0, 5};
  optimizer.Step(Numbers{4, -8, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{-0.5, 2, 5}));
  EXPECT_EQ(optimizer.velocity, (Numbers{2, -4, 0}));
  EXPECT_EQ(optimizer.second, (Numbers{4, 16, 0}));
  optimizer.Step(Numbers{2, -4, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{-2, 4, 5}));
  optimizer.Step(Numbers{-2, -4, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{-2, 6, 5}));
  EXPECT_EQ(optimizer.velocity, (Numbers{0, -4, 0}));
  EXPECT_EQ(optimizer.second, (Numbers{4, 16, 0}));
  EXPECT_EQ(optimizer.steps, 3);
}

// Both betas 3/4: the rate is multiplied by sqrt(1/4)/(1/4) = 2, then by
// sqrt(1 - 9/16)/(1 - 9/16) = 4/sqrt(7).
//   gradient 4: velocity 1,                   second 4,         step 2 * 1/(2 + 1)
//   gradient 2: velocity 0.75 + 0.5 = 1.25,   second 3 + 1 = 4, step 4/sqrt(7) * 1.25/3
TEST(ServerOptimizer, TwoStepsOfAdamWithBiasCorrection) {
  ServerOptimizer optimizer{.rule = ServerRule::kAdam,
                            .rate = 1,
                            .beta1 = 0.75,
                            .beta2 = 0.75,
                            .tau = 1,
                            .bias_correction = true};
  Numbers parameters{0};
  optimizer.Step(Numbers{4}, parameters);
  EXPECT_FLOAT_EQ(parameters[0], -2.0F / 3);
  optimizer.Step(Numbers{2}, parameters);
  EXPECT_FLOAT_EQ(parameters[0], -2.0F / 3 - 4 / std::sqrt(7.0F) * 1.25F / 3);
  EXPECT_EQ(optimizer.velocity, Numbers{1.25});
  EXPECT_EQ(optimizer.second, Numbers{4});
}

// velocity as above; second -+ gradient^2/4, towards gradient^2; step = 15 velocity/(sqrt + 3):
//   gradient 26: second 0 + 676/4 = 169,  velocity 13,               step 15*13/16 = 12.1875
//   gradient 10: second 169 - 25 = 144,   velocity 6.5 + 5 = 11.5,   step 15*11.5/15 = 11.5
//   gradient 12: second 144 = gradient^2: stays; velocity 5.75 + 6 = 11.75, step 11.75
// A parameter without gradient has second = 0 = gradient^2 from the start, and stays.
TEST(ServerOptimizer, ThreeStepsOfYogi) {
  ServerOptimizer optimizer{
      .rule = ServerRule::kYogi, .rate = 15, .beta1 = 0.5, .beta2 = 0.75, .tau = 3};
  Numbers parameters{100, -100, 7};
  optimizer.Step(Numbers{26, -26, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{87.8125, -87.8125, 7}));
  EXPECT_EQ(optimizer.second, (Numbers{169, 169, 0}));
  optimizer.Step(Numbers{10, -10, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{76.3125, -76.3125, 7}));
  EXPECT_EQ(optimizer.second, (Numbers{144, 144, 0}));
  optimizer.Step(Numbers{12, -12, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{64.5625, -64.5625, 7}));
  EXPECT_EQ(optimizer.second, (Numbers{144, 144, 0}));
  EXPECT_EQ(optimizer.velocity, (Numbers{11.75, -11.75, 0}));
}

// The same steps; the rate is multiplied by sqrt(1/4)/(1/2) = 1, then by
// sqrt(1 - 9/16)/(1 - 1/4) = sqrt(7)/3.
TEST(ServerOptimizer, TwoStepsOfYogiWithBiasCorrection) {
  ServerOptimizer optimizer{.rule = ServerRule::kYogi,
                            .rate = 15,
                            .beta1 = 0.5,
                            .beta2 = 0.75,
                            .tau = 3,
                            .bias_correction = true};
  Numbers parameters{100};
  optimizer.Step(Numbers{26}, parameters);
  EXPECT_EQ(parameters, Numbers{87.8125});
  optimizer.Step(Numbers{10}, parameters);
  EXPECT_FLOAT_EQ(parameters[0], 87.8125F - std::sqrt(7.0F) / 3 * 11.5F);
}

// second + gradient^2, velocity = gradient, step = 84 velocity/(sqrt + 1):
//   gradient  3: second 9,   step 84*3/4 = 63
//   gradient  4: second 25,  step 84*4/6 = 56
//   gradient 12: second 169, step 84*12/14 = 72
// Without beta1 there is no bias to correct.
TEST(ServerOptimizer, ThreeStepsOfAdagrad) {
  for (const bool bias_correction : {false, true}) {
    ServerOptimizer optimizer{.rule = ServerRule::kAdagrad,
                              .rate = 84,
                              .beta1 = 0,
                              .tau = 1,
                              .bias_correction = bias_correction};
    Numbers parameters{200, 0, 1};
    optimizer.Step(Numbers{3, -3, 0}, parameters);
    EXPECT_EQ(parameters, (Numbers{137, 63, 1}));
    optimizer.Step(Numbers{4, -4, 0}, parameters);
    EXPECT_EQ(parameters, (Numbers{81, 119, 1}));
    optimizer.Step(Numbers{-12, -12, 0}, parameters);
    EXPECT_EQ(parameters, (Numbers{153, 191, 1}));
    EXPECT_EQ(optimizer.second, (Numbers{169, 169, 0}));
    EXPECT_EQ(optimizer.velocity, (Numbers{-12, -12, 0}));
  }
}

// The same with beta1 = 1/2: the rate is multiplied by 1/(1/2), then by 1/(3/4).
//   gradient 3: velocity 1.5,             step 2 * 84*1.5/4 = 63
//   gradient 4: velocity 0.75 + 2 = 2.75, step 4/3 * 84*2.75/6 = 154/3
TEST(ServerOptimizer, TwoStepsOfAdagradWithBiasCorrection) {
  ServerOptimizer optimizer{
      .rule = ServerRule::kAdagrad, .rate = 84, .beta1 = 0.5, .tau = 1, .bias_correction = true};
  Numbers parameters{0};
  optimizer.Step(Numbers{3}, parameters);
  EXPECT_EQ(parameters, Numbers{-63});
  optimizer.Step(Numbers{4}, parameters);
  EXPECT_FLOAT_EQ(parameters[0], -63 - 154.0F / 3);
}

// Kingma and Ba's Algorithm 1 in double, with the corrected moments written out, on
// f(w) = 0.7 (w - 3)^2 / 2. It is at the optimum after some 400 steps.
TEST(ServerOptimizer, AdamIsKingmaAndBas) {
  ServerOptimizer optimizer{
      .rule = ServerRule::kAdam, .rate = 0.05, .tau = 1e-9, .bias_correction = true};
  Numbers parameters{-1};
  double w = -1, m = 0, v = 0;
  for (int t = 1; t <= 400; ++t) {
    optimizer.Step(Numbers{0.7F * (parameters[0] - 3)}, parameters);
    const double g = 0.7 * (w - 3);
    m = 0.9 * m + 0.1 * g;
    v = 0.99 * v + 0.01 * g * g;
    w -= 0.05 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.99, t))) + 1e-9);
    if (t <= 100) {
      ASSERT_NEAR(parameters[0], w, 2e-5) << t;
    }
  }
  EXPECT_NEAR(w, 3, 0.01);
  EXPECT_NEAR(parameters[0], 3, 0.01);
}

// A run that is taken up again from velocity, second and steps goes on with the same bytes.
TEST(ServerOptimizer, TheStateIsAllThatTheNextStepNeeds) {
  for (const ServerRule rule :
       {ServerRule::kDescent, ServerRule::kAdam, ServerRule::kYogi, ServerRule::kAdagrad}) {
    const ServerOptimizer fresh{
        .rule = rule, .rate = 0.1, .momentum = 0.9, .tau = 1e-3, .bias_correction = true};
    ServerOptimizer whole = fresh;
    Numbers parameters{0.3F, -2, 1e-7F}, taken_up = parameters;
    ServerOptimizer first = fresh;
    for (const float g : {0.1F, -0.7F}) {
      whole.Step(Numbers{g, 2 * g, -g}, parameters);
      first.Step(Numbers{g, 2 * g, -g}, taken_up);
    }
    ServerOptimizer second = fresh;
    second.velocity = first.velocity;
    second.second = first.second;
    second.steps = first.steps;
    whole.Step(Numbers{0.4F, 0, 3}, parameters);
    second.Step(Numbers{0.4F, 0, 3}, taken_up);
    EXPECT_EQ(parameters, taken_up);
  }
}

TEST(ServerOptimizerDeathTest, BrokenContracts) {
  Numbers two(2), three(3);
  const auto step = [&](ServerOptimizer optimizer) { optimizer.Step(three, three); };
  EXPECT_DEATH(ServerOptimizer{}.Step(two, three), "broken contract");
  EXPECT_DEATH(step({.momentum = 0.5, .velocity = two}), "broken contract");
  EXPECT_DEATH(step({.rule = ServerRule::kAdam, .second = two}), "broken contract");
  EXPECT_DEATH(step({.rule = ServerRule::kAdam, .beta1 = 1}), "broken contract");
  EXPECT_DEATH(step({.rule = ServerRule::kYogi, .beta2 = -0.1}), "broken contract");
  EXPECT_DEATH(step({.rule = ServerRule::kAdagrad, .tau = 0}), "broken contract");
  EXPECT_DEATH(step({.rule = ServerRule::kAdagrad, .tau = 1e-60}), "broken contract");
}

}  // namespace
}  // namespace airlot
