#include "base/gather.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/shards.h"
#include "base/team_for_tests.h"

namespace airlot::base {
namespace {

TEST(Gather, EveryMemberHasTheValuesOfAllInTheirOrder) {
  ForEachMember(3, [](Team& team) {
    // The members bring 0, 1 and 2 values.
    const std::vector<double> mine(team.rank(), 0.5 + double(team.rank()));
    EXPECT_EQ(GatherAll<double>(team, mine), (std::vector{1.5, 2.5, 2.5}));
    EXPECT_EQ(GatherBytes(team, std::string(team.rank(), 'x')), "xxx");
    EXPECT_EQ(GatherAll<double>(team, std::vector<double>()), std::vector<double>());
    // One member has more than the others, and much.
    const std::vector<double> many(team.rank() == 1 ? 10'000 : 1, double(team.rank()));
    const std::vector<double> all = GatherAll<double>(team, many);
    ASSERT_EQ(all.size(), 10'002u);
    EXPECT_EQ(all.front(), 0);
    EXPECT_EQ(all[1], 1);
    EXPECT_EQ(all[10'000], 1);
    EXPECT_EQ(all.back(), 2);
  });
}

TEST(Gather, CountsOverMembers) {
  ForEachMember(3, [](Team& team) {
    const Hands hands(1, &team);
    const std::size_t mine = 10 + team.rank();
    EXPECT_EQ(SumOfMembers(hands, mine), 33u);
    EXPECT_EQ(SumOfEarlierMembers(hands, mine), (std::vector{0u, 10u, 21u}[team.rank()]));
    const std::vector<std::size_t> counts{1, mine};
    EXPECT_EQ(SumsOfMembers(hands, counts), (std::vector<std::size_t>{3, 33}));
    EXPECT_TRUE(IsSoForAll(hands, true));
    EXPECT_FALSE(IsSoForAll(hands, team.rank() != 1));
  });
  EXPECT_EQ(SumOfMembers(4, 7), 7u);
  EXPECT_EQ(SumOfEarlierMembers(4, 7), 0u);
  EXPECT_FALSE(IsSoForAll(4, false));
}

TEST(Gather, TheErrorOfTheFirstMemberThatHasOneIsThatOfAll) {
  ForEachMember(3, [](Team& team) {
    const Hands hands(2, &team);
    EXPECT_TRUE(AgreeOn(hands, {}));
    const auto mine = team.rank() == 0 ? Status() : Status(FieldError("size", "3", "too much"));
    const Status agreed = AgreeOn(hands, mine);
    ASSERT_FALSE(agreed);
    EXPECT_EQ(agreed.error().message, "size = 3: too much");
    EXPECT_EQ(agreed.error().field, "size");
    const Status other = AgreeOn(
        hands, team.rank() == 0 ? Status() : Status(Error{"of " + std::to_string(team.rank())}));
    EXPECT_EQ(other.error().message, "of 1");
    EXPECT_FALSE(other.error().field);
  });
  EXPECT_EQ(AgreeOn(1, Error{"alone"}).error().message, "alone");
}

// A sum whose result depends on the order, of shards that are dealt in any way.
TEST(Gather, ASumOfAFleetIsTheSameToTheBitForAnyTeam) {
  const std::size_t devices = 5 * kShardSize + 100;
  const auto value_of = [](std::size_t i) { return 1.0 / (1 + double(i * 2654435761u % 1000003)); };
  const double alone = SumOfFleet(devices, 2, value_of);
  for (const std::size_t members : {1, 2, 3, 4, 6}) {
    ForEachMember(members, [&](Team& team) {
      const std::size_t shards = ShardCount(devices);
      const auto begin_of = [&](std::size_t rank) {
        return std::min(devices, shards * rank / members * kShardSize);
      };
      const std::size_t first = begin_of(team.rank());
      const double sum = SumOfFleet(begin_of(team.rank() + 1) - first, Hands(1, &team),
                                    [&](std::size_t i) { return value_of(first + i); });
      EXPECT_EQ(sum, alone);
    });
  }
}

}  // namespace
}  // namespace airlot::base
