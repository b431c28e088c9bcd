#include "report/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "airlot/report.h"
#include "report/budget_sentence.h"
#include "report/numbers.h"
#include "report/phrases.h"

namespace airlot::report {
namespace {

// A Finding is a sentence, and whom it calls the best.
struct Finding {
  std::string text;
  StrategyList best;
};

// --- Nobody reached a target ---------------------------------------------------------------------

std::string OfOneAlone(const StrategySummary& summary, std::optional<double> target,
                       const std::string& rounds, const Phrasebook& book) {
  const std::string end = fmt::format("comes to {}{}", book.End(summary), book.Budgets(summary));
  if (!target) {
    return fmt::format("In {}, which take {}, {} {}.", rounds, book.Spent(summary),
                       summary.strategy, end);
  }
  return fmt::format("{} does not reach {} within {}, which take {}; it {}.", summary.strategy,
                     book.Target(summary, *target), rounds, book.Spent(summary), end);
}

// The target is the lowest one, where there is one.
Finding OfNone(const Race& race, std::optional<double> target, const Phrasebook& book) {
  const StrategyList all = AllOf(race.summaries);
  const StrategySummary& best = Furthest(all);
  const std::string rounds = CountOf(race.rounds, "round");
  if (all.size() == 1) return {OfOneAlone(best, target, rounds, book), {&best}};
  const std::string far = fmt::format("{} comes furthest, to {} after {}{}", best.strategy,
                                      book.End(best), book.Spent(best), book.Budgets(best));
  if (!target) return {fmt::format("In {}, {}.", rounds, far), {&best}};
  return {
      fmt::format("No strategy reaches {} within {}; {}.", book.Target(best, *target), rounds, far),
      {&best}};
}

// --- Some reached a target -----------------------------------------------------------------------

// Returns "; b after 1,307 s and 90 J, in 2 of 10 runs; 5 more in no more runs".
std::string OfSeldom(std::vector<Arrival> seldom, const Phrasebook& book) {
  constexpr std::size_t kMost = 3;
  std::ranges::stable_sort(seldom, std::greater(), &Arrival::share);
  std::string text;
  for (std::size_t i = 0; i < std::min(seldom.size(), kMost); ++i) {
    text += fmt::format("; {} after {}{}", seldom[i].strategy->strategy, book.Costs(seldom[i]),
                        Runs(seldom[i]));
  }
  if (seldom.size() > kMost) {
    text += fmt::format("; {} more in no more runs", seldom.size() - kMost);
  }
  return text;
}

// Returns "; b and c do not get there within 300 rounds, which take b 12 s and 3 J, c 9 s and 2
// J". Nobody knows what these may still have reached later.
std::string OfLate(const Race& race, const Phrasebook& book) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names, costs;
  for (const StrategySummary& summary : race.summaries) {
    if (summary.targets[*race.target].first.reached > 0) continue;
    names.push_back(summary.strategy);
    costs.push_back(fmt::format("{} {}", summary.strategy, book.Spent(summary)));
  }
  if (names.empty()) return "";
  const std::string rounds = CountOf(race.rounds, "round");
  if (names.size() == 1) {
    return fmt::format("; {} does not get there within {}, which take it {}", names[0], rounds,
                       costs[0].substr(names[0].size() + 1));
  }
  if (costs.size() > kMost) costs.resize(kMost - 1);
  return fmt::format("; {} do not get there within {}, which take {}", Listed(names, kMost), rounds,
                     fmt::join(costs, ", "));
}

Finding OfArrivals(const Race& race, const Phrasebook& book) {
  std::vector<Arrival> arrivals = ArrivalsAt(AllOf(race.summaries), *race.target);
  const bool is_every = arrivals.size() == race.summaries.size();
  // Only strategies that got there most reliably are compared.
  const std::vector<Arrival> seldom = TakeSeldom(arrivals);
  const Arrival& fastest = Least(arrivals, &Arrivals::time_s);
  const Arrival& thriftiest = Least(arrivals, &Arrivals::energy_j);
  const std::string reaches = fmt::format("{} reaches {}", fastest.strategy->strategy,
                                          book.Target(*fastest.strategy, fastest.target->target));
  const std::string budgets = book.Budgets(*fastest.strategy);
  std::string text;
  if (arrivals.size() == 1) {
    const std::string_view rank = !seldom.empty() ? ", most reliably of all"
                                  : !is_every     ? ", the only strategy that does so"
                                                  : "";
    text = fmt::format("{} after {}{}{}{}", reaches, book.Costs(fastest), Runs(fastest), rank,
                       budgets);
  } else if (fastest.strategy == thriftiest.strategy) {
    text = fmt::format("{} first, after {}{}{}, and with the least energy, {}{}", reaches,
                       book.Time(fastest), Runs(fastest), book.AboutAsFast(arrivals, fastest),
                       book.Energy(fastest), budgets);
  } else {
    text = fmt::format("{} first, after {}{}{}{}; {} does so with the least energy, {} ({}){}",
                       reaches, book.Costs(fastest), Runs(fastest),
                       book.AboutAsFast(arrivals, fastest), budgets, thriftiest.strategy->strategy,
                       book.Energy(thriftiest), book.Time(thriftiest),
                       book.Budgets(*thriftiest.strategy));
  }
  return {text + OfSeldom(seldom, book) + OfLate(race, book) + ".",
          {fastest.strategy, thriftiest.strategy}};
}

// Returns the places of targets, the highest first.
std::vector<std::size_t> HighestFirst(const std::vector<TargetSummary>& targets) {
  std::vector<std::size_t> order(targets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, std::greater(), [&](std::size_t i) { return targets[i].target; });
  return order;
}

// Says what times count, and that numbers are means where they are.
std::string OfTimes(std::span<const StrategySummary> summaries, const Books& books) {
  const bool is_mean =
      std::ranges::any_of(summaries, [](const StrategySummary& one) { return one.runs > 1; });
  return fmt::format(" Times count {}{}.", BookedTimes(books),
                     !is_mean ? ""
                     : summaries.front().score == Score::kAccuracy
                         ? ", and are means over runs, as energies and accuracies are"
                         : ", and are means over runs, as energies and scores are");
}

// --- Runs that go on -----------------------------------------------------------------------------

// Returns "592 of 4,000 rounds" or "2 of 3 runs done".
std::string Far(const Progress& progress, std::size_t runs, const Scenario& scenario) {
  if (progress.is_done) {
    return fmt::format("{} of {} done", runs, CountOf(progress.planned, "run"));
  }
  return fmt::format(
      "{}{} of {}", Short(double(progress.least)),
      progress.least == progress.most ? "" : fmt::format(" to {}", Short(double(progress.most))),
      RoundsText(scenario));
}

}  // namespace

