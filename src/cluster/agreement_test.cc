#include "cluster/agreement.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/ranks_for_tests.h"

namespace airlot::cluster {
namespace {

// Lets every rank claim what `value` says of it, or give up where that is empty. Returns what the
// ranks are told.
std::vector<std::string> Told(const std::vector<std::string>& values) {
  std::vector<std::string> told(values.size());
  ForEachRank(values.size(), [&](Ranks& ranks) {
    const std::size_t rank = ranks.rank();
    if (values[rank].empty()) {
      told[rank] = "gave up";
      return GiveUp(ranks, "no such file");
    }
    const std::vector<Claim> claims{{"the version", "1", "install it"},
                                    {"the scenario", values[rank], "give all the same"}};
    std::vector<std::string> hosts;
    const Status status = Agree(ranks, claims, hosts);
    told[rank] = status ? "agreed" : "error: " + status.error().message;
    if (rank == 0) {
      EXPECT_EQ(hosts.size(), values.size());
      EXPECT_EQ(hosts.back(), "host" + std::to_string(values.size() - 1));
    }
  });
  return told;
}

TEST(Agreement, AllGoOnWhereAllAreTheSame) {
  EXPECT_EQ(Told({"a", "a", "a"}), (std::vector<std::string>{"agreed", "agreed", "agreed"}));
  EXPECT_EQ(Told({"a"}), (std::vector<std::string>{"agreed"}));
}

TEST(Agreement, TheFirstRankSaysWhoDiffersAndTheOthersAreSilent) {
  EXPECT_EQ(Told({"a", "a", "b"}),
            (std::vector<std::string>{"error: rank 2 of 3 (host2): the scenario is not that of "
                                      "rank 0: give all the same",
                                      "error: ", "error: "}));
}

TEST(Agreement, TheFirstRankSaysWhoGaveUpAndWhy) {
  EXPECT_EQ(
      Told({"a", "", "a"}),
      (std::vector<std::string>{"error: rank 1 of 3 (host1): no such file", "gave up", "error: "}));
}

TEST(Agreement, NobodyWaitsForAFirstRankThatGaveUp) {
  EXPECT_EQ(Told({"", "a", ""}), (std::vector<std::string>{"gave up", "error: ", "gave up"}));
}

}  // namespace
}  // namespace airlot::cluster
