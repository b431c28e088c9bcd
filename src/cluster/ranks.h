// Ranks are the processes that were started together, as by mpirun.
#ifndef AIRLOT_CLUSTER_RANKS_H_
#define AIRLOT_CLUSTER_RANKS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "airlot/team.h"

namespace airlot::cluster {

// A RankMessage is some bytes that another rank has sent.
struct RankMessage {
  std::size_t from = 0;
  std::string bytes;
};

// Beside what they do together as a team, ranks send each other messages, which are small and
// arrive in the order in which one rank sends them to another. One thread calls all functions.
class Ranks : public Team {
 public:
  virtual std::string host() const = 0;  // name of the machine of this rank
  virtual void Send(std::size_t to, std::string_view bytes) = 0;
  // Returns a message that has come, or nothing; it does not wait.
  virtual std::optional<RankMessage> Receive() = 0;
  // Goes on as a team of the first ranks alone, so many of them. All ranks call it; the others then
  // call nothing but Leave.
  virtual void Keep(std::size_t members) = 0;
  // Ends it for this rank: all of them call it, unless one is dead, for whom nobody waits.
  virtual void Leave(bool is_anybody_dead) = 0;
};

// What a plug-in for an MPI offers: these two functions, with C names, as there is one plug-in for
// each MPI, and the program loads it when it runs (mpi.h). The version is that of the program.
inline constexpr char kPluginVersion[] = "AirlotRanksVersion";
inline constexpr char kPluginJoin[] = "AirlotJoinRanks";
using PluginVersion = const char* (*)();
using PluginJoin = Ranks* (*)();

}  // namespace airlot::cluster

#endif  // AIRLOT_CLUSTER_RANKS_H_
