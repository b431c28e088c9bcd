#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "airlot/training.h"
#include "base/team_for_tests.h"
#include "learning/models_for_tests.h"
#include "learning/product.h"
#include "learning/reference_network_for_tests.h"
#include "learning/rounded_network_for_tests.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

using Numbers = std::vector<float>;
using Samples = std::vector<std::uint32_t>;

constexpr ImageShape kShape{8, 7, 3};

const Model& SmallModel() {
  static const Model model{"small",
                           learning::Hidden({learning::Pooled{3, 3, 2}, learning::Units{5}}), ""};
  return model;
}

// A third of the images each is with a margin, without one, and almost empty.
const Images& SomeImages() {
  static const Images images = [] {
    base::RandomStream stream = TestStream(50);
    Images all = DrawImages(300, kShape, {2, 1, 4, 5}, stream);
    for (const Box& box : {Box{0, 0, 8, 7}, Box{7, 0, 1, 2}}) {
      const Images more = DrawImages(300, kShape, box, stream);
      all.pixels.insert(all.pixels.end(), more.pixels.begin(), more.pixels.end());
      all.labels.insert(all.labels.end(), more.labels.begin(), more.labels.end());
    }
    return all;
  }();
  return images;
}

const Numbers& Parameters() {
  static const Numbers parameters = InitialParameters(SmallModel(), kShape, 1);
  return parameters;
}

Trainer NewTrainer(int threads = 1, Team* team = nullptr) {
  return {SmallModel(), SomeImages(), threads, team};
}

Samples Range(std::uint32_t first, std::size_t count) {
  Samples samples(count);
  std::iota(samples.begin(), samples.end(), first);
  return samples;
}

struct LossAndGradient {
  double loss;
  Numbers gradient;
};

// BytesOf lets tests ask for equal bytes, not only equal numbers.
std::string BytesOf(std::span<const float> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}
std::string BytesOf(double number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}
std::string BytesOf(const PartLoss& loss) { return BytesOf(loss.mean) + BytesOf(loss.mean_square); }
std::string BytesOf(const LossAndGradient& result) {
  return BytesOf(result.loss) + BytesOf(result.gradient);
}

LossAndGradient GradientOf(Trainer& trainer, std::span<const WeightedSamples> parts) {
  LossAndGradient result{0, Numbers(trainer.ParameterCount(), std::nanf(""))};
  result.loss = trainer.Gradient(Parameters(), parts, result.gradient);
  return result;
}

LossAndGradient GradientOf(Trainer& trainer, const Samples& samples) {
  const WeightedSamples part{samples, 1};
  return GradientOf(trainer, {&part, 1});
}

// Two ways to compute the gradient and the loss of these parts agree: each is off by at most what
// rounded_network_for_tests.h says, for its own parts or for these, which is no less. A gradient
// that is wrong is off by more than 1/100 of its norm.
void ExpectSame(const LossAndGradient& got, double loss, const std::vector<double>& gradient,
                std::span<const WeightedSamples> parts) {
  const auto rounded =
      RoundedNetwork(SmallModel(), kShape).Gradient(Parameters(), SomeImages(), parts);
  ASSERT_EQ(got.gradient.size(), gradient.size());
  const double norm =
      std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double most = 2 * rounded.gradient[i].error;
    ASSERT_NEAR(double(got.gradient[i]), gradient[i], most) << i;
    ASSERT_LT(most, 0.01 * norm) << i;
  }
  EXPECT_NEAR(got.loss, loss, 2 * rounded.loss.error);
  EXPECT_LT(rounded.loss.error, 1e-4);
}

// Returns how far the loss of one image may be off.
double LossError(std::size_t i) {
  static const RoundedNetwork network(SmallModel(), kShape);
  return network.Loss(Parameters(), SomeImages().Image(i), SomeImages().labels[i]).error;
}

TEST(Trainer, ParameterCount) {
  EXPECT_EQ(NewTrainer().ParameterCount(), ParameterCount(SmallModel(), kShape));
}

// The gradient of panels, micro-batches and shards, whole and not, is always the mean of the
// samples on their own. The order mixes images of all kinds.
void ExpectMeans(Trainer& trainer) {
  Samples all;
  std::vector<double> sum(trainer.ParameterCount());
  double loss = 0;
  for (std::uint32_t i = 0; i < 700; ++i) {
    all.push_back(i * 301 % 900);
    const LossAndGradient one = GradientOf(trainer, {all.back()});
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += double(one.gradient[p]);
    loss += one.loss;
    for (const std::size_t size : {1, 2, 15, 16, 17, 63, 64, 65, 319, 320, 321, 700}) {
      if (all.size() != size) continue;
      SCOPED_TRACE(size);
      const LossAndGradient batch = GradientOf(trainer, all);
      std::vector<double> mean = sum;
      for (double& number : mean) number /= double(size);
      const WeightedSamples part{all, 1};
      ExpectSame(batch, loss / double(size), mean, {&part, 1});
    }
  }
}

