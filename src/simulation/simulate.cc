// This file holds the round loop.
#include <algorithm>
#include <cmath>
#include <utility>

#include "airlot/simulation.h"
#include "airlot/training.h"
#include "base/check.h"
#include "base/stopwatch.h"
#include "selection/after_draw.h"
#include "simulation/charged_probe.h"
#include "simulation/ledger.h"
#include "simulation/round_conditions.h"
#include "simulation/state_parts.h"
#include "simulation/update_steps.h"

namespace airlot {
namespace {

using base::Stopwatch;
using simulation::ChargedProbe;
using simulation::ClassAccuracies;
using simulation::Ledger;
using simulation::RoundConditions;
using simulation::StrategyMemory;
using simulation::UpdateSteps;

// A round in which nobody takes part is drawn this many times before it is left empty.
constexpr std::uint64_t kMostDraws = 1000;

bool TakesPlannedTerms(const Setting& setting, const Strategy& strategy) {
  const AfterDraw rule = setting.scenario.radio.band.after_draw;
  return strategy.TakesPlannedTerms() && (rule == AfterDraw::kStrategy || rule == AfterDraw::kOwn);
}

// Held is what a view of a round looks at.
struct Held {
  Held(const Setting& setting, RunState& state, bool takes_planned_terms, bool keeps_budgets)
      : shared_setting(setting.self.lock()),
        conditions(setting, state, takes_planned_terms, keeps_budgets) {}

  std::shared_ptr<const Setting> shared_setting;  // null where the caller keeps it
  RoundConditions conditions;
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
        rule_(MakeTrainingRule(setting.scenario.learning, state.parts)),
        steps_(setting, *rule_, state.parts),
        memory_(state.parts.Get<StrategyMemory>()),
        held_(std::make_shared<Held>(setting, state, TakesPlannedTerms(setting, strategy),
                                     strategy.KeepsBudgets())),
        conditions_(held_->conditions),
        ledger_(setting_, conditions_, state_),
        probe_(setting_, backend_, ledger_),
        gradient_(state.parameters.size()) {
    strategy_.Bind(state.parts);
  }

  RunEnd Go() {
    if (state_.records.empty() && !Observe(Evaluate(std::nullopt))) return RunEnd::kStopped;
    while (!IsOver(setting_.scenario, state_.records)) {
      StartRound();
      Select();
      Gather();
      Account();  // The books need nothing of what is learned, but they know what arrives.
      const std::optional<double> loss = Train();
      Aggregate();
      Learn();
      if (!Observe(Evaluate(loss))) return RunEnd::kStopped;
    }
    return RunEnd::kOver;
  }

 private:
  void StartRound() {
    ++state_.round;
    conditions_.StartRound(state_.round);
    ledger_.StartRound();
    probe_.StartRound(ThisRound());
  }

  TrainingRound ThisRound() const {
    return {.round = state_.round, .parameters = state_.parameters, .steps = steps_.all()};
  }

  void Select() {
    SelectionView view{.seed = setting_.seed,
                       .round = state_.round,
                       .rounds = setting_.scenario.rounds,
                       .redraws_empty = setting_.scenario.round.empty == EmptyRound::kRedraw,
                       .plan_version = conditions_.version(),
                       .probability = conditions_.probability(),
                       .power_w = conditions_.power_w(),
                       .data_share = setting_.data_share,
                       .energy_left_j = conditions_.energy_left_j(),
                       .cell = &conditions_.cell(),
                       .owner = held_,
                       .probe = &probe_,
                       .memory = &memory_.numbers};
    bool redraws = view.redraws_empty;
    do {
      selection_ = {};
      strategy_.Select(view, selection_);
      // Drawing again would find nobody able, or change whom strict budgets let take part.
      const bool nobody_able = selection_.nobody_able || !IsAnybodyAble();
      if (ShareBand(view) || nobody_able) redraws = false;
      const Status kept = CheckSelection(view, selection_);
      AIRLOT_CHECK(kept.ok(), "{}", kept.error().message);
      ++view.attempt;
      // Devices are not asked the same again.
      if (const auto asked_s = probe_.TakeSeconds()) {
        times_.gradient_s += *asked_s;
        redraws = false;
      }
    } while (redraws && selection_.devices.empty() && view.attempt < kMostDraws);
  }

