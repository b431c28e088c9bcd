// Files that are read: regular ones, so that nothing waits for a pipe that nobody writes or reads a
// device that never ends, and streams that the program was handed open.
#ifndef AIRLOT_BASE_INPUT_FILE_H_
#define AIRLOT_BASE_INPUT_FILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "airlot/result.h"

namespace airlot::base {

// An open file. Errors name the path: "fleet.csv: cannot open: No such file or directory",
// "folder: is a directory, not a file", "pipe: is not a regular file".
class InputFile {
 public:
  // A regular file.
  static Result<InputFile> Open(const std::string& path);
  // A regular file, or whatever stands behind /dev/stdin and /dev/fd/N: standard input, or the pipe
  // of a shell's <(command).
  static Result<InputFile> OpenFileOrStream(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  // Reads what there is, at most as much as fits; 0 at the end.
  Result<std::size_t> Read(std::span<char> bytes);
  // Nothing of a stream.
  std::optional<std::uint64_t> size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  InputFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  static Result<InputFile> Open(const std::string& path, bool is_stream);

  std::string path_;
  int descriptor_;
  std::optional<std::uint64_t> size_;
};

// All bytes of a file or stream; more than `most_bytes` are an error.
Result<std::string> ReadWhole(const std::string& path, std::uint64_t most_bytes);

// The same, and nothing where there is no such file.
Result<std::optional<std::string>> ReadWholeIfThere(const std::string& path,
                                                    std::uint64_t most_bytes);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_INPUT_FILE_H_