TEST(Trainer, EveryBatchSize) {
  OnEveryTarget([] {
    Trainer trainer = NewTrainer();
    ExpectMeans(trainer);
  });
}

// Returns whether the target in use rounds a product that is added: x·x less its rounding is 0 if
// it does.
bool RoundsProducts() {
  const std::size_t width = PanelWidth();
  const float x = 1 + 0x1p-12F, factors[2] = {-1, x};
  Floats b(2 * width, x), difference(width);
  std::fill_n(b.begin(), width, x * x);
  Multiply({.rows = 1,
            .terms = 2,
            .columns = width,
            .s = factors,
            .s_row = 2,
            .b = b.data(),
            .c = InPanels(difference.data(), 1)});
  return difference[0] == 0;
}

// By docs/learning.md, "Rounding", only biases of dense layers depend on the width of the vectors.
// The last ones are sums of 700 numbers whose absolute values sum to at most 1, so (L1) bounds
// them.
TEST(Trainer, VectorsOfAnyWidthRoundAlike) {
  const std::size_t biases = 3, weights = ParameterCount(SmallModel(), kShape) - biases;
  const std::size_t hidden_biases_end = weights - 3 * 5, hidden_biases = hidden_biases_end - 5;
  const Samples samples = Range(100, 700);
  std::map<bool, Numbers> expected;
  OnEveryTarget([&] {
    Trainer trainer = NewTrainer();
    const Numbers gradient = GradientOf(trainer, samples).gradient;
    const Numbers& other = expected.try_emplace(RoundsProducts(), gradient).first->second;
    for (std::size_t i = 0; i < weights; ++i) {
      if (i >= hidden_biases && i < hidden_biases_end) continue;
      ASSERT_EQ(gradient[i], other[i]) << i;
    }
    for (std::size_t i = weights; i < gradient.size(); ++i) {
      EXPECT_NEAR(double(gradient[i]), double(other[i]), 2 * 700 * 0x1p-24) << i;
    }
  });
}

// One pass over all samples is the weighted sum of the devices' gradients.
TEST(Trainer, UnionIsTheWeightedSum) {
  Trainer trainer = NewTrainer();
  const Samples none, one{899}, some = Range(250, 70), many = Range(100, 400);
  const std::vector<WeightedSamples> parts{{some, 0.25}, {none, 3}, {one, -2}, {many, 1.5}};
  std::vector<double> sum(trainer.ParameterCount());
  double loss = 0;
  std::vector<std::size_t> order;
  trainer.GradientOfEach(
      Parameters(), parts,
      [&](std::size_t part, const PartLoss& part_loss, std::span<const float> gradient) {
        order.push_back(part);
        loss += parts[part].weight * part_loss.mean;
        for (std::size_t i = 0; i < sum.size(); ++i) {
          sum[i] += parts[part].weight * double(gradient[i]);
        }
      });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
  const LossAndGradient together = GradientOf(trainer, parts);
  ExpectSame(together, loss, sum, parts);
}

TEST(Trainer, EachGradientIsThatOfItsSamplesAlone) {
  Trainer trainer = NewTrainer(), other = NewTrainer();
  const Samples some = Range(0, 70), more = Range(290, 330);
  const std::vector<WeightedSamples> parts{{some, 0.25}, {more, 7}};
  trainer.GradientOfEach(
      Parameters(), parts,
      [&](std::size_t part, const PartLoss& loss, std::span<const float> gradient) {
        const WeightedSamples alone{part == 0 ? some : more};
        PartLoss own_loss;
        Numbers own(gradient.size());
        other.Gradient(Parameters(), {&alone, 1}, own, {&own_loss, 1});
        EXPECT_TRUE(BytesOf(loss) + BytesOf(gradient) == BytesOf(own_loss) + BytesOf(own));
      });
}

