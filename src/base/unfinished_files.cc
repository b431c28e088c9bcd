#include "base/unfinished_files.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace airlot::base {
namespace {

// Fixed memory, because a signal handler may neither allocate nor lock. A file beyond the last slot
// is only not removed.
struct Slot {
  enum State { kFree, kBusy, kSet };
  std::atomic<int> state{kFree};
  std::array<char, 4096> path{};
};
std::array<Slot, 16> slots;

void RemoveAndEnd(int signal) {
  for (const Slot& slot : slots) {
    if (slot.state == Slot::kSet) ::unlink(slot.path.data());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void RemoveUnfinishedFilesOnInterrupt() {
  // A file that grows beyond its limit is an error of writing, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    // What the parent ignores stays ignored: a job in the background.
    if (std::signal(signal, RemoveAndEnd) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

void AddUnfinishedFile(const std::string& path) {
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
  for (Slot& slot : slots) {
    if (slot.state == Slot::kSet && path == slot.path.data()) {
      slot.state = Slot::kFree;
      return;
    }
  }
}

}  // namespace airlot::base
