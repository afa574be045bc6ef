#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/documents.hpp"
#include "report/text_width.hpp"

namespace mirab::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kWidestSpelling = 28;

std::string indented(std::string_view text, std::size_t indent) {
  const std::string margin(indent, ' ');
  return margin + fmt::format("{}\n", fmt::join(report::wrap(text, kWidth - indent), "\n" + margin));
}

/// Spelling and meaning in two columns; a spelling that is too wide has a line of its own.
std::string entry(const std::string& spelling, std::string_view meaning, std::size_t column) {
  std::string text = "  " + spelling;
  bool beside = report::display_width(spelling) + 2 <= column - 2;
  if (!beside) text += '\n';
  for (const std::string& line : report::wrap(meaning, kWidth - column)) {
    text += std::string(beside ? column - report::display_width(text) : column, ' ') + line + '\n';
    beside = false;
  }
  return text;
}

struct Entry {
  std::string spelling;
  std::string meaning;
};

std::string entries(const std::string& heading, const std::vector<Entry>& list) {
  if (list.empty()) return {};
  std::size_t widest = 0;
  for (const Entry& each : list) {
    const std::size_t width = report::display_width(each.spelling);
    if (width <= kWidestSpelling) widest = std::max(widest, width);
  }
  std::string text = "\n" + heading + ":\n";
  for (const Entry& each : list) text += entry(each.spelling, each.meaning, widest + 4);
  return text;
}

std::vector<Entry> option_entries(const std::vector<OptionOutline>& options) {
  std::vector<Entry> list;
  for (const OptionOutline& option : options) {
    const bool only_long = option.names.front().starts_with("--");
    list.push_back({(only_long ? "    " : "") + spelling(option), meaning(option)});
  }
  return list;
}

std::vector<Entry> command_entries(const CommandOutline& command, const std::vector<CommandOutline>& all) {
  std::vector<Entry> list;
  for (const std::string& name : command.subcommands) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const CommandOutline& each) {
      return each.path == command.path + " " + name;
    });
    list.push_back({name, found->summary});
  }
  return list;
}

}  // namespace

std::vector<ExitMeaning> exit_meanings() {
  return {{0, "done"},
          {1, "a search found a broken promise, or anything else, such as a full disk"},
          {2, "bad usage or bad input; the message names file, line and key, and nothing is printed"},
          {3, "an outcome did not converge, or a promise was broken; it is printed and says so"}};
}

std::string help_text(const CommandOutline& command, const std::vector<CommandOutline>& all) {
  std::string text = fmt::format("Usage: {}\n\n{}.\n", usage(command), command.summary);
  for (const std::string& paragraph : command.manual.paragraphs) text += "\n" + indented(paragraph, 0);
  text += entries("Commands", command_entries(command, all));
  std::vector<Entry> arguments;
  for (const OptionOutline& argument : command.arguments) {
    arguments.push_back({argument.names.front(), meaning(argument)});
  }
  text += entries("Arguments", arguments) + entries("Options", option_entries(command.options));

  if (!command.manual.examples.empty()) text += "\nExamples:\n";
  for (const Example& example : command.manual.examples) {
    text += fmt::format("  {}\n{}", example.line, indented(example.meaning, 6));
  }
  std::vector<Entry> statuses;
  for (const ExitMeaning& exit : exit_meanings())
    statuses.push_back({std::to_string(exit.status), exit.meaning});
  text += entries("Exit status", statuses);
  const bool is_program = command.path.find(' ') == std::string::npos;
  text += is_program ? "\n'mirab COMMAND --help' says more about one command; mirab(1) about all.\n"
                     : "\nSee also: mirab(1), 'mirab mechanisms'\n";
  return text;
}

}  // namespace mirab::cli
