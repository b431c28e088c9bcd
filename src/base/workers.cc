#include "base/workers.h"

#include <algorithm>
#include <exception>

#include "base/check.h"
#include "base/task_queue.h"

namespace airlot::base {
namespace {

// So many looks take about 50 µs. To sleep and to be woken takes about as long on a virtual
// machine, and longer waits should leave the core to others.
constexpr int kLooks = 2000;

// WaitWhile returns when `number` is no longer `old`.
void WaitWhile(const std::atomic<std::uint32_t>& number, std::uint32_t old) {
  for (int look = 0; look < kLooks; ++look) {
    if (number.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  number.wait(old, std::memory_order_acquire);
}

}  // namespace

Workers::Workers(int threads) : threads_(threads) {
  AIRLOT_CHECK(threads >= 1, "{} threads", threads);
}

Workers::~Workers() {
  queue_ = nullptr;
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_all();
}

void Workers::Start() {
  has_started_ = true;
  try {
    crew_.reserve(std::size_t(threads_) - 1);
    for (std::size_t i = 1; i < std::size_t(threads_); ++i) {
      crew_.emplace_back([this, i] { Work(i); });
    }
  } catch (const std::exception&) {
    // There are no more threads to be had: those that run do the work.
  }
}

void Workers::Work(std::size_t worker) {
  // Threads are made before the first call is announced.
  for (std::uint32_t seen = 0;; ++seen) {
    WaitWhile(calls_, seen);
    if (queue_ == nullptr) return;
    queue_->TakeTasks(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void Workers::ForEachTask(std::size_t count,
                          const std::function<void(std::size_t, std::size_t)>& work) {
  if (threads_ == 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i, 0);
    return;
  }
  if (!has_started_) Start();
  TaskQueue queue(count, work);
  queue_ = &queue;
  busy_.store(std::uint32_t(crew_.size()), std::memory_order_relaxed);
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_all();
  queue.TakeTasks(0);
  while (const std::uint32_t busy = busy_.load(std::memory_order_acquire)) WaitWhile(busy_, busy);
  queue.Rethrow();
}

}  // namespace airlot::base
