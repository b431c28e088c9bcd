#include "base/workers.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace airlot::base {
namespace {

constexpr int kThreads[] = {1, 2, 3, 8};

TEST(Workers, DoEveryTaskOnceInEveryCall) {
  for (const int threads : kThreads) {
    Workers workers(threads);
    for (std::size_t count = 0; count < 200; ++count) {
      std::vector<int> visits(count);
      std::atomic<bool> is_worker = true;
      workers.ForEachTask(count, [&](std::size_t task, std::size_t worker) {
        ++visits[task];
        if (worker >= std::size_t(threads)) is_worker = false;
      });
      ASSERT_EQ(visits, std::vector<int>(count, 1)) << threads << " threads";
      ASSERT_TRUE(is_worker) << threads << " threads";
    }
  }
}

// What a call writes is seen by the next one, whichever thread reads it.
TEST(Workers, SeeWhatTheCallBeforeWrote) {
  constexpr std::size_t kNumbers = 64;
  Workers workers(3);
  std::vector<std::size_t> numbers(kNumbers), next(kNumbers);
  for (std::size_t call = 1; call <= 500; ++call) {
    workers.ForEachTask(kNumbers, [&](std::size_t task, std::size_t) {
      next[task] = numbers[kNumbers - 1 - task] + 1;
    });
    std::swap(numbers, next);
    ASSERT_EQ(numbers, std::vector<std::size_t>(kNumbers, call));
  }
}

// Tasks that wait for each other end only if as many threads work on them at once; every worker has
// one, so that their numbers differ.
TEST(Workers, WorkInParallelAndAreTheSameInEveryCall) {
  Workers workers(3);
  std::vector<std::vector<std::thread::id>> threads_of_calls;
  for (int call = 0; call < 20; ++call) {
    std::atomic<int> arrived = 0;
    std::vector<std::thread::id> thread_of(3);
    workers.ForEachTask(3, [&](std::size_t, std::size_t worker) {
      ++arrived;
      while (arrived < 3) std::this_thread::yield();
      thread_of[worker] = std::this_thread::get_id();
    });
    threads_of_calls.push_back(thread_of);
  }
  const std::vector<std::thread::id>& first = threads_of_calls[0];
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 3U);
  EXPECT_EQ(first[0], std::this_thread::get_id());
  for (const auto& thread_of : threads_of_calls) EXPECT_EQ(thread_of, first);
}

TEST(Workers, SleepBetweenCallsAndWakeUp) {
  Workers workers(2);
  for (int call = 0; call < 3; ++call) {
    std::atomic<int> arrived = 0;
    workers.ForEachTask(2, [&](std::size_t, std::size_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than they look for work
  }
}

TEST(Workers, ThrowHereWhatATaskThrowsAndGoOn) {
  for (const int threads : kThreads) {
    Workers workers(threads);
    for (int call = 0; call < 3; ++call) {
      std::atomic<int> begun = 0;
      const auto work = [&](std::size_t task, std::size_t) {
        ++begun;
        if (task == 5) throw std::bad_alloc();
        // All of them would take minutes, so that the exception comes first.
        if (task > 5) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      };
      EXPECT_THROW(workers.ForEachTask(1'000'000, work), std::bad_alloc) << threads;
      EXPECT_GE(begun, 6);
      EXPECT_LT(begun, 1'000'000) << "no further task begins";
    }
    std::atomic<int> done = 0;
    workers.ForEachTask(100, [&](std::size_t, std::size_t) { ++done; });
    EXPECT_EQ(done, 100);
  }
}

TEST(Workers, DoWithoutThreadsThatCannotBeStarted) {
  pthread_attr_t before, huge;
  ASSERT_EQ(::pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(::pthread_attr_init(&huge), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&huge, std::size_t{1} << 47), 0);  // more than there is
  ASSERT_EQ(::pthread_setattr_default_np(&huge), 0);
  Workers workers(4);
  std::mutex mutex;
  std::set<std::thread::id> used;
  workers.ForEachTask(100, [&](std::size_t, std::size_t) {
    const std::lock_guard lock(mutex);
    used.insert(std::this_thread::get_id());
  });
  ::pthread_setattr_default_np(&before);
  ::pthread_attr_destroy(&huge);
  ::pthread_attr_destroy(&before);
  EXPECT_EQ(used, std::set{std::this_thread::get_id()});
}

TEST(WorkersDeathTest, NeedAThread) { EXPECT_DEATH(Workers(0), "broken contract"); }

}  // namespace
}  // namespace airlot::base
