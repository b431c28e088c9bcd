// Flower's legacy API has the same messages with records of other names: fitins.parameters,
// fitres.metrics, and so on. Its values are single numbers and texts.
#ifndef AIRLOT_DEVICE_LEGACY_RECORDS_H_
#define AIRLOT_DEVICE_LEGACY_RECORDS_H_

#include <string>

#include "device/records.h"

namespace airlot::device {

// Says whether a request to train or to evaluate came by the legacy API.
bool IsLegacy(const Records& request);

// Returns an answer under the names of the legacy API: `name` is "fitres", "evaluateres" or
// "getpropertiesres". Lists are left out.
Records ToLegacy(const std::string& name, Records answer);

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_LEGACY_RECORDS_H_
