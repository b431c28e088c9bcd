// A LockFile is held by one process at a time, or by several that share it, so that two programs do
// not work at the same place.
#ifndef AIRLOT_BASE_LOCK_FILE_H_
#define AIRLOT_BASE_LOCK_FILE_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "airlot/result.h"

namespace airlot::base {

// The file contains the number of the process that holds it alone. It is removed when the lock of
// the last that holds it is destroyed. The kernel lets go of a lock when its process ends, however
// it ends; a file that is left then hinders nobody. Where the file system has no locks, everybody
// gets one.
class LockFile {
 public:
  // Makes the file and takes the lock; waits as long as another holds it.
  static Result<LockFile> Take(const std::string& path);

  // An Attempt does not wait: where another holds the lock, there is none.
  struct Attempt;
  static Result<Attempt> Try(const std::string& path);
  // Those who share a lock keep out whoever wants it alone. It does not wait for one who holds the
  // lock alone and has said so; others hold it for moments.
  static Result<Attempt> TryShared(const std::string& path);

  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

  // Says whether others are really kept out: the file system has locks.
  bool is_exclusive() const { return is_exclusive_; }

 private:
  enum class Kind { kAlone, kShared };
  LockFile(std::string path, int descriptor, bool is_exclusive, bool is_shared);
  static Result<Attempt> Lock(const std::string& path, Kind kind, bool waits);

  std::string path_;
  int descriptor_;
  bool is_exclusive_;
  bool is_shared_;
};

struct LockFile::Attempt {
  std::optional<LockFile> lock;
  std::optional<pid_t> holder;  // the process that holds the lock, where it has said so
};

}  // namespace airlot::base

#endif  // AIRLOT_BASE_LOCK_FILE_H_
