// The manual pages: mirab(1), a page for each command, and mirab-cluster(5), in the man(7) macros, which
// groff and mandoc read. Commands come from the command line, the keys of the cluster file from its schema.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/completion/outline.hpp"
#include "report/text/width.hpp"

namespace mirab::embedded {
extern const unsigned char cluster_schema[];
extern const std::size_t cluster_schema_size;
}  // namespace mirab::embedded

namespace mirab::cli {
namespace {

constexpr std::size_t kSourceWidth = 72;  // of lines of roff, which are wrapped again when they are shown
constexpr std::size_t kWidestAlternatives = 24;  // longer lists of values stand in the text
constexpr std::size_t kExampleWidth = 68;

/// The document about a command, below the folder of documents.
struct Document {
  std::string_view command;
  std::string_view file;
};

constexpr std::array kDocuments = {
    Document{"mirab", "docs/README.md"},
    Document{"mirab allocate", "docs/tutorials/first-allocation.md"},
    Document{"mirab allocate", "docs/reference/output.md"},
    Document{"mirab fill", "docs/how-to/choose-a-mechanism.md"},
    Document{"mirab audit", "docs/how-to/audit.md"},
    Document{"mirab audit", "docs/explanation/fairness.md"},
    Document{"mirab explain", "docs/how-to/explain.md"},
    Document{"mirab diff", "docs/how-to/explain.md"},
    Document{"mirab plan", "docs/how-to/plan-a-purchase.md"},
    Document{"mirab limits", "docs/how-to/limits.md"},
    Document{"mirab mechanisms", "docs/how-to/choose-a-mechanism.md"},
    Document{"mirab mechanisms", "docs/reference/mechanisms.md"},
    Document{"mirab reproduce", "docs/how-to/reproduce.md"},
    Document{"mirab simulate", "docs/reference/simulate.md"},
    Document{"mirab submit", "docs/how-to/use-a-service.md"},
    Document{"mirab cancel", "docs/how-to/use-a-service.md"},
    Document{"mirab queues", "docs/how-to/use-a-service.md"},
    Document{"mirab groups", "docs/how-to/use-a-service.md"},
    Document{"mirab jobs", "docs/how-to/use-a-service.md"},
    Document{"mirab servers", "docs/how-to/use-a-service.md"},
    Document{"mirab usage", "docs/how-to/use-a-service.md"},
    Document{"mirab history", "docs/how-to/use-a-service.md"},
    Document{"mirab why", "docs/how-to/use-a-service.md"},
    Document{"mirab whatif", "docs/how-to/use-a-service.md"},
    Document{"mirab watch", "docs/how-to/use-a-service.md"},
    Document{"mirab demo", "docs/how-to/demo.md"},
    Document{"mirab serve", "docs/tutorials/service.md"},
    Document{"mirab serve", "docs/reference/api.md"},
    Document{"mirab import kubernetes", "docs/how-to/import-kubernetes.md"},
    Document{"mirab import slurm", "docs/how-to/import-slurm.md"},
    Document{"mirab import csv", "docs/how-to/import-csv.md"},
    Document{"mirab import jobs", "docs/how-to/import-jobs.md"},
    Document{"mirab import kueue", "docs/how-to/import-teams.md"},
    Document{"mirab import volcano", "docs/how-to/import-teams.md"},
    Document{"mirab import yunikorn", "docs/how-to/import-teams.md"},
    Document{"mirab import slurm-accounts", "docs/how-to/import-teams.md"},
    Document{"mirab import yarn", "docs/how-to/import-teams.md"},
    Document{"mirab import swf", "docs/reference/swf.md"},
    Document{"mirab import wagap2013", "docs/reference/swf.md"},
    Document{"mirab import google2011", "docs/reference/google2011.md"},
    Document{"mirab import openb", "docs/reference/openb.md"},
    Document{"mirab import bitbrains", "docs/reference/bitbrains.md"},
};

/// Text as roff reads it: no escape, no hyphenated option, no line that looks like a macro.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (byte == '\\') {
      escaped += "\\e";
    } else if (byte == '-') {
      escaped += "\\-";
    } else {
      escaped += byte;
    }
  }
  return !escaped.empty() && (escaped.front() == '.' || escaped.front() == '\'') ? "\\&" + escaped : escaped;
}

/// Running text, a line of roff for about each line.
std::string prose(std::string_view text) {
  std::string lines;
  for (const std::string& line : report::wrap(text, kSourceWidth)) lines += roff(line) + "\n";
  return lines;
}

std::string paragraph(std::string_view text) { return ".PP\n" + prose(text); }

std::string tagged(const std::string& tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}", tag, prose(text));
}

/// With a full stop, unless it ends as a sentence does.
std::string sentence(std::string text) {
  if (text.empty() || std::string_view(".?!:").find(text.back()) == std::string_view::npos) text += '.';
  return text;
}

