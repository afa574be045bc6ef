#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/documents.hpp"

namespace mirab::cli {
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

}  // namespace mirab::cli
