#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/numbers.h"
#include "report/parts.h"
#include "report/statistics.h"

namespace airlot::report {
namespace {

constexpr std::size_t kMostPoints = 100;

bool HasBatteries(const KeptRun& run) {
  return !run.records.empty() && run.records.back().empty_batteries.has_value() &&
         run.device_count > 0;
}

// Returns the share of devices with too little charge, against rounds.
Track TrackOf(const KeptRun& run) {
  Track track;
  for (const RoundRecord& record : run.records) {
    track.x.push_back(double(record.round));
    track.y.push_back(record.empty_batteries.value_or(0) / double(*run.device_count));
  }
  return track;
}

// Returns the first round of which at least so many devices stayed out, or null where there is
// none.
const RoundRecord* FirstWith(const KeptRun& run, double devices) {
  const auto found = std::ranges::find_if(
      run.records, [&](const RoundRecord& record) { return record.empty_batteries >= devices; });
  return found == run.records.end() ? nullptr : &*found;
}

// Returns "round 12 ± 2 (3.4 ± 0.5 s)", the means over the runs in which it happens, or "never".
std::string When(const std::vector<const KeptRun*>& runs, double share) {
  std::vector<double> rounds, times_s;
  for (const KeptRun* run : runs) {
    const double devices = std::max(1.0, share * double(*run->device_count));
    if (const RoundRecord* record = FirstWith(*run, devices)) {
      rounds.push_back(double(record->round));
      times_s.push_back(record->time_s);
    }
  }
  if (rounds.empty()) return "never";
  const Moments round = MomentsOf(rounds), time_s = MomentsOf(times_s);
  const std::optional<double> half = HalfWidth(round);
  // Half of an interval is rounded up, so that it does not seem narrower than it is.
  std::string text = fmt::format(
      "round {} ({} s)",
      MeanText(std::round(round.mean), half ? std::optional(std::ceil(*half)) : std::nullopt),
      MeanText(time_s.mean, HalfWidth(time_s)));
  if (rounds.size() < runs.size()) text += fmt::format(", {} of {}", rounds.size(), runs.size());
  return text;
}

}  // namespace

Part BatteryPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks) {
  Part part{.id = prefix + "batteries",
            .title = "Batteries",
            .text =
                "A device whose charge does not pay for its participation stays out of the round. "
                "Where channels fade, a bad channel is enough: it makes the upload dear."};
  Table table{
      .caption = fmt::format(
          "When devices stay out for want of charge: mean over the runs in which it happens, "
          "which are counted where they are not all, ± half of its 95 % interval over them "
          "(Student's t). Times are of {}",
          BookedTimes(runs.comparison.scenario.books))};
  table.id = "batteries";
  table.rows.push_back({"strategy", "the first device", "half of all", "at the end"});
  std::vector<Curve> curves;
  for (const std::string& strategy : runs.comparison.strategies) {
    std::vector<const KeptRun*> counted = RunsOf(runs, strategy);
    std::erase_if(counted, [](const KeptRun* run) { return !HasBatteries(*run); });
    std::vector<Track> tracks;
    std::vector<double> last;
    for (const KeptRun* run : counted) {
      tracks.push_back(TrackOf(*run));
      last.push_back(tracks.back().y.back());
    }
    if (tracks.empty()) continue;
    curves.push_back(MeanCurveOf(strategy, looks, tracks, kMostPoints));
    table.styles.push_back(looks.Of(strategy));
    table.rows.push_back({strategy, When(counted, 0), When(counted, 0.5),
                          ShareText(MomentsOf(last).mean, HalfWidth(MomentsOf(last)))});
  }
  if (curves.empty()) return part;
  part.figures.push_back(DrawLines(
      {prefix + "empty-batteries", "Too little charge",
       "The curves are the share of devices that stay out of a round for want of charge; "
       "each is the mean over the runs, with a pointwise 95 % confidence band from three runs "
       "on; a thin line is the mean over those runs that go on."},
      {.label = "rounds", .name = "round"},
      {.label = "share of devices", .name = "share", .is_percent = true}, curves, {}));
  part.tables.push_back(std::move(table));
  return part;
}

}  // namespace airlot::report
