// IDX files and archives with errors of all kinds are read whole, or give an error that names the
// file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>
#include <string>

#include "base/mutations_for_tests.h"
#include "data/idx.h"
#include "data/scratch_folder_for_tests.h"
#include "data/tar.h"

namespace airlot::data {
namespace {

class MutationsTest : public ScratchFolder {
 protected:
  void SetUp() override {
    folder_ = base::FolderInMemory() + "/airlot_mutations_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
};

TEST_F(MutationsTest, IdxFilesAreReadOrRefused) {
  const std::string bytes = Idx({3, 2, 4}, "abcdefghijklmnopqrstuvwx");
  for (const bool is_compressed : {false, true}) {
    std::size_t read = 0, refused = 0;
    base::ForEachMutation(bytes, 1500, [&](const std::string& mutated) {
      const std::string path =
          is_compressed ? Write("file.gz", Gzip(mutated)) : Write("file", mutated);
      const auto array = ReadIdx(path, 3);
      const auto dimensions = ReadIdxDimensions(path, 3);
      if (!array) {
        ++refused;
        ASSERT_TRUE(array.error().message.starts_with(path + ": ")) << array.error().message;
        return;
      }
      ++read;
      ASSERT_TRUE(dimensions.ok());
      ASSERT_EQ(*dimensions, array->dimensions);
      ASSERT_EQ(array->dimensions.size(), 3U);
      ASSERT_EQ(std::accumulate(array->dimensions.begin(), array->dimensions.end(), std::size_t{1},
                                std::multiplies<>()),
                array->values.size());
      ASSERT_EQ(mutated.size(), 16 + array->values.size());
    });
    EXPECT_GT(read, 50U);
    EXPECT_GT(refused, 500U);
  }
}

// The compressed bytes themselves are changed here.
TEST_F(MutationsTest, CompressedFilesAreReadOrRefused) {
  const std::string bytes = Gzip(Idx({3, 2, 4}, "abcdefghijklmnopqrstuvwx"));
  std::size_t refused = 0;
  base::ForEachMutation(bytes, 1500, [&](const std::string& mutated) {
    const std::string path = Write("file.gz", mutated);
    const auto array = ReadIdx(path, 3);
    if (array) return;
    ++refused;
    ASSERT_TRUE(array.error().message.starts_with(path + ": ")) << array.error().message;
  });
  EXPECT_GT(refused, 500U);
}

// An archive gives IDX files under their own names, or an error, and never anything else.
TEST_F(MutationsTest, ArchivesAreUnpackedOrRefused) {
  const std::string archive =
      TarMember("package/readme.md", "hello") + TarMember("package/data/", "", '5') +
      TarMember("package/data/train-labels-idx1-ubyte", Idx({2}, "ab")) +
      TarMember("t10k-labels-idx1-ubyte", Idx({600}, std::string(600, 'a'))) +
      std::string(1024, '\0');
  const std::set<std::string> known{"train-labels-idx1-ubyte", "t10k-labels-idx1-ubyte"};
  std::size_t unpacked = 0, refused = 0;
  const auto check = [&](const std::string& mutated) {
    const std::string path = Write("set.tgz", Gzip(mutated));
    std::filesystem::remove_all(Path("out"));
    std::filesystem::create_directory(Path("out"));
    const Status status = UnpackIdxFiles(path, Path("out"));
    ++(status.ok() ? unpacked : refused);
    if (!status) {
      ASSERT_TRUE(status.error().message.starts_with(path + ": ")) << status.error().message;
    }
    for (const std::string& name : Names("out")) ASSERT_TRUE(known.contains(name)) << name;
  };
  base::ForEachMutation(archive, 700, check);
  // These are headers whose checksum is right again.
  base::ForEachMutation(archive.substr(0, 512), 700, [&](std::string header) {
    header.resize(512);
    check(WithTarChecksum(header) + archive.substr(512));
  });
  EXPECT_GT(unpacked, 100U);
  EXPECT_GT(refused, 300U);
}

}  // namespace
}  // namespace airlot::data
