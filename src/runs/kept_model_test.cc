// The model of a run is found by several paths, and others are refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "airlot/kept_runs.h"
#include "runs/run_directory_for_tests.h"

namespace airlot {
namespace {

class KeptModelTest : public RunDirectoryTest {
 protected:
  static std::string ErrorOfPath(const std::string& path) {
    const auto model = FindKeptModel(path);
    return model ? "" : model.error().message;
  }
};

TEST_F(KeptModelTest, IsFoundByItsFileItsFolderAndItsDirectory) {
  Open();
  Put(File("model.npz"), "x");
  for (const std::string& path :
       {File("model.npz"), path_ + "/uniform/seed-1", path_ + "/uniform/seed-1/", path_}) {
    const auto model = FindKeptModel(path);
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_TRUE(fs::equivalent(model->file, File("model.npz"))) << path;
    ASSERT_TRUE(model->origin) << path;
    EXPECT_EQ(model->origin->strategy, "uniform");
    EXPECT_EQ(model->origin->seed, 1u);
    EXPECT_EQ(fs::path(model->origin->manifest), fs::canonical(path_) / "manifest.json");
    EXPECT_EQ(ParseScenario(model->origin->scenario, "x")->rounds,
              ComparisonOf().comparison.scenario.rounds);
  }
}

TEST_F(KeptModelTest, AFileElsewhereHasNoOrigin) {
  Put(folder_ + "/seed-1/mine.npz", "x");
  EXPECT_FALSE(FindKeptModel(folder_ + "/seed-1/mine.npz")->origin);
  EXPECT_FALSE(FindKeptModel(folder_ + "/nowhere/mine.npz")->origin);
  Open();
  Put(path_ + "/uniform/best/model.npz", "x");
  EXPECT_FALSE(FindKeptModel(path_ + "/uniform/best")->origin);
}

TEST_F(KeptModelTest, SaysWhichPathToGive) {
  Open();
  EXPECT_EQ(ErrorOfPath(path_), path_ +
                                    ": no run in it has a model.npz: none is complete, or they "
                                    "are of an earlier version");
  Put(File("model.npz"), "x");
  Put(File("model.npz", 2), "x");
  EXPECT_EQ(ErrorOfPath(path_), path_ +
                                    ": holds 2 trained models: give the folder of one, such "
                                    "as " +
                                    path_ + "/uniform/seed-1");
  EXPECT_EQ(ErrorOfPath(folder_),
            folder_ + ": holds no model.npz: give a file, or the folder of a complete run");
  Put(path_ + "/manifest.json", "{");
  EXPECT_NE(ErrorOfPath(File("model.npz")), "");
}

}  // namespace
}  // namespace airlot
