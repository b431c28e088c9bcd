// Hands say who computes what is spread over the devices of a fleet.
#ifndef AIRLOT_HANDS_H_
#define AIRLOT_HANDS_H_

#include "airlot/team.h"

namespace airlot {

// Hands are threads of this process and, where several processes hold a part of the fleet each, the
// team of them (docs/clusters.md). Every member of a team holds whole shards of the fleet, which
// follow those of the member before it, and at least one. A function that is handed a team is
// called by all members, each with its own devices; sums, extremes and prices are those of the
// whole fleet then, to the bit, and what a function returns for single devices is of its own ones.
struct Hands {
  int threads = 1;
  Team* team = nullptr;  // null: this process holds the whole fleet

  Hands(int thread_count, Team* of_team = nullptr)  // NOLINT(google-explicit-constructor)
      : threads(thread_count), team(of_team) {}
  bool is_first() const { return team == nullptr || team->rank() == 0; }
};

}  // namespace airlot

#endif  // AIRLOT_HANDS_H_
