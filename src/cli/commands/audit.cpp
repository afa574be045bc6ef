// The command `audit`, and the cluster files of its witnesses.
#include "report/audit/audit.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string>

#include <mirab/audit/audit.hpp>
#include <mirab/audit/properties.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/result.hpp>

#include "cli/io/alike.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "model/names.hpp"
#include "report/outcome/comparison.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {

namespace {

/// Adds a cluster file for the smallest cluster of a violation, and one for the changed cluster that it is
/// compared with, to be divided, explained and compared; nothing when the property holds.
void add_witness(std::vector<Text>& files, const std::string& folder, const std::string& mechanism,
                 const Verdict& verdict) {
  if (verdict.holds || folder.empty()) return;
  const Witness& witness = report::shown_witness(verdict);
  const std::string name = report::witness_name(mechanism, verdict.property);
  const std::string base = folder + "/" + name;
  const std::vector<std::string> comment{
      fmt::format("{} of {} fails here: {}", property_name(verdict.property), mechanism, witness.words),
      fmt::format("mirab allocate {}.yaml -m {}", name, mechanism)};
  files.push_back({base + ".yaml", write_cluster_yaml(witness.problem, comment)});
  if (!witness.changed) return;
  const std::string other = "The changed cluster: compare with " + name + ".yaml";
  files.push_back({base + "-changed.yaml", write_cluster_yaml(*witness.changed, {other})});
}

}  // namespace

namespace {

constexpr std::uint64_t kClustersForClaims = 300;
constexpr const char* kPositiveDemands = "positive-demands";
constexpr const char* kNoCaps = "no-caps";
constexpr std::uint64_t kMaxAttempts = 10'000'000;  // a search of a day and more
constexpr std::uint64_t kMaxSeconds = 1'000'000;    // more than a week
constexpr std::uint64_t kUsualSeconds = 30;         // of a cluster file, where neither of them is given
constexpr const char* kNoPlacement = "no-placement";
constexpr const char* kSameDemand = "same-demand";
constexpr const char* kOneResource = "one-resource";
constexpr const char* kNoGroups = "no-groups";
constexpr const char* kNoLimits = "no-limits";
constexpr const char* kNoReserves = "no-reserves";
constexpr const char* kNoGuarantees = "no-guarantees";
constexpr const char* kTopGuarantees = "top-guarantees";

struct Options {
  ClusterFiles files;  ///< no cluster with --random and --claims
  std::vector<std::string> mechanisms;
  std::vector<std::string> properties;
  std::uint64_t random = 0;  ///< clusters; 0: none
  std::vector<std::string> assumed;
  bool claims = false;
  std::optional<std::uint64_t> budget;   ///< attempts
  std::optional<std::uint64_t> seconds;  ///< for all searches
  std::uint64_t seed = AuditOptions{}.seed;
  int threads = 1;
  std::string witness_dir;
  OutputOptions output;
  ReportOptions report;
};

Check check_options(const Options& options) {
  const bool without_cluster = options.claims || options.random > 0;
  if (options.files.cluster.empty() && !without_cluster)
    return Error{.message = "name a cluster file, or audit random clusters with --random N or --claims",
                 .key = "CLUSTER"};
  if (!options.files.cluster.empty() && without_cluster)
    return Error{.message = "audits random clusters; leave out the cluster file",
                 .key = options.claims ? "--claims" : "--random"};
  if (options.claims && !options.report.file.empty())
    return Error{.message = "there is no page of claims; leave out --report or --claims", .key = "--report"};
  if (options.files.cluster.empty() && !options.files.allocation.empty())
    return Error{.message = "goes with a cluster file", .key = "--allocation"};
  if (options.files.cluster.empty() && !options.files.teams.empty())
    return Error{.message = "goes with a cluster file", .key = "--teams"};
  if (!options.assumed.empty() && (options.claims || options.random == 0))
    return Error{.message = "goes with --random only; --claims uses the conditions of each claim",
                 .key = "--assume"};
  if (Check wrong =
          check_destinations({{"-o", options.output.file}, {"--report", options.report.file}},
                             {options.files.cluster, options.files.allocation, options.files.teams}))
    return wrong;
  return options.witness_dir.empty() ? Check{} : check_folder({"--witness-dir", options.witness_dir});
}

Conditions read_conditions(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) { return std::count(words.begin(), words.end(), word) > 0; };
  return {.positive_demands = has(kPositiveDemands),
          .no_caps = has(kNoCaps),
          .no_placement = has(kNoPlacement),
          .same_demand = has(kSameDemand),
          .one_resource = has(kOneResource),
          .no_groups = has(kNoGroups),
          .no_limits = has(kNoLimits),
          .no_reserves = has(kNoReserves),
          .no_guarantees = has(kNoGuarantees),
          .top_guarantees = has(kTopGuarantees)};
}

