#include "cli/completion/outline.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include <mirab/audit/properties.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>

#include "cli/options.hpp"
#include "lab/experiments/experiment.hpp"

namespace mirab::cli {
namespace {

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

bool hidden(const CLI::App& app) { return app.get_group().empty(); }

OptionOutline outline(const CLI::Option& option) {
  OptionOutline result{.names = {},
                       .value = option.get_items_expected_max() == 0 ? "" : option.get_type_name(),
                       .meaning = option.get_description(),
                       .preset = option.get_default_str(),
                       .required = option.get_required(),
                       .repeatable = option.get_items_expected_max() > 1};
  if (option.get_positional()) {
    result.names = {option.get_name(true)};
    return result;
  }
  if (const std::string group = option.get_group(); group.starts_with(kOptionsOf)) result.group = group;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  return result;
}

void collect(const Program& program, const CLI::App& app, std::vector<CommandOutline>& all) {
  all.push_back(outline(program, app));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* each) { return !hidden(*each); })) {
    collect(program, *command, all);
  }
}

template <class Rows>
std::vector<std::string> names(const Rows& rows) {
  std::vector<std::string> result;
  for (const auto& row : rows) result.emplace_back(row.name);
  return result;
}

std::vector<std::string> mechanism_names() {
  std::vector<std::string> result;
  for (const Mechanism& row : mechanisms()) {
    result.emplace_back(row.name);
    result.insert(result.end(), row.aliases.begin(), row.aliases.end());
  }
  return result;
}

std::vector<std::string> property_words() {
  std::vector<std::string> result;
  for (const Property property : properties()) result.emplace_back(property_name(property));
  return result;
}

std::vector<std::string> filling_names() {
  std::vector<std::string> result = names(disciplines());
  for (const DisciplineInfo& discipline : disciplines()) {
    for (const PlacementInfo& placement : placements()) {
      result.push_back(fmt::format("{}/{}", discipline.name, placement.name));
    }
  }
  return result;
}

std::vector<std::string> all_names() {
  std::vector<std::string> result = mechanism_names();
  for (const auto& more : {names(disciplines()), names(placements())}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<std::string> experiment_ids() {
  std::vector<std::string> result;
  for (const experiments::Experiment& experiment : experiments::experiments())
    result.emplace_back(experiment.id);
  return result;
}

std::vector<std::string> alternatives(const std::string& value) {
  std::vector<std::string> words;
  std::size_t start = 0;
  for (std::size_t bar = value.find('|'); bar != std::string::npos; bar = value.find('|', start)) {
    words.push_back(value.substr(start, bar - start));
    start = bar + 1;
  }
  words.push_back(value.substr(start));
  return words;
}

}  // namespace

CommandOutline outline(const Program& program, const CLI::App& app) {
  CommandOutline result{.path = path_of(app),
                        .summary = app.get_description(),
                        .arguments = {},
                        .options = {},
                        .subcommands = {},
                        .needs_subcommand = app.get_require_subcommand_min() > 0,
                        .manual = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional() && option->get_positional()) {
      result.arguments.push_back(outline(*option));
    } else {
      result.options.push_back(outline(*option));
    }
  }
  std::rotate(result.options.begin(), result.options.begin() + 1, result.options.end());  // --help comes last
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* each) { return !hidden(*each); })) {
    result.subcommands.push_back(command->get_name());
  }
  if (&app == program.app.get()) result.manual = program.manual;
  for (const Command& command : program.commands) {
    if (command.app == &app) result.manual = command.manual;
  }
  return result;
}

std::vector<CommandOutline> outline(const Program& program) {
  std::vector<CommandOutline> all;
  collect(program, *program.app, all);
  return all;
}

std::string spelling(const OptionOutline& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  return option.value.empty() || !text.starts_with('-') ? text : text + " " + option.value;
}

std::string usage(const CommandOutline& command) {
  std::string text = command.path;
  for (const OptionOutline& option : command.options) {
    if (option.required)
      text += fmt::format(" {} {}{}", option.names.back(), option.value, option.repeatable ? "..." : "");
  }
  if (!command.subcommands.empty()) text += command.needs_subcommand ? " COMMAND" : " [COMMAND]";
  if (!command.needs_subcommand) text += " [OPTION]...";
  for (const OptionOutline& argument : command.arguments) {
    const std::string name = argument.names.front() + (argument.repeatable ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string meaning(const OptionOutline& option) {
  return option.preset.empty() ? option.meaning
                               : fmt::format("{} (default {})", option.meaning, option.preset);
}

std::vector<std::string> words_for(const OptionOutline& option) {
  if (option.value == "MECHANISM") return mechanism_names();
  if (option.value == "DISCIPLINE") return names(disciplines());
  if (option.value == "PLACEMENT") return names(placements());
  if (option.value == "FILLING") return filling_names();
  if (option.value == "PROPERTY") return property_words();
  if (option.value == "NAME") return all_names();
  if (option.value == "EXPERIMENT") return experiment_ids();
  if (option.value.find('|') != std::string::npos) return alternatives(option.value);
  return {};
}

}  // namespace mirab::cli
