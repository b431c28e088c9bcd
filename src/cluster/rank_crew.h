// A RankCrew deals runs to ranks (docs/clusters.md).
#ifndef AIRLOT_CLUSTER_RANK_CREW_H_
#define AIRLOT_CLUSTER_RANK_CREW_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "airlot/crew.h"
#include "cluster/ranks.h"

namespace airlot::cluster {

// The first rank deals: whoever has nothing to do gets the next run, the first rank included. In
// every rank one thread talks to the others, and others perform.
//
// A run that fails is dealt to another rank, and the rank in which it failed gets no more. Where it
// fails there too, or no other rank is left, its error ends all. A rank that says nothing for a
// while counts as dead, and its runs are dealt again, where the MPI lets the others live.
class RankCrew : public Crew {
 public:
  struct Options {
    std::vector<std::string> hosts;  // of the ranks, in the first of them
    // note is told, in the first rank, of a rank that is left out and of ranks that idle.
    std::function<void(const std::string& note)> note;
    std::chrono::milliseconds signs_of_life{1000};
    std::chrono::milliseconds longest_silence{30000};
  };
  RankCrew(Ranks& ranks, Options options);

  bool is_first() const override { return ranks_.rank() == 0; }
  void Perform(const CrewWork& work) override;
  void Tell(std::size_t task, const RunState& state) override;

  // Lets the others know that no more work comes; the first rank calls it once, at the end.
  void Close();
  // Says whether the first rank has done so.
  bool is_closed() const { return is_closed_; }
  // Says whether some rank is dead, as far as this one knows.
  bool is_anybody_dead() const { return is_anybody_dead_; }

 private:
  class Dealer;
  class Helper;

  Ranks& ranks_;
  Options options_;
  bool is_closed_ = false;
  bool is_anybody_dead_ = false;
  std::vector<bool> is_out_;  // in the first rank: who gets no more runs
  std::vector<bool> is_dead_;
  std::mutex mutex_;
  // What is to be told of runs of this rank, of each the last.
  std::map<std::size_t, std::string> told_;
};

}  // namespace airlot::cluster

#endif  // AIRLOT_CLUSTER_RANK_CREW_H_
