#include "airlot/fleet.h"
#include "base/csv_parts.h"
#include "base/gather.h"
#include "base/npz_columns.h"
#include "fleet/fleet_npz.h"

namespace airlot {

FleetPart DivideFleet(std::size_t devices, Team& team) {
  const auto [first, count] = base::RowsOfMember(devices, team.rank(), team.size());
  return {.all_devices = devices, .first_device = first, .devices = count};
}

Result<FleetPart> DivideFleetFile(const std::string& path, Team& team) {
  if (base::IsNpz(path)) {
    const auto devices = fleet::CountNpzRows(path);
    if (auto status = base::AgreeOn({1, &team}, devices ? Status() : devices.error()); !status) {
      return status.error();
    }
    return DivideFleet(*devices, team);
  }
  const auto divided = base::DivideCsv(path, team);
  if (!divided) return divided.error();
  return FleetPart{.all_devices = divided->all_rows,
                   .first_device = divided->rows.first,
                   .devices = divided->rows.count,
                   .first_byte = divided->part.begin,
                   .end_byte = divided->part.end,
                   .lines_before = divided->part.lines_before};
}

}  // namespace airlot
