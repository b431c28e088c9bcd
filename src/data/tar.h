// These functions read archives, as far as data sets come in them.
#ifndef AIRLOT_DATA_TAR_H_
#define AIRLOT_DATA_TAR_H_

#include <functional>
#include <string>

#include "airlot/result.h"

namespace airlot::data {

// Puts the files of a .tgz whose names are wanted into `folder`, whichever folder of the archive
// they are in, and nothing else. It fails where the archive is corrupt or cut off.
using WantedFile = std::function<bool(const std::string& name)>;
Status UnpackFiles(const std::string& archive, const std::string& folder,
                   const WantedFile& is_wanted);
// Wants the files that IDX files are called.
Status UnpackIdxFiles(const std::string& archive, const std::string& folder);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_TAR_H_
