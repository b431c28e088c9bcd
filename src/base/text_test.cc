#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace airlot::base {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(GroupedTest, ByThrees) {
  EXPECT_EQ(Grouped("0"), "0");
  EXPECT_EQ(Grouped("999"), "999");
  EXPECT_EQ(Grouped("1000"), "1,000");
  EXPECT_EQ(Grouped("-999"), "-999");
  EXPECT_EQ(Grouped("-123456"), "-123,456");
  EXPECT_EQ(Grouped("12345678"), "12,345,678");
}

TEST(ParseNumber, ReadsDecimals) {
  EXPECT_EQ(ParseNumber("0"), 0.0);
  EXPECT_EQ(ParseNumber("-3"), -3.0);
  EXPECT_EQ(ParseNumber("+3"), 3.0);
  EXPECT_EQ(ParseNumber("0.125"), 0.125);
  EXPECT_EQ(ParseNumber(".5"), 0.5);
  EXPECT_EQ(ParseNumber("5."), 5.0);
  EXPECT_EQ(ParseNumber("1e-28"), 1e-28);
  EXPECT_EQ(ParseNumber("+2.5E+6"), 2.5e6);
  EXPECT_EQ(ParseNumber("0.1"), 0.1);
  EXPECT_EQ(ParseNumber("123456789012345678901234567890"), 123456789012345678901234567890.0);
}

TEST(ParseNumber, KeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(*ParseNumber("-0")));
  EXPECT_FALSE(std::signbit(*ParseNumber("+0")));
}

TEST(ParseNumber, ReadsInfinityAndNanInAnyCase) {
  EXPECT_EQ(ParseNumber("inf"), kInfinity);
  EXPECT_EQ(ParseNumber("Inf"), kInfinity);
  EXPECT_EQ(ParseNumber("+INFINITY"), kInfinity);
  EXPECT_EQ(ParseNumber("-inf"), -kInfinity);
  for (const char* text : {"nan", "NaN", "NAN", "-nan", "+nan"}) {
    ASSERT_TRUE(ParseNumber(text).has_value()) << text;
    EXPECT_TRUE(std::isnan(*ParseNumber(text))) << text;
  }
}

TEST(ParseNumber, RejectsWhatIsNotWhollyANumber) {
  for (const char* text : {"",      " ",  " 1",    "1 ", "1\n",  "1,5",  "1_000", "1 000", "0x10",
                           "0X1p3", "1e", "1e+",   ".",  "-",    "+",    "+-1",   "-+1",   "++1",
                           "--1",   "e5", "1.2.3", "1f", "infx", "nanx", "five",  "1e5.0"}) {
    EXPECT_EQ(ParseNumber(text), std::nullopt) << '"' << text << '"';
  }
  EXPECT_EQ(ParseNumber(std::string_view("1\0", 2)), std::nullopt);
}

TEST(ParseNumber, ReadsOnlyTheGivenCharacters) {
  EXPECT_EQ(ParseNumber(std::string_view("12345").substr(1, 2)), 23.0);
}

TEST(ParseNumber, TooLargeIsInfinity) {
  const std::string hundreds_of_digits = "1" + std::string(400, '0');
  for (const std::string& text :
       {std::string("1e309"), std::string("1.8e308"), std::string("0.0001e999"),
        std::string("1e99999999999999999999999"), hundreds_of_digits, hundreds_of_digits + ".5",
        hundreds_of_digits + "e-1"}) {
    EXPECT_EQ(ParseNumber(text), kInfinity) << text;
    EXPECT_EQ(ParseNumber("+" + text), kInfinity) << text;
    EXPECT_EQ(ParseNumber("-" + text), -kInfinity) << text;
  }
}

TEST(ParseNumber, TooSmallIsZero) {
  const std::string many_zeros = "0." + std::string(400, '0') + "1";
  for (const std::string& text :
       {std::string("1e-400"), std::string("12345.678e-999"), many_zeros, many_zeros + "e2",
        std::string("1e-99999999999999999999999"), std::string("0e99999999999999999999999")}) {
    EXPECT_EQ(ParseNumber(text), 0.0) << text;
    EXPECT_EQ(ParseNumber("-" + text), 0.0) << text;
  }
}

