#include "base/unfinished_files.h"

#include <dirent.h>
#include <fcntl.h>
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
std::atomic<pid_t> child{0};

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

// This does not use std::filesystem, which allocates.
void RemoveFolder(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  while (RemoveFilesIn(folder) > 0) {  // a pass may miss entries that move as others go
  }
  ::close(folder);
  ::rmdir(path);
}

// Ends the child and waits for its end, so that it writes nothing more.
void EndChild() {
  const pid_t process = child;
  if (process <= 0) return;
  ::kill(-process, SIGKILL);
  ::waitpid(process, nullptr, 0);
}

void RemoveAndEnd(int signal) {
  EndChild();
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

void AddUnfinishedFile(const std::string& path) {
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

void SetUnfinishedProcess(pid_t process) { child = process; }
void DropUnfinishedProcess() { child = 0; }

}  // namespace airlot::base
