// Phrases are the parts that sentences about strategies are made of.
#ifndef AIRLOT_REPORT_PHRASES_H_
#define AIRLOT_REPORT_PHRASES_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/experiment.h"

namespace airlot::report {

using StrategyList = std::vector<const StrategySummary*>;
StrategyList AllOf(std::span<const StrategySummary> summaries);

// Returns "a", "a and b" or "a, b and c"; where there are many, it names the first and "5 others".
std::string Listed(std::vector<std::string> names, std::size_t most);

// An Arrival is a strategy that reached the target in some of its runs.
struct Arrival {
  const StrategySummary* strategy;
  const TargetSummary* target;
  std::size_t reached() const { return target->first.reached; }
  double share() const { return double(reached()) / double(strategy->runs); }
};
// Returns those of the strategies that reached the target of this number.
std::vector<Arrival> ArrivalsAt(std::span<const StrategySummary* const> strategies,
                                std::size_t target);
// Takes out those that got there in a smaller share of their runs than others, and returns them.
std::vector<Arrival> TakeSeldom(std::vector<Arrival>& arrivals);
// Returns the one that took the least; among equals one that keeps every budget, and then the first
// one.
const Arrival& Least(const std::vector<Arrival>& arrivals, Moments Arrivals::*quantity);
// Returns the strategy with the highest accuracy at the end; among equals as above.
const StrategySummary& Furthest(std::span<const StrategySummary* const> strategies);
// Returns the strategy that takes the fewest devices over their budgets; among equals the one with
// the lowest worst ratio, and then the first one. The budgets of all must be known.
const StrategySummary& FewestOver(std::span<const StrategySummary* const> strategies);

// Returns ", in 2 of 10 runs", unless all got there.
std::string Runs(const Arrival& arrival);

// These two say whether it is known that a strategy kept, or broke, the budgets of its devices.
bool KeepsBudgets(const StrategySummary& summary);
bool BreaksBudgets(const StrategySummary& summary);

// Returns how many times its budget a device spends: three digits, and so many behind "1." that
// what is beyond the budget can be seen. The ratio is finite. Powers of ten are as in Phrasebook.
std::string RatioText(double ratio, bool utf8);

// A Phrasebook writes phrases that have numbers in them.
class Phrasebook {
 public:
  // Powers of ten are written as ×10⁻⁹, or for ASCII as e-09.
  explicit Phrasebook(bool utf8) : utf8_(utf8) {}

  std::string Number(double value) const;
  // Returns a cost as "1,307 s" or, where some runs did not get there, "at least 1,307 s".
  std::string Time(const Arrival& arrival) const;
  std::string Energy(const Arrival& arrival) const;
  // Returns "1,307 s and 625 J".
  std::string Costs(const Arrival& arrival) const;
  // Returns " (b, 1,350 s, is about as fast)" for strategies that may be as fast by the 95 %
  // interval of the ratio over pairs of runs, and are later by less than half; where runs differ so
  // much that this tells nothing, and of one seed, it says nothing. It also says which of those
  // that it names break budgets.
  std::string AboutAsFast(const std::vector<Arrival>& arrivals, const Arrival& fastest) const;
  // Returns the score at the end, "82.1 %" or "R² 0.821", and that of a target, "59 %".
  std::string End(const StrategySummary& summary) const;
  std::string Target(const StrategySummary& summary, double target) const;
  // Returns the same as Costs of the whole runs.
  std::string Spent(const StrategySummary& summary) const;

  // Returns how many devices were over their budgets, "26 of 50", and, in parentheses, how far the
  // worst was, and how much energy was beyond the budgets in sum. The budgets must be known.
  std::string DevicesOver(const StrategySummary& summary) const;
  std::string Worst(const StrategySummary& summary) const;
  // Returns what a sentence says of a strategy that it calls the best: ", keeping every energy
  // budget" or ", but takes 26 of 50 devices over their energy budgets (…)". It is empty where the
  // budgets are not known.
  std::string Budgets(const StrategySummary& summary) const;

 private:
  std::string Cost(const Arrival& arrival, const Moments& cost, std::string_view unit) const;

  bool utf8_;
};

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PHRASES_H_
