// This header finds devices of a file that have the same id.
#ifndef AIRLOT_FLEET_DUPLICATE_IDS_H_
#define AIRLOT_FLEET_DUPLICATE_IDS_H_

#include <cstddef>
#include <cstdint>
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

// Says whether every id is longer than the one before, or as long and larger.
bool AreRising(const DeviceIds& ids, int threads);

// SameIds are two devices of a fleet with one id.
struct SameIds {
  TwoRows rows;  // of the fleet
  std::string id;
  std::uint64_t first_line = 0, second_line = 0;  // of the file; 0 where it has no lines
};
// Does the same as FindDuplicate for the ids of all members of a team, or those of this process
// where there is none. Every member has the result. Where not all ids rise, 16 bytes for each of
// them travel.
std::optional<SameIds> FindSameIds(const DeviceIds& ids, const RowLines& lines, const Hands& hands);

// Fails where two devices of a file have the same id: it is what others know a device by.
// Where there is a team, the ids of all members count, and all have the same error.
Status CheckIds(const std::string& path, const DeviceIds& ids, const RowLines& lines,
                const Hands& hands = 1);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_DUPLICATE_IDS_H_
