#include "base/shards.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "base/check.h"

namespace airlot::base {

void ForEachTask(std::size_t count, int threads,
                 const std::function<void(std::size_t, std::size_t)>& work) {
  AIRLOT_CHECK(threads >= 1, "{} threads", threads);
  std::atomic<std::size_t> next{0};
  const auto take_tasks = [&](std::size_t worker) {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      work(i, worker);
    }
  };
  const std::size_t workers = std::min<std::size_t>(static_cast<std::size_t>(threads), count);
  std::vector<std::jthread> pool;
  pool.reserve(workers);
  try {
    for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(take_tasks, i);
  } catch (const std::exception&) {
    // No more threads to be had: those that run do the work.
  }
  take_tasks(0);
}

void ForEachShard(std::size_t size, int threads, const std::function<void(const Shard&)>& work) {
  ForEachTask(ShardCount(size), threads, [&](std::size_t i, std::size_t) {
    work({i, i * kShardSize, std::min(size, (i + 1) * kShardSize)});
  });
}

}  // namespace airlot::base
