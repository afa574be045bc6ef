#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include <mirab/audit/explanation.hpp>
#include <mirab/model/cluster_file.hpp>

#include "audit/cluster_view.hpp"
#include "cli/io/alike.hpp"
#include "cli/io/cluster_notices.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/outcome/comparison.hpp"
#include "report/outcome/explanation.hpp"
#include "report/outcome/survey.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

struct ExplainFlags {
  ClusterFiles files;
  std::string user;       ///< empty: all
  std::string mechanism;  ///< empty: the one that suits the cluster, or `given` with an allocation file
  std::size_t what_ifs = ExplainOptions{}.what_ifs;
  bool shapes = false;
  int threads = 1;
  OutputOptions output;
  ReportOptions report;
};

std::string changes_tried(std::uint64_t done, std::uint64_t of) {
  return fmt::format("mirab: {} of {} changes tried", done, of);
}

/// The mechanism that is explained, and where none was named, which was taken and why.
struct NamedMechanism {
  Choice mechanism;
  std::string notice = {};
};

Result<NamedMechanism> asked_mechanism(const ExplainFlags& options, const Problem& problem) {
  const std::string named =
      options.mechanism.empty() && !options.files.allocation.empty() ? "given" : options.mechanism;
  if (named.empty()) {
    const Recommendation taken = recommended(problem);
    if (Check none = check_recommended(taken, options.files.cluster)) return *std::move(none);
    return NamedMechanism{taken.choice, choice_notice(taken, options.files)};
  }
  Result<Choice> mechanism = read_choice(named, "--mechanism", choose_mechanism);
  if (!mechanism) return mechanism.error();
  return NamedMechanism{*std::move(mechanism)};
}

Exit with_status(Exit written, const Outcome& outcome) {
  return written == Exit::done && outcome.status == Status::not_converged ? Exit::not_converged : written;
}

Exit explain_one(const ExplainFlags& options, const Problem& problem, const NamedMechanism& asked,
                 const ExplainOptions& how) {
  if (options.output.format == "csv")
    return report_error({.message = "CSV has a record a user: leave out USER, or take --format table or json",
                         .key = "--format"});
  if (!options.files.allocation.empty() && asked.mechanism.name != "given")
    return report_error(
        {.message = fmt::format("what runs is shown of teams and of all users: leave out USER, "
                                "or take given in place of {}",
                                asked.mechanism.text),
         .key = "--allocation"});
  const Result<std::size_t> user = find_user(problem, options.user, options.files.cluster, "USER");
  if (!user) return report_error(user.error());
  Result<Explanation> explanation = explain(problem, asked.mechanism, *user, how);
  if (!explanation) return report_error(with_cluster_position(options.files, explanation.error()));
  if (!asked.notice.empty()) explanation->outcome.notices.push_back(asked.notice);
  const report::ExplanationReport explained{name_of(options.report, problem, options.files.cluster), problem,
                                            *explanation};
  const nlohmann::ordered_json data = report::explanation_json(explained);
  std::string text = options.output.format == "json"
                         ? report::json_text(data, 2) + "\n"
                         : report::explanation_table(explained, terminal_of(options.output.file));
  return with_status(
      write_answer(options.output, options.report, "explanation",
                   fmt::format("{}: {}", explained.title, options.user), std::move(text), data),
      explanation->outcome);
}

/// Of all users, or of one team.
Exit explain_several(const ExplainFlags& options, const Problem& problem, const NamedMechanism& asked,
                     const std::vector<std::size_t>& team, const ExplainOptions& how) {
  Result<Survey> survey = team.empty() ? explain_all(problem, asked.mechanism, how)
                                       : explain_team(problem, asked.mechanism, team, how);
  if (!survey) return report_error(with_cluster_position(options.files, survey.error()));
  if (!asked.notice.empty()) survey->outcome.notices.push_back(asked.notice);
  std::optional<Outcome> now;
  if (problem.running() && asked.mechanism.name != "given") {
    Result<Outcome> given = allocate(problem, "given");
    if (!given) return report_error(with_cluster_position(options.files, given.error()));
    now = *std::move(given);
  }
  const report::SurveyReport all{.title = name_of(options.report, problem, options.files.cluster),
                                 .problem = problem,
                                 .survey = *survey,
                                 .now = now ? &*now : nullptr,
                                 .team = team.empty() ? "" : options.user};
  const std::string& format = options.output.format;
  print_merged(format, problem, survey->outcome);
  const nlohmann::ordered_json data = report::survey_json(all);
  std::string text = format == "json" ? report::json_text(data, 2) + "\n"
                     : format == "csv"
                         ? report::survey_csv(all)
                         : report::survey_table(all, terminal_of(options.output.file), options.shapes);
  const std::string title = team.empty() ? all.title : fmt::format("{}: {}", all.title, options.user);
  return with_status(write_answer(options.output, options.report, "survey", title, std::move(text), data),
                     survey->outcome);
}

