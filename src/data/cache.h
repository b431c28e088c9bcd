// The folder in which data sets are kept.
#ifndef AIRLOT_DATA_CACHE_H_
#define AIRLOT_DATA_CACHE_H_

#include <string>
#include <utility>

#include "airlot/result.h"
#include "base/lock_file.h"
#include "data/known_sets.h"

namespace airlot::data {

// $AIRLOT_DATA_DIR, else $XDG_CACHE_HOME/airlot, else ~/.cache/airlot.
Result<std::string> CacheFolder();

// Where a known set lies: in the cache, or where its Debian package puts it. An error says how to
// get it.
Result<std::string> Locate(const KnownSet& set);

// Held by the one fetch that may change the cache. Taking it waits for another's end, and cleans up
// after a fetch of the same set that was killed.
class CacheLock {
 public:
  // Makes the folder where it is missing.
  static Result<CacheLock> Take(const std::string& cache, const KnownSet& set);

 private:
  explicit CacheLock(base::LockFile lock) : lock_(std::move(lock)) {}
  base::LockFile lock_;
};

// Removes what fetches of this set that were killed have left, unless another fetch is at work.
void CleanUpAfterKills(const std::string& cache, const KnownSet& set);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_CACHE_H_
