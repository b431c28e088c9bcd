// These tests find by another route what a round of each training rule and each compression does to
// the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "airlot/compression.h"
#include "airlot/simulation.h"
#include "airlot/training.h"
#include "learning/control_variates.h"
#include "simulation/settings_for_tests.h"
#include "simulation/state_parts.h"
#include "simulation/update_steps.h"

namespace airlot {
namespace {

using Devices = std::vector<std::uint32_t>;
using Parameters = std::vector<float>;

std::shared_ptr<const Dataset> Digits() {
  static const auto digits = simulation::DigitsOf(300, 20);
  return digits;
}

Scenario SmallScenario() {
  // Two rounds, so that what is remembered counts.
  Scenario scenario = simulation::DigitsScenario(5, 2, 2);
  scenario.learning.batch = 8;
  scenario.learning.rate = 0.2;
  scenario.strategy.At("uniform", "devices") = 3;
  return scenario;
}

Setting MakeSetting(const Scenario& scenario) { return simulation::SettingOf(scenario, Digits()); }

// These are the numbers that docs/learning.md gives for the rules.
struct Expected {
  std::string_view rule;
  double rate = 1, momentum = 0, beta1 = 0, beta2 = 0, tau = 0, proximal = 0;
};
const Expected kExpected[] = {
    {.rule = "fedavg"},
    {.rule = "fedprox", .proximal = 0.1},
    {.rule = "scaffold"},
    {.rule = "fedavgm", .momentum = 0.9},
    {.rule = "fedadam", .rate = 0.01, .beta1 = 0.9, .beta2 = 0.99, .tau = 1e-9},
    {.rule = "fedyogi", .rate = 0.01, .beta1 = 0.9, .beta2 = 0.99, .tau = 1e-3},
    {.rule = "fedadagrad", .rate = 0.01, .tau = 1e-9},
};

// ServerByHand makes the server's step as docs/learning.md has it, from what the devices send:
// their way, or gradients that they would have walked along at `local_rate`. It computes in single
// precision from the left, as the rules do, and so rounds as they do.
class ServerByHand {
 public:
  ServerByHand(const Expected& expected, double local_rate, std::size_t size)
      : expected_(expected), local_rate_(local_rate), m_(size), v_(size) {}

  void Step(const Parameters& gradient, Parameters& parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= expected_.tau > 0 ? Adapted(i, float(local_rate_) * gradient[i])
                                         : Descended(i, gradient[i]);
    }
  }

 private:
  float Descended(std::size_t i, float g) {
    m_[i] = float(expected_.momentum) * m_[i] + g;
    return float(expected_.rate * local_rate_) * m_[i];
  }
  float Adapted(std::size_t i, float g) {
    const double beta1 = expected_.beta1, beta2 = expected_.beta2;
    const float square = g * g;
    m_[i] = float(beta1) * m_[i] + float(1 - beta1) * g;
    if (expected_.rule == "fedadam") v_[i] = float(beta2) * v_[i] + float(1 - beta2) * square;
    if (expected_.rule == "fedadagrad") v_[i] += square;
    if (expected_.rule == "fedyogi") {
      if (v_[i] > square)
        v_[i] -= float(1 - beta2) * square;
      else if (v_[i] < square)
        v_[i] += float(1 - beta2) * square;
    }
    return float(expected_.rate) * m_[i] / (std::sqrt(v_[i]) + float(expected_.tau));
  }

  const Expected& expected_;
  double local_rate_;
  Parameters m_, v_;
};

// ByHand is a run as a textbook has it, made from parts that have tests of their own.
class ByHand {
 public:
  ByHand(const Setting& setting, const Expected& expected)
      : setting_(setting),
        rules_(setting.scenario.learning),
        expected_(expected),
        trainer_(*FindModel("mlp"), setting.dataset->train),
        model_(StartOf(setting).parameters),
        sends_models_(rules_.local_steps > 1 || expected.rule == "scaffold"),
        server_(expected, sends_models_ ? 1 : rules_.rate, model_.size()),
        control_(model_.size()),
        own_(setting.fleet.devices, Parameters(model_.size())) {}