// There are parts of all sizes, some of which share a micro-batch or a shard with others.
TEST(Trainer, LossesOfPartsAreTheMeansOfTheirSamples) {
  Trainer trainer = NewTrainer();
  const Samples none, one{899}, some = Range(250, 70), many = Range(100, 400), twice{3, 3, 800};
  const std::vector<WeightedSamples> parts{{some, 0.25}, {none, 3},  {one, -2},
                                           {many, 1.5},  {twice, 0}, {none, 0}};
  std::vector<PartLoss> losses(parts.size(), PartLoss{-1, -1});
  trainer.Losses(Parameters(), parts, losses);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    // Both losses of a sample may be off.
    double sum = 0, squares = 0, error = 0, square_error = 0;
    for (const std::uint32_t sample : parts[part].samples) {
      const double loss = GradientOf(trainer, {sample}).loss, most = 2 * LossError(sample);
      sum += loss;
      squares += loss * loss;
      error += most;
      square_error += most * (2 * loss + most);
    }
    const double count = std::max(1.0, double(parts[part].samples.size()));
    EXPECT_NEAR(losses[part].mean, sum / count, error / count) << part;
    EXPECT_NEAR(losses[part].mean_square, squares / count, square_error / count) << part;
    EXPECT_LE(error / count, 1e-4);
  }
  EXPECT_EQ(losses[1].mean, 0);
  EXPECT_EQ(losses[1].mean_square, 0);
  trainer.Losses(Parameters(), {}, {});
}

// The losses are the same with and without gradients, together and each part on its own; and the
// gradient does not depend on whether somebody wants to know them.
TEST(Trainer, LossesAreThoseOfTheGradients) {
  OnEveryTarget([] {
    Trainer trainer = NewTrainer();
    const Samples none, some = Range(250, 70), many = Range(100, 400);
    const std::vector<WeightedSamples> parts{{some, 0.25}, {none, 3}, {many, 1.5}};
    std::vector<PartLoss> alone(3), together(3, PartLoss{-1, -1});
    trainer.Losses(Parameters(), parts, alone);
    LossAndGradient result{0, Numbers(trainer.ParameterCount(), std::nanf(""))};
    result.loss = trainer.Gradient(Parameters(), parts, result.gradient, together);
    EXPECT_TRUE(BytesOf(result) == BytesOf(GradientOf(trainer, parts)));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(BytesOf(alone[i]), BytesOf(together[i])) << i;
    trainer.GradientOfEach(Parameters(), parts,
                           [&](std::size_t part, const PartLoss& loss, std::span<const float>) {
                             EXPECT_EQ(loss.mean, alone[part].mean);
                             EXPECT_EQ(loss.mean_square, alone[part].mean_square);
                           });
  });
}

TEST(Trainer, EmptyPartsAddNothing) {
  Trainer trainer = NewTrainer();
  const Samples none, some = Range(10, 30);
  const std::vector<WeightedSamples> parts{{none, 1}, {some, 1}, {none, 0}};
  EXPECT_EQ(BytesOf(GradientOf(trainer, parts)), BytesOf(GradientOf(trainer, some)));
  const LossAndGradient nothing = GradientOf(trainer, std::span(parts).first(1));
  EXPECT_EQ(nothing.loss, 0);
  EXPECT_EQ(nothing.gradient, Numbers(trainer.ParameterCount(), 0.0F));
  EXPECT_EQ(GradientOf(trainer, std::span<const WeightedSamples>()).gradient, nothing.gradient);
}

// Returns all results, one after another.
std::string EverythingWith(int threads, Team* team = nullptr) {
  Trainer trainer = NewTrainer(threads, team);
  const Samples some = Range(250, 65), one{7}, many = Range(100, 700), none;
  const std::vector<WeightedSamples> parts{{some, 0.25}, {one, 2}, {none, 1}, {many, 1.5}};
  std::string all = BytesOf(GradientOf(trainer, parts));
  trainer.GradientOfEach(Parameters(), parts,
                         [&](std::size_t, const PartLoss& loss, std::span<const float> gradient) {
                           all += BytesOf(loss) + BytesOf(gradient);
                         });
  std::vector<PartLoss> losses(parts.size());
  trainer.Losses(Parameters(), parts, losses);
  for (const PartLoss& loss : losses) all += BytesOf(loss);
  Numbers gradient(trainer.ParameterCount());
  trainer.Gradient(Parameters(), parts, gradient, losses);
  for (const PartLoss& loss : losses) all += BytesOf(loss);
  const Evaluation evaluation = trainer.Evaluate(Parameters(), SomeImages());
  all += BytesOf(evaluation.loss) + BytesOf(evaluation.accuracy);
  for (const double accuracy : evaluation.class_accuracy) all += BytesOf(accuracy);
  Numbers trained = Parameters();
  const Numbers correction(trained.size(), 0.01F);
  all += BytesOf(trainer.TrainLocally(trained, many, {.batch = 500, .steps = 2}, 1, 2, 3));
  all += BytesOf(trainer.TrainLocally(
      trained, many, {.batch = 500, .epochs = 1, .proximal = 0.1, .correction = correction}, 1, 2,
      3, losses.data()));
  all += BytesOf(losses[0]);
  return all + BytesOf(trained);
}

