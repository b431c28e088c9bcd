// Small archives in CIFAR's layout become IDX files; the real path takes only the real archive.
#include "data/cifar.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/mutations_for_tests.h"
#include "data/fetch.h"
#include "data/own_checksums.h"
#include "data/scratch_folder_for_tests.h"
#include "data/sha256.h"
#include "data/verify.h"

namespace airlot::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kImageBytes = 3 * 32 * 32;
constexpr std::string_view kTwoFiles[] = {"first.bin", "second.bin"};

// A record has its labels, then an image whose bytes count up from `first`.
std::string Record(const std::string& labels, int first) {
  std::string record = labels;
  for (std::size_t i = 0; i < kImageBytes; ++i) record += char((std::size_t(first) + i) % 251);
  return record;
}

std::string SmallArchive() {
  return TarMember("cifar/readme.html", "hello") +
         TarMember("cifar/first.bin", Record("\1", 0) + Record("\2", 1)) +
         TarMember("cifar/test.bin", Record({0}, 4)) +
         TarMember("cifar/second.bin", Record("\4", 2) + Record("\3", 3)) + std::string(1024, '\0');
}

class CifarTest : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    fs::create_directories(Path("scratch"));
    fs::create_directories(Path("out"));
  }

  // Returns the description of an archive, with the checksum that it has.
  CifarArchive Described(const std::string& path) {
    const std::string bytes = Text(path);
    Sha256 sha256;
    sha256.Update({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    checksum_ = sha256.Hex();
    return {.name = "small.tar.gz",
            .bytes = bytes.size(),
            .sha256 = checksum_,
            .labels = 1,
            .classes = 5,
            .train_files = kTwoFiles,
            .test_file = "test.bin",
            .records = 2,
            .test_records = 1};
  }

  std::string checksum_;
};

TEST_F(CifarTest, BecomesIdxFiles) {
  const std::string path = Write("small.tar.gz", Gzip(SmallArchive()));
  const CifarArchive archive = Described(path);
  ASSERT_TRUE(VerifyArchive(path, archive).ok());
  const Status status = ConvertCifar(path, archive, Path("scratch"), Path("out"));
  ASSERT_TRUE(status.ok()) << status.error().message;
  const auto set = ReadDataset(Path("out"));
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->train.labels, (std::vector<std::uint8_t>{1, 2, 4, 3}));
  EXPECT_EQ(set->test.labels, (std::vector<std::uint8_t>{0}));
  EXPECT_EQ(set->train.channels, 3);
  EXPECT_EQ(set->train.height, 32);
  EXPECT_EQ(set->train.width, 32);
  for (std::size_t image = 0; image < 4; ++image) {
    const std::string expected = Record("", int(image));
    const auto pixels = set->train.Image(image);
    EXPECT_EQ(std::string(pixels.begin(), pixels.end()), expected) << image;
  }
  EXPECT_EQ(Names("out"),
            (std::set<std::string>{"SHA256SUMS", "t10k-images-idx4-ubyte", "t10k-labels-idx1-ubyte",
                                   "train-images-idx4-ubyte", "train-labels-idx1-ubyte"}));
}

// Damage that comes later is found by the checksums that were noted.
TEST_F(CifarTest, ItsOwnChecksums) {
  const std::string path = Write("small.tar.gz", Gzip(SmallArchive()));
  const CifarArchive archive = Described(path);
  ASSERT_TRUE(ConvertCifar(path, archive, Path("scratch"), Path("out")).ok());
  const KnownSet set{
      .name = "small",
      .classes = 5,
      .files = {{{20 + 4 * kImageBytes, ""}, {12, ""}, {20 + kImageBytes, ""}, {9, ""}}},
      .npm_package = "",
      .debian_package = "",
      .debian_folder = "",
      .archive = &archive};
  EXPECT_TRUE(Verify(set, Path("out")).ok());
  const std::string labels = Text(Path("out/train-labels-idx1-ubyte"));
  Write("out/train-labels-idx1-ubyte", labels.substr(0, labels.size() - 1) + "\1");
  EXPECT_TRUE(Verify(set, Path("out"))
                  .error()
                  .message.starts_with(Path("out/train-labels-idx1-ubyte") + ": SHA-256 is "));
  Write("out/SHA256SUMS", "hello");
  EXPECT_EQ(Verify(set, Path("out")).error().message,
            Path("out/SHA256SUMS") + ": line 1: must be the SHA-256 of train-images-idx4-ubyte");
}

