// A Heartbeat tells the SuperLink now and then that a node is alive.
#ifndef AIRLOT_DEVICE_HEARTBEAT_H_
#define AIRLOT_DEVICE_HEARTBEAT_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "device/fleet_client.h"

namespace airlot::device {

// It beats on a thread of its own, until it is destroyed.
class Heartbeat {
 public:
  // The key must outlive it.
  Heartbeat(const SuperLink& link, const NodeKey& key, std::uint64_t node, double interval_s);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Says whether the SuperLink no longer knows the node.
  bool is_forgotten() const { return is_forgotten_; }

 private:
  void Beat();

  FleetClient client_;
  const std::uint64_t node_;
  const double interval_s_;
  std::atomic<bool> is_forgotten_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_HEARTBEAT_H_
