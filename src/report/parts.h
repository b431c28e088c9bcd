// These functions make the parts of a section, and each file holds one of them.
#ifndef AIRLOT_REPORT_PARTS_H_
#define AIRLOT_REPORT_PARTS_H_

#include <span>
#include <string>
#include <vector>

#include "airlot/kept_runs.h"
#include "report/run_fleet.h"
#include "report/section.h"

namespace airlot::report {

// This part shows accuracy against time, energy and rounds. In all parts, `prefix` begins the ids
// of the figures.
Part AccuracyPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// This part shows time and energy to each target, beside the paper's where it has them.
Part TargetPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks,
                std::span<const StrategySummary> summaries);

// This part shows how long rounds take, and how much of that is waiting for the slowest.
Part RoundPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// This part shows who took part how often, and the energy that it cost; it has no figures where no
// run has rounds.
Part ParticipationPart(const std::string& prefix, const RunFleet& fleet, const Looks& looks);

// This part shows when batteries are empty; it has no figures where no device has one.
Part BatteryPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// Returns the runs of a strategy that its curves are made of: the complete ones or, where there are
// none, all that have begun.
std::vector<const KeptRun*> RunsOf(const KeptRuns& runs, const std::string& strategy);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PARTS_H_
