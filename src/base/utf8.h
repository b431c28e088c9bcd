// These functions cut text from outside between characters, and make it safe to be shown.
#ifndef AIRLOT_BASE_UTF8_H_
#define AIRLOT_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace airlot::base {

// Counts the bytes of the UTF-8 character at the front of `text`, and returns 0 where there is
// none.
std::size_t FrontCharacterSize(std::string_view text);

// Returns as many whole characters from the front of `text` as fit into `most_bytes`. A byte that
// belongs to no character counts as one.
std::string_view CutToBytes(std::string_view text, std::size_t most_bytes);

// Returns as many characters from the front of `text` as fit into `most_columns` of a terminal,
// each taken to be one column wide.
std::string_view CutToColumns(std::string_view text, std::size_t most_columns);

// Counts the columns that `text` takes in a terminal, each character taken to be one column wide.
std::size_t ColumnsOf(std::string_view text);

// Returns `text` with '?' for everything that could steer a terminal: control characters, those
// beyond ASCII (U+0080 to U+009F) among them, and bytes that are not UTF-8. Line feeds stay.
std::string SafeForTerminal(std::string_view text);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_UTF8_H_
