// The tests of run directories share this header: it makes a folder that is gone after the test,
// and files in it.
#ifndef AIRLOT_RUNS_RUN_DIRECTORY_FOR_TESTS_H_
#define AIRLOT_RUNS_RUN_DIRECTORY_FOR_TESTS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "airlot/run_directory.h"

namespace airlot {

namespace fs = std::filesystem;

inline std::string Text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void Put(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// Lists all files but the lock, and the folders that are empty.
inline std::set<std::string> Tree(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool holds_more = entry.is_directory() && !fs::is_empty(entry.path());
    const bool is_lock = entry.path().filename() == ".lock";
    if (!holds_more && !is_lock) names.insert(fs::relative(entry.path(), folder));
  }
  return names;
}
using Names = std::set<std::string>;

inline PreparedComparison ComparisonOf(std::size_t rounds = 3) {
  PreparedComparison prepared;
  prepared.comparison = {.strategies = {"uniform"}, .seeds = {1, 2}};
  prepared.comparison.scenario.rounds = rounds;
  return prepared;
}

inline RunState StateAt(std::uint64_t round) {
  RunState state{.round = round, .time_s = double(round), .parameters = {1, 2}};
  for (std::uint64_t i = 0; i <= round; ++i) state.records.push_back({.round = i});
  return state;
}

class RunDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/airlot_runs_" + std::to_string(getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = folder_ + "/out";
  }
  void TearDown() override { fs::remove_all(folder_); }

  RunDirectory Open(ExistingRuns existing = ExistingRuns::kRefuse,
                    const PreparedComparison& comparison = ComparisonOf()) {
    auto directory = RunDirectory::Open(path_, comparison, existing);
    EXPECT_TRUE(directory.ok()) << directory.error().message;
    return std::move(*directory);
  }
  std::string ErrorOf(ExistingRuns existing,
                      const PreparedComparison& comparison = ComparisonOf()) const {
    const auto directory = RunDirectory::Open(path_, comparison, existing);
    return directory ? "" : directory.error().message;
  }
  std::string File(const std::string& name, int seed = 1) const {
    return path_ + "/uniform/seed-" + std::to_string(seed) + "/" + name;
  }
  // Returns the round that a run would go on from, or -1.
  static int RoundOf(const RunDirectory& directory, std::uint64_t seed = 1) {
    const auto found = directory.Find("uniform", seed);
    EXPECT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->checkpoint.has_value(), found->kept.stage == RunStage::kBegun);
    return found->checkpoint ? int(found->checkpoint->round) : -1;
  }

  std::string folder_, path_;
};

}  // namespace airlot

#endif  // AIRLOT_RUNS_RUN_DIRECTORY_FOR_TESTS_H_
