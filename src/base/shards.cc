#include "base/shards.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/task_queue.h"

namespace airlot::base {

void ForEachTask(std::size_t count, int threads,
                 const std::function<void(std::size_t, std::size_t)>& work) {
  AIRLOT_CHECK(threads >= 1, "{} threads", threads);
  TaskQueue queue(count, work);
  const std::size_t workers = std::min<std::size_t>(static_cast<std::size_t>(threads), count);
  {
    std::vector<std::jthread> pool;
    try {
      pool.reserve(workers);
      for (std::size_t i = 1; i < workers; ++i) {
        pool.emplace_back([&queue, i] { queue.TakeTasks(i); });
      }
    } catch (const std::exception&) {
      // There are no more threads to be had: those that run do the work.
    }
    queue.TakeTasks(0);
  }
  queue.Rethrow();
}

void ForEachShard(std::size_t size, int threads, const std::function<void(const Shard&)>& work) {
  ForEachTask(ShardCount(size), threads, [&](std::size_t i, std::size_t) {
    work({i, i * kShardSize, std::min(size, (i + 1) * kShardSize)});
  });
}

}  // namespace airlot::base
