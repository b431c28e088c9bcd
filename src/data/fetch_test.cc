#include "data/fetch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "data/idx_folder.h"
#include "data/scratch_folder_for_tests.h"
#include "data/sha256.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

// These tests fetch a tiny set that has no package from folders and archives.
class FetchTest : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    setenv("AIRLOT_DATA_DIR", Path("cache").c_str(), 1);
    const std::string bytes[kIdxFiles] = {Idx({2, 1, 600}, std::string(1200, 'a')),
                                          Idx({2}, {0, 1}), Idx({1, 1, 600}, std::string(600, 'b')),
                                          Idx({1}, {1})};
    for (std::size_t i = 0; i < kIdxFiles; ++i) {
      bytes_[i] = bytes[i];
      Sha256 sha256;
      sha256.Update({reinterpret_cast<const std::uint8_t*>(bytes[i].data()), bytes[i].size()});
      sha256_[i] = sha256.Hex();
      set_.files[i] = {bytes[i].size(), sha256_[i]};
    }
    WriteSource("source");
  }

  void WriteSource(const std::string& folder) const {
    for (std::size_t i = 0; i < kIdxFiles; ++i) {
      Write(folder + "/" + std::string(kIdxNames[i]), bytes_[i]);
    }
  }

  std::string Archive() const {
    std::string tar = TarMember("package/readme.md", "hello") +
                      TarMember("package/data/", "", '5') +
                      TarMember("long", "package/train-images-idx3-ubyte", 'L');
    for (std::size_t i = 0; i < kIdxFiles; ++i) {
      tar += TarMember("package/data/" + std::string(kIdxNames[i]), bytes_[i]);
    }
    return tar + std::string(1024, '\0');
  }

  void ExpectFetched(const std::string& from) const {
    const auto fetched = Fetch(set_, from);
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_EQ(fetched->folder, Path("cache/tiny"));
    EXPECT_FALSE(fetched->was_there);
    EXPECT_EQ(Names("cache"), std::set<std::string>{"tiny"});
    EXPECT_EQ(Names("cache/tiny"), std::set<std::string>(kIdxNames.begin(), kIdxNames.end()));
    for (std::size_t i = 0; i < kIdxFiles; ++i) {
      EXPECT_EQ(Text(Path("cache/tiny/" + std::string(kIdxNames[i]))), bytes_[i]);
    }
  }

  // Returns what is wrong with a fetch, which must leave the cache as it was.
  std::string ErrorOf(const std::string& from) const {
    Write("cache/tiny/train-images-idx3-ubyte", "damaged");
    const auto fetched = Fetch(set_, from);
    EXPECT_EQ(Names("cache"), std::set<std::string>{"tiny"});
    EXPECT_EQ(Names("cache/tiny"), std::set<std::string>{"train-images-idx3-ubyte"});
    EXPECT_EQ(Text(Path("cache/tiny/train-images-idx3-ubyte")), "damaged");
    if (fetched) return "none";
    std::string message = fetched.error().message;
    if (message.starts_with(folder_.string())) message.replace(0, folder_.string().size(), "DIR");
    return message;
  }

  std::string bytes_[kIdxFiles];
  std::string sha256_[kIdxFiles];
  KnownSet set_{.name = "tiny", .classes = 2};
};

TEST_F(FetchTest, FromAFolder) { ExpectFetched(Path("source")); }

TEST_F(FetchTest, FromCompressedFiles) {
  fs::remove(Path("source/train-images-idx3-ubyte"));
  Write("source/train-images.idx3-ubyte.gz", Gzip(bytes_[0]));
  ExpectFetched(Path("source"));
}

TEST_F(FetchTest, FromAnArchive) { ExpectFetched(Write("set.tgz", Gzip(Archive()))); }

TEST_F(FetchTest, FromAPackagesFolder) {
  const std::string folder = Path("source");
  set_.debian_package = "dataset-tiny";
  set_.debian_folder = folder;
  ExpectFetched("");
  fs::remove_all(Path("cache"));
  set_.debian_folder = "/no-such-folder";
  EXPECT_EQ(ErrorOf(""),
            "tiny: the Debian package dataset-tiny is not installed: install it (apt install "
            "dataset-tiny), or name a folder that holds the files");
}

TEST_F(FetchTest, WhatIsThereStays) {
  WriteSource("cache/tiny");
  const auto fetched = Fetch(set_, Path("no-such-folder"));
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(fetched->was_there);
}

TEST_F(FetchTest, ReplacesADamagedSet) {
  Write("cache/tiny/train-images-idx3-ubyte", "damaged");
  ExpectFetched(Path("source"));
}

TEST_F(FetchTest, DoesNotReplaceWhatIsTheUsers) {
  for (const std::string name : {"cache/tiny/notes.txt", "cache/tiny/deep/file", "cache/tiny"}) {
    Write(name, "mine");
    const auto fetched = Fetch(set_, Path("source"));
    ASSERT_FALSE(fetched) << name;
    EXPECT_NE(fetched.error().message.find("would be lost"), std::string::npos);
    EXPECT_EQ(Text(Path(name)), "mine");
    std::filesystem::remove_all(Path("cache/tiny"));
  }
}

