// An AtomicFile appears whole or not at all.
#ifndef AIRLOT_BASE_ATOMIC_FILE_H_
#define AIRLOT_BASE_ATOMIC_FILE_H_

#include <cstddef>
#include <span>
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
  // Flushes to the disk, without putting the file in place; what is written directly is there then.
  // Only Commit may follow.
  Status Finish();
  // Finishes the file, unless that is done, and puts it in place. It may be called at most once.
  Status Commit();
  // Says whether the file is written directly.
  bool is_direct() const { return temporary_.empty(); }
  // Returns the name that the file has until it is in place; empty where it is written directly.
  const std::string& temporary() const { return temporary_; }

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
  bool is_finished_ = false;
  std::string buffer_;
  Status status_;
};

// Writes all of a file at once.
Status WriteWhole(const std::string& path, std::string_view text);

// Writes several files, or none of them: all are on the disk before the first is put in place. Only
// what goes wrong at that last step, in which nothing is written any more, leaves some.
struct FileText {
  std::string path;
  std::string text;
};
Status WriteAllWhole(std::span<const FileText> files);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_ATOMIC_FILE_H_