std::vector<std::string_view> property_names() {
  std::vector<std::string_view> names;
  for (const Property property : properties()) names.push_back(property_name(property));
  return names;
}

Result<std::vector<Property>> read_properties(const std::vector<std::string>& names) {
  const std::vector<std::string_view> known = property_names();
  std::vector<Property> list;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      return Error{.message = fmt::format("there is no property '{}'{}", name, known_names(name, known)),
                   .key = "--properties"};
    const Property property = properties()[static_cast<std::size_t>(found - known.begin())];
    if (std::find(list.begin(), list.end(), property) != list.end())
      return Error{.message = fmt::format("'{}' is given twice", name), .key = "--properties"};
    list.push_back(property);
  }
  return list;
}

/// Of an allocation file that is audited it is enough to see that.
Result<std::vector<Choice>> read_mechanisms(const Options& options) {
  if (!options.mechanisms.empty()) {
    Result<std::vector<Choice>> choices = read_choices(options.mechanisms, "--mechanism", choose_mechanism);
    if (!choices || !options.files.cluster.empty()) return choices;
    if (is_named(*choices, "given")) {
      return Error{.message = "'given' says what runs on one cluster; name the cluster file",
                   .key = "--mechanism"};
    }
    return choices;
  }
  if (!options.files.allocation.empty()) return std::vector<Choice>{*choose_mechanism("given")};
  return all_mechanisms();
}

/// For how long searches go on; none: until their attempts are made, so that the result is the same
/// everywhere.
std::optional<std::uint64_t> seconds_for(const Options& options) {
  if (options.seconds || options.budget || options.files.cluster.empty()) return options.seconds;
  return kUsualSeconds;
}

std::function<double()> seconds_left(std::optional<std::uint64_t> seconds) {
  if (!seconds) return {};
  using Clock = std::chrono::steady_clock;
  return [end = Clock::now() + std::chrono::seconds(*seconds)] {
    return std::chrono::duration<double>(end - Clock::now()).count();
  };
}

std::string attempts_made(std::uint64_t done, std::uint64_t of) {
  return fmt::format("mirab: {} of at most {} attempts", done, of);
}

/// The witnesses and the result, all or none.
Exit print(const Options& options, std::vector<Text> texts, bool any_witness, bool converged) {
  if (any_witness) {
    if (const Check failure = make_folder(options.witness_dir)) return report_error(*failure, Exit::failed);
  }
  if (const Check failure = write_texts(texts)) return report_error(*failure, Exit::failed);
  return converged ? Exit::done : Exit::not_converged;
}

std::string formatted(const report::AuditRun& audited, const OutputOptions& output) {
  if (output.format == "json") return report::json_text(report::audit_json(audited), 2) + "\n";
  if (output.format == "csv") return report::audit_csv(audited);
  return report::audit_table(audited, columns_of(output.file));
}

std::string formatted(const report::ClaimAuditRun& audited, const OutputOptions& output) {
  if (output.format == "json") return report::json_text(report::claims_json(audited), 2) + "\n";
  if (output.format == "csv") return report::claims_csv(audited);
  return report::claims_table(audited, columns_of(output.file));
}

/// An allocation of more than there is cannot be judged any further.
Error infeasible(Error error) {
  if (error.message.starts_with("more than fits")) error.message = "infeasible: " + error.message;
  return error;
}

