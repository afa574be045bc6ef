// What plans of purchases and of weights share: the goal, and a problem with few servers.
#include "audit/planning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <gmpxx.h>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include <mirab/audit/teams.hpp>
#include <mirab/model/classes.hpp>

#include "audit/cluster_view.hpp"
#include "audit/findings.hpp"
#include "model/counted_together.hpp"
#include "model/exact.hpp"

namespace mirab {

namespace {

constexpr double kEnough = 1e-6;  // relative: as for users who have all their tasks

// `users` are the task shapes of one user, or all below a group: n tasks, in the proportions in which they
// are asked for.
Result<PlanGoal> goal_of_several(const Problem& problem, const std::string& name,
                                 const std::vector<std::size_t>& users,
                                 const std::optional<Quantity>& tasks) {
  mpq_class asked = 0;
  for (const std::size_t n : users) {
    const User& shape = problem.users()[n];
    if (!shape.tasks)
      return Error{
          .message = fmt::format("'{}' has no number of tasks, so a number for '{}' cannot be divided "
                                 "among {}; name one of them",
                                 shape.name, name, shape.shape ? "its task shapes" : "its users"),
          .key = "--user"};
    asked += rational(*shape.tasks);
  }
  if (tasks && rational(*tasks) > asked)
    return Error{.message = fmt::format("'{}' asks for {} tasks only; no purchase gives it more", name,
                                        number_words(asked.get_d())),
                 .key = "--tasks"};
  PlanGoal goal{.user = name};
  for (const std::size_t n : users) {
    const Quantity& all = *problem.users()[n].tasks;
    if (all.is_zero()) continue;
    goal.tasks.push_back({n, tasks ? rounded_down(rational(all) * rational(*tasks) / asked) : all});
  }
  return goal;
}

}  // namespace

double PlanGoal::all_tasks() const {
  double sum = 0;
  for (const WantedTasks& each : tasks) sum += each.tasks.value();
  return sum;
}

double PlanGoal::tasks_of(const Allocation& allocation) const {
  double sum = 0;
  for (const WantedTasks& each : tasks) sum += allocation.tasks[each.user];
  return sum;
}

Result<PlanGoal> plan_goal(const Problem& problem, const std::string& user,
                           const std::optional<Quantity>& tasks) {
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const User& each = problem.users()[n];
    if (each.name != user) continue;
    if (!tasks && !each.tasks)
      return Error{.message = fmt::format("missing: '{}' asks for no number of tasks", user),
                   .key = "--tasks"};
    return PlanGoal{.user = user, .tasks = {{n, tasks ? *tasks : *each.tasks}}};
  }
  const std::vector<std::size_t> members = users_of_team(problem, user);
  MIRAB_ASSERT(!members.empty(), "a user or group of the problem");
  return goal_of_several(problem, user, members, tasks);
}

double part_of_goal(const PlanGoal& goal, const std::vector<double>& tasks) {
  double part = std::numeric_limits<double>::infinity();
  for (const WantedTasks& each : goal.tasks) part = std::min(part, tasks[each.user] / each.tasks.value());
  return part;
}

bool is_enough(double part) { return part >= 1 - kEnough; }

bool is_less(double part, double than) { return part < than * (1 - kEnough); }

std::string most_words(const PlanGoal& goal, double part) {
  if (goal.tasks.size() == 1)
    return fmt::format("{} tasks", number_words(part * goal.tasks[0].tasks.value()));
  return fmt::format("{:.4g}% of what is wanted of each task shape or user", 100 * part);
}

namespace {

// Of a resource, by one task on some server where it may run; where it may run nowhere yet, as the user says.
double least_demand(const Problem& problem, std::size_t user, std::size_t r) {
  std::optional<double> least;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (!problem.eligible(user, i)) continue;
    const double demand = problem.demand(user, i)[r].value();
    least = std::min(least.value_or(demand), demand);
  }
  return least.value_or(problem.users()[user].demand[r].value());
}

// A limit that is less than what all tasks of a goal take together below its node.
struct LowLimit {
  std::size_t node, resource;
  double limit, taken;
};