  Parameters Run() {
    for (std::uint64_t round = 1; round <= setting_.scenario.rounds; ++round) {
      const Devices devices = DevicesOf(round);
      double sum = 0;
      for (const std::uint32_t device : devices) sum += setting_.data_share[device];
      std::vector<double> weights;
      for (const std::uint32_t device : devices) {
        weights.push_back(setting_.data_share[device] / sum);
      }
      server_.Step(
          sends_models_ ? OfModels(round, devices, weights) : OfGradients(round, devices, weights),
          model_);
    }
    return model_;
  }

 private:
  Devices DevicesOf(std::uint64_t round) const {
    Selection selection;
    MakeStrategy("uniform", setting_.scenario.strategy)
        ->Select({.seed = setting_.seed,
                  .round = round,
                  .probability = setting_.plan.probability,
                  .data_share = setting_.data_share},
                 selection);
    return selection.devices;
  }

  // Each device makes one step, so its gradient says it all.
  Parameters OfGradients(std::uint64_t round, const Devices& devices,
                         const std::vector<double>& weights) {
    std::vector<std::vector<std::uint32_t>> batches;
    std::vector<WeightedSamples> parts;
    for (const std::uint32_t device : devices) {
      batches.push_back(DrawBatch(setting_.partition.SamplesOf(device), rules_.batch, setting_.seed,
                                  round, device));
    }
    for (std::size_t i = 0; i < devices.size(); ++i) parts.push_back({batches[i], weights[i]});
    Parameters gradient(model_.size());
    trainer_.Gradient(model_, parts, gradient);
    return gradient;
  }

  Parameters OfModels(std::uint64_t round, const Devices& devices,
                      const std::vector<double>& weights) {
    const bool is_scaffold = expected_.rule == "scaffold";
    Parameters sum(model_.size()), changes(model_.size()), change(model_.size());
    Parameters correction(model_.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto samples = setting_.partition.SamplesOf(devices[i]);
      Parameters& own = own_[devices[i]];
      LocalTraining training{.rate = rules_.rate,
                             .batch = rules_.batch,
                             .steps = rules_.local_steps,
                             .proximal = expected_.proximal};
      learning::ControlCorrection(control_, own, correction);
      if (is_scaffold) training.correction = correction;
      Parameters local = model_;
      trainer_.TrainLocally(local, samples, training, setting_.seed, round, devices[i]);
      for (std::size_t k = 0; k < sum.size(); ++k) {
        sum[k] += float(weights[i]) * (model_[k] - local[k]);
      }
      if (!is_scaffold) continue;
      learning::UpdateControl(control_, model_, local, rules_.local_steps, rules_.rate, own,
                              change);
      for (std::size_t k = 0; k < sum.size(); ++k) changes[k] += change[k];
    }
    if (is_scaffold) learning::UpdateServerControl(changes, setting_.fleet.devices, control_);
    return sum;
  }

  const Setting& setting_;
  const LearningRules& rules_;
  const Expected& expected_;
  Trainer trainer_;
  Parameters model_;
  bool sends_models_;
  ServerByHand server_;
  Parameters control_;
  std::vector<Parameters> own_;
};

Parameters RunOf(const Setting& setting) {
  RunState state = StartOf(setting);
  const auto strategy = MakeStrategy("uniform", setting.scenario.strategy);
  const auto backend = MakeSimulatedBackend(setting);
  EXPECT_EQ(Simulate(setting, *strategy, *backend, {}, state), RunEnd::kOver);
  return state.parameters;
}

// Rounds holds a run's state with what a backend is handed of it.
class Rounds {
 public:
  explicit Rounds(const Setting& setting)
      : state(StartOf(setting)),
        rule_(MakeTrainingRule(setting.scenario.learning, state.parts)),
        steps_(setting, *rule_, state.parts) {}

  TrainingRound At(std::uint64_t round) const {
    return {.round = round, .parameters = state.parameters, .steps = steps_.all()};
  }

