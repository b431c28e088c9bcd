// What `airlot plan` prints.
#ifndef AIRLOT_CLI_PLAN_SUMMARY_H_
#define AIRLOT_CLI_PLAN_SUMMARY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "airlot/planning.h"
#include "cli/histogram.h"

namespace airlot::cli {

// Everything that is printed, as text or as JSON.
struct PlanSummary {
  std::string scenario, fleet_file, plan_file, report_file;
  std::size_t devices = 0;
  double min_probability = 0;
  Solver solver = Solver::kExact;
  std::size_t unfinished = 0;
  Expectations expectations;
  double lowest = 0, median = 0, highest = 0;  // of the probabilities
  Histogram histogram;
  double read_s = 0, solve_s = 0, write_s = 0;
  std::optional<Certificate> certificate;
  std::optional<FloorReport> floor;
  std::vector<std::string> floor_ids;
};

// Fills in what concerns the probabilities: extremes, median, histogram.
void SummariseProbabilities(Values probabilities, PlanSummary& summary);

std::string PlanText(const PlanSummary& summary);
std::string PlanJson(const PlanSummary& summary);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_PLAN_SUMMARY_H_
