#include "base/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>

namespace airlot::base {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> came{0};
std::array<struct sigaction, kSignals.size()> before;
static_assert(std::atomic<int>::is_always_lock_free);

// Notes the signal, and puts back what was done with all of them before.
void Note(int signal) {
  came = signal;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

}  // namespace

void NoteInterrupts() {
  struct sigaction action {};
  action.sa_handler = Note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &before[i]);
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

int InterruptThatCame() { return came; }

}  // namespace airlot::base