/// Lines that are shown as they are. One that is too long goes on after a backslash.
std::string literal(std::string_view command) {
  const std::vector<std::string> lines = report::wrap(command, kExampleWidth);
  std::string text = ".PP\n.in +4n\n.EX\n";
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += fmt::format("{}{}{}\n", i == 0 ? "" : "  ", roff(lines[i]), i + 1 < lines.size() ? " \\e" : "");
  return text + ".EE\n.in\n";
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", roff(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", roff(text)); }

/// `mirab-import-swf`
std::string page_name(const std::string& path) {
  std::string name = path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// Left-aligned and not hyphenated: what is written can be copied.
std::string head(const std::string& page, int volume, const std::string& meaning) {
  std::string title = page;
  std::transform(title.begin(), title.end(), title.begin(), [](char byte) {
    return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
  });
  return fmt::format(".TH {} {} \"{}\" \"mirab {}\"\n.ad l\n.nr HY 0\n.nh\n.SH NAME\n{} \\- {}\n",
                     roff(title), volume, MIRAB_RELEASE_DATE, MIRAB_VERSION, roff(page), roff(meaning));
}

/// The alternatives of `a|b|c` when they are too long for a tag; empty otherwise.
std::vector<std::string> long_alternatives(const OptionOutline& option) {
  if (option.value.size() <= kWidestAlternatives || option.value.find('|') == std::string::npos) return {};
  return words_for(option);
}

/// `SCHEDULER` for `--scheduler`.
std::string placeholder(const OptionOutline& option) {
  std::string word = option.names.back().substr(option.names.back().find_first_not_of('-'));
  std::transform(word.begin(), word.end(), word.begin(), [](char byte) {
    return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
  });
  return word;
}

std::string option_entry(const OptionOutline& option) {
  std::string tag;
  for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
  const std::vector<std::string> words = long_alternatives(option);
  if (!option.value.empty()) tag += " " + italic(words.empty() ? option.value : placeholder(option));
  std::string text = sentence(meaning(option));
  if (!words.empty()) text += fmt::format(" {} is one of {}.", placeholder(option), fmt::join(words, ", "));
  return tagged(tag, text);
}

/// The names of the other commands of `all` directly below this one, or with the same parent.
std::string see_also(const std::string& path, const std::vector<CommandOutline>& all,
                     const std::string& documents) {
  std::vector<std::string> pages;
  if (path != "mirab") pages.push_back("\\fBmirab\\fR(1)");
  for (const CommandOutline& command : all) {
    const bool is_below =
        command.path.starts_with(path + " ") && command.path.find(' ', path.size() + 1) == std::string::npos;
    if (is_below) pages.push_back(fmt::format("{}(1)", bold(page_name(command.path))));
  }
  pages.push_back("\\fBmirab\\-cluster\\fR(5)");
  std::string text = fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
  for (const Document& each : kDocuments) {
    if (each.command == path)
      text += fmt::format(".PP\n{}\n", italic(documents + "/" + std::string(each.file)));
  }
  return text;
}

std::string exit_status(const std::vector<ExitMeaning>& exits) {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitMeaning& exit : exits) text += tagged(std::to_string(exit.status), sentence(exit.meaning));
  return text;
}

std::string examples(const CommandOutline& command) {
  if (command.manual.examples.empty()) return {};
  std::string text;
  for (const Example& example : command.manual.examples)
    text += (text.empty() ? "" : ".PP\n") + prose(sentence(example.meaning)) + literal(example.line);
  return ".SH EXAMPLES\n" + text;
}

std::string options(const CommandOutline& command) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionOutline& argument : command.arguments)
    text += tagged(italic(argument.names.front()), sentence(meaning(argument)));
  std::vector<std::string> groups = groups_of(command);
  groups.insert(groups.begin(), "");
  for (const std::string& group : groups) {
    if (!group.empty()) text += ".SS " + roff(group) + "\n";
    for (const OptionOutline& option : command.options)
      if (option.group == group) text += option_entry(option);
  }
  return text;
}

std::string description(const CommandOutline& command) {
  std::string text = ".SH DESCRIPTION\n" + prose(sentence(command.summary));
  for (const std::string& each : command.manual.paragraphs) text += paragraph(each);
  return text;
}

std::string subcommands(const CommandOutline& command, const std::vector<CommandOutline>& all) {
  if (command.subcommands.empty()) return {};
  std::string text = ".SH COMMANDS\n";
  for (const std::string& name : command.subcommands) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const CommandOutline& each) {
      return each.path == command.path + " " + name;
    });
    text += tagged(bold(page_name(found->path)) + "(1)", sentence(found->summary));
  }
  return text;
}

std::string environment() {
  return ".SH ENVIRONMENT\n" +
         tagged(bold("COLUMNS"), "The width of tables on standard output; without it that of the terminal.") +
         tagged(bold("NO_COLOR"), "When it is not empty, nothing is shown in bold on a terminal.") +
         tagged(bold("MIRAB_SERVER"), "The URL of the service that commands ask which need one.") +
         tagged(bold("MIRAB_TOKEN_FILE"), "The file with the token for it.") +
         tagged(bold("SOURCE_DATE_EPOCH"),
                "The date in the footer of pages, in seconds since 1970, instead of today's: the same input "
                "then gives "
                "the same bytes.");
}

