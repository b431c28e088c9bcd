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

// An unfinished file is a file, or a folder that holds files only. Where an interrupt is ending us
// already, no more is added: the call never returns.
void AddUnfinishedFile(const std::string& path);
void DropUnfinishedFile(const std::string& path);

// So many processes at a time are ended by an interrupt; any beyond them would go on.
inline constexpr int kMostUnfinishedProcesses = 64;

// While a ProcessChange lives, this thread may start a process and add it, or drop a process and
// wait for its end, and an interrupt does not look at the processes. Where an interrupt is ending
// us already, the constructor never returns.
class ProcessChange {
 public:
  ProcessChange();
  ProcessChange(const ProcessChange&) = delete;
  ProcessChange& operator=(const ProcessChange&) = delete;
  ~ProcessChange();
  // Returns the signals that waited before this object was made.
  const sigset_t& before() const { return held_.before(); }

 private:
  InterruptsHeld held_;  // a handler in this thread would wait for itself
};

// The process is a child that leads a process group of its own.
void AddUnfinishedProcess(pid_t process);
void DropUnfinishedProcess(pid_t process);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_UNFINISHED_FILES_H_
