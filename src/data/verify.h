// Verify checks that files are the ones of a known data set, byte by byte.
#ifndef AIRLOT_DATA_VERIFY_H_
#define AIRLOT_DATA_VERIFY_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "airlot/result.h"
#include "data/known_sets.h"

namespace airlot::data {

// Reads a file, inflated where its name says so, and hands its bytes to `take`. Where they are not
// the expected ones, the error names the file, what was found and what was expected.
Status Verify(const std::string& path, const KnownFile& expected,
              const std::function<void(std::span<const std::uint8_t>)>& take = {});

// Verifies the four files of a folder.
Status Verify(const KnownSet& set, const std::string& folder);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_VERIFY_H_
