#include "report/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/effects.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

// One device in one run is spoken of alone, and not as "the worst".
bool IsOneAlone(const StrategySummary& summary) {
  return summary.runs == 1 && summary.budget->devices_over.mean == 1;
}

// Returns true where the 95 % interval of how many times as long it takes, over pairs of runs with
// the same seed, is known and holds 1, and it is later by less than half.
bool IsAboutAsFast(const Arrival& arrival, const Arrival& fastest) {
  const Effect effect =
      EffectBetween(*fastest.strategy, *arrival.strategy, Metric::kTime, fastest.target->target);
  if (!effect.low || !effect.high || *effect.low > 1 || *effect.high < 1) return false;
  return arrival.target->first.time_s.mean < 1.5 * fastest.target->first.time_s.mean;
}

}  // namespace

std::string Listed(std::vector<std::string> names, std::size_t most) {
  if (names.size() > most) {
    const std::size_t others = names.size() - most + 1;
    names.resize(most - 1);
    names.push_back(fmt::format("{} others", others));
  }
  if (names.size() < 2) return names.empty() ? "" : names[0];
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

StrategyList AllOf(std::span<const StrategySummary> summaries) {
  StrategyList all;
  for (const StrategySummary& summary : summaries) all.push_back(&summary);
  return all;
}

std::vector<Arrival> ArrivalsAt(std::span<const StrategySummary* const> strategies,
                                std::size_t target) {
  std::vector<Arrival> arrivals;
  for (const StrategySummary* strategy : strategies) {
    if (strategy->targets[target].first.reached == 0) continue;
    arrivals.push_back({strategy, &strategy->targets[target]});
  }
  return arrivals;
}

std::vector<Arrival> TakeSeldom(std::vector<Arrival>& arrivals) {
  const double share = std::ranges::max(arrivals, {}, &Arrival::share).share();
  std::vector<Arrival> seldom;
  std::erase_if(arrivals, [&](const Arrival& arrival) {
    if (arrival.share() == share) return false;
    seldom.push_back(arrival);
    return true;
  });
  return seldom;
}

const Arrival& Least(const std::vector<Arrival>& arrivals, Moments Arrivals::*quantity) {
  return *std::ranges::min_element(arrivals, {}, [&](const Arrival& arrival) {
    return std::pair((arrival.target->first.*quantity).mean, !KeepsBudgets(*arrival.strategy));
  });
}

const StrategySummary& Furthest(std::span<const StrategySummary* const> strategies) {
  return **std::ranges::max_element(strategies, {}, [](const StrategySummary* strategy) {
    return std::pair(strategy->final_accuracy.mean, KeepsBudgets(*strategy));
  });
}

const StrategySummary& FewestOver(std::span<const StrategySummary* const> strategies) {
  return **std::ranges::min_element(strategies, {}, [](const StrategySummary* strategy) {
    return std::pair(strategy->budget->devices_over.mean, strategy->budget->worst_ratio);
  });
}

std::string Runs(const Arrival& arrival) {
  const std::size_t count = arrival.reached(), runs = arrival.strategy->runs;
  return count == runs ? "" : fmt::format(", in {} of {} runs", count, runs);
}

bool KeepsBudgets(const StrategySummary& summary) {
  return summary.budget && summary.budget->is_kept();
}

bool BreaksBudgets(const StrategySummary& summary) {
  return summary.budget && !summary.budget->is_kept();
}

std::string RatioText(double ratio, bool utf8) {
  if (!(ratio > 1 && ratio < 1.1)) return utf8 ? ShortUtf8(ratio) : Short(ratio);
  const int zeros = static_cast<int>(std::ceil(-std::log10(ratio - 1)));
  return fmt::format("{:.{}f}", ratio, std::clamp(zeros + 1, 2, 15));
}

std::string Phrasebook::Number(double value) const {
  return utf8_ ? ShortUtf8(value) : Short(value);
}

std::string Phrasebook::Cost(const Arrival& arrival, const Moments& cost,
                             std::string_view unit) const {
  return fmt::format("{}{} {}", arrival.reached() < arrival.strategy->runs ? "at least " : "",
                     Number(cost.mean), unit);
}

std::string Phrasebook::Time(const Arrival& arrival) const {
  return Cost(arrival, arrival.target->first.time_s, "s");
}

std::string Phrasebook::Energy(const Arrival& arrival) const {
  return Cost(arrival, arrival.target->first.energy_j, "J");
}

std::string Phrasebook::Costs(const Arrival& arrival) const {
  return fmt::format("{} and {}", Time(arrival), Energy(arrival));
}

std::string Phrasebook::AboutAsFast(const std::vector<Arrival>& arrivals,
                                    const Arrival& fastest) const {
  constexpr std::size_t kMost = 3;
  std::vector<Arrival> equals;
  std::vector<std::string> names, breakers;
  for (const Arrival& arrival : arrivals) {
    if (arrival.strategy == fastest.strategy || !IsAboutAsFast(arrival, fastest)) continue;
    equals.push_back(arrival);
    names.push_back(fmt::format("{}, {},", arrival.strategy->strategy, Time(arrival)));
  }
  if (equals.empty()) return "";
  if (names.size() >= kMost) names[0].pop_back();  // A list of three has its own comma there.
  std::string text =
      fmt::format(" ({} {} about as fast", Listed(names, kMost), names.size() == 1 ? "is" : "are");
  if (equals.size() > kMost) equals.resize(kMost - 1);  // as many as are named
  for (const Arrival& arrival : equals) {
    if (BreaksBudgets(*arrival.strategy)) breakers.push_back(arrival.strategy->strategy);
  }
  if (!breakers.empty()) {
    text += fmt::format("; {} {} energy budgets", Listed(breakers, kMost),
                        breakers.size() == 1 ? "breaks" : "break");
  }
  return text + ")";
}

std::string Phrasebook::End(const StrategySummary& summary) const {
  return ScoreText(summary.score, summary.final_accuracy.mean, utf8_);
}

std::string Phrasebook::Target(const StrategySummary& summary, double target) const {
  return TargetText(summary.score, target, utf8_);
}

std::string Phrasebook::Spent(const StrategySummary& summary) const {
  return fmt::format("{} s and {} J", Number(summary.time_s.mean), Number(summary.energy_j.mean));
}

std::string Phrasebook::DevicesOver(const StrategySummary& summary) const {
  return fmt::format("{} of {}", Number(summary.budget->devices_over.mean),
                     Number(double(summary.budget->devices)));
}

std::string Phrasebook::Worst(const StrategySummary& summary) const {
  const bool is_alone = IsOneAlone(summary);
  const std::string_view who = is_alone ? "it" : "the worst";
  const double ratio = summary.budget->worst_ratio;
  const std::string worst =
      std::isinf(ratio) ? "has a budget of 0 J"
                        : fmt::format("spends {} times its budget", RatioText(ratio, utf8_));
  return fmt::format("({} {}; {} J beyond{})", who, worst, Number(summary.budget->excess_j.mean),
                     is_alone ? "" : " in sum");
}

std::string Phrasebook::Budgets(const StrategySummary& summary) const {
  if (!summary.budget) return "";
  if (summary.budget->is_kept()) return ", keeping every energy budget";
  return fmt::format(", but takes {} device{} over {}{} {}", DevicesOver(summary),
                     summary.budget->devices == 1 ? "" : "s",
                     IsOneAlone(summary) ? "its energy budget" : "their energy budgets",
                     summary.runs == 1 ? "" : " on average", Worst(summary));
}

}  // namespace airlot::report
