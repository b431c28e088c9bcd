#include "device/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "base/stopwatch.h"
#include "base/text.h"
#include "device/heartbeat.h"
#include "device/records.h"

namespace airlot::device {
namespace {

constexpr std::chrono::milliseconds kStep{50};  // A node looks so often whether it is told to end.
constexpr double kFirstWait_s = 0.5;
constexpr double kMostWaitForObject_s = 10;
constexpr int kMostTries = 8;  // to send an answer while the SuperLink does not reply

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(std::int64_t(seconds * 1000));
}

// A Patience waits longer from try to try, and never as long as others that began together.
class Patience {
 public:
  explicit Patience(double longest_s) : longest_s_(longest_s) {}
  void Reset() { next_s_ = kFirstWait_s; }
  double Next() {
    std::uniform_real_distribution<double> jitter(0.5, 1);
    const double wait_s = next_s_ * jitter(random_);
    next_s_ = std::min(longest_s_, 2 * next_s_);
    return wait_s;
  }

 private:
  std::mt19937 random_{std::random_device{}()};
  double longest_s_;
  double next_s_ = kFirstWait_s;
};

class Session {
 public:
  Session(const NodeOptions& options, const NodeKey& key, Worker& worker, RadioControl& radio,
          const NodeHooks& hooks)
      : options_(options),
        key_(key),
        worker_(worker),
        radio_(radio),
        hooks_(hooks),
        client_(options.link, key, Milliseconds(options.call_timeout_s)),
        patience_(options.longest_wait_s) {}

  Status Run() {
    while (!hooks_.stops()) {
      if (auto status = Enter(); !status) {
        if (!MayPass()) return status.error();
        const double wait_s = patience_.Next();
        hooks_.say(fmt::format("{}; trying again in {:.1f} s", status.error().message, wait_s));
        Wait(wait_s);
        continue;
      }
      Listen();
    }
    Leave();
    return {};
  }

 private:
  // Says whether it makes sense to try again. Who was let in before may meet a SuperLink that has
  // not yet got its state back.
  bool MayPass() const {
    if (client_.problem() == CallProblem::kUnreachable || was_in_) return true;
    const std::chrono::duration<double> tried = std::chrono::steady_clock::now() - begun_;
    return client_.problem() == CallProblem::kRefused && tried.count() < options_.patience_s;
  }

  void Wait(double seconds) const {
    const auto end = std::chrono::steady_clock::now() + Milliseconds(seconds);
    while (!hooks_.stops() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(
          kStep, end - std::chrono::steady_clock::now()));
    }
  }

  Status Enter() {
    heartbeat_.reset();
    if (options_.registers_itself) {
      // One that is there already stays, so that a refusal shows when it is activated.
      if (const auto made = client_.Register();
          !made && client_.problem() != CallProblem::kRefused) {
        return made.error();
      }
    }
    const auto active = client_.Activate(options_.heartbeat_s);
    if (!active) {
      const bool is_unknown = client_.problem() == CallProblem::kRefused ||
                              client_.problem() == CallProblem::kUnknownNode;
      return Error{active.error().message +
                   (is_unknown ? ": the SuperLink must know the node's key (flwr supernode "
                                 "register), the clocks must agree, and one that was killed comes "
                                 "back when its heartbeats are missed"
                               : "")};
    }
    node_ = active->node_id();
    was_in_ = true;
    patience_.Reset();
    heartbeat_ = std::make_unique<Heartbeat>(options_.link, key_, node_, options_.heartbeat_s);
    hooks_.say(
        fmt::format("ready: node {} of {}:{}", node_, options_.link.host, options_.link.port));
    return {};
  }

  // Answers messages until the node must enter again.
  void Listen() {
    while (!hooks_.stops() && !heartbeat_->is_forgotten()) {
      const auto pulled = client_.PullMessages(node_);
      if (!pulled) {
        hooks_.say(pulled.error().message);
        if (client_.problem() != CallProblem::kUnreachable) {
          Wait(patience_.Next());
          return;
        }
        Wait(patience_.Next());
        continue;
      }
      patience_.Reset();
      if (pulled->messages_list_size() == 0 || pulled->message_object_trees_size() == 0) {
        Wait(options_.poll_s);
        continue;
      }
      Handle(pulled->messages_list(0), pulled->message_object_trees(0));
    }
  }

  void Handle(const fleet_api::Message& message, const fleet_api::ObjectTree& tree) {
    const fleet_api::Metadata& asked = message.metadata();
    base::LapTimer timer;
    auto request = Unpack(tree, worker_.parameters(),
                          [&](const std::string& id) { return Fetch(asked.run_id(), id); });
    if (!request && has_lost_object_) {
      hooks_.say(request.error().message);
      return;
    }
    if (const auto done = client_.Confirm(node_, asked.run_id(), asked.message_id()); !done) {
      hooks_.say(done.error().message);
    }
    auto answer = request ? worker_.Do(asked.message_type(), std::move(*request))
                          : Result<Answer>(request.error());
    // By the server's clock: that of the device may be off.
    const double worked_s = timer.Lap();
    if (worked_s >= asked.ttl()) {
      hooks_.say("a message has expired before it was answered");
      return;
    }
    const fleet_api::Metadata head =
        ReplyHead(asked, asked.created_at() + worked_s, asked.ttl() - worked_s);
    Parcel parcel =
        answer ? Pack(head, std::move(answer->records)) : PackFailure(head, answer.error().message);
    hooks_.say(answer ? answer->said : "a message cannot be answered: " + answer.error().message);
    Send(parcel, worked_s, answer ? answer->upload : std::nullopt);
  }

