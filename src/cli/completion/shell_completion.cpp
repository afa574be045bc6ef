// Completions for bash, zsh and fish.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion/outline.hpp"

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

namespace {

/// Text inside '…' within the brackets of an _arguments specification.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    if (byte == '\'') {
      result += "'\\''";
      continue;
    }
    if (byte == '[' || byte == ']' || byte == ':' || byte == '\\') result += '\\';
    result += byte;
  }
  return result;
}

/// `:what:action` for a value.
std::string action(const OptionOutline& option) {
  const std::vector<std::string> words = words_for(option);
  if (!words.empty()) return fmt::format(":value:({})", fmt::join(words, " "));
  if (option.value == "FILE") return ":file:_files";
  return fmt::format(":{}: ", escaped(option.value));
}

std::string specification(const OptionOutline& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += fmt::format(" \\\n        '{}{}[{}]{}'", option.repeatable ? "*" : "", name,
                        escaped(option.meaning), option.value.empty() ? "" : action(option));
  }
  return text;
}

std::string function_name(std::string path) {
  std::replace(path.begin(), path.end(), ' ', '_');
  return "_" + path;
}

/// Offers the subcommands, and then asks the function of the one that was given.
std::string branch(const CommandOutline& command, const std::vector<CommandOutline>& all) {
  std::string text = fmt::format("{}() {{\n  local curcontext=\"$curcontext\" state line\n  _arguments -C",
                                 function_name(command.path));
  for (const OptionOutline& option : command.options) text += specification(option);
  text += R"( \
        '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands=(
)";
  for (const CommandOutline& each : all) {
    const bool child =
        std::find_if(command.subcommands.begin(), command.subcommands.end(), [&](const auto& name) {
          return each.path == command.path + " " + name;
        }) != command.subcommands.end();
    if (!child) continue;
    text +=
        fmt::format("        '{}:{}'\n", each.path.substr(command.path.size() + 1), escaped(each.summary));
  }
  text += "      )\n      _describe command commands ;;\n    rest)\n      case $words[1] in\n";
  for (const std::string& name : command.subcommands) {
    text += fmt::format("        {}) {} ;;\n", name, function_name(command.path + " " + name));
  }
  return text + "      esac ;;\n  esac\n}\n\n";
}

std::string leaf(const CommandOutline& command) {
  std::string text = fmt::format("{}() {{\n  _arguments", function_name(command.path));
  for (const OptionOutline& option : command.options) text += specification(option);
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const OptionOutline& argument = command.arguments[i];
    const std::string place = argument.repeatable ? "*" : std::to_string(i + 1);
    text += fmt::format(" \\\n        '{}{}'", place, action(argument));
  }
  return text + "\n}\n\n";
}

}  // namespace

std::string zsh_completion(const std::vector<CommandOutline>& commands) {
  std::string text = "#compdef mirab\n\n";
  for (const CommandOutline& command : commands) {
    text += command.subcommands.empty() ? leaf(command) : branch(command, commands);
  }
  return text + R"(if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _mirab "$@"
else
  compdef _mirab mirab
fi
)";
}

namespace {

std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char byte : text) {
    if (byte == '\'' || byte == '\\') result += '\\';
    result += byte;
  }
  return result + "'";
}

/// When the command line so far names this command.
std::string condition(const CommandOutline& command) {
  const std::size_t blank = command.path.find(' ');
  if (blank == std::string::npos) return "__fish_use_subcommand";
  std::string names = command.path.substr(blank + 1);
  std::string text;
  for (std::size_t start = 0; start < names.size();) {
    const std::size_t end = std::min(names.find(' ', start), names.size());
    text += fmt::format("{}__fish_seen_subcommand_from {}", text.empty() ? "" : "; and ",
                        names.substr(start, end - start));
    start = end + 1;
  }
  return text;
}

std::string value(const OptionOutline& option) {
  const std::vector<std::string> words = words_for(option);
  if (!words.empty()) return fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(words, " "))));
  return option.value == "FILE" ? " -r -F" : " -x";
}

}  // namespace

std::string fish_completion(const std::vector<CommandOutline>& commands) {
  std::string text = "# fish completion for mirab\ncomplete -c mirab -f\n";
  for (const CommandOutline& command : commands) {
    const std::string when = fish_quoted(condition(command));
    for (const CommandOutline& child : commands) {
      if (!child.path.starts_with(command.path + " ")) continue;
      const std::string name = child.path.substr(command.path.size() + 1);
      if (name.find(' ') != std::string::npos) continue;
      text += fmt::format("complete -c mirab -n {} -a {} -d {}\n", when, name, fish_quoted(child.summary));
    }
    for (const OptionOutline& option : command.options) {
      text += fmt::format("complete -c mirab -n {}", when);
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text +=
          fmt::format("{} -d {}\n", option.value.empty() ? "" : value(option), fish_quoted(option.meaning));
    }
    for (const OptionOutline& argument : command.arguments) {
      text += fmt::format("complete -c mirab -n {}{}\n", when,
                          argument.value == "FILE" ? " -F" : value(argument));
    }
  }
  return text;
}

}  // namespace mirab::cli