TEST(ParseNumber, ReadsTheEdgesOfTheRange) {
  EXPECT_EQ(ParseNumber("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(ParseNumber("2.2250738585072014e-308"), std::numeric_limits<double>::min());
  EXPECT_EQ(ParseNumber("5e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(FormatNumber, IsTheShortestTextThatReadsBack) {
  EXPECT_EQ(FormatNumber(0.1), "0.1");
  EXPECT_EQ(FormatNumber(-3), "-3");
  EXPECT_EQ(FormatNumber(1e-28), "1e-28");
  EXPECT_EQ(FormatNumber(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(FormatNumber(-std::numeric_limits<double>::denorm_min()), "-5e-324");
}

TEST(FormatNumber, ReadsBackToTheSameBits) {
  double value = 1e-300;
  for (int i = 0; i < 2000; ++i, value *= -2.01) {
    EXPECT_EQ(ParseNumber(FormatNumber(value)), value);
  }
}

TEST(AppendNumber, KeepsWhatIsThere) {
  std::string text = "x=";
  AppendNumber(text, 2.5);
  EXPECT_EQ(text, "x=2.5");
}

constexpr std::array<std::string_view, 6> kColumns = {"id",     "x_m",         "energy_budget_j",
                                                      "cpu_hz", "max_power_w", "samples"};

TEST(NearestName, FindsWhatWasMistyped) {
  EXPECT_EQ(NearestName("energy_budget", kColumns), "energy_budget_j");   // two left out
  EXPECT_EQ(NearestName("enrgy_bugdet_j", kColumns), "energy_budget_j");  // one out, one swap
  EXPECT_EQ(NearestName("max_power_mw", kColumns), "max_power_w");        // one too many
  EXPECT_EQ(NearestName("sampels", kColumns), "samples");                 // one swap
  EXPECT_EQ(NearestName("cpu_hz", kColumns), "cpu_hz");                   // none
  EXPECT_EQ(NearestName("ENERGY_budget_j", kColumns), std::nullopt);      // six of fifteen
}

TEST(NearestName, CountsASwapOfNeighboursOnce) {
  // The limit is 2: two swaps pass, as four replacements would not; three swaps do not.
  const std::array<std::string_view, 1> candidates = {"abcdef"};
  EXPECT_EQ(NearestName("badcef", candidates), "abcdef");
  EXPECT_EQ(NearestName("badcfe", candidates), std::nullopt);
}

TEST(NearestName, AllowsAThirdOfTheLength) {
  const std::array<std::string_view, 1> candidates = {"abcdefghi"};
  EXPECT_EQ(NearestName("123defghi", candidates), "abcdefghi");
  EXPECT_EQ(NearestName("1234efghi", candidates), std::nullopt);
}

TEST(NearestName, AllowsTwoEditsOfAShortName) {
  const std::array<std::string_view, 1> candidates = {"abcd"};
  EXPECT_EQ(NearestName("abxy", candidates), "abcd");
  EXPECT_EQ(NearestName("axyz", candidates), std::nullopt);
}

TEST(NearestName, SuggestsNothingThatSharesNothing) {
  EXPECT_EQ(NearestName("ow", kColumns), std::nullopt);
  EXPECT_EQ(NearestName("", kColumns), std::nullopt);
  EXPECT_EQ(NearestName("samples", {}), std::nullopt);
}

TEST(NearestName, PrefersTheFirstAmongEquals) {
  const std::array<std::string_view, 3> candidates = {"y_mm", "y_m", "z_m"};
  EXPECT_EQ(NearestName("x_m", candidates), "y_m");
}

TEST(Quoted, PutsMarksAroundText) {
  EXPECT_EQ(Quoted("-3"), "\"-3\"");
  EXPECT_EQ(Quoted(""), "\"\"");
}

TEST(Quoted, HidesWhatATerminalWouldObey) {
  EXPECT_EQ(Quoted("a\x1b[31m\tb\n\x7f"), "\"a?[31m?b??\"");
  EXPECT_EQ(Quoted("\xc2\x9b"
                   "31m"),
            "\"?31m\"");               // what begins a sequence beyond ASCII
  EXPECT_EQ(Quoted("\xc3"), "\"?\"");  // half a character
  EXPECT_EQ(Quoted(std::string_view("a\0b", 3)), "\"a?b\"");
}

TEST(Quoted, ShowsLettersOfEveryLanguage) { EXPECT_EQ(Quoted("é中"), "\"é中\""); }

TEST(Quoted, CutsAtSixtyCharacters) {
  EXPECT_EQ(Quoted(std::string(60, 'x')), "\"" + std::string(60, 'x') + "\"");
  EXPECT_EQ(Quoted(std::string(61, 'x')), "\"" + std::string(57, 'x') + "...\"");
  const auto accents = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "é";
    return text;
  };
  EXPECT_EQ(Quoted(accents(60)), "\"" + accents(60) + "\"");
  EXPECT_EQ(Quoted(accents(61)), "\"" + accents(57) + "...\"");
}

TEST(WithoutUserInfo, TakesUserAndPasswordAway) {
  EXPECT_EQ(WithoutUserInfo("https://me:secret@host.org/a@b?x@y"), "https://host.org/a@b?x@y");
  EXPECT_EQ(WithoutUserInfo("ftp://me@host"), "ftp://host");
  EXPECT_EQ(WithoutUserInfo("http://a:p@ss@host/x"), "http://host/x");
  for (const char* text : {"http://host/a@b", "me@host", "", "://", "file:///a@b"}) {
    EXPECT_EQ(WithoutUserInfo(text), text);
  }
  EXPECT_EQ(Quoted("http://me:secret@host"), "\"http://host\"");
}

}  // namespace
}  // namespace airlot::base
