// A TaskQueue deals tasks to threads, and brings the first exception of any of them to the one that
// waits for all.
#ifndef AIRLOT_BASE_TASK_QUEUE_H_
#define AIRLOT_BASE_TASK_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

namespace airlot::base {

class TaskQueue {
 public:
  using Work = std::function<void(std::size_t task, std::size_t worker)>;

  // There are the tasks [0, count). `work` must outlive the queue.
  TaskQueue(std::size_t count, const Work& work) : count_(count), work_(work) {}

  // Takes tasks in their order until there are none left, or one has thrown. Each thread calls it
  // with a number of its own.
  void TakeTasks(std::size_t worker) {
    try {
      for (std::size_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
        work_(i, worker);
      }
    } catch (...) {
      next_ = count_;  // no further task begins
      const std::lock_guard lock(mutex_);
      if (!exception_) exception_ = std::current_exception();
    }
  }

  // It may be called when all threads have ended.
  void Rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  const std::size_t count_;
  const Work& work_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr exception_;
};

}  // namespace airlot::base

#endif  // AIRLOT_BASE_TASK_QUEUE_H_
