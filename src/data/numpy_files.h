// NumpyFiles are arrays by name: the members of one .npz file, or the .npy files of a folder.
#ifndef AIRLOT_DATA_NUMPY_FILES_H_
#define AIRLOT_DATA_NUMPY_FILES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/result.h"
#include "base/npy.h"
#include "base/zip.h"

namespace airlot::data {

// NpyBytes are the numbers of an array, behind its header.
class NpyBytes {
 public:
  // The first `header` bytes are the header.
  NpyBytes(std::string bytes, std::size_t header) : bytes_(std::move(bytes)), header_(header) {}
  std::string_view numbers() const { return std::string_view(bytes_).substr(header_); }

 private:
  std::string bytes_;
  std::size_t header_;
};

// Errors name the file and the array.
class NumpyFiles {
 public:
  // Opens a folder, or an .npz file, of which only those arrays are read that are asked for.
  static Result<NumpyFiles> Open(const std::string& path);

  // Returns what messages call an array: "set.npz: x_train", "folder/x_train.npy".
  std::string Where(std::string_view name) const;
  // Reads the header alone, which is quick.
  Result<base::NpyHeader> ReadHeader(std::string_view name) const;
  // Reads the numbers, `size` bytes in all, behind the header that ReadHeader returned. Where there
  // are more or fewer, it fails before it takes memory for them.
  Result<NpyBytes> ReadNumbers(std::string_view name, const base::NpyHeader& header,
                               std::size_t size) const;

 private:
  explicit NumpyFiles(std::string path) : path_(std::move(path)) {}
  Result<const base::ZipEntry*> Find(std::string_view name) const;

  std::string path_;
  std::optional<base::ZipSource> archive_;  // nothing: a folder
  std::vector<base::ZipEntry> entries_;
};

}  // namespace airlot::data

#endif  // AIRLOT_DATA_NUMPY_FILES_H_
