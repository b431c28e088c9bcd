// The members of a team write one file, whole or not at all.
#include "base/team_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/npz_columns.h"
#include "base/team_for_tests.h"

namespace airlot::base {
namespace {

namespace fs = std::filesystem;

class TeamFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "team_file_" + std::to_string(::getpid());
    fs::create_directory(folder_);
    path_ = folder_ + "/file";
  }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string BytesOf(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::size_t FilesInFolder() const {
    return std::size_t(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string folder_, path_;
};

TEST_F(TeamFileTest, EveryMemberWritesAtItsPlace) {
  ForEachMember(3, [&](Team& team) {
    auto file = TeamFile::Create(path_, Hands(1, &team));
    ASSERT_TRUE(file);
    EXPECT_FALSE(fs::exists(path_));
    file->GoTo(2 * team.rank());
    file->Append(std::to_string(team.rank()));
    file->Append("-");
    file->GoTo(10 + team.rank());
    file->Append(std::string(1, char('a' + team.rank())));
    if (team.rank() == 0) {
      file->GoTo(6);
      file->Append("rest");
    }
    EXPECT_TRUE(file->Commit());
  });
  EXPECT_EQ(BytesOf(path_), "0-1-2-restabc");
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(TeamFileTest, AloneBytesFollowEachOther) {
  auto file = TeamFile::Create(path_, 2);
  ASSERT_TRUE(file);
  file->Append("one");
  file->GoTo(3);
  file->Append(" two");
  ASSERT_TRUE(file->Commit());
  EXPECT_EQ(BytesOf(path_), "one two");
}

TEST_F(TeamFileTest, LargeParts) {
  const std::string part(3'000'000, 'x');
  ForEachMember(2, [&](Team& team) {
    auto file = TeamFile::Create(path_, Hands(1, &team));
    ASSERT_TRUE(file);
    file->GoTo(part.size() * team.rank());
    file->Append(part);
    EXPECT_TRUE(file->Commit());
  });
  EXPECT_EQ(BytesOf(path_), part + part);
}

TEST_F(TeamFileTest, WhatIsAbandonedLeavesNothing) {
  std::ofstream(path_) << "old";
  ForEachMember(2, [&](Team& team) {
    auto file = TeamFile::Create(path_, Hands(1, &team));
    ASSERT_TRUE(file);
    file->Append("new");
  });
  EXPECT_EQ(BytesOf(path_), "old");
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(TeamFileTest, AFailureOfOneMemberIsThatOfAll) {
  ForEachMember(3, [&](Team& team) {
    auto file = TeamFile::Create(path_, Hands(1, &team));
    ASSERT_TRUE(file);
    // No file has room there.
    if (team.rank() == 1) file->GoTo(std::uint64_t{1} << 63);
    file->Append("x");
    const Status status = file->Commit();
    ASSERT_FALSE(status);
    EXPECT_TRUE(status.error().message.starts_with("rank 1 of 3: " + path_ + ": cannot write: "))
        << status.error().message;
  });
  EXPECT_EQ(FilesInFolder(), 0u);
}

TEST_F(TeamFileTest, NoFolderAndNoRegularFile) {
  ForEachMember(2, [&](Team& team) {
    const Hands hands(1, &team);
    const auto file = TeamFile::Create(folder_ + "/missing/file", hands);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().message,
              folder_ + "/missing/file: cannot write: No such file or directory");
    const auto device = TeamFile::Create("/dev/null", hands);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().message,
              "/dev/null: is no regular file, which several processes could write together");
  });
}

// Columns of NumPy whose rows the members hold are those that one process writes and reads.
TEST_F(TeamFileTest, ColumnsOfNumpy) {
  const std::size_t rows = 100'001;
  const auto columns_of = [](std::size_t first) {
    return std::vector<NpzColumn>{
        WholeNumberColumn("row", [first](std::size_t i) { return std::int64_t(first + i); }),
        NumberColumn("same", 2.5), TextColumn("name", 6, [first](std::size_t i, std::string& text) {
          return std::string_view(text = std::to_string(first + i));
        })};
  };
  ASSERT_TRUE(WriteNpz(path_, rows, columns_of(0), 1));
  const std::string alone = BytesOf(path_);
  for (const std::size_t members : {1, 2, 3}) {
    ForEachMember(members, [&](Team& team) {
      const Hands hands(2, &team);
      const std::size_t first = rows * team.rank() / members;
      const NpzRows own{first, rows * (team.rank() + 1) / members - first};
      EXPECT_TRUE(WriteNpz(path_, own.count, columns_of(first), hands));
      const auto file = NpzReader::Open(path_);
      ASSERT_TRUE(file);
      const auto array = file->Look(0);
      ASSERT_TRUE(array);
      std::size_t read = 0;
      EXPECT_TRUE(file->Read(*array, own, Hands(1, &team),
                             [&](std::size_t begin, std::string_view bytes) -> Status {
                               EXPECT_EQ(begin, read);
                               EXPECT_EQ(bytes[0], char(first + begin));
                               read += bytes.size() / 8;
                               return {};
                             }));
      EXPECT_EQ(read, own.count);
      // An error of one member is that of all.
      const Status status =
          file->Read(*array, own, Hands(1, &team), [&](std::size_t, std::string_view) -> Status {
            return team.rank() + 1 == members ? Status(Error{"the last"}) : Status();
          });
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().message, "the last");
    });
    EXPECT_TRUE(BytesOf(path_) == alone) << members;
  }
  std::string damaged = alone;
  damaged[damaged.find("row.npy") + 500'000] ^= 1;
  std::ofstream(path_, std::ios::binary) << damaged;
  ForEachMember(2, [&](Team& team) {
    const auto file = NpzReader::Open(path_);
    ASSERT_TRUE(file);
    const Status status =
        file->Read(*file->Look(0), {.first = 50'000 * team.rank(), .count = 50'000},
                   Hands(1, &team), [](std::size_t, std::string_view) { return Status(); });
    EXPECT_FALSE(status);
  });
}

}  // namespace
}  // namespace airlot::base
