// These functions make the parts of a section, and each file holds one of them.
#ifndef AIRLOT_REPORT_PARTS_H_
#define AIRLOT_REPORT_PARTS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "airlot/fleet.h"
#include "airlot/kept_runs.h"
#include "airlot/planning.h"
#include "report/effects.h"
#include "report/run_fleet.h"
#include "report/section.h"

namespace airlot::report {

// This part shows accuracy against time, energy and rounds. In all parts, `prefix` begins the ids
// of the figures.
Part AccuracyPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// This part shows time and energy to each target, beside the paper's where it has them.
Part TargetPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks,
                std::span<const StrategySummary> summaries);

// This figure of that part shows time against energy to the highest target that anybody reached; it
// is missing where there is none.
std::optional<Figure> TradeFigure(const std::string& prefix,
                                  std::span<const StrategySummary> summaries, const Looks& looks,
                                  const Books& books);

// This part shows the effects between strategies, a table for each metric.
Part EffectPart(const std::string& prefix, std::span<const EffectTable> tables);

// This part shows how far devices stay within their energy budgets; it has no figures where these
// are not known.
Part BudgetPart(const std::string& prefix, const ReducedRuns& runs, const Looks& looks,
                std::span<const StrategySummary> summaries);

// This part shows the accuracy of each class at the end; it has no figures where no run kept it.
Part ClassPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// This part shows how long rounds take, and how much of that is waiting for the slowest.
Part RoundPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// This part shows who took part how often, and the energy that it cost; it has no figures where no
// run has rounds.
Part ParticipationPart(const std::string& prefix, const RunFleet& fleet, const Looks& looks);

// This part shows when batteries are empty; it has no figures where no device has one.
Part BatteryPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks);

// This part of a plan shows what devices need that stay below a wanted probability.
Part FloorPart(double min_probability, const Fleet& fleet, const FloorReport& floor);

// Returns the runs of a strategy that its curves are made of: the complete ones or, where there are
// none, all that have begun.
std::vector<const KeptRun*> RunsOf(const KeptRuns& runs, const std::string& strategy);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_PARTS_H_
