#include "report/latex.h"

#include <gtest/gtest.h>

#include <string>

namespace airlot::report {
namespace {

TEST(LatexTest, WhatSteersLatexBecomesText) {
  EXPECT_EQ(Latex("a_b%{}$#&"), R"(a\_b\%\{\}\ensuremath{\mathdollar}\#\&)");
  EXPECT_EQ(Latex(R"(\input x^~)"),
            R"(\textbackslash{}input x\textasciicircum{}\textasciitilde{})");
  EXPECT_EQ(Latex("<|>\""), R"(\textless{}\textbar{}\textgreater{}{''})");
  EXPECT_EQ(Latex("one\ntwo\tthree"), "one two three");
}

// LaTeX makes other signs of some pairs.
TEST(LatexTest, NoLigatures) {
  EXPECT_EQ(Latex("a-b--c---d"), "a-b-{}-c-{}-{}-d");
  EXPECT_EQ(Latex("x''y"), "x'{}'y");
  EXPECT_EQ(Latex("?`"), "?{`}");
}

TEST(LatexTest, SignsOfOurTexts) {
  EXPECT_EQ(
      Latex("3 ± 1, ≥ 4.2×10⁻⁹"),
      R"(3 \ensuremath{\pm} 1, \ensuremath{\geq} 4.2\ensuremath{\times}10\textsuperscript{\ensuremath{-}9})");
  EXPECT_EQ(Latex("10⁶, 10⁻¹²"), R"(10\textsuperscript{6}, 10\textsuperscript{\ensuremath{-}12})");
  EXPECT_EQ(Latex("φΩα"), R"(\ensuremath{\varphi}\ensuremath{\Omega}\ensuremath{\alpha})");
  EXPECT_EQ(Latex("Jürgen Çiğdem"), R"(J\"{u}rgen \c{C}iU+011Fdem)");
  EXPECT_EQ(Latex("naïve"), R"(na\"{\i}ve)");
}

TEST(LatexTest, AllIsAscii) {
  EXPECT_EQ(Latex("中"), "U+4E2D");
  EXPECT_EQ(Latex("😀"), "U+1F600");
  EXPECT_EQ(Latex("\xFF\x80"), "??");
  EXPECT_EQ(Latex(std::string("a\0b\x1b", 4)), "a?b?");
  std::string all;
  for (int i = 0; i < 0x800; ++i) {
    if (i < 0x80) {
      all += char(i);
    } else {
      all += char(0xC0 | i >> 6);
      all += char(0x80 | (i & 0x3F));
    }
  }
  for (const char c : Latex(all)) EXPECT_TRUE(c >= ' ' && c <= '~') << int(c);
}

TEST(LatexTest, ACommentStaysOne) {
  EXPECT_EQ(LatexComment("one\ntwo % three"), "% one two % three\n");
  EXPECT_EQ(LatexComment("one\r\\input{x}\x0b"), "% one?\\input{x}?\n");
}

TEST(LatexTest, TextIsCutAndBroken) {
  EXPECT_EQ(CutToWidth("uniform", 100), "uniform");
  const std::string cut = CutToWidth("φφφφφφφφφφφφφφφφφφφφ", 60);
  EXPECT_TRUE(cut.starts_with("φφ") && cut.ends_with("φ...")) << cut;
  EXPECT_LE(LatexWidthPt(cut), 60);
  EXPECT_EQ(LinesOf("devices over budget", 55),
            (std::vector<std::string>{"devices over", "budget"}));
  EXPECT_EQ(LinesOf("a-very-long-word b", 10), (std::vector<std::string>{"a-very-long-word", "b"}));
  EXPECT_TRUE(LinesOf(" ", 10).empty());
}

}  // namespace
}  // namespace airlot::report
