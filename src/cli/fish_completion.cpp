#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/documents.hpp"

namespace mirab::cli {
namespace {

std::string quoted(std::string_view text) {
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
  if (!words.empty()) return fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(words, " "))));
  return option.value == "FILE" ? " -r -F" : " -x";
}

}  // namespace

std::string fish_completion(const std::vector<CommandOutline>& commands) {
  std::string text = "# fish completion for mirab\ncomplete -c mirab -f\n";
  for (const CommandOutline& command : commands) {
    const std::string when = quoted(condition(command));
    for (const CommandOutline& child : commands) {
      if (!child.path.starts_with(command.path + " ")) continue;
      const std::string name = child.path.substr(command.path.size() + 1);
      if (name.find(' ') != std::string::npos) continue;
      text += fmt::format("complete -c mirab -n {} -a {} -d {}\n", when, name, quoted(child.summary));
    }
    for (const OptionOutline& option : command.options) {
      text += fmt::format("complete -c mirab -n {}", when);
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += fmt::format("{} -d {}\n", option.value.empty() ? "" : value(option), quoted(option.meaning));
    }
    for (const OptionOutline& argument : command.arguments) {
      text += fmt::format("complete -c mirab -n {}{}\n", when,
                          argument.value == "FILE" ? " -F" : value(argument));
    }
  }
  return text;
}

}  // namespace mirab::cli
