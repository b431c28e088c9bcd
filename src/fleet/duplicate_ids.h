// This header finds devices of a file that have the same id.
#ifndef AIRLOT_FLEET_DUPLICATE_IDS_H_
#define AIRLOT_FLEET_DUPLICATE_IDS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "airlot/fleet.h"
#include "airlot/result.h"

namespace airlot::fleet {

// TwoRows are two rows with one id, the first before the second.
struct TwoRows {
  std::size_t first = 0, second = 0;
};
// Returns the first row whose id another one before it has, and that one; nothing where all ids
// differ. Where every id is longer than the one before, or as long and larger, which those are that
// somebody has numbered, one look at each is enough. Otherwise it takes 16 bytes for each id, for
// as long as it runs.
std::optional<TwoRows> FindDuplicate(const DeviceIds& ids, int threads = 1);

// Fails where two devices of a file have the same id: it is what others know a device by.
Status CheckIds(const std::string& path, const DeviceIds& ids, const RowLines& lines,
                int threads = 1);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_DUPLICATE_IDS_H_
