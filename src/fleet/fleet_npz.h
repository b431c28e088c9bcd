// A fleet may be a file of columns of NumPy (docs/formats.md).
#ifndef AIRLOT_FLEET_FLEET_NPZ_H_
#define AIRLOT_FLEET_FLEET_NPZ_H_

#include <functional>
#include <string>

#include "airlot/fleet.h"
#include "airlot/result.h"
#include "base/npz_columns.h"

namespace airlot::fleet {

// Returns how many devices a file has, or what is wrong with its columns.
Result<std::size_t> CountNpzRows(const std::string& path);

// Reads what ReadFleetRows does from an .npz file. Errors name the file, the array and the row.
Result<FleetRows> ReadNpzRows(const std::string& path, const std::function<void(double)>& progress,
                              UnknownColumns unknown, const Hands& hands, const FleetPart* part);

// Reads ids: whole numbers, or texts. They are empty where they are the numbers of the rows, from
// 1. Fails where one cannot be an id, or where two are the same.
// Where there is a team, each member reads its own rows, and all have the same error.
Result<DeviceIds> ReadNpzIds(const base::NpzReader& file, const base::NpzArray& array,
                             const base::NpzRows& of_member, const Hands& hands);

// Makes the column of ids: whole numbers where they are the numbers of the rows, or else texts.
// Fails where one is longer than such a file may have. Where there is a team, the texts are as wide
// as the longest of all members.
Result<base::NpzColumn> NpzIds(const std::string& path, const DeviceIds& ids, std::size_t devices,
                               const Hands& hands);

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_FLEET_NPZ_H_