TEST(Trainer, SameBytesWithAnyNumberOfThreads) {
  const std::string one = EverythingWith(1);
  for (const int threads : {2, 3, 5, 8}) EXPECT_TRUE(EverythingWith(threads) == one) << threads;
}

TEST(Trainer, SameBytesInEveryMemberOfAnyTeam) {
  const std::string one = EverythingWith(1);
  for (const std::size_t members : {1, 2, 3, 4, 7}) {
    for (const int threads : {1, 2}) {
      base::ForEachMember(members, [&](Team& team) {
        EXPECT_TRUE(EverythingWith(threads, &team) == one) << team.rank() << " of " << members;
      });
    }
  }
}

// A team sends each other the gradients of a part of the shards at a time, where there are many.
TEST(Trainer, SameGradientOfManyShardsInAnyTeam) {
  std::vector<Samples> devices;
  std::vector<WeightedSamples> parts;
  for (std::uint32_t i = 0; i < 80; ++i) devices.push_back(Range(10 * (i % 20), 640));
  for (const Samples& device : devices) parts.push_back({device, 0.1 * double(parts.size() % 7)});
  Trainer alone = NewTrainer();
  const std::string one = BytesOf(GradientOf(alone, parts));
  for (const std::size_t members : {2, 3}) {
    base::ForEachMember(members, [&](Team& team) {
      Trainer trainer = NewTrainer(1, &team);
      EXPECT_TRUE(BytesOf(GradientOf(trainer, parts)) == one) << team.rank() << " of " << members;
    });
  }
}

// A round of several devices is cut into shards by its number of samples alone, so every number of
// micro-batches, whole or not, has the same gradient with any number of threads.
TEST(Trainer, SameGradientOfAFewDevicesWithAnyNumberOfThreads) {
  std::vector<Trainer> trainers;
  for (const int threads : {1, 2, 3, 8}) trainers.push_back(NewTrainer(threads));
  for (const std::size_t samples : {2, 31, 32, 33, 64, 65, 96, 128, 320, 321, 640, 641, 700}) {
    const Samples some = Range(0, samples / 2), others = Range(samples / 2, samples - samples / 2);
    const std::vector<WeightedSamples> parts{{some, 0.25}, {others, 2}};
    const std::string one = BytesOf(GradientOf(trainers[0], parts));
    for (std::size_t i = 1; i < trainers.size(); ++i) {
      EXPECT_TRUE(BytesOf(GradientOf(trainers[i], parts)) == one) << samples << " " << i;
    }
  }
}

// Calls with other crops and batch sizes leave nothing behind.
TEST(Trainer, SameBytesWhateverWasBefore) {
  const std::vector<Samples> calls{Range(0, 40),  Range(300, 64), Range(0, 40), Range(600, 3),
                                   Range(300, 1), Range(600, 30), Range(0, 17), Range(290, 320)};
  for (const Model& model :
       {SmallModel(), Model{"flat", learning::Hidden({learning::Units{5}}), ""},
        Model{"two", learning::Hidden({learning::Pooled{2, 3, 2}, learning::Pooled{3, 5, 1}}),
              ""}}) {
    const Numbers parameters = InitialParameters(model, kShape, 1);
    const auto bytes_of = [&](Trainer& trainer, const Samples& samples) {
      Numbers gradient(parameters.size());
      const WeightedSamples part{samples, 1};
      const double loss = trainer.Gradient(parameters, {&part, 1}, gradient);
      return BytesOf(loss) + BytesOf(gradient);
    };
    Trainer trainer(model, SomeImages());
    for (const Samples& samples : calls) {
      Trainer fresh(model, SomeImages());
      EXPECT_TRUE(bytes_of(trainer, samples) == bytes_of(fresh, samples)) << samples.front();
      if (samples.size() == 3) trainer.Evaluate(parameters, SomeImages());
    }
  }
}