  RunState state;

 private:
  std::unique_ptr<TrainingRule> rule_;
  simulation::UpdateSteps steps_;
};

double LargestDifference(const Parameters& a, const Parameters& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double(a[i]) - double(b[i])));
  }
  return largest;
}

TEST(SimulatedBackend, TrainsByEachRule) {
  for (const TrainingRuleEntry& entry : TrainingRules()) {
    const bool is_of_a_test = entry.name == "halving";
    const auto* found = std::ranges::find(kExpected, entry.name, &Expected::rule);
    ASSERT_TRUE(is_of_a_test || found != std::end(kExpected)) << entry.name;
  }
  const Parameters start = StartOf(MakeSetting(SmallScenario())).parameters;
  for (const std::size_t steps : {1U, 3U}) {
    std::vector<Parameters> ends;
    for (const Expected& expected : kExpected) {
      Scenario scenario = SmallScenario();
      scenario.learning.rule = std::string(expected.rule);
      scenario.learning.local_steps = steps;
      const Setting setting = MakeSetting(scenario);
      const Parameters end = RunOf(setting);
      // Both sides make the same operations in the same order, on any target, and no compiler may
      // fuse them (-ffp-contract=off): so they have the same bits. Anything less would not do, as
      // the step of an adaptive rule hardly depends on the size of a gradient: a rounding of a
      // small one is not small in the next round.
      EXPECT_EQ(end, ByHand(setting, expected).Run()) << expected.rule << " " << steps;
      EXPECT_GT(LargestDifference(end, start), 1e-3);
      // One step of FedProx is one of FedAvg (L4); every other rule goes its own way, which is more
      // than a hundred roundings of a parameter, of 6e-9 where it is at most 0.1.
      for (const Parameters& other : ends) {
        if (steps == 1 && expected.rule == "fedprox") {
          EXPECT_EQ(end, other);
        } else {
          EXPECT_GT(LargestDifference(end, other), 1e-6) << expected.rule;
        }
      }
      ends.push_back(end);
    }
  }
}

// The server adds up what it decodes, and what was not sent waits at the device (C1).
TEST(SimulatedBackend, AddsUpDecodedUpdates) {
  for (const CompressionEntry& entry : Compressions()) {
    if (entry.method == Compression::kNone) continue;
    Scenario scenario = SmallScenario();
    scenario.learning.compression.method = entry.method;
    const Setting setting = MakeSetting(scenario);
    const auto backend = MakeSimulatedBackend(setting);
    Trainer trainer(*FindModel("mlp"), setting.dataset->train);
    Rounds rounds(setting);
    RunState& state = rounds.state;
    const Assignment alone{2, 1};
    Parameters sent(state.parameters.size());
    std::vector<float> unsent;
    for (std::uint64_t round = 1; round <= 2; ++round) {
      const auto batch = DrawBatch(setting.partition.SamplesOf(2), 8, setting.seed, round, 2);
      const WeightedSamples part{batch};
      Parameters plain;
      trainer.GradientOfEach(state.parameters, {&part, 1},
                             [&](std::size_t, const PartLoss&, std::span<const float> gradient) {
                               plain.assign(gradient.begin(), gradient.end());
                             });
      Parameters decoded = plain;
      const double bits =
          Compress(scenario.learning.compression, decoded, unsent, setting.seed, round, 2);
      EXPECT_EQ(bits, setting.fleet.update_bits[2]) << entry.name;
      backend->Train({&alone, 1}, rounds.At(round), sent, {});
      EXPECT_EQ(sent, decoded) << entry.name;
      EXPECT_NE(sent, plain) << entry.name;
      const auto* feedback = state.parts.Find<simulation::ErrorFeedback>();
      EXPECT_EQ(!unsent.empty(), entry.has_memory) << entry.name;
      ASSERT_EQ(feedback != nullptr, entry.has_memory) << entry.name;
      if (feedback != nullptr) {
        EXPECT_EQ(feedback->unsent[2], unsent) << entry.name;
      }
    }
  }
}

