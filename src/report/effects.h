// An Effect is what one strategy takes or reaches beside another, over pairs of runs with the same
// seed. (docs/verdicts.md, "Effects between strategies")
#ifndef AIRLOT_REPORT_EFFECTS_H_
#define AIRLOT_REPORT_EFFECTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/experiment.h"
#include "airlot/kept_runs.h"
#include "airlot/report.h"
#include "airlot/result.h"

namespace airlot::report {

// A Metric is a column in which strategies are compared. Of all but the last, less is better.
enum class Metric : std::uint8_t {
  kTime,           // time to reach a target first
  kEnergy,         // energy to reach a target first
  kHeldTime,       // time to hold a target
  kHeldEnergy,     // energy to hold a target
  kFinalAccuracy,  // accuracy at the end
};
// Returns its name in files: "time_s", "energy_j", "held_time_s", ...
std::string_view MetricName(Metric metric);
// Says whether effects of a metric are ratios; else they are differences in points of a percent.
bool IsRatio(Metric metric);

// An Effect is the ratio of what the second strategy takes to what the first one takes, or how many
// points the second one reaches more.
struct Effect {
  std::string first, second;
  Metric metric = Metric::kTime;
  double target = 0;       // an accuracy; 0 for the final accuracy
  std::size_t pairs = 0;   // number of seeds that both have
  std::size_t missed = 0;  // number of pairs in which a run did not reach the target
  // The estimate is the mean over the pairs: e to the power of the mean logarithm, or the mean
  // difference. Where runs missed the target it lies between two bounds, of which one or both may
  // not be known; else the bounds are equal.
  std::optional<double> at_least, at_most;
  // These are the ends of the 95 % interval. An end that is not known is not set. (V3)
  std::optional<double> low, high;
  std::optional<double> p;           // of the paired t test, if there is one (V10)
  std::optional<double> adjusted_p;  // corrected by Holm over all pairs of the table (V12)
};
// Returns the effect between two strategies, without the corrected p value.
Effect EffectBetween(const StrategySummary& first, const StrategySummary& second, Metric metric,
                     double target = 0);
// Returns the effects between any two strategies, in the order of the strategies. They are one
// table: their p values are corrected for the number of those with two pairs of runs or more.
std::vector<Effect> EffectsBetween(std::span<const StrategySummary> summaries, Metric metric,
                                   double target = 0);
// Returns the same effect with the two strategies changed over.
Effect ChangedOver(const Effect& effect);

// Says which strategy may be set in bold in a column: the one with the best mean, if its difference
// from every other strategy of the column is significant at 5 % by the corrected paired test over
// three pairs of runs or more; so there is at most one. A strategy that no run of reached the
// target, so that the column has no number of it, is not compared.
std::vector<bool> BestOf(std::span<const StrategySummary> summaries, Metric metric,
                         double target = 0);
// This says by which test cells are in bold, for a caption or a note.
inline constexpr std::string_view kBoldNote =
    "bold: the best of a column, where its difference from every other one is significant at 5 % "
    "(paired t test over seeds, p values corrected by Holm over all pairs of strategies)";

// An EffectTable has the effects between any two strategies in one metric.
struct EffectTable {
  Metric metric = Metric::kTime;
  double target = 0;
  std::vector<Effect> effects;  // of all pairs
  std::size_t tested = 0;       // number of comparisons that Holm's correction is over
  // Where there are more than kMostInPairs strategies, this is the one with the best mean, and only
  // the effects of the others beside it are shown.
  std::optional<std::string> best = {};
  Score score = Score::kAccuracy;
};
inline constexpr std::size_t kMostInPairs = 8;
// Returns the tables of time and energy to each target, then that of the final accuracy, without
// those in which nobody reached the target or nothing can be tested.
std::vector<EffectTable> EffectTables(std::span<const StrategySummary> summaries);
// Returns the effects that are shown of a table.
std::vector<Effect> ShownEffects(const EffectTable& table);

// Returns what is compared, such as "time to 59 %".
std::string SubjectOf(const EffectTable& table);
// Returns the rows of a table for people, the head first.
std::vector<std::vector<std::string>> EffectRows(const EffectTable& table, const TableStyle& style);
// Says what the numbers of a table are.
std::string NoteOf(const EffectTable& table);
// Returns all effects of the tables as CSV, which is empty where there are none.
std::string EffectsCsv(std::span<const EffectTable> tables);

// ScenarioEffects are those of a run directory.
struct ScenarioEffects {
  std::string scenario;
  std::vector<EffectTable> tables;
  std::vector<std::string> left_out = {};  // runs that do not count, and why
};
// Reads the complete runs of a run directory, or of each in a folder of them, and compares them.
Result<std::vector<ScenarioEffects>> ReadEffects(const std::string& directory);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_EFFECTS_H_
