// A KnownSet is a data set that is known by name and lies in files.
#ifndef AIRLOT_DATA_KNOWN_SETS_H_
#define AIRLOT_DATA_KNOWN_SETS_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "data/idx_folder.h"

namespace airlot::data {

inline constexpr std::string_view kDigitsName = "digits";

// A KnownFile describes one of the four files when it is right and not compressed.
struct KnownFile {
  std::uint64_t bytes;
  std::string_view sha256;
};

struct KnownSet {
  std::string_view name;
  int classes;
  std::array<KnownFile, kIdxFiles> files;
  std::string_view npm_package;     // the npm package that holds the files, or empty
  std::string_view debian_package;  // the Debian package that holds the files, or empty
  std::string_view debian_folder;   // the folder into which the Debian package puts the files
};

// FindKnownSet returns the set of that name, or null.
const KnownSet* FindKnownSet(std::string_view name);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_KNOWN_SETS_H_
