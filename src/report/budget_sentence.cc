#include "report/budget_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/numbers.h"

namespace airlot::report {
namespace {

std::string Goal(const Race& race, const Phrasebook& book) {
  const StrategySummary& any = race.summaries.front();
  return book.Target(any, any.targets[*race.target].target);
}

std::string WithinRounds(const Race& race) {
  return fmt::format("within {}", CountOf(race.rounds, "round"));
}

// Says of runs that all broke budgets which strategy did so least. What was said of it before is
// not repeated.
std::string OfFewest(const Race& race, std::span<const StrategySummary* const> best,
                     const Phrasebook& book) {
  const StrategySummary& fewest = FewestOver(AllOf(race.summaries));
  const auto equals = std::ranges::count_if(race.summaries, [&](const StrategySummary& summary) {
    return summary.budget->devices_over.mean == fewest.budget->devices_over.mean;
  });
  const bool is_said = std::ranges::find(best, &fewest) != best.end();
  const std::string how_many =
      is_said ? ""
              : fmt::format(", {}{} {}", book.DevicesOver(fewest),
                            fewest.runs == 1 ? "" : " on average", book.Worst(fewest));
  const std::string who =
      equals == 1 ? fmt::format("; {} takes the fewest devices over", fewest.strategy)
                  : fmt::format(", and none takes fewer devices over than {}", fewest.strategy);
  return fmt::format(" No strategy keeps every energy budget{}{}.", who, how_many);
}

std::string OfOnlyKeeper(const Race& race, const StrategySummary& keeper, std::string_view keeps,
                         const Phrasebook& book) {
  const std::string only =
      fmt::format(" Only {} {} every energy budget; it", keeper.strategy, keeps);
  const std::string accuracy = book.End(keeper);
  if (!race.target)
    return fmt::format("{} comes to {} after {}.", only, accuracy, book.Spent(keeper));
  const auto arrivals = ArrivalsAt(StrategyList{&keeper}, *race.target);
  if (arrivals.empty()) {
    return fmt::format("{} does not reach {} {}, and comes to {}.", only, Goal(race, book),
                       WithinRounds(race), accuracy);
  }
  return fmt::format("{} reaches {} after {}{}.", only, Goal(race, book), book.Costs(arrivals[0]),
                     Runs(arrivals[0]));
}

// Says who is first and who takes the least energy among keepers that reached the target.
std::string OfArrivedKeepers(const Race& race, std::vector<Arrival> arrivals,
                             const Phrasebook& book) {
  const bool is_one = arrivals.size() == 1;
  TakeSeldom(arrivals);
  const Arrival& fastest = Least(arrivals, &Arrivals::time_s);
  const Arrival& thriftiest = Least(arrivals, &Arrivals::energy_j);
  const std::string& name = fastest.strategy->strategy;
  if (is_one) {
    return fmt::format("only {} reaches {}, after {}{}", name, Goal(race, book),
                       book.Costs(fastest), Runs(fastest));
  }
  if (arrivals.size() == 1) {
    return fmt::format("{} reaches {} most reliably, after {}{}", name, Goal(race, book),
                       book.Costs(fastest), Runs(fastest));
  }
  if (fastest.strategy == thriftiest.strategy) {
    return fmt::format("{} is first, after {}{}{}, and takes the least energy, {}", name,
                       book.Time(fastest), Runs(fastest), book.AboutAsFast(arrivals, fastest),
                       book.Energy(fastest));
  }
  return fmt::format("{} is first, after {}{}{}; {} takes the least energy, {} ({})", name,
                     book.Costs(fastest), Runs(fastest), book.AboutAsFast(arrivals, fastest),
                     thriftiest.strategy->strategy, book.Energy(thriftiest), book.Time(thriftiest));
}

std::string OfKeepers(const Race& race, const StrategyList& keepers, bool is_all_known,
                      const Phrasebook& book) {
  const std::string of = fmt::format(" Of the strategies that {} every energy budget, ",
                                     is_all_known ? "keep" : "are known to keep");
  const StrategySummary& furthest = Furthest(keepers);
  const std::string accuracy = book.End(furthest);
  if (!race.target) {
    return fmt::format("{}{} comes furthest, to {} after {}.", of, furthest.strategy, accuracy,
                       book.Spent(furthest));
  }
  auto arrivals = ArrivalsAt(keepers, *race.target);
  if (!arrivals.empty()) return of + OfArrivedKeepers(race, std::move(arrivals), book) + ".";
  return fmt::format("{}none reaches {} {}; {} comes furthest, to {}.", of, Goal(race, book),
                     WithinRounds(race), furthest.strategy, accuracy);
}

}  // namespace

std::string BudgetSentence(const Race& race, std::span<const StrategySummary* const> best,
                           const Phrasebook& book) {
  const bool breaks = std::ranges::any_of(
      best, [](const StrategySummary* strategy) { return BreaksBudgets(*strategy); });
  if (!breaks || race.summaries.size() == 1) return "";
  StrategyList keepers;
  bool is_all_known = true;
  for (const StrategySummary& summary : race.summaries) {
    if (KeepsBudgets(summary)) keepers.push_back(&summary);
    is_all_known &= summary.budget.has_value();
  }
  if (keepers.empty()) return is_all_known ? OfFewest(race, best, book) : "";
  if (keepers.size() > 1) return OfKeepers(race, keepers, is_all_known, book);
  return OfOnlyKeeper(race, *keepers[0], is_all_known ? "keeps" : "is known to keep", book);
}

}  // namespace airlot::report
