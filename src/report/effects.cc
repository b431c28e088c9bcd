#include "report/effects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/paired.h"
#include "report/significance.h"

namespace airlot::report {
namespace {

// Differences that are smaller come from the rounding of sums, and count as none.
constexpr double kRounding = 1e-9;

using Reached = const EvaluatedRound* (*)(const RunOutcome&, double);

Cost CostOf(Metric metric) {
  return metric == Metric::kTime || metric == Metric::kHeldTime ? kTimeCost : kEnergyCost;
}

Reached ReachedOf(Metric metric) {
  return metric == Metric::kTime || metric == Metric::kEnergy ? FirstReached : HeldFrom;
}

Differences DifferencesOf(std::span<const SeedPair> pairs, Metric metric, double target) {
  Differences differences;
  if (IsRatio(metric)) {
    differences = LogRatios(pairs, CostOf(metric), target, ReachedOf(metric));
  } else {
    for (const SeedPair& pair : pairs) {
      differences.lower.push_back(100 *
                                  (LastAccuracyOf(*pair.second) - LastAccuracyOf(*pair.first)));
    }
    differences.upper = differences.lower;
  }
  for (std::vector<double>* bounds : {&differences.lower, &differences.upper}) {
    for (double& bound : *bounds) {
      if (std::abs(bound) < kRounding) bound = 0;
    }
  }
  return differences;
}

// Returns what is shown of a mean of differences; nothing where it is not known.
std::optional<double> Shown(double difference, Metric metric) {
  if (!std::isfinite(difference)) return std::nullopt;
  return IsRatio(metric) ? std::exp(difference) : difference;
}

// Tells whether there are runs to compare, even where nobody can tell what comes of it.
bool IsTested(const Effect& effect) { return effect.pairs >= 2; }

// A Standing is what a column shows of a strategy.
struct Standing {
  std::size_t reached = 0;  // number of runs that reached the target
  double mean = 0;
  bool is_shown() const { return reached > 0; }
};
Standing StandingOf(const StrategySummary& summary, Metric metric, double target) {
  Standing standing;
  std::vector<double> values;
  for (const RunOutcome& run : summary.outcomes) {
    if (!IsRatio(metric)) {
      ++standing.reached;
      values.push_back(LastAccuracyOf(run));
      continue;
    }
    const EvaluatedRound* reached = ReachedOf(metric)(run, target);
    const Cost cost = CostOf(metric);
    standing.reached += reached == nullptr ? 0 : 1;
    values.push_back(reached == nullptr ? run.*cost.whole : reached->*cost.at);
  }
  standing.mean = MomentsOf(values).mean;
  return standing;
}

// Tells whether the first strategy of an effect is better than the second one, significantly.
bool IsFirstBetter(const Effect& effect) {
  if (effect.pairs < kLeastForBold) return false;
  if (!effect.adjusted_p || *effect.adjusted_p >= kSignificance) return false;
  return IsRatio(effect.metric) ? effect.at_least.value_or(0) > 1 : effect.at_most.value_or(0) < 0;
}

// Returns the strategy with the best mean of those that reached the target in most runs.
const std::string& BestByMean(std::span<const StrategySummary> summaries, Metric metric,
                              double target) {
  const StrategySummary* best = nullptr;
  Standing of_best;
  for (const StrategySummary& summary : summaries) {
    const Standing standing = StandingOf(summary, metric, target);
    const bool is_better =
        IsRatio(metric) ? standing.mean < of_best.mean : standing.mean > of_best.mean;
    if (best == nullptr || standing.reached > of_best.reached ||
        (standing.reached == of_best.reached && is_better)) {
      best = &summary;
      of_best = standing;
    }
  }
  return best->strategy;
}

// Adds a table, unless it would say nothing.
void AddTable(std::span<const StrategySummary> summaries, Metric metric, double target,
              std::vector<EffectTable>& tables) {
  const bool is_reached = std::ranges::any_of(summaries, [&](const StrategySummary& summary) {
    return StandingOf(summary, metric, target).is_shown();
  });
  EffectTable table{
      .metric = metric, .target = target, .effects = EffectsBetween(summaries, metric, target)};
  if (!summaries.empty()) table.score = summaries.front().score;
  table.tested = std::size_t(std::ranges::count_if(table.effects, IsTested));
  if (!is_reached || table.tested == 0) return;
  if (summaries.size() > kMostInPairs) table.best = BestByMean(summaries, metric, target);
  tables.push_back(std::move(table));
}

}  // namespace

std::string_view MetricName(Metric metric) {
  constexpr std::array<std::string_view, 5> kNames = {"time_s", "energy_j", "held_time_s",
                                                      "held_energy_j", "final_accuracy"};
  return kNames[std::size_t(metric)];
}

bool IsRatio(Metric metric) { return metric != Metric::kFinalAccuracy; }

Effect EffectBetween(const StrategySummary& first, const StrategySummary& second, Metric metric,
                     double target) {
  const std::vector<SeedPair> pairs = PairsOf(first, second);
  const Differences differences = DifferencesOf(pairs, metric, target);
  Effect effect{.first = first.strategy,
                .second = second.strategy,
                .metric = metric,
                .target = target,
                .pairs = pairs.size(),
                .missed = differences.missed};
  if (pairs.empty()) return effect;
  const Interval interval = IntervalOf(differences.lower, differences.upper);
  effect.at_least = Shown(MomentsOf(differences.lower).mean, metric);
  effect.at_most = Shown(MomentsOf(differences.upper).mean, metric);
  effect.low = Shown(interval.low, metric);
  effect.high = Shown(interval.high, metric);
  effect.p = PairedTest(differences.lower, differences.upper);
  return effect;
}

std::vector<Effect> EffectsBetween(std::span<const StrategySummary> summaries, Metric metric,
                                   double target) {
  std::vector<Effect> effects;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    for (std::size_t j = i + 1; j < summaries.size(); ++j) {
      effects.push_back(EffectBetween(summaries[i], summaries[j], metric, target));
    }
  }
  std::vector<double> p_values;
  // Where nobody can tell, the comparison was made all the same, and counts with the others.
  for (const Effect& effect : effects) {
    if (IsTested(effect)) p_values.push_back(effect.p.value_or(1));
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  auto next = adjusted.begin();
  for (Effect& effect : effects) {
    if (!IsTested(effect)) continue;
    if (effect.p) effect.adjusted_p = *next;
    ++next;
  }
  return effects;
}

Effect ChangedOver(const Effect& effect) {
  const auto changed = [&](const std::optional<double>& value) -> std::optional<double> {
    if (!value) return value;
    return IsRatio(effect.metric) ? 1 / *value : 0 - *value;
  };
  Effect other = effect;
  std::swap(other.first, other.second);
  other.at_least = changed(effect.at_most);
  other.at_most = changed(effect.at_least);
  other.low = changed(effect.high);
  other.high = changed(effect.low);
  return other;
}

std::vector<bool> BestOf(std::span<const StrategySummary> summaries, Metric metric, double target) {
  std::vector<bool> is_best(summaries.size());
  std::vector<Standing> standings;
  for (const StrategySummary& summary : summaries) {
    standings.push_back(StandingOf(summary, metric, target));
    is_best[standings.size() - 1] = standings.back().is_shown();
  }
  std::size_t compared = 0;
  const std::vector<Effect> effects = EffectsBetween(summaries, metric, target);
  auto effect = effects.begin();
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    for (std::size_t j = i + 1; j < summaries.size(); ++j, ++effect) {
      if (!standings[i].is_shown() || !standings[j].is_shown()) continue;
      ++compared;
      const double more = IsRatio(metric) ? standings[j].mean - standings[i].mean
                                          : standings[i].mean - standings[j].mean;
      if (!(more > 0 && IsFirstBetter(*effect))) is_best[i] = false;
      if (!(more < 0 && IsFirstBetter(ChangedOver(*effect)))) is_best[j] = false;
    }
  }
  // Alone in its column, nobody is better than others.
  if (compared == 0) is_best.assign(summaries.size(), false);
  return is_best;
}

std::vector<EffectTable> EffectTables(std::span<const StrategySummary> summaries) {
  std::vector<EffectTable> tables;
  if (summaries.size() < 2) return tables;
  for (const TargetSummary& target : summaries.front().targets) {
    AddTable(summaries, Metric::kTime, target.target, tables);
    AddTable(summaries, Metric::kEnergy, target.target, tables);
  }
  AddTable(summaries, Metric::kFinalAccuracy, 0, tables);
  return tables;
}

std::vector<Effect> ShownEffects(const EffectTable& table) {
  if (!table.best) return table.effects;
  std::vector<Effect> shown;
  for (const Effect& effect : table.effects) {
    if (effect.first == *table.best) shown.push_back(effect);
    if (effect.second == *table.best) shown.push_back(ChangedOver(effect));
  }
  return shown;
}

}  // namespace airlot::report
