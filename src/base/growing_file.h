// A growing file gets more and more text behind what it has.
#ifndef AIRLOT_BASE_GROWING_FILE_H_
#define AIRLOT_BASE_GROWING_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "airlot/result.h"

namespace airlot::base {

// Cuts a regular file after its first `size` bytes and puts `text` there; a file that is not there
// is made where `size` is 0. All is on the disk when this returns. After a kill, or where it fails,
// the file begins with those bytes and may have a part of the text behind them. Errors name the
// path: one also where the file has fewer bytes, is a link or is no regular file.
Status AppendAfter(std::uint64_t size, std::string_view text, const std::string& path);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_GROWING_FILE_H_
