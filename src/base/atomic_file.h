// An AtomicFile appears whole or not at all.
#ifndef AIRLOT_BASE_ATOMIC_FILE_H_
#define AIRLOT_BASE_ATOMIC_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "airlot/result.h"

namespace airlot::base {

// Writes to a temporary file beside `path` and renames it over `path` on Commit. Destroyed without
// a successful Commit, it removes the temporary file and leaves what was at `path` as it was. A
// file that is replaced keeps its permission bits. A symbolic link is followed; what exists and is
// not a regular file (a pipe, a device), /dev/stdout and /dev/stderr are written directly. Errors
// name the path and say why: "out/plan.csv: cannot write: No such file or directory".
class AtomicFile {
 public:
  static Result<AtomicFile> Create(const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // Appends to a buffer; an error of writing is kept and returned by Commit. It must not follow
  // Commit.
  void Append(std::string_view text);
  // Flushes to the disk and puts the file in place. It may be called at most once.
  Status Commit();

 private:
  AtomicFile(std::string path, std::string target, std::string temporary, int descriptor);
  void Write(std::string_view text);
  void Close();
  void PutInPlace();
  void Fail();
  void Abandon();

  std::string path_;       // as the user gave it
  std::string target_;     // `path_` with symbolic links followed
  std::string temporary_;  // empty: `path_` is written directly
  int descriptor_ = -1;
  std::string buffer_;
  Status status_;
};

// Writes all of a file at once.
Status WriteWhole(const std::string& path, std::string_view text);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_ATOMIC_FILE_H_
