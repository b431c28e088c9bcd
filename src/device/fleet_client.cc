#include "device/fleet_client.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <httplib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "device/grpc_probe.h"

namespace airlot::device {
namespace {

constexpr const char* kProtobuf = "application/protobuf";

// Returns the time in UTC, as Flower reads it: 2026-11-18T05:00:00.123456+00:00.
std::string Now() {
  const auto now = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06d}+00:00",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     (now - seconds).count());
}

// Returns what the SuperLink says of an error.
std::string DetailIn(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return {};
  for (const char* key : {"detail", "public_message"}) {
    if (json.contains(key) && json[key].is_string()) return json[key].get<std::string>();
  }
  return {};
}

bool MayPass(int status) { return status == 429 || (status >= 500 && status != 501); }

}  // namespace

Result<SuperLink> ParseSuperLink(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    host.clear();
  }
  const double port =
      colon == std::string::npos ? 0 : base::ParseNumber(text.substr(colon + 1)).value_or(0);
  if (host.empty() || host.find_first_of("/@ ") != std::string::npos ||
      !(port >= 1 && port <= 65535) || port != std::floor(port)) {
    return Error{"--superlink " + base::Quoted(text) +
                 ": must be HOST:PORT, for example cell.example:8000 or [::1]:8000"};
  }
  return SuperLink{.host = std::move(host), .port = int(port)};
}

FleetClient::FleetClient(const SuperLink& link, const NodeKey& key,
                         std::chrono::milliseconds timeout)
    : link_(link), key_(key) {
  const bool is_v6 = link.host.find(':') != std::string::npos;
  const std::string host = is_v6 ? '[' + link.host + ']' : link.host;
  http_ = std::make_unique<httplib::Client>(
      fmt::format("{}://{}:{}", link.is_insecure ? "http" : "https", host, link.port));
  http_->set_keep_alive(true);
  http_->set_tcp_nodelay(true);
  http_->set_connection_timeout(timeout);
  http_->set_read_timeout(timeout);
  http_->set_write_timeout(timeout);
  if (link.root_certificates) http_->set_ca_cert_path(link.root_certificates->c_str());
  http_->enable_server_certificate_verification(true);
}

FleetClient::~FleetClient() = default;

Error FleetClient::Unreached(int error) {
  const std::string place = fmt::format("{}:{}", link_.host, link_.port);
  const bool broke_off = httplib::Error(error) == httplib::Error::Read ||
                         httplib::Error(error) == httplib::Error::Write ||
                         httplib::Error(error) == httplib::Error::SSLConnection;
  if (broke_off && !has_answered_ && SpeaksHttp2(link_)) {
    problem_ = CallProblem::kOtherVersion;
    return {place +
            ": speaks gRPC, as Flower before 1.40 did: this program speaks to a SuperLink of "
            "Flower 1.40 or later"};
  }
  problem_ = CallProblem::kUnreachable;
  switch (httplib::Error(error)) {
    case httplib::Error::SSLServerVerification:
    case httplib::Error::SSLLoadingCerts:
    case httplib::Error::SSLConnection:
      problem_ = CallProblem::kUntrusted;
      return {place +
              (httplib::Error(error) == httplib::Error::SSLLoadingCerts
                   ? ": the root certificates cannot be read: name a PEM file by "
                     "--root-certificates"
               : httplib::Error(error) == httplib::Error::SSLConnection
                   ? ": no TLS connection: is it the SuperLink's port, does it speak TLS, and does "
                     "its certificate name this host?"
                   : ": its certificate is not signed by the root certificates, names another "
                     "host, or has expired")};
    default:
      return {place + ": no answer from the SuperLink (" +
              httplib::to_string(httplib::Error(error)) + ")"};
  }
}

Error FleetClient::Refused(const char* name, int status, const std::string& body) {
  const std::string detail = DetailIn(body);
  const std::string reason =
      fmt::format("{}:{}: {} is refused ({}{}{})", link_.host, link_.port, name, status,
                  detail.empty() ? "" : ": ", base::Quoted(detail));
  if (MayPass(status)) {
    problem_ = CallProblem::kUnreachable;
  } else if (status == 401) {
    problem_ = CallProblem::kUnknownNode;
  } else if (status == 403) {
    problem_ = CallProblem::kRunOver;
  } else if (status == 404 || status == 405 || status == 415 || status == 501) {
    problem_ = CallProblem::kOtherVersion;
    return {reason +
            ": this is no SuperLink of Flower 1.40 or later, which this program speaks to"};
  } else {
    problem_ = CallProblem::kRefused;
  }
  return {reason};
}