// The nearest to the users first.
std::vector<LowLimit> low_limits(const Problem& problem, const PlanGoal& goal) {
  const Tree& tree = problem.tree();
  std::map<std::size_t, std::vector<double>, std::greater<>> taken;  // a node comes after those around it
  for (const WantedTasks& wanted : goal.tasks) {
    for (const std::size_t node : tree.path(tree.node_of_user(wanted.user))) {
      std::vector<double>& sum = taken[node];
      sum.resize(problem.resource_count());
      for (std::size_t r = 0; r < sum.size(); ++r)
        sum[r] += least_demand(problem, wanted.user, r) * wanted.tasks.value();
    }
  }
  std::vector<LowLimit> low;
  for (const auto& [node, sum] : taken) {
    const std::span<const double> limit = tree.limit(node);
    for (std::size_t r = 0; r < limit.size(); ++r) {
      if (sum[r] > 0 && !is_enough(limit[r] / sum[r])) low.push_back({node, r, limit[r], sum[r]});
    }
  }
  return low;
}

// Not less than it, with at most four decimals: a limit that is enough.
std::string enough_words(double amount) {
  constexpr double kScale = 1e4, kOfSums = 1e-12;
  return fmt::format("{}", std::ceil(amount * kScale * (1 - kOfSums)) / kScale);
}

// Of all tasks that are asked for below a node; nothing where somebody asks without end.
std::optional<double> asked_below(const Problem& problem, std::size_t node, std::size_t r) {
  double sum = 0;
  for (const std::size_t n : users_below(problem.tree(), node)) {
    const std::optional<Quantity>& tasks = problem.users()[n].tasks;
    const double demand = least_demand(problem, n, r);
    if (!tasks && demand > 0) return {};
    if (tasks) sum += demand * tasks->value();
  }
  return sum;
}

std::string key_of_limit(const Problem& problem, const LowLimit& low) {
  const Tree& tree = problem.tree();
  return fmt::format("{}[{}].limit.{}", tree.is_user(low.node) ? "users" : "groups",
                     tree.is_user(low.node) ? tree.user_at(low.node) : tree.group_at(low.node),
                     problem.resources()[low.resource]);
}

}  // namespace

Check check_goal(const Problem& problem, const Mechanism& row, const PlanGoal& goal) {
  MIRAB_ASSERT(!goal.tasks.empty(), "a goal has tasks");
  if (!row.is_rule)
    return Error{.message = "what runs now follows no rule, so nothing can be planned by it",
                 .key = "--mechanism"};
  for (const WantedTasks& wanted : goal.tasks) {
    MIRAB_ASSERT(wanted.user < problem.user_count(), "a user of the problem");
    const User& user = problem.users()[wanted.user];
    if (user.tasks && wanted.tasks > *user.tasks)
      return Error{.message = fmt::format("'{}' asks for {} {} only; no purchase gives it more", user.name,
                                          user.tasks->text(), *user.tasks == Quantity(1) ? "task" : "tasks"),
                   .key = "--tasks"};
  }
  const std::vector<LowLimit> low = row.accepts.groups ? low_limits(problem, goal) : std::vector<LowLimit>{};
  if (low.empty()) return {};
  double part = 1;
  std::vector<std::string> words, raised;
  for (const LowLimit& each : low) {
    part = std::min(part, each.limit / each.taken);
    raised.push_back(fmt::format("the limit of '{}' to at least {} {}", node_name(problem, each.node),
                                 enough_words(each.taken), problem.resources()[each.resource]));
    words.push_back(fmt::format("the limit of '{}' is {} {}, and what is wanted takes {}",
                                node_name(problem, each.node), number_words(each.limit),
                                problem.resources()[each.resource], number_words(each.taken)));
  }
  return Error{.message = fmt::format("no purchase and no weight gives '{}' more than {}: {}; raise first {}",
                                      goal.user, most_words(goal, part), fmt::join(words, "; "),
                                      fmt::join(raised, " and ")),
               .key = key_of_limit(problem, low.front())};
}

