// The round loop.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "airlot/simulation.h"
#include "airlot/training.h"
#include "simulation/ledger.h"

namespace airlot {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Draws of a round in which nobody takes part, before it is left empty.
constexpr std::uint64_t kMostDraws = 1000;

// Adds the time that it lives to `sum_s`.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s) {}
  ~Stopwatch() {
    sum_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Run {
 public:
  Run(const Setting& setting, Strategy& strategy, Backend& backend,
      std::span<Observer* const> observers, RunState& state, RunTimes& times)
      : setting_(setting),
        strategy_(strategy),
        backend_(backend),
        observers_(observers),
        state_(state),
        times_(times),
        gradient_(state.parameters.size()) {
    const LearningRules& rules = setting.scenario.learning;
    optimizer_ = {.rate = SendsModels(rules) ? 1 : rules.rate,
                  .momentum = rules.momentum,
                  .velocity = std::move(state.velocity)};
  }

  // The plan is the setting's, because the channel does not change from round to round.
  RunEnd Go() {
    if (state_.records.empty() && !Observe(Evaluate(kNone))) return RunEnd::kStopped;
    while (state_.round < setting_.scenario.rounds) {
      ++state_.round;
      Select();
      const double loss = Train();
      Aggregate();
      Account();
      if (!Observe(Evaluate(loss))) return RunEnd::kStopped;
    }
    std::swap(state_.velocity, optimizer_.velocity);
    return RunEnd::kRoundsDone;
  }

 private:
  void Select() {
    SelectionView view{.seed = setting_.seed,
                       .round = state_.round,
                       .probability = setting_.plan.probability,
                       .data_share = setting_.data_share};
    strategy_.Select(view, participants_);
    if (setting_.scenario.round.empty != EmptyRound::kRedraw) return;
    for (view.attempt = 1; participants_.empty() && view.attempt < kMostDraws; ++view.attempt) {
      strategy_.Select(view, participants_);
    }
  }

  // Local training and upload; returns the participants' loss.
  double Train() {
    if (participants_.empty()) return kNone;
    Weigh();
    const Stopwatch stopwatch(times_.gradient_s);
    const double loss = backend_.Train(state_.round, state_.parameters, assignments_, gradient_);
    double sum = 0;
    for (const Assignment& assignment : assignments_) sum += assignment.weight;
    return loss / sum;
  }

  // How much each participant counts. (48)
  void Weigh() {
    shares_.clear();
    probabilities_.clear();
    for (const std::uint32_t device : participants_) {
      shares_.push_back(setting_.data_share[device]);
      probabilities_.push_back(setting_.plan.probability[device]);
    }
    const LearningRules& rules = setting_.scenario.learning;
    const std::vector<double> weights =
        AggregationWeights(rules.aggregation, shares_, probabilities_, rules.least_probability);
    assignments_.clear();
    for (std::size_t i = 0; i < participants_.size(); ++i) {
      assignments_.push_back({participants_[i], weights[i]});
    }
  }

  // The step of the server. (49)
  void Aggregate() {
    if (!participants_.empty()) optimizer_.Step(gradient_, state_.parameters);
  }

  void Account() {
    const bool waits = setting_.scenario.round.empty == EmptyRound::kWait;
    simulation::Book(setting_, participants_, waits ? setting_.scenario.round.time_limit_s : 0,
                     state_);
  }

  // The round for the log, with the test accuracy where it is time to look at it.
  RoundRecord Evaluate(double loss) {
    RoundRecord record{
        .round = state_.round,
        .time_s = state_.time_s,
        .energy_j = state_.energy_j,
        .participants = participants_.size(),
        .loss = loss,
        .accuracy = kNone,
        .test_loss = kNone,
        .mean_participation_s = simulation::MeanParticipation(setting_, participants_)};
    const Scenario& scenario = setting_.scenario;
    if (state_.round % scenario.evaluate_every == 0 || state_.round == scenario.rounds) {
      const Stopwatch stopwatch(times_.evaluation_s);
      const Evaluation evaluation = backend_.Evaluate(state_.parameters);
      record.accuracy = evaluation.accuracy;
      record.test_loss = evaluation.loss;
    }
    return record;
  }

  // Logs the round and tells the observers. False: stop.
  bool Observe(const RoundRecord& record) {
    state_.records.push_back(record);
    std::swap(state_.velocity, optimizer_.velocity);
    bool goes_on = true;
    for (Observer* observer : observers_) goes_on &= observer->AfterRound(setting_, state_);
    if (goes_on) std::swap(state_.velocity, optimizer_.velocity);
    return goes_on;
  }

  const Setting& setting_;
  Strategy& strategy_;
  Backend& backend_;
  std::span<Observer* const> observers_;
  RunState& state_;
  RunTimes& times_;
  ServerOptimizer optimizer_;
  std::vector<float> gradient_;
  std::vector<std::uint32_t> participants_;
  std::vector<Assignment> assignments_;
  std::vector<double> shares_, probabilities_;
};

}  // namespace

RunEnd Simulate(const Setting& setting, Strategy& strategy, Backend& backend,
                std::span<Observer* const> observers, RunState& state, RunTimes* times) {
  if (std::ranges::none_of(setting.plan.probability, [](double a) { return a > 0; })) {
    return RunEnd::kNobodyAble;
  }
  RunTimes scratch;
  RunTimes& spent = times == nullptr ? scratch : *times;
  double all_s = 0;
  const RunTimes before = spent;
  RunEnd end;
  {
    const Stopwatch stopwatch(all_s);
    end = Run(setting, strategy, backend, observers, state, spent).Go();
  }
  spent.other_s +=
      all_s - (spent.gradient_s - before.gradient_s) - (spent.evaluation_s - before.evaluation_s);
  return end;
}

}  // namespace airlot
