#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/documents.hpp"

namespace mirab::cli {
namespace {

/// The path below the program: `` for itself, `import google2011`.
std::string below(const CommandOutline& command) {
  const std::size_t blank = command.path.find(' ');
  return blank == std::string::npos ? "" : command.path.substr(blank + 1);
}

/// What to offer for a value: its words, files, or nothing.
std::string offer(const OptionOutline& option) {
  const std::vector<std::string> words = words_for(option);
  if (!words.empty()) return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", fmt::join(words, " "));
  if (option.value == "FILE") return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")";
  return "COMPREPLY=()";
}

std::string known_commands(const std::vector<CommandOutline>& commands) {
  std::string text;
  for (const CommandOutline& command : commands) {
    const std::string path = below(command);
    if (!path.empty()) text += fmt::format("{}'{}'", text.empty() ? "" : "|", path);
  }
  return text;
}

std::string option_values(const std::vector<CommandOutline>& commands) {
  std::string text;
  for (const CommandOutline& command : commands) {
    for (const OptionOutline& option : command.options) {
      if (option.value.empty()) continue;
      std::string patterns;
      for (const std::string& name : option.names) {
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", below(command), name);
      }
      text += fmt::format("    {}) {}; return ;;\n", patterns, offer(option));
    }
  }
  return text;
}

std::string words_of(const std::vector<CommandOutline>& commands) {
  std::string text;
  for (const CommandOutline& command : commands) {
    std::vector<std::string> options;
    for (const OptionOutline& option : command.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
    }
    text += fmt::format("    '{}')\n", below(command));
    text += fmt::format("      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n",
                        fmt::join(options, " "));
    if (!command.subcommands.empty()) {
      text += fmt::format("      else COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n",
                          fmt::join(command.subcommands, " "));
    } else if (!command.arguments.empty()) {
      text += fmt::format("      else {}\n", offer(command.arguments.front()));
    }
    text += "      fi ;;\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<CommandOutline>& commands) {
  return fmt::format(
      R"(# bash completion for mirab
_mirab() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command='' word
  if [[ $cur == '=' ]]; then cur=''; fi
  if [[ $prev == '=' ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "${{command:+$command }}$word" in
      {}) command="${{command:+$command }}$word" ;;
    esac
  done
  case "$command $prev" in
{}  esac
  case "$command" in
{}  esac
}}
complete -F _mirab mirab
)",
      known_commands(commands), option_values(commands), words_of(commands));
}

}  // namespace mirab::cli
