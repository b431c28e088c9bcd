#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "airlot/version.h"
#include "report/markup.h"
#include "report/page_assets.h"

namespace airlot::report {
namespace {

// Names stand on the left; the first column does so anyway.
std::string_view NameClass(const Table& table, std::size_t column) {
  return column > 0 && column < table.names ? R"( class="name")" : "";
}

// Begins a table, up to its rows. Where it is wider than the window, it scrolls by itself.
std::string TableHead(const Table& table) {
  std::string html =
      fmt::format(R"(<div class="scroll" tabindex="0" role="region" aria-label="{0}"><table>)"
                  R"(<caption><span>{0}</span></caption><thead><tr>)",
                  Escape(table.caption));
  for (std::size_t c = 0; c < table.rows.front().size(); ++c) {
    html += fmt::format(R"(<th scope="col"{}>{}</th>)", NameClass(table, c),
                        Escape(table.rows.front()[c]));
  }
  return html + "</tr></thead><tbody>";
}

constexpr std::string_view kTableEnd = "</tbody></table></div>\n";

// Shows how the curve and the points of a strategy look.
std::string SwatchOf(const Style& style) {
  return fmt::format(
      R"(<svg class="fig swatch" viewBox="0 0 26 12" aria-hidden="true"><path class="l c{0} d{1}" d="M0 6H26"/>)"
      R"(<path class="m c{0}" d="{2}"/></svg>)",
      style.colour, style.dash, ShapePath(style.shape, 13, 6, 4));
}

std::string HtmlOf(const Table& table) {
  std::string html = TableHead(table);
  for (std::size_t r = 1; r < table.rows.size(); ++r) {
    html += "<tr>";
    for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
      std::string cell = Escape(table.rows[r][c]);
      if (!table.bold.empty() && table.bold[r][c]) cell = fmt::format("<strong>{}</strong>", cell);
      if (c == 0 && !table.styles.empty()) cell.insert(0, SwatchOf(table.styles[r - 1]));
      html += c < table.names
                  ? fmt::format(R"(<th scope="row"{}>{}</th>)", NameClass(table, c), cell)
                  : fmt::format("<td>{}</td>", cell);
    }
    html += "</tr>";
  }
  return html.append(kTableEnd);
}

std::string_view ClassOf(Figure::Place place) {
  switch (place) {
    case Figure::Place::kNormal:
      return "";
    case Figure::Place::kTall:
      return R"( class="tall")";
    default:
      return R"( class="wide")";
  }
}

std::string HtmlOf(const Figure& figure) {
  return fmt::format(
             R"(<figure id="{}"{}><h4>{}</h4><div class="drawing">{}</div><figcaption>{}</figcaption></figure>)",
             figure.id, ClassOf(figure.place), Escape(figure.title), InlineSvg(figure),
             Escape(figure.caption)) +
         "\n";
}

// Where notes have an id, links may lead to them.
std::string Notes(const std::vector<std::string>& notes, const std::string& id = "") {
  constexpr std::size_t kMost = 50;
  if (notes.empty()) return "";
  std::string html =
      fmt::format(R"(<div class="notes" role="note"{}><strong>Please note</strong><ul>)",
                  id.empty() ? "" : fmt::format(R"( id="{}")", id));
  for (std::size_t i = 0; i < std::min(notes.size(), kMost); ++i) {
    html += fmt::format("<li>{}</li>", Escape(notes[i]));
  }
  if (notes.size() > kMost) html += fmt::format("<li>and {} more.</li>", notes.size() - kMost);
  return html + "</ul></div>\n";
}

std::string HtmlOf(const Part& part) {
  std::string html =
      fmt::format(R"(<section class="part" aria-labelledby="{0}"><h3 id="{0}">{1}</h3><p>{2}</p>)",
                  part.id, Escape(part.title), Escape(part.text));
  html += "\n" + Notes(part.notes);
  if (!part.figures.empty()) {
    html += "<div class=\"figures\">\n";
    for (const Figure& figure : part.figures) html += HtmlOf(figure);
    html += "</div>\n";
  }
  html += "<div class=\"tables\">\n";
  for (const Table& table : part.tables) html += HtmlOf(table);
  html += "</div>\n";
  return html + "</section>\n";
}

std::string HowItWasMade(const Section& section) {
  std::string html = fmt::format(
      R"(<section class="part" aria-labelledby="{0}-made"><h3 id="{0}-made">How to repeat it</h3>)"
      "<p>This was made by airlot {1}{2}.</p>",
      section.id, Escape(section.version),
      section.simd_target.empty() ? "" : fmt::format(" ({})", Escape(section.simd_target)));
  const Repetition& repetition = section.repetition;
  if (repetition.command) {
    html +=
        fmt::format(R"(<pre class="command" tabindex="0">{}</pre>)", Escape(*repetition.command));
    if (repetition.note) html += fmt::format("<p>{}</p>", Escape(*repetition.note));
  } else if (repetition.why_not) {
    html += fmt::format("<p>{}</p>", Escape(*repetition.why_not));
  }
  return html +
         fmt::format(
             "<details><summary>The scenario; keys that it does not name have their "
             "defaults</summary>"
             R"(<pre tabindex="0">{}</pre></details></section>)",
             Escape(section.scenario)) +
         "\n";
}

// What came out is followed by the first chart, and notes by that, so that both are on the first
// screen; a link before them says that there are notes.
std::string HtmlOf(const Section& section) {
  const std::size_t notes = section.notes.size();
  std::string html = fmt::format(
      R"(<section class="scenario" aria-labelledby="{0}"><h2 id="{0}">{1}</h2><p class="facts">{2}{3}</p>{4})",
      section.id, Escape(section.name), Escape(section.facts),
      notes == 0 ? ""
                 : fmt::format(R"( · <a href="#{}-notes">{}</a>)", section.id,
                               notes == 1 ? "1 note" : fmt::format("{} notes", notes)),
      section.sentence.empty()
          ? ""
          : fmt::format(R"(<p class="sentence">{}</p>)", Escape(section.sentence)));
  html += "\n";
  if (section.parts.empty()) html += Notes(section.notes, section.id + "-notes");
  for (std::size_t i = 0; i < section.parts.size(); ++i) {
    html += HtmlOf(section.parts[i]);
    if (i == 0) html += Notes(section.notes, section.id + "-notes");
  }
  return html + HowItWasMade(section) + "</section>\n";
}

std::string Contents(const Page& page) {
  const std::vector<Section>& sections = page.sections;
  std::string html = R"(<nav aria-label="Contents"><ul>)";
  for (const Section& section : sections) {
    html += fmt::format("<li><a href=\"#{}\">{}</a><ul>", section.id, Escape(section.name));
    for (const Part& part : section.parts) {
      html += fmt::format("<li><a href=\"#{}\">{}</a></li>", part.id, Escape(part.title));
    }
    html += fmt::format("<li><a href=\"#{}-made\">How to repeat it</a></li></ul></li>", section.id);
  }
  if (!page.claims.empty()) html += "<li><a href=\"#claims\">The paper's claims</a></li>";
  return html + "</ul></nav>\n";
}

// A page of several scenarios begins with the sentences of all, folded, so that the first chart is
// on the first screen.
std::string InShort(const std::vector<Section>& sections) {
  if (sections.size() < 2) return "";
  std::string html = fmt::format(
      R"(<details class="short"><summary>In short: what came out of all {} scenarios</summary><dl>)",
      sections.size());
  for (const Section& section : sections) {
    html += fmt::format("<dt><a href=\"#{}\">{}</a></dt><dd>{}</dd>", section.id,
                        Escape(section.name), Escape(section.sentence));
  }
  return html + "</dl></details>\n";
}

// Returns "18 of 21 confirmed, 1 contradicted, 2 cannot be told".
std::string CountOf(std::span<const Claim> claims) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(claims, verdict, &Claim::verdict);
  };
  return fmt::format("{} of {} confirmed, {} contradicted, {} cannot be told", count(Verdict::kYes),
                     claims.size(), count(Verdict::kNo), count(Verdict::kCannotTell));
}

