#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/documents.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"

namespace mirab::cli {
namespace {

Command add_document(CLI::App& generate, const std::string& name, const std::string& summary,
                     std::function<std::string()> document) {
  CLI::App* command = generate.add_subcommand(name, summary);
  return {command, {}, [document = std::move(document)](const std::string&) {
            if (const Check failure = write_text(kStandardOutput, document()))
              return complain(*failure, Exit::failed);
            return Exit::done;
          }};
}

}  // namespace

std::vector<Command> add_generate(CLI::App& app) {
  CLI::App* generate = app.add_subcommand("generate", "Print what is made from the command line");
  generate->require_subcommand(1);
  const auto commands = [] { return outline(make_program()); };
  std::vector<Command> documents{
      add_document(*generate, "man", "The man page", [=] { return man_page(commands()); }),
      add_document(*generate, "bash", "Completion for bash", [=] { return bash_completion(commands()); }),
      add_document(*generate, "zsh", "Completion for zsh", [=] { return zsh_completion(commands()); }),
      add_document(*generate, "fish", "Completion for fish", [=] { return fish_completion(commands()); }),
  };
  generate->group("");  // hidden, for those who build and package; last, since subcommands inherit it
  return documents;
}

}  // namespace mirab::cli
