#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <new>
#include <optional>

#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>

#include "cli/completion/outline.hpp"
#include "cli/io/output.hpp"
#include "report/text/width.hpp"

namespace mirab::cli {
namespace {

constexpr std::string_view kEndOfOptions = "--";
/// The argument of a command that runs another: all words after `--`.
constexpr const char* kTrailing = "ARGV";

/// The innermost command that the arguments named.
const CLI::App& innermost(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : innermost(*given.front());
}

/// What the parser could not place: an unknown option first, since it may have shifted everything after it.
std::string unplaced_argument(const std::vector<std::string>& remaining) {
  const auto option = std::find_if(remaining.begin(), remaining.end(), [](const std::string& word) {
    return word.size() > 1 && word.starts_with('-') && word != kEndOfOptions;
  });
  if (option != remaining.end()) return option->substr(0, option->find('='));
  return remaining.empty() ? "" : remaining.front();
}

/// What people type for the name of an importer.
struct OtherName {
  std::string_view typed;
  std::string_view command;
};

constexpr std::array kOtherNames = {
    OtherName{"kubectl", "kubernetes"},      OtherName{"k8s", "kubernetes"}, OtherName{"kube", "kubernetes"},
    OtherName{"scontrol", "slurm"},          OtherName{"squeue", "slurm"},   OtherName{"sacct", "slurm"},
    OtherName{"sacctmgr", "slurm-accounts"}, OtherName{"hadoop", "yarn"},    OtherName{"excel", "csv"},
    OtherName{"google", "google2011"},       OtherName{"alibaba", "openb"}};

std::string known_near(const std::string& word, const CommandOutline& command) {
  for (const OtherName& other : kOtherNames) {
    const auto& known = command.subcommands;
    if (word == other.typed && std::find(known.begin(), known.end(), other.command) != known.end())
      return fmt::format("; did you mean {}?", other.command);
  }
  std::vector<std::string_view> candidates(command.subcommands.begin(), command.subcommands.end());
  if (word.starts_with('-')) {
    candidates.clear();
    for (const OptionOutline& option : command.options) {
      candidates.insert(candidates.end(), option.names.begin(), option.names.end());
    }
  }
  std::string near = nearest_names(word, candidates);
  if (!near.empty() || word.starts_with('-')) return near;
  return fmt::format("; there are {}", fmt::join(command.subcommands, ", "));
}

/// The commands that only a build with the service has.
constexpr std::array<std::string_view, 14> kNetworkCommands = {
    "serve", "kube",    "demo",  "submit",  "cancel", "queues", "groups",
    "jobs",  "servers", "usage", "history", "why",    "whatif", "watch"};

/// The option that is given more often than it may be; empty when there is none. A flag expects no value, and
/// may be given.
std::string repeated_option(const CLI::App& app) {
  const auto options = app.get_options();
  const auto repeated = std::find_if(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->count() > static_cast<std::size_t>(std::max(1, option->get_items_expected_max()));
  });
  return repeated == options.end() ? "" : (*repeated)->get_name();
}

/// `--report needs a value: FILE` for the parser's `--report: 1 required FILE missing`; anything else as it
/// is.
std::string lacking_value(const std::string& message) {
  constexpr std::string_view kRequired = ": 1 required ";
  constexpr std::string_view kMissing = " missing";
  const std::size_t at = message.find(kRequired);
  if (at == std::string::npos || !message.ends_with(kMissing)) return message;
  const std::size_t first = at + kRequired.size();
  const std::string kind = message.substr(first, message.size() - first - kMissing.size());
  if (kind == "FILE") return message.substr(0, at) + " needs the name of a file";
  return fmt::format("{} needs a value: {}", message.substr(0, at), kind);
}

/// Does the message name an option, and what is wrong with its value?
bool names_option(const CLI::ParseError& error) {
  const bool is_of_value = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ValidationError);
  return is_of_value && std::string_view(error.what()).starts_with('-');
}

/// A usage error in words that name what was written, with the nearest right names.
std::string usage_message(const Program& program, const CLI::ParseError& error) {
  const CLI::App& app = innermost(*program.app);
  const CommandOutline command = outline(program, app);
  const std::vector<std::string> remaining = program.app->remaining(true);
  if (const std::string option = repeated_option(app); !option.empty())
    return fmt::format("{}: give it once", option);
  if (names_option(error)) return error.what();
  const bool lacks_command = !command.subcommands.empty() && !remaining.empty();
  // What follows a mistyped command are its arguments and options, which cannot be judged.
  const std::string word = lacks_command ? remaining.front() : unplaced_argument(remaining);
  if (word.starts_with('-')) return fmt::format("there is no option '{}'{}", word, known_near(word, command));
  if (lacks_command &&
      std::find(kNetworkCommands.begin(), kNetworkCommands.end(), word) != kNetworkCommands.end())
    return fmt::format("'{}' needs the network, which this build of mirab does without", word);
  if (!word.empty() && !command.subcommands.empty()) {
    return fmt::format("there is no command '{}' of {}{}", word, command.path, known_near(word, command));
  }
  if (command.needs_subcommand)
    return fmt::format("a command is missing; there are {}", fmt::join(command.subcommands, ", "));
  if (!word.empty()) return fmt::format("there is one argument too many: '{}'", word);
  return lacking_value(error.what());
}

