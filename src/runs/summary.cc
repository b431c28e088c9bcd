// A summary says what came out of some runs.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "airlot/experiment.h"

namespace airlot {
namespace {

// Returns the first evaluation at or above the target, or null.
const RoundRecord* FirstReached(const RunResult& run, double target) {
  const auto record = std::ranges::find_if(
      run.records, [&](const RoundRecord& at) { return at.accuracy && *at.accuracy >= target; });
  return record == run.records.end() ? nullptr : &*record;
}

TargetSummary SummarizeTarget(std::span<const RunResult* const> runs, double target) {
  std::vector<double> time_s, energy_j, rounds;
  for (const RunResult* run : runs) {
    const RoundRecord* record = FirstReached(*run, target);
    if (record == nullptr) continue;
    time_s.push_back(record->time_s);
    energy_j.push_back(record->energy_j);
    rounds.push_back(double(record->round));
  }
  return {target, MomentsOf(time_s), MomentsOf(energy_j), MomentsOf(rounds)};
}

double LastAccuracy(const RunResult& run) {
  for (std::size_t i = run.records.size(); i-- > 0;) {
    if (run.records[i].accuracy) return *run.records[i].accuracy;
  }
  return 0;
}

double MeanParticipants(const RunResult& run) {
  if (run.records.size() < 2) return 0;
  double sum = 0;
  for (const RoundRecord& record : run.records) sum += double(record.participants);
  return sum / double(run.records.size() - 1);  // The first record is the start.
}

StrategySummary SummarizeStrategy(std::span<const RunResult* const> runs,
                                  std::span<const double> targets) {
  StrategySummary summary{.strategy = runs.front()->strategy, .runs = runs.size()};
  for (const double target : targets) summary.targets.push_back(SummarizeTarget(runs, target));
  const auto moments = [&](const auto& value_of) {
    std::vector<double> values;
    for (const RunResult* run : runs) values.push_back(value_of(*run));
    return MomentsOf(values);
  };
  const auto last = [](const RunResult& run) {
    return run.records.empty() ? RoundRecord{} : run.records.back();
  };
  summary.final_accuracy = moments(LastAccuracy);
  summary.participants = moments(MeanParticipants);
  std::vector<double> fairness;  // one value for each run in which somebody took part
  for (const RunResult* run : runs) {
    if (run->fairness) fairness.push_back(*run->fairness);
  }
  summary.fairness = MomentsOf(fairness);
  summary.time_s = moments([&](const RunResult& run) { return last(run).time_s; });
  summary.energy_j = moments([&](const RunResult& run) { return last(run).energy_j; });
  return summary;
}

}  // namespace

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

}  // namespace airlot
