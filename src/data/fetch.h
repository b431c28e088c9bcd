// Fetch gets a data set into the cache.
#ifndef AIRLOT_DATA_FETCH_H_
#define AIRLOT_DATA_FETCH_H_

#include <string>

#include "airlot/result.h"
#include "data/known_sets.h"

namespace airlot::data {

struct Fetched {
  std::string folder;
  bool was_there = false;
};

// Fetch makes sure that the cache has the set, every byte verified. `from` says where the files
// come from: a folder, a .tgz file, or the address of either. Where it is empty, the set's own
// packages are the source; one that is made of an archive has none, and `from` is that archive. The
// cache changes only when all is verified.
Result<Fetched> Fetch(const KnownSet& set, const std::string& from);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_FETCH_H_
