// Input files are regular ones, so that nothing waits for a pipe that nobody writes or reads a
// device that never ends, or streams that the program was handed open.
#ifndef AIRLOT_BASE_INPUT_FILE_H_
#define AIRLOT_BASE_INPUT_FILE_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "airlot/result.h"

namespace airlot::base {

// An InputFile is open. Errors name the path: "fleet.csv: cannot open: No such file or directory",
// "folder: is a directory, not a file", "pipe: is not a regular file".
class InputFile {
 public:
  // Opens a regular file.
  static Result<InputFile> Open(const std::string& path);
  // Opens a regular file, or whatever stands behind /dev/stdin and /dev/fd/N: standard input, or
  // the pipe of a shell's <(command).
  static Result<InputFile> OpenFileOrStream(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  // Reads what there is, at most as much as fits, and returns 0 at the end.
  Result<std::size_t> Read(std::span<char> bytes);
  // Fills `bytes` with those of a regular file from `offset` on, and returns whether it could. It
  // leaves the place alone that Read goes on from.
  bool ReadAt(std::uint64_t offset, std::span<char> bytes) const;
  // The size of a stream is not known.
  std::optional<std::uint64_t> size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  InputFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  static Result<InputFile> Open(const std::string& path, bool is_stream);

  std::string path_;
  int descriptor_;
  std::optional<std::uint64_t> size_;
};

// Reads all bytes of a file or stream; more than `most_bytes` are an error.
Result<std::string> ReadWhole(const std::string& path, std::uint64_t most_bytes);

// Reads all bytes of a regular file, and returns nothing where there is no such file.
Result<std::optional<std::string>> ReadWholeIfThere(
    const std::string& path, std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace airlot::base

#endif  // AIRLOT_BASE_INPUT_FILE_H_
