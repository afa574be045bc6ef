// Progressive filling with whole tasks (Ghodsi et al. 2011, algorithm 1; on many servers Östman,
// section 4.1): the engine with the tasks of all users submitted at once, until it has nothing more to place.
#include <fmt/format.h>
#include <map>
#include <utility>

#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/fill.hpp>

#include "model/eligibility.hpp"
#include "model/merged_notice.hpp"
#include "scheduling/fill/engine_groups.hpp"
#include "scheduling/fill/integer_problem.hpp"
#include "scheduling/fill/lowest_share_tracker.hpp"
#include "scheduling/ledger/groups.hpp"
#include "scheduling/ledger/slots.hpp"
#include "scheduling/order/disciplines.hpp"

namespace mirab {
namespace scheduling {
namespace {

constexpr std::int64_t kProgressEvery = 8192;  // placements; about a second at the slowest

Amounts amounts(std::span<const std::int64_t> units) { return {units.begin(), units.end()}; }

/// The user's tasks as a job. Requires that there are some.
JobSubmitted job_of(const IntegerProblem& cluster, std::size_t n, UserId user) {
  const User& of = cluster.problem().users()[n];
  const std::vector<Server>& servers = cluster.problem().servers();
  NamesAndValues where = as_names_and_values(of, servers);
  JobSubmitted job{.user = user,
                   .demand = amounts(cluster.demand(n)),
                   .tasks = cluster.task_limit(n),
                   .servers = std::move(where.servers),
                   .select = std::move(where.select)};
  for (std::size_t i = 0; i < servers.size() && !of.demand_on.empty(); ++i) {
    if (of.demand_on.contains(servers[i].name))
      job.demand_on[servers[i].name] = amounts(cluster.demand(cluster.task(n, i)));
  }
  return job;
}

/// Whether the tree of a problem counts.
enum class Groups { honour, ignore };

class Filling {
 public:
  Filling(const IntegerProblem& cluster, Engine engine, Groups groups, bool trace)
      : cluster_(cluster),
        engine_(std::move(engine)),
        has_tree_(groups == Groups::honour && has_tree(cluster.problem())),
        trace_(trace),
        poorest_(cluster),
        is_eligible_(eligible_somewhere(cluster.problem())),
        jobs_(cluster.user_count()),
        placed_on_(cluster.user_count()) {
    add_servers();
    if (has_tree_) add_tree();
    submit_all();
  }

  /// Is there more than users with a weight?
  static bool has_tree(const Problem& problem) {
    return !problem.tree().is_flat() || problem.has_zero_weight();
  }

  Outcome run(Random& random, const FillProgress& progress) {
    while (const std::optional<Placed> placed = engine_.step(now_, random)) {
      record(*placed);
      if (progress && placed_ % kProgressEvery == 0) progress(placed_);
    }
    const std::string broken = engine_.broken_invariant();
    MIRAB_ASSERT(broken.empty(), broken.c_str());
    Outcome outcome = this->outcome();
    outcome.filling->seed = random.seed();
    return outcome;
  }

 private:
  void add_servers() {
    const std::vector<Server>& servers = cluster_.problem().servers();
    for (std::size_t i = 0; i < servers.size(); ++i) {
      first_servers_.push_back(entries_.size());
      for (std::int64_t instance = 0; instance < servers[i].count; ++instance) {
        const auto added = engine_.apply(ServerAdded{.name = servers[i].name,
                                                     .capacity = amounts(cluster_.capacity(i)),
                                                     .labels = servers[i].labels},
                                         now_);
        MIRAB_ASSERT(added && number(*added) == entries_.size(), "servers are numbered as they come");
        entries_.push_back(i);
      }
    }
  }

  std::int64_t units(std::size_t r, const Quantity& amount) const { return cluster_.units(r, amount); }

  void add_tree() {
    groups_ = in_units(cluster_.problem().groups(),
                       [&](std::size_t r, const Quantity& amount) { return units(r, amount); });
    Result<std::vector<GroupId>> added = add_groups(engine_, groups_, now_, notices_);
    MIRAB_ASSERT(static_cast<bool>(added), "groups that check_groups() accepts can be added");
    group_ids_ = *std::move(added);
    for (std::size_t g = 0; g < groups_.size(); ++g) ids_by_name_.emplace(groups_[g].name, group_ids_[g]);
  }

  UserAdded user_added(const User& user) const {
    UserAdded added{.name = user.name, .weight = user.weight};
    if (!has_tree_) return added;
    const UnitQuota quota =
        in_units(user.quota, [&](std::size_t r, const Quantity& amount) { return units(r, amount); });
    if (user.group) added.group = ids_by_name_.at(*user.group);
    added.guarantee = quota.guarantee;
    added.limit = quota.limit;
    added.reserved = quota.reserved;
    return added;
  }

