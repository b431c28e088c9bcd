#include "base/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace airlot::base {
namespace {

// The tests run in children, because what a process does with a signal belongs to all of it.

void EndWith(int code) { std::_Exit(code); }

TEST(InterruptsNotedDeathTest, NotesTheFirstSignalAndEndsAtTheSecond) {
  EXPECT_EXIT(
      {
        const InterruptsNoted noted;
        std::raise(SIGTERM);
        if (InterruptThatCame() != SIGTERM) EndWith(1);
        std::raise(SIGINT);
        EndWith(2);
      },
      testing::KilledBySignal(SIGINT), "");
}

// Signals are ignored so under nohup.
TEST(InterruptsNotedDeathTest, LeavesIgnoredSignalsIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        const InterruptsNoted noted;
        std::raise(SIGHUP);
        if (InterruptThatCame() != 0) EndWith(1);
        std::raise(SIGTERM);
        if (InterruptThatCame() != SIGTERM) EndWith(2);
        std::raise(SIGHUP);
        EndWith(InterruptThatCame() == SIGTERM ? 0 : 3);
      },
      testing::ExitedWithCode(0), "");
}

TEST(InterruptsNotedDeathTest, EveryLaterSignalIsAsBefore) {
  EXPECT_EXIT(
      {
        { const InterruptsNoted noted; }
        std::raise(SIGHUP);
        EndWith(1);
      },
      testing::KilledBySignal(SIGHUP), "");
}

}  // namespace
}  // namespace airlot::base
