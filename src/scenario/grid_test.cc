#include "airlot/grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "airlot/scenario.h"
#include "base/text.h"

namespace airlot {
namespace {

using Texts = std::vector<std::string>;

Texts ValuesOf(std::string_view text) {
  const auto key = ParseGridKey(text);
  return key ? key->values : Texts{"error: " + key.error().message};
}

std::string ErrorOf(std::string_view text) {
  const auto key = ParseGridKey(text);
  return key ? "none" : key.error().message;
}

TEST(GridKey, ListsValues) {
  const auto key = ParseGridKey(" radio.bandwidth_hz = 1e6, 3e6 ,1e7");
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->name, "radio.bandwidth_hz");
  EXPECT_EQ(key->values, (Texts{"1e6", "3e6", "1e7"}));
  EXPECT_EQ(ValuesOf("data.partition=iid"), Texts{"iid"});
}

TEST(GridKey, KeepsListsTablesAndQuotesTogether) {
  EXPECT_EQ(ValuesOf("targets=[0.5,0.6],[0.7]"), (Texts{"[0.5,0.6]", "[0.7]"}));
  EXPECT_EQ(ValuesOf("fleet.cpu_hz={uniform=[1,2]},3"), (Texts{"{uniform=[1,2]}", "3"}));
  EXPECT_EQ(ValuesOf(R"(name="a,\"b","c")"), (Texts{R"("a,\"b")", R"("c")"}));
}

TEST(GridKey, SpreadsRanges) {
  EXPECT_EQ(ValuesOf("k=0:1:11"),
            (Texts{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"}));
  EXPECT_EQ(ValuesOf("k=10:-10:3"), (Texts{"10", "0", "-10"}));
  EXPECT_EQ(ValuesOf("k=1:1000:4:log"), (Texts{"1", "10", "100", "1000"}));
  const Texts values = ValuesOf("k=0.1:0.7:5:log");
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double ratio = *base::ParseNumber(values[i]) / *base::ParseNumber(values[i - 1]);
    // Two values are rounded by at most half a unit of the twelfth digit each.
    EXPECT_NEAR(ratio, std::pow(7, 0.25), 2e-11);
  }
  EXPECT_EQ(values.front(), "0.1");
  EXPECT_EQ(values.back(), "0.7");
}

TEST(GridKey, SaysWhatIsWrong) {
  EXPECT_NE(ErrorOf("radio.bandwidth_hz").find("must be section.key=value"), std::string::npos);
  EXPECT_NE(ErrorOf("=1,2").find("must be section.key=value"), std::string::npos);
  EXPECT_EQ(ErrorOf("k="), "\"k=\": has no values: name at least one");
  EXPECT_EQ(ErrorOf("k=1,,2"), "\"k=1,,2\": has an empty value: remove a comma");
  EXPECT_EQ(ErrorOf("k=1:2:0"), "\"k=1:2:0\": the count is 0, and must be 2 to 10000");
  EXPECT_EQ(ErrorOf("k=1:2:1"), "\"k=1:2:1\": the count is 1, and must be 2 to 10000");
  EXPECT_EQ(ErrorOf("k=1:2:2.5"), "\"k=1:2:2.5\": the count must be a whole number");
  EXPECT_EQ(ErrorOf("k=1:2:nan"), "\"k=1:2:nan\": the count must be a whole number");
  EXPECT_EQ(ErrorOf("k=3:3:4"), "\"k=3:3:4\": the range is empty: its ends are equal");
  EXPECT_EQ(ErrorOf("k=0:3:4:log"),
            "\"k=0:3:4:log\": both ends of a logarithmic range must be above 0");
  EXPECT_EQ(ErrorOf("k=inf:3:4"), "\"k=inf:3:4\": its ends must be finite");
}

TEST(Grid, GoesThroughAllCombinations) {
  const Grid grid{{GridAxis{{{"a", {"1", "2"}}, {"b", {"x", "y"}}}}, {{{"c", {"3", "4", "5"}}}}}};
  ASSERT_TRUE(CheckGrid(grid).ok());
  ASSERT_EQ(CellCount(grid), 6u);
  EXPECT_EQ(CellName(grid, 0), "a=1, b=x, c=3");
  EXPECT_EQ(CellName(grid, 2), "a=1, b=x, c=5");
  EXPECT_EQ(CellName(grid, 3), "a=2, b=y, c=3");
  EXPECT_EQ(PlaceOf(grid, 5), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(OverridesOf(grid, 5), (Texts{"a=2", "b=y", "c=5"}));
}

TEST(Grid, SaysWhatIsWrong) {
  EXPECT_FALSE(CheckGrid({}).ok());
  EXPECT_EQ(CheckGrid({{{{{"a", {"1", "2"}}, {"b", {"1"}}}}}}).error().message,
            "a has 2 values, and b in step with it has 1: they must be as many");
  EXPECT_EQ(CheckGrid({{{{{"a", {"1"}}}}, {{{"a", {"2"}}}}}}).error().message,
            "\"a\" is varied twice");
  EXPECT_EQ(CheckGrid({{{{{"a", {"1", "2", "1"}}}}}}).error().message, "a has the value 1 twice");
  EXPECT_EQ(CheckGrid({{{{{"a", {"1", "1.0"}}}}}}).error().message, "a has the value 1 twice");
  // In step, it is the values together that must differ.
  EXPECT_TRUE(CheckGrid({{{{{"a", {"1", "1"}}, {"b", {"1", "2"}}}}}}).ok());
  EXPECT_EQ(CheckGrid({{{{{"a", {"1", "1"}}, {"b", {"2", "2"}}}}}}).error().message,
            "a has the values in step 1, 2 twice");
  Texts many;
  for (int i = 0; i < 1000; ++i) many.push_back(std::to_string(i));
  EXPECT_NE(CheckGrid({{{{{"a", many}}}, {{{"b", many}}}}}).error().message.find("1000000 cells"),
            std::string::npos);
}

}  // namespace
}  // namespace airlot
