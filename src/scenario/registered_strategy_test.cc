// The options of a strategy that is registered from outside are scenario keys like any other.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "airlot/scenario.h"

namespace airlot {
namespace {

class Nobody : public Strategy {
 public:
  explicit Nobody(const OptionValues&) {}
  void Select(const SelectionView&, Selection&) override {}
};

Result<Scenario> Read(const std::string& override) {
  return ReadScenario("paper-highly-biased", std::vector<std::string>{override});
}

TEST(RegisteredStrategy, HasItsOptionsAsKeys) {
  constexpr std::string_view kKey = "strategy.nobody-here.patience_s";
  const auto is_listed = [&] {
    const auto keys = ScenarioKeys();
    return std::ranges::find(keys, kKey, &ScenarioKey::name) != keys.end();
  };
  const Scenario made_before;
  EXPECT_FALSE(is_listed());  // this call makes the table of keys
  EXPECT_FALSE(Read("strategy.nobody-here.patience_s=3"));
  const std::string text_before = FormatScenario(made_before);

  ASSERT_TRUE(RegisterStrategy(
      {.name = "nobody-here",
       .summary = "Nobody.",
       .options =
           {{.name = "patience_s", .value = 2, .low = 1, .high = 10, .summary = "Patience."}},
       .make = ConstructStrategy<Nobody>}));
  EXPECT_TRUE(is_listed());
  EXPECT_EQ(made_before.strategy.At("nobody-here", "patience_s"), 2);
  EXPECT_EQ(FormatScenario(made_before), text_before);  // a default is not written

  const auto scenario = Read("strategy.nobody-here.patience_s=3");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->strategy.At("nobody-here", "patience_s"), 3);
  const std::string text = FormatScenario(*scenario);
  EXPECT_NE(text.find("[strategy.nobody-here]\npatience_s = 3"), std::string::npos) << text;
  const auto again = ParseScenario(text, "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->strategy, scenario->strategy);

  const auto too_large = Read("strategy.nobody-here.patience_s=11");
  ASSERT_FALSE(too_large);
  for (const char* part : {"strategy.nobody-here.patience_s", "11", "10"}) {
    EXPECT_NE(too_large.error().message.find(part), std::string::npos) << part;
  }
}

StrategyEntry EntryOf(const std::string& name, const std::string& option, double value) {
  return {.name = name,
          .summary = "Nobody.",
          .options = {{.name = option, .value = value, .low = 0, .high = 10, .summary = "Any."}},
          .make = ConstructStrategy<Nobody>};
}

TEST(ReplacedStrategy, HasOtherOptions) {
  ASSERT_TRUE(ReplaceStrategy(EntryOf("nobody-there", "patience_s", 1)));
  const std::size_t count = Strategies().size();
  EXPECT_TRUE(Read("strategy.nobody-there.patience_s=3"));
  ASSERT_TRUE(ReplaceStrategy(EntryOf("nobody-there", "zeal", 4)));
  EXPECT_EQ(Strategies().size(), count);
  EXPECT_FALSE(Read("strategy.nobody-there.patience_s=3"));
  const auto scenario = Read("strategy.nobody-there.zeal=3");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->strategy.At("nobody-there", "zeal"), 3);
  EXPECT_EQ(Scenario().strategy.At("nobody-there", "zeal"), 4);
}

TEST(ReplacedStrategy, IsNoneOfTheBuiltInOnes) {
  const auto status = ReplaceStrategy(EntryOf("uniform", "zeal", 4));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "strategy uniform: there is one of this name already");
}

}  // namespace
}  // namespace airlot