std::string limits_that_hold(const Problem& problem, const Outcome& outcome, const PlanGoal& goal) {
  const Stops stops(problem, outcome);
  std::vector<std::string> words;
  for (const WantedTasks& wanted : goal.tasks) {
    if (is_enough(outcome.allocation.tasks[wanted.user] / wanted.tasks.value())) continue;
    const Stop stop = stops.of(wanted.user);
    if (stop.kind != StopKind::limit) return {};
    const std::vector<std::size_t> nodes = nodes_of(stop);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const std::size_t r : stop.reached[i]) {
        const std::optional<double> asked = asked_below(problem, nodes[i], r);
        std::string limit =
            fmt::format("the limit of '{}' on {}", node_name(problem, nodes[i]), problem.resources()[r]);
        if (asked) limit += fmt::format(" ({} is all that is asked for there)", enough_words(*asked));
        if (std::find(words.begin(), words.end(), limit) == words.end()) words.push_back(std::move(limit));
      }
    }
  }
  return fmt::format("{}", fmt::join(words, " and "));
}

namespace {

// Kinds that are new keep their names, unless an entry is called so now.
Result<SearchedCluster> counted_cluster(const Problem& problem, std::vector<ServerKind> kinds,
                                        const Quantity& alike) {
  CountedTogether counted = counted_together(problem, rational(alike));
  counted.cluster.running.reset();
  const std::vector<Server>& entries = counted.cluster.servers;
  const auto is_entry = [&](const std::string& name) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const Server& entry) { return entry.name == name; });
  };
  std::unordered_map<std::string_view, std::size_t> entry_of;
  for (std::size_t i = 0; i < problem.server_count(); ++i)
    entry_of.emplace(problem.servers()[i].name, counted.entry_of[i]);
  for (ServerKind& kind : kinds) {
    if (!kind.fresh) kind.name = entries[entry_of.at(kind.name)].name;
    while (kind.fresh && is_entry(kind.name)) kind.name += "'";
  }
  Result<Problem> merged = Problem::from(std::move(counted.cluster));
  if (!merged)
    return Error{.message = fmt::format("servers cannot count together, since then {} {}", merged.error().key,
                                        merged.error().message),
                 .key = "--alike"};
  return SearchedCluster{*std::move(merged), std::move(kinds)};
}

}  // namespace

Result<SearchedCluster> searched_cluster(const Problem& problem, std::vector<ServerKind> kinds,
                                         const std::optional<Quantity>& alike) {
  if (alike) return counted_cluster(problem, std::move(kinds), *alike);
  Cluster cluster = problem.cluster();
  cluster.running.reset();
  std::unordered_map<std::string, std::string> stands_for;  // an entry that goes, and the one that it joins
  for (const ServerClass& one_kind : merge(problem, MergeUsers::equal, MergeServers::equal).servers) {
    Server& first = cluster.servers[one_kind.members[0]];
    for (std::size_t member = 1; member < one_kind.members.size(); ++member) {
      const Server& other = cluster.servers[one_kind.members[member]];
      if (__builtin_add_overflow(first.count, other.count, &first.count))
        return Error{.message = "more servers than can be counted", .key = "--kind"};
      stands_for.emplace(other.name, first.name);
    }
  }
  const auto goes = [&](const std::string& server) { return stands_for.contains(server); };
  std::erase_if(cluster.servers, [&](const Server& server) { return goes(server.name); });
  for (User& user : cluster.users) {
    if (user.servers) std::erase_if(*user.servers, goes);
    std::erase_if(user.not_servers, goes);
    std::erase_if(user.demand_on, [&](const auto& each) { return goes(each.first); });
  }
  for (ServerKind& kind : kinds) {
    if (goes(kind.name)) kind.name = stands_for.at(kind.name);
  }
  Result<Problem> merged = Problem::from(std::move(cluster));
  if (!merged) return merged.error();
  return SearchedCluster{*std::move(merged), std::move(kinds)};
}

PlanOptions as_they_are(PlanOptions options) {
  options.alike.reset();
  return options;
}

Result<Plan> finished_plan(const Choice& choice, Result<Problem> changed, Outcome before,
                           const Execution& execution) {
  if (!changed) return changed.error();
  Result<Outcome> after = allocate(*changed, choice, execution);
  if (!after) return after.error();
  return Plan{.before = std::move(before), .problem = *std::move(changed), .after = *std::move(after)};
}

}  // namespace mirab
