#include "base/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace airlot::base {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> came{0};
std::array<struct sigaction, kSignals.size()> before;
static_assert(std::atomic<int>::is_always_lock_free);

void PutBack() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

void Note(int signal) {
  came = signal;
  PutBack();
}

bool IsIgnored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

InterruptsNoted::InterruptsNoted() {
  struct sigaction action {};
  action.sa_handler = Note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &before[i]);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (!IsIgnored(before[i])) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptsNoted::~InterruptsNoted() { PutBack(); }

int InterruptThatCame() { return came; }

}  // namespace airlot::base
