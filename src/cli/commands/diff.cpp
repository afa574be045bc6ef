#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mirab/audit/difference.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "cli/io/alike.hpp"
#include "cli/io/cluster_notices.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/outcome/comparison.hpp"
#include "report/outcome/difference.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

struct DiffFlags {
  ClusterFiles before;
  std::string after;  ///< empty: the same cluster
  std::vector<std::string> mechanisms;
  std::size_t most = 20;
  bool shapes = false;
  int threads = 1;
  OutputOptions output;
  ReportOptions report;
};

std::string formatted(const report::Diff& diff, const DiffFlags& options) {
  if (options.output.format == "json") return report::json_text(report::difference_json(diff), 2) + "\n";
  if (options.output.format == "csv") return report::difference_csv(diff);
  const report::DiffView view{.most = options.most,
                              .detail = options.shapes ? report::Detail::shapes : report::Detail::teams};
  return report::difference_table(diff, view, terminal_of(options.output.file));
}

Check check_diff_flags(const DiffFlags& options) {
  if (options.mechanisms.size() > 2) {
    return Error{.message = "give one or two: the first is before, the last is after", .key = "--mechanism"};
  }
  return check_destinations(
      {{"-o", options.output.file}, {"--report", options.report.file}},
      {options.before.cluster, options.after, options.before.allocation, options.before.teams});
}

/// By what each side is divided, and where no mechanism was named, what to say of the one that was taken.
struct Sides {
  std::vector<Choice> mechanisms;  ///< two: before and after
  std::string notice = {};
};

/// What runs now is before, when an allocation file says it, or when there is one cluster and it says it;
/// else the one mechanism is that of both sides.
Result<Sides> sides_of(const DiffFlags& options, std::vector<Choice> named, const Problem& before,
                       const Problem& after) {
  Sides sides{.mechanisms = std::move(named)};
  if (sides.mechanisms.size() == 2) {
    const bool used =
        sides.mechanisms[0].name == "given" || (options.after.empty() && sides.mechanisms[1].name == "given");
    if (!options.before.allocation.empty() && !used) {
      return Error{.message = fmt::format("is used by neither {} nor {}; name 'given' or one mechanism",
                                          sides.mechanisms[0].text, sides.mechanisms[1].text),
                   .key = "--allocation"};
    }
    return sides;
  }
  if (sides.mechanisms.empty()) {
    const Recommendation taken = recommended(after);
    const std::string& divided = options.after.empty() ? options.before.cluster : options.after;
    if (Check none = check_recommended(taken, divided)) return *std::move(none);
    sides.mechanisms.push_back(taken.choice);
    sides.notice = choice_notice(taken, {.cluster = divided, .teams = options.before.teams});
  }
  const bool from_given = !options.before.allocation.empty() || (options.after.empty() && before.running());
  if (!from_given && options.after.empty()) {
    return Error{.message =
                     "give a second mechanism, a second cluster, or --allocation: a difference has two "
                     "sides, and the cluster file does not say what is running",
                 .key = "--mechanism"};
  }
  sides.mechanisms.insert(sides.mechanisms.begin(),
                          from_given ? *choose_mechanism("given") : sides.mechanisms.front());
  return sides;
}