// Verdicts are told apart by colour, by a sign and by their words.
struct VerdictLook {
  std::string_view css_class, sign;
};
VerdictLook LookOf(Verdict verdict) {
  constexpr VerdictLook kLooks[] = {{"yes", "✓"}, {"no", "✗"}, {"open", "?"}};
  return kLooks[std::size_t(verdict)];
}

std::string HtmlOf(const PaperClaims& claims) {
  const Table table = ClaimTable(claims);
  std::string html = TableHead(table);
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    const VerdictLook look = LookOf(claims.claims[i].verdict);
    const std::vector<std::string>& row = table.rows[i + 1];
    html += fmt::format(
        R"(<tr class="{}"><th scope="row">{}</th><td class="verdict"><span aria-hidden="true">{}</span> {}</td><td>{}</td><td>{}</td></tr>)",
        look.css_class, Escape(row[0]), look.sign, Escape(row[1]), Escape(row[2]), Escape(row[3]));
  }
  return html.append(kTableEnd);
}

std::string ClaimsOf(const Page& page) {
  if (page.claims.empty()) return "";
  std::vector<Claim> all;
  std::string tables;
  for (const PaperClaims& claims : page.claims) {
    all.insert(all.end(), claims.claims.begin(), claims.claims.end());
    tables += fmt::format(R"(<section class="part"><h3>{}: {}</h3>)", Escape(claims.scenario),
                          CountOf(claims.claims));
    if (!claims.note.empty()) tables += Notes({claims.note});
    tables += HtmlOf(claims) + "</section>\n";
  }
  return fmt::format(
             R"(<section class="scenario claims" aria-labelledby="claims"><h2 id="claims">The paper's claims: {}</h2>)"
             "<p>{}</p>",
             CountOf(all), ClaimNote()) +
         tables + "</section>\n";
}

