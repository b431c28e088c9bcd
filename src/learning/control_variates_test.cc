#include "learning/control_variates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "airlot/training.h"
#include "learning/rounded_network_for_tests.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

using Numbers = std::vector<float>;
using Samples = std::vector<std::uint32_t>;

TEST(ControlVariates, Correction) {
  Numbers correction(3);
  ControlCorrection(Numbers{1, 2, -3}, Numbers{0.5, 4, -3}, correction);
  EXPECT_EQ(correction, (Numbers{0.5, -2, 0}));
}

// With 4 steps of rate 0.5, (before - after)/2 = {1, -2} and change = {1 - 3, -2 + 1}.
TEST(ControlVariates, ADevicesByHand) {
  Numbers own{10, 20}, change(2);
  UpdateControl(Numbers{3, -1}, Numbers{5, 0}, Numbers{3, 4}, 4, 0.5, own, change);
  EXPECT_EQ(change, (Numbers{-2, -1}));
  EXPECT_EQ(own, (Numbers{8, 19}));
}

TEST(ControlVariates, NothingChangesWithoutAStep) {
  Numbers own{10, 20}, change{7, 7};
  UpdateControl(Numbers{3, -1}, Numbers{5, 0}, Numbers{5, 0}, 0, 0.5, own, change);
  EXPECT_EQ(change, (Numbers{0, 0}));
  EXPECT_EQ(own, (Numbers{10, 20}));
}

// Two of eight devices change the server's by 2/8 of the mean {3, -4} of {2, -8} and {4, 0}.
TEST(ControlVariates, TheServersByHand) {
  Numbers server{1, 1};
  UpdateServerControl(Numbers{2 + 4, -8 + 0}, 8, server);
  EXPECT_EQ(server, (Numbers{1.75, 0}));
}

// Three devices, each of which has one kind of the samples, train a linear model: local training
// drifts in this convex problem.
class ScaffoldTest : public ::testing::Test {
 protected:
  ScaffoldTest()
      : stream_(TestStream(70)),
        images_(DrawImages(90, shape_, {0, 0, 3, 4}, stream_)),
        trainer_(model_, images_),
        parameters_(InitialParameters(model_, shape_, 1)),
        server_(parameters_.size()),
        own_(3, server_),
        devices_(3) {
    for (std::uint32_t i = 0; i < 90; ++i) {
      devices_[(images_.labels[i] + std::uint32_t(stream_.Below(2))) % 3].push_back(i);
    }
  }

  // In a Round the devices of `take_part` train, and the average of their models, all weights
  // equal, is the next model.
  void Round(const std::vector<std::size_t>& take_part, LocalTraining options, bool scaffold) {
    const std::size_t size = parameters_.size();
    Numbers correction(size), change(size), changes(size), step(size);
    for (const std::size_t device : take_part) {
      if (scaffold) {
        ControlCorrection(server_, own_[device], correction);
        options.correction = correction;
      }
      Numbers trained = parameters_;
      trainer_.TrainLocally(trained, devices_[device], options, 1, round_, device);
      UpdateControl(server_, parameters_, trained, StepsOf(options, devices_[device].size()),
                    options.rate, own_[device], change);
      for (std::size_t i = 0; i < size; ++i) {
        changes[i] += change[i];
        step[i] += (parameters_[i] - trained[i]) / float(take_part.size());
      }
    }
    UpdateServerControl(changes, devices_.size(), server_);
    for (std::size_t i = 0; i < step.size(); ++i) parameters_[i] -= step[i];
    ++round_;
  }

  Numbers GradientOf(const Samples& samples) {
    Numbers gradient(parameters_.size());
    const WeightedSamples part{samples};
    trainer_.Gradient(parameters_, {&part, 1}, gradient);
    return gradient;
  }

  // Returns the norm of the gradient of the mean of the devices' losses.
  double GradientNorm() {
    std::vector<WeightedSamples> parts;
    for (const Samples& samples : devices_) parts.push_back({samples, 1.0 / 3});
    Numbers gradient(parameters_.size());
    trainer_.Gradient(parameters_, parts, gradient);
    return std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
  }

  ImageShape shape_{3, 4, 3};
  Model model_{"linear", {}, ""};
  base::RandomStream stream_;
  Images images_;
  Trainer trainer_;
  Numbers parameters_, server_;
  std::vector<Numbers> own_;
  std::vector<Samples> devices_;
  std::uint64_t round_ = 0;
};

