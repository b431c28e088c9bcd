#include "cluster/mpi.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "airlot/version.h"

namespace airlot::cluster {
namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> NumberIn(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view view(text);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), number);
  if (error != std::errc() || end != view.data() + view.size()) return std::nullopt;
  return number;
}

}  // namespace

// Open MPI's mpirun sets the first two, MPICH's the next, and Slurm with PMIx, which Open MPI
// speaks, the last ones.
std::optional<Launch> FindLaunch(const std::function<const char*(const char*)>& variable) {
  struct Names {
    const char *mpi, *rank, *size;
  };
  constexpr Names kNames[] = {{"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                              {"mpich", "PMI_RANK", "PMI_SIZE"},
                              {"openmpi", "PMIX_RANK", "SLURM_STEP_NUM_TASKS"}};
  for (const Names& names : kNames) {
    const auto rank = NumberIn(variable(names.rank)), size = NumberIn(variable(names.size));
    if (!rank || !size || *rank >= *size) continue;
    if (*size == 1) return std::nullopt;
    return Launch{names.mpi, *rank, *size};
  }
  return std::nullopt;
}

std::string PluginOf(std::string_view mpi) { return fmt::format("airlot-{}.so", mpi); }

Result<Ranks*> JoinRanks(const Launch& launch, const std::vector<std::string>& folders) {
  std::string path;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    const fs::path file = fs::path(folder) / PluginOf(launch.mpi);
    if (!fs::exists(file, ignored)) continue;
    path = file.string();
    break;
  }
  const auto started =
      fmt::format("this is one of {} processes that were started together", launch.size);
  if (path.empty()) {
    return Error{fmt::format(
        "{}, and {} is not there: build airlot where {} is installed (docs/clusters.md), or start "
        "one process",
        started, PluginOf(launch.mpi), launch.mpi == "mpich" ? "MPICH" : "Open MPI")};
  }
  // Open MPI loads components of its own, which need what the plug-in has loaded.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return Error{fmt::format("{}: {}", path, ::dlerror())};
  const auto version = reinterpret_cast<PluginVersion>(::dlsym(library, kPluginVersion));
  const auto join = reinterpret_cast<PluginJoin>(::dlsym(library, kPluginJoin));
  if (version == nullptr || join == nullptr) {
    return Error{path + ": is not a plug-in of airlot"};
  }
  if (std::string_view(version()) != kVersion) {
    return Error{fmt::format("{}: is of airlot {}, and this is {}: install one of them", path,
                             version(), kVersion)};
  }
  Ranks* const ranks = join();
  if (ranks->size() != launch.size || ranks->rank() != launch.rank) {
    return Error{
        fmt::format("{}, but {} says that it is rank {} of {}: is another MPI's mpirun "
                    "in use?",
                    started, PluginOf(launch.mpi), ranks->rank(), ranks->size())};
  }
  return ranks;
}

}  // namespace airlot::cluster
