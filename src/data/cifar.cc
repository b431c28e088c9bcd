#include "data/cifar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "data/byte_reader.h"
#include "data/idx_folder.h"
#include "data/own_checksums.h"
#include "data/sha256.h"
#include "data/tar.h"

namespace airlot::data {
namespace {

constexpr std::size_t kCifarChannels = 3, kCifarSide = 32;
constexpr std::size_t kCifarPixels = kCifarChannels * kCifarSide * kCifarSide;

constexpr std::string_view kFiles10[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                         "data_batch_4.bin", "data_batch_5.bin"};
constexpr std::string_view kFiles100[] = {"train.bin"};

// An IdxWriter writes an IDX file of unsigned bytes, and takes its checksum on the way.
class IdxWriter {
 public:
  static Result<IdxWriter> Create(const std::string& folder, std::string_view name,
                                  std::initializer_list<std::size_t> dimensions) {
    auto file = base::AtomicFile::Create(fmt::format("{}/{}", folder, name));
    if (!file) return file.error();
    IdxWriter writer(std::move(*file));
    std::vector<std::uint8_t> header{0, 0, 8, std::uint8_t(dimensions.size())};
    for (const std::size_t dimension : dimensions) {
      for (const int shift : {24, 16, 8, 0}) header.push_back(dimension >> shift & 0xff);
    }
    writer.Append(header);
    return writer;
  }

  void Append(std::span<const std::uint8_t> bytes) {
    file_.Append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    sha256_.Update(bytes);
  }
  Result<std::string> Commit() {
    if (auto status = file_.Commit(); !status) return status.error();
    return sha256_.Hex();
  }

 private:
  explicit IdxWriter(base::AtomicFile file) : file_(std::move(file)) {}
  base::AtomicFile file_;
  Sha256 sha256_;
};

// A CifarHalf is what is written of the samples to train with, or of those to test.
class CifarHalf {
 public:
  static Result<CifarHalf> Create(const std::string& folder, std::string_view images,
                                  std::string_view labels, std::size_t samples) {
    auto image_file =
        IdxWriter::Create(folder, images, {samples, kCifarChannels, kCifarSide, kCifarSide});
    if (!image_file) return image_file.error();
    auto label_file = IdxWriter::Create(folder, labels, {samples});
    if (!label_file) return label_file.error();
    return CifarHalf(std::move(*image_file), std::move(*label_file));
  }

  // Takes all records of a file, which must have so many.
  Status TakeFile(const std::string& path, std::size_t records, const CifarArchive& archive) {
    auto file = ByteReader::Open(path);
    if (!file) return file.error();
    std::vector<std::uint8_t> record(archive.labels + kCifarPixels);
    const std::uint64_t expected = record.size() * records;
    if (file->size() != expected) {
      return Error{fmt::format("{}: has {} bytes, expected {} ({} records of {})", path,
                               file->size().value_or(0), expected, records, record.size())};
    }
    for (std::size_t i = 0; i < records; ++i) {
      const auto got = file->Read(record);
      if (!got) return got.error();
      if (*got < record.size()) return Error{fmt::format("{}: changes while it is read", path)};
      const std::uint8_t label = record[archive.labels - 1];
      if (label >= archive.classes) {
        return Error{fmt::format("{}: label {} of record {}: must be <= {}", path, label, i + 1,
                                 archive.classes - 1)};
      }
      labels_.Append({&label, 1});
      images_.Append(std::span(record).subspan(archive.labels));
    }
    return {};
  }

  // Puts both files in place, and adds their checksums, images first.
  Status Commit(std::vector<std::string>& checksums) {
    for (IdxWriter* writer : {&images_, &labels_}) {
      auto checksum = writer->Commit();
      if (!checksum) return checksum.error();
      checksums.push_back(std::move(*checksum));
    }
    return {};
  }

 private:
  CifarHalf(IdxWriter images, IdxWriter labels)
      : images_(std::move(images)), labels_(std::move(labels)) {}
  IdxWriter images_, labels_;
};

Status ConvertUnpacked(const CifarArchive& archive, const std::string& scratch,
                       const std::string& folder) {
  std::vector<std::string> checksums;
  auto train =
      CifarHalf::Create(folder, kChannelIdxNames[kTrainImages], kChannelIdxNames[kTrainLabels],
                        archive.records * archive.train_files.size());
  if (!train) return train.error();
  for (const std::string_view name : archive.train_files) {
    const std::string path = fmt::format("{}/{}", scratch, name);
    if (auto status = train->TakeFile(path, archive.records, archive); !status) return status;
  }
  if (auto status = train->Commit(checksums); !status) return status;
  auto test = CifarHalf::Create(folder, kChannelIdxNames[kTestImages],
                                kChannelIdxNames[kTestLabels], archive.test_records);
  if (!test) return test.error();
  const std::string path = fmt::format("{}/{}", scratch, archive.test_file);
  if (auto status = test->TakeFile(path, archive.test_records, archive); !status) return status;
  if (auto status = test->Commit(checksums); !status) return status;
  return WriteOwnChecksums(folder, checksums);
}

}  // namespace

// The checksums of the archives are those that several public data loaders agree on; both archives
// are on the page of their author, Alex Krizhevsky.
constexpr CifarArchive kCifar10{
    .name = "cifar-10-binary.tar.gz",
    .bytes = 170052171,
    .sha256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
    .labels = 1,
    .classes = 10,
    .train_files = kFiles10,
    .test_file = "test_batch.bin",
    .records = 10000,
    .test_records = 10000};
constexpr CifarArchive kCifar100{
    .name = "cifar-100-binary.tar.gz",
    .bytes = 168513733,
    .sha256 = "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
    .labels = 2,
    .classes = 100,
    .train_files = kFiles100,
    .test_file = "test.bin",
    .records = 50000,
    .test_records = 10000};

Status VerifyArchive(const std::string& path, const CifarArchive& archive) {
  auto file = base::InputFile::Open(path);
  if (!file) return file.error();
  if (file->size() && *file->size() != archive.bytes) {
    return Error{fmt::format("{}: has {} bytes, expected {}: is not {}", path, *file->size(),
                             archive.bytes, archive.name)};
  }
  Sha256 sha256;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (true) {
    const auto got = file->Read(buffer);
    if (!got) return got.error();
    if (*got == 0) break;
    sha256.Update({reinterpret_cast<const std::uint8_t*>(buffer.data()), *got});
  }
  const std::string found = sha256.Hex();
  if (found == archive.sha256) return {};
  return Error{fmt::format("{}: SHA-256 is {}, expected {}: is not {}", path, found, archive.sha256,
                           archive.name)};
}

Status ConvertCifar(const std::string& path, const CifarArchive& archive,
                    const std::string& scratch, const std::string& folder) {
  const auto is_wanted = [&](const std::string& name) {
    return name == archive.test_file || std::ranges::count(archive.train_files, name) > 0;
  };
  if (auto status = UnpackFiles(path, scratch, is_wanted); !status) return status;
  return ConvertUnpacked(archive, scratch, folder);
}

}  // namespace airlot::data
