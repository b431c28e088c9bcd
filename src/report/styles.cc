#include "report/styles.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include "airlot/report.h"
#include "airlot/selection.h"
#include "report/summaries.h"

namespace airlot::report {
namespace {

constexpr std::size_t kColours = 6;
static_assert(kColours * kShapeCount == kStyleCount);

bool IsOfPaper(std::string_view strategy) {
  const auto rows = PaperScenarios().front().rows;
  return std::ranges::find(rows, strategy, &PaperRow::strategy) != rows.end();
}

// A larger rank is better: it goes by who reached the target in more runs, then by who needed less
// time or energy; who did not reach it goes by the accuracy.
auto RankOf(const StrategySummary& summary, std::optional<std::size_t> target,
            Moments Arrivals::*cost) {
  double share = 0, mean = 0;
  if (target && summary.targets[*target].first.reached > 0) {
    const Arrivals& first = summary.targets[*target].first;
    share = double(first.reached) / double(summary.runs);
    mean = (first.*cost).mean;
  }
  return std::tuple(share, -mean, share > 0 ? 0 : summary.final_accuracy.mean);
}

using Candidates = std::vector<const StrategySummary*>;

bool IsKept(const StrategySummary* summary) {
  return summary->budget && summary->budget->is_kept();
}

// Returns those that keep their budgets or, where nobody does, the one with the fewest devices
// over.
Candidates Thrifty(const Candidates& all) {
  Candidates kept, known;
  std::ranges::copy_if(all, std::back_inserter(kept), IsKept);
  std::ranges::copy_if(all, std::back_inserter(known),
                       [](const StrategySummary* one) { return one->budget.has_value(); });
  if (!kept.empty() || known.empty()) return kept;
  const auto over = [](const StrategySummary* one) {
    return std::tuple(one->budget->devices_over.mean, one->budget->worst_ratio);
  };
  return {*std::ranges::min_element(known, {}, over)};
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
  const auto add = [&](const std::string& strategy) {
    if (shown_.size() < kMostShown && !IsShown(strategy)) shown_.push_back(strategy);
  };
  Candidates ranked;
  for (const StrategySummary& summary : summaries) {
    if (IsOfPaper(summary.strategy)) add(summary.strategy);
    ranked.push_back(&summary);
  }
  const auto target = HighestReached(summaries);
  std::ranges::stable_sort(ranked, std::greater(), [&](const StrategySummary* summary) {
    return RankOf(*summary, target, &Arrivals::time_s);
  });
  for (const StrategySummary* summary : ranked) add(summary->strategy);
  hidden_ = summaries.size() - shown_.size();
}

std::vector<std::string> NamedByVerdict(std::span<const StrategySummary> summaries) {
  std::vector<std::string> names;
  const auto target = HighestReached(summaries);
  Candidates all;
  for (const StrategySummary& summary : summaries) all.push_back(&summary);
  for (const Candidates& candidates : {all, Thrifty(all)}) {
    for (const auto cost : {&Arrivals::time_s, &Arrivals::energy_j}) {
      const auto best = std::ranges::max_element(
          candidates, {}, [&](const StrategySummary* one) { return RankOf(*one, target, cost); });
      if (best == candidates.end()) continue;
      if (std::ranges::find(names, (*best)->strategy) == names.end()) {
        names.push_back((*best)->strategy);
      }
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
