// CIFAR-10 and CIFAR-100 come as archives of binary records. Each record is one or two labels, then
// 32 x 32 pixels of red, of green and of blue.
#ifndef AIRLOT_DATA_CIFAR_H_
#define AIRLOT_DATA_CIFAR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "airlot/result.h"

namespace airlot::data {

// A CifarArchive says what is in an archive, and which one it is.
struct CifarArchive {
  std::string_view name;  // "cifar-10-binary.tar.gz"
  std::uint64_t bytes;    // of the archive as it is
  std::string_view sha256;
  std::size_t labels;  // of a record; the last one counts (CIFAR-100: coarse, then fine)
  int classes;
  std::span<const std::string_view> train_files;  // in this order
  std::string_view test_file;
  std::size_t records;  // in each file to train
  std::size_t test_records;
};

extern const CifarArchive kCifar10, kCifar100;

// Checks that the file is the archive, byte by byte.
Status VerifyArchive(const std::string& path, const CifarArchive& archive);

// Writes the four IDX files of a data set into `folder`, from an archive that was verified, and
// beside them their checksums (data/own_checksums.h). Files of the archive are unpacked into
// `scratch`, which the caller removes.
Status ConvertCifar(const std::string& path, const CifarArchive& archive,
                    const std::string& scratch, const std::string& folder);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_CIFAR_H_
