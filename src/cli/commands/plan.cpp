// The command `plan`, and the file of kinds of servers with prices.
#include "report/outcome/plan.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include <mirab/audit/plan.hpp>
#include <mirab/model/cluster_file.hpp>

#include "audit/cluster_view.hpp"
#include "cli/io/alike.hpp"
#include "cli/io/cluster_notices.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "model/counted_together.hpp"
#include "model/document.hpp"
#include "model/eligibility.hpp"
#include "model/exact.hpp"
#include "model/field_reader.hpp"
#include "model/names.hpp"
#include "report/outcome/comparison.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

struct PlanFlags {
  ClusterFiles files;
  std::string user;
  std::string tasks;  ///< empty: all that it asks for
  std::vector<std::string> kinds;
  std::string kinds_file;
  bool weights = false;
  std::string mechanism;
  std::string changed;  ///< the file of the cluster after the change; empty for none
  std::optional<std::size_t> solves;
  std::size_t most = 10;
  int threads = 1;
  OutputOptions output;
  ReportOptions report;
};

Check check_plan_flags(const PlanFlags& options) {
  if (options.weights && (!options.kinds.empty() || !options.kinds_file.empty())) {
    return Error{.message = "looks for a weight and buys no servers; leave out --kind and --kinds, or this",
                 .key = "--weights"};
  }
  return check_destinations(
      {{"-o", options.output.file}, {"--report", options.report.file}, {"--changed", options.changed}},
      {options.files.cluster, options.kinds_file, options.files.teams});
}

/// Null when the cluster has none of that name.
const Server* entry_of(const Problem& problem, const std::string& name) {
  const auto entry = std::find_if(problem.servers().begin(), problem.servers().end(),
                                  [&](const Server& server) { return server.name == name; });
  return entry == problem.servers().end() ? nullptr : &*entry;
}

/// Entries of servers that may be bought again, by name.
struct Entries {
  std::vector<std::string> unlike = {};  ///< one of those that count together, where --alike is asked for
  /// What entries that count together are called, and the first of them.
  std::map<std::string, std::string> together = {};

  /// A server entry of the cluster, where the name is that of several; else the name.
  const std::string& one_of(const std::string& name) const {
    const auto entry = together.find(name);
    return entry == together.end() ? name : entry->second;
  }
};

Result<Entries> entries_of(const Problem& problem, const std::string& alike) {
  Entries entries;
  CountedTogether counted{.cluster = problem.cluster(), .entry_of = {}};
  if (!alike.empty()) {
    const Result<mpq_class> tolerance = read_alike(alike);
    if (!tolerance) return tolerance.error();
    counted = counted_together(problem, *tolerance);
  }
  std::vector<bool> known(counted.cluster.servers.size());
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    const std::size_t entry = counted.entry_of.empty() ? i : counted.entry_of[i];
    if (known[entry]) continue;
    known[entry] = true;
    const std::string& name = problem.servers()[i].name;
    const std::string& called = counted.cluster.servers[entry].name;
    entries.unlike.push_back(name);
    if (called != name && entry_of(problem, called) == nullptr) entries.together.emplace(called, name);
  }
  return entries;
}

struct Offer {
  ServerKind kind;
  bool has_price = false;  // of the file or a flag
};

