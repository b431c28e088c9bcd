#include "report/markup.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/numbers.h"
#include "report/scale.h"

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

// FIPS 180-2, appendix B: "abc"; its digest in base64.
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

TEST(ScaleTest, TicksAreRoundAndInside) {
  for (const auto& [low, high, is_log] : {std::tuple{0.0, 0.0307, false},
                                          {-500.0, 500.0, false},
                                          {31.0, 126747.0, true},
                                          {1e-9, 0.2, true},
                                          {3.0, 3.0, true},
                                          {2.0, 2.0, false}}) {
    Scale scale = RoundScale(low, high, is_log);
    scale.begin = 10;
    scale.end = 110;
    EXPECT_LE(scale.low, low);
    EXPECT_GE(scale.high, high * (1 - 1e-9));
    const auto ticks = scale.Ticks();
    EXPECT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 12u);
    for (const Tick& tick : ticks) {
      EXPECT_GE(scale(tick.value), 10 - 1e-6);
      EXPECT_LE(scale(tick.value), 110 + 1e-6);
      EXPECT_NE(tick.label, "-0");
    }
  }
  const Scale decades{.low = 1, .high = 100, .begin = 0, .end = 2, .is_log = true};
  EXPECT_DOUBLE_EQ(decades(10), 1);
}

}  // namespace
}  // namespace airlot::report