  // Those whose radio reaches no rate on their terms, and those who could not pay for what is asked
  // of them, stay out, and the others share the band anew
  // where the scenario has a rule for it, until all can pay. Returns whether anybody stays out.
  // (K15)
  bool ShareBand(const SelectionView& view) {
    const AfterDraw rule = setting_.scenario.radio.band.after_draw;
    bool stays_out = false, is_poor = true;
    while (is_poor) {
      selection::ShareAfterDraw(rule, view, selection_);
      is_poor = selection::FitToRadio(*view.cell, selection_);
      is_poor |= ledger_.LeaveOutPoor(selection_, ReportBits());
      stays_out |= is_poor;
    }
    return stays_out;
  }

  bool IsAnybodyAble() const {
    return !selection_.devices.empty() ||
           std::ranges::any_of(conditions_.probability(), [](double a) { return a > 0; });
  }

  double ReportBits() const { return strategy_.Learns() ? simulation::kReportBits : 0; }

  // Invites devices elsewhere, where the backend has such.
  void Gather() {
    gathered_.reset();
    if (selection_.devices.empty()) return;
    const Stopwatch stopwatch(times_.gradient_s);
    gathered_ = backend_.Gather(ledger_.InvitationsOf(selection_, ReportBits()), ThisRound());
    if (!gathered_) return;
    AIRLOT_CHECK(gathered_->arrivals.size() == selection_.devices.size(), "{} arrivals, {} invited",
                 gathered_->arrivals.size(), selection_.devices.size());
    const auto is_number = [](double number) { return number >= 0 && std::isfinite(number); };
    bool are_numbers = is_number(gathered_->waited_s);
    for (const Arrival& arrival : gathered_->arrivals) {
      are_numbers &= is_number(arrival.upload_s.value_or(0)) &&
                     is_number(arrival.compute_s.value_or(0)) &&
                     is_number(arrival.energy_j.value_or(0));
    }
    AIRLOT_CHECK(are_numbers, "round {}: measured numbers must be finite and >= 0", state_.round);
  }

  // Trains those whose updates arrive, and returns their loss. Others drop what they have learned.
  std::optional<double> Train() {
    if (ledger_.arrived().empty()) return std::nullopt;
    Weigh();
    losses_.resize(strategy_.Learns() ? assignments_.size() : 0);
    const Stopwatch stopwatch(times_.gradient_s);
    const double loss = backend_.Train(assignments_, ThisRound(), gradient_, losses_);
    double sum = 0;
    for (const Assignment& assignment : assignments_) sum += assignment.weight;
    return loss / sum;
  }

  // Finds how much each update counts that has arrived. (50), (K14)
  void Weigh() {
    shares_.clear();
    probabilities_.clear();
    const bool knows_probability = !selection_.probability.empty();
    for (const std::size_t seat : ledger_.arrived()) {
      shares_.push_back(setting_.data_share[selection_.devices[seat]]);
      if (knows_probability) probabilities_.push_back(ArrivalProbability(seat));
    }
    const LearningRules& rules = setting_.scenario.learning;
    const std::vector<double> weights =
        AggregationWeights(rules.aggregation, shares_, probabilities_, rules.least_probability);
    assignments_.clear();
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const std::size_t seat = ledger_.arrived()[i];
      assignments_.push_back({selection_.devices[seat], weights[i]});
      if (!selection_.terms.empty()) {
        assignments_.back().update_bits = selection_.terms[seat].update_bits;
      }
    }
  }

  // Returns the probability that a device is selected and its update arrives.
  double ArrivalProbability(std::size_t seat) const {
    const simulation::AirLosses& losses = ledger_.losses();
    if (!losses.may_lose()) return selection_.probability[seat];
    return selection_.probability[seat] *
           losses.ArrivalProbability(conditions_.cell(), selection_.devices[seat],
                                     ledger_.TermsOf(selection_, seat));
  }

  // Makes the step of the server. (52), (L8) to (L13)
  void Aggregate() {
    if (!ledger_.arrived().empty()) rule_->Step(gradient_, state_.parameters);
  }