// One kind of the file: an entry of the cluster by its name, or a new one with its capacity.
Offer read_kind(FieldReader& reader, const Node& node, const std::string& key, const Problem& problem,
                const Entries& entries) {
  static constexpr std::array<std::string_view, 5> kKeys = {"name", "capacity", "price", "labels", "taints"};
  Offer offer;
  ServerKind& kind = offer.kind;
  if (!reader.expect_map(node, key, kKeys)) return offer;
  kind.name = entries.one_of(reader.text(reader.required(node, key, "name"), key + ".name"));
  if (const Node* price = node.find("price")) {
    kind.price = reader.amount(*price, key + ".price");
    offer.has_price = true;
    if (kind.price.is_zero()) reader.fail(key + ".price", "must be more than 0", price->line);
  }
  const Node* capacity = node.find("capacity");
  if (reader.failed()) return offer;
  if (entry_of(problem, kind.name) != nullptr) {
    if (capacity != nullptr || node.find("labels") != nullptr || node.find("taints") != nullptr)
      reader.fail(
          key,
          fmt::format("'{}' is a server entry of the cluster, which has its capacity, labels and taints; "
                      "leave them out, or take another name",
                      kind.name),
          node.line);
    return offer;
  }
  if (capacity == nullptr) {
    std::vector<std::string_view> names;
    for (const Server& server : problem.servers()) names.push_back(server.name);
    reader.fail(key,
                fmt::format("'{}' is no server entry of the cluster{}; a new kind needs its capacity",
                            kind.name, known_names(kind.name, names)),
                node.line);
    return offer;
  }
  Server server{.name = kind.name,
                .capacity = reader.amounts(*capacity, key + ".capacity", problem.resources())};
  if (const Node* labels = node.find("labels")) server.labels = reader.labels(*labels, key + ".labels");
  if (const Node* taints = node.find("taints")) server.taints = reader.taints(*taints, key + ".taints");
  kind.fresh = std::move(server);
  return offer;
}

Result<std::vector<Offer>> read_kinds_file(const std::string& file, const Problem& problem,
                                           const Entries& entry_names) {
  const Result<InputText> input = read_input(file);
  if (!input) return input.error();
  const Result<Node> document = read_document(input->text, input->syntax, input->name);
  if (!document) return document.error();
  FieldReader reader(input->name);
  static constexpr std::array<std::string_view, 2> kKeys = {"version", "kinds"};
  std::vector<Offer> kinds;
  if (reader.expect_map(*document, "", kKeys)) {
    const Node& list = reader.required(*document, "", "kinds");
    const std::vector<Node::Entry>& entries = reader.list(list, "kinds");
    if (!reader.failed() && entries.empty()) reader.fail("kinds", "at least one kind", list.line);
    for (std::size_t i = 0; i < entries.size() && !reader.failed(); ++i) {
      const std::string key = fmt::format("kinds[{}]", i);
      Offer offer = read_kind(reader, entries[i].value, key, problem, entry_names);
      const bool known = std::any_of(kinds.begin(), kinds.end(),
                                     [&](const Offer& other) { return other.kind.name == offer.kind.name; });
      if (known && !reader.failed())
        reader.fail(key + ".name", fmt::format("'{}' is given twice", offer.kind.name),
                    entries[i].value.line);
      kinds.push_back(std::move(offer));
    }
  }
  if (reader.error()) return *reader.error();
  return kinds;
}

// `NAME` or `NAME=PRICE`, one of `known`, or what several of them are called together.
Result<Offer> chosen_kind(const std::string& text, const std::vector<Offer>& known, const Entries& entries) {
  std::vector<std::string_view> names;
  for (const auto& [called, first] : entries.together) names.push_back(called);
  for (const Offer& offer : known) names.push_back(offer.kind.name);
  const auto named = [&](const std::string& name) {
    return std::find_if(known.begin(), known.end(),
                        [&](const Offer& offer) { return offer.kind.name == entries.one_of(name); });
  };
  if (const auto offer = named(text); offer != known.end()) return *offer;
  const std::size_t equals = text.rfind('=');
  const std::string name = text.substr(0, equals);
  const auto found = named(name);
  if (found == known.end())
    return Error{
        .message = fmt::format("there is no server entry or kind '{}'{}", name, known_names(name, names)),
        .key = "--kind"};
  Offer offer = *found;
  const Result<Quantity> price = Quantity::parse(text.substr(equals + 1));
  if (!price)
    return Error{.message = fmt::format("price of '{}': {}", name, price.error().message), .key = "--kind"};
  if (price->is_zero())
    return Error{.message = fmt::format("the price of '{}' must be more than 0", name), .key = "--kind"};
  offer.kind.price = *price;
  offer.has_price = true;
  return offer;
}

// A price of 1 next to prices in money would make a kind nearly free.
Check check_prices(const std::vector<Offer>& offers, const std::string& key) {
  const auto priced =
      std::find_if(offers.begin(), offers.end(), [](const Offer& offer) { return offer.has_price; });
  const auto unpriced =
      std::find_if(offers.begin(), offers.end(), [](const Offer& offer) { return !offer.has_price; });
  if (priced == offers.end() || unpriced == offers.end()) return {};
  return Error{.message = fmt::format("'{}' has no price and '{}' has one; give every kind a price, or none",
                                      unpriced->kind.name, priced->kind.name),
               .key = key};
}

