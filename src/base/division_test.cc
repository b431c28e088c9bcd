#include "base/division.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/team_for_tests.h"

namespace airlot::base {
namespace {

TEST(Division, GivesEachItemToWhoeverHasTheLeastToDo) {
  const std::vector<std::size_t> costs{64, 64, 64, 64, 32, 32};
  const Division division(costs, 2);
  EXPECT_EQ(division.ItemsOf(0), (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_EQ(division.ItemsOf(1), (std::vector<std::size_t>{1, 3, 5}));
  const Division uneven({{5, 1, 1, 1, 1, 1}}, 2);
  EXPECT_EQ(uneven.ItemsOf(0), (std::vector<std::size_t>{0}));
  EXPECT_EQ(uneven.ItemsOf(1).size(), 5);
  EXPECT_EQ(uneven.OwnerOf(3), 1);
}

TEST(Division, LeavesMembersOutWhereThereAreTooFewItems) {
  const Division division({{7, 7}}, 4);
  EXPECT_EQ(division.ItemsOf(1), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(division.ItemsOf(2).empty());
  EXPECT_TRUE(division.ItemsOf(3).empty());
}

// Items have other sizes than others, some none, and stand in any order.
TEST(Share, LetsEverybodyHaveAll) {
  const std::vector<Place> places{{4, 3}, {0, 2}, {7, 0}, {2, 2}, {7, 1}};
  std::vector<double> whole(8);
  std::iota(whole.begin(), whole.end(), 1.5);
  for (const std::size_t members : {1, 2, 3, 4, 7}) {
    const Division division({{3, 2, 0, 2, 1}}, members);
    ForEachMember(members, [&](Team& team) {
      std::vector<double> values(whole.size(), -1);
      for (const std::size_t item : division.ItemsOf(team.rank())) {
        std::copy_n(whole.begin() + std::ptrdiff_t(places[item].begin), places[item].size,
                    values.begin() + std::ptrdiff_t(places[item].begin));
      }
      Share(team, division, places, std::span(values));
      EXPECT_EQ(values, whole) << "member " << team.rank() << " of " << members;
    });
  }
}

}  // namespace
}  // namespace airlot::base
