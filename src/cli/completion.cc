#include "cli/completion.h"

#include <algorithm>
#include <utility>

#include "airlot/scenario.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// A Place is where a command line has come to before its last word.
struct Place {
  CLI::App* command;
  CLI::Option* awaits_value = nullptr;  // the option whose value comes next
  std::size_t positionals = 0;          // how many have been given to the command
  bool has_options = true;              // "--" ends them.
  std::vector<CLI::Option*> used = {};
};

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// An option that collects values may be given again.
bool IsRepeatable(const CLI::Option& option) { return option.get_expected_max() > 1; }

CLI::Option* FindOption(CLI::App& command, const std::string& name) {
  for (CLI::Option* option : command.get_options()) {
    if (!option->get_positional() && option->check_name(name)) return option;
  }
  return nullptr;
}

CLI::App* FindCommand(CLI::App& command, const std::string& name) {
  for (CLI::App* one : command.get_subcommands({})) {
    if (one->get_name() == name) return one;
  }
  return nullptr;
}

// The last positional may take all that follow, as the scenarios of `compare` do.
CLI::Option* NextPositional(const Place& place) {
  std::size_t number = 0;
  CLI::Option* last = nullptr;
  for (CLI::Option* option : place.command->get_options()) {
    if (!option->get_positional()) continue;
    last = option;
    if (number++ == place.positionals) return option;
  }
  return last != nullptr && IsRepeatable(*last) ? last : nullptr;
}

void Follow(const std::string& word, Place& place) {
  if (place.awaits_value != nullptr) {
    place.awaits_value = nullptr;
  } else if (word == "--" && place.has_options) {
    place.has_options = false;
  } else if (word.starts_with('-') && word.size() > 1 && place.has_options) {
    const std::size_t equals = word.find('=');
    CLI::Option* option = FindOption(*place.command, word.substr(0, equals));
    if (option == nullptr) return;
    place.used.push_back(option);
    if (TakesValue(*option) && equals == std::string::npos) place.awaits_value = option;
  } else if (CLI::App* command = FindCommand(*place.command, word);
             command != nullptr && place.positionals == 0) {
    place = {.command = command};
  } else {
    ++place.positionals;
  }
}

void Offer(const std::string& text, const std::string& description, const std::string& typed,
           Completion& completion) {
  if (text.starts_with(typed)) completion.words.push_back({text, description});
}

// Offers KEY= and, behind it, the words that the key takes.
void OfferKeys(const std::string& before, const std::string& typed, Completion& completion) {
  for (const ScenarioKey& key : ScenarioKeys()) {
    const std::string begin = before + std::string(key.name) + "=";
    if (!typed.starts_with(begin)) {
      Offer(begin, std::string(key.summary), typed, completion);
      continue;
    }
    for (const std::string& word : key.words) Offer(begin + word, "", typed, completion);
    if (key.takes_path) completion.has_paths = true;
  }
}

bool IsPath(CLI::Option& option, const OfferedWords& offered) {
  const std::string type = option.get_type_name();
  if (type == "FILE" || type == "FOLDER" || type == "SOURCE") return true;
  return option.get_positional() && !offered.are_all && type == "TEXT";
}

// Offers values of an option; `before` is what of the word stands in front of the value: "--set=".
void OfferValues(CLI::Option& option, std::string before, const std::string& typed,
                 Completion& completion) {
  if (option.get_type_name().starts_with("KEY=")) return OfferKeys(before, typed, completion);
  const OfferedWords offered = OfferedBy(option);
  completion.has_paths = IsPath(option, offered);
  // The values of a list stand in one word.
  const std::size_t comma = typed.rfind(',');
  const bool is_list = option.get_delimiter() == ',' && comma != std::string::npos;
  if (is_list) before = typed.substr(0, comma + 1);
  for (const std::string& word : offered.words) Offer(before + word, "", typed, completion);
}

void OfferOptions(const Place& place, const std::string& typed, Completion& completion) {
  for (CLI::Option* option : place.command->get_options()) {
    const bool is_used = std::ranges::find(place.used, option) != place.used.end();
    if (option->get_positional() || (is_used && !IsRepeatable(*option))) continue;
    for (const std::string& name : option->get_lnames()) {
      Offer("--" + name, option->get_description(), typed, completion);
    }
  }
}

}  // namespace

Completion CompletionOf(CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  const std::string typed = std::move(words.back());
  words.pop_back();
  const bool asks_help = !words.empty() && words.front() == "help";
  if (asks_help) words.erase(words.begin());
  Place place{.command = &app};
  for (const std::string& word : words) Follow(word, place);

  Completion completion;
  const std::size_t equals = typed.find('=');
  if (place.awaits_value != nullptr) {
    OfferValues(*place.awaits_value, "", typed, completion);
  } else if (typed.starts_with("--") && equals != std::string::npos && place.has_options) {
    CLI::Option* option = FindOption(*place.command, typed.substr(0, equals));
    if (option != nullptr) OfferValues(*option, typed.substr(0, equals + 1), typed, completion);
  } else if (typed.starts_with('-') && place.has_options) {
    OfferOptions(place, typed, completion);
  } else {
    if (place.positionals == 0) {
      for (CLI::App* command : place.command->get_subcommands({})) {
        Offer(command->get_name(), command->get_description(), typed, completion);
      }
    }
    CLI::Option* positional = asks_help ? nullptr : NextPositional(place);
    if (positional != nullptr) OfferValues(*positional, "", typed, completion);
  }
  return completion;
}

int Complete(CLI::App& app, std::vector<std::string> words) {
  const Completion completion = CompletionOf(app, std::move(words));
  std::string text;
  for (const Completion::Word& word : completion.words) {
    std::string description = word.description;
    std::ranges::replace(description, '\n', ' ');
    text += word.text + "\t" + description + "\n";
  }
  if (completion.has_paths) text += ":paths\n";
  PrintFile(text);
  return kDone;
}

}  // namespace airlot::cli
