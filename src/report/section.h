// A Section is one scenario in a report: its sentence, its tables, its figures.
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
  std::vector<std::vector<std::string>> rows;  // The first row is the head.
  // Where the rows are strategies, these are their looks, one for each row after the head.
  std::vector<Style> styles = {};
  std::string id = {};  // unique in its section; the name of its file: "targets-time"
  // These cells are bold in LaTeX, one for each cell of `rows`; none is where this is empty. The
  // caption says what bold means.
  std::vector<std::vector<bool>> bold = {};
  std::size_t names = 1;  // so many columns, the first ones, say what a row is about
};

// A Part is what belongs together under a heading.
struct Part {
  std::string id, title, text;
  std::vector<std::string> notes;
  std::vector<Figure> figures;
  std::vector<Table> tables;
};

struct Section {
  std::string id;
  std::string name;                   // name of the scenario
  std::string sentence;               // what came out
  std::string facts;                  // such as "cnn on mnist, 100 devices, ..."
  std::vector<std::string> left_out;  // runs that nothing can be shown of, and why
  std::vector<std::string> notes;     // all notes, with those on what is left out
  std::vector<StrategySummary> summaries;
  std::vector<Part> parts;
  std::string effects_csv = {};  // effects between strategies; empty where nothing was tested
  std::string scenario;          // resolved scenario as TOML
  Repetition repetition;
  // This is a note on the paper's numbers beside these; it is empty where the setting is the same.
  std::string paper_note;
  std::string version;  // version of the airlot that made the runs
  // This is the SIMD target of the processor that airlot ran on; it is empty where that is not
  // known.
  std::string simd_target;
};

// Makes the section of some runs; `id` begins the ids of all that is in it. The caller sets its
// repetition.
Section SectionOf(const std::string& id, const ReducedRuns& runs, Looks looks);

// Makes the section of a plan alone.
Section PlanSection(const Scenario& scenario, const Fleet& fleet, const PlanningProblem& problem,
                    const PlanView& plan, const Expectations& expectations,
                    const PlanOrigin& origin);

// This table shows what the planner expects of a round, and what limits the devices.
Table ExpectationTable(const Expectations& expectations);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SECTION_H_
