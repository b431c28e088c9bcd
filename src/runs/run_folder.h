// These functions find what is in the folder of one run, and write more of it.
#ifndef AIRLOT_RUNS_RUN_FOLDER_H_
#define AIRLOT_RUNS_RUN_FOLDER_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "airlot/result.h"
#include "airlot/run_directory.h"
#include "airlot/simulation.h"

namespace airlot::runs {

// The folder is <directory>/<strategy>/seed-<n>.
std::filesystem::path RunFolder(const std::filesystem::path& directory, std::string_view strategy,
                                std::uint64_t seed);

// Returns the seed of a folder that RunFolder names "seed-<n>", and nothing for any other name.
std::optional<std::uint64_t> SeedOf(std::string_view folder_name);

// Finds a run of the scenario, as far as its folder tells; the names of strategy and seed are left
// empty. A checkpoint that is damaged is passed over. A checkpoint that is whole, but belongs
// to another run or another version of the format, is an error, and so are tables that cannot have
// been written so.
Result<RunDirectory::Found> FindRun(const std::filesystem::path& folder,
                                    std::string_view fingerprint, const Scenario& scenario);

// The folder must be there.
Status SaveCheckpoint(const std::filesystem::path& folder, std::string_view fingerprint,
                      const RunState& state);

// Writes first the devices, the classes and the model, then the rounds, by which the run is
// complete; then the checkpoints go, and last what RemoveLeftovers removes.
Status CompleteRun(const std::filesystem::path& folder, const Setting& setting,
                   const RunState& state);

// Removes what is of no use beside a complete run: the log that participants.csv.gz was made of,
// and what a kill left.
Status RemoveLeftovers(const std::filesystem::path& folder);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_RUN_FOLDER_H_
