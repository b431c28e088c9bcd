// Joining the processes that mpirun has started, through a plug-in for its MPI (docs/clusters.md).
#ifndef AIRLOT_CLUSTER_MPI_H_
#define AIRLOT_CLUSTER_MPI_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"
#include "cluster/ranks.h"

namespace airlot::cluster {

// A Launch is what the environment says of how this process was started.
struct Launch {
  std::string mpi;  // "openmpi" or "mpich"
  std::size_t rank = 0;
  std::size_t size = 1;
};
// Returns how this process was started, or nothing where it is alone. `variable` is like getenv.
std::optional<Launch> FindLaunch(const std::function<const char*(const char*)>& variable);

// Loads the plug-in for the MPI from the first of the folders that has it, and joins the others.
// Fails where no folder has it, or it belongs to another version.
Result<Ranks*> JoinRanks(const Launch& launch, const std::vector<std::string>& folders);

// Returns the file name of a plug-in.
std::string PluginOf(std::string_view mpi);

}  // namespace airlot::cluster

#endif  // AIRLOT_CLUSTER_MPI_H_
