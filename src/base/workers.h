// Workers are threads that stay, for work that is handed out many times a second.
#ifndef AIRLOT_BASE_WORKERS_H_
#define AIRLOT_BASE_WORKERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "base/task_queue.h"

namespace airlot::base {

// ForEachTask of shards.h makes threads for each call, which is well where a call takes long. A
// training run calls every millisecond or so; Workers keep their threads from call to call. Between
// two calls a thread looks for work for some microseconds and then sleeps.
class Workers {
 public:
  // There are `threads` workers, of which the caller is the first. Threads are made when they are
  // first needed; where there are no more to be had, fewer do the work.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return threads_; }

  // Calls work(task, worker) once for every task of [0, count), and returns when all have ended;
  // tasks begin in their order. `worker` is below threads() and belongs to one thread. The first
  // exception of `work` is thrown here, and no further task begins then. There may be one call at a
  // time, and none from within `work`.
  void ForEachTask(std::size_t count,
                   const std::function<void(std::size_t task, std::size_t worker)>& work);

 private:
  void Start();
  void Work(std::size_t worker);

  int threads_;
  bool has_started_ = false;
  TaskQueue* queue_ = nullptr;           // of a call, written before that is announced
  std::atomic<std::uint32_t> calls_{0};  // grows with every call, and at the end of all
  std::atomic<std::uint32_t> busy_{0};   // number of threads that are not done with the call
  std::vector<std::jthread> crew_;       // the workers but the caller
};

}  // namespace airlot::base

#endif  // AIRLOT_BASE_WORKERS_H_