/// What in the cluster looks like a slip, of the user who is asked about or of all.
void print_slips_of(const ExplainFlags& options, const Problem& problem,
                    const std::vector<std::size_t>& team) {
  print_cluster_notices(options.files, unusable_servers(problem));
  print_guarantee_slips(options.files, problem);
  if (!team.empty()) return;
  if (options.user.empty()) {
    print_cluster_notices(options.files, waiting_users(problem));
    print_cluster_notices(options.files, unplaceable_tasks(problem));
    return;
  }
  const Result<std::size_t> user = find_user(problem, options.user, options.files.cluster, "USER");
  if (!user) return;
  if (const std::optional<Error> large = unplaceable_task(problem, *user))
    print_cluster_notices(options.files, {*large});
}

Exit run_explain(const ExplainFlags& options) {
  if (const Check wrong =
          check_destinations({{"-o", options.output.file}, {"--report", options.report.file}},
                             {options.files.cluster, options.files.allocation, options.files.teams}))
    return report_error(*wrong);
  if (!options.mechanism.empty()) {  // before the file is read
    if (Result<Choice> known = read_choice(options.mechanism, "--mechanism", choose_mechanism); !known)
      return report_error(known.error());
  }
  const Result<Problem> as_it_is = read_problem(options.files);
  if (!as_it_is) return report_error(as_it_is.error());
  const Result<NamedMechanism> asked = asked_mechanism(options, *as_it_is);
  if (!asked) return report_error(asked.error());
  const std::vector<std::size_t> team =
      options.user.empty() ? std::vector<std::size_t>{} : users_of_team(*as_it_is, options.user);
  print_slips_of(options, *as_it_is, team);
  const Result<Problem> problem = as_divided({.problem = *as_it_is, .mechanisms = {asked->mechanism}},
                                             options.files.alike, {.threads = options.threads});
  if (!problem) return report_error(problem.error());
  const ExplainOptions how{.what_ifs = options.what_ifs,
                           .execution = {.threads = options.threads},
                           .progress = progress_line(changes_tried)};
  return options.user.empty() || !team.empty() ? explain_several(options, *problem, *asked, team, how)
                                               : explain_one(options, *problem, *asked, how);
}

}  // namespace

Command add_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainFlags>();
  CLI::App* command =
      app.add_subcommand("explain", "Explain why users get their shares, and what would change them");
  add_cluster_argument(*command, options->files.cluster);
  command
      ->add_option("USER", options->user,
                   "The user, task shape or group, by name; left out: all users, in a line each")
      ->type_name("USER");
  command
      ->add_option("-m,--mechanism", options->mechanism,
                   "How to divide, with options after a colon (alpha-fair:alpha=2); default: what 'mirab "
                   "mechanisms --for CLUSTER' recommends, or 'given' with --allocation")
      ->type_name("MECHANISM");
  add_allocation_option(*command, options->files.allocation);
  add_teams_option(*command, options->files.teams);
  add_alike_option(*command, options->files.alike);
  take_whole_number(command
                        ->add_option("--what-ifs", options->what_ifs,
                                     "Try at most N changes for each user, the most promising first")
                        ->capture_default_str(),
                    0);
  command->add_flag(
      "--shapes", options->shapes,
      "Show a row for each task shape, and not one for each team (table); JSON and CSV have both");
  add_threads_option(*command, options->threads);
  add_output_options(*command, options->output, {"table", "json", "csv"});
  add_report_options(*command, options->report);

  Manual manual;
  manual.paragraphs = {
      "Divides the cluster and shows where the tasks of one user run, which full resources it needs there, "
      "which other users hold most of them, and their prices where the mechanism has prices.",
      "Then lists what would change the user's share: one more server of each kind that it may use, one "
      "more unit of each of those resources, twice its weight, or one more task when it runs all of its "
      "tasks. Every change is tried by solving the changed cluster; a change that hurts is shown too. A "
      "unit is 1, or about a hundredth of the server or pool where 1 would be more than all of it or next "
      "to nothing.",
      "Without USER there is a line for each user, those who are short of tasks first: what it asks for, "
      "what "
      "it gets, what holds it back, and the best remedy: the cheapest of these changes that brings all it "
      "asks "
      "for, or else the one that brings most. A limit or weight costs nothing, more of a resource less than "
      "a "
      "server. A change that may help several users is solved once.",
      "Where users have task shapes there is a line for each team, and below it one for the shape of each "
      "team "
      "that lacks most. USER may be a team: a user with its task shapes, or a group. The answer is then for "
      "the team and its tasks that wait, with what each change would bring them together. Where users are "
      "in groups, a table with a row for each group stands above."};
  manual.exits = {{3, kNotConverged}};
  manual.examples = {
      {"mirab explain examples/textbook.yaml A -m drf", "Why A has 3 tasks"},
      {"mirab explain cluster.yaml --report why.html",
       "Who is short, why, and what would help; as a page too"},
      {"mirab explain cluster.yaml team-07", "Why tasks of a team wait, and what would help the team"},
      {"mirab explain cluster.yaml alice -m pf --format json | jq '.what_ifs[0]'", "What would help most"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->report.command = line;
            return run_explain(*options);
          }};
}

}  // namespace mirab::cli