// The fetch was killed after the new set took its place and before the old one was removed.
TEST_F(FetchTest, RemovesWhatAKilledFetchLeftBesideAWholeSet) {
  WriteSource("cache/tiny");
  Write("cache/.tiny.tmp-1-0/train-images-idx3-ubyte", "old");
  ASSERT_TRUE(Fetch(set_, "")->was_there);
  EXPECT_EQ(Names("cache"), std::set<std::string>{"tiny"});
}

TEST_F(FetchTest, RemovesWhatAKilledFetchLeft) {
  Write("cache/.tiny.tmp-1-0/train-images-idx3-ubyte", "half");
  ExpectFetched(Path("source"));
}

TEST_F(FetchTest, LeavesWhatIsNotItsOwn) {
  const std::set<std::string> foreign = {".tiny.tmp-work", ".notes.tmp-1-0", ".tiny.tmp-1-0-new"};
  for (const std::string& name : foreign) Write("cache/" + name + "/file", "mine");
  Write("cache/.tiny.tmp-2-0", "a file");
  ASSERT_TRUE(Fetch(set_, Path("source")));
  std::set<std::string> expected = foreign;
  expected.insert({"tiny", ".tiny.tmp-2-0"});
  EXPECT_EQ(Names("cache"), expected);
  for (const std::string& name : foreign) EXPECT_EQ(Text(Path("cache/" + name + "/file")), "mine");
}

TEST_F(FetchTest, PutsBackTheSetOfAFetchThatWasKilledBetweenTwoRenames) {
  WriteSource("cache/.tiny.tmp-1-0-old");
  Write("cache/.tiny.tmp-1-0/train-images-idx3-ubyte", "new");
  const auto fetched = Fetch(set_, Path("no-such-folder"));
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(fetched->was_there);
  EXPECT_EQ(Names("cache"), std::set<std::string>{"tiny"});
}

TEST_F(FetchTest, WrongLength) {
  Write("source/t10k-images-idx3-ubyte", bytes_[2].substr(1));
  EXPECT_EQ(ErrorOf(Path("source")),
            "DIR/source/t10k-images-idx3-ubyte: has 615 bytes, expected 616");
  Write("source/t10k-images-idx3-ubyte", bytes_[2] + "x");
  EXPECT_EQ(ErrorOf(Path("source")),
            "DIR/source/t10k-images-idx3-ubyte: has more than 616 bytes, expected 616");
  Write("source/t10k-images-idx3-ubyte", "");
  EXPECT_EQ(ErrorOf(Path("source")),
            "DIR/source/t10k-images-idx3-ubyte: has 0 bytes, expected 616");
}

TEST_F(FetchTest, WrongChecksum) {
  Write("source/t10k-labels-idx1-ubyte", Idx({1}, {0}));
  const std::string message = ErrorOf(Path("source"));
  EXPECT_EQ(message.substr(0, 46), "DIR/source/t10k-labels-idx1-ubyte: SHA-256 is ");
  EXPECT_TRUE(message.ends_with(", expected " + sha256_[3])) << message;
}

TEST_F(FetchTest, CorruptCompression) {
  fs::remove(Path("source/t10k-labels-idx1-ubyte"));
  const std::string gzip = Gzip(bytes_[3]);
  Write("source/t10k-labels-idx1-ubyte.gz", gzip.substr(0, gzip.size() - 3));
  EXPECT_EQ(ErrorOf(Path("source")),
            "DIR/source/t10k-labels-idx1-ubyte.gz: gzip data end early: the file is cut off");
}

TEST_F(FetchTest, BadArchives) {
  const std::string tar = Archive();
  EXPECT_EQ(ErrorOf(Write("set.tgz", tar)),
            "DIR/set.tgz: is not a gzip file: begins with 70 61, expected 1f 8b");
  EXPECT_EQ(ErrorOf(Write("set.tgz", Gzip(tar.substr(0, 3000)))),
            "DIR/set.tgz: the archive ends early: it is cut off");
  EXPECT_EQ(ErrorOf(Write("set.tgz", Gzip(std::string(1024, 'x')))),
            "DIR/set.tgz: is not a tar archive, or is a corrupt one");
  std::string flipped = tar;
  flipped[0] ^= 1;
  EXPECT_EQ(ErrorOf(Write("set.tgz", Gzip(flipped))),
            "DIR/set.tgz: is not a tar archive, or is a corrupt one");
  EXPECT_EQ(ErrorOf(Write("set.tgz", Gzip(std::string(1024, '\0')))).substr(0, 48),
            "DIR/set.tgz: has no file train-images-idx3-ubyte");
}

TEST_F(FetchTest, BadSources) {
  EXPECT_EQ(ErrorOf(Path("missing")),
            "DIR/missing: is not a folder, a .tgz archive, or an address with ://");
  EXPECT_EQ(ErrorOf(Path("missing.tgz")),
            "DIR/missing.tgz: cannot open: No such file or directory");
  fs::remove(Path("source/t10k-labels-idx1-ubyte"));
  EXPECT_EQ(ErrorOf(Path("source")).substr(0, 47),
            "DIR/source: has no file t10k-labels-idx1-ubyte ");
}

TEST_F(FetchTest, ACacheThatCannotBe) {
  setenv("AIRLOT_DATA_DIR", Write("file", "x").c_str(), 1);
  EXPECT_EQ(Fetch(set_, Path("source")).error().message,
            Path("file") +
                ": cannot use this cache folder: Not a directory: set AIRLOT_DATA_DIR to a folder "
                "that can be written");
}

}  // namespace
}  // namespace airlot::data
