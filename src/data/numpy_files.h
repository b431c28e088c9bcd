// NumpyFiles are arrays by name: the members of one .npz file, or the .npy files of a folder.
#ifndef AIRLOT_DATA_NUMPY_FILES_H_
#define AIRLOT_DATA_NUMPY_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"
#include "data/npy.h"
#include "data/zip.h"

namespace airlot::data {

// NpyBytes are the numbers of an array, in the files that they come from or in a buffer.
class NpyBytes {
 public:
  // The numbers are what follows `header` bytes of `buffer` or, where that is empty, of `stored`.
  NpyBytes(std::string buffer, std::string_view stored, std::size_t header)
      : buffer_(std::move(buffer)), stored_(stored), header_(header) {}
  std::string_view numbers() const {
    return (buffer_.empty() ? stored_ : std::string_view(buffer_)).substr(header_);
  }

 private:
  std::string buffer_;
  std::string_view stored_;
  std::size_t header_;
};

// Errors name the file and the array.
class NumpyFiles {
 public:
  // Opens a folder, or an .npz file, which is kept in memory.
  static Result<NumpyFiles> Open(const std::string& path);

  // Returns what messages call an array: "set.npz: x_train", "folder/x_train.npy".
  std::string Where(std::string_view name) const;
  // Reads the header alone, which is quick.
  Result<NpyHeader> ReadHeader(std::string_view name) const;
  // Reads the numbers, `size` bytes in all, behind the header that ReadHeader returned. Where there
  // are more or fewer, it fails before it takes memory for them.
  Result<NpyBytes> ReadNumbers(std::string_view name, const NpyHeader& header,
                               std::size_t size) const;

 private:
  explicit NumpyFiles(std::string path) : path_(std::move(path)) {}
  Result<const ZipEntry*> Find(std::string_view name) const;

  std::string path_;
  std::unique_ptr<const std::string> archive_;  // null: a folder
  std::vector<ZipEntry> entries_;
};

}  // namespace airlot::data

#endif  // AIRLOT_DATA_NUMPY_FILES_H_
