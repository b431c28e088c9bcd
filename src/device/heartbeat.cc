#include "device/heartbeat.h"

#include <chrono>

namespace airlot::device {
namespace {

constexpr std::chrono::seconds kTimeout{5};
// A beat comes early enough that the next one still counts where one is lost.
constexpr double kShareOfInterval = 0.8;
constexpr double kShareAfterFailure = 0.1;

}  // namespace

Heartbeat::Heartbeat(const SuperLink& link, const NodeKey& key, std::uint64_t node,
                     double interval_s)
    : client_(link, key, kTimeout),
      node_(node),
      interval_s_(interval_s),
      thread_([this] { Beat(); }) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Heartbeat::Beat() {
  double share = kShareOfInterval;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::duration<double>(share * interval_s_),
                            [&] { return ends_; })) {
    lock.unlock();
    const auto answer = client_.Heartbeat(node_, interval_s_);
    share = answer ? kShareOfInterval : kShareAfterFailure;
    if (answer ? !answer->success() : client_.problem() == CallProblem::kUnknownNode) {
      is_forgotten_ = true;
    }
    lock.lock();
  }
}

}  // namespace airlot::device