TEST_F(CifarTest, FineLabelsOfTwo) {
  CifarArchive archive = Described(Write("x", ""));
  archive.labels = 2;
  archive.train_files = std::span(kTwoFiles).first(1);
  const std::string path = Write(
      "small.tar.gz", Gzip(TarMember("first.bin", Record("\x13\4", 0) + Record("\x12\3", 1)) +
                           TarMember("test.bin", Record("\x11\2", 2)) + std::string(1024, '\0')));
  const Status status = ConvertCifar(path, archive, Path("scratch"), Path("out"));
  ASSERT_TRUE(status.ok()) << status.error().message;
  const auto set = ReadDataset(Path("out"));
  EXPECT_EQ(set->train.labels, (std::vector<std::uint8_t>{4, 3}));
  EXPECT_EQ(set->train.Image(0)[0], 0);
  EXPECT_EQ(set->train.Image(1)[0], 1);
}

TEST_F(CifarTest, SaysWhatIsWrong) {
  const auto error_of = [&](const std::string& members) {
    const std::string path = Write("small.tar.gz", Gzip(members + std::string(1024, '\0')));
    fs::remove_all(Path("scratch"));
    fs::create_directories(Path("scratch"));
    const Status status = ConvertCifar(path, Described(path), Path("scratch"), Path("out"));
    return status.ok() ? "none" : status.error().message;
  };
  const std::string first = TarMember("first.bin", Record("\1", 0) + Record("\2", 1));
  EXPECT_EQ(error_of(first),
            Path("scratch/second.bin") + ": cannot open: No such file or directory");
  EXPECT_EQ(error_of(TarMember("first.bin", Record("\1", 0))),
            Path("scratch/first.bin") + ": has 3073 bytes, expected 6146 (2 records of 3073)");
  EXPECT_EQ(error_of(TarMember("first.bin", Record("\1", 0) + Record("\5", 1))),
            Path("scratch/first.bin") + ": label 5 of record 2: must be <= 4");
}

// This is the path that a user takes, with an archive that is another one.
TEST_F(CifarTest, AnotherArchiveIsRefused) {
  setenv("AIRLOT_DATA_DIR", Path("cache").c_str(), 1);
  const auto error_of = [&](const std::string& name, const std::string& from) {
    const auto fetched = Fetch(*FindKnownSet(name), from);
    return fetched ? "none" : fetched.error().message;
  };
  const std::string path = Write("small.tar.gz", Gzip(SmallArchive()));
  EXPECT_EQ(error_of("cifar10", path), path + ": has " + std::to_string(fs::file_size(path)) +
                                           " bytes, expected 170052171: is not "
                                           "cifar-10-binary.tar.gz");
  // A file of that size is sparse, so that the disk is not filled.
  fs::resize_file(path, 168513733);
  EXPECT_TRUE(error_of("cifar100", path).starts_with(path + ": SHA-256 is "))
      << error_of("cifar100", path);
  EXPECT_TRUE(error_of("cifar100", path).ends_with(": is not cifar-100-binary.tar.gz"));
  EXPECT_EQ(error_of("cifar10", ""),
            "cifar10 cannot be downloaded by airlot: get the file cifar-10-binary.tar.gz from the "
            "page of its author (Alex Krizhevsky, University of Toronto; the binary version), then "
            "name it with --from");
  for (const std::string& from : {Path("scratch"), std::string("https://host/x.tar.gz")}) {
    EXPECT_EQ(
        error_of("cifar10", from),
        from + ": is not a .tar.gz file: --from takes cifar-10-binary.tar.gz, which you have got");
  }
  EXPECT_FALSE(fs::exists(Path("cache/cifar10")));
  EXPECT_EQ(ReadDataset("cifar10").error().message,
            "cifar10: is not in the cache (" + Path("cache/cifar10") +
                "): run \"airlot data fetch cifar10 --from cifar-10-binary.tar.gz\", or use the "
                "built-in data set \"digits-colour\"");
}

TEST_F(CifarTest, MutationsAreConvertedOrRefused) {
  const std::string archive_bytes = SmallArchive();
  CifarArchive archive = Described(Write("x", ""));
  std::size_t converted = 0, refused = 0;
  const std::string path = Path("small.tar.gz");
  base::ForEachMutation(archive_bytes.substr(0, 3 * 512), 150, [&](const std::string& start) {
    Write("small.tar.gz", Gzip(start + archive_bytes.substr(3 * 512)));
    for (const std::string folder : {"scratch", "out"}) {
      fs::remove_all(Path(folder));
      fs::create_directories(Path(folder));
    }
    const Status status = ConvertCifar(path, archive, Path("scratch"), Path("out"));
    if (!status.ok()) {
      ++refused;
      return;
    }
    ++converted;
    ASSERT_TRUE(ReadDataset(Path("out")).ok());
  });
  EXPECT_GT(converted, 5u);
  EXPECT_GT(refused, 50u);
}

}  // namespace
}  // namespace airlot::data
