// Threads of a test that stand in for the processes of a team.
#ifndef AIRLOT_BASE_TEAM_FOR_TESTS_H_
#define AIRLOT_BASE_TEAM_FOR_TESTS_H_

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "airlot/team.h"

namespace airlot::base {

// A MeetingPlace is what the members of a team of threads share.
struct MeetingPlace {
  explicit MeetingPlace(std::size_t members)
      : barrier(std::ptrdiff_t(members)), bytes(members), numbers(members), sizes(members) {}
  std::barrier<> barrier;
  std::vector<std::span<std::byte>> bytes;
  std::vector<std::span<const float>> numbers;
  std::vector<std::span<const std::size_t>> sizes;
  std::string* text = nullptr;
};

class ThreadTeam : public Team {
 public:
  ThreadTeam(MeetingPlace& place, std::size_t rank) : place_(place), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return place_.bytes.size(); }

  void Gather(std::span<std::byte> all, std::span<const std::size_t> sizes) override {
    place_.bytes[rank_] = all;
    place_.barrier.arrive_and_wait();
    for (std::size_t i = 0, begin = 0; i < size(); begin += sizes[i], ++i) {
      if (i != rank_)
        std::ranges::copy(place_.bytes[i].subspan(begin, sizes[i]),
                          all.subspan(begin, sizes[i]).begin());
    }
    place_.barrier.arrive_and_wait();
  }

  void Exchange(std::span<const float> mine, std::span<const std::size_t> sent,
                std::span<float> theirs, std::span<const std::size_t> received) override {
    place_.numbers[rank_] = mine;
    place_.sizes[rank_] = sent;
    place_.barrier.arrive_and_wait();
    auto to = theirs.begin();
    for (std::size_t i = 0; i < size(); ++i) {
      const auto sizes = place_.sizes[i];
      const std::size_t begin =
          std::accumulate(sizes.begin(), sizes.begin() + std::ptrdiff_t(rank_), std::size_t{0});
      to = std::ranges::copy(place_.numbers[i].subspan(begin, received[i]), to).out;
    }
    place_.barrier.arrive_and_wait();
  }

  void Broadcast(std::string& bytes) override {
    if (rank_ == 0) place_.text = &bytes;
    place_.barrier.arrive_and_wait();
    if (rank_ != 0) bytes = *place_.text;
    place_.barrier.arrive_and_wait();
  }

  [[noreturn]] void Abort(std::string_view) override { std::abort(); }

 private:
  MeetingPlace& place_;
  std::size_t rank_;
};

// Calls `work` for every member of a team, each in a thread of its own.
inline void ForEachMember(std::size_t members, const std::function<void(Team&)>& work) {
  MeetingPlace place(members);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < members; ++i) {
    threads.emplace_back([&, i] {
      ThreadTeam team(place, i);
      work(team);
    });
  }
}

}  // namespace airlot::base

#endif  // AIRLOT_BASE_TEAM_FOR_TESTS_H_
