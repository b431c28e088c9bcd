// The cache is the folder in which data sets are kept.
#ifndef AIRLOT_DATA_CACHE_H_
#define AIRLOT_DATA_CACHE_H_

#include <string>
#include <utility>

#include "airlot/result.h"
#include "base/lock_file.h"
#include "data/known_sets.h"

namespace airlot::data {

// CacheFolder returns $AIRLOT_DATA_DIR, else $XDG_CACHE_HOME/airlot, else ~/.cache/airlot.
Result<std::string> CacheFolder();

// Locate returns the folder of a known set, in the cache or where its Debian package puts it. Where
// there is none, the error says how to get the set.
Result<std::string> Locate(const KnownSet& set);

// The one fetch that may change the cache holds its CacheLock. Taking the lock waits until another
// fetch has ended, and cleans up after a fetch of the same set that was killed.
class CacheLock {
 public:
  // Take makes the folder of the cache where it is missing.
  static Result<CacheLock> Take(const std::string& cache, const KnownSet& set);

 private:
  explicit CacheLock(base::LockFile lock) : lock_(std::move(lock)) {}
  base::LockFile lock_;
};

// CleanUpAfterKills removes what killed fetches of this set have left, unless a fetch is at work.
void CleanUpAfterKills(const std::string& cache, const KnownSet& set);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_CACHE_H_