/// Those that are named; without names all of the file, or without a file all server entries that are not
/// overfull, at a price of 1; of those that count together one, where they do.
Result<std::vector<ServerKind>> read_kinds(const PlanFlags& options, const Problem& problem,
                                           bool count_together) {
  const Result<Entries> entries = entries_of(problem, options.files.alike);
  if (!entries) return entries.error();
  std::vector<Offer> known;
  if (!options.kinds_file.empty()) {
    Result<std::vector<Offer>> of_file = read_kinds_file(options.kinds_file, problem, *entries);
    if (!of_file) return of_file.error();
    known = *std::move(of_file);
  }
  std::vector<Offer> chosen;
  if (options.kinds.empty()) chosen = known;
  for (const Server& server : problem.servers()) {
    const bool listed = std::any_of(known.begin(), known.end(),
                                    [&](const Offer& offer) { return offer.kind.name == server.name; });
    if (!listed) known.push_back({.kind = {.name = server.name}});
  }
  if (options.kinds.empty() && options.kinds_file.empty()) {
    std::vector<std::string> names = entries->unlike;
    if (!count_together) {
      names.clear();
      for (const Server& server : problem.servers()) names.push_back(server.name);
    }
    for (const std::string& name : names) {
      if (!entry_of(problem, name)->is_overfull) chosen.push_back({.kind = {.name = name}});
    }
    if (chosen.empty())
      return Error{.message =
                       "every server is overfull: its capacity is what runs there, more than such a "
                       "server has, so none is bought again; give kinds with their capacity, with "
                       "--kinds FILE",
                   .key = "--kinds"};
  }
  for (const std::string& text : options.kinds) {
    const Result<Offer> offer = chosen_kind(text, known, *entries);
    if (!offer) return offer.error();
    if (std::any_of(chosen.begin(), chosen.end(),
                    [&](const Offer& other) { return other.kind.name == offer->kind.name; }))
      return Error{.message = fmt::format("'{}' is given twice", offer->kind.name), .key = "--kind"};
    chosen.push_back(*offer);
  }
  if (Check wrong = check_prices(chosen, options.kinds.empty() ? "--kinds" : "--kind"))
    return *std::move(wrong);
  std::vector<ServerKind> kinds;
  for (Offer& offer : chosen) kinds.push_back(std::move(offer.kind));
  return kinds;
}

Result<std::optional<Quantity>> read_wanted_tasks(const std::string& text) {
  if (text.empty()) return std::optional<Quantity>();
  const Result<Quantity> tasks = Quantity::parse(text);
  if (tasks && !tasks->is_zero()) return std::optional(*tasks);
  return Error{.message = tasks ? "must be more than 0" : tasks.error().message, .key = "--tasks"};
}

std::string formatted(const report::PlanReport& plan, const PlanFlags& options,
                      const nlohmann::ordered_json& data) {
  if (options.output.format == "json") return report::json_text(data, 2) + "\n";
  if (options.output.format == "csv") return report::plan_csv(plan);
  return report::plan_table(plan, options.most, terminal_of(options.output.file));
}

/// The result, the cluster after the change and the page: all or none.
Exit write_plan(const report::PlanReport& plan, const PlanFlags& options) {
  const nlohmann::ordered_json data = report::plan_json(plan);
  std::vector<Text> texts{{options.output.file, formatted(plan, options, data)}};
  if (!options.changed.empty()) {
    const double tasks = plan.goal.all_tasks();
    const std::string made =
        fmt::format("{}, so that {} gets {:.15g} {} under {}", title_of(options.files.cluster), options.user,
                    tasks, tasks == 1 ? "task" : "tasks", plan.plan.after.mechanism);
    Cluster changed = plan.plan.problem.cluster();
    changed.running = plan.problem.cluster().running;  // more servers, or another weight, leave it as it is
    texts.push_back({options.changed, write_cluster_yaml(changed, {made})});
  }
  if (!options.report.file.empty()) texts.push_back(report_page(options.report, "plan", plan.title, data));
  if (const Check failure = write_texts(texts)) return report_error(*failure, Exit::failed);
  return plan.plan.after.status == Status::not_converged ? Exit::not_converged : Exit::done;
}

