#include "learning/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

// A panel of samples, and what comes out.
struct Panel {
  std::size_t classes;
  std::vector<std::uint8_t> labels;
  Floats weights, logits, gradient, losses;
};

Panel PanelOf(std::size_t classes) {
  const std::size_t samples = PanelWidth();
  return {classes,
          std::vector<std::uint8_t>(samples),
          Floats(samples, 1.0F),
          Floats(classes * samples, 0.0F),
          {},
          Floats(samples)};
}

void Compute(Panel& panel) {
  panel.gradient = panel.logits;
  SoftmaxGradient(panel.classes, panel.labels.data(), panel.weights.data(), panel.gradient.data(),
                  panel.losses.data());
}

// The largest errors so far: of a loss relative to 1 + loss, of a gradient to the weight.
struct Errors {
  double loss = 0, gradient = 0;
};

// By the definition, in extended precision.
void Measure(const Panel& panel, Errors& errors) {
  const std::size_t samples = panel.labels.size();
  for (std::size_t s = 0; s < samples; ++s) {
    const auto logit = [&](std::size_t k) -> long double { return panel.logits[k * samples + s]; };
    long double largest = logit(0), sum = 0;
    for (std::size_t k = 0; k < panel.classes; ++k) largest = std::max(largest, logit(k));
    for (std::size_t k = 0; k < panel.classes; ++k) sum += std::exp(logit(k) - largest);
    const std::size_t label = panel.labels[s];
    const long double loss = std::log(sum) + largest - logit(label);
    ASSERT_TRUE(std::isfinite(panel.losses[s])) << loss;
    errors.loss = std::max(errors.loss, double(std::abs(panel.losses[s] - loss) / (1 + loss)));
    for (std::size_t k = 0; k < panel.classes; ++k) {
      const long double softmax = std::exp(logit(k) - largest) / sum;
      const long double expected = panel.weights[s] * (softmax - (k == label ? 1 : 0));
      const float gradient = panel.gradient[k * samples + s];
      ASSERT_TRUE(std::isfinite(gradient)) << expected;
      errors.gradient = std::max(
          errors.gradient, double(std::abs(gradient - expected) / std::abs(panel.weights[s])));
    }
  }
}

TEST(Softmax, WorkedByHand) {
  OnEveryTarget([] {
    Panel panel = PanelOf(2);
    for (std::size_t s = 0; s < panel.labels.size(); ++s) {
      panel.logits[s] = std::log(3.0F);  // of class 0: 3 to 1
      panel.labels[s] = std::uint8_t(s % 2);
      panel.weights[s] = s % 2 == 0 ? 1 : 8;
    }
    Compute(panel);
    for (std::size_t s = 0; s < panel.labels.size(); ++s) {
      const bool even = s % 2 == 0;
      EXPECT_NEAR(double(panel.losses[s]), even ? std::log(4.0 / 3) : std::log(4.0), 1e-6);
      EXPECT_NEAR(double(panel.gradient[s]), even ? -0.25 : 6, 1e-6);
      EXPECT_NEAR(double(panel.gradient[panel.labels.size() + s]), even ? 0.25 : -6, 1e-6);
    }
  });
}

// The errors that softmax.h states.
TEST(Softmax, LargestError) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(30);
    Errors errors;
    for (const std::size_t classes : {2, 3, 10, 37}) {
      for (const double range : {0.01, 1.0, 10.0, 80.0, 1e4}) {
        for (int repetition = 0; repetition < 40; ++repetition) {
          Panel panel = PanelOf(classes);
          for (float& logit : panel.logits) logit = float(stream.Uniform(-range, range));
          for (auto& label : panel.labels) label = std::uint8_t(stream.Below(classes));
          for (float& weight : panel.weights) weight = float(stream.LogUniform(1e-6, 10));
          Compute(panel);
          Measure(panel, errors);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
    EXPECT_LE(errors.loss, 2e-7);
    EXPECT_LE(errors.gradient, 3e-7);
    EXPECT_GT(errors.loss, 2e-8) << "the stated error could be smaller";
    EXPECT_GT(errors.gradient, 3e-8) << "the stated error could be smaller";
  });
}

TEST(Softmax, HugeLogits) {
  OnEveryTarget([] {
    for (const float huge : {80.0F, 104.0F, 1e4F, 1e30F}) {
      Panel panel = PanelOf(3);
      const std::size_t samples = panel.labels.size();
      for (std::size_t s = 0; s < samples; ++s) {
        panel.labels[s] = std::uint8_t(s % 2);
        panel.logits[s] = huge;
        panel.logits[samples + s] = -huge;
      }
      Compute(panel);
      for (std::size_t s = 0; s < samples; ++s) {
        const bool right = s % 2 == 0;
        EXPECT_EQ(panel.losses[s], right ? 0 : 2 * huge);
        EXPECT_EQ(panel.gradient[s], right ? 0 : 1);
        EXPECT_EQ(panel.gradient[samples + s], right ? 0 : -1);
        EXPECT_NEAR(double(panel.gradient[2 * samples + s]), 0, 1e-30);
      }
    }
  });
}

// A training that has diverged must not look as if it had not.
TEST(Softmax, LossIsNotFiniteWhereALogitIsNot) {
  OnEveryTarget([] {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float wrong : {infinity, -infinity, std::nanf("")}) {
      for (const std::uint8_t label : {0, 2}) {
        if (wrong == -infinity && label != 0) continue;  // a class that cannot be
        Panel panel = PanelOf(3);
        std::fill(panel.labels.begin(), panel.labels.end(), label);
        for (std::size_t s = 0; s < panel.labels.size(); ++s) panel.logits[s] = wrong;
        Compute(panel);
        for (const float loss : panel.losses) EXPECT_FALSE(std::isfinite(loss)) << wrong << label;
      }
    }
  });
}

TEST(Softmax, WithoutWeightNothingPassesBack) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(31);
    Panel panel = PanelOf(5);
    panel.logits = Quarters(panel.logits.size(), stream);
    std::fill(panel.weights.begin(), panel.weights.end(), 0.0F);
    Compute(panel);
    for (const float number : panel.gradient) EXPECT_EQ(number, 0);
  });
}

}  // namespace
}  // namespace airlot::learning
