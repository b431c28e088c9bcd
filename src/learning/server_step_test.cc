#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "airlot/training_rule.h"
#include "learning/server_moments.h"

namespace airlot {
namespace {

using Numbers = std::vector<float>;

// A Server is the server of a rule, with what it remembers. Devices send models, so that the rate
// is the server's own.
class Server {
 public:
  explicit Server(LearningRules rules) : moments(parts_.Get<learning::ServerMoments>()) {
    rules.local_steps = 2;
    rule_ = MakeTrainingRule(rules, parts_);
  }
  void Step(const Numbers& sum, Numbers& parameters) { rule_->Step(sum, parameters); }

 private:
  StateParts parts_;
  std::unique_ptr<TrainingRule> rule_;

 public:
  learning::ServerMoments& moments;
};

TEST(ServerStep, GradientDescent) {
  Server server({.server_rate = 0.5});
  Numbers parameters{1, 2, 3};
  server.Step(Numbers{2, -4, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{0, 4, 3}));
  server.Step(Numbers{1, 1, 1}, parameters);
  EXPECT_EQ(parameters, (Numbers{-0.5, 3.5, 2.5}));
  EXPECT_TRUE(server.moments.velocity.empty());
  EXPECT_TRUE(server.moments.second.empty());
}

// The first velocity is 4, 2 + 2 = 4, 2 - 8 = -6, and the other -8, -4 + 0, -2 + 4 = 2.
TEST(ServerStep, ThreeStepsWithMomentum) {
  Server server({.server_rate = 0.25, .momentum = 0.5});
  Numbers parameters{10, 0};
  server.Step(Numbers{4, -8}, parameters);
  EXPECT_EQ(parameters, (Numbers{9, 2}));
  EXPECT_EQ(server.moments.velocity, (Numbers{4, -8}));
  server.Step(Numbers{2, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{8, 3}));
  EXPECT_EQ(server.moments.velocity, (Numbers{4, -4}));
  server.Step(Numbers{-8, 4}, parameters);
  EXPECT_EQ(parameters, (Numbers{9.5, 2.5}));
  EXPECT_EQ(server.moments.velocity, (Numbers{-6, 2}));
  EXPECT_TRUE(server.moments.second.empty());
}

TEST(ServerStep, AverageOfModelsEntersAsAGradient) {
  Server server({.server_rate = 1});
  Numbers parameters{1, -2};
  const Numbers average{0.5, 4};
  server.Step(Numbers{parameters[0] - average[0], parameters[1] - average[1]}, parameters);
  EXPECT_EQ(parameters, average);
}

// With velocity = velocity/2 + gradient/2, second = 3/4 second + gradient^2/4 and
// step = 3 velocity/(sqrt + 2), the steps are:
//   gradient  4: velocity 2,         second 4,          step 3*2/4 = 1.5
//   gradient  2: velocity 1 + 1 = 2, second 3 + 1 = 4,  step 1.5
//   gradient -2: velocity 1 - 1 = 0, second 3 + 1 = 4,  step 0
//   gradient -8: velocity -4,          second 16,           step 3*(-4)/6 = -2
//   gradient -4: velocity -2 - 2 = -4, second 12 + 4 = 16,  step -2
//   gradient -4: velocity -4, second 16, step -2
// A parameter without gradient stays, though its second moment is 0.
TEST(ServerStep, ThreeStepsOfAdam) {
  Server server({.rule = "fedadam", .server_rate = 3, .beta1 = 0.5, .beta2 = 0.75, .tau = 2});
  Numbers parameters{1, 0, 5};
  server.Step(Numbers{4, -8, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{-0.5, 2, 5}));
  EXPECT_EQ(server.moments.velocity, (Numbers{2, -4, 0}));
  EXPECT_EQ(server.moments.second, (Numbers{4, 16, 0}));
  server.Step(Numbers{2, -4, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{-2, 4, 5}));
  server.Step(Numbers{-2, -4, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{-2, 6, 5}));
  EXPECT_EQ(server.moments.velocity, (Numbers{0, -4, 0}));
  EXPECT_EQ(server.moments.second, (Numbers{4, 16, 0}));
  EXPECT_EQ(server.moments.steps, 3);
}

// With both betas 3/4, the rate is multiplied by sqrt(1/4)/(1/4) = 2, then by
// sqrt(1 - 9/16)/(1 - 9/16) = 4/sqrt(7):
//   gradient 4: velocity 1,                   second 4,         step 2 * 1/(2 + 1)
//   gradient 2: velocity 0.75 + 0.5 = 1.25,   second 3 + 1 = 4, step 4/sqrt(7) * 1.25/3
TEST(ServerStep, TwoStepsOfAdamWithBiasCorrection) {
  Server server({.rule = "fedadam",
                 .server_rate = 1,
                 .beta1 = 0.75,
                 .beta2 = 0.75,
                 .tau = 1,
                 .bias_correction = true});
  Numbers parameters{0};
  server.Step(Numbers{4}, parameters);
  EXPECT_FLOAT_EQ(parameters[0], -2.0F / 3);
  server.Step(Numbers{2}, parameters);
  EXPECT_FLOAT_EQ(parameters[0], -2.0F / 3 - 4 / std::sqrt(7.0F) * 1.25F / 3);
  EXPECT_EQ(server.moments.velocity, Numbers{1.25});
  EXPECT_EQ(server.moments.second, Numbers{4});
}

// With velocity = velocity/2 + gradient/2, second moving by gradient^2/4 towards gradient^2 and
// step = 15 velocity/(sqrt + 3), the steps are:
//   gradient 26: second 0 + 676/4 = 169,  velocity 13,               step 15*13/16 = 12.1875
//   gradient 10: second 169 - 25 = 144,   velocity 6.5 + 5 = 11.5,   step 15*11.5/15 = 11.5
//   gradient 12: second 144 = gradient^2: stays; velocity 5.75 + 6 = 11.75, step 11.75
// A parameter without gradient has second = 0 = gradient^2 from the start, and stays.
TEST(ServerStep, ThreeStepsOfYogi) {
  Server server({.rule = "fedyogi", .server_rate = 15, .beta1 = 0.5, .beta2 = 0.75, .tau = 3});
  Numbers parameters{100, -100, 7};
  server.Step(Numbers{26, -26, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{87.8125, -87.8125, 7}));
  EXPECT_EQ(server.moments.second, (Numbers{169, 169, 0}));
  server.Step(Numbers{10, -10, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{76.3125, -76.3125, 7}));
  EXPECT_EQ(server.moments.second, (Numbers{144, 144, 0}));
  server.Step(Numbers{12, -12, 0}, parameters);
  EXPECT_EQ(parameters, (Numbers{64.5625, -64.5625, 7}));
  EXPECT_EQ(server.moments.second, (Numbers{144, 144, 0}));
  EXPECT_EQ(server.moments.velocity, (Numbers{11.75, -11.75, 0}));
}

// The steps are those of ThreeStepsOfYogi, but the rate is multiplied by sqrt(1/4)/(1/2) = 1, then
// by sqrt(1 - 9/16)/(1 - 1/4) = sqrt(7)/3.
TEST(ServerStep, TwoStepsOfYogiWithBiasCorrection) {
  Server server({.rule = "fedyogi",
                 .server_rate = 15,
                 .beta1 = 0.5,
                 .beta2 = 0.75,
                 .tau = 3,
                 .bias_correction = true});
  Numbers parameters{100};
  server.Step(Numbers{26}, parameters);
  EXPECT_EQ(parameters, Numbers{87.8125});
  server.Step(Numbers{10}, parameters);
  EXPECT_FLOAT_EQ(parameters[0], 87.8125F - std::sqrt(7.0F) / 3 * 11.5F);
}

// With second = second + gradient^2, velocity = gradient and step = 84 velocity/(sqrt + 1), the
// steps are:
//   gradient  3: second 9,   step 84*3/4 = 63
//   gradient  4: second 25,  step 84*4/6 = 56
//   gradient 12: second 169, step 84*12/14 = 72
// Without beta1 there is no bias to correct.
TEST(ServerStep, ThreeStepsOfAdagrad) {
  for (const bool bias_correction : {false, true}) {
    Server server({.rule = "fedadagrad",
                   .server_rate = 84,
                   .beta1 = 0,
                   .tau = 1,
                   .bias_correction = bias_correction});
    Numbers parameters{200, 0, 1};
    server.Step(Numbers{3, -3, 0}, parameters);
    EXPECT_EQ(parameters, (Numbers{137, 63, 1}));
    server.Step(Numbers{4, -4, 0}, parameters);
    EXPECT_EQ(parameters, (Numbers{81, 119, 1}));
    server.Step(Numbers{-12, -12, 0}, parameters);
    EXPECT_EQ(parameters, (Numbers{153, 191, 1}));
    EXPECT_EQ(server.moments.second, (Numbers{169, 169, 0}));
    EXPECT_EQ(server.moments.velocity, (Numbers{-12, -12, 0}));
  }
}

// With beta1 = 1/2, the rate of ThreeStepsOfAdagrad is multiplied by 1/(1/2), then by 1/(3/4):
//   gradient 3: velocity 1.5,             step 2 * 84*1.5/4 = 63
//   gradient 4: velocity 0.75 + 2 = 2.75, step 4/3 * 84*2.75/6 = 154/3
TEST(ServerStep, TwoStepsOfAdagradWithBiasCorrection) {
  Server server(
      {.rule = "fedadagrad", .server_rate = 84, .beta1 = 0.5, .tau = 1, .bias_correction = true});
  Numbers parameters{0};
  server.Step(Numbers{3}, parameters);
  EXPECT_EQ(parameters, Numbers{-63});
  server.Step(Numbers{4}, parameters);
  // The step of 51 takes 5 roundings, 255 u; 4 units in the last place of 114 are 512 u.
  EXPECT_FLOAT_EQ(parameters[0], -63 - 154.0F / 3);
}

// The test runs Kingma and Ba's Algorithm 1 in double, with the corrected moments written out, on
// f(w) = 0.7 (w - 3)^2 / 2. It is at the optimum after some 400 steps.
//
// Float steps with the same gradients, rounded, are off by a sum. With u = 2^-24, the largest
// gradient G so far and the gradient of k steps ago:
//   that gradient is rounded, and its factors: 3 (k + 1) u in the first moment, where it counts
//   0.1 * 0.9^k, so 30 u G of all; (5 + 3 k) u in the second, so at most (5 + 3 min(t, 100)) u of
//   it, and half as much of the root;
//   rate, root, sum, product and quotient: 5 u of the step;
//   the parameter: u |w|.
TEST(ServerStep, AdamIsKingmaAndBas) {
  const LearningRules rules{
      .rule = "fedadam", .server_rate = 0.05, .tau = 1e-9, .bias_correction = true};
  Server server(rules), own_way(rules);
  Numbers parameters{-1}, own_parameters{-1};
  double w = -1, m = 0, v = 0, largest = 0, error = 0;
  for (int t = 1; t <= 400; ++t) {
    const double g = 0.7 * (w - 3);
    server.Step(Numbers{float(g)}, parameters);
    own_way.Step(Numbers{0.7F * (own_parameters[0] - 3)}, own_parameters);
    m = 0.9 * m + 0.1 * g;
    v = 0.99 * v + 0.01 * g * g;
    const double first = m / (1 - std::pow(0.9, t));
    const double root = std::sqrt(v / (1 - std::pow(0.99, t))) + 1e-9;
    w -= 0.05 * first / root;
    largest = std::max(largest, std::abs(g));
    const double of_step = 5 + (5 + 3 * std::min(t, 100)) / 2.0;
    error += 0x1p-24 * (0.05 / root * (30 * largest + of_step * std::abs(first)) + std::abs(w));
    ASSERT_NEAR(double(parameters[0]), w, 1.001 * error) << t;
  }
  EXPECT_LT(error, 2e-3);
  EXPECT_NEAR(w, 3, 0.01);
  EXPECT_NEAR(own_parameters[0], 3, 0.01);  // with gradients where it is itself
}

// A run that is taken up again from the bytes of a checkpoint goes on with the same bytes.
TEST(ServerStep, TheStateIsAllThatTheNextStepNeeds) {
  for (const char* rule : {"fedavgm", "fedadam", "fedyogi", "fedadagrad"}) {
    const LearningRules rules{
        .rule = rule, .server_rate = 0.1, .momentum = 0.9, .tau = 1e-3, .bias_correction = true};
    Server whole(rules), first(rules), second(rules);
    Numbers parameters{0.3F, -2, 1e-7F}, taken_up = parameters;
    for (const float g : {0.1F, -0.7F}) {
      whole.Step({g, 2 * g, -g}, parameters);
      first.Step({g, 2 * g, -g}, taken_up);
    }
    ByteWriter writer;
    first.moments.Save(writer);
    ByteReader reader(writer.bytes());
    second.moments.Load(reader);
    EXPECT_TRUE(reader.is_done());
    whole.Step({0.4F, 0, 3}, parameters);
    second.Step({0.4F, 0, 3}, taken_up);
    EXPECT_EQ(parameters, taken_up) << rule;
  }
}

// Where devices send gradients, a server steps as if each had taken a local step with its rate.
TEST(ServerStep, GradientsAreTakenTimesTheLocalRate) {
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    if (entry.always_sends_models) continue;
    LearningRules rules{.rate = 0.25, .rule = entry.name};
    StateParts of_gradients, of_models;
    Numbers a{1, -2, 3}, b = a;
    MakeTrainingRule(rules, of_gradients)->Step(Numbers{4, -8, 2}, a);
    rules.local_steps = 2;
    MakeTrainingRule(rules, of_models)->Step(Numbers{1, -2, 0.5}, b);
    EXPECT_EQ(a, b) << entry.name;
  }
}

TEST(ServerStep, ChecksTheSizesOfMoments) {
  learning::ServerMoments moments;
  EXPECT_TRUE(moments.Check({.devices = 5, .parameters = 2}));
  moments.velocity.resize(2);
  EXPECT_TRUE(moments.Check({.devices = 5, .parameters = 2}));
  moments.second.resize(3);
  const Status status = moments.Check({.devices = 5, .parameters = 2});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "second: 3 values, 2 are needed");
}

TEST(ServerStepDeathTest, BrokenContracts) {
  const Numbers two(2);
  Numbers three(3);
  const auto step = [&](const LearningRules& rules, const Numbers& velocity = {}) {
    Server server(rules);
    server.moments.velocity = velocity;
    server.Step(Numbers(3), three);
  };
  EXPECT_DEATH(Server({}).Step(two, three), "broken contract");
  EXPECT_DEATH(step({.momentum = 0.5}, two), "broken contract");
  EXPECT_DEATH(step({.rule = "fedadam"}, two), "broken contract");
  EXPECT_DEATH(step({.rule = "fedadam", .beta1 = 1}), "broken contract");
  EXPECT_DEATH(step({.rule = "fedyogi", .beta2 = -0.1}), "broken contract");
  EXPECT_DEATH(step({.rule = "fedadagrad", .tau = 0}), "broken contract");
  EXPECT_DEATH(step({.rule = "fedadagrad", .tau = 1e-60}), "broken contract");
}

}  // namespace
}  // namespace airlot
