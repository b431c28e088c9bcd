// Files and folders that appear whole have this in common: they are made under a temporary name
// beside the target, and take its place by a rename.
#ifndef AIRLOT_BASE_REPLACEMENT_H_
#define AIRLOT_BASE_REPLACEMENT_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "airlot/result.h"

namespace airlot::base {

// Returns the file that `path` leads to, which need not exist. Only its last part matters: links
// among the folders do not change which folder it is.
std::string FollowLinks(const std::string& path);

// Returns ".NAME.tmp-PROCESS-COUNT" in the folder of `target`, another one at each call. It is
// taken only where a process of the same number was killed.
std::string TemporaryFor(const std::filesystem::path& target);

// Says whether `name`, without a folder, is one that TemporaryFor gives for this target, in any
// process.
bool IsTemporaryFor(const std::filesystem::path& target, std::string_view name);

// Makes the error of the call that just failed.
Error CannotWrite(const std::string& path);

// Flushes what was written, and says whether it is on the disk.
bool Sync(int descriptor);

// Makes the names in a folder last through a power cut. They are in place already, so failure is no
// error.
void SyncFolder(const std::filesystem::path& folder);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_REPLACEMENT_H_
