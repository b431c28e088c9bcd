#include "base/shards.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace airlot::base {
namespace {

constexpr std::size_t kSizes[] = {
    0, 1, 7, kShardSize - 1, kShardSize, kShardSize + 1, 5 * kShardSize, 20 * kShardSize + 123};
constexpr int kThreads[] = {1, 2, 3, 8, 100};

TEST(ShardCount, RoundsUp) {
  EXPECT_EQ(ShardCount(0), 0U);
  EXPECT_EQ(ShardCount(1), 1U);
  EXPECT_EQ(ShardCount(kShardSize - 1), 1U);
  EXPECT_EQ(ShardCount(kShardSize), 1U);
  EXPECT_EQ(ShardCount(kShardSize + 1), 2U);
}

TEST(ForEachShard, VisitsEveryElementOnce) {
  for (const std::size_t size : kSizes) {
    for (const int threads : kThreads) {
      std::vector<int> visits(size);
      ForEachShard(size, threads, [&](const Shard& shard) {
        for (std::size_t i = shard.begin; i < shard.end; ++i) ++visits[i];
      });
      EXPECT_EQ(visits, std::vector<int>(size, 1))
          << size << " elements, " << threads << " threads";
    }
  }
}

TEST(ForEachShard, CutsAtMultiplesOfTheShardSize) {
  for (const std::size_t size : kSizes) {
    std::atomic<std::size_t> count{0};
    ForEachShard(size, 3, [&](const Shard& shard) {
      ++count;
      EXPECT_EQ(shard.begin, shard.index * kShardSize);
      EXPECT_EQ(shard.end, shard.index + 1 == ShardCount(size) ? size : shard.begin + kShardSize);
    });
    EXPECT_EQ(count, ShardCount(size));
  }
}

std::set<std::thread::id> ThreadsUsed(std::size_t size, int threads) {
  std::mutex mutex;
  std::set<std::thread::id> used;
  ForEachShard(size, threads, [&](const Shard&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that others get a shard too
    const std::lock_guard lock(mutex);
    used.insert(std::this_thread::get_id());
  });
  return used;
}

TEST(ForEachShard, UsesNoMoreThreadsThanAsked) {
  EXPECT_EQ(ThreadsUsed(20 * kShardSize, 1), std::set{std::this_thread::get_id()});
  EXPECT_LE(ThreadsUsed(20 * kShardSize, 3).size(), 3U);
  EXPECT_LE(ThreadsUsed(2 * kShardSize, 3).size(), 2U);
}

// Two shards that wait for each other end only if two threads work on them at once.
TEST(ForEachShard, WorksInParallel) {
  std::atomic<int> arrived{0};
  ForEachShard(2 * kShardSize, 2, [&](const Shard&) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(ForEachShard, DoesWithoutThreadsThatCannotBeStarted) {
  pthread_attr_t before, huge;
  ASSERT_EQ(::pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(::pthread_attr_init(&huge), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&huge, std::size_t{1} << 47), 0);  // more than there is
  ASSERT_EQ(::pthread_setattr_default_np(&huge), 0);
  const std::set<std::thread::id> used = ThreadsUsed(5 * kShardSize, 4);
  ::pthread_setattr_default_np(&before);
  ::pthread_attr_destroy(&huge);
  ::pthread_attr_destroy(&before);
  EXPECT_EQ(used, std::set{std::this_thread::get_id()});
}

TEST(ForEachTask, ThrowsHereWhatATaskThrows) {
  for (const int threads : kThreads) {
    std::atomic<int> begun{0};
    const auto work = [&](std::size_t task, std::size_t) {
      ++begun;
      if (task == 5) throw std::bad_alloc();
    };
    EXPECT_THROW(ForEachTask(1'000'000, threads, work), std::bad_alloc) << threads;
    EXPECT_GE(begun, 6);
    EXPECT_LT(begun, 1'000'000) << "no further task begins";
  }
}

// Both threads throw, as neither ends before the other has begun.
TEST(ForEachTask, ThrowsOneOfSeveralExceptions) {
  std::atomic<int> arrived{0};
  const auto work = [&](std::size_t task, std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    throw std::runtime_error(std::to_string(task));
  };
  EXPECT_THROW(ForEachTask(2, 2, work), std::runtime_error);
}

TEST(ForEachShardDeathTest, NeedsAThread) {
  EXPECT_DEATH(ForEachShard(1, 0, [](const Shard&) {}), "broken contract");
}

TEST(MapShards, KeepsTheOrderOfTheShards) {
  for (const int threads : kThreads) {
    const std::vector<std::size_t> begins =
        MapShards(4 * kShardSize + 1, threads, [](const Shard& shard) { return shard.begin; });
    EXPECT_EQ(begins, (std::vector<std::size_t>{0, kShardSize, 2 * kShardSize, 3 * kShardSize,
                                                4 * kShardSize}));
  }
}

double Sum(const std::vector<double>& values, int threads) {
  const std::vector<double> partials = MapShards(values.size(), threads, [&](const Shard& shard) {
    double sum = 0;
    for (std::size_t i = shard.begin; i < shard.end; ++i) sum += values[i];
    return sum;
  });
  double sum = 0;
  for (const double partial : partials) sum += partial;
  return sum;
}

TEST(MapShards, SumsToTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> values(40 * kShardSize + 1);
  // The values cover many orders of magnitude and both signs, so that another order gives other
  // bits.
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(static_cast<double>(i)) * std::pow(10, static_cast<double>(i % 16));
  }
  const auto bits = std::bit_cast<std::uint64_t>(Sum(values, 1));
  for (const int threads : {1, 2, 3, 8}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(Sum(values, threads)), bits) << threads << " threads";
    }
  }
  EXPECT_EQ(Sum({}, 2), 0);
}

}  // namespace
}  // namespace airlot::base
