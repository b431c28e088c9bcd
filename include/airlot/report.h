// A report shows results to people: tables, pages with figures, and what the paper says beside
// them.
#ifndef AIRLOT_REPORT_H_
#define AIRLOT_REPORT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/airtime_expectations.h"
#include "airlot/band_split.h"
#include "airlot/experiment.h"
#include "airlot/fleet.h"
#include "airlot/plan_file.h"
#include "airlot/planning.h"
#include "airlot/result.h"
#include "airlot/run_directory.h"
#include "airlot/scenario.h"
#include "airlot/sweep.h"

namespace airlot {

// A TableStyle says how tables are drawn.
struct TableStyle {
  bool utf8 = false;        // box-drawing characters; else ASCII
  std::size_t columns = 0;  // A table is at most so wide; 0: as wide as it needs to be.
};

// Draws cells in columns, the first row as a head, in a box. Text stands on the left, all else on
// the right. A table that is wider than the style allows is drawn in parts, one below the other,
// each with the columns in front that name a row, whose texts are broken at spaces where that is
// not enough.
std::string DrawTable(std::span<const std::vector<std::string>> rows, const TableStyle& style,
                      std::size_t naming_columns = 1);

// Draws per strategy the time and energy to each target, "NA" where no run reached it, and how many
// did, likewise to hold it where a run lost it again; then what DrawWholeRuns draws. Behind "±"
// stands half of the 95 % interval of a mean over the runs; a single run has none. The tables are
// at most 80 columns wide.
std::string DrawSummary(std::span<const StrategySummary> summaries, const TableStyle& style);
// Draws the last part of DrawSummary alone: final accuracy, participants of a round and fairness;
// and, where budgets are known, how many devices were over theirs, how often the worst one spent
// its budget, and the energy beyond the budgets in sum. Below it stands what "±" is.
std::string DrawWholeRuns(std::span<const StrategySummary> summaries, const TableStyle& style);

// Says in a few sentences which strategy to use, and why, from the numbers alone: who is first, who
// takes the least energy, who of them breaks budgets and who is the best that keeps them; then what
// the times count. (docs/verdicts.md, "The verdict") There must be a summary, and the runs must be
// complete.
std::string VerdictText(std::span<const StrategySummary> summaries, const Scenario& scenario,
                        const TableStyle& style = {.utf8 = true});

// Returns as JSON, for machines, what DrawSummary draws, and the verdict.
std::string SummaryJson(const Scenario& scenario, std::span<const StrategySummary> summaries);
// Writes this as summary.json of a run directory. The file appears whole or not at all.
Status WriteSummary(const Scenario& scenario, const std::string& folder,
                    std::span<const StrategySummary> summaries);

// A PaperRow is what the paper's four tables say of a strategy in one of its scenarios. What is not
// set is "NA" there.
struct PaperRow {
  std::string_view strategy;
  std::optional<double> time_s[2];
  std::optional<double> energy_j[2];
};
struct PaperScenario {
  std::string_view name;  // name of the built-in scenario
  double targets[2];
  std::span<const PaperRow> rows;
};
std::span<const PaperScenario> PaperScenarios();

// Draws the paper's two tables of one scenario, each cell "ours (paper)".
std::string DrawPaperTables(const PaperScenario& paper, std::span<const StrategySummary> ours,
                            const TableStyle& style);

// A Verdict is given only where a 95 % confidence interval over seeds lies on one side
// (docs/verdicts.md).
enum class Verdict : std::uint8_t { kYes, kNo, kCannotTell };
std::string_view VerdictName(Verdict verdict);  // "yes", "no" or "cannot tell"

// An Interval is a 95 % confidence interval; an end may be infinite.
struct Interval {
  double low = 0;
  double high = 0;
};

// A Claim is what the paper's text or a table of it says, and whether our runs confirm it.
struct Claim {
  std::string subject;  // "time to 59 %"
  std::string text;     // "deterministic < probabilistic"
  Verdict verdict = Verdict::kCannotTell;
  // This is an interval of how many times as much the second strategy takes as the first, or of
  // another quantity that `unit` names.
  std::optional<Interval> ours;
  std::optional<double> paper;  // the same quantity of the paper's numbers
  std::string_view unit = "";   // empty: a ratio
  std::size_t runs = 0;         // number of pairs or runs that were judged
  std::size_t missed = 0;       // number of those in which a run did not reach the target
};
// Judges every ordering that the tables and the text state. A verdict never depends on what runs
// that missed a target would have taken.
std::vector<Claim> CheckClaims(const PaperScenario& paper, std::span<const StrategySummary> ours);
// Draws the claims with their verdicts, intervals and the paper's numbers, a table for each
// subject, or returns them all as the rows of one table.
std::string DrawClaims(std::span<const Claim> claims, const TableStyle& style);
std::vector<std::vector<std::string>> ClaimRows(std::span<const Claim> claims);

// A PaperDistance says how far our numbers are from the paper's. (docs/verdicts.md, (V5), (V6))
struct PaperDistance {
  std::size_t cells = 0;      // number of cells of the tables that have a number
  double log_sum = 0;         // sum of |ln(ours/paper)| over them
  std::size_t all_cells = 0;  // number of cells, those included that say NA
  double all_log_sum = 0;     // the same sum, where NA stands for the whole run
  std::size_t differing = 0;  // number of cells that only one of us reaches
  std::size_t strategies = 0;
  double power_log_sum = 0;  // sum of |ln(ours/paper)| of the joules per second over strategies
  bool is_known() const { return cells > 0 && strategies > 0; }
  PaperDistance& operator+=(const PaperDistance& other);
};
PaperDistance DistanceFrom(const PaperScenario& paper, std::span<const StrategySummary> ours);

// A Repetition says how to repeat something, in the words of the program that made it: a command,
// or why there is none. Where neither is set, a report says nothing of it.
struct Repetition {
  std::optional<std::string> command = {};
  std::optional<std::string> why_not = {};
  std::optional<std::string> note = {};  // what is to be known beside the command
};

// Says whether runs of a scenario end with the evaluation that reaches its highest target.
bool StopsAtTargets(const Scenario& scenario);
// Returns "4,000 rounds", or "at most 4,000 rounds" where runs may end before.
std::string RoundsText(const Scenario& scenario);

// A PaperFormat is what a figure or a table is written as, for a paper (docs/papers.md). kPdf needs
// pdflatex with the package pgfplots.
enum class PaperFormat {
  kSvg,       // NAME.svg, a figure
  kCsv,       // NAME.csv, its data
  kPgfplots,  // NAME.tex, a figure for LaTeX
  kPdf,       // NAME.pdf, the same, typeset
  kLatex,     // table-NAME.tex, a table for LaTeX with the package booktabs
};
struct PaperFormatName {
  PaperFormat format;
  std::string_view name;
};
std::span<const PaperFormatName> PaperFormats();

// A PaperStyle is how figures and tables look in a paper.
struct PaperStyle {
  enum class Columns {
    kOne,
    kTwo
  };  // as wide as one column of a page (3.5 in), or as two (7.16 in)
  enum class Fonts { kLatex, kSans };  // that of the document around them, or its sans serif
  Columns columns = Columns::kOne;
  Fonts fonts = Fonts::kLatex;
  bool has_titles = true;  // of pgfplots and PDF; other formats draw none
};

struct ReportOptions {
  std::optional<std::string> file = {};     // the page
  std::optional<std::string> figures = {};  // a folder for figures and tables
  std::vector<PaperFormat> formats = {PaperFormat::kSvg, PaperFormat::kCsv, PaperFormat::kPgfplots,
                                      PaperFormat::kLatex};
  PaperStyle paper = {};
  // typeset is told how many of how many PDFs are typeset, by any thread, but by one at a time.
  std::function<void(std::size_t done, std::size_t all)> typeset = {};
  // repetition tells how to repeat the runs of a directory, and sweep_repetition a sweep.
  std::function<Repetition(const Comparison&)> repetition = {};
  std::function<Repetition(const Sweep&)> sweep_repetition = {};
  bool has_heat_maps = false;  // of a sweep over two axes
};

// Returns the file in a run directory, or in a folder of them, that is for its report.
std::string ReportFileOf(const std::string& directory);

// Writes the report of a run directory, of a folder of them, or of a sweep, as one HTML file that
// needs nothing else (docs/report.md). The runs may be going on or have been interrupted: the
// report says so. Returns what is left out, and why: runs that are damaged, and directories beyond
// the number that one page has room for. Fails where the file has the name of another one of a run
// directory: a page over a file of a run would be the end of that run.
Result<std::vector<std::string>> WriteReport(const std::string& directory,
                                             const ReportOptions& options);

// PlanFacts are what people are told of a plan under one heading.
struct PlanFacts {
  std::string id, title;
  std::vector<std::vector<std::string>> rows;  // a name and a text each
  std::string remark;                          // what is to be known beside them; it may be empty
};

// An AirtimeOrigin is what an airtime plan has that a plan of own bands has not.
struct AirtimeOrigin {
  const PlanFile* rows = nullptr;               // the plan, instead of that of own bands
  const AirtimeExpectations* expect = nullptr;  // what it expects
  AirtimeLevers levers = {};
  std::string how_they_send;  // "in turns, each in the whole band", and why
  std::vector<PlanFacts> facts;
  std::vector<std::string> notes;  // what a run does that the plan does not know
};

// A PlanOrigin says how a plan was made, beside its scenario.
struct PlanOrigin {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> round;  // round whose fading was planned; none: the mean channel
  const BandSplit* split = nullptr;    // set where the band is not split equally
  Repetition repetition = {};
  std::optional<AirtimeOrigin> airtime = {};  // set where the plan is of the round's airtime
  const FloorReport* floor = nullptr;         // set where every device should reach a probability
};

// Writes what a report shows of a plan: map, distributions, limits, and how to repeat it.
Status WritePlanReport(const std::string& file, const Scenario& scenario, const Fleet& fleet,
                       const PlanningProblem& problem, const PlanView& plan,
                       const Expectations& expectations, const PlanOrigin& origin);

}  // namespace airlot

#endif  // AIRLOT_REPORT_H_
