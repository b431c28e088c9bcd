// These functions turn numbers and names into text and back, free of the locale.
#ifndef AIRLOT_BASE_TEXT_H_
#define AIRLOT_BASE_TEXT_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace airlot::base {

// Parses the whole of `text` as a number: decimal, with optional sign, fraction and exponent. It
// also takes "inf" and "nan" in any case, so that the caller can reject them by value, but no
// surrounding space. What is too large for a double becomes an infinity, what is too small becomes
// 0.
std::optional<double> ParseNumber(std::string_view text);

// Appends the shortest text that reads back to the same number.
void AppendNumber(std::string& out, double value);
std::string FormatNumber(double value);

// Puts digits in groups of three: "-1234567" becomes "-1,234,567".
std::string Grouped(std::string_view digits);

// Returns what someone who mistyped probably meant: the candidate with the fewest edits to `name`,
// if that is at most a third of its length (at least 2) and leaves something of it. An edit
// inserts, deletes or replaces a character or swaps two neighbours. Among equals the first
// candidate is taken.
std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> candidates);

// Returns the names in one line: "a, b, c".
std::string Joined(std::span<const std::string_view> names);

// Says whether a character could steer a terminal, as the ASCII control characters do.
inline bool IsControl(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

// Returns an address without the user and the password that it may have: "ftp://a:b@host/x" becomes
// "ftp://host/x". Other text stays as it is.
std::string WithoutUserInfo(std::string_view address);

// Puts text from the user into double quotes for an error message: at most 60 characters, '?' for
// whatever could steer a terminal, "..." where it is cut, and an address without user and password.
std::string Quoted(std::string_view text);

// Quotes a text, unless it is plain, so that a POSIX shell takes it for one word.
std::string ShellQuoted(std::string_view text);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_TEXT_H_