// An update that is cut to bits keeps its largest numbers, and nothing waits.
TEST(SimulatedBackend, CutsUpdates) {
  const Setting setting = MakeSetting(SmallScenario());
  const auto backend = MakeSimulatedBackend(setting);
  const Rounds rounds(setting);
  const std::size_t size = rounds.state.parameters.size();
  Parameters whole(size), cut(size);
  const Assignment uncut{1, 1}, shortened{1, 1, setting.least_update_bits};
  backend->Train({&uncut, 1}, rounds.At(1), whole, {});
  backend->Train({&shortened, 1}, rounds.At(1), cut, {});
  EXPECT_EQ(std::ranges::count_if(cut, [](float value) { return value != 0; }), 1);
  const auto magnitude = [](float value) { return std::abs(value); };
  EXPECT_EQ(std::abs(std::ranges::max(cut, {}, magnitude)),
            std::abs(std::ranges::max(whole, {}, magnitude)));
  EXPECT_EQ(rounds.state.parts.Find<simulation::ErrorFeedback>(), nullptr);
  const Assignment nothing{1, 1, setting.least_update_bits - 1};
  backend->Train({&nothing, 1}, rounds.At(1), cut, {});
  EXPECT_EQ(std::ranges::count(cut, 0.0F), std::ptrdiff_t(cut.size()));
}

// The norm is that of what is left, which is not looked for number by number.
TEST(SimulatedBackend, NormsOfCutUpdatesAreThoseOfWhatIsLeft) {
  const Setting setting = MakeSetting(SmallScenario());
  const auto backend = MakeSimulatedBackend(setting);
  const Rounds rounds(setting);
  const Devices devices{1, 1, 1, 1, 1};
  const std::vector<double> bits{setting.least_update_bits - 1, setting.least_update_bits, 1e4, 2e6,
                                 std::numeric_limits<double>::infinity()};
  std::vector<double> norms(5);
  backend->UpdateNorms(devices, bits, rounds.At(1), norms);
  EXPECT_EQ(norms[0], 0);
  Parameters left(rounds.state.parameters.size());
  for (std::size_t i = 1; i < 5; ++i) {
    Assignment shortened{1, 1};
    if (!std::isinf(bits[i])) shortened.update_bits = bits[i];
    backend->Train({&shortened, 1}, rounds.At(1), left, {});
    double squares = 0;
    for (const float value : left) squares += double(value) * double(value);
    // Squares of floats are exact in double, and n of them are added up on both sides.
    EXPECT_NEAR(norms[i], std::sqrt(squares), 0x1p-53 * double(left.size() + 2) * norms[i]);
    EXPECT_GT(norms[i], norms[i - 1]);
  }
}

// Questions are not answered with the samples that are then trained on.
TEST(SimulatedBackend, AsksAboutOtherSamplesThanItTrainsOn) {
  const Setting setting = MakeSetting(SmallScenario());
  const auto backend = MakeSimulatedBackend(setting);
  const Rounds rounds(setting);
  const RunState& state = rounds.state;
  const Devices devices{0, 1, 2, 3, 4};
  std::vector<double> told(5);
  std::vector<PartLoss> trained(5);
  backend->Losses(devices, 8, rounds.At(1), told);
  std::vector<Assignment> all;
  for (const std::uint32_t device : devices) all.push_back({device, 0.2});
  Parameters gradient(state.parameters.size());
  backend->Train(all, rounds.At(1), gradient, trained);
  Trainer trainer(*FindModel("mlp"), setting.dataset->train);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto samples = setting.partition.SamplesOf(i);
    ASSERT_GT(samples.size(), 8U);
    const auto batch = DrawBatch(samples, 8, setting.seed, 1, i, BatchUse::kQuestion);
    const WeightedSamples part{batch};
    std::vector<PartLoss> expected(1);
    trainer.Losses(state.parameters, {&part, 1}, expected);
    EXPECT_EQ(told[i], expected[0].mean);
    EXPECT_NE(told[i], trained[i].mean);
  }
}

}  // namespace
}  // namespace airlot
