#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace airlot::base {
namespace {

TEST(FrontCharacterSize, IsThatOfRfc3629) {
  EXPECT_EQ(FrontCharacterSize(""), 0U);
  EXPECT_EQ(FrontCharacterSize("ab"), 1U);
  EXPECT_EQ(FrontCharacterSize("\xC3\xA9x"), 2U);         // é
  EXPECT_EQ(FrontCharacterSize("\xE2\x82\xAC"), 3U);      // €
  EXPECT_EQ(FrontCharacterSize("\xF0\x9F\x93\xA1"), 4U);  // an antenna
  EXPECT_EQ(FrontCharacterSize("\xF4\x8F\xBF\xBF"), 4U);  // U+10FFFF
  for (const char* wrong :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3\x28", "\xE2\x82", "\xE0\x9F\xBF",
        "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(FrontCharacterSize(wrong), 0U) << testing::PrintToString(wrong);
  }
}

TEST(CutToBytes, CutsBetweenCharacters) {
  const std::string euros = "\xE2\x82\xAC\xE2\x82\xAC";
  EXPECT_EQ(CutToBytes(euros, 6), euros);
  for (const std::size_t bytes : {3U, 4U, 5U}) EXPECT_EQ(CutToBytes(euros, bytes).size(), 3U);
  EXPECT_EQ(CutToBytes(euros, 2), "");
  EXPECT_EQ(CutToBytes("a\xFF\xFF", 2), "a\xFF");
}

TEST(ColumnsOf, CountsCharacters) {
  EXPECT_EQ(ColumnsOf(""), 0U);
  EXPECT_EQ(ColumnsOf("a\xE2\x82\xAC\xFFz"), 4U);
}

TEST(CutToColumns, CountsCharacters) {
  EXPECT_EQ(CutToColumns("\xE2\x82\xAC\xE2\x82\xAC", 1), "\xE2\x82\xAC");
  EXPECT_EQ(CutToColumns("abc", 9), "abc");
}

TEST(SafeForTerminal, LeavesNothingThatSteersATerminal) {
  EXPECT_EQ(SafeForTerminal("\033[31mred\007\177\r"), "?[31mred???");
  EXPECT_EQ(SafeForTerminal("\xC2\x9B"
                            "31m"),
            "?31m");
  EXPECT_EQ(SafeForTerminal("\x9B"
                            "31m"),
            "?31m");
  EXPECT_EQ(SafeForTerminal("\xE2\x82"), "??");
  EXPECT_EQ(SafeForTerminal(std::string("a\0b", 3)), "a?b");
}

TEST(SafeForTerminal, LeavesTextAsItIs) {
  const std::string text = "caf\xC3\xA9 \xE2\x82\xAC\n\xF0\x9F\x93\xA1 \xC2\xA0\n";
  EXPECT_EQ(SafeForTerminal(text), text);
}

}  // namespace
}  // namespace airlot::base
