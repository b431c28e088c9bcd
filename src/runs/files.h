// These functions handle the files and folders of run directories.
#ifndef AIRLOT_RUNS_FILES_H_
#define AIRLOT_RUNS_FILES_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot::runs {

// Makes a folder and those above it, and returns whether it was not there before.
Result<bool> MakeFolder(const std::filesystem::path& path);

Result<std::vector<std::filesystem::path>> PathsIn(const std::filesystem::path& folder);

// Says whether a path, with its links followed, has the name of a file of runs or sweeps, which no
// other output may overwrite.
bool IsNamedLikeOurs(const std::string& path);

// Says whether a file is what a killed process left of one of ours.
bool IsLeftByAKill(const std::string& file);

// Removes the files of these names in a folder, and what a killed process left of any of ours.
Status RemoveFiles(const std::filesystem::path& folder, std::span<const std::string_view> names);

// Tells whether there is such a folder. It fails where the path is something else, such as a link:
// behind a link, nothing is ours to write or to remove.
Result<bool> IsFolder(const std::filesystem::path& path);

// Tells whether a name, as of a strategy, leads nowhere but right below a folder.
bool IsPlainName(std::string_view name);

void RemoveIfEmpty(const std::filesystem::path& folder);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_FILES_H_
