// One scenario in a report: its sentence, its tables, its figures.
#ifndef AIRLOT_REPORT_SECTION_H_
#define AIRLOT_REPORT_SECTION_H_

#include <string>
#include <vector>

#include "airlot/experiment.h"
#include "airlot/kept_runs.h"
#include "airlot/report.h"
#include "report/figure.h"
#include "report/run_fleet.h"

namespace airlot::report {

struct Table {
  std::string caption;
  std::vector<std::vector<std::string>> rows;  // the first is the head
};

// What belongs together under a heading.
struct Part {
  std::string id, title, text;
  std::vector<std::string> notes;
  std::vector<Figure> figures;
  std::vector<Table> tables;
};

struct Section {
  std::string id;
  std::string name;                   // of the scenario
  std::string sentence;               // what came out
  std::string facts;                  // "cnn on mnist, 100 devices, ..."
  std::vector<std::string> left_out;  // runs that nothing can be shown of, and why
  std::vector<std::string> notes;     // these and others
  std::vector<StrategySummary> summaries;
  std::vector<Part> parts;
  std::string scenario;  // as resolved, TOML
  Repetition repetition;
  std::string paper_note;   // on the paper's numbers beside these; empty: the setting is the same
  std::string version;      // of the airlot that made the runs
  std::string simd_target;  // of the processor that it ran on; empty: not known
};

// `id` begins the ids of all that is in it. Its repetition is for the caller to set.
Section SectionOf(const std::string& id, const ReducedRuns& runs, Looks looks);

// The section of a plan alone.
Section PlanSection(const Scenario& scenario, const Fleet& fleet, const PlanningProblem& problem,
                    const PlanView& plan, const Expectations& expectations,
                    const PlanOrigin& origin);

// What the planner expects of a round, and what limits the devices.
Table ExpectationTable(const Expectations& expectations);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SECTION_H_