// A mechanism divides tasks, and a part of one runs nowhere.
std::optional<Error> unplaceable_goal(const Problem& problem, const PlanGoal& goal,
                                      std::string_view servers) {
  for (const WantedTasks& wanted : goal.tasks) {
    if (std::optional<Error> large = unplaceable_task(problem, wanted.user, servers)) return large;
  }
  return {};
}

// The same with one more server of each new kind. What is wrong with a kind as such is for the plan to say.
std::optional<Error> unplaceable_goal(const Problem& problem, const PlanGoal& goal,
                                      const std::vector<ServerKind>& kinds) {
  Cluster cluster = problem.cluster();
  cluster.running.reset();
  for (const ServerKind& kind : kinds) {
    if (!kind.fresh) continue;
    Server server = *kind.fresh;
    server.name = kind.name;
    add_server(cluster, problem, std::move(server));
  }
  const Result<Problem> offered = Problem::from(std::move(cluster));
  if (!offered) return {};
  return unplaceable_goal(*offered, goal,
                          kinds.empty() ? "no server" : "no server that is there or on offer");
}

Exit run_plan(const PlanFlags& options) {
  if (const Check wrong = check_plan_flags(options)) return report_error(*wrong);
  const Result<std::optional<Quantity>> tasks = read_wanted_tasks(options.tasks);
  if (!tasks) return report_error(tasks.error());
  const Result<Problem> problem = read_problem(options.files);
  if (!problem) return report_error(problem.error());
  print_guarantee_slips(options.files, *problem);
  const Recommendation taken = recommended(*problem);
  Result<Choice> mechanism = taken.choice;
  if (!options.mechanism.empty()) {
    mechanism = read_choice(options.mechanism, "--mechanism", choose_mechanism);
    if (!mechanism) return report_error(mechanism.error());
  } else if (const Check none = check_recommended(taken, options.files.cluster)) {
    return report_error(*none);
  }
  if (users_of_team(*problem, options.user).empty()) {
    const Result<std::size_t> user = find_user(*problem, options.user, options.files.cluster, "--user");
    if (!user) return report_error(user.error());
  }
  const Result<PlanGoal> goal = plan_goal(*problem, options.user, *tasks);
  if (!goal) return report_error(goal.error());
  PlanOptions how{
      .solves = options.solves, .alike = {}, .execution = {.threads = options.threads}, .progress = {}};
  if (!options.files.alike.empty()) {
    const Result<Problem> searched =
        as_divided({.problem = *problem, .mechanisms = {*mechanism}}, options.files.alike, how.execution);
    if (!searched) return report_error(searched.error());
    if (searched->server_count() < problem->server_count())
      how.alike = rounded_down(*read_alike(options.files.alike));
  }
  std::vector<ServerKind> kinds;
  if (!options.weights) {
    Result<std::vector<ServerKind>> read = read_kinds(options, *problem, how.alike.has_value());
    if (!read) return report_error(read.error());
    kinds = *std::move(read);
  }
  if (const std::optional<Error> large = unplaceable_goal(*problem, *goal, kinds))
    return report_error(with_cluster_position(options.files, *large));
  if (shows_progress())
    how.progress = [](std::size_t done) { show_progress(fmt::format("mirab: {} changes tried", done)); };
  Result<Plan> plan = options.weights ? plan_weight(*problem, *mechanism, *goal, how)
                                      : plan_purchase(*problem, *mechanism, *goal, kinds, how);
  if (shows_progress()) show_progress("");
  if (!plan) {
    const bool of_option = plan.error().key.starts_with("--");
    return report_error(of_option ? plan.error() : with_cluster_position(options.files, plan.error()));
  }
  if (std::optional<Error> large =
          unplaceable_goal(plan->problem, *goal, "no server that is there or that the plan buys")) {
    large->message += "; offer only kinds that hold one, with --kind";
    return report_error(with_cluster_position(options.files, *std::move(large)));
  }
  print_merged(options.output.format, plan->problem, plan->after);
  if (options.mechanism.empty()) plan->after.notices.push_back(choice_notice(taken, options.files));
  return write_plan({name_of(options.report, *problem, options.files.cluster), *problem, *goal, kinds, *plan},
                    options);
}

}  // namespace

