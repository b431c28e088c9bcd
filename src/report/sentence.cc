#include "report/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/numbers.h"

namespace airlot::report {
namespace {

// "a", "a and b", "a, b and c"; where there are many, the first and "5 others".
std::string Listed(std::vector<std::string> names, std::size_t most) {
  if (names.size() > most) {
    const std::size_t others = names.size() - most + 1;
    names.resize(most - 1);
    names.push_back(fmt::format("{} others", others));
  }
  if (names.size() < 2) return names.empty() ? "" : names[0];
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// A strategy that reached the target, in some of its runs.
struct Arrival {
  const StrategySummary* strategy;
  const TargetSummary* target;
  double share() const { return double(target->time_s.count) / double(strategy->runs); }
};

std::vector<Arrival> ArrivalsAt(std::span<const StrategySummary> summaries, std::size_t target) {
  std::vector<Arrival> arrivals;
  for (const StrategySummary& summary : summaries) {
    if (summary.targets[target].time_s.count == 0) continue;
    arrivals.push_back({&summary, &summary.targets[target]});
  }
  return arrivals;
}

// "1,307 s".
std::string Cost(const Arrival& arrival, Moments TargetSummary::*quantity, std::string_view unit) {
  return fmt::format("{} {}", ShortUtf8((arrival.target->*quantity).mean), unit);
}

// ", in 2 of 10 runs", unless all got there.
std::string Runs(const Arrival& arrival) {
  const std::size_t count = arrival.target->time_s.count, runs = arrival.strategy->runs;
  return count == runs ? "" : fmt::format(", in {} of {} runs", count, runs);
}

const Arrival& Least(const std::vector<Arrival>& arrivals, Moments TargetSummary::*quantity) {
  return *std::ranges::min_element(
      arrivals, {}, [&](const Arrival& arrival) { return (arrival.target->*quantity).mean; });
}

std::string OfNone(std::span<const StrategySummary> summaries, double target) {
  const auto best = std::ranges::max_element(
      summaries, {}, [](const StrategySummary& summary) { return summary.final_accuracy.mean; });
  const std::string came =
      fmt::format("{} came furthest, to {}", best->strategy, Percent(best->final_accuracy.mean));
  if (target == 0) return came + ".";
  return fmt::format("{} reached {:.4g} %; {}.",
                     summaries.size() == 1 ? "The strategy never" : "No strategy", 100 * target,
                     summaries.size() == 1
                         ? fmt::format("it came to {}", Percent(best->final_accuracy.mean))
                         : came);
}

// " (b, 1,350 s, is about as fast)": later by less than the runs differ among themselves.
std::string AboutAsFast(const std::vector<Arrival>& arrivals, const Arrival& fastest) {
  std::vector<std::string> names;
  for (const Arrival& arrival : arrivals) {
    if (arrival.strategy == fastest.strategy) continue;
    const Moments &first = fastest.target->time_s, &other = arrival.target->time_s;
    if (other.mean - first.mean >= std::max(first.sd, other.sd)) continue;
    names.push_back(fmt::format("{}, {},", arrival.strategy->strategy,
                                Cost(arrival, &TargetSummary::time_s, "s")));
  }
  if (names.empty()) return "";
  return fmt::format(" ({} {} about as fast)", Listed(names, 3), names.size() == 1 ? "is" : "are");
}

// "b after 1,307 s and 90 J, in 2 of 10 runs; 5 others in fewer".
std::string OfSeldom(std::vector<Arrival> seldom) {
  constexpr std::size_t kMost = 3;
  std::ranges::stable_sort(seldom, std::greater(), &Arrival::share);
  std::string text;
  for (std::size_t i = 0; i < std::min(seldom.size(), kMost); ++i) {
    text += fmt::format("; {} after {} and {}{}", seldom[i].strategy->strategy,
                        Cost(seldom[i], &TargetSummary::time_s, "s"),
                        Cost(seldom[i], &TargetSummary::energy_j, "J"), Runs(seldom[i]));
  }
  if (seldom.size() > kMost) {
    text += fmt::format("; {} more in no more runs", seldom.size() - kMost);
  }
  return text;
}

std::string OfArrivals(std::span<const StrategySummary> summaries, std::vector<Arrival> arrivals) {
  std::vector<std::string> never;
  for (const StrategySummary& summary : summaries) {
    const bool arrived = std::ranges::any_of(
        arrivals, [&](const Arrival& arrival) { return arrival.strategy == &summary; });
    if (!arrived) never.push_back(summary.strategy);
  }
  // Those that got there most reliably are compared.
  const double share = std::ranges::max(arrivals, {}, &Arrival::share).share();
  std::vector<Arrival> seldom;
  std::erase_if(arrivals, [&](const Arrival& arrival) {
    if (arrival.share() == share) return false;
    seldom.push_back(arrival);
    return true;
  });
  const Arrival& fastest = Least(arrivals, &TargetSummary::time_s);
  const Arrival& thriftiest = Least(arrivals, &TargetSummary::energy_j);
  const std::string goal = fmt::format("{:.4g} %", 100 * fastest.target->target);
  const std::string time = Cost(fastest, &TargetSummary::time_s, "s");
  const std::string energy = Cost(fastest, &TargetSummary::energy_j, "J");
  std::string text;
  if (arrivals.size() == 1) {
    const std::string_view rank = !seldom.empty()  ? ", most reliably of all"
                                  : !never.empty() ? ", the only strategy that does so"
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
        Cost(thriftiest, &TargetSummary::energy_j, "J"),
        Cost(thriftiest, &TargetSummary::time_s, "s"));
  }
  text += OfSeldom(std::move(seldom));
  if (!never.empty()) {
    constexpr std::size_t kMost = 4;
    text += fmt::format("; {} never {} there", Listed(never, kMost),
                        never.size() == 1 ? "gets" : "get");
  }
  return text + ".";
}

}  // namespace

std::string SummarySentence(std::span<const StrategySummary> summaries) {
  const auto& targets = summaries.front().targets;
  // The highest target that any strategy reached decides.
  std::vector<std::size_t> order(targets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, std::greater(), [&](std::size_t i) { return targets[i].target; });
  for (const std::size_t i : order) {
    auto arrivals = ArrivalsAt(summaries, i);
    if (arrivals.empty()) continue;
    std::string text = OfArrivals(summaries, std::move(arrivals));
    if (i != order.front()) {
      text += fmt::format(" Nothing reached {:.4g} %.", 100 * targets[order.front()].target);
    }
    return text;
  }
  return OfNone(summaries, targets.empty() ? 0 : targets[order.back()].target);
}

}  // namespace airlot::report