Exit show(const std::string& text) {
  if (const Check failure = write_text(kStandardOutput, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

/// What a shell leaves alone.
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";

/// The command as one could type it again.
std::string command_line(std::span<const char* const> arguments) {
  std::string line = "mirab";
  for (const std::string_view word : arguments.subspan(1)) {
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos;
    if (plain) {
      line += fmt::format(" {}", word);
      continue;
    }
    line += " '";
    for (const char byte : word) line += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
    line += "'";
  }
  return line;
}

/// `help`, `help COMMAND`, `version` and `-v` are other ways to say --help, COMMAND --help and --version.
std::vector<const char*> as_options(std::span<const char* const> arguments) {
  std::vector<const char*> words(arguments.begin(), arguments.end());
  const std::string_view first = words.size() > 1 ? words[1] : "";
  if ((first == "version" || first == "-v") && words.size() == 2) words[1] = "--version";
  if (first != "help") return words;
  words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

/// What follows `--` of a command that runs it.
struct Trailing {
  CLI::Option* option;
  std::vector<std::string> words;
};

/// Takes it off the arguments: the options in it are none of Mirab's.
std::optional<Trailing> take_trailing(const Program& program, std::vector<const char*>& arguments) {
  const auto command =
      std::find_if(program.commands.begin(), program.commands.end(), [&](const Command& each) {
        return each.app->get_parent() == program.app.get() && each.app->check_name(arguments[1]);
      });
  if (command == program.commands.end()) return {};
  CLI::Option* const option = command->app->get_option_no_throw(kTrailing);
  const auto end = std::find(arguments.begin(), arguments.end(), kEndOfOptions);
  if (option == nullptr || end == arguments.end()) return {};
  Trailing trailing{.option = option, .words = {end + 1, arguments.end()}};
  arguments.erase(end, arguments.end());
  return trailing;
}

/// Parses the arguments and does what they ask for.
Exit run_command(std::span<const char* const> given) {
  const Program program = make_program();
  std::vector<const char*> arguments = as_options(given);
  if (arguments.size() < 2) {
    const Exit exit = report_error({.message = "a command is missing"});
    fmt::print(stderr, "\n{}", help_text(outline(program, *program.app), outline(program)));
    return exit;
  }
  const std::optional<Trailing> trailing = take_trailing(program, arguments);
  try {
    program.app->parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::CallForHelp& asked) {
    const CommandOutline command = outline(program, innermost(*program.app));
    if (!command.subcommands.empty() && !program.app->remaining(true).empty())
      return report_error({.message = usage_message(program, asked)});
    return show(help_text(outline(program, innermost(*program.app)), outline(program)));
  } catch (const CLI::CallForVersion&) {
    return show(program.app->version() + "\n");
  } catch (const CLI::ParseError& error) {
    const Exit exit = report_error({.message = usage_message(program, error)});
    fmt::print(stderr, "Try '{} --help'.\n", outline(program, innermost(*program.app)).path);
    return exit;
  }
  if (trailing) {
    if (trailing->option->count() > 0)
      return report_error({.message = fmt::format("there is one argument too many before --: '{}'",
                                                  trailing->option->results().front())});
    if (!trailing->words.empty()) trailing->option->add_result(trailing->words)->run_callback();
  }
  const CLI::App* asked = &innermost(*program.app);
  const auto command = std::find_if(program.commands.begin(), program.commands.end(),
                                    [&](const Command& each) { return each.app == asked; });
  MIRAB_ASSERT(command != program.commands.end(), "a command behind every name that parses");
  return command->run(command_line(arguments));
}

}  // namespace

Exit report_error(const Error& error, Exit exit) {
  fmt::print(stderr, "mirab: {}\n", report::printable(describe(error)));
  return exit;
}

void report_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "mirab: note: {}\n", report::printable(note));
}

Program make_program() {
  Program program;
  program.app = std::make_shared<CLI::App>("Fair sharing of a cluster's resources among its users", "mirab");
  CLI::App& app = *program.app;
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("-V,--version", "mirab " MIRAB_VERSION, "Print the version");
  app.require_subcommand(1);
  program.manual.paragraphs = {
      "Reads the capacities of a cluster and the demands of its users, and divides it under rules of "
      "fair sharing: Dominant Resource Fairness and related mechanisms."};
  program.manual.examples = {
      {"mirab allocate examples/textbook.yaml -m drf -m asset -m pf", "Three ways to share, side by side"}};

  program.commands = {add_allocate(app),  add_fill(app),     add_audit(app),   add_explain(app),
                      add_diff(app),      add_plan(app),     add_limits(app),  add_mechanisms(app),
                      add_reproduce(app), add_simulate(app), add_validate(app)};
  std::vector<std::vector<Command>> families;
  families.push_back(add_import(app));
#ifdef MIRAB_HAS_SERVICE
  families.push_back(add_serve(app));
  families.push_back(add_kube(app));
  families.push_back({add_demo(app), add_submit(app), add_cancel(app), add_queues(app), add_groups(app),
                      add_jobs(app), add_servers(app), add_usage(app), add_history(app), add_why(app),
                      add_whatif(app), add_watch(app)});
#else
  program.manual.paragraphs.push_back(fmt::format("This build has no commands that need the network: {}.",
                                                  fmt::join(kNetworkCommands, ", ")));
#endif
  families.push_back(add_generate(app));
  for (auto& more : families) {
    std::move(more.begin(), more.end(), std::back_inserter(program.commands));
  }
  return program;
}

Exit run(std::span<const char* const> arguments) {
  try {
    return run_command(arguments);
  } catch (const std::bad_alloc&) {
    return report_error({.message = "not enough memory"}, Exit::failed);
  }
}

}  // namespace mirab::cli
