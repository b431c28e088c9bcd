// Levers of an airtime plan are differences of plans that are solved anew: its devices share one
// price, so that no device's optimum can be followed alone.
#include <cstddef>

#include "airlot/airtime_expectations.h"

namespace airlot {
namespace {

constexpr double kHalfPercent = 0.005;

ColumnValues Scaled(const ColumnView& column, std::size_t devices, double factor) {
  ColumnValues values(devices);
  for (std::size_t i = 0; i < devices; ++i) values[i] = factor * column[i];
  return values;
}

// An AirtimeOutcome is what levers compare of a plan.
struct AirtimeOutcome {
  double value = 0;  // participants or, where their number is given, seconds
  AirtimeGoal goal = AirtimeGoal::kTime;
  AirtimeFloors floors = AirtimeFloors::kNotWanted;
  bool IsLike(const AirtimeOutcome& other) const {
    return goal == other.goal && floors == other.floors;
  }
};

class LeverFinder {
 public:
  LeverFinder(const AirtimeRules& rules, const Cell& cell, std::span<const double> data_share,
              std::span<const double> own_band_probability, const Hands& hands)
      : rules_(rules),
        cell_(cell),
        data_share_(data_share),
        own_band_probability_(own_band_probability),
        hands_(hands) {
    AirtimeRound round(rules_);
    round.Plan(cell_, data_share_, own_band_probability_, hands_);
    rules_.sharing = round.takes_turns() ? AirtimeSharing::kTurns : AirtimeSharing::kBands;
    as_it_is_ = OutcomeOf(round);
  }

  bool are_seconds() const { return as_it_is_.goal == AirtimeGoal::kParticipants; }

  // A wider band has L/f and, where the noise is a density, g·f; `ColumnsIn` sees to both.
  double OfBand() const {
    return Difference([&](double factor) {
      Cell cell = cell_;
      cell.total_bandwidth_hz *= factor;
      return Planned(cell);
    });
  }
  double OfColumn(ColumnView PlanningProblem::*column) const {
    return Difference([&](double factor) {
      const ColumnValues values = Scaled(cell_.problem.*column, cell_.problem.devices, factor);
      Cell cell = cell_;
      cell.problem.*column = values;
      return Planned(cell);
    });
  }

 private:
  AirtimeOutcome OutcomeOf(const AirtimeRound& round) const {
    const bool is_time = round.problem().goal == AirtimeGoal::kTime;
    return {.value = is_time ? round.plan().participants : ExpectTimes(round, hands_).at_most_s(),
            .goal = round.problem().goal,
            .floors = round.floors()};
  }
  AirtimeOutcome Planned(const Cell& cell) const {
    AirtimeRound round(rules_);
    round.Plan(cell, data_share_, own_band_probability_, hands_);
    return OutcomeOf(round);
  }
  // (A23)
  template <class PlannedWith>
  double Difference(const PlannedWith& planned_with) const {
    const AirtimeOutcome more = planned_with(1 + kHalfPercent);
    const AirtimeOutcome less = planned_with(1 - kHalfPercent);
    const bool is_more_like = more.IsLike(as_it_is_), is_less_like = less.IsLike(as_it_is_);
    if (is_more_like && is_less_like) return more.value - less.value;
    if (is_more_like) return 2 * (more.value - as_it_is_.value);
    return is_less_like ? 2 * (as_it_is_.value - less.value) : 0;
  }

  AirtimeRules rules_;
  const Cell& cell_;
  std::span<const double> data_share_, own_band_probability_;
  Hands hands_;
  AirtimeOutcome as_it_is_;
};

}  // namespace

AirtimeLevers FindAirtimeLevers(const AirtimeRules& rules, const Cell& cell,
                                std::span<const double> data_share,
                                std::span<const double> own_band_probability, const Hands& hands) {
  const LeverFinder finder(rules, cell, data_share, own_band_probability, hands);
  return {.are_seconds = finder.are_seconds(),
          .adds = {.bandwidth = finder.OfBand(),
                   .max_power = finder.OfColumn(&PlanningProblem::max_power_w),
                   .time_limit = finder.OfColumn(&PlanningProblem::time_limit_s),
                   .energy_budget = finder.OfColumn(&PlanningProblem::energy_budget_j)}};
}

}  // namespace airlot
