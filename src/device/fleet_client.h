// A FleetClient speaks to a SuperLink of Flower, version 1.40 or later: its Fleet API is messages
// of protobuf over HTTP.
#ifndef AIRLOT_DEVICE_FLEET_CLIENT_H_
#define AIRLOT_DEVICE_FLEET_CLIENT_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "airlot/result.h"
#include "device/fleet_api.pb.h"
#include "device/node_key.h"

namespace httplib {
class Client;
}

namespace airlot::device {

struct SuperLink {
  std::string host;
  int port = 8000;
  // The certificates that the SuperLink's is signed with; not set: those of the system.
  std::optional<std::string> root_certificates = {};
  bool is_insecure = false;  // plain text instead of TLS
};

// Reads "HOST:PORT", where the host may be "[::1]".
Result<SuperLink> ParseSuperLink(const std::string& text);

// A CallProblem is why a call failed.
enum class CallProblem : std::uint8_t {
  kUnreachable,  // nobody answered, or too late, or the server is overloaded: it may pass
  kUntrusted,    // the SuperLink's certificate is not the expected one
  kUnknownNode,  // the SuperLink does not know this node, or not its key, or its clock is off
  kRunOver,      // the run that it is about has ended
  kRefused,      // the SuperLink refuses it for another reason
  kOtherVersion  // it is no SuperLink, or one of another version
};

// One call is made at a time.
class FleetClient {
 public:
  // The key must outlive the client.
  FleetClient(const SuperLink& link, const NodeKey& key, std::chrono::milliseconds timeout);
  ~FleetClient();
  FleetClient(const FleetClient&) = delete;
  FleetClient& operator=(const FleetClient&) = delete;

  Result<fleet_api::RegisterNodeResponse> Register();
  Result<fleet_api::ActivateNodeResponse> Activate(double heartbeat_s);
  Result<fleet_api::DeactivateNodeResponse> Deactivate(std::uint64_t node);
  Result<fleet_api::UnregisterNodeResponse> Unregister(std::uint64_t node);
  Result<fleet_api::HeartbeatResponse> Heartbeat(std::uint64_t node, double heartbeat_s);
  Result<fleet_api::PullMessagesResponse> PullMessages(std::uint64_t node);
  Result<fleet_api::PullObjectResponse> PullObject(std::uint64_t node, std::uint64_t run,
                                                   const std::string& object);
  Result<fleet_api::ConfirmMessageResponse> Confirm(std::uint64_t node, std::uint64_t run,
                                                    const std::string& message);
  Result<fleet_api::PushMessagesResponse> PushMessages(
      const fleet_api::PushMessagesRequest& request);
  Result<fleet_api::PushObjectResponse> PushObject(const fleet_api::PushObjectRequest& request);

  // Returns why the last call failed, if it did.
  CallProblem problem() const { return problem_; }

 private:
  template <class Response>
  Result<Response> Call(const char* name, const google::protobuf::MessageLite& request);
  Result<std::string> Post(const char* name, const std::string& body);
  Error Unreached(int error);
  Error Refused(const char* name, int status, const std::string& body);

  SuperLink link_;
  const NodeKey& key_;
  std::unique_ptr<httplib::Client> http_;
  CallProblem problem_ = CallProblem::kUnreachable;
  bool has_answered_ = false;  // by HTTP, whatever it said
};

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_FLEET_CLIENT_H_
