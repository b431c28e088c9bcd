#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/csv.h"
#include "report/numbers.h"
#include "report/parts.h"
#include "report/statistics.h"

namespace airlot::report {
namespace {

// RoundTimes are of the rounds of all runs of a strategy.
struct RoundTimes {
  std::size_t rounds = 0;
  std::vector<double> time_s;  // times of all rounds with participants
  // These have one value of each run that has any: the share of its rounds in which nobody took
  // part, and of the others the mean time and the mean of the straggler's share. (59)
  std::vector<double> empty_share, mean_time_s, mean_waiting;
};

void AddRun(const KeptRun& run, RoundTimes& times) {
  if (run.records.size() < 2) return;
  const std::size_t rounds = run.records.size() - 1;
  std::vector<double> time_s, waiting;
  for (std::size_t i = 1; i <= rounds; ++i) {
    const RoundRecord& record = run.records[i];
    if (record.participants == 0) continue;
    time_s.push_back(record.time_s - run.records[i - 1].time_s);
    // A sum of times is rounded, so a lone participant may seem to wait for itself a little.
    if (time_s.back() > 0 && record.mean_participation_s) {
      waiting.push_back(std::max(0.0, 1 - *record.mean_participation_s / time_s.back()));
    }
  }
  times.rounds += rounds;
  times.empty_share.push_back(double(rounds - time_s.size()) / double(rounds));
  if (!time_s.empty()) times.mean_time_s.push_back(MomentsOf(time_s).mean);
  if (!waiting.empty()) times.mean_waiting.push_back(MomentsOf(waiting).mean);
  times.time_s.insert(times.time_s.end(), time_s.begin(), time_s.end());
}

RoundTimes TimesOf(const KeptRuns& runs, const std::string& strategy) {
  RoundTimes times;
  for (const KeptRun* run : RunsOf(runs, strategy)) AddRun(*run, times);
  return times;
}

// Returns the mean share and the ends of its 95 % interval, each empty where there is none.
std::string CsvOf(const Moments& share) {
  const std::optional<double> half = HalfWidth(share);
  if (!half) return (share.count == 0 ? "" : Plain(share.mean)) + ",,";
  const Band band = CutToShares({share.mean, share.mean - *half, share.mean + *half});
  return fmt::format("{},{},{}", Plain(band.mean), Plain(band.low), Plain(band.high));
}

std::string ShownShare(const Moments& share) { return ShareText(share.mean, HalfWidth(share)); }

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
                  "Rounds of all seeds: how many there were, the share of them that had no "
                  "participant, and means over those that had; each is the mean over the runs, ± "
                  "half of its 95 % interval over the seeds (Student's t)"};
  table.id = "rounds";
  table.rows.push_back(
      {"strategy", "rounds", "empty rounds", "mean time (s)", "straggler's share"});
  bool has_waiting = false;
  std::string csv = "strategy,share,share_low,share_high\n";
  for (const std::string& strategy : runs.comparison.strategies) {
    const RoundTimes times = TimesOf(runs, strategy);
    if (times.rounds == 0) continue;
    curves.push_back({.strategy = strategy,
                      .style = looks.Of(strategy),
                      .is_shown = looks.IsShown(strategy),
                      .points = Distribution(times.time_s, kMostPoints),
                      .is_steps = true});
    const Moments waiting = MomentsOf(times.mean_waiting), time_s = MomentsOf(times.mean_time_s);
    const bool is_recorded = waiting.count > 0;
    has_waiting |= is_recorded;
    const std::string shown = is_recorded ? ShownShare(waiting) : "not recorded";
    bars.bars.push_back(
        {.strategy = strategy,
         .style = looks.Of(strategy),
         .value = is_recorded ? std::optional(waiting.mean) : std::nullopt,
         .spread = waiting.count < kLeastForBand ? 0 : HalfWidth(waiting).value_or(0),
         .text = shown});
    base::AppendCsvField(csv, strategy);
    csv += fmt::format(",{}\n", CsvOf(waiting));
    table.styles.push_back(looks.Of(strategy));
    table.rows.push_back(
        {strategy, Short(double(times.rounds)), ShownShare(MomentsOf(times.empty_share)),
         time_s.count == 0 ? "-" : MeanText(time_s.mean, HalfWidth(time_s)), shown});
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
             "over the rounds with participants of a run, and over the runs; the line is the 95 % "
             "interval of the mean over seeds (Student's t), from three runs on.",
             runs.comparison.scenario.books.download_time ? " or for the model" : "")},
        {.label = "share of the round", .name = "share", .is_percent = true}, {bars},
        std::move(csv)));
  }
  part.tables.push_back(std::move(table));
  return part;
}

}  // namespace airlot::report
