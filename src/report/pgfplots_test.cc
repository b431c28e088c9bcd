#include "report/pgfplots.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "report/figure.h"
#include "report/page_assets.h"

namespace airlot::report {
namespace {

// The colours are those of the page.
TEST(PgfplotsTest, ColoursAreThoseOfThePage) {
  for (const NamedColour& colour : PlotColours()) {
    const std::string css(kFigureCss), rule = ".fig ." + std::string(colour.name) + "{";
    const std::size_t at = css.find(rule);
    ASSERT_NE(at, std::string::npos) << rule;
    const std::string value = css.substr(at, css.find('}', at) - at);
    EXPECT_NE(value.find("#" + std::string(colour.html)), std::string::npos) << value;
  }
}

TEST(PgfplotsTest, WhatIsBeyondTheScaleStandsAtItsEnd) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  PlotWriter plot({.low = 1, .high = 100, .is_log = true}, {.low = 0, .high = 1});
  const PlotWriter::Point points[] = {{0, 0.5}, {kInfinity, kNan}, {10, -kInfinity}};
  plot.Line(points, "look");
  EXPECT_EQ(plot.Take().body,
            "\\addplot[look, forget plot] coordinates {\n  (1,0.5) (100,0) (10,0)\n};\n");
}

TEST(PgfplotsTest, TextIsEscaped) {
  PlotWriter plot({.low = 0, .high = 1}, {.low = 0, .high = 1});
  plot.XAxis({.name = "50% of_it"});
  plot.Entry("a_b", "only marks", false);
  plot.Text({0, 0}, "#1", "anchor=west");
  const std::string text = PgfplotsOf(plot.Take(), "T_1", "how & why\n\\end", {});
  for (const char* expected : {"xlabel={50\\% of\\_it}", "\\addlegendentry{a\\_b}", "{\\#1};",
                               "\\bfseries T\\_1", "% T_1. how & why \\end\n"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << " in " << text;
  }
}

TEST(PgfplotsTest, WidthFontAndTitleAreThoseOfThePaper) {
  const Figure figure =
      DrawHistogram({"id", "The title", "How to read it."},
                    {.label = "power (W)", .name = "power_w"}, std::vector{1.0, 2.0});
  const auto text_of = [&](const PaperStyle& paper) {
    return PgfplotsOf(figure.plot, figure.title, figure.caption, paper);
  };
  const std::string plain = text_of({});
  EXPECT_NE(plain.find("{\\bfseries The title}"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("\\sffamily"), std::string::npos);
  const std::string other = text_of({.columns = PaperStyle::Columns::kTwo,
                                     .fonts = PaperStyle::Fonts::kSans,
                                     .has_titles = false});
  EXPECT_EQ(other.find("\\bfseries"), std::string::npos);
  EXPECT_NE(other.find("font=\\sffamily\\fontsize{8}{9.6}\\selectfont"), std::string::npos);
  const auto width = [](const std::string& text) {
    return std::stod(text.substr(text.find(", width=") + 8));
  };
  // The room beside the axis is the same.
  EXPECT_NEAR(width(other) - width(plain), (7.16 - 3.5) * 72.27, 0.11);
}

// Entries of a legend stand beside each other as far as they fit.
TEST(PgfplotsTest, ALegendFits) {
  PlotWriter plot({.low = 0, .high = 1}, {.low = 0, .high = 1});
  for (int i = 0; i < 6; ++i) plot.Entry("equally-weighted", "only marks", false);
  const Plot made = plot.Take();
  EXPECT_NE(PgfplotsOf(made, "", "", {}).find("legend columns=2,"), std::string::npos);
  EXPECT_NE(
      PgfplotsOf(made, "", "", {.columns = PaperStyle::Columns::kTwo}).find("legend columns=5,"),
      std::string::npos);
}

}  // namespace
}  // namespace airlot::report
