#include "base/in_order.h"

#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/shards.h"

namespace airlot::base {
namespace {

// Whoever has made a text hands over what is ready, unless another thread does so already.
class Order {
 public:
  Order(std::size_t count, std::size_t slots,
        const std::function<void(std::size_t, std::string&)>& make,
        const std::function<void(std::size_t, std::string_view)>& take)
      : count_(count), make_(make), take_(take), slots_(slots) {}

  void Work() {
    try {
      while (WorkOnce()) {
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      is_over_ = true;  // so that nobody waits for what does not come
      changed_.notify_all();
      throw;
    }
  }

 private:
  struct Slot {
    std::string text;
    bool is_ready = false;
  };
  Slot& SlotOf(std::size_t task) { return slots_[task % slots_.size()]; }

  // Returns false where nothing is left to do.
  bool WorkOnce() {
    std::unique_lock lock(mutex_);
    if (is_over_ || next_ == count_) return false;
    const std::size_t task = next_++;
    changed_.wait(lock, [&] { return is_over_ || task < taken_ + slots_.size(); });
    if (is_over_) return false;
    lock.unlock();
    make_(task, SlotOf(task).text);
    lock.lock();
    SlotOf(task).is_ready = true;
    if (is_taking_) return true;
    is_taking_ = true;
    while (taken_ < count_ && SlotOf(taken_).is_ready) {
      Slot& slot = SlotOf(taken_);
      lock.unlock();
      take_(taken_, slot.text);
      lock.lock();
      slot.is_ready = false;
      ++taken_;
      changed_.notify_all();
    }
    is_taking_ = false;
    return true;
  }

  const std::size_t count_;
  const std::function<void(std::size_t, std::string&)>& make_;
  const std::function<void(std::size_t, std::string_view)>& take_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;   // the first task that nobody has begun
  std::size_t taken_ = 0;  // the first task that is not handed over; one thread writes it
  bool is_taking_ = false, is_over_ = false;
};

}  // namespace

void ForEachInOrder(std::size_t count, int threads,
                    const std::function<void(std::size_t, std::string&)>& make,
                    const std::function<void(std::size_t, std::string_view)>& take) {
  const auto workers = static_cast<std::size_t>(threads);
  Order order(count, threads == 1 ? 1 : 4 * workers, make, take);
  ForEachTask(workers, threads, [&](std::size_t, std::size_t) { order.Work(); });
}

}  // namespace airlot::base
