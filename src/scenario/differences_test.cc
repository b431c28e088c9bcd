#include "scenario/differences.h"

#include <gtest/gtest.h>

#include "airlot/scenario.h"

namespace airlot::scenario {
namespace {

TEST(DifferencesBetween, NamesEachKeyWithBothValues) {
  EXPECT_TRUE(DifferencesBetween("a = 1\n[b]\nc = 2\n", "a = 1\n[b]\nc = 2\n").empty());
  const auto differences =
      DifferencesBetween("a = 1\nonly_here = 3\n[b]\nc = 2\n", "a = 2\n[b]\nc = 2\nd = \"x\"\n");
  const std::vector<KeyDifference> expected = {
      {"a", "1", "2"}, {"only_here", "3", std::nullopt}, {"b.d", std::nullopt, "\"x\""}};
  EXPECT_EQ(differences, expected);
}

TEST(DifferencesBetween, ReadsWhatFormatScenarioWrites) {
  Scenario scenario;
  const std::string before = FormatScenario(scenario);
  scenario.fleet.devices = 7;
  const auto differences = DifferencesBetween(FormatScenario(scenario), before);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0], (KeyDifference{"fleet.devices", "7", "100"}));
}

}  // namespace
}  // namespace airlot::scenario
