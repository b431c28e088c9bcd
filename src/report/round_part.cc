#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/csv.h"
#include "report/numbers.h"
#include "report/parts.h"

namespace airlot::report {
namespace {

// RoundTimes are of the rounds of all runs of a strategy.
struct RoundTimes {
  std::vector<double> time_s;   // times of rounds with participants
  std::size_t empty = 0;        // number of rounds in which nobody took part
  std::vector<double> waiting;  // the straggler's share of each round with participants. (59)
};

RoundTimes TimesOf(const KeptRuns& runs, const std::string& strategy) {
  RoundTimes times;
  for (const KeptRun* run : RunsOf(runs, strategy)) {
    for (std::size_t i = 1; i < run->records.size(); ++i) {
      const RoundRecord& record = run->records[i];
      if (record.participants == 0) {
        ++times.empty;
        continue;
      }
      const double time_s = record.time_s - run->records[i - 1].time_s;
      times.time_s.push_back(time_s);
      // A sum of times is rounded, so a lone participant may seem to wait for itself a little.
      if (time_s > 0 && record.mean_participation_s) {
        times.waiting.push_back(std::max(0.0, 1 - *record.mean_participation_s / time_s));
      }
    }
  }
  return times;
}

std::optional<double> MeanOf(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(MomentsOf(values).mean);
}

}  // namespace

Part RoundPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks) {
  constexpr std::size_t kMostPoints = 100;
  Part part{.id = prefix + "rounds",
            .title = "Rounds",
            .text = fmt::format(
                "A round lasts until its last participant is done, and the others wait for it. Its "
                "time is that of {}.",
                BookedTimes(runs.comparison.scenario.books))};
  std::vector<Curve> curves;
  BarGroup bars;
  Table table{.caption =
                  "Rounds of all seeds: how many there were, how many of them had no participant, "
                  "and means "
                  "over those that had"};
  table.rows.push_back(
      {"strategy", "rounds", "empty rounds", "mean time (s)", "straggler's share"});
  bool has_waiting = false;
  std::string csv = "strategy,share\n";
  for (const std::string& strategy : runs.comparison.strategies) {
    const RoundTimes times = TimesOf(runs, strategy);
    const std::size_t rounds = times.time_s.size() + times.empty;
    if (rounds == 0) continue;
    curves.push_back({.strategy = strategy,
                      .style = looks.Of(strategy),
                      .is_shown = looks.IsShown(strategy),
                      .points = Distribution(times.time_s, kMostPoints),
                      .is_steps = true});
    const std::optional<double> waiting = MeanOf(times.waiting);
    has_waiting |= waiting.has_value();
    const std::string shown = waiting ? Percent(*waiting) : "not recorded";
    bars.bars.push_back(
        {.strategy = strategy, .style = looks.Of(strategy), .value = waiting, .text = shown});
    base::AppendCsvField(csv, strategy);
    csv += fmt::format(",{}\n", waiting ? Plain(*waiting) : "");
    table.styles.push_back(looks.Of(strategy));
    table.rows.push_back(
        {strategy, Short(double(rounds)), Percent(double(times.empty) / double(rounds)),
         times.time_s.empty() ? "-" : ShortUtf8(MomentsOf(times.time_s).mean), shown});
  }
  part.figures.push_back(DrawLines(
      {prefix + "round-times", "How long rounds take",
       "The curves are the share of rounds with participants that took at most so long, over all "
       "seeds."},
      {.label = "time of a round (s): " + BookedTimes(runs.comparison.scenario.books),
       .name = "round_time_s",
       .is_log = true},
      {.label = "share of rounds", .name = "share", .is_percent = true}, curves, {}));
  if (has_waiting) {
    part.figures.push_back(DrawBars(
        {prefix + "stragglers", "The straggler's share",
         fmt::format(
             "The bars show for how much of a round a participant waits for the others{}: mean "
             "over the rounds with participants of all seeds.",
             runs.comparison.scenario.books.download_time ? " or for the model" : "")},
        {.label = "share of the round", .name = "share", .is_percent = true}, {bars},
        std::move(csv)));
  }
  part.tables.push_back(std::move(table));
  return part;
}

}  // namespace airlot::report
