// Help, and the hidden command `generate` that prints the manual pages and completions.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "cli/completion/outline.hpp"
#include "cli/io/output.hpp"
#include "cli/program.hpp"
#include "report/text/width.hpp"
#ifdef MIRAB_HAS_SERVICE
#include "api/routes.hpp"
#endif

namespace mirab::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kWidestSpelling = 28;
constexpr const char* kBadInput =
    "bad usage or bad input; the message names file, line and key, and nothing is printed";

std::string indented(std::string_view text, std::size_t indent) {
  const std::string margin(indent, ' ');
  return margin + fmt::format("{}\n", fmt::join(report::wrap(text, kWidth - indent), "\n" + margin));
}

/// Alternatives that are wider than a line go on in the next, after a bar.
std::string broken_spelling(std::string spelling) {
  constexpr std::size_t kIndent = 10;
  std::string text;
  std::size_t room = kWidth - 2;
  while (report::display_width(spelling) > room) {
    const std::size_t bar = spelling.rfind('|', room - 1);
    if (bar == std::string::npos) break;
    text += spelling.substr(0, bar + 1) + "\n" + std::string(kIndent, ' ');
    spelling.erase(0, bar + 1);
    room = kWidth - kIndent;
  }
  return text + spelling;
}

/// Spelling and meaning in two columns; a spelling that is too wide has a line of its own.
std::string entry(const std::string& spelling, std::string_view meaning, std::size_t column) {
  std::string text = "  " + broken_spelling(spelling);
  bool same_line = report::display_width(spelling) + 2 <= column - 2;
  if (!same_line) text += '\n';
  for (const std::string& line : report::wrap(meaning, kWidth - column)) {
    text += std::string(same_line ? column - report::display_width(text) : column, ' ') + line + '\n';
    same_line = false;
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

std::vector<Entry> option_entries(const std::vector<OptionOutline>& options, const std::string& group = {}) {
  std::vector<Entry> list;
  for (const OptionOutline& option : options) {
    if (option.group != group) continue;
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
          {1, "a search found a broken promise, or something else failed, such as a full disk"},
          {2, kBadInput},
          {3, "an outcome did not converge, or broke a promise; it is printed, and marked"}};
}

std::vector<ExitMeaning> exit_meanings(const Manual& manual) {
  std::map<int, std::string> meanings = {
      {0, "done"}, {1, "something failed, such as a full disk"}, {2, kBadInput}};
  for (const ExitMeaning& exit : manual.exits) meanings[exit.status] = exit.meaning;
  std::vector<ExitMeaning> list;
  for (const auto& [status, meaning] : meanings) list.push_back({status, meaning});
  return list;
}

std::vector<std::string> groups_of(const CommandOutline& command) {
  std::vector<std::string> groups;
  for (const OptionOutline& option : command.options) {
    const bool is_new = std::find(groups.begin(), groups.end(), option.group) == groups.end();
    if (!option.group.empty() && is_new) groups.push_back(option.group);
  }
  return groups;
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
  for (const std::string& group : groups_of(command))
    text += entries(group, option_entries(command.options, group));

  if (!command.manual.examples.empty()) text += "\nExamples:\n";
  for (const Example& example : command.manual.examples) {
    text += fmt::format("  {}\n{}", example.line, indented(example.meaning, 6));
  }
  std::vector<Entry> statuses;
  const bool is_program = command.path.find(' ') == std::string::npos;
  for (const ExitMeaning& exit : is_program ? exit_meanings() : exit_meanings(command.manual))
    statuses.push_back({std::to_string(exit.status), exit.meaning});
  text += entries("Exit status", statuses);
  if (is_program)
    return text +
           "\n'mirab COMMAND --help' describes one command, as does its manual page, such as "
           "mirab-allocate(1).\n";
  const bool lists_mechanisms = command.path == "mirab mechanisms";
  std::string page = command.path;
  std::replace(page.begin(), page.end(), ' ', '-');
  return text + fmt::format("\nSee also: {}the manual page {}(1) of the package\n",
                            lists_mechanisms ? "" : "'mirab mechanisms', ", page);
}

namespace {

Command add_document(CLI::App& generate, const std::string& name, const std::string& summary,
                     std::function<std::string()> document) {
  CLI::App* command = generate.add_subcommand(name, summary);
  return {command, {}, [document = std::move(document)](const std::string&) {
            if (const Check failure = write_text(kStandardOutput, document()))
              return report_error(*failure, Exit::failed);
            return Exit::done;
          }};
}

/// Prints the page of the program, or writes all pages to a folder.
Command add_manual(CLI::App& generate) {
  CLI::App* command = generate.add_subcommand("man", "The manual pages");
  auto folder = std::make_shared<std::string>();
  auto documents = std::make_shared<std::string>("/usr/share/doc/mirab");
  command->add_option("FOLDER", *folder, "Write all pages there, instead of printing that of the program");
  command->add_option("DOCUMENTS", *documents, "The folder where the documents are installed");
  return {command, {}, [=](const std::string&) {
            const std::vector<ManualPage> pages = manual_pages(outline(make_program()), *documents);
            std::vector<Text> texts;
            for (const ManualPage& page : pages) texts.push_back({*folder + "/" + page.file, page.text});
            if (folder->empty()) texts = {{kStandardOutput, pages.front().text}};
            if (const Check failure = write_texts(texts)) return report_error(*failure, Exit::failed);
            return Exit::done;
          }};
}

}  // namespace

std::vector<Command> add_generate(CLI::App& app) {
  CLI::App* generate = app.add_subcommand("generate", "Print what is made from the command line");
  generate->require_subcommand(1);
  const auto commands = [] { return outline(make_program()); };
  std::vector<Command> documents{
      add_manual(*generate),
      add_document(*generate, "bash", "Completion for bash", [=] { return bash_completion(commands()); }),
      add_document(*generate, "zsh", "Completion for zsh", [=] { return zsh_completion(commands()); }),
      add_document(*generate, "fish", "Completion for fish", [=] { return fish_completion(commands()); }),
#ifdef MIRAB_HAS_SERVICE
      add_document(*generate, "api", "The reference of the service's API",
                   [] { return api::api_markdown(); }),
      add_document(*generate, "api-words", "A dictionary for fuzzing the service",
                   [] { return api::fuzz_dictionary(); }),
#endif
  };
  generate->group("");  // hidden, for those who build and package; last, since subcommands inherit it
  return documents;
}

}  // namespace mirab::cli
