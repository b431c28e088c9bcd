#include "base/shards.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "base/check.h"

namespace airlot::base {

void ForEachShard(std::size_t size, int threads, const std::function<void(const Shard&)>& work) {
  AIRLOT_CHECK(threads >= 1, "{} threads", threads);
  const std::size_t shards = ShardCount(size);
  std::atomic<std::size_t> next{0};
  const auto take_shards = [&] {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < shards;) {
      work({i, i * kShardSize, std::min(size, (i + 1) * kShardSize)});
    }
  };
  const std::size_t helpers = std::min<std::size_t>(static_cast<std::size_t>(threads), shards);
  std::vector<std::jthread> pool;
  pool.reserve(helpers);
  try {
    for (std::size_t i = 1; i < helpers; ++i) pool.emplace_back(take_shards);
  } catch (const std::exception&) {
    // No more threads to be had: those that run do the work.
  }
  take_shards();
}

}  // namespace airlot::base