std::string DataOf(const std::vector<Section>& sections) {
  std::string json;
  for (const Section& section : sections) {
    for (const Part& part : section.parts) {
      for (const Figure& figure : part.figures) {
        if (figure.interactive.empty()) continue;
        json += fmt::format("{}\"{}\":{}", json.empty() ? "" : ",", figure.id, figure.interactive);
      }
    }
  }
  return ScriptJson(fmt::format(R"({{"figures":{{{}}}}})", json));
}

}  // namespace

Table ClaimTable(const PaperClaims& claims) {
  Table table{.caption = "What the paper says of " + claims.scenario +
                         ", and whether these runs confirm it",
              .rows = ClaimRows(claims.claims)};
  table.id = "claims";
  return table;
}

std::string_view ClaimNote() {
  return "Ours are 95 % confidence intervals over seeds: without a unit, of how many times as much "
         "the second strategy takes as the first, over pairs of runs with the same seed; with one, "
         "of the difference or of the share of runs. A run that missed a target would have taken "
         "at least the whole of it. A claim is confirmed or contradicted only where the interval "
         "lies on one side.";
}

std::string HtmlOf(const Page& page) {
  const std::string style =
      fmt::format("{}\n@media screen and (prefers-color-scheme:dark){{{}}}\n{}", kFigureCss,
                  kFigureDarkCss, kPageCss);
  const std::string policy = fmt::format(
      "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; "
      "base-uri 'none'; form-action 'none'",
      PolicyHash(style), PolicyHash(kPageScript));
  std::string html = fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="airlot {}">
<link rel="icon" href="data:,">
<title>{}</title>
<style>{}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the results</a>
<header><h1>{}</h1></header>
)",
      policy, kVersion, Escape(page.title), style, Escape(page.title));
  html += "<div class=\"layout\">\n" + Contents(page) + "<main id=\"content\">\n";
  html += Notes(page.notes);
  html += InShort(page.sections);
  for (const Section& section : page.sections) html += HtmlOf(section);
  html += ClaimsOf(page);
  html += "</main>\n</div>\n";
  html += fmt::format("<footer><p>Written by airlot {}. All of it is in this file.</p></footer>\n",
                      kVersion);
  html += R"(<script type="application/json" id="data">)" + DataOf(page.sections) + "</script>\n";
  html += "<script>" + std::string(kPageScript) + "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace airlot::report