  void Account() {
    const bool waits =
        setting_.scenario.round.empty == EmptyRound::kWait || conditions_.waits_for_charge();
    ledger_.Book(selection_, waits ? LongestLimit() : 0, ReportBits(),
                 gathered_ ? &*gathered_ : nullptr);
  }

  // Returns how long the server waits for somebody.
  double LongestLimit() const {
    const ColumnView limits_s = setting_.fleet.time_limit_s;
    return limits_s.is_constant() ? limits_s.constant() : std::ranges::max(limits_s.values());
  }

  // Tells the strategy what came of the round, as far as it arrived.
  void Learn() {
    if (!strategy_.Learns() || ledger_.arrived().empty()) return;
    heard_.clear();
    durations_s_.clear();
    mean_losses_.clear();
    mean_squares_.clear();
    for (const std::size_t seat : ledger_.arrived()) {
      heard_.push_back(selection_.devices[seat]);
      durations_s_.push_back(ledger_.durations_s()[seat]);
    }
    for (const PartLoss& loss : losses_) {
      mean_losses_.push_back(loss.mean);
      mean_squares_.push_back(loss.mean_square);
    }
    strategy_.Learn({.round = state_.round,
                     .devices = heard_,
                     .mean_loss = mean_losses_,
                     .mean_square_loss = mean_squares_,
                     .duration_s = durations_s_},
                    memory_.numbers);
  }

  // Makes the record of the round, with the test accuracy where it is time to look at it.
  RoundRecord Evaluate(std::optional<double> loss) {
    RoundRecord record{.round = state_.round,
                       .time_s = state_.time_s,
                       .energy_j = state_.energy_j,
                       .participants = selection_.devices.size(),
                       .loss = loss,
                       .mean_participation_s = ledger_.MeanDuration(),
                       .empty_batteries = conditions_.empty_batteries()};
    if (ledger_.counts_lost()) record.arrived = double(ledger_.arrived().size());
    const Scenario& scenario = setting_.scenario;
    if (state_.round % scenario.evaluate_every == 0 || state_.round == scenario.rounds) {
      const Stopwatch stopwatch(times_.evaluation_s);
      const Evaluation evaluation = backend_.Evaluate(state_.parameters);
      record.accuracy = evaluation.accuracy;
      record.test_loss = evaluation.loss;
      state_.parts.Get<ClassAccuracies>().values = evaluation.class_accuracy;
    }
    return record;
  }

  // Logs the round and tells the observers. Returns false where the run is to stop.
  bool Observe(const RoundRecord& record) {
    state_.records.push_back(record);
    bool goes_on = true;
    for (Observer* observer : observers_) {
      if (record.round > 0) observer->TookPart(setting_, record.round, ledger_.participations());
      goes_on &= observer->AfterRound(setting_, state_);
    }
    return goes_on;
  }

  const Setting& setting_;
  Strategy& strategy_;
  Backend& backend_;
  std::span<Observer* const> observers_;
  RunState& state_;
  RunTimes& times_;
  std::unique_ptr<TrainingRule> rule_;
  UpdateSteps steps_;
  StrategyMemory& memory_;
  std::shared_ptr<Held> held_;
  RoundConditions& conditions_;
  Ledger ledger_;
  ChargedProbe probe_;
  std::vector<float> gradient_;
  Selection selection_;
  std::optional<Gathering> gathered_;
  std::vector<Assignment> assignments_;
  std::vector<double> shares_, probabilities_, mean_losses_, mean_squares_, durations_s_;
  std::vector<std::uint32_t> heard_;  // those whose updates have arrived
  std::vector<PartLoss> losses_;
};

}  // namespace

bool IsOver(const Scenario& scenario, std::span<const RoundRecord> records) {
  if (records.empty()) return false;
  const RoundRecord& last = records.back();
  if (last.round >= scenario.rounds) return true;
  return scenario.stop_at_targets && last.accuracy && !scenario.targets.empty() &&
         *last.accuracy >= std::ranges::max(scenario.targets);
}

RunEnd Simulate(const Setting& setting, Strategy& strategy, Backend& backend,
                std::span<Observer* const> observers, RunState& state, RunTimes* times) {
  if (!MayTakePart(setting)) return RunEnd::kNobodyAble;
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
