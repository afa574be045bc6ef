#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mirab/audit/explanation.hpp>
#include <mirab/model/cluster_file.hpp>

#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "model/names.hpp"
#include "report/outcome/comparison.hpp"
#include "report/outcome/explanation.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

struct ExplainFlags {
  std::string cluster;
  std::string user;
  std::string mechanism;  ///< empty: the one that suits the cluster, or `given` with an allocation file
  std::string allocation;
  std::size_t what_ifs = ExplainOptions{}.what_ifs;
  int threads = 1;
  OutputOptions output;
};

Result<std::size_t> find_user(const Problem& problem, const std::string& name, const std::string& cluster) {
  std::vector<std::string_view> names;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (problem.users()[n].name == name) return n;
    names.push_back(problem.users()[n].name);
  }
  return Error{
      .message = fmt::format("{} has no user '{}'{}", title_of(cluster), name, known_names(name, names)),
      .key = "USER"};
}

std::string changes_tried(std::uint64_t done, std::uint64_t of) {
  return fmt::format("mirab: {} of {} changes tried", done, of);
}

Exit run_explain(const ExplainFlags& options) {
  if (const Check wrong =
          check_destinations({{"-o", options.output.file}}, {options.cluster, options.allocation}))
    return report_error(*wrong);
  const std::string named =
      options.mechanism.empty() && !options.allocation.empty() ? "given" : options.mechanism;
  Result<Choice> mechanism = Error{};
  if (!named.empty()) {
    mechanism = read_choice(named, "--mechanism", choose_mechanism);
    if (!mechanism) return report_error(mechanism.error());
    if (!options.allocation.empty() && mechanism->name != "given") {
      return report_error({.message = fmt::format("is not used by {}; leave one of the two out", named),
                           .key = "--allocation"});
    }
  }
  const Result<Problem> problem = read_problem(options.cluster, options.allocation);
  if (!problem) return report_error(problem.error());
  const Recommendation taken = recommended(*problem);
  if (named.empty()) {
    if (const Check none = check_recommended(taken, options.cluster)) return report_error(*none);
    mechanism = taken.choice;
  }
  const Result<std::size_t> user = find_user(*problem, options.user, options.cluster);
  if (!user) return report_error(user.error());
  Result<Explanation> explanation = explain(*problem, *mechanism, *user,
                                            {.what_ifs = options.what_ifs,
                                             .execution = {.threads = options.threads},
                                             .progress = progress_line(changes_tried)});
  if (!explanation) return report_error(with_cluster_position(options.cluster, explanation.error()));
  if (named.empty()) explanation->outcome.notices.push_back(choice_notice(taken, options.cluster));

  const report::ExplanationReport explained{title_of(options.cluster), *problem, *explanation};
  const std::string text = options.output.format == "json"
                               ? report::json_text(report::explanation_json(explained), 2) + "\n"
                               : report::explanation_table(explained, columns_of(options.output.file));
  if (const Check failure = write_text(options.output.file, text))
    return report_error(*failure, Exit::failed);
  return explanation->outcome.status == Status::not_converged ? Exit::not_converged : Exit::done;
}

}  // namespace

Command add_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainFlags>();
  CLI::App* command =
      app.add_subcommand("explain", "Explain why a user gets its share, and what would change it");
  add_cluster_argument(*command, options->cluster);
  command->add_option("USER", options->user, "The user, by name")->required()->type_name("USER");
  command
      ->add_option("-m,--mechanism", options->mechanism,
                   "How to divide, with options after a colon (alpha-fair:alpha=2); default: what 'mirab "
                   "mechanisms --for CLUSTER' recommends, or 'given' with --allocation")
      ->type_name("MECHANISM");
  add_allocation_option(*command, options->allocation);
  take_whole_number(
      command->add_option("--what-ifs", options->what_ifs, "Try at most N changes, the most promising first")
          ->capture_default_str(),
      0);
  add_threads_option(*command, options->threads);
  add_output_options(*command, options->output, {"table", "json"});

  Manual manual;
  manual.paragraphs = {
      "Divides the cluster and shows where the tasks of one user run, which full resources it needs there, "
      "which other users hold most of them, and their prices where the mechanism has prices.",
      "Then lists what would change the user's share: one more server of each kind that it may use, one "
      "more unit of each of those resources, twice its weight, or one more task when it runs all of its "
      "tasks. Every change is tried by solving the changed cluster; a change that hurts is shown too. A "
      "unit is 1, or about a hundredth of the server or pool where 1 would be more than all of it or next "
      "to nothing."};
  manual.exits = {{3, kNotConverged}};
  manual.examples = {
      {"mirab explain examples/slides.yaml A -m drf", "Why A has 3 tasks"},
      {"mirab explain cluster.yaml alice -m pf --format json | jq '.what_ifs[0]'", "What would help most"},
  };
  return {command, std::move(manual), [options](const std::string&) { return run_explain(*options); }};
}

}  // namespace mirab::cli
