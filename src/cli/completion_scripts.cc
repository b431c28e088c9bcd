// `airlot completion` prints the script that teaches a shell to complete the words of airlot.
#include <memory>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// bash takes '=' and ':' for ends of words, so the words are taken from the line, and what stands
// before the last of these is cut off again.
constexpr std::string_view kBash =
    R"script(# bash completion for airlot; "airlot completion bash" prints it.
_airlot() {
  local line=${COMP_LINE:0:COMP_POINT} IFS=$' \t\n' words typed before found
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  typed=${words[${#words[@]} - 1]}
  before=${typed%"${typed##*[=:]}"}
  [[ $COMP_WORDBREAKS == *=* ]] || before=
  COMPREPLY=()
  while IFS=$'\t' read -r found _; do
    if [[ $found == :paths ]]; then
      compopt -o filenames 2>/dev/null
      local path
      while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "${typed##*=}")
    elif [[ -n $found ]]; then
      COMPREPLY+=("${found#"$before"}")
    fi
  done < <("$1" complete "${words[@]:1}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _airlot airlot
)script";

constexpr std::string_view kZsh = R"script(#compdef airlot
# zsh completion for airlot; "airlot completion zsh" prints it.
_airlot() {
  local line has_paths=
  local -a texts shown begun begun_shown
  for line in "${(@f)$("$words[1]" complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    local text=${line%%$'\t'*} description=${line#*$'\t'}
    if [[ $text == :paths ]]; then
      has_paths=1
    elif [[ $text == *= ]]; then
      begun+=("$text") begun_shown+=("$text  $description")
    elif [[ -n $text ]]; then
      texts+=("$text") shown+=("$text${description:+  $description}")
    fi
  done
  compadd -l -d shown -a texts
  compadd -l -S '' -d begun_shown -a begun
  if [[ -n $has_paths ]]; then
    compset -P '*='
    _files
  fi
}
if [[ $funcstack[1] == _airlot ]]; then _airlot "$@"; else compdef _airlot airlot; fi
)script";

constexpr std::string_view kFish =
    R"script(# fish completion for airlot; "airlot completion fish" prints it.
function __airlot_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    for line in ($words[1] complete $words[2..-1] "$typed" 2>/dev/null)
        if test "$line" = ":paths"
            __fish_complete_path "$typed"
        else
            echo $line
        end
    end
end
complete -c airlot -f -a '(__airlot_complete)'
)script";

}  // namespace

std::string_view CompletionScript(std::string_view shell) {
  return shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish;
}

void AddCompletion(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command =
      *app.add_subcommand("completion", "Print a script that completes words in your shell");
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(OneOf({"bash", "zsh", "fish"}));
  AddExample(command, "airlot completion bash");
  command.callback([shell, &exit_code] {
    PrintFile(CompletionScript(*shell));
    exit_code = kDone;
  });
}

}  // namespace airlot::cli