  void submit_all() {
    const std::vector<User>& users = cluster_.problem().users();
    std::vector<UserId> ids;
    for (const User& user : users) {
      UserAdded event = user_added(user);
      auto added = engine_.apply(event, now_);
      if (!added) {
        notices_.push_back(
            fmt::format("the guarantee and limits of the user '{}' are not honoured: {}, in whole units",
                        user.name, added.error().message));
        event.guarantee = event.limit = event.reserved = {};
        added = engine_.apply(event, now_);
      }
      MIRAB_ASSERT(static_cast<bool>(added), "the users of a valid problem can be added");
      ids.push_back(*added);
    }
    if (has_tree_) bound_groups(engine_, groups_, group_ids_, now_, notices_);
    for (std::size_t n = 0; n < users.size(); ++n) {
      const std::optional<UserId> user = ids[n];
      MIRAB_ASSERT(user && number(*user) == n, "users are numbered as they come");
      if (cluster_.task_limit(n) == 0 || !is_eligible_[n]) {  // who waits for a server holds up nobody
        poorest_.leave(n);
        continue;
      }
      const auto job = engine_.apply(job_of(cluster_, n, *user), now_);
      MIRAB_ASSERT(static_cast<bool>(job), "the tasks of a valid problem can be submitted");
      jobs_[n] = *job;
    }
  }

  bool fits(std::size_t user) const { return jobs_[user] && engine_.fits(*jobs_[user]); }

  /// Did the other user's next task fit anywhere before this task was placed?
  bool fitted(std::size_t other, std::size_t user, const Placed& placed) const {
    if (other == user || fits(other)) return true;
    const std::size_t entry = entries_[number(placed.server)];
    if (!jobs_[other] || !cluster_.problem().eligible(other, entry)) return false;
    const Amounts free = engine_.server(placed.server)->free;
    const auto taken = cluster_.demand(cluster_.task(user, entry));
    const auto wanted = cluster_.demand(cluster_.task(other, entry));
    for (std::size_t r = 0; r < free.size(); ++r) {
      if (wanted[r] > free[r] + taken[r]) return false;
    }
    return true;
  }

  void record(const Placed& placed) {
    const std::size_t user = number(placed.user);
    const std::size_t server = number(placed.server);
    const std::size_t entry = entries_[server];
    if (!has_tree_ && poorest_.is_below(user, [&](std::size_t other) { return fitted(other, user, placed); }))
      ++placed_wrongly_;
    poorest_.raise(user, cluster_.task(user, entry));
    if (engine_.job(placed.job)->waiting == 0) poorest_.leave(user);
    ++placed_on_[user][entry];
    ++placed_;
    if (trace_ && placed_ > kMaxSteps) {
      trace_ = false;
      steps_ = {};
      too_long_ = true;
    }
    if (trace_) {
      steps_.push_back({.user = user,
                        .server = entry,
                        .instance = static_cast<std::int64_t>(server - first_servers_[entry]),
                        .share = poorest_.share(user)});
    }
  }

  Unplaced why_no_more(std::size_t user) const {
    if (!is_eligible_[user] && cluster_.task_limit(user) > 0) return Unplaced::no_room;
    if (!jobs_[user] || engine_.job(*jobs_[user])->waiting == 0) return Unplaced::nothing;
    return fits(user) ? Unplaced::blocked : Unplaced::no_room;
  }

  std::vector<double> in_cluster_units(std::span<const std::int64_t> units, std::int64_t times) const {
    std::vector<double> amounts;
    for (std::size_t r = 0; r < units.size(); ++r) amounts.push_back(cluster_.amount(r, units[r] * times));
    return amounts;
  }

  /// Who has how many tasks where, in the cluster's own units.
  Allocation allocation() const {
    const std::vector<Server>& servers = cluster_.problem().servers();
    const std::size_t m = cluster_.resource_count();
    std::vector<Amounts> used(servers.size(), Amounts(m, 0));
    Allocation allocation;
    for (std::size_t n = 0; n < cluster_.user_count(); ++n) {
      std::int64_t total = 0;
      for (const auto& [i, tasks] : placed_on_[n]) {
        const auto demand = cluster_.demand(cluster_.task(n, i));
        for (std::size_t r = 0; r < m; ++r) used[i][r] += tasks * demand[r];
        allocation.grants.add(n, i, static_cast<double>(tasks), in_cluster_units(demand, tasks));
        total += tasks;
      }
      allocation.tasks.push_back(static_cast<double>(total));
    }
    for (std::size_t i = 0; i < servers.size(); ++i) {
      allocation.servers.push_back({.name = servers[i].name,
                                    .count = servers[i].count,
                                    .capacity = in_cluster_units(cluster_.capacity(i), servers[i].count),
                                    .used = in_cluster_units(used[i], 1),
                                    .prices = {}});
    }
    return allocation;
  }