std::string InterimSentence(std::span<const StrategySummary> summaries,
                            std::span<const Progress> progress, const Scenario& scenario) {
  const Phrasebook book(true);
  std::vector<std::string> now, reached;
  for (std::size_t s = 0; s < summaries.size(); ++s) {
    const StrategySummary& summary = summaries[s];
    now.push_back(fmt::format("{}{} {} ({})", summary.strategy, s == 0 ? " is at" : " at",
                              book.End(summary), Far(progress[s], summary.runs, scenario)));
    for (const std::size_t i : HighestFirst(summary.targets)) {
      const Arrival arrival{&summary, &summary.targets[i]};
      if (arrival.reached() == 0) continue;
      // Runs that go on count with the little that they have taken, and so tell nothing of a mean.
      if (arrival.reached() < summary.runs) {
        reached.push_back(fmt::format("{} has reached {}{}", summary.strategy,
                                      book.Target(summary, arrival.target->target), Runs(arrival)));
        break;
      }
      reached.push_back(fmt::format("{} has reached {} after {}", summary.strategy,
                                    book.Target(summary, arrival.target->target),
                                    book.Costs(arrival)));
      break;
    }
  }
  constexpr std::size_t kMost = 6;
  std::string text = fmt::format("So far {}.", Listed(now, kMost));
  if (!reached.empty()) text += fmt::format(" {}.", Listed(reached, kMost));
  return text;
}

}  // namespace airlot::report

namespace airlot {

bool StopsAtTargets(const Scenario& scenario) {
  return scenario.stop_at_targets && !scenario.targets.empty();
}

std::string RoundsText(const Scenario& scenario) {
  return (StopsAtTargets(scenario) ? "at most " : "") + report::CountOf(scenario.rounds, "round");
}

std::string VerdictText(std::span<const StrategySummary> summaries, const Scenario& scenario,
                        const TableStyle& style) {
  const auto took_nobody = [](const StrategySummary& one) {
    return one.participants.count > 0 && one.participants.mean == 0;
  };
  if (std::ranges::all_of(summaries, took_nobody)) {
    return "Nobody took part in any round, so that nothing was learned.";
  }
  const report::Phrasebook book(style.utf8);
  report::Race race{.summaries = summaries, .rounds = scenario.rounds};
  const auto& targets = summaries.front().targets;
  // The highest target that any strategy reached decides.
  const std::vector<std::size_t> order = report::HighestFirst(targets);
  for (const std::size_t i : order) {
    const auto is_reached = [&](const StrategySummary& one) {
      return one.targets[i].first.reached > 0;
    };
    if (!race.target && std::ranges::any_of(summaries, is_reached)) race.target = i;
  }
  std::optional<double> lowest;
  if (!order.empty()) lowest = targets[order.back()].target;
  const report::Finding finding =
      race.target ? report::OfArrivals(race, book) : report::OfNone(race, lowest, book);
  std::string text = finding.text + report::BudgetSentence(race, finding.best, book);
  if (race.target && *race.target != order.front()) {
    text += fmt::format(" {} {} within {}.",
                        summaries.size() == 1 ? "It does not reach" : "No strategy reaches",
                        book.Target(summaries.front(), targets[order.front()].target),
                        report::CountOf(scenario.rounds, "round"));
  }
  return text + report::OfTimes(summaries, scenario.books);
}

}  // namespace airlot
