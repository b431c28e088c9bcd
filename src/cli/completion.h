// Completion says how a command line may go on. A shell's script hands the words to the program
// itself, so that what it offers is what the program has.
#ifndef AIRLOT_CLI_COMPLETION_H_
#define AIRLOT_CLI_COMPLETION_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace airlot::cli {

// The scripts call `airlot complete WORDS...`, which no help shows.
inline constexpr std::string_view kCompleteCommand = "complete";

struct Completion {
  struct Word {
    std::string text;  // all of the word, with what was typed of it
    std::string description;
  };
  std::vector<Word> words;
  bool has_paths = false;  // The names of files and folders fit, too.
};

// Returns how the last of `words`, which is being typed, may go on; the name of the program is none
// of them.
Completion CompletionOf(CLI::App& app, std::vector<std::string> words);

// Prints that for a shell: a word, a tab and its description in each line, and a last line of
// ":paths" where names of files fit.
int Complete(CLI::App& app, std::vector<std::string> words);

// Returns the script of a shell: "bash", "zsh" or "fish".
std::string_view CompletionScript(std::string_view shell);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_COMPLETION_H_
