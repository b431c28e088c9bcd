// The parts of a section, one file for each few.
#ifndef AIRLOT_REPORT_PARTS_H_
#define AIRLOT_REPORT_PARTS_H_

#include <span>
#include <string>
#include <vector>

#include "airlot/kept_runs.h"
#include "report/run_fleet.h"
#include "report/section.h"

namespace airlot::report {

// Accuracy against time, energy and rounds. `prefix` begins the ids of the figures, in all of them.
Part AccuracyPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// Time and energy to each target, beside the paper's where it has them.
Part TargetPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks,
                std::span<const StrategySummary> summaries);

// How long rounds take, and how much of that is waiting for the slowest.
Part RoundPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// Who took part how often, and the energy that it cost; without figures where no run has rounds.
Part ParticipationPart(const std::string& prefix, const RunFleet& fleet, const Looks& looks);

// When batteries are empty; without figures where no device has one.
Part BatteryPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// The runs of a strategy that its curves are made of: the complete ones or, where there are none,
// all that have begun.
std::vector<const KeptRun*> RunsOf(const KeptRuns& runs, const std::string& strategy);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PARTS_H_
