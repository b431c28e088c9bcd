#include "fleet/duplicate_ids.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace airlot::fleet {
namespace {

DeviceIds IdsOf(std::initializer_list<std::string_view> names) {
  DeviceIds ids;
  for (const std::string_view name : names) ids.Append(name);
  return ids;
}

TEST(DuplicateIds, NoneWhereAllDiffer) {
  EXPECT_FALSE(FindDuplicate(IdsOf({})));
  EXPECT_FALSE(FindDuplicate(IdsOf({"a"})));
  EXPECT_FALSE(FindDuplicate(IdsOf({"a", "b", "ab", "A"})));
}

TEST(DuplicateIds, FindsTheFirstRowThatRepeatsOne) {
  const auto two = FindDuplicate(IdsOf({"x", "b", "a", "c", "a", "b", "a"}));
  ASSERT_TRUE(two);
  EXPECT_EQ(two->first, 2u);
  EXPECT_EQ(two->second, 4u);
}

TEST(DuplicateIds, FindsOneAmongMany) {
  DeviceIds ids;
  for (int i = 0; i < 100000; ++i) ids.Append("sensor-" + std::to_string(i));
  EXPECT_FALSE(FindDuplicate(ids));
  ids.Append("sensor-77777");
  const auto two = FindDuplicate(ids);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->first, 77777u);
  EXPECT_EQ(two->second, 100000u);
}

TEST(DuplicateIds, TheSameIdEverywhereTakesNoLonger) {
  DeviceIds ids;
  for (int i = 0; i < 200000; ++i) ids.Append("a");
  const auto two = FindDuplicate(ids);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->first, 0u);
  EXPECT_EQ(two->second, 1u);
}

TEST(RowLines, CountBlankLines) {
  RowLines lines;
  const std::uint64_t expected[] = {2, 3, 4, 7, 8, 20};
  for (const std::uint64_t line : expected) lines.Append(line);
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(lines.LineOf(i), expected[i]);
}

}  // namespace
}  // namespace airlot::fleet
