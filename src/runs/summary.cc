// A summary says what came out of some runs.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "airlot/experiment.h"

namespace airlot {
namespace {

using Finder = const EvaluatedRound* (*)(const RunOutcome& run, double target);

Arrivals SummarizeArrivals(std::span<const RunOutcome> runs, double target, Finder find) {
  Arrivals arrivals;
  std::vector<double> time_s, energy_j, rounds;
  for (const RunOutcome& run : runs) {
    const EvaluatedRound* at = find(run, target);
    if (at != nullptr) ++arrivals.reached;
    time_s.push_back(at == nullptr ? run.time_s : at->time_s);
    energy_j.push_back(at == nullptr ? run.energy_j : at->energy_j);
    rounds.push_back(double(at == nullptr ? run.rounds : at->round));
  }
  arrivals.time_s = MomentsOf(time_s);
  arrivals.energy_j = MomentsOf(energy_j);
  arrivals.rounds = MomentsOf(rounds);
  return arrivals;
}

double MeanParticipants(const RunResult& run) {
  if (run.records.size() < 2) return 0;
  double sum = 0;
  for (const RoundRecord& record : run.records) sum += double(record.participants);
  return sum / double(run.records.size() - 1);  // The first record is the start.
}

RunOutcome OutcomeOf(const RunResult& run) {
  RunOutcome outcome{.seed = run.seed, .participants = MeanParticipants(run)};
  for (const RoundRecord& record : run.records) {
    if (!record.accuracy) continue;
    outcome.evaluations.push_back({record.round, record.time_s, record.energy_j, *record.accuracy});
  }
  if (run.records.empty()) return outcome;
  outcome.time_s = run.records.back().time_s;
  outcome.energy_j = run.records.back().energy_j;
  outcome.rounds = run.records.back().round;
  outcome.budget = run.budget;
  return outcome;
}

double LastAccuracy(const RunOutcome& run) {
  return run.evaluations.empty() ? 0 : run.evaluations.back().accuracy;
}

// Returns nothing where the budgets of some run are not known.
std::optional<BudgetSummary> SummarizeBudgets(std::span<const RunOutcome> runs) {
  BudgetSummary summary;
  std::vector<double> devices_over, excess_j;
  for (const RunOutcome& run : runs) {
    if (!run.budget) return std::nullopt;
    summary.devices = std::max(summary.devices, run.budget->devices);
    devices_over.push_back(double(run.budget->devices_over));
    excess_j.push_back(run.budget->excess_j);
    summary.worst_ratio = std::max(summary.worst_ratio, run.budget->worst_ratio);
  }
  summary.devices_over = MomentsOf(devices_over);
  summary.excess_j = MomentsOf(excess_j);
  return summary;
}

StrategySummary SummarizeStrategy(std::span<const RunResult* const> runs,
                                  std::span<const double> targets) {
  StrategySummary summary{.strategy = runs.front()->strategy, .runs = runs.size()};
  summary.score = runs.front()->score;
  for (const RunResult* run : runs) summary.outcomes.push_back(OutcomeOf(*run));
  for (const double target : targets) {
    summary.targets.push_back({target, SummarizeArrivals(summary.outcomes, target, FirstReached),
                               SummarizeArrivals(summary.outcomes, target, HeldFrom)});
  }
  const auto moments = [&](const auto& value_of) {
    std::vector<double> values;
    for (const RunOutcome& run : summary.outcomes) values.push_back(value_of(run));
    return MomentsOf(values);
  };
  summary.final_accuracy = moments(LastAccuracy);
  summary.participants = moments([](const RunOutcome& run) { return run.participants; });
  std::vector<double> fairness;  // one value for each run in which somebody took part
  for (const RunResult* run : runs) {
    if (run->fairness) fairness.push_back(*run->fairness);
  }
  summary.fairness = MomentsOf(fairness);
  summary.time_s = moments([](const RunOutcome& run) { return run.time_s; });
  summary.energy_j = moments([](const RunOutcome& run) { return run.energy_j; });
  summary.budget = SummarizeBudgets(summary.outcomes);
  return summary;
}

}  // namespace

Score ScoreOf(const Dataset& dataset) {
  return dataset.train.targets.empty() ? Score::kAccuracy : Score::kR2;
}

std::string_view ScoreName(Score score, bool utf8) {
  if (score == Score::kAccuracy) return "accuracy";
  return utf8 ? "R²" : "R^2";
}

const EvaluatedRound* FirstReached(const RunOutcome& run, double target) {
  const auto at = std::ranges::find_if(
      run.evaluations, [&](const EvaluatedRound& one) { return one.accuracy >= target; });
  return at == run.evaluations.end() ? nullptr : &*at;
}

const EvaluatedRound* HeldFrom(const RunOutcome& run, double target) {
  const EvaluatedRound* held = nullptr;
  for (const EvaluatedRound& one : run.evaluations) {
    if (one.accuracy < target) held = nullptr;
    if (one.accuracy >= target && held == nullptr) held = &one;
  }
  return held;
}

Moments MomentsOf(std::span<const double> values) {
  Moments moments{.count = values.size()};
  if (values.empty()) return moments;
  const auto count = double(values.size());
  moments.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  if (values.size() > 1) moments.sd = std::sqrt(squares / (count - 1));
  return moments;
}

std::vector<StrategySummary> SummarizeRuns(std::span<const RunResult> runs,
                                           std::span<const double> targets) {
  std::vector<std::string> names;
  for (const RunResult& run : runs) {
    if (std::ranges::find(names, run.strategy) == names.end()) names.push_back(run.strategy);
  }
  std::vector<StrategySummary> summaries;
  for (const std::string& name : names) {
    std::vector<const RunResult*> own;
    for (const RunResult& run : runs) {
      if (run.strategy == name) own.push_back(&run);
    }
    summaries.push_back(SummarizeStrategy(own, targets));
  }
  return summaries;
}

std::vector<StrategySummary> SummarizeComplete(const KeptRuns& kept) {
  std::vector<RunResult> complete;
  for (const KeptRun& run : kept.runs) {
    if (run.stage != RunStage::kComplete) continue;
    complete.push_back({.strategy = run.strategy,
                        .seed = run.seed,
                        .records = run.records,
                        .devices = run.device_count.value_or(0),
                        .fairness = run.fairness,
                        .budget = run.budget,
                        .score = kept.provenance.score});
  }
  return SummarizeRuns(complete, kept.comparison.scenario.targets);
}

}  // namespace airlot
