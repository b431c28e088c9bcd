#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

constexpr const char* kSetOption = "--set";

// CLI11 keeps nothing beside an option that help does not show but for the names of its validators.
// So the words of an option are the name of one: these, each followed by a space.
constexpr std::string_view kAllWords = "all words: ", kSomeWords = "some words: ";

std::string NameOf(std::string_view kind, const std::vector<std::string>& words) {
  std::string name(kind);
  for (const std::string& word : words) name += word + " ";
  return name;
}

}  // namespace

const CLI::Validator kNotEmpty(
    [](const std::string& text) { return std::string(text.empty() ? "must not be empty" : ""); },
    "");

const CLI::Validator kSeed(
    [](const std::string& text) {
      std::uint64_t seed = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
      const bool is_seed = error == std::errc() && end == text.data() + text.size();
      return std::string(is_seed ? "" : "must be a whole number from 0 to 18446744073709551615");
    },
    "");

const CLI::Validator kTrimmed(
    [](std::string& text) {
      CLI::detail::trim(text);
      return std::string();
    },
    "");

CLI::Validator OneOf(std::vector<std::string> words) {
  const std::string name = NameOf(kAllWords, words);
  return CLI::Validator(
      [words = std::move(words)](const std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        const std::vector<std::string_view> names(words.begin(), words.end());
        const auto nearest = base::NearestName(text, names);
        return fmt::format("{}: {}", base::Quoted(text),
                           nearest ? fmt::format("did you mean {}?", *nearest)
                                   : fmt::format("must be one of {}", fmt::join(names, ", ")));
      },
      "", name);
}

CLI::Validator Offers(const std::vector<std::string>& words) {
  return CLI::Validator([](const std::string&) { return std::string(); }, "",
                        NameOf(kSomeWords, words));
}

OfferedWords OfferedBy(CLI::Option& option) {
  try {
    for (int i = 0;; ++i) {
      const std::string name = option.get_validator(i)->get_name();
      for (const std::string_view kind : {kAllWords, kSomeWords}) {
        if (!name.starts_with(kind)) continue;
        std::istringstream words(name.substr(kind.size()));
        return {{std::istream_iterator<std::string>(words), {}}, kind == kAllWords};
      }
    }
  } catch (const CLI::OptionNotFound&) {
    return {};  // There are no more validators.
  }
}

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const BuiltInScenario& scenario : BuiltInScenarios()) names.emplace_back(scenario.name);
  return names;
}

CLI::Validator NumberIn(double low, double high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        const auto value = base::ParseNumber(text);
        const bool is_in = value && *value >= low && *value <= high;
        return is_in ? std::string()
                     : fmt::format("{}: must be a number from {} to {}", base::Quoted(text),
                                   base::FormatNumber(low), base::FormatNumber(high));
      },
      "");
}

CLI::Validator WholeNumberIn(double low, double high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        const auto value = base::ParseNumber(text);
        const bool is_plain = text.find_first_not_of("0123456789") == std::string::npos;
        const bool is_in = is_plain && value && *value >= low && *value <= high;
        return is_in ? std::string()
                     : fmt::format("{}: must be a whole number from {} to {}", base::Quoted(text),
                                   Count(std::size_t(low)), Count(std::size_t(high)));
      },
      "");
}

void AddOverrides(CLI::App& command, std::vector<std::string>& overrides) {
  command.add_option(kSetOption, overrides, "Override a scenario key; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void AddScenario(CLI::App& command, std::string& scenario) {
  command.add_option("SCENARIO", scenario, "A TOML file, or a name (airlot list scenarios)")
      ->check(Offers(ScenarioNames()))
      ->capture_default_str();
}

void AddScenarioOptions(CLI::App& command, ScenarioOptions& options) {
  AddScenario(command, options.scenario);
  AddOverrides(command, options.overrides);
  command.add_option("--seed", options.seed, "Seed of everything that is drawn")
      ->check(kSeed)
      ->capture_default_str();
}

Result<Scenario> LoadScenario(const std::string& name_or_path,
                              std::span<const std::string> overrides) {
  return ReadScenario(name_or_path, overrides, kSetOption);
}

Result<Scenario> LoadScenario(const ScenarioSource& source,
                              std::span<const std::string> overrides) {
  return ParseScenario(source, overrides, kSetOption);
}

Result<Scenario> LoadScenario(const ScenarioOptions& options) {
  if (options.source) return LoadScenario(*options.source, options.overrides);
  return LoadScenario(options.scenario, options.overrides);
}

Result<Scenario> LoadScenarioText(std::string_view text, const std::string& origin,
                                  std::span<const std::string> overrides) {
  return ParseScenario(text, origin, overrides, kSetOption);
}

void AddOutputOptions(CLI::App& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print JSON instead of text");
  command.add_flag("--quiet", options.quiet, "No progress on standard error");
}

void AddExample(CLI::App& command, const std::string& example) {
  command.footer("Example:\n  " + example);
}

int Report(const Error& error) {
  std::string message = error.message;
  std::ranges::replace(message, '\n', '?');  // An error is one line.
  WriteError(message);
  return kBadInput;
}

std::string TextOf(const Json& json, int indent) {
  std::string text;
  // Bytes that are not UTF-8 are replaced: paths and names may have them.
  const std::string dump = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  for (std::size_t i = 0; i < dump.size(); ++i) {
    const auto next = i + 1 < dump.size() ? static_cast<unsigned char>(dump[i + 1]) : 0;
    if (dump[i] == '\x7f') {
      text += "\\u007f";
    } else if (dump[i] == '\xC2' && next >= 0x80 && next < 0xA0) {
      text += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      text += dump[i];
    }
  }
  return text + "\n";
}

Json Finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json OrNull(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

Json LimitsToJson(const Expectations& expectations) {
  Json json;
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    const auto limit = static_cast<Limit>(i);
    json[std::string(LimitName(limit))] = expectations.limited_by(limit);
  }
  return json;
}

}  // namespace airlot::cli
