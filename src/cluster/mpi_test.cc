#include "cluster/mpi.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace airlot::cluster {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Launch> LaunchIn(const Variables& variables) {
  return FindLaunch([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Mpi, KnowsWhoStartedTheProcess) {
  const auto open = LaunchIn({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
  ASSERT_TRUE(open);
  EXPECT_EQ(open->mpi, "openmpi");
  EXPECT_EQ(open->rank, 2);
  EXPECT_EQ(open->size, 4);
  const auto mpich = LaunchIn({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}});
  ASSERT_TRUE(mpich);
  EXPECT_EQ(mpich->mpi, "mpich");
  const auto slurm = LaunchIn({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});
  ASSERT_TRUE(slurm);
  EXPECT_EQ(slurm->mpi, "openmpi");
  EXPECT_EQ(slurm->rank, 1);
}

TEST(Mpi, IsAloneWithoutOthersOrWithNonsense) {
  EXPECT_FALSE(LaunchIn({}));
  EXPECT_FALSE(LaunchIn({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}));
  EXPECT_FALSE(LaunchIn({{"OMPI_COMM_WORLD_SIZE", "4"}}));
  EXPECT_FALSE(LaunchIn({{"PMI_RANK", "3"}, {"PMI_SIZE", "3"}}));
  EXPECT_FALSE(LaunchIn({{"PMI_RANK", "one"}, {"PMI_SIZE", "3"}}));
  EXPECT_FALSE(LaunchIn({{"PMI_RANK", ""}, {"PMI_SIZE", "3 "}}));
}

TEST(Mpi, SaysWhichPluginIsMissing) {
  const auto ranks = JoinRanks({"mpich", 0, 2}, {"/nowhere"});
  ASSERT_FALSE(ranks);
  EXPECT_EQ(
      ranks.error().message,
      "this is one of 2 processes that were started together, and airlot-mpich.so is not "
      "there: build airlot where MPICH is installed (docs/clusters.md), or start one process");
}

TEST(Mpi, RefusesAFileThatIsNoPlugin) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("airlot_mpi_test_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / PluginOf("openmpi")) << "not a library";
  const auto ranks = JoinRanks({"openmpi", 0, 2}, {"/nowhere", folder.string()});
  ASSERT_FALSE(ranks);
  EXPECT_TRUE(ranks.error().message.starts_with((folder / "airlot-openmpi.so: ").string()))
      << ranks.error().message;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace airlot::cluster
