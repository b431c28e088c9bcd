#include "report/markup.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/numbers.h"

namespace airlot::report {
namespace {

TEST(MarkupTest, TextStaysText) {
  EXPECT_EQ(Escape("</script><b a=\"1\" b='2'>&amp;"),
            "&lt;/script&gt;&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;");
  EXPECT_EQ(Escape("Grüße\n\t✓"), "Grüße\n\t✓");
  EXPECT_EQ(Escape("a\x01"
                   "b\x1b[0m\x7f"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD[0m\xEF\xBF\xBD");
  EXPECT_EQ(Escape("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(Escape("\xEF\xBF\xBFx"), "\xEF\xBF\xBDx");
}

TEST(MarkupTest, JsonCannotEndItsScript) {
  const std::string name = "</script><!--<script>& \xE2\x80\xA8\xE2\x80\xA9 é";
  const std::string text = ScriptJson(nlohmann::json(name).dump());
  for (const char* forbidden : {"<", ">", "&", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    EXPECT_EQ(text.find(forbidden), std::string::npos) << forbidden;
  }
  EXPECT_EQ(nlohmann::json::parse(text).get<std::string>(), name);
}

// FIPS 180-2, appendix B, gives the digest of "abc", which stands here in base64.
TEST(MarkupTest, PolicyHash) {
  EXPECT_EQ(PolicyHash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(NumbersTest, AreShort) {
  EXPECT_EQ(Short(1307), "1,307");
  EXPECT_EQ(Short(-1234567), "-1,234,567");
  EXPECT_EQ(Short(12.345), "12.3");
  EXPECT_EQ(Short(999.6), "1,000");
  EXPECT_EQ(ShortUtf8(4.2e-9), "4.2×10⁻⁹");
  EXPECT_EQ(Percent(0.8213), "82.1 %");
  EXPECT_EQ(AxisNumber(0), "0");
  EXPECT_EQ(AxisNumber(0.002), "0.002");
  EXPECT_EQ(AxisNumber(20000), "20,000");
  EXPECT_EQ(AxisNumber(1e6), "10⁶");
  EXPECT_EQ(AxisNumber(2.5e-7), "2.5×10⁻⁷");
}

}  // namespace
}  // namespace airlot::report
