#include "base/unfinished_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>

namespace airlot::base {
namespace {

// Slots are fixed memory, because a signal handler may neither allocate nor lock. A file beyond the
// last slot is only not removed.
struct Slot {
  enum State { kFree, kBusy, kSet };
  std::atomic<int> state{kFree};
  std::array<char, 4096> path{};
};
std::array<Slot, 16> slots;
std::mutex changes;  // locked by threads that change slots, never by a handler
std::array<std::atomic<pid_t>, kMostUnfinishedProcesses> children{};  // 0: free
std::atomic<int> changing{0};        // number of threads that are starting or reaping a child
std::atomic<bool> is_ending{false};  // set by a handler before it looks at the children

constexpr std::array kInterrupts{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Removes the files that one pass over an open folder finds, and returns how many were removed.
int RemoveFilesIn(int folder) {
  alignas(dirent64) std::array<char, 4096> entries;
  int removed = 0;
  ::lseek(folder, 0, SEEK_SET);
  ssize_t size;
  while ((size = ::getdents64(folder, entries.data(), entries.size())) > 0) {
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      if (::unlinkat(folder, entry->d_name, 0) == 0) ++removed;
      at += entry->d_reclen;
    }
  }
  return removed;
}

void SleepForAMillisecond() { ::poll(nullptr, 0, 1); }

// The handler of another thread is ending the process.
[[noreturn]] void WaitForTheEnd() {
  while (true) ::pause();
}

// This does not use std::filesystem, which allocates. Another thread may be about to put a file
// into the folder, but only one: then it comes to where it waits for the end.
void RemoveFolder(const char* path) {
  constexpr int kMostTries = 1000;
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  for (int i = 0; i < kMostTries; ++i) {
    while (RemoveFilesIn(folder) > 0) {  // a pass may miss entries that move as others go
    }
    if (::rmdir(path) == 0 || errno != ENOTEMPTY) break;
    SleepForAMillisecond();
  }
  ::close(folder);
}

// Ends the children and waits for their ends, so that they write nothing more. From then on no
// thread starts another, nor waits for one: its number would be another's.
void EndChildren() {
  constexpr int kMostWaits = 10'000;  // A system that hangs must not keep us.
  is_ending = true;
  for (int i = 0; i < kMostWaits && changing > 0; ++i) SleepForAMillisecond();
  for (const std::atomic<pid_t>& child : children) {
    if (const pid_t process = child; process > 0) ::kill(-process, SIGKILL);
  }
  for (const std::atomic<pid_t>& child : children) {
    if (const pid_t process = child; process > 0) ::waitpid(process, nullptr, 0);
  }
}

void RemoveAndEnd(int signal) {
  EndChildren();
  for (const Slot& slot : slots) {
    if (slot.state != Slot::kSet) continue;
    if (::unlink(slot.path.data()) != 0 && errno == EISDIR) RemoveFolder(slot.path.data());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void RemoveUnfinishedFilesOnInterrupt() {
  // A file that grows beyond its limit is an error of writing, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : kInterrupts) {
    // A signal that the parent ignores stays ignored, as in a job in the background.
    if (std::signal(signal, RemoveAndEnd) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

InterruptsHeld::InterruptsHeld() {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  for (const int signal : kInterrupts) sigaddset(&interrupts, signal);
  ::pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
}

InterruptsHeld::~InterruptsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

ProcessChange::ProcessChange() {
  // The handler sets the flag before it looks at the number, so that one sees the other.
  ++changing;
  if (!is_ending) return;
  --changing;
  WaitForTheEnd();
}

ProcessChange::~ProcessChange() { --changing; }

void AddUnfinishedFile(const std::string& path) {
  if (is_ending) WaitForTheEnd();
  const std::lock_guard lock(changes);
  for (Slot& slot : slots) {
    int expected = Slot::kFree;
    if (path.size() >= slot.path.size()) return;
    if (!slot.state.compare_exchange_strong(expected, Slot::kBusy)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.state = Slot::kSet;
    return;
  }
}

void DropUnfinishedFile(const std::string& path) {
  const std::lock_guard lock(changes);
  for (Slot& slot : slots) {
    if (slot.state == Slot::kSet && path == slot.path.data()) {
      slot.state = Slot::kFree;
      return;
    }
  }
}

void AddUnfinishedProcess(pid_t process) {
  for (std::atomic<pid_t>& child : children) {
    pid_t expected = 0;
    if (child.compare_exchange_strong(expected, process)) return;
  }
}

void DropUnfinishedProcess(pid_t process) {
  for (std::atomic<pid_t>& child : children) {
    pid_t expected = process;
    if (child.compare_exchange_strong(expected, 0)) return;
  }
}

}  // namespace airlot::base
