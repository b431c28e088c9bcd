#include "base/shards.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"

namespace airlot::base {

namespace {

// FirstException keeps the first exception of any thread for the one that waits for all of them.
class FirstException {
 public:
  void Keep(std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (!exception_) exception_ = std::move(exception);
  }
  void Rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
};

}  // namespace

void ForEachTask(std::size_t count, int threads,
                 const std::function<void(std::size_t, std::size_t)>& work) {
  AIRLOT_CHECK(threads >= 1, "{} threads", threads);
  std::atomic<std::size_t> next{0};
  FirstException first;
  const auto take_tasks = [&](std::size_t worker) {
    try {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
        work(i, worker);
      }
    } catch (...) {
      first.Keep(std::current_exception());
      next = count;  // no further task begins
    }
  };
  const std::size_t workers = std::min<std::size_t>(static_cast<std::size_t>(threads), count);
  {
    std::vector<std::jthread> pool;
    try {
      pool.reserve(workers);
      for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(take_tasks, i);
    } catch (const std::exception&) {
      // There are no more threads to be had: those that run do the work.
    }
    take_tasks(0);
  }
  first.Rethrow();
}

void ForEachShard(std::size_t size, int threads, const std::function<void(const Shard&)>& work) {
  ForEachTask(ShardCount(size), threads, [&](std::size_t i, std::size_t) {
    work({i, i * kShardSize, std::min(size, (i + 1) * kShardSize)});
  });
}

}  // namespace airlot::base
