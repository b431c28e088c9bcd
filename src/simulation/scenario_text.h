// The text of a scenario file, before and beside TOML.
#ifndef AIRLOT_SIMULATION_SCENARIO_TEXT_H_
#define AIRLOT_SIMULATION_SCENARIO_TEXT_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace airlot::simulation {
// How many characters UTF-8 text has; nullopt where it is not valid UTF-8.
std::optional<std::size_t> CountCharacters(std::string_view text);

struct TextFault {
  std::size_t line;
  std::string_view reason;
};
// What keeps `text` from being given to toml++: it must be valid UTF-8, and ASCII outside strings
// and comments, because some other characters there lead toml++ 3.3 into undefined behaviour.
std::optional<TextFault> CheckText(std::string_view text);

// A place in a text as toml++ counts: from 1, columns in characters.
struct Place {
  std::size_t line;
  std::size_t column;
};
// The text from `begin` up to `end`. Only for text that passed CheckText.
std::string_view Excerpt(std::string_view text, Place begin, Place end);

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_SCENARIO_TEXT_H_
