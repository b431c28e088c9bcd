#include "learning/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "learning/micro_batch.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

// A Panel is a panel of samples, and what comes out.
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

// Samples are a micro-batch, one after the other: so many are whole panels on every target.
struct Samples {
  std::size_t classes;
  std::vector<std::uint8_t> labels;
  Floats weights, logits;  // logits are [sample][class]
};

// DrawSamples draws the same numbers whatever the width of a panel.
Samples DrawSamples(std::size_t classes, double range, base::RandomStream& stream) {
  Samples samples{classes, std::vector<std::uint8_t>(kMicroBatch), Floats(kMicroBatch),
                  Floats(classes * kMicroBatch)};
  for (float& logit : samples.logits) logit = float(stream.Uniform(-range, range));
  for (auto& label : samples.labels) label = std::uint8_t(stream.Below(classes));
  for (float& weight : samples.weights) weight = float(stream.LogUniform(1e-6, 10));
  return samples;
}

// Returns the panel that begins with sample `first`.
Panel PanelFrom(const Samples& samples, std::size_t first) {
  Panel panel = PanelOf(samples.classes);
  const std::size_t width = PanelWidth();
  for (std::size_t s = 0; s < width; ++s) {
    panel.labels[s] = samples.labels[first + s];
    panel.weights[s] = samples.weights[first + s];
    for (std::size_t k = 0; k < samples.classes; ++k) {
      panel.logits[k * width + s] = samples.logits[(first + s) * samples.classes + k];
    }
  }
  return panel;
}

// Errors holds the largest errors so far, as shares of (L2) and (L3).
struct Errors {
  double loss = 0, gradient = 0;
};

constexpr long double kEpsilon = 0x1p-24L;

// Returns the bound (L2).
long double MostLossError(std::size_t classes, long double loss) {
  const long double k = classes;
  return kEpsilon * (k + 3 + std::log(k) + 10 * loss);
}

// Returns the bound (L3) for the weight 1 and a softmax whose logit is `below` the largest.
long double MostGradientError(std::size_t classes, long double softmax, long double below,
                              bool is_label) {
  const long double k = classes;
  return kEpsilon * (softmax * (k + 8 + std::log(k) + below) + std::abs(softmax - is_label));
}

// Measure computes the errors by the definition, in extended precision.
void Measure(const Panel& panel, Errors& errors) {
  const std::size_t samples = panel.labels.size();
  for (std::size_t s = 0; s < samples; ++s) {
    const auto logit = [&](std::size_t k) -> long double { return panel.logits[k * samples + s]; };
    long double largest = logit(0), sum = 0;
    for (std::size_t k = 0; k < panel.classes; ++k) largest = std::max(largest, logit(k));
    for (std::size_t k = 0; k < panel.classes; ++k) sum += std::exp(logit(k) - largest);
    const std::size_t label = panel.labels[s];
    const long double loss = std::log(sum) + largest - logit(label);
    const long double loss_share =
        std::abs(panel.losses[s] - loss) / MostLossError(panel.classes, loss);
    ASSERT_LE(loss_share, 1) << loss;
    errors.loss = std::max(errors.loss, double(loss_share));
    const long double weight = panel.weights[s];
    for (std::size_t k = 0; k < panel.classes; ++k) {
      const long double below = largest - logit(k), softmax = std::exp(-below) / sum;
      const long double expected = weight * (softmax - (k == label ? 1 : 0));
      const long double most =
          weight * MostGradientError(panel.classes, softmax, below, k == label) +
          0x1p-148L * (1 + weight);
      const long double share = std::abs(panel.gradient[k * samples + s] - expected) / most;
      ASSERT_LE(share, 1) << expected;
      errors.gradient = std::max(errors.gradient, double(share));
    }
  }
}

// The results are within (L2) and (L3), and the rounding of ln 3.
TEST(Softmax, WorkedByHand) {
  OnEveryTarget([] {
    Panel panel = PanelOf(2);
    for (std::size_t s = 0; s < panel.labels.size(); ++s) {
      panel.logits[s] = std::log(3.0F);  // class 0 is 3 to 1
      panel.labels[s] = std::uint8_t(s % 2);
      panel.weights[s] = s % 2 == 0 ? 1 : 8;
    }
    Compute(panel);
    for (std::size_t s = 0; s < panel.labels.size(); ++s) {
      const bool even = s % 2 == 0;
      const double weight = panel.weights[s];
      EXPECT_NEAR(double(panel.losses[s]), even ? std::log(4.0 / 3) : std::log(4.0), 2e-6);
      EXPECT_NEAR(double(panel.gradient[s]), even ? -0.25 : 6, 1e-6 * weight);
      EXPECT_NEAR(double(panel.gradient[panel.labels.size() + s]), even ? 0.25 : -6, 1e-6 * weight);
    }
  });
}

// Each error is within (L2) or (L3), which hold on every target; and these bounds are not idle:
// some loss comes within a factor of 8 of its bound, and some gradient within a factor of 2.
TEST(Softmax, LargestError) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(30);
    for (const std::size_t classes : {2, 3, 10, 37}) {
      SCOPED_TRACE(classes);
      Errors errors;
      for (const double range : {0.01, 1.0, 10.0, 80.0, 1e4}) {
        for (int repetition = 0; repetition < 20; ++repetition) {
          const Samples samples = DrawSamples(classes, range, stream);
          for (std::size_t first = 0; first < kMicroBatch; first += PanelWidth()) {
            Panel panel = PanelFrom(samples, first);
            Compute(panel);
            Measure(panel, errors);
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      }
      EXPECT_GT(errors.loss, 1.0 / 8) << "the stated error could be smaller";
      EXPECT_GT(errors.gradient, 1.0 / 2) << "the stated error could be smaller";
    }
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
        EXPECT_NEAR(double(panel.gradient[2 * samples + s]), 0, 1e-30);  // e^-80 is 2e-35
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
        // A class that cannot be does no harm to another label.
        if (wrong == -infinity && label != 0) continue;
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
