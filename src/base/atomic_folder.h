// An AtomicFolder appears whole or not at all.
#ifndef AIRLOT_BASE_ATOMIC_FOLDER_H_
#define AIRLOT_BASE_ATOMIC_FOLDER_H_

#include <string>

#include "airlot/result.h"

namespace airlot::base {

// Files are put into path(), a temporary folder beside the target; Commit renames it to the target
// and removes what was there. Destroyed without a successful Commit, it removes the temporary
// folder and leaves the target as it was; so does an interrupt. Errors name the path and say why.
class AtomicFolder {
 public:
  static Result<AtomicFolder> Create(const std::string& target);
  AtomicFolder(AtomicFolder&&) noexcept;
  AtomicFolder& operator=(AtomicFolder&&) = delete;
  ~AtomicFolder();

  const std::string& path() const { return temporary_; }
  Status Commit();

  // Removes the temporary folders that processes which were killed have left beside the target. One
  // that was the target until a Commit was cut off takes its place again. It must not be called
  // while another process may be making the target.
  static void CleanUp(const std::string& target);

 private:
  AtomicFolder(std::string target, std::string temporary);

  std::string target_;
  std::string temporary_;  // empty: committed or moved from
};

}  // namespace airlot::base

#endif  // AIRLOT_BASE_ATOMIC_FOLDER_H_
