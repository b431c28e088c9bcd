// These functions work on the text of a scenario file before, beside and after TOML.
#ifndef AIRLOT_SCENARIO_TEXT_H_
#define AIRLOT_SCENARIO_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace airlot::scenario {

// CountCharacters returns how many characters UTF-8 text has, or nothing where it is not valid
// UTF-8.
std::optional<std::size_t> CountCharacters(std::string_view text);

struct TextFault {
  std::size_t line;
  std::string_view reason;
};
// CheckText returns what keeps `text` from being given to toml++. Text must be valid UTF-8, and
// ASCII outside strings and comments, because some other characters there lead toml++ 3.3 into
// undefined behaviour.
std::optional<TextFault> CheckText(std::string_view text);

// A Place is a place in a text as toml++ counts, from 1, with columns in characters.
struct Place {
  std::size_t line;
  std::size_t column;
};
// Excerpt returns the text from `begin` up to `end`. The text must have passed CheckText.
std::string_view Excerpt(std::string_view text, Place begin, Place end);

// KeyValues are the keys of FormatScenario's text with their values, in order, such as
// {"fleet.devices", "100"}.
using KeyValues = std::vector<std::pair<std::string, std::string>>;
KeyValues KeyValuesOf(std::string_view text);

}  // namespace airlot::scenario

#endif  // AIRLOT_SCENARIO_TEXT_H_
