#include "report/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/numbers.h"

namespace airlot::report {
namespace {

// Returns "a", "a and b" or "a, b and c"; where there are many, it names the first and "5 others".
std::string Listed(std::vector<std::string> names, std::size_t most) {
  if (names.size() > most) {
    const std::size_t others = names.size() - most + 1;
    names.resize(most - 1);
    names.push_back(fmt::format("{} others", others));
  }
  if (names.size() < 2) return names.empty() ? "" : names[0];
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// An Arrival is a strategy that reached the target in some of its runs.
struct Arrival {
  const StrategySummary* strategy;
  const TargetSummary* target;
  std::size_t reached() const { return target->first.reached; }
  double share() const { return double(reached()) / double(strategy->runs); }
};

std::vector<Arrival> ArrivalsAt(std::span<const StrategySummary> summaries, std::size_t target) {
  std::vector<Arrival> arrivals;
  for (const StrategySummary& summary : summaries) {
    if (summary.targets[target].first.reached == 0) continue;
    arrivals.push_back({&summary, &summary.targets[target]});
  }
  return arrivals;
}

// Returns a cost as "1,307 s" or, where some runs did not get there, "at least 1,307 s".
std::string Cost(const Arrival& arrival, Moments Arrivals::*quantity, std::string_view unit) {
  return fmt::format("{}{} {}", arrival.reached() < arrival.strategy->runs ? "at least " : "",
                     ShortUtf8((arrival.target->first.*quantity).mean), unit);
}

// Returns ", in 2 of 10 runs", unless all got there.
std::string Runs(const Arrival& arrival) {
  const std::size_t count = arrival.reached(), runs = arrival.strategy->runs;
  return count == runs ? "" : fmt::format(", in {} of {} runs", count, runs);
}

const Arrival& Least(const std::vector<Arrival>& arrivals, Moments Arrivals::*quantity) {
  return *std::ranges::min_element(
      arrivals, {}, [&](const Arrival& arrival) { return (arrival.target->first.*quantity).mean; });
}

// Returns what the whole runs cost: " (1,229 s, 1,093 J)".
std::string Spent(const StrategySummary& summary) {
  return fmt::format(" ({} s, {} J)", ShortUtf8(summary.time_s.mean),
                     ShortUtf8(summary.energy_j.mean));
}

std::string OfNone(std::span<const StrategySummary> summaries, double target, std::size_t rounds) {
  const auto best = std::ranges::max_element(
      summaries, {}, [](const StrategySummary& summary) { return summary.final_accuracy.mean; });
  const std::string accuracy = Percent(best->final_accuracy.mean);
  const std::string within = CountOf(rounds, "round");
  if (summaries.size() == 1) {
    if (target == 0) {
      return fmt::format("{} came to {} in {}{}.", best->strategy, accuracy, within, Spent(*best));
    }
    return fmt::format("{} did not reach {:.4g} % within {}{}; it came to {}.", best->strategy,
                       100 * target, within, Spent(*best), accuracy);
  }
  if (target == 0) {
    return fmt::format("{} came furthest in {}, to {}.", best->strategy, within, accuracy);
  }
  return fmt::format("No strategy reached {:.4g} % within {}; {} came furthest, to {}.",
                     100 * target, within, best->strategy, accuracy);
}

// Returns " (b, 1,350 s, is about as fast)" for strategies that are later by less than the runs
// differ among themselves, and by less than half; where runs differ so much that this tells
// nothing, it says nothing.
std::string AboutAsFast(const std::vector<Arrival>& arrivals, const Arrival& fastest) {
  std::vector<std::string> names;
  for (const Arrival& arrival : arrivals) {
    if (arrival.strategy == fastest.strategy) continue;
    const Moments &first = fastest.target->first.time_s, &other = arrival.target->first.time_s;
    if (other.mean - first.mean >= std::max(first.sd, other.sd)) continue;
    if (other.mean >= 1.5 * first.mean) continue;
    names.push_back(
        fmt::format("{}, {},", arrival.strategy->strategy, Cost(arrival, &Arrivals::time_s, "s")));
  }
  if (names.empty()) return "";
  return fmt::format(" ({} {} about as fast)", Listed(names, 3), names.size() == 1 ? "is" : "are");
}

// Returns "; b after 1,307 s and 90 J, in 2 of 10 runs; 5 more in no more runs".
std::string OfSeldom(std::vector<Arrival> seldom) {
  constexpr std::size_t kMost = 3;
  std::ranges::stable_sort(seldom, std::greater(), &Arrival::share);
  std::string text;
  for (std::size_t i = 0; i < std::min(seldom.size(), kMost); ++i) {
    text += fmt::format("; {} after {} and {}{}", seldom[i].strategy->strategy,
                        Cost(seldom[i], &Arrivals::time_s, "s"),
                        Cost(seldom[i], &Arrivals::energy_j, "J"), Runs(seldom[i]));
  }
  if (seldom.size() > kMost) {
    text += fmt::format("; {} more in no more runs", seldom.size() - kMost);
  }
  return text;
}

std::string OfArrivals(std::span<const StrategySummary> summaries, std::vector<Arrival> arrivals,
                       std::size_t rounds) {
  // Nobody knows what these may still have reached later.
  std::vector<std::string> late;
  for (const StrategySummary& summary : summaries) {
    const bool arrived = std::ranges::any_of(
        arrivals, [&](const Arrival& arrival) { return arrival.strategy == &summary; });
    if (!arrived) late.push_back(summary.strategy + Spent(summary));
  }
  // Only strategies that got there most reliably are compared.
  const double share = std::ranges::max(arrivals, {}, &Arrival::share).share();
  std::vector<Arrival> seldom;
  std::erase_if(arrivals, [&](const Arrival& arrival) {
    if (arrival.share() == share) return false;
    seldom.push_back(arrival);
    return true;
  });
  const Arrival& fastest = Least(arrivals, &Arrivals::time_s);
  const Arrival& thriftiest = Least(arrivals, &Arrivals::energy_j);
  const std::string goal = fmt::format("{:.4g} %", 100 * fastest.target->target);
  const std::string time = Cost(fastest, &Arrivals::time_s, "s");
  const std::string energy = Cost(fastest, &Arrivals::energy_j, "J");
  std::string text;
  if (arrivals.size() == 1) {
    const std::string_view rank = !seldom.empty() ? ", most reliably of all"
                                  : !late.empty() ? ", the only strategy that does so"
                                                  : "";
    text = fmt::format("{} reaches {} after {} and {}{}{}", fastest.strategy->strategy, goal, time,
                       energy, Runs(fastest), rank);
  } else if (fastest.strategy == thriftiest.strategy) {
    text = fmt::format("{} reaches {} first, after {}{}{}, and with the least energy, {}",
                       fastest.strategy->strategy, goal, time, Runs(fastest),
                       AboutAsFast(arrivals, fastest), energy);
  } else {
    text = fmt::format(
        "{} reaches {} first, after {} and {}{}{}; {} with the least energy, {} "
        "({})",
        fastest.strategy->strategy, goal, time, energy, Runs(fastest),
        AboutAsFast(arrivals, fastest), thriftiest.strategy->strategy,
        Cost(thriftiest, &Arrivals::energy_j, "J"), Cost(thriftiest, &Arrivals::time_s, "s"));
  }
  text += OfSeldom(std::move(seldom));
  if (!late.empty()) {
    constexpr std::size_t kMost = 4;
    text += fmt::format("; {} {} not within {}", Listed(late, kMost),
                        late.size() == 1 ? "does" : "do", CountOf(rounds, "round"));
  }
  return text + ".";
}

// Returns the places of targets, the highest first.
std::vector<std::size_t> HighestFirst(const std::vector<TargetSummary>& targets) {
  std::vector<std::size_t> order(targets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, std::greater(), [&](std::size_t i) { return targets[i].target; });
  return order;
}

// Returns "592 of 4,000 rounds" or "2 of 3 runs done".
std::string Far(const Progress& progress, std::size_t runs, std::size_t rounds) {
  if (progress.is_done) {
    return fmt::format("{} of {} done", runs, CountOf(progress.planned, "run"));
  }
  return fmt::format(
      "{}{} of {}", Short(double(progress.least)),
      progress.least == progress.most ? "" : fmt::format(" to {}", Short(double(progress.most))),
      CountOf(rounds, "round"));
}

}  // namespace

std::string SummarySentence(std::span<const StrategySummary> summaries, std::size_t rounds) {
  const auto& targets = summaries.front().targets;
  // The highest target that any strategy reached decides.
  const std::vector<std::size_t> order = HighestFirst(targets);
  for (const std::size_t i : order) {
    auto arrivals = ArrivalsAt(summaries, i);
    if (arrivals.empty()) continue;
    std::string text = OfArrivals(summaries, std::move(arrivals), rounds);
    if (i != order.front()) {
      text += fmt::format(" Within {}, nothing reached {:.4g} %.", CountOf(rounds, "round"),
                          100 * targets[order.front()].target);
    }
    return text;
  }
  return OfNone(summaries, targets.empty() ? 0 : targets[order.back()].target, rounds);
}

std::string InterimSentence(std::span<const StrategySummary> summaries,
                            std::span<const Progress> progress, std::size_t rounds) {
  std::vector<std::string> now, reached;
  for (std::size_t s = 0; s < summaries.size(); ++s) {
    const StrategySummary& summary = summaries[s];
    now.push_back(fmt::format("{}{} {} ({})", summary.strategy, s == 0 ? " is at" : " at",
                              Percent(summary.final_accuracy.mean),
                              Far(progress[s], summary.runs, rounds)));
    for (const std::size_t i : HighestFirst(summary.targets)) {
      const Arrival arrival{&summary, &summary.targets[i]};
      if (arrival.reached() == 0) continue;
      // Runs that go on count with the little that they have taken, and so tell nothing of a mean.
      if (arrival.reached() < summary.runs) {
        reached.push_back(fmt::format("{} has reached {:.4g} %{}", summary.strategy,
                                      100 * arrival.target->target, Runs(arrival)));
        break;
      }
      reached.push_back(fmt::format(
          "{} has reached {:.4g} % after {} and {}", summary.strategy, 100 * arrival.target->target,
          Cost(arrival, &Arrivals::time_s, "s"), Cost(arrival, &Arrivals::energy_j, "J")));
      break;
    }
  }
  constexpr std::size_t kMost = 6;
  std::string text = fmt::format("So far {}.", Listed(now, kMost));
  if (!reached.empty()) text += fmt::format(" {}.", Listed(reached, kMost));
  return text;
}

}  // namespace airlot::report
