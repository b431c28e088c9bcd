#include "report/styles.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "airlot/report.h"
#include "airlot/selection.h"
#include "report/phrases.h"
#include "report/summaries.h"

namespace airlot::report {
namespace {

constexpr std::size_t kColours = 6;
static_assert(kColours * kShapeCount == kStyleCount);

bool IsOfPaper(std::string_view strategy) {
  const auto rows = PaperScenarios().front().rows;
  return std::ranges::find(rows, strategy, &PaperRow::strategy) != rows.end();
}

// Returns the fastest and the thriftiest of those that reached the target most reliably; where
// nobody reached it, the one that comes furthest. There must be a strategy.
StrategyList BestOf(const StrategyList& strategies, std::optional<std::size_t> target) {
  std::vector<Arrival> arrivals;
  if (target) arrivals = ArrivalsAt(strategies, *target);
  if (arrivals.empty()) return {&Furthest(strategies)};
  TakeSeldom(arrivals);
  return {Least(arrivals, &Arrivals::time_s).strategy,
          Least(arrivals, &Arrivals::energy_j).strategy};
}

// Returns the best of those that keep every budget or, where nobody does, the one with the fewest
// devices over.
StrategyList BestByBudgets(const StrategyList& all, std::optional<std::size_t> target) {
  StrategyList keepers;
  bool is_all_known = true;
  for (const StrategySummary* summary : all) {
    if (KeepsBudgets(*summary)) keepers.push_back(summary);
    is_all_known &= summary->budget.has_value();
  }
  if (!keepers.empty()) return BestOf(keepers, target);
  return is_all_known ? StrategyList{&FewestOver(all)} : StrategyList();
}

}  // namespace

Style StyleAt(std::size_t index) {
  const std::size_t i = index % kStyleCount, colour = i % kColours;
  const std::size_t turn = (colour + i / kColours) % kShapeCount;
  return {.colour = colour, .dash = turn, .shape = static_cast<Shape>(turn)};
}

Looks::Looks(std::span<const std::string> strategies) {
  for (const std::string& strategy : strategies) {
    const bool is_known =
        std::ranges::find(Strategies(), strategy, &StrategyEntry::name) != Strategies().end();
    if (!is_known && std::ranges::find(foreign_, strategy) == foreign_.end()) {
      foreign_.push_back(strategy);
    }
  }
}

void Looks::Choose(std::span<const StrategySummary> summaries) {
  shown_.clear();
  hidden_ = 0;
  if (summaries.size() <= kMostShown) return;
  shown_ = NamedByVerdict(summaries);
  StrategyList rest;
  for (const StrategySummary& summary : summaries) {
    if (IsShown(summary.strategy)) continue;
    if (shown_.size() < kMostShown && IsOfPaper(summary.strategy)) {
      shown_.push_back(summary.strategy);
    } else {
      rest.push_back(&summary);
    }
  }
  const auto target = HighestReached(summaries);
  while (shown_.size() < kMostShown && !rest.empty()) {
    const StrategySummary* best = BestOf(rest, target).front();
    shown_.push_back(best->strategy);
    std::erase(rest, best);
  }
  hidden_ = summaries.size() - shown_.size();
}

std::vector<std::string> NamedByVerdict(std::span<const StrategySummary> summaries) {
  const auto target = HighestReached(summaries);
  const StrategyList all = AllOf(summaries);
  std::vector<std::string> names;
  for (const StrategyList& best : {BestOf(all, target), BestByBudgets(all, target)}) {
    for (const StrategySummary* one : best) {
      if (std::ranges::find(names, one->strategy) == names.end()) names.push_back(one->strategy);
    }
  }
  return names;
}

Style Looks::Of(std::string_view strategy) const {
  const auto& known = Strategies();
  const auto found = std::ranges::find(known, strategy, &StrategyEntry::name);
  if (found != known.end()) return StyleAt(std::size_t(found - known.begin()));
  const auto foreign = std::ranges::find(foreign_, strategy);
  return StyleAt(known.size() + std::size_t(foreign - foreign_.begin()));
}

bool Looks::IsShown(std::string_view strategy) const {
  return shown_.empty() || std::ranges::find(shown_, strategy) != shown_.end();
}

LegendEntry MarkEntry(const std::string& strategy, const Style& style) {
  return {.name = strategy, .mark_class = fmt::format("m c{}", style.colour), .shape = style.shape};
}

LegendEntry LineEntry(const std::string& strategy, const Style& style) {
  LegendEntry entry = MarkEntry(strategy, style);
  entry.line_class = fmt::format("l c{} d{}", style.colour, style.dash);
  return entry;
}

}  // namespace airlot::report
