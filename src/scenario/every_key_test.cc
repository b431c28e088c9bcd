// Every key of a scenario can be written, and the words that a key takes are those that it accepts.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "airlot/scenario.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

TEST(FormatEveryKey, ReadsBackToTheSameScenario) {
  for (const BuiltInScenario& built_in : BuiltInScenarios()) {
    const auto scenario = ReadScenario(std::string(built_in.name));
    ASSERT_TRUE(scenario);
    const auto again = ParseScenario(FormatEveryKey(*scenario), "again");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(FormatScenario(*again), FormatScenario(*scenario));
    EXPECT_EQ(FormatEveryKey(*again), FormatEveryKey(*scenario));
  }
}

TEST(FormatEveryKey, ShowsWhatIsNotSetAsComments) {
  const std::string text = FormatEveryKey(Scenario{});
  EXPECT_NE(text.find("\n# file is not set\n"), std::string::npos);
  EXPECT_EQ(FormatScenario(Scenario{}).find('#'), std::string::npos);
}

TEST(ScenarioKeys, TakeTheirWords) {
  std::size_t with_words = 0;
  for (const ScenarioKey& key : ScenarioKeys()) {
    with_words += key.words.empty() ? 0 : 1;
    for (const std::string& word : key.words) {
      Scenario scenario;
      const bool is_flag = word == "true" || word == "false";
      const scenario::Value value =
          is_flag ? scenario::Value(word == "true") : scenario::Value(word);
      EXPECT_EQ(scenario::Assign(*scenario::FindKey(key.name), value, scenario), std::nullopt)
          << key.name << " = " << word;
    }
  }
  EXPECT_GT(with_words, 20U);
}

// Whatever WithAbsolutePaths changes is a path, and so is the file of a table of rates.
TEST(ScenarioKeys, SayWhetherTheyTakeAPath) {
  std::vector<std::string_view> paths;
  for (const ScenarioKey& key : ScenarioKeys()) {
    if (key.takes_path) paths.push_back(key.name);
  }
  EXPECT_EQ(paths, (std::vector<std::string_view>{"data.dataset", "data.partition_file",
                                                  "fleet.file", "radio.mcs"}));
}

TEST(WithAbsolutePaths, LeavesNamesOfDataSetsAlone) {
  Scenario scenario;
  scenario.fleet.file = "a/../fleet.csv";
  scenario.data.dataset = "digits";
  EXPECT_EQ(WithAbsolutePaths(scenario).data.dataset, "digits");
  EXPECT_EQ(WithAbsolutePaths(scenario).fleet.file->front(), '/');
  EXPECT_EQ(WithAbsolutePaths(scenario).fleet.file->find(".."), std::string::npos);
  scenario.data.dataset = "folder";
  EXPECT_TRUE(WithAbsolutePaths(scenario).data.dataset->ends_with("/folder"));
}

}  // namespace
}  // namespace airlot
