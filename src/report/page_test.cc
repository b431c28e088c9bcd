#include "report/page.h"

#include <gtest/gtest.h>

#include <string>

namespace airlot::report {
namespace {

Claim ClaimOf(std::string text, Verdict verdict) {
  return {.subject = "time to 59 %", .text = std::move(text), .verdict = verdict};
}

Page PageWithClaims() {
  Page page{.title = "all"};
  Section section{.id = "s1", .name = "first", .sentence = "It works.", .notes = {"A note."}};
  Figure figure{.id = "s1-accuracy-time", .title = "Accuracy"};
  section.parts.push_back({.id = "s1-accuracy", .title = "Accuracy", .figures = {figure}});
  Table table{.caption = "Costs", .rows = {{"strategy", "time"}, {"uniform", "3"}}};
  table.styles = {StyleAt(2)};
  section.parts.push_back({.id = "s1-targets", .title = "Targets", .tables = {table}});
  page.sections = {section, section};
  page.sections[1].id = "s2";
  page.claims = {{.scenario = "first",
                  .claims = {ClaimOf("a < b", Verdict::kYes), ClaimOf("b < c", Verdict::kNo)}},
                 {.scenario = "second", .claims = {ClaimOf("a < c", Verdict::kCannotTell)}}};
  return page;
}

std::size_t Find(const std::string& html, const std::string& text) {
  const std::size_t at = html.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return at;
}

TEST(PageTest, TheVerdictThenTheChartThenNotesAndClaims) {
  const std::string html = HtmlOf(PageWithClaims());
  const std::size_t main = Find(html, "<main");
  const std::size_t sentence = html.find("class=\"sentence\"", main);
  const std::size_t chart = html.find("<figure id=\"s1-accuracy-time\"", main);
  EXPECT_LT(sentence, chart);
  EXPECT_LT(chart, html.find("id=\"s1-notes\"", main));
  EXPECT_LT(html.find("href=\"#s1-notes\">1 note</a>", main), chart);
  EXPECT_LT(html.rfind("</figure>"), html.find("<h2 id=\"claims\"", main));
  EXPECT_NE(html.find("<h2 id=\"claims\"", main), std::string::npos);
}

TEST(PageTest, ClaimsAreCountedMarkedAndDoNotRepeatTheScenario) {
  const std::string html = HtmlOf(PageWithClaims());
  Find(html, "The paper's claims: 1 of 3 confirmed, 1 contradicted, 1 cannot be told</h2>");
  Find(html, "<h3>first: 1 of 2 confirmed, 1 contradicted, 0 cannot be told</h3>");
  const std::size_t row =
      Find(html, "<tr class=\"yes\"><th scope=\"row\">time to 59 %: a &lt; b</th>");
  EXPECT_NE(html.find("✓</span> yes</td>", row), std::string::npos);
  Find(html, "<tr class=\"no\"><th scope=\"row\">time to 59 %: b &lt; c</th>");
  Find(html, "✗</span> no</td>");
  Find(html, "<tr class=\"open\"><th scope=\"row\">time to 59 %: a &lt; c</th>");
  Find(html, "?</span> cannot tell</td>");
}

TEST(PageTest, RowsOfStrategiesHaveTheirLooks) {
  const std::string html = HtmlOf(PageWithClaims());
  const std::size_t row = Find(html, "<th scope=\"row\"><svg class=\"fig swatch\"");
  const std::string cell = html.substr(row, html.find("</th>", row) - row);
  EXPECT_NE(cell.find("class=\"l c2 d2\""), std::string::npos) << cell;
  EXPECT_TRUE(cell.ends_with("</svg>uniform")) << cell;
}

TEST(PageTest, CellsAreBoldWhereTheTableSaysSo) {
  Page page = PageWithClaims();
  Table& table = page.sections[0].parts[1].tables[0];
  EXPECT_EQ(HtmlOf(page).find("<td><strong>"), std::string::npos);
  table.rows.push_back({"random", "<9"});
  table.styles.push_back(StyleAt(3));
  table.bold = {{false, false}, {false, false}, {false, true}};
  const std::string html = HtmlOf(page);
  Find(html, "random</th><td><strong>&lt;9</strong></td>");
  Find(html, "uniform</th><td>3</td>");
}

}  // namespace
}  // namespace airlot::report