  fleet_api::Metadata ReplyHead(const fleet_api::Metadata& asked, double created_at,
                                double ttl_s) const {
    fleet_api::Metadata head;
    head.set_run_id(asked.run_id());
    head.set_src_node_id(node_);
    head.set_dst_node_id(asked.src_node_id());
    head.set_reply_to_message_id(asked.message_id());
    head.set_group_id(asked.group_id());
    head.set_message_type(asked.message_type());
    head.set_created_at(created_at);
    head.set_ttl(ttl_s);
    if (asked.has_dst_task_id()) head.set_src_task_id(asked.dst_task_id());
    if (asked.has_src_task_id()) head.set_dst_task_id(asked.src_task_id());
    return head;
  }

  // An object may come later than the message that it belongs to.
  Result<std::string> Fetch(std::uint64_t run, const std::string& id) {
    has_lost_object_ = true;
    double waited_s = 0;
    Patience patience(1);
    while (true) {
      auto pulled = client_.PullObject(node_, run, id);
      if (!pulled && client_.problem() != CallProblem::kUnreachable) return pulled.error();
      if (pulled && !pulled->object_found()) return Error{"an object of a message is gone"};
      if (pulled && pulled->object_available()) {
        has_lost_object_ = false;
        return std::move(*pulled->mutable_object_content());
      }
      if (hooks_.stops() || waited_s > kMostWaitForObject_s) {
        return pulled ? Error{"an object of a message did not come"} : pulled.error();
      }
      const double wait_s = patience.Next();
      Wait(wait_s);
      waited_s += wait_s;
    }
  }

  // Sends an answer. What the SuperLink does not take is lost with its round; the next one comes.
  void Send(Parcel& parcel, double worked_s, const std::optional<RadioTerms>& upload) {
    fleet_api::PushMessagesRequest request;
    request.mutable_node()->set_node_id(node_);
    *request.add_messages_list() = parcel.message;
    *request.add_message_object_trees() = parcel.tree;
    request.add_clientapp_runtime_list(worked_s);
    if (upload) radio_.Emulate(*upload);
    base::LapTimer timer;
    const auto taken = Repeated([&] { return client_.PushMessages(request); });
    if (!taken) return hooks_.say(taken.error().message);
    for (const std::string& id : taken->objects_to_push()) {
      const auto part =
          std::ranges::find_if(parcel.parts, [&](const Parcel::Part& p) { return p.id == id; });
      if (part == parcel.parts.end()) continue;
      fleet_api::PushObjectRequest object;
      object.mutable_node()->set_node_id(node_);
      object.set_run_id(parcel.message.metadata().run_id());
      object.set_object_id(id);
      object.set_session_id(taken->session_id());
      object.set_object_content(std::move(part->bytes));
      if (const auto stored = Repeated([&] { return client_.PushObject(object); }); !stored) {
        return hooks_.say(stored.error().message);
      }
    }
    const double sent_s = timer.Lap();
    if (upload) radio_.Sent(*upload, sent_s);
    hooks_.say(fmt::format("sent in {:.2f} s", sent_s));
  }

  template <class Call>
  auto Repeated(const Call& call) -> decltype(call()) {
    Patience patience(4);
    for (int tries = 1;; ++tries) {
      auto answer = call();
      if (answer || client_.problem() != CallProblem::kUnreachable || tries == kMostTries ||
          hooks_.stops()) {
        return answer;
      }
      Wait(patience.Next());
    }
  }

  void Leave() {
    heartbeat_.reset();
    if (!was_in_) return;
    const auto left = client_.Deactivate(node_);
    if (left && options_.registers_itself) {
      if (const auto gone = client_.Unregister(node_); !gone) hooks_.say(gone.error().message);
    }
    hooks_.say(left ? "left the SuperLink" : left.error().message);
  }

  const NodeOptions& options_;
  const NodeKey& key_;
  Worker& worker_;
  RadioControl& radio_;
  const NodeHooks& hooks_;
  FleetClient client_;
  Patience patience_;
  std::unique_ptr<Heartbeat> heartbeat_;
  std::uint64_t node_ = 0;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  bool was_in_ = false;
  bool has_lost_object_ = false;  // the last object that was fetched did not come
};

}  // namespace

Status RunNode(const NodeOptions& options, const NodeKey& key, Worker& worker, RadioControl& radio,
               const NodeHooks& hooks) {
  return Session(options, key, worker, radio, hooks).Run();
}

}  // namespace airlot::device