/// None of the mechanisms claims any of the properties: nothing was tested.
Error no_claim(const Options& options, const std::vector<Choice>& mechanisms) {
  std::vector<std::string_view> names;
  for (const Choice& mechanism : mechanisms) names.push_back(mechanism.text);
  const std::string who =
      fmt::format("{} {} no claim", fmt::join(names, ", "), names.size() == 1 ? "makes" : "make");
  if (options.properties.empty()) return {.message = who, .key = "--mechanism"};
  return {.message = fmt::format("{} about {}", who, fmt::join(options.properties, ", ")),
          .key = "--properties"};
}

Exit run_claims(const Options& options, const std::vector<Choice>& mechanisms, const AuditOptions& how) {
  const std::uint64_t clusters = options.random > 0 ? options.random : kClustersForClaims;
  const report::ClaimAuditRun audited{clusters, how.budget, how.seed, audit_claims(mechanisms, clusters, how),
                                      options.seconds};
  if (audited.claims.empty()) return report_error(no_claim(options, mechanisms));
  std::vector<Text> witnesses;
  for (const ClaimAudit& each : audited.claims)
    add_witness(witnesses, options.witness_dir, each.mechanism, each.verdict);
  const bool any_witness = !witnesses.empty();
  witnesses.push_back({options.output.file, formatted(audited, options.output)});
  return print(options, std::move(witnesses), any_witness, true);
}

Exit run(const Options& options) {
  if (const Check wrong = check_options(options)) return report_error(*wrong);
  Result<std::vector<Choice>> mechanisms = read_mechanisms(options);
  if (!mechanisms) return report_error(mechanisms.error());
  const Result<std::vector<Property>> properties = read_properties(options.properties);
  if (!properties) return report_error(properties.error());
  const AuditOptions how{.properties = *properties,
                         .budget = options.budget.value_or(AuditOptions{}.budget),
                         .seed = options.seed,
                         .conditions = read_conditions(options.assumed),
                         .threads = options.threads,
                         .progress = progress_line(attempts_made),
                         .seconds_left = seconds_left(seconds_for(options))};
  if (options.claims) return run_claims(options, *mechanisms, how);

  const std::string drawn = fmt::format("{} random clusters", options.random);
  report::AuditRun audited{options.report.title.empty() ? drawn : options.report.title,
                           asked_properties(how, any_honours_groups(*mechanisms)),
                           how.budget,
                           how.seed,
                           {},
                           seconds_for(options)};
  if (options.random > 0) {
    audited.mechanisms = audit_random(*mechanisms, options.random, how);
  } else {
    const Result<Problem> as_it_is = read_problem(options.files);
    if (!as_it_is) return report_error(infeasible(as_it_is.error()));
    const Result<Problem> problem =
        as_divided({.problem = *as_it_is, .mechanisms = *mechanisms}, options.files.alike, {});
    if (!problem) return report_error(problem.error());
    if (const std::optional<Merged>& merged = problem->cluster().merged)
      report_notes({fmt::format("{} servers that are alike count as {} {}: the audit is of these",
                                merged->nodes, merged->classes, merged->classes == 1 ? "entry" : "entries")});
    const bool asked = options.mechanisms.empty() || !options.files.allocation.empty();
    if (asked && problem->running() && !is_named(*mechanisms, "given"))
      mechanisms->push_back(*choose_mechanism("given"));
    audited.title = name_of(options.report, *problem, options.files.cluster);
    audited.properties = asked_properties(how, !problem->tree().is_flat());
    audited.mechanisms = audit(*problem, *mechanisms, how);
  }
  bool converged = true;
  std::vector<Text> witnesses;
  for (const MechanismAudit& each : audited.mechanisms) {
    converged = converged && each.status != Status::not_converged;
    for (const Verdict& verdict : each.verdicts)
      add_witness(witnesses, options.witness_dir, each.mechanism, verdict);
  }
  const bool any_witness = !witnesses.empty();
  witnesses.push_back({options.output.file, formatted(audited, options.output)});
  if (!options.report.file.empty())
    witnesses.push_back(report_page(options.report, "audit", audited.title, report::audit_json(audited)));
  return print(options, std::move(witnesses), any_witness, converged);
}

