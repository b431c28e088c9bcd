#include "cluster/rank_crew.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cluster/ranks_for_tests.h"

namespace airlot::cluster {
namespace {

// A Study is what came of some tasks.
struct Study {
  explicit Study(std::size_t tasks) : performed(tasks) {}
  std::mutex mutex;
  std::vector<std::vector<std::size_t>> performed;  // of each task, by which ranks
  std::set<std::size_t> taken_in, ended;
  std::vector<std::string> notes, errors;
  std::vector<std::uint64_t> told;
  std::atomic<bool> is_told = false;
};

using Perform = std::function<Status(std::size_t rank, std::size_t task)>;

// A Stops says whether the runs of a rank are to stop.
using Stops = std::vector<std::atomic<bool>>;

void Work(Ranks& ranks, std::size_t tasks, int jobs, const Perform& perform, Stops& stops,
          Study& study, RankCrew& crew) {
  const std::size_t rank = ranks.rank();
  crew.Perform({.tasks = tasks,
                .jobs = jobs,
                .perform =
                    [&](std::size_t task) {
                      {
                        const std::lock_guard lock(study.mutex);
                        study.performed[task].push_back(rank);
                      }
                      if (rank != 0) crew.Tell(task, {.round = task + 1});
                      return perform(rank, task);
                    },
                .has_stopped = [&] { return stops[rank].load(); },
                .stop = [&] { stops[rank] = true; },
                .open = [](std::size_t task) { return task != 3; },
                .take_in =
                    [&](std::size_t task) {
                      study.taken_in.insert(task);
                      return Status();
                    },
                .ended =
                    [&](std::size_t task, const Status& status) {
                      if (status) {
                        EXPECT_TRUE(study.ended.insert(task).second);
                      } else {
                        study.errors.push_back(status.error().message);
                        stops[0] = true;
                      }
                    },
                .told =
                    [&](std::size_t, const RunState& state) {
                      study.told.push_back(state.round);
                      study.is_told = true;
                    }});
}

RankCrew::Options OptionsOf(const Ranks& ranks, Study& study) {
  RankCrew::Options options{.note = [&](const std::string& note) { study.notes.push_back(note); }};
  for (std::size_t i = 0; i < ranks.size(); ++i) options.hosts.push_back("h" + std::to_string(i));
  return options;
}

std::unique_ptr<Study> StudyOf(std::size_t count, std::size_t tasks, int jobs,
                               const Perform& perform) {
  auto study = std::make_unique<Study>(tasks);
  Stops stops(count);
  ForEachRank(count, [&](Ranks& ranks) {
    RankCrew crew(ranks, OptionsOf(ranks, *study));
    Work(ranks, tasks, jobs, perform, stops, *study, crew);
    if (crew.is_first()) crew.Close();
  });
  return study;
}

Status Fine(std::size_t, std::size_t) { return {}; }

void WaitUntil(const std::function<bool()>& is_so) {
  while (!is_so()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(RankCrew, EveryTaskIsPerformedOnceByOneOfAll) {
  for (const std::size_t count : {1, 2, 4}) {
    for (const int jobs : {1, 3}) {
      const auto study = StudyOf(count, 20, jobs, Fine);
      EXPECT_EQ(study->ended.size(), 19);  // There is nothing to perform of the one.
      EXPECT_FALSE(study->ended.contains(3));
      for (std::size_t task = 0; task < 20; ++task) {
        EXPECT_EQ(study->performed[task].size(), task == 3 ? 0 : 1);
        if (task == 3) continue;
        EXPECT_EQ(study->taken_in.contains(task), study->performed[task][0] != 0);
      }
      EXPECT_TRUE(study->errors.empty());
      EXPECT_TRUE(study->notes.empty());
    }
  }
}

// No task ends before every rank has one.
TEST(RankCrew, AllRanksPerformAtTheSameTime) {
  std::array<std::atomic<bool>, 3> has_task{};
  const auto study = StudyOf(3, 30, 1, [&](std::size_t rank, std::size_t) {
    has_task[rank] = true;
    WaitUntil([&] { return has_task[0] && has_task[1] && has_task[2]; });
    return Status();
  });
  EXPECT_EQ(study->ended.size(), 29);
}

TEST(RankCrew, SaysThatSomeRanksIdle) {
  const auto study = StudyOf(4, 2, 1, Fine);
  EXPECT_EQ(study->notes,
            (std::vector<std::string>{"there are 4 ranks for 2 runs: the others idle"}));
  EXPECT_EQ(study->ended.size(), 2);
}

TEST(RankCrew, ATaskThatFailsInOneRankIsDealtToAnother) {
  for (const std::size_t bad : {0, 1, 2}) {
    const auto study = StudyOf(3, 12, 1, [&](std::size_t rank, std::size_t task) {
      return rank == bad ? Status(Error{"disk full"}) : Fine(rank, task);
    });
    EXPECT_EQ(study->ended.size(), 11);
    EXPECT_TRUE(study->errors.empty());
    ASSERT_EQ(study->notes.size(), 1);
    EXPECT_EQ(study->notes[0], "rank " + std::to_string(bad) + " of 3 (h" + std::to_string(bad) +
                                   "): disk full: its run is dealt again, and this rank gets no "
                                   "more");
    std::size_t of_bad = 0;
    for (const auto& performed : study->performed)
      of_bad += std::size_t(std::ranges::count(performed, bad));
    EXPECT_EQ(of_bad, 1);
  }
}

TEST(RankCrew, ATaskThatFailsTwiceEndsAll) {
  const auto study = StudyOf(3, 12, 1, [](std::size_t, std::size_t task) {
    return task == 5 ? Status(Error{"nobody is able"}) : Status();
  });
  ASSERT_EQ(study->errors.size(), 1);
  EXPECT_TRUE(study->errors[0].ends_with("): nobody is able")) << study->errors[0];
  EXPECT_EQ(study->performed[5].size(), 2);
  EXPECT_NE(study->performed[5][0], study->performed[5][1]);
}

TEST(RankCrew, WhereAllRanksFailTheErrorEndsAll) {
  const auto study =
      StudyOf(2, 12, 1, [](std::size_t, std::size_t) { return Status(Error{"disk full"}); });
  EXPECT_EQ(study->errors.size(), 1);
  EXPECT_TRUE(study->ended.empty());
}

// The tasks of the others end only when they are told to stop.
TEST(RankCrew, AnyRankCanStopAll) {
  for (const std::size_t who : {0, 2}) {
    Study study(100);
    Stops stops(3);
    ForEachRank(3, [&](Ranks& ranks) {
      RankCrew crew(ranks, OptionsOf(ranks, study));
      const Perform perform = [&](std::size_t rank, std::size_t) {
        if (rank == who) stops[rank] = true;
        WaitUntil([&] { return stops[rank].load(); });
        return Status();
      };
      Work(ranks, 100, 1, perform, stops, study, crew);
      if (crew.is_first()) crew.Close();
    });
    for (const auto& is_stopped : stops) EXPECT_TRUE(is_stopped);
    EXPECT_TRUE(study.ended.empty());
  }
}

TEST(RankCrew, TheFirstRankIsToldHowFarRunsAre) {
  Study study(2);
  Stops stops(2);
  ForEachRank(2, [&](Ranks& ranks) {
    RankCrew crew(ranks, OptionsOf(ranks, study));
    // Each rank has one task, as none ends before the other has told.
    const Perform perform = [&](std::size_t, std::size_t) {
      WaitUntil([&] { return study.is_told.load(); });
      return Status();
    };
    Work(ranks, 2, 1, perform, stops, study, crew);
    if (crew.is_first()) crew.Close();
  });
  ASSERT_FALSE(study.told.empty());
  EXPECT_EQ(study.performed.at(study.told[0] - 1), std::vector<std::size_t>{1});
}

// A rank that takes a task and is never heard of again.
TEST(RankCrew, TheRunsOfADeadRankAreDealtAgain) {
  Study study(6);
  Stops stops(3);
  ForEachRank(3, [&](Ranks& ranks) {
    if (ranks.rank() == 1) return;
    RankCrew::Options options = OptionsOf(ranks, study);
    options.signs_of_life = std::chrono::milliseconds(20);
    options.longest_silence = std::chrono::milliseconds(3000);
    RankCrew crew(ranks, options);
    Work(ranks, 6, 1, Fine, stops, study, crew);
    if (crew.is_first()) crew.Close();
    EXPECT_TRUE(crew.is_anybody_dead());
  });
  EXPECT_EQ(study.ended.size(), 5);
  ASSERT_EQ(study.notes.size(), 1);
  EXPECT_TRUE(study.notes[0].starts_with("rank 1 of 3 (h1): has not been heard of"));
}

TEST(RankCrew, SeveralStudiesOneAfterTheOther) {
  Study first(5), second(7);
  Stops stops(2);
  ForEachRank(2, [&](Ranks& ranks) {
    RankCrew crew(ranks, OptionsOf(ranks, first));
    Work(ranks, 5, 1, Fine, stops, first, crew);
    EXPECT_FALSE(crew.is_closed());
    Work(ranks, 7, 1, Fine, stops, second, crew);
    if (crew.is_first()) crew.Close();
    if (!crew.is_first()) Work(ranks, 9, 1, Fine, stops, first, crew);
    EXPECT_TRUE(crew.is_closed());
  });
  EXPECT_EQ(first.ended.size(), 4);
  EXPECT_EQ(second.ended.size(), 6);
}

}  // namespace
}  // namespace airlot::cluster