// A NaN anywhere shows in the loss, whatever the ReLU and the pooling behind it.
TEST(Trainer, DivergenceShows) {
  OnEveryTarget([] {
    Trainer trainer = NewTrainer();
    const Samples samples = Range(300, 20);
    const WeightedSamples part{samples, 1};
    Numbers gradient(trainer.ParameterCount());
    // The layers have 30 = 3 (9 + 1) and 185 = 5 (36 + 1) parameters.
    const std::size_t convolution_end = 30, hidden_end = convolution_end + 185;
    for (const std::size_t i : {std::size_t{4}, convolution_end - 1, convolution_end,
                                hidden_end - 1, hidden_end, gradient.size() - 1}) {
      Numbers parameters = Parameters();
      parameters[i] = std::nanf("");
      EXPECT_TRUE(std::isnan(trainer.Gradient(parameters, {&part, 1}, gradient))) << i;
      EXPECT_TRUE(std::isnan(trainer.Evaluate(parameters, SomeImages()).loss)) << i;
    }
  });
}

// An evaluation has the reference network's largest output and mean loss. No image has two outputs
// so close that rounding could choose between them.
TEST(Trainer, Evaluate) {
  const Images& images = SomeImages();
  const ReferenceNetwork network(SmallModel(), kShape);
  const RoundedNetwork rounded(SmallModel(), kShape);
  const std::vector<double> parameters(Parameters().begin(), Parameters().end());
  std::vector<double> right(3), count(3);
  double loss = 0, error = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::vector<double> logits = network.Logits(parameters, images.Image(i));
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    ++count[images.labels[i]];
    if (best == images.labels[i]) ++right[images.labels[i]];
    loss += ReferenceNetwork::LossOf(logits, images.labels[i]);
    error += LossError(i);
    const std::vector<Bounded> bounded = rounded.Logits(Parameters(), images.Image(i));
    const double least = logits[std::size_t(best)] - bounded[std::size_t(best)].error;
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::ptrdiff_t(k) != best) {
        ASSERT_LT(logits[k] + bounded[k].error, least) << i;
      }
    }
  }
  const Evaluation evaluation = NewTrainer().Evaluate(Parameters(), images);
  EXPECT_NEAR(evaluation.loss, loss / 900, error / 900);
  EXPECT_LT(error / 900, 1e-4);
  EXPECT_EQ(evaluation.accuracy, (right[0] + right[1] + right[2]) / 900);
  ASSERT_EQ(evaluation.class_accuracy.size(), 3);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(evaluation.class_accuracy[k], right[k] / count[k]);
  }
}

TEST(Trainer, EvaluateOtherImagesWithoutOneClass) {
  base::RandomStream stream = TestStream(51);
  Images images = DrawImages(5, kShape, {0, 0, 8, 7}, stream);
  images.labels = {0, 2, 0, 2, 2};
  Numbers parameters = Parameters();
  parameters[parameters.size() - 1] = 100;  // class 2 always wins
  const Evaluation evaluation = NewTrainer().Evaluate(parameters, images);
  EXPECT_EQ(evaluation.accuracy, 0.6);
  EXPECT_EQ(evaluation.class_accuracy[0], 0);
  EXPECT_TRUE(std::isnan(evaluation.class_accuracy[1]));
  EXPECT_EQ(evaluation.class_accuracy[2], 1);
}

TEST(TrainerDeathTest, BrokenContracts) {
  Trainer trainer = NewTrainer();
  base::RandomStream stream = TestStream(52);
  const Images other = DrawImages(1, {7, 8, 3}, {0, 0, 7, 8}, stream);
  Numbers few(3), gradient(trainer.ParameterCount());
  EXPECT_DEATH(trainer.Evaluate(Parameters(), other), "broken contract");
  EXPECT_DEATH(trainer.Evaluate(Parameters(), {8, 7, 3, {}, {}}), "broken contract");
  EXPECT_DEATH(trainer.Evaluate(few, SomeImages()), "broken contract");
  EXPECT_DEATH(trainer.Gradient(few, {}, gradient), "broken contract");
  EXPECT_DEATH(trainer.Gradient(Parameters(), {}, few), "broken contract");
  std::vector<PartLoss> losses(2);
  EXPECT_DEATH(trainer.Gradient(Parameters(), {}, gradient, losses), "broken contract");
  EXPECT_DEATH(trainer.Losses(Parameters(), {}, losses), "broken contract");
  EXPECT_DEATH(trainer.Losses(few, {}, {}), "broken contract");
  EXPECT_DEATH(NewTrainer(0), "broken contract");
  EXPECT_DEATH(Trainer({"bad", learning::Hidden({learning::Units{0}}), ""}, SomeImages()),
               "broken contract");
}

}  // namespace
}  // namespace airlot::learning
