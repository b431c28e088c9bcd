#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "airlot/version.h"
#include "report/markup.h"
#include "report/page_assets.h"

namespace airlot::report {
namespace {

std::string HtmlOf(const Table& table) {
  std::string html =
      fmt::format(R"(<div class="scroll" tabindex="0" role="region" aria-label="{0}"><table>)"
                  R"(<caption>{0}</caption><thead><tr>)",
                  Escape(table.caption));
  for (const std::string& cell : table.rows.front()) {
    html += fmt::format(R"(<th scope="col">{}</th>)", Escape(cell));
  }
  html += "</tr></thead><tbody>";
  for (std::size_t r = 1; r < table.rows.size(); ++r) {
    html += "<tr>";
    for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
      const std::string cell = Escape(table.rows[r][c]);
      html += c == 0 ? fmt::format(R"(<th scope="row">{}</th>)", cell)
                     : fmt::format("<td>{}</td>", cell);
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div>\n";
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

std::string Notes(const std::vector<std::string>& notes) {
  constexpr std::size_t kMost = 50;
  if (notes.empty()) return "";
  std::string html = R"(<div class="notes" role="note"><strong>Please note</strong><ul>)";
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
  html += "<div class=\"figures\">\n";
  for (const Figure& figure : part.figures) html += HtmlOf(figure);
  html += "</div>\n<div class=\"tables\">\n";
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

std::string HtmlOf(const Section& section) {
  std::string html = fmt::format(
      R"(<section class="scenario" aria-labelledby="{0}"><h2 id="{0}">{1}</h2><p class="facts">{2}</p>)"
      R"(<p class="sentence">{3}</p>)",
      section.id, Escape(section.name), Escape(section.facts), Escape(section.sentence));
  html += "\n" + Notes(section.notes);
  for (const Part& part : section.parts) html += HtmlOf(part);
  return html + HowItWasMade(section) + "</section>\n";
}

std::string Contents(const Page& page) {
  const std::vector<Section>& sections = page.sections;
  std::string html = R"(<nav aria-label="Contents"><ul>)";
  if (!page.claims.empty()) html += "<li><a href=\"#claims\">The paper's claims</a></li>";
  for (const Section& section : sections) {
    html += fmt::format("<li><a href=\"#{}\">{}</a><ul>", section.id, Escape(section.name));
    for (const Part& part : section.parts) {
      html += fmt::format("<li><a href=\"#{}\">{}</a></li>", part.id, Escape(part.title));
    }
    html += fmt::format("<li><a href=\"#{}-made\">How to repeat it</a></li></ul></li>", section.id);
  }
  return html + "</ul></nav>\n";
}

// The page begins with one sentence for each scenario.
std::string InShort(const std::vector<Section>& sections) {
  if (sections.size() < 2) return "";
  std::string html =
      R"(<section class="short" aria-labelledby="short"><h2 id="short">In short</h2><dl>)";
  for (const Section& section : sections) {
    html += fmt::format("<dt><a href=\"#{}\">{}</a></dt><dd>{}</dd>", section.id,
                        Escape(section.name), Escape(section.sentence));
  }
  return html + "</dl></section>\n";
}

std::string ClaimsOf(const Page& page) {
  const std::vector<Claim>& claims = page.claims;
  if (claims.empty()) return "";
  Table table{
      .caption =
          "What the paper says, and whether these runs confirm it. Ours are 95 % confidence "
          "intervals: without a unit, of how many times as much the second strategy takes as "
          "the first, over pairs of runs with the same seed; with one, of the difference or "
          "of the share of runs. A run that missed a target would have taken at least the "
          "whole of it"};
  for (auto& row : ClaimRows(claims)) table.rows.push_back(std::move(row));
  return R"(<section class="scenario claims" aria-labelledby="claims"><h2 id="claims">The paper's claims</h2>)" +
         Notes(page.claims_notes) + HtmlOf(table) + "</section>\n";
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
  html += ClaimsOf(page);
  for (const Section& section : page.sections) html += HtmlOf(section);
  html += "</main>\n</div>\n";
  html += fmt::format("<footer><p>Written by airlot {}. All of it is in this file.</p></footer>\n",
                      kVersion);
  html += R"(<script type="application/json" id="data">)" + DataOf(page.sections) + "</script>\n";
  html += "<script>" + std::string(kPageScript) + "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace airlot::report
