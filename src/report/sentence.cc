#include "report/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/numbers.h"

namespace airlot::report {
namespace {

// "a", "a and b", "a, b and c".
std::string Listed(const std::vector<std::string>& names) {
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

// "in 1,307 s", "in 1,307 s (2 of 10 runs)".
std::string Cost(const Arrival& arrival, Moments TargetSummary::*quantity, std::string_view unit) {
  std::string text = fmt::format("{} {}", ShortUtf8((arrival.target->*quantity).mean), unit);
  if (arrival.target->time_s.count < arrival.strategy->runs) {
    text += fmt::format(" ({} of {} runs)", arrival.target->time_s.count, arrival.strategy->runs);
  }
  return text;
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

std::string OfArrivals(std::span<const StrategySummary> summaries, std::vector<Arrival> arrivals) {
  std::vector<std::string> never;
  for (const StrategySummary& summary : summaries) {
    const bool arrived = std::ranges::any_of(
        arrivals, [&](const Arrival& arrival) { return arrival.strategy == &summary; });
    if (!arrived) never.push_back(summary.strategy);
  }
  // Those that got there most reliably are compared.
  const double share = std::ranges::max(arrivals, {}, &Arrival::share).share();
  std::vector<std::string> seldom;
  std::erase_if(arrivals, [&](const Arrival& arrival) {
    if (arrival.share() == share) return false;
    seldom.push_back(arrival.strategy->strategy);
    return true;
  });
  const Arrival& fastest = Least(arrivals, &TargetSummary::time_s);
  const Arrival& thriftiest = Least(arrivals, &TargetSummary::energy_j);
  const std::string goal = fmt::format("{:.4g} %", 100 * fastest.target->target);
  std::string text;
  if (arrivals.size() == 1) {
    text = fmt::format("{} reaches {} after {} and {}{}", fastest.strategy->strategy, goal,
                       Cost(fastest, &TargetSummary::time_s, "s"),
                       ShortUtf8(fastest.target->energy_j.mean) + " J",
                       never.empty() && seldom.empty() ? "" : ", the only strategy that does so");
    if (!seldom.empty()) text += " as reliably";
  } else if (fastest.strategy == thriftiest.strategy) {
    text = fmt::format("{} reaches {} first, after {}, and with the least energy, {}",
                       fastest.strategy->strategy, goal, Cost(fastest, &TargetSummary::time_s, "s"),
                       ShortUtf8(fastest.target->energy_j.mean) + " J");
  } else {
    text = fmt::format("{} reaches {} first, after {} ({} J); {} with the least energy, {} ({} s)",
                       fastest.strategy->strategy, goal, Cost(fastest, &TargetSummary::time_s, "s"),
                       ShortUtf8(fastest.target->energy_j.mean), thriftiest.strategy->strategy,
                       Cost(thriftiest, &TargetSummary::energy_j, "J"),
                       ShortUtf8(thriftiest.target->time_s.mean));
  }
  if (!seldom.empty()) {
    text += fmt::format("; {} get{} there in fewer runs", Listed(seldom),
                        seldom.size() == 1 ? "s" : "");
  }
  if (!never.empty()) {
    text += fmt::format("; {} never {} there", Listed(never), never.size() == 1 ? "gets" : "get");
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
