// These functions make text for LaTeX: whatever comes from outside stays text, and all of it is
// ASCII, so that it needs neither an input encoding nor a font of its own.
#ifndef AIRLOT_REPORT_LATEX_H_
#define AIRLOT_REPORT_LATEX_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace airlot::report {

// Escapes a text for LaTeX in text mode: it neither begins a command, a group or a formula, nor
// ends one. Signs that our texts have (±, ≥, ×, φ, 10⁻⁹), Greek and accented Latin letters become
// commands. Another character beyond ASCII becomes its number, "U+4E2D", and what is no character
// a question mark.
std::string Latex(std::string_view text);

// Returns a text as comment lines, "% ..." each, of at most about 100 columns.
std::string LatexComment(std::string_view text);

// Returns the room in pt that a text takes in the 8 pt of figures and tables, in Computer Modern
// and in its sans; it is a little too much rather than too little.
double LatexWidthPt(std::string_view text);

// Returns as much of a text as fits into so many pt, with "..." where it is cut.
std::string CutToWidth(std::string_view text, double most_pt);

// Returns a text in lines, broken at spaces, of at most so many pt, but of one word at least.
std::vector<std::string> LinesOf(std::string_view text, double most_pt);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_LATEX_H_
