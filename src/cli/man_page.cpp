// mirab.1 in the man(7) macros, which both groff and mandoc read.

#include <fmt/format.h>

#include "cli/documents.hpp"
#include "report/text_width.hpp"

namespace mirab::cli {
namespace {

constexpr std::size_t kSourceWidth = 72;  // of lines of roff, which are wrapped again when they are shown

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

std::string option_tag(const OptionOutline& option) {
  std::string tag;
  for (const std::string& name : option.names)
    tag += fmt::format("{}\\fB{}\\fR", tag.empty() ? "" : ", ", roff(name));
  return option.value.empty() ? tag : fmt::format("{} \\fI{}\\fR", tag, roff(option.value));
}

std::string section(const CommandOutline& command) {
  std::string text = fmt::format(".SS {}\n\\fB{}\\fR\n", roff(command.path), roff(usage(command)));
  text += paragraph(command.summary + ".");
  for (const std::string& each : command.manual.paragraphs) text += paragraph(each);
  for (const OptionOutline& argument : command.arguments) {
    text += tagged(fmt::format("\\fI{}\\fR", roff(argument.names.front())), meaning(argument) + ".");
  }
  for (const OptionOutline& option : command.options)
    text += tagged(option_tag(option), meaning(option) + ".");
  return text;
}

std::string examples(const std::vector<CommandOutline>& commands) {
  std::string text = ".SH EXAMPLES\n";
  for (const CommandOutline& command : commands) {
    for (const Example& example : command.manual.examples) {
      text += tagged(fmt::format("\\fB{}\\fR", roff(example.line)), example.meaning + ".");
    }
  }
  return text;
}

}  // namespace

std::string man_page(const std::vector<CommandOutline>& commands) {
  const CommandOutline& program = commands.front();
  std::string text = fmt::format(".TH MIRAB 1 \"{}\" \"mirab {}\"\n", MIRAB_RELEASE_DATE, MIRAB_VERSION);
  text += ".SH NAME\nmirab \\- fair sharing of a cluster's resources among its users\n";
  text += ".SH SYNOPSIS\n\\fBmirab\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n";
  text += ".SH DESCRIPTION\n" + prose(program.summary + ".");
  for (const std::string& each : program.manual.paragraphs) text += paragraph(each);
  text += ".SH COMMANDS\n";
  for (const CommandOutline& command : commands) {
    if (command.subcommands.empty()) text += section(command);
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitMeaning& exit : exit_meanings())
    text += tagged(std::to_string(exit.status), exit.meaning + ".");
  return text + examples(commands) + ".SH SEE ALSO\n" +
         prose("docs/cluster-file.md and docs/mechanisms.md in the documentation of the package.");
}

}  // namespace mirab::cli
