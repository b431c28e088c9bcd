#include "report/latex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "report/canvas.h"

namespace airlot::report {
namespace {

struct Translation {
  std::string_view from, to;
};

// Groups keep a command from taking the space or the letter behind it.
constexpr std::array kTranslations = std::to_array<Translation>({
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\ensuremath{\\mathdollar}"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"_", "\\_"},
    {"^", "\\textasciicircum{}"},
    {"~", "\\textasciitilde{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"\"", "{''}"},
    {"`", "{`}"},
    {"±", "\\ensuremath{\\pm}"},
    {"≥", "\\ensuremath{\\geq}"},
    {"≤", "\\ensuremath{\\leq}"},
    {"≈", "\\ensuremath{\\approx}"},
    {"≠", "\\ensuremath{\\neq}"},
    {"×", "\\ensuremath{\\times}"},
    {"·", "\\ensuremath{\\cdot}"},
    {"−", "\\ensuremath{-}"},
    {"→", "\\ensuremath{\\rightarrow}"},
    {"∞", "\\ensuremath{\\infty}"},
    {"√", "\\ensuremath{\\surd}"},
    {"∑", "\\ensuremath{\\sum}"},
    {"°", "\\ensuremath{^{\\circ}}"},
    {"µ", "\\ensuremath{\\mu}"},
    {"½", "1/2"},
    {"–", "--"},
    {"—", "---"},
    {"…", "\\ldots{}"},
    {"‘", "`"},
    {"’", "'"},
    {"“", "``"},
    {"”", "''"},
    {"§", "\\S{}"},
    {"\u00A0", "~"},    // no-break space
    {"\u2009", "\\,"},  // thin space
    {"\u202F", "\\,"},  // narrow no-break space
    {"⁻", "\\textsuperscript{\\ensuremath{-}}"},
    {"⁰", "\\textsuperscript{0}"},
    {"¹", "\\textsuperscript{1}"},
    {"²", "\\textsuperscript{2}"},
    {"³", "\\textsuperscript{3}"},
    {"⁴", "\\textsuperscript{4}"},
    {"⁵", "\\textsuperscript{5}"},
    {"⁶", "\\textsuperscript{6}"},
    {"⁷", "\\textsuperscript{7}"},
    {"⁸", "\\textsuperscript{8}"},
    {"⁹", "\\textsuperscript{9}"},
    {"ß", "\\ss{}"},
    {"æ", "\\ae{}"},
    {"Æ", "\\AE{}"},
    {"ø", "\\o{}"},
    {"Ø", "\\O{}"},
    {"å", "\\aa{}"},
    {"Å", "\\AA{}"},
    {"œ", "\\oe{}"},
    {"Œ", "\\OE{}"},
    {"ł", "\\l{}"},
    {"Ł", "\\L{}"},
    {"ı", "\\i{}"},
});

// An accent and, in turn, the letters with it and the letters without.
struct Accent {
  std::string_view command, with, without;
};
constexpr std::array kAccents = std::to_array<Accent>({
    {"\\`", "àèìòùÀÈÌÒÙ", "aeiouAEIOU"},
    {"\\'", "áéíóúýćńśźÁÉÍÓÚÝĆŃŚŹ", "aeiouycnszAEIOUYCNSZ"},
    {"\\^", "âêîôûÂÊÎÔÛ", "aeiouAEIOU"},
    {"\\\"", "äëïöüÿÄËÏÖÜŸ", "aeiouyAEIOUY"},
    {"\\~", "ãñõÃÑÕ", "anoANO"},
    {"\\c", "çşÇŞ", "csCS"},
    {"\\v", "čďěňřšťžČĎĚŇŘŠŤŽ", "cdenrstzCDENRSTZ"},
    {"\\.", "żŻ", "zZ"},
});

// The Greek letters from α and Α on, in the order of Unicode. Those that are also Latin are such.
constexpr std::array<std::string_view, 25> kSmallGreek = {
    "\\alpha",  "\\beta", "\\gamma", "\\delta",    "\\varepsilon", "\\zeta", "\\eta",
    "\\theta",  "\\iota", "\\kappa", "\\lambda",   "\\mu",         "\\nu",   "\\xi",
    "o",        "\\pi",   "\\rho",   "\\varsigma", "\\sigma",      "\\tau",  "\\upsilon",
    "\\varphi", "\\chi",  "\\psi",   "\\omega"};
constexpr std::array<std::string_view, 25> kLargeGreek = {
    "A",       "B",        "\\Gamma",   "\\Delta", "E",    "Z",     "H",      "\\Theta", "I",
    "K",       "\\Lambda", "M",         "N",       "\\Xi", "O",     "\\Pi",   "P",       "",
    "\\Sigma", "T",        "\\Upsilon", "\\Phi",   "X",    "\\Psi", "\\Omega"};

char32_t NumberOf(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  char32_t number = byte(0) & (0x7F >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) number = number << 6 | (byte(i) & 0x3F);
  return number;
}

// Returns the command of a Greek letter, or nothing.
std::string_view GreekOf(char32_t number) {
  if (number >= U'α' && number <= U'ω') return kSmallGreek[number - U'α'];
  if (number >= U'Α' && number <= U'Ω') return kLargeGreek[number - U'Α'];
  return {};
}

std::string AccentedOf(std::string_view character) {
  for (const Accent& accent : kAccents) {
    const std::size_t at = accent.with.find(character);
    // All letters with accents have two bytes.
    if (at == std::string_view::npos || at % 2 != 0 || character.size() != 2) continue;
    const char letter = accent.without[at / 2];
    return fmt::format("{}{{{}}}", accent.command, letter == 'i' ? "\\i" : std::string(1, letter));
  }
  return "";
}

std::string OneOf(std::string_view character) {
  const auto* const found = std::ranges::find(kTranslations, character, &Translation::from);
  if (found != kTranslations.end()) return std::string(found->to);
  if (character.size() == 1) {
    return base::IsControl(character[0]) ? "?" : std::string(character);
  }
  const char32_t number = NumberOf(character);
  if (const auto greek = GreekOf(number); !greek.empty()) {
    return fmt::format("\\ensuremath{{{}}}", greek);
  }
  if (auto accented = AccentedOf(character); !accented.empty()) return accented;
  return fmt::format("U+{:04X}", std::uint32_t(number));
}

}  // namespace

std::string Latex(std::string_view text) {
  constexpr std::string_view kRaised = "\\textsuperscript{";
  constexpr std::string_view kPairs = "-`',";
  constexpr std::size_t kNone = std::string_view::npos;
  std::string latex;
  bool is_raised = false;
  while (!text.empty()) {
    const std::size_t size = base::FrontCharacterSize(text);
    // A line that ends ends no paragraph.
    const bool is_space = text[0] == '\n' || text[0] == '\t';
    const std::string one = is_space ? " " : size == 0 ? "?" : OneOf(text.substr(0, size));
    if (one.starts_with(kRaised) && is_raised) {
      latex.pop_back();  // What is raised goes on.
      latex += one.substr(kRaised.size());
    } else {
      // Two of these in a row would be another sign.
      const bool is_pair = one.size() == 1 && latex.ends_with(one) && kPairs.find(one) != kNone;
      latex += (is_pair ? "{}" : "") + one;
    }
    is_raised = one.starts_with(kRaised);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return latex;
}

std::string LatexComment(std::string_view text) {
  std::string comment;
  constexpr double kWidePt = 560;
  for (const std::string& line : LinesOf(text, kWidePt)) {
    // A comment ends where its line does; other control characters are none of ours either.
    std::string safe = base::SafeForTerminal(line);
    std::ranges::replace(safe, '\n', ' ');
    comment += "% " + safe + "\n";
  }
  return comment;
}

double LatexWidthPt(std::string_view text) {
  // TextWidth is that of DejaVu Sans at 12 px. The digits of Computer Modern Sans are half an em
  // wide, those of DejaVu 0.64, and letters differ alike.
  constexpr double kPt = 8.0 / 12 * 0.86;
  // Signs of mathematics are wider than letters, and numbers of characters as wide as they are
  // long.
  constexpr double kWiderPt = 2.2;
  double width_pt = kPt * TextWidth(text);
  while (!text.empty()) {
    const std::size_t size = base::FrontCharacterSize(text);
    const std::string one = size == 0 ? "?" : OneOf(text.substr(0, size));
    if (one.starts_with("U+")) width_pt += kPt * TextWidth(one);
    if (one.starts_with("\\ensuremath") || one.starts_with("\\text")) width_pt += kWiderPt;
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return width_pt;
}

std::string CutToWidth(std::string_view text, double most_pt) {
  if (LatexWidthPt(text) <= most_pt) return std::string(text);
  constexpr std::string_view kDots = "...";
  std::string kept;
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(base::FrontCharacterSize(text), 1);
    const std::string longer = kept + std::string(text.substr(0, size));
    if (LatexWidthPt(longer) + LatexWidthPt(kDots) > most_pt) break;
    kept = longer;
    text.remove_prefix(size);
  }
  return kept.append(kDots);
}

std::vector<std::string> LinesOf(std::string_view text, double most_pt) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    const std::string longer =
        lines.empty() ? std::string(word) : lines.back() + " " + std::string(word);
    if (!lines.empty() && LatexWidthPt(longer) <= most_pt) {
      lines.back() = longer;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

}  // namespace airlot::report