  Outcome outcome() {
    Outcome outcome;
    outcome.certificate.kind = "counted";
    outcome.allocation = allocation();
    FillRecord& record = outcome.filling.emplace();
    record.placed = placed_;
    record.errors = placed_wrongly_;
    for (std::size_t n = 0; n < cluster_.user_count(); ++n) record.unplaced.push_back(why_no_more(n));
    record.steps = std::move(steps_);
    outcome.notices = cluster_.notices();
    outcome.notices.insert(outcome.notices.end(), notices_.begin(), notices_.end());
    for (std::string& notice : oversized_notices(cluster_)) outcome.notices.push_back(std::move(notice));
    if (too_long_) {
      outcome.notices.push_back(
          fmt::format("more than {} tasks were placed: the steps are not recorded", kMaxSteps));
    }
    return outcome;
  }

  static constexpr Time now_ = {};  // nothing here takes time

  const IntegerProblem& cluster_;
  Engine engine_;
  bool has_tree_;
  bool trace_;
  std::vector<UnitGroup> groups_ = {};
  std::vector<GroupId> group_ids_ = {};  // [group]
  std::map<std::string_view, GroupId> ids_by_name_ = {};
  std::vector<std::string> notices_ = {};
  LowestShareTracker poorest_;
  std::vector<std::size_t> entries_;                            // [server]
  std::vector<std::size_t> first_servers_;                      // [entry]
  std::vector<bool> is_eligible_;                               // somewhere, [n]
  std::vector<std::optional<JobId>> jobs_;                      // [n], of those with tasks who are
  std::vector<std::map<std::size_t, std::int64_t>> placed_on_;  // [n], tasks by entry
  std::int64_t placed_ = 0;
  std::int64_t placed_wrongly_ = 0;
  std::vector<FillStep> steps_;
  bool too_long_ = false;  // for a trace
};

/// A weight of 0 counts in a tree only. Where groups are ignored, that of a group is an error too: what it
/// asks for is not done. Where they are honoured, the engine takes them.
Check check_groups(const Problem& problem, Groups groups, const std::string& discipline) {
  const auto check = [&](const Quantity& weight, const std::string& key) -> Check {
    const Result<Weight> read = weight_or_zero_from(weight);
    if (!read) return Error{.message = read.error().message, .key = key};
    if (read->numerator > 0 || groups == Groups::honour) return {};
    return Error{.message = fmt::format(
                     "must be above 0 where groups are ignored, as by {}; `-d drf` honours them", discipline),
                 .key = key};
  };
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (Check bad = check(problem.users()[n].weight, fmt::format("users[{}].weight", n))) return bad;
  }
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    if (Check bad = check(problem.groups()[g].weight, fmt::format("groups[{}].weight", g))) return bad;
  }
  if (groups == Groups::ignore) return {};
  std::map<std::string_view, std::size_t> depths;
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const Group& group = problem.groups()[g];
    const std::size_t depth = group.parent ? depths.at(*group.parent) + 1 : 1;
    if (depth > kMostDepth) {
      return Error{.message = fmt::format("groups are nested {} deep at the most", kMostDepth),
                   .key = fmt::format("groups[{}].parent", g)};
    }
    depths.emplace(group.name, depth);
  }
  return {};
}

}  // namespace
}  // namespace scheduling

Result<Outcome> fill(const Problem& problem, const FillOptions& options, Random& random,
                     const FillProgress& progress) {
  Result<scheduling::Engine> engine = scheduling::Engine::from({.resources = problem.resources(),
                                                                .discipline = options.discipline,
                                                                .placement = options.placement,
                                                                .tie = options.tie,
                                                                .oversized = scheduling::Oversized::wait});
  if (!engine) return engine.error();
  if (Check bad = scheduling::check_server_count(problem)) return *std::move(bad);
  const scheduling::Groups groups = scheduling::honours_groups(options.discipline)
                                        ? scheduling::Groups::honour
                                        : scheduling::Groups::ignore;
  if (Check bad = scheduling::check_groups(problem, groups, options.discipline.text)) return *std::move(bad);
  const scheduling::IntegerProblem cluster(problem);
  if (Check bad = scheduling::check_ends_in_time(cluster)) return *std::move(bad);

  Outcome outcome =
      scheduling::Filling(cluster, *std::move(engine), groups, options.trace).run(random, progress);
  if (groups == scheduling::Groups::ignore && !problem.tree().is_flat())
    outcome.notices.push_back(
        fmt::format("{} does not honour groups, guarantees, limits and reserves", options.discipline.text));
  FillRecord& record = *outcome.filling;
  record.discipline = options.discipline.text;
  record.placement = chooses_servers(options.discipline) ? options.discipline.text : options.placement.text;
  record.tie = options.tie;
  record.groups = groups == scheduling::Groups::honour;
  outcome.mechanism = record.discipline + "/" + record.placement;
  note_merged(problem, outcome);
  return outcome;
}

}  // namespace mirab
