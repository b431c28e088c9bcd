// A PlanSummary is what `airlot plan` prints.
#ifndef AIRLOT_CLI_PLAN_SUMMARY_H_
#define AIRLOT_CLI_PLAN_SUMMARY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "airlot/band_split.h"
#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "airlot/result.h"
#include "cli/airtime_summary.h"
#include "cli/histogram.h"
#include "cli/plan_floor.h"
#include "cli/radio_summary.h"

namespace airlot::cli {

// A BandSummary says how the band was split, where not equally.
struct BandSummary {
  double value = 0, equal_value = 0, bound = 0, price = 0;  // values as in BandSplit
  std::size_t devices_with_band = 0;
  double used_hz = 0, total_hz = 0;
  // This is Σ w·a of the plan that was made, by its solver and time weight.
  double planned_value = 0;
  bool has_weights = true;  // whether some device has a weight
  // The plan is of a round with its own channel, but the split and the values are of the mean
  // channel.
  bool is_of_round = false;
  double compared_value() const { return is_of_round ? value : planned_value; }
  // The gain is how much more is reached than without the split, relative; it is infinite where
  // that is nothing.
  double gain() const { return compared_value() / equal_value - 1; }
  // excess() is the largest violation of Σ B <= total, and gap() is that of the plan to the bound;
  // both are relative.
  double excess() const { return std::max(used_hz / total_hz - 1, 0.0); }
  double gap() const { return bound > 0 ? 1 - planned_value / bound : 0; }
};

// A FadingChannel says for which channel of many a plan is.
struct FadingChannel {
  std::optional<std::uint64_t> round;  // none: the mean channel
};

// A PlanSummary holds everything that is printed, as text or as JSON.
struct PlanSummary {
  std::string scenario;
  std::optional<std::string> fleet_file, plan_file, report_file;
  std::size_t devices = 0;
  double min_probability = 0;
  // Where round.time_weight is not 0, the plan weighs the time of the round.
  double time_weight = 0;
  TimeRule time_rule = TimeRule::kExpected;
  // The limit on time binds at every device that is short of energy or power, too. (12)
  bool binds_time = false;
  std::optional<Levers> levers;
  Solver solver = Solver::kExact;
  std::size_t unfinished = 0;
  Expectations expectations;
  double lowest = 0, median = 0, highest = 0;  // those of the probabilities
  Histogram histogram;
  double read_s = 0, solve_s = 0, write_s = 0;
  std::string sharing;
  std::optional<FadingChannel> channel;  // set where channels fade
  std::optional<BandSummary> band;
  std::optional<AirtimeSummary> airtime;  // set where the plan is of the round's airtime
  std::optional<RadioSummary> radio;      // set where powers or rates come in steps
  std::optional<Certificate> certificate;
  std::optional<FloorSummary> floor;
  std::vector<std::string> notes;  // what a user should know of how the fleet's file was taken
};

// Fills in what concerns the probabilities: extremes, median, histogram.
// Where there is a team, they are those of the devices of all members.
void SummariseProbabilities(std::span<const double> probabilities, const Hands& hands,
                            PlanSummary& summary);

// Returns what the independent check has found wrong with the plan, if anything.
std::optional<Error> FailureOf(const PlanSummary& summary);

// Says what the split of the band means for the fleet and the plan; where there is a team, for the
// devices of all members.
BandSummary SummariseBand(const BandSplit& split, const Fleet& fleet, const Plan& plan,
                          const Hands& hands = 1);

std::string PlanText(const PlanSummary& summary);
void WritePlanJson(std::FILE* stream, const PlanSummary& summary);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_PLAN_SUMMARY_H_
