// This header says what the airtime plan of a cell means: for each device, for a round, and with a
// little more of a resource (docs/airtime.md, section 10).
#ifndef AIRLOT_AIRTIME_EXPECTATIONS_H_
#define AIRLOT_AIRTIME_EXPECTATIONS_H_

#include <span>

#include "airlot/airtime_round.h"
#include "airlot/cell.h"
#include "airlot/fleet.h"
#include "airlot/plan_file.h"
#include "airlot/planning.h"

namespace airlot {

// Returns a row for each device, as if it were drawn alone. In turns it has the whole band. Where
// devices send at the same time it has as much of the band as takes it no longer than the least
// time m of (A15), at most all of it. `own_bands` is the plan of own bands, and says why a device
// is absent that cannot take part there.
PlanFile DescribeAirtime(const Fleet& fleet, const Cell& cell, const AirtimeRound& round,
                         const PlanView& own_bands);

// AirtimeExpectations are of one round of independent draws. (A16), (A18), (A22)
struct AirtimeExpectations {
  // Its time is the mean where that is known, and else the bound `time_at_most_s`.
  Expectations round;
  double time_at_least_s = 0, time_at_most_s = 0;  // they are equal where the mean is known
  double time_sd_s = 0;                            // 0 where the mean is not known
  AirtimeTimes uploads;                            // the mean time without computation
  bool counts_computation = false;                 // the books or the limit count it
  bool is_time_exact() const { return time_at_least_s == time_at_most_s; }
};
// `rows` are those that `DescribeAirtime` returns. Computation counts where the books count it, or
// else as the time limit does.
AirtimeExpectations ExpectAirtime(const Cell& cell, const AirtimeRound& round, const PlanFile& rows,
                                  const Hands& hands = 1);

// AirtimeLevers say what 1 % more of a resource of all devices would add to the expected
// participants or, where their number is given, to the seconds of `AirtimePlan`. (A23)
struct AirtimeLevers {
  bool are_seconds = false;
  Levers adds;
};
// Plans the cell anew with a little more and a little less of each resource. All else stays as it
// is: also the floors, and how devices share the band.
AirtimeLevers FindAirtimeLevers(const AirtimeRules& rules, const Cell& cell,
                                std::span<const double> data_share,
                                std::span<const double> own_band_probability,
                                const Hands& hands = 1);

}  // namespace airlot

#endif  // AIRLOT_AIRTIME_EXPECTATIONS_H_
