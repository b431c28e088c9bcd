// A KnownSet is a data set that is known by name and lies in files.
#ifndef AIRLOT_DATA_KNOWN_SETS_H_
#define AIRLOT_DATA_KNOWN_SETS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/cifar.h"
#include "data/idx_folder.h"

namespace airlot::data {

inline constexpr std::string_view kDigitsName = "digits";
inline constexpr std::string_view kColourDigitsName = "digits-colour";

// Tells whether a data set is drawn by the program, so that it has no files.
constexpr bool IsBuiltIn(std::string_view name) {
  return name == kDigitsName || name == kColourDigitsName;
}

// A KnownFile describes one of the four files when it is right and not compressed.
struct KnownFile {
  std::uint64_t bytes;
  std::string_view sha256;  // empty: the one that was noted when the file was made of an archive
};

struct KnownSet {
  std::string_view name;
  int classes;
  std::array<KnownFile, kIdxFiles> files;
  std::string_view npm_package;           // the npm package that holds the files, or empty
  std::string_view debian_package;        // the Debian package that holds the files, or empty
  std::string_view debian_folder;         // the folder into which the Debian package puts the files
  const CifarArchive* archive = nullptr;  // what the files are made of, where there is no package
};

// SourceOption returns what "airlot data fetch NAME" needs besides: nothing, or " --from" and the
// name of the archive, which the user must have.
std::string SourceOption(const KnownSet& set);

// FindKnownSet returns the set of that name, or null.
const KnownSet* FindKnownSet(std::string_view name);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_KNOWN_SETS_H_