Command add_plan(CLI::App& app) {
  auto options = std::make_shared<PlanFlags>();
  CLI::App* command =
      app.add_subcommand("plan", "Find the cheapest servers, or the weight, that give a user its tasks");
  add_cluster_argument(*command, options->files.cluster);
  add_teams_option(*command, options->files.teams);
  add_alike_option(*command, options->files.alike);
  command
      ->add_option("--user", options->user,
                   "Who should get more: a user, with all its task shapes, one of them as USER/SHAPE, or a "
                   "group, with all users below it")
      ->required()
      ->type_name("USER");
  command
      ->add_option(
          "--tasks", options->tasks,
          "How many tasks it should get; of a user with task shapes or a group, divided among all of "
          "it in the proportions of the file; default: all that it asks for")
      ->type_name("NUMBER");
  add_list_option(
      *command, "--kind", options->kinds,
      "A server entry of the cluster, or of --kinds, that can be bought, and the price of one "
      "(default 1); may be repeated; default: all of --kinds, or all entries that are not overfull",
      "SERVER[=PRICE]");
  command->add_option("--kinds", options->kinds_file, "Kinds of servers that can be bought, with prices")
      ->type_name("FILE");
  command->add_flag("--weights", options->weights, "Buy nothing: find the smallest weight of the user");
  command
      ->add_option("-m,--mechanism", options->mechanism,
                   "How to divide, with options after a colon (alpha-fair:alpha=2); default: what 'mirab "
                   "mechanisms --for CLUSTER' recommends")
      ->type_name("MECHANISM");
  take_whole_number(
      command->add_option("--solves", options->solves,
                          "Try at most N purchases to prove that none is cheaper; default: 1000 where that "
                          "proves it, else 200"),
      1, 10'000'000);
  take_whole_number(command
                        ->add_option("--top", options->most,
                                     "Show at most this many users who gain, and as many who lose (table)")
                        ->capture_default_str(),
                    1);
  command->add_option("--changed", options->changed, "Also write the cluster after the change to FILE")
      ->type_name("FILE");
  add_threads_option(*command, options->threads);
  add_output_options(*command, options->output, {"table", "json", "csv"});
  add_report_options(*command, options->report);

  Manual manual;
  manual.paragraphs = {
      "Looks for the cheapest servers of the given kinds with which the mechanism gives a user a number of "
      "tasks, by dividing the cluster with each purchase that is tried. Shows what to buy, its price, and "
      "what "
      "every user gets before and after. Shares on both sides are of the cluster before.",
      "Purchases are tried in the order of their price, so that the first that is enough is the cheapest: "
      "more "
      "servers may bring a user less, and no shortcut is sound. Of one kind every smaller number is tried. "
      "Of several kinds, where --solves are not enough, the plan is the best that was found, and says how "
      "much more it costs at most than the cheapest.",
      "With --weights it looks for the smallest weight of the user or group instead, in four digits. Tasks "
      "are "
      "divisible "
      "here: 'mirab fill' with the file of --changed places whole ones."};
  manual.exits = {{3, kNotConverged}};
  manual.examples = {
      {"mirab plan examples/team-cluster.yaml --user training --tasks 12 --kind gpu-large=60000 --kind "
       "gpu-small=25000",
       "What to buy so that training gets 12 tasks"},
      {"mirab plan cluster.yaml --user alice --tasks 40 --kinds prices.yaml --report plan.html",
       "Kinds and prices from a file; a page to show"},
      {"mirab plan cluster.yaml --user alice --tasks 40 --weights", "Which weight would do"},
      {"mirab plan cluster.yaml --user checkout", "All tasks that checkout asks for, of each of its shapes"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->report.command = line;
            return run_plan(*options);
          }};
}

}  // namespace mirab::cli
