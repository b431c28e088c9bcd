// UnpackIdxFiles reads archives, as far as data sets come in them.
#ifndef AIRLOT_DATA_TAR_H_
#define AIRLOT_DATA_TAR_H_

#include <string>

#include "airlot/result.h"

namespace airlot::data {

// Puts the IDX files of a .tgz into `folder`, whichever folder of the archive they are in, and
// nothing else. It fails where the archive is corrupt or cut off.
Status UnpackIdxFiles(const std::string& archive, const std::string& folder);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_TAR_H_
