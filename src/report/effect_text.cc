#include <fmt/format.h>

#include <algorithm>

#include "base/csv.h"
#include "report/effects.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

std::string NumberText(double value, const TableStyle& style) {
  return style.utf8 ? ShortUtf8(value) : Short(value);
}

// Returns an estimate as "1.23"; "≥ 1.23" or "≤ 1.23" where only a bound is known, and "?" where
// none is.
std::string EstimateText(const Effect& effect, const TableStyle& style) {
  if (effect.at_least && effect.at_most) return NumberText(*effect.at_least, style);
  if (effect.at_least) {
    return fmt::format("{} {}", style.utf8 ? "≥" : ">=", NumberText(*effect.at_least, style));
  }
  if (effect.at_most) {
    return fmt::format("{} {}", style.utf8 ? "≤" : "<=", NumberText(*effect.at_most, style));
  }
  return "?";
}

std::string IntervalText(const Effect& effect, const TableStyle& style) {
  const auto end = [&](const std::optional<double>& value) {
    return value ? NumberText(*value, style) : "?";
  };
  return fmt::format("{} to {}", end(effect.low), end(effect.high));
}

// Returns a p value with two digits.
std::string PText(const std::optional<double>& p) {
  constexpr double kLeast = 0.0001;
  if (!p) return "-";
  return *p < kLeast ? fmt::format("<{}", kLeast) : fmt::format("{:.2g}", *p);
}

std::string PairText(const Effect& effect, const TableStyle& style) {
  const std::string_view sign = IsRatio(effect.metric) ? "/" : style.utf8 ? "−" : "-";
  return fmt::format("{} {} {}", effect.second, sign, effect.first);
}

std::string PlainOrNothing(const std::optional<double>& value) {
  return value ? Plain(*value) : "";
}

// Returns what differences at the end are counted in.
std::string PointsOf(Score score) { return score == Score::kR2 ? "hundredths" : "points"; }

}  // namespace

std::string SubjectOf(const EffectTable& table) {
  if (!IsRatio(table.metric)) return fmt::format("{} at the end", ScoreName(table.score));
  const bool is_time = table.metric == Metric::kTime || table.metric == Metric::kHeldTime;
  const bool is_first = table.metric == Metric::kTime || table.metric == Metric::kEnergy;
  return fmt::format("{} to {}{}", is_time ? "time" : "energy", is_first ? "" : "hold ",
                     TargetText(table.score, table.target));
}

std::vector<std::vector<std::string>> EffectRows(const EffectTable& table,
                                                 const TableStyle& style) {
  std::vector<std::vector<std::string>> rows(
      1, {SubjectOf(table), IsRatio(table.metric) ? "ratio" : PointsOf(table.score), "95 %", "p",
          "p, Holm"});
  const std::vector<Effect> effects = ShownEffects(table);
  const bool is_missed =
      std::ranges::any_of(effects, [](const Effect& effect) { return effect.missed > 0; });
  if (is_missed) rows[0].emplace_back("missed");
  for (const Effect& effect : effects) {
    auto& row = rows.emplace_back(std::vector<std::string>{
        PairText(effect, style), EstimateText(effect, style), IntervalText(effect, style),
        PText(effect.p), PText(effect.adjusted_p)});
    if (is_missed) row.push_back(fmt::format("{} of {}", effect.missed, effect.pairs));
  }
  return rows;
}

std::string NoteOf(const EffectTable& table) {
  std::string text =
      IsRatio(table.metric)
          ? "how many times as much the strategy named first takes as the one named second"
          : fmt::format("by how many {} the strategy named first is above the one named second",
                        table.score == Score::kR2 ? "hundredths of R²" : "points of a percent");
  text += fmt::format(
      ": the mean over pairs of runs with the same seed{}, its 95 % interval, the p value of the "
      "paired t test, and that value corrected by Holm's method over the {} of strategies",
      IsRatio(table.metric) ? " (of logarithms)" : "", CountOf(table.tested, "pair"));
  const bool is_missed =
      std::ranges::any_of(table.effects, [](const Effect& effect) { return effect.missed > 0; });
  if (is_missed) {
    text +=
        "; where a run missed the target (in so many pairs), it would have taken at least the "
        "whole of it, and what is not known is a \"?\"";
  }
  if (table.best) {
    text += fmt::format(
        "; shown are the others beside {}, which has the best mean; effects.csv "
        "({}) has all pairs",
        *table.best, "airlot report --figures");
  }
  return text;
}

std::string EffectsCsv(std::span<const EffectTable> tables) {
  if (tables.empty()) return "";
  std::string csv =
      "metric,target,first,second,estimate,at_least,at_most,low,high,p,p_holm,pairs,missed\n";
  for (const EffectTable& table : tables) {
    for (const Effect& effect : table.effects) {
      const bool is_known = effect.at_least && effect.at_most;
      csv += fmt::format("{},{},", MetricName(effect.metric),
                         IsRatio(effect.metric) ? Plain(effect.target) : "");
      base::AppendCsvField(csv, effect.first);
      csv += ",";
      base::AppendCsvField(csv, effect.second);
      csv += fmt::format(",{},{},{},{},{},{},{},{},{}\n", is_known ? Plain(*effect.at_least) : "",
                         PlainOrNothing(effect.at_least), PlainOrNothing(effect.at_most),
                         PlainOrNothing(effect.low), PlainOrNothing(effect.high),
                         PlainOrNothing(effect.p), PlainOrNothing(effect.adjusted_p), effect.pairs,
                         effect.missed);
    }
  }
  return csv;
}

}  // namespace airlot::report
