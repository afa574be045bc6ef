#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <mirab/audit/difference.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

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
  std::string before;
  std::string after;  ///< empty: the same cluster
  std::vector<std::string> mechanisms;
  std::size_t most = 20;
  int threads = 1;
  OutputOptions output;
};

std::string formatted(const report::Diff& diff, const DiffFlags& options) {
  if (options.output.format == "json") return report::json_text(report::difference_json(diff), 2) + "\n";
  if (options.output.format == "csv") return report::difference_csv(diff);
  return report::difference_table(diff, options.most, columns_of(options.output.file));
}

Check check_diff_flags(const DiffFlags& options) {
  if (options.mechanisms.size() > 2) {
    return Error{.message = "give one or two: the first is before, the last is after", .key = "--mechanism"};
  }
  if (options.mechanisms.size() == 1 && options.after.empty()) {
    return Error{.message = "give a second one, or a second cluster: a difference has two sides",
                 .key = "--mechanism"};
  }
  return check_destinations({{"-o", options.output.file}}, {options.before, options.after});
}

Exit run_diff(const DiffFlags& options) {
  if (const Check wrong = check_diff_flags(options)) return report_error(*wrong);
  std::vector<Choice> mechanisms;
  for (const std::string& text : options.mechanisms) {
    Result<Choice> mechanism = read_choice(text, "--mechanism", choose_mechanism);
    if (!mechanism) return report_error(mechanism.error());
    mechanisms.push_back(*std::move(mechanism));
  }
  const std::string& second = options.after.empty() ? options.before : options.after;
  const Result<Problem> before = read_cluster_file(options.before);
  if (!before) return report_error(explain_wrong_kind(before.error(), FileKind::cluster));
  const Result<Problem> after = options.after.empty() ? before : read_cluster_file(options.after);
  if (!after) return report_error(explain_wrong_kind(after.error(), FileKind::cluster));

  const Execution execution{.threads = options.threads};
  const Result<Outcome> old = allocate(*before, mechanisms.front(), execution);
  if (!old) return report_error(with_cluster_position(options.before, old.error()));
  const Result<Outcome> fresh = allocate(*after, mechanisms.back(), execution);
  if (!fresh) return report_error(with_cluster_position(second, fresh.error()));

  const report::Diff diff{{title_of(options.before), *before, *old},
                          {title_of(second), *after, *fresh},
                          difference({*before, old->allocation}, {*after, fresh->allocation})};
  if (const Check failure = write_text(options.output.file, formatted(diff, options)))
    return report_error(*failure, Exit::failed);
  const bool converged = old->status != Status::not_converged && fresh->status != Status::not_converged;
  return converged ? Exit::done : Exit::not_converged;
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto options = std::make_shared<DiffFlags>();
  CLI::App* command =
      app.add_subcommand("diff", "Show who gains and who loses between two mechanisms or two clusters");
  add_cluster_argument(*command, options->before);
  command->add_option("CLUSTER2", options->after, "The cluster file after a change; left out: the same")
      ->type_name("FILE");
  add_list_option(*command, "-m,--mechanism", options->mechanisms,
                  "How to divide; given twice, the first before and the second after", "MECHANISM")
      ->required();
  take_whole_number(command
                        ->add_option("--top", options->most,
                                     "Show at most this many users who gain, and as many who lose (table)")
                        ->capture_default_str(),
                    1);
  add_threads_option(*command, options->threads);
  add_output_options(*command, options->output, {"table", "json", "csv"});

  Manual manual;
  manual.paragraphs = {
      "Divides a cluster by two mechanisms, or two clusters by one (or each by its own), and compares what "
      "every user gets before and after: tasks, their change in per cent, and share. Users are identified "
      "by name; those of one cluster only are listed apart. The greatest gain comes first. The sums and the "
      "use of each resource follow."};
  manual.exits = {{3, kNotConverged}};
  manual.examples = {
      {"mirab diff cluster.yaml -m drf -m pf", "What proportional fairness would change"},
      {"mirab diff today.yaml tomorrow.yaml -m drf", "What new servers or users would change"},
  };
  return {command, std::move(manual), [options](const std::string&) { return run_diff(*options); }};
}

}  // namespace mirab::cli