Result<std::string> FleetClient::Post(const char* name, const std::string& body) {
  const std::string now = Now();
  const auto signature = key_.Sign(now);
  if (!signature) return signature.error();
  const httplib::Headers headers{{"accept", kProtobuf},
                                 {"flwr-public-key", Base64Of(key_.public_pem())},
                                 {"flwr-timestamp", now},
                                 {"flwr-signature", Base64Of(*signature)}};
  auto answer = http_->Post(fmt::format("/v1/fleet/{}", name), headers, body, kProtobuf);
  if (!answer) return Unreached(int(answer.error()));
  has_answered_ = true;
  if (answer->status != 200) return Refused(name, answer->status, answer->body);
  return std::move(answer->body);
}

template <class Response>
Result<Response> FleetClient::Call(const char* name, const google::protobuf::MessageLite& request) {
  const auto body = Post(name, request.SerializeAsString());
  if (!body) return body.error();
  Response response;
  if (!response.ParseFromString(*body)) {
    problem_ = CallProblem::kOtherVersion;
    return Error{
        fmt::format("{}:{}: the answer to {} cannot be read: this is no SuperLink of "
                    "Flower 1.40 or later, which this program speaks to",
                    link_.host, link_.port, name)};
  }
  return response;
}

Result<fleet_api::RegisterNodeResponse> FleetClient::Register() {
  fleet_api::RegisterNodeRequest request;
  request.set_public_key(key_.public_pem());
  return Call<fleet_api::RegisterNodeResponse>("register-node", request);
}

Result<fleet_api::ActivateNodeResponse> FleetClient::Activate(double heartbeat_s) {
  fleet_api::ActivateNodeRequest request;
  request.set_public_key(key_.public_pem());
  request.set_heartbeat_interval(heartbeat_s);
  return Call<fleet_api::ActivateNodeResponse>("activate-node", request);
}

Result<fleet_api::DeactivateNodeResponse> FleetClient::Deactivate(std::uint64_t node) {
  fleet_api::DeactivateNodeRequest request;
  request.set_node_id(node);
  return Call<fleet_api::DeactivateNodeResponse>("deactivate-node", request);
}

Result<fleet_api::UnregisterNodeResponse> FleetClient::Unregister(std::uint64_t node) {
  fleet_api::UnregisterNodeRequest request;
  request.set_node_id(node);
  return Call<fleet_api::UnregisterNodeResponse>("unregister-node", request);
}

Result<fleet_api::HeartbeatResponse> FleetClient::Heartbeat(std::uint64_t node,
                                                            double heartbeat_s) {
  fleet_api::HeartbeatRequest request;
  request.mutable_node()->set_node_id(node);
  request.set_heartbeat_interval(heartbeat_s);
  return Call<fleet_api::HeartbeatResponse>("send-node-heartbeat", request);
}

Result<fleet_api::PullMessagesResponse> FleetClient::PullMessages(std::uint64_t node) {
  fleet_api::PullMessagesRequest request;
  request.mutable_node()->set_node_id(node);
  return Call<fleet_api::PullMessagesResponse>("pull-messages", request);
}

Result<fleet_api::PullObjectResponse> FleetClient::PullObject(std::uint64_t node, std::uint64_t run,
                                                              const std::string& object) {
  fleet_api::PullObjectRequest request;
  request.mutable_node()->set_node_id(node);
  request.set_run_id(run);
  request.set_object_id(object);
  return Call<fleet_api::PullObjectResponse>("pull-object", request);
}

Result<fleet_api::ConfirmMessageResponse> FleetClient::Confirm(std::uint64_t node,
                                                               std::uint64_t run,
                                                               const std::string& message) {
  fleet_api::ConfirmMessageRequest request;
  request.mutable_node()->set_node_id(node);
  request.set_run_id(run);
  request.set_message_object_id(message);
  return Call<fleet_api::ConfirmMessageResponse>("confirm-message-received", request);
}

Result<fleet_api::PushMessagesResponse> FleetClient::PushMessages(
    const fleet_api::PushMessagesRequest& request) {
  return Call<fleet_api::PushMessagesResponse>("push-messages", request);
}

Result<fleet_api::PushObjectResponse> FleetClient::PushObject(
    const fleet_api::PushObjectRequest& request) {
  return Call<fleet_api::PushObjectResponse>("push-object", request);
}

}  // namespace airlot::device
