// Threads of a test that stand in for ranks.
#ifndef AIRLOT_CLUSTER_RANKS_FOR_TESTS_H_
#define AIRLOT_CLUSTER_RANKS_FOR_TESTS_H_

#include <cstddef>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/team_for_tests.h"
#include "cluster/ranks.h"

namespace airlot::cluster {

// A PostOffice holds the messages to each rank.
struct PostOffice {
  explicit PostOffice(std::size_t ranks) : place(ranks), messages(ranks) {}
  base::MeetingPlace place;
  std::mutex mutex;
  std::vector<std::deque<RankMessage>> messages;
  std::unique_ptr<base::MeetingPlace> kept;  // of those who go on, once there are any
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(PostOffice& office, std::size_t rank)
      : office_(office), team_(std::in_place, office.place, rank) {}

  std::size_t rank() const override { return team_->rank(); }
  std::size_t size() const override { return team_->size(); }
  std::string host() const override { return "host" + std::to_string(rank()); }
  void Gather(std::span<std::byte> all, std::span<const std::size_t> sizes) override {
    team_->Gather(all, sizes);
  }
  void Exchange(std::span<const float> mine, std::span<const std::size_t> sent,
                std::span<float> theirs, std::span<const std::size_t> received) override {
    team_->Exchange(mine, sent, theirs, received);
  }
  void Broadcast(std::string& bytes) override { team_->Broadcast(bytes); }
  [[noreturn]] void Abort(std::string_view) override { std::abort(); }

  void Send(std::size_t to, std::string_view bytes) override {
    const std::lock_guard lock(office_.mutex);
    office_.messages[to].push_back({rank(), std::string(bytes)});
  }
  std::optional<RankMessage> Receive() override {
    const std::lock_guard lock(office_.mutex);
    auto& messages = office_.messages[rank()];
    if (messages.empty()) return std::nullopt;
    RankMessage message = std::move(messages.front());
    messages.pop_front();
    return message;
  }
  void Keep(std::size_t members) override {
    std::string nothing;
    const std::size_t own_rank = rank();
    if (own_rank == 0) office_.kept = std::make_unique<base::MeetingPlace>(members);
    team_->Broadcast(nothing);
    team_.emplace(*office_.kept, own_rank);
  }
  void Leave(bool) override {}

 private:
  PostOffice& office_;
  std::optional<base::ThreadTeam> team_;
};

// Calls `work` for every rank, each in a thread of its own.
inline void ForEachRank(std::size_t count, const std::function<void(Ranks&)>& work) {
  PostOffice office(count);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      ThreadRanks ranks(office, i);
      work(ranks);
    });
  }
}

}  // namespace airlot::cluster

#endif  // AIRLOT_CLUSTER_RANKS_FOR_TESTS_H_
