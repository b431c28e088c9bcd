#include "report/styles.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "airlot/report.h"
#include "airlot/selection.h"

namespace airlot::report {
namespace {

constexpr std::size_t kColours = 6;
static_assert(kColours * kShapeCount == kStyleCount);

bool IsOfPaper(std::string_view strategy) {
  const auto rows = PaperScenarios().front().rows;
  return std::ranges::find(rows, strategy, &PaperRow::strategy) != rows.end();
}

// A larger rank is better: it goes by who reached the highest target in more runs, then by who was
// sooner, then by the accuracy.
auto RankOf(const StrategySummary& summary) {
  double share = 0, time_s = 0;
  if (!summary.targets.empty()) {
    const TargetSummary& highest = std::ranges::max(summary.targets, {}, &TargetSummary::target);
    share = double(highest.first.reached) / double(summary.runs);
    time_s = highest.first.time_s.mean;
  }
  return std::tuple(share, -time_s, summary.final_accuracy.mean);
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
  std::vector<const StrategySummary*> others;
  for (const StrategySummary& summary : summaries) {
    if (IsOfPaper(summary.strategy)) {
      shown_.push_back(summary.strategy);
    } else {
      others.push_back(&summary);
    }
  }
  std::ranges::stable_sort(others, std::greater(),
                           [](const StrategySummary* summary) { return RankOf(*summary); });
  for (std::size_t i = 0; shown_.size() < kMostShown; ++i) shown_.push_back(others[i]->strategy);
  hidden_ = summaries.size() - shown_.size();
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
