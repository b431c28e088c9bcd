// RunNode is a node of a federation: it waits for messages of a SuperLink and answers them.
#ifndef AIRLOT_DEVICE_NODE_H_
#define AIRLOT_DEVICE_NODE_H_

#include <functional>
#include <string>

#include "airlot/result.h"
#include "device/fleet_client.h"
#include "device/node_key.h"
#include "device/radio_control.h"
#include "device/worker.h"

namespace airlot::device {

struct NodeOptions {
  SuperLink link;
  bool registers_itself = false;  // else somebody has registered its key with the SuperLink
  double poll_s = 1;              // time between two questions whether there is a message
  double heartbeat_s = 30;
  double call_timeout_s = 30;
  double longest_wait_s = 30;  // between two tries to reach the SuperLink
  // A SuperLink refuses a key that it does not know, and also that of a node that was killed, until
  // it misses its heartbeats. So long a node tries again.
  double patience_s = 90;
};

// NodeHooks are how a node is told to end, and tells what it does. Both may be called from one
// thread at a time only.
struct NodeHooks {
  std::function<bool()> stops;
  std::function<void(const std::string& text)> say;
};

// Runs until it is told to end, and takes leave of the SuperLink then. It comes back to a SuperLink
// that is gone for a while. Fails where it was never let in: the SuperLink does not know the key,
// is of another version, or is not the one of the root certificates.
Status RunNode(const NodeOptions& options, const NodeKey& key, Worker& worker, RadioControl& radio,
               const NodeHooks& hooks);

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_NODE_H_
