#include "data/gzip_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/byte_reader.h"
#include "data/scratch_folder_for_tests.h"

namespace airlot::data {
namespace {

class GzipFileTest : public ScratchFolder {
 protected:
  // Writes text in pieces of this size.
  std::string Compressed(const std::string& text, std::size_t piece) const {
    auto file = GzipFile::Create(Path("text.gz"));
    EXPECT_TRUE(file.ok()) << file.error().message;
    for (std::size_t at = 0; at < text.size(); at += piece) file->Append(text.substr(at, piece));
    EXPECT_FALSE(std::filesystem::exists(Path("text.gz")));
    EXPECT_TRUE(file->Commit().ok());
    const std::string bytes = Text(Path("text.gz"));
    auto reader = ByteReader::Open(Path("text.gz"));
    std::vector<std::uint8_t> read(text.size() + 1);
    EXPECT_EQ(*reader->Read(read), text.size());
    EXPECT_TRUE(std::equal(text.begin(), text.end(), read.begin(),
                           [](char a, std::uint8_t b) { return std::uint8_t(a) == b; }));
    std::filesystem::remove(Path("text.gz"));
    return bytes;
  }
};

TEST_F(GzipFileTest, BytesDoNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7919 % 10007) + ",";
  ASSERT_GT(text.size(), 3u << 16);
  const std::string whole = Compressed(text, text.size());
  EXPECT_LT(whole.size(), text.size());
  for (const std::size_t piece : {1, 100, 65535, 65536, 65537}) {
    EXPECT_EQ(Compressed(text, piece), whole) << piece;
  }
  for (const std::size_t size : {0u, 1u, 1u << 16, (1u << 16) + 1}) {
    EXPECT_EQ(Compressed(text.substr(0, size), 1000), Compressed(text.substr(0, size), 7)) << size;
  }
  const std::string no_time(4, '\0');
  EXPECT_EQ(whole.substr(4, 4), no_time);
  EXPECT_EQ(whole[3], 0);  // The member has no name.
}

TEST_F(GzipFileTest, NothingIsLeftWithoutACommit) {
  {
    auto file = GzipFile::Create(Path("text.gz"));
    file->Append(std::string(1 << 20, 'x'));
  }
  EXPECT_TRUE(Names().empty());
  const auto nowhere = GzipFile::Create(Path("no/folder/text.gz"));
  EXPECT_EQ(nowhere.error().message,
            Path("no/folder/text.gz") + ": cannot write: No such file or directory");
}

}  // namespace
}  // namespace airlot::data