void add_options(CLI::App& command, Options& options) {
  command
      .add_option("CLUSTER", options.files.cluster,
                  "The cluster file, in YAML or JSON; - reads it from standard input; none with --random and "
                  "--claims")
      ->type_name("FILE");
  add_list_option(
      command, "-m,--mechanism", options.mechanisms,
      "What to audit, with options after a colon; may be repeated; default: all mechanisms (alpha-fair "
      "and alpha-pf-vds with alpha=2), and 'given' where the cluster file has `running`; with --allocation "
      "'given' alone",
      "MECHANISM");
  add_allocation_option(command, options.files.allocation);
  add_teams_option(command, options.files.teams);
  add_alike_option(command, options.files.alike);
  command
      .add_option("--properties", options.properties,
                  fmt::format("Which properties, separated by commas; default: all, those of groups where "
                              "there are groups: {}",
                              fmt::join(property_names(), ", ")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PROPERTY");
  take_whole_number(command.add_option("--random", options.random,
                                       "Test N small random clusters instead of a cluster file"),
                    1, 1'000'000'000);
  take_one_of(add_list_option(command, "--assume", options.assumed,
                              "Draw only clusters in which every user demands every resource, has endless "
                              "tasks, may run everywhere, or takes the same on every server; with one "
                              "resource; without groups, limits, reserves or guarantees, or with guarantees "
                              "of the members of the root only; may be repeated",
                              "CONDITION"),
              {kPositiveDemands, kNoCaps, kNoPlacement, kSameDemand, kOneResource, kNoGroups, kNoLimits,
               kNoReserves, kNoGuarantees, kTopGuarantees});
  command.add_flag("--claims", options.claims,
                   "Test every published claim on random clusters that meet its conditions");
  take_whole_number(
      command.add_option("--budget", options.budget,
                         fmt::format("Attempts in all, spread evenly over the searches; default: {}",
                                     AuditOptions{}.budget)),
      1, kMaxAttempts);
  take_whole_number(
      command.add_option(
          "--seconds", options.seconds,
          fmt::format("End searches after N seconds by the clock, with what they have found by then; "
                      "default: {} for a cluster file without --budget, else without an end",
                      kUsualSeconds)),
      1, kMaxSeconds);
  add_seed_option(command, options.seed);
  add_threads_option(command, options.threads);
  command
      .add_option("--witness-dir", options.witness_dir,
                  "Also write a cluster file for each violation, the smallest that shows it, to this folder")
      ->type_name("FOLDER");
  add_output_options(command, options.output, {"table", "json", "csv"});
  add_report_options(command, options.report);
}

}  // namespace

Command add_audit(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("audit", "Test which fairness properties hold, and show where they fail");
  add_options(*command, *options);

  Manual manual;
  manual.paragraphs = {
      "Divides the cluster by each mechanism and tests the result against the properties of fairness. Where "
      "a property fails, it explains the failure in a sentence and shows the smallest cluster found on "
      "which the property fails. Properties that compare several clusters (strategy-proofness, the "
      "monotonicities, scale invariance) are searched for counterexamples; a search that finds none is not "
      "a proof.",
      "With --random, it tests small random clusters in the same way; with --claims, it tests the published "
      "claims about the mechanisms. The result depends on --seed and --budget, not on --threads; where "
      "searches "
      "end for lack of time it says so, and how far they came depends on the machine."};
  manual.exits = {{0, "done, whatever is found"}, {3, kNotConverged}};
  manual.examples = {
      {"mirab audit examples/textbook.yaml -m drf -m asset -m pf", "What holds on the textbook example"},
      {"mirab audit cluster.yaml --allocation mine.csv", "Is this allocation fair?"},
      {"mirab audit --random 1000 -m asset --properties sharing-incentive --witness-dir out",
       "The smallest cluster on which asset fairness breaks the sharing incentive, as a cluster file"},
      {"mirab audit --claims --budget 200000 --threads 2", "What the papers claim, and what is found"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->report.command = line;
            return run(*options);
          }};
}

}  // namespace mirab::cli
