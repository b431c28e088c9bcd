// Numbers and names as text, free of the locale.
#ifndef AIRLOT_BASE_TEXT_H_
#define AIRLOT_BASE_TEXT_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace airlot::base {

// The whole of `text` as a number: decimal, with optional sign, fraction and exponent. Also "inf"
// and "nan" in any case, so that the caller can reject them by value. No surrounding space. What is
// too large for a double becomes an infinity, what is too small becomes 0.
std::optional<double> ParseNumber(std::string_view text);

// Appends the shortest text that reads back to the same number.
void AppendNumber(std::string& out, double value);
std::string FormatNumber(double value);

// Digits in groups of three: "-1234567" as "-1,234,567".
std::string Grouped(std::string_view digits);

// The candidate with the fewest edits to `name`, if that is at most a third of its length (at least
// 2) and leaves something of it: what someone who mistyped probably meant. An edit inserts, deletes
// or replaces a character or swaps two neighbours. Among equals the first candidate.
std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> candidates);

// Whether a character could steer a terminal: the ASCII control characters.
inline bool IsControl(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

// An address without the user and the password that it may have: "ftp://a:b@host/x" as
// "ftp://host/x". Other text as it is.
std::string WithoutUserInfo(std::string_view address);

// Text from the user for an error message, in double quotes: at most 60 characters, control
// characters and bytes that are not ASCII shown as '?', "..." where cut; an address without user
// and password.
std::string Quoted(std::string_view text);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_TEXT_H_