std::string files(const std::string& documents) {
  return ".SH FILES\n" +
         tagged(italic(documents + "/docs"),
                "The documents; README.md there lists them. The folder schema has the JSON "
                "schemas of all files that are read and written.") +
         tagged(italic(documents + "/examples"), "Example clusters, workloads and scenarios.");
}

std::string command_page(const CommandOutline& command, const std::vector<CommandOutline>& all,
                         const std::string& documents) {
  std::string summary = command.summary;
  summary.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(summary.front())));
  const bool is_program = command.path == "mirab";
  return head(page_name(command.path), 1, summary) + ".SH SYNOPSIS\n" + bold(usage(command)) + "\n" +
         description(command) + subcommands(command, all) + options(command) + examples(command) +
         exit_status(is_program ? exit_meanings() : exit_meanings(command.manual)) +
         (is_program ? environment() + files(documents) : "") + see_also(command.path, all, documents);
}

// mirab-cluster(5).

using Json = nlohmann::ordered_json;

/// What stands for a definition of the schema, where its keys have no section of their own.
std::string type_words(const Json& property) {
  if (property.contains("allOf")) return type_words(property["allOf"][0]);
  if (property.contains("$ref")) {
    const std::string name = property["$ref"].get<std::string>().substr(std::string("#/definitions/").size());
    if (name == "amounts") return "amounts by resource";
    if (name == "texts") return "text, or a list of texts";
    if (name == "name") return "text";
    return name;
  }
  if (property.contains("items")) {
    const std::string each = type_words(property["items"]);
    return each == "text" ? "list of texts" : fmt::format("list, see {}", each);
  }
  if (property.contains("additionalProperties") && property["additionalProperties"].is_object())
    return type_words(property["additionalProperties"]) + " by name";
  if (property.contains("enum")) return "1";
  if (property.contains("oneOf")) return type_words(property["oneOf"][0]);
  const Json& type = property.at("type");
  if (type == "integer") return "whole number";
  return "text";
}

std::string keys_of(const Json& object) {
  const Json required = object.value("required", Json::array());
  std::string text;
  for (const auto& [key, property] : object.at("properties").items()) {
    const bool is_required = std::find(required.begin(), required.end(), key) != required.end();
    text += tagged(
        fmt::format("{} ({}{})", bold(key), roff(type_words(property)), is_required ? "; required" : ""),
        property.value("description", std::string()));
  }
  return text;
}

constexpr std::string_view kExample =
    "version: 1\n"
    "resources: [cpu, memory]\n"
    "servers:\n"
    "  - {name: rack, capacity: {cpu: 16, memory: 64Gi}, count: 20}\n"
    "users:\n"
    "  - {name: alice, demand: {cpu: 1, memory: 4Gi}}\n"
    "  - {name: bob, demand: {cpu: 500m, memory: 1Gi}, tasks: 40}\n";

std::string cluster_page(const std::string& documents) {
  const std::span<const unsigned char> bytes(embedded::cluster_schema, embedded::cluster_schema_size);
  const Json schema = Json::parse(bytes.begin(), bytes.end());
  const Json& definitions = schema.at("definitions");
  std::string text = head("mirab-cluster", 5, "servers and users who share them, as a file for mirab");
  text += ".SH DESCRIPTION\n" + prose(schema.at("description").get<std::string>());
  text += ".SH EXAMPLE\n.in +4n\n.EX\n" + roff(kExample) + ".EE\n.in\n";
  text += ".SH KEYS\n" + keys_of(schema);
  for (const std::string name : {"server", "user", "shape", "group", "running"})
    text += fmt::format(".SS Keys of each {}\n", name == "running" ? "entry of running" : name) +
            keys_of(definitions.at(name));
  text += ".SH VALUES\n";
  for (const std::string name : {"amount", "amounts", "quota"})
    text += tagged(bold(name), definitions.at(name).at("description").get<std::string>());
  text += ".SH FILES\n";
  text += tagged(italic(documents + "/docs/schema/cluster.schema.json"),
                 "The same as a JSON schema, for editors.");
  text += ".SH SEE ALSO\n\\fBmirab\\fR(1),\n\\fBmirab\\-allocate\\fR(1),\n\\fBmirab\\-validate\\fR(1)\n";
  return text + fmt::format(".PP\n{}\n", italic(documents + "/docs/reference/cluster-file.md"));
}

}  // namespace

std::vector<ManualPage> manual_pages(const std::vector<CommandOutline>& commands,
                                     const std::string& documents) {
  std::vector<ManualPage> pages;
  for (const CommandOutline& command : commands)
    pages.push_back({page_name(command.path) + ".1", command_page(command, commands, documents)});
  pages.push_back({"mirab-cluster.5", cluster_page(documents)});
  return pages;
}

}  // namespace mirab::cli
