// An interrupt should leave no unfinished files behind, nor temporary folders or running programs.
#ifndef AIRLOT_BASE_UNFINISHED_FILES_H_
#define AIRLOT_BASE_UNFINISHED_FILES_H_

#include <signal.h>
#include <sys/types.h>

#include <string>

namespace airlot::base {

// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT end the programs we wait for and remove the
// unfinished files before they end the process as usual, and SIGXFSZ is ignored, so that writing
// reports the error.
void RemoveUnfinishedFilesOnInterrupt();

// While an InterruptsHeld lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT wait, as far as they are this
// thread's to handle: threads that are started meanwhile never handle them.
class InterruptsHeld {
 public:
  InterruptsHeld();
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;
  ~InterruptsHeld();
  // Returns the signals that waited before this object was made.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

// An unfinished file is a file, or a folder that holds files only.
void AddUnfinishedFile(const std::string& path);
void DropUnfinishedFile(const std::string& path);

// The process is a child that leads a process group of its own. There may be one at a time.
void SetUnfinishedProcess(pid_t process);
void DropUnfinishedProcess();

}  // namespace airlot::base

#endif  // AIRLOT_BASE_UNFINISHED_FILES_H_