Exit run_diff(const DiffFlags& options) {
  if (const Check wrong = check_diff_flags(options)) return report_error(*wrong);
  std::vector<Choice> mechanisms;
  for (const std::string& text : options.mechanisms) {
    Result<Choice> mechanism = read_choice(text, "--mechanism", choose_mechanism);
    if (!mechanism) return report_error(mechanism.error());
    mechanisms.push_back(*std::move(mechanism));
  }
  const ClusterFiles second{.cluster = options.after.empty() ? options.before.cluster : options.after,
                            .teams = options.before.teams};
  const Result<Problem> first_read = read_problem(options.before);
  if (!first_read) return report_error(first_read.error());
  const Result<Problem> second_read = options.after.empty() ? first_read : read_problem(second);
  if (!second_read) return report_error(second_read.error());
  const Result<Sides> sides = sides_of(options, std::move(mechanisms), *first_read, *second_read);
  if (!sides) return report_error(sides.error());
  print_slips(options.before, *first_read);
  if (second.cluster != options.before.cluster) {
    print_slips(second, *second_read);
    print_cluster_notices(second, unnamed_servers(*second_read, *first_read));
  }

  const Execution execution{.threads = options.threads};
  const std::vector<ToDivide> both{{.problem = *first_read, .mechanisms = {sides->mechanisms.front()}},
                                   {.problem = *second_read, .mechanisms = {sides->mechanisms.back()}}};
  const Result<std::vector<Problem>> divided = as_divided(both, options.before.alike, execution);
  if (!divided) return report_error(divided.error());
  const Problem* before = &divided->front();
  const Problem* after = &divided->back();
  const Result<Outcome> old = allocate(*before, sides->mechanisms.front(), execution);
  if (!old) return report_error(with_cluster_position(options.before, old.error()));
  Result<Outcome> fresh = allocate(*after, sides->mechanisms.back(), execution);
  if (!fresh) return report_error(with_cluster_position(second, fresh.error()));
  if (!sides->notice.empty()) fresh->notices.push_back(sides->notice);

  print_merged(options.output.format, *before, *old);
  print_merged(options.output.format, *after, *fresh);
  // One title for both of two clusters would make them one: --title is then of the page alone.
  const ReportOptions named = options.after.empty() ? options.report : ReportOptions{};
  const report::Diff diff{{name_of(named, *before, options.before.cluster), *before, *old},
                          {name_of(named, *after, second.cluster), *after, *fresh},
                          difference({*before, old->allocation}, {*after, fresh->allocation})};
  const std::string& from = diff.before.title;
  const std::string title = !options.report.title.empty() ? options.report.title
                            : from == diff.after.title    ? from
                                                          : fmt::format("{} → {}", from, diff.after.title);
  const Exit written = write_answer(options.output, options.report, "diff", title, formatted(diff, options),
                                    report::difference_json(diff));
  if (written != Exit::done) return written;
  const bool converged = old->status != Status::not_converged && fresh->status != Status::not_converged;
  return converged ? Exit::done : Exit::not_converged;
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto options = std::make_shared<DiffFlags>();
  CLI::App* command =
      app.add_subcommand("diff", "Show who gains and who loses between two mechanisms or two clusters");
  add_cluster_argument(*command, options->before.cluster);
  command->add_option("CLUSTER2", options->after, "The cluster file after a change; left out: the same")
      ->type_name("FILE");
  add_list_option(*command, "-m,--mechanism", options->mechanisms,
                  "How to divide; given twice, the first before and the second after; default: what 'mirab "
                  "mechanisms --for CLUSTER' recommends",
                  "MECHANISM");
  add_allocation_option(*command, options->before.allocation);
  add_teams_option(*command, options->before.teams);
  add_alike_option(*command, options->before.alike);
  take_whole_number(command
                        ->add_option("--top", options->most,
                                     "Show at most this many users who gain, and as many who lose (table)")
                        ->capture_default_str(),
                    1);
  command->add_flag("--shapes", options->shapes,
                    "Show the task shapes of each user below it (table); JSON and CSV have them always");
  add_threads_option(*command, options->threads);
  add_output_options(*command, options->output, {"table", "json", "csv"});
  add_report_options(*command, options->report);

  Manual manual;
  manual.paragraphs = {
      "Divides a cluster by two mechanisms, or two clusters by one (or each by its own), and compares what "
      "every user gets before and after: tasks, their change in per cent, and share. Users are identified "
      "by name; those of one cluster only are listed apart. Those whose share grows most for their "
      "weight come first. A user with task "
      "shapes has one line, and gains where its share grows: the largest part of any one resource that its "
      "shapes hold together. The sums and the use of each resource follow. Shares on both sides are of the "
      "cluster before, so that more servers do "
      "not make them less.",
      "What runs now (`running` in the cluster file, or --allocation) is before, where one cluster and at "
      "most "
      "one mechanism are given."};
  manual.exits = {{3, kNotConverged}};
  manual.examples = {
      {"mirab diff cluster.yaml -m drf -m pf", "What proportional fairness would change"},
      {"mirab diff cluster.yaml --allocation now.csv", "What the recommended mechanism would change today"},
      {"mirab diff today.yaml tomorrow.yaml -m drf", "What new servers or users would change"},
      {"mirab diff today.yaml tomorrow.yaml --report change.html", "The same as a page to show"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->report.command = line;
            return run_diff(*options);
          }};
}

}  // namespace mirab::cli