TEST_F(ScaffoldTest, TheFirstRoundIsFedAvgs) {
  const LocalTraining options{.rate = 0.3, .batch = 8, .epochs = 2};
  const Numbers start = parameters_;
  Round({0, 2}, options, true);
  const Numbers scaffold = parameters_;
  parameters_ = start;
  round_ = 0;
  Round({0, 2}, options, false);
  EXPECT_EQ(scaffold, parameters_);
  EXPECT_NE(scaffold, start);
}

// One step moves by rate * (gradient + c - c_i), and (L6) takes c - c_i off again. The rounding of
// the moved parameter is divided by the rate, 1/2; the other 8 operations round numbers that are at
// most M = |gradient| + |c| + |c_i|, some of them twice that. The two gradients add up the samples
// in different orders.
TEST_F(ScaffoldTest, AfterOneStepTheControlIsTheGradient) {
  const LocalTraining options{.rate = 0.5, .batch = 0, .steps = 1};
  const RoundedNetwork network(model_, shape_);
  for (int round = 0; round < 3; ++round) {
    std::vector<Numbers> gradients;
    for (const Samples& samples : devices_) gradients.push_back(GradientOf(samples));
    const Numbers before = parameters_, server = server_;
    const std::vector<Numbers> own = own_;
    Round({0, 1, 2}, options, true);
    for (std::size_t device = 0; device < 3; ++device) {
      const WeightedSamples part{devices_[device]};
      const auto rounded = network.Gradient(before, images_, {&part, 1});
      for (std::size_t i = 0; i < server.size(); ++i) {
        const double gradient = double(gradients[device][i]);
        const double size =
            std::abs(gradient) + std::abs(double(server[i])) + std::abs(double(own[device][i]));
        const double most =
            2 * rounded.gradient[i].error + 0x1p-24 * (2 * std::abs(double(before[i])) + 17 * size);
        EXPECT_NEAR(double(own_[device][i]), gradient, most) << i;
        EXPECT_LT(most, 1e-4);
      }
    }
  }
}

// A round adds the same changes to both sides. A device's control is rounded once; the changes, at
// most twice the largest control A, are added in 2 operations and divided by 3 in 2 more, and the
// server's control is rounded once: at most 10 A 2^-24 in each of 7 rounds, and 3 for the mean
// here.
TEST_F(ScaffoldTest, TheServersControlIsTheMean) {
  double largest = 0;
  const auto round_of = [&](const std::vector<std::size_t>& take_part,
                            const LocalTraining& options) {
    Round(take_part, options, true);
    for (const Numbers& own : own_) {
      for (const float number : own) largest = std::max(largest, std::abs(double(number)));
    }
  };
  const auto expect_mean = [&] {
    for (std::size_t i = 0; i < server_.size(); ++i) {
      EXPECT_NEAR(double(server_[i]), double((own_[0][i] + own_[1][i] + own_[2][i]) / 3),
                  73 * 0x1p-24 * largest)
          << i;
    }
  };
  const LocalTraining options{.rate = 0.3, .batch = 5, .steps = 4};
  for (int round = 0; round < 5; ++round) round_of({0, 1, 2}, options);
  expect_mean();
  EXPECT_GT(*std::max_element(server_.begin(), server_.end()), 1e-3F);
  // Where not all take part, the server's control moves by the share of those that do.
  round_of({1}, options);
  round_of({2, 0}, options);
  expect_mean();
}

// FedAvg settles where the drifts cancel, SCAFFOLD where the gradients do.
TEST_F(ScaffoldTest, SettlesAtTheOptimum) {
  const LocalTraining options{.rate = 0.3, .batch = 0, .steps = 10};
  const Numbers start = parameters_;
  for (int round = 0; round < 300; ++round) Round({0, 1, 2}, options, false);
  const double drifted = GradientNorm();
  parameters_ = start;
  server_.assign(server_.size(), 0);
  own_.assign(3, server_);
  for (int round = 0; round < 300; ++round) Round({0, 1, 2}, options, true);
  EXPECT_LT(GradientNorm(), 0.1 * drifted);
}

TEST(ControlVariatesDeathTest, BrokenContracts) {
  Numbers two(2), three(3), own(3), change(3);
  EXPECT_DEATH(ControlCorrection(two, three, change), "broken contract");
  EXPECT_DEATH(UpdateControl(three, three, two, 1, 0.1, own, change), "broken contract");
  EXPECT_DEATH(UpdateControl(three, three, three, 1, 0, own, change), "broken contract");
  EXPECT_DEATH(UpdateServerControl(two, 1, own), "broken contract");
  EXPECT_DEATH(UpdateServerControl(three, 0, own), "broken contract");
}

}  // namespace
}  // namespace airlot::learning
