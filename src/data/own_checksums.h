// A data set that was made of an archive has the checksums of its files beside them, noted when the
// archive was verified, so that damage can be seen later.
#ifndef AIRLOT_DATA_OWN_CHECKSUMS_H_
#define AIRLOT_DATA_OWN_CHECKSUMS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot::data {

// The file has the form that sha256sum reads and writes.
inline constexpr std::string_view kOwnChecksums = "SHA256SUMS";

// The checksums are those of kChannelIdxNames, in their order.
Status WriteOwnChecksums(const std::string& folder, std::span<const std::string> checksums);
Result<std::vector<std::string>> ReadOwnChecksums(const std::string& folder);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_OWN_CHECKSUMS_H_
