#include "cli/io/cluster_notices.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <mirab/model/tree.hpp>

#include "audit/cluster_view.hpp"
#include "cli/io/input.hpp"
#include "cli/program.hpp"
#include "model/eligibility.hpp"
#include "report/text/format.hpp"
#include "report/text/width.hpp"

namespace mirab::cli {
namespace {

constexpr std::size_t kNoticesShown = 5;

bool holds(const ResourceVector& capacity, const ResourceVector& demand) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > capacity[r]) return false;
  }
  return true;
}

bool fits_somewhere(const Problem& problem, std::size_t user) {
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (problem.eligible(user, i) && holds(problem.servers()[i].capacity, problem.demand(user, i)))
      return true;
  }
  return false;
}

/// The largest amount of a resource that one server has, of those on which the user may run.
Quantity most_of(const Problem& problem, std::size_t user, std::size_t resource) {
  Quantity most;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (problem.eligible(user, i)) most = std::max(most, problem.servers()[i].capacity[resource]);
  }
  return most;
}

}  // namespace

namespace {

Error waiting_user(const Problem& problem, std::size_t user, std::string_view servers) {
  const Lack lack = lack_of(problem, user);
  if (lack.resources.empty()) return fits_nowhere(problem.cluster(), user);
  const User& waiting = problem.users()[user];
  return {.message = fmt::format("{} on which '{}' may run has all that it asks for; missing: {}", servers,
                                 waiting.name, lack_words(problem, lack)),
          .key = fmt::format("users[{}].demand{}", user,
                             waiting.demand_on.empty() ? "." + problem.resources()[lack.resources[0]] : "")};
}

}  // namespace

std::optional<Error> unplaceable_task(const Problem& problem, std::size_t user, std::string_view servers) {
  if (!is_eligible_somewhere(problem, user)) return waiting_user(problem, user, servers);
  if (fits_somewhere(problem, user)) return {};
  Error notice{.message = fmt::format("{} holds one whole task of '{}'", servers, problem.users()[user].name),
               .key = fmt::format("users[{}].demand", user)};
  const ResourceVector& demand = problem.users()[user].demand;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    const Quantity most = most_of(problem, user, r);
    if (problem.has_demand_on() || demand[r] <= most) continue;
    const std::string& resource = problem.resources()[r];
    notice.key += "." + resource;
    notice.message += fmt::format(": it asks for {} {}, and the largest has {}",
                                  report::amount(demand[r].value()), resource, report::amount(most.value()));
    break;
  }
  return notice;
}

std::vector<Error> waiting_users(const Problem& problem) {
  const std::vector<bool> is_eligible = eligible_somewhere(problem);
  std::vector<Error> notices;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (!is_eligible[n]) notices.push_back(waiting_user(problem, n, "no server"));
  }
  return notices;
}

std::vector<Error> unplaceable_tasks(const Problem& problem) {
  const std::vector<bool> is_eligible = eligible_somewhere(problem);
  std::vector<Error> notices;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (!is_eligible[n]) continue;
    if (std::optional<Error> notice = unplaceable_task(problem, n)) notices.push_back(*std::move(notice));
  }
  return notices;
}

std::vector<Error> missing_units(const Problem& problem) {
  constexpr double kUnit = 1e6;         // from mega on, amounts are seldom written without a suffix
  constexpr double kWithoutUnit = 1e3;  // below kilo, they have none
  std::vector<Error> notices;
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    double most = 0;
    for (const Server& server : problem.servers()) most = std::max(most, server.capacity[r].value());
    if (most < kUnit) continue;
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      const double demand = problem.users()[n].demand[r].value();
      if (demand <= 0 || demand >= kWithoutUnit || demand * kUnit > most) continue;
      notices.push_back({.message = fmt::format("{} has no unit, where a server has {}; is one missing?",
                                                report::amount(demand), report::amount(most)),
                         .key = fmt::format("users[{}].demand.{}", n, problem.resources()[r])});
    }
  }
  return notices;
}

namespace {

bool is_usable(const Problem& problem, std::size_t server) {
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (problem.eligible(n, server)) return true;
  }
  return false;
}

/// `95 of 150 users and task shapes`
std::string part_of_users(const Problem& problem, std::size_t part) {
  const bool shapes = std::any_of(problem.users().begin(), problem.users().end(),
                                  [](const User& user) { return user.shape.has_value(); });
  return fmt::format("{} of {} {}", part, problem.user_count(), shapes ? "users and task shapes" : "users");
}

/// What keeps users off a server on which nobody may run: each by the first that does.
std::string what_keeps_off(const Problem& problem, const Server& server) {
  std::size_t by_name = 0, by_label = 0, by_taint = 0, by_resource = 0;
  std::string taints;  // that the first of them does not tolerate
  for (const User& user : problem.users()) {
    if (!is_named(user, server)) {
      ++by_name;
    } else if (!is_selected(user, server)) {
      ++by_label;
    } else if (!is_let_in(user, server)) {
      if (by_taint++ == 0) taints = untolerated_taints(user, server);
    } else {
      ++by_resource;
    }
  }
  const std::string by_taints = "do not tolerate its taints (" + taints + ")";
  std::string words;
  for (const auto& [count, what] :
       {std::pair{by_name, "name their servers, and not this one"},
        std::pair{by_label, "select other labels"}, std::pair{by_taint, by_taints.c_str()},
        std::pair{by_resource, "ask for what it has none of"}}) {
    if (count == 0) continue;
    words += words.empty() ? part_of_users(problem, count) : fmt::format(", {}", count);
    words += fmt::format(" {}", what);
  }
  return words;
}

}  // namespace

std::vector<Error> unusable_servers(const Problem& problem) {
  std::vector<Error> notices;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (is_usable(problem, i)) continue;
    const Server& server = problem.servers()[i];
    notices.push_back(
        {.message = fmt::format("no user may run on '{}': {}", server.name, what_keeps_off(problem, server)),
         .key = fmt::format("servers[{}]", i)});
  }
  return notices;
}

std::vector<Error> unnamed_servers(const Problem& problem, const Problem& before) {
  std::unordered_set<std::string_view> known;  // there before, or named by a user
  for (const Server& server : before.servers()) known.insert(server.name);
  for (const User& user : problem.users()) {
    if (user.servers) known.insert(user.servers->begin(), user.servers->end());
  }
  std::vector<Error> notices;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    const std::string& server = problem.servers()[i].name;
    if (known.contains(server) || !is_usable(problem, i)) continue;
    std::size_t excluded = 0;
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      if (problem.users()[n].servers && !problem.eligible(n, i)) ++excluded;
    }
    if (excluded == 0) continue;
    notices.push_back({.message = fmt::format(
                           "{} may not run on '{}': they name their servers, and none of them names this one",
                           part_of_users(problem, excluded), server),
                       .key = fmt::format("servers[{}]", i)});
  }
  return notices;
}

namespace {

/// A group or a user as it stands in the cluster.
struct Member {
  const std::string& name;
  const Quota& quota;
  std::string key;
};

Member member_at(const Problem& problem, std::size_t node) {
  const Tree& tree = problem.tree();
  if (tree.is_user(node)) {
    const std::size_t n = tree.user_at(node);
    return {problem.users()[n].name, problem.users()[n].quota, fmt::format("users[{}]", n)};
  }
  const std::size_t g = tree.group_at(node);
  return {problem.groups()[g].name, problem.groups()[g].quota, fmt::format("groups[{}]", g)};
}

const Quantity* limit_of(const Quota& quota, std::size_t r) {
  return quota.limit.empty() || !quota.limit[r] ? nullptr : &*quota.limit[r];
}

}  // namespace

std::vector<Error> unreachable_limits(const Problem& problem) {
  const Tree& tree = problem.tree();
  std::vector<Error> notices;
  for (std::size_t node = 1; node < tree.size(); ++node) {
    const Member member = member_at(problem, node);
    for (std::size_t r = 0; r < member.quota.limit.size(); ++r) {
      const Quantity* const own = limit_of(member.quota, r);
      const Quantity* least = own;
      std::string_view of;
      for (std::size_t above = tree.parent(node); own != nullptr && above != 0; above = tree.parent(above)) {
        const Member group = member_at(problem, above);
        const Quantity* const other = limit_of(group.quota, r);
        if (other != nullptr && *other < *least) least = other, of = group.name;
      }
      if (least == own) continue;
      notices.push_back({.message = fmt::format(
                             "the limit of '{}' is above that of its group '{}', so it gets {} {} at most",
                             member.name, of, report::amount(least->value()), problem.resources()[r]),
                         .key = fmt::format("{}.limit.{}", member.key, problem.resources()[r])});
    }
  }
  return notices;
}

namespace {

/// What the servers have together on which some user at or below a node may run, [m].
std::vector<double> usable_by(const Problem& problem, std::size_t node) {
  const std::vector<std::size_t> users = users_below(problem.tree(), node);
  std::vector<double> sum(problem.resource_count());
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (std::none_of(users.begin(), users.end(), [&](std::size_t n) { return problem.eligible(n, i); }))
      continue;
    const Server& server = problem.servers()[i];
    for (std::size_t r = 0; r < sum.size(); ++r)
      sum[r] += server.capacity[r].value() * static_cast<double>(server.count);
  }
  return sum;
}

}  // namespace

std::vector<Error> unheld_guarantees(const Problem& problem) {
  constexpr double kRounding = 1e-9;  // of sums
  std::vector<Error> notices;
  for (std::size_t node = 1; node < problem.tree().size(); ++node) {
    const Member member = member_at(problem, node);
    if (!member.quota.guarantee) continue;
    const std::vector<double> usable = usable_by(problem, node);
    for (std::size_t r = 0; r < usable.size(); ++r) {
      const double guarantee = (*member.quota.guarantee)[r].value();
      if (guarantee <= usable[r] * (1 + kRounding)) continue;
      notices.push_back({.message = fmt::format(
                             "of the {} {} that '{}' is guaranteed, the servers on which {} may run have "
                             "{}; it gets no more",
                             report::amount(guarantee), problem.resources()[r], member.name,
                             problem.tree().is_user(node) ? "it" : "its users", report::amount(usable[r])),
                         .key = fmt::format("{}.guarantee.{}", member.key, problem.resources()[r])});
    }
  }
  return notices;
}

namespace {

// Nodes with a guarantee of a resource, by the servers with some of it on which users below them may run.
using GuaranteedOn = std::map<std::vector<bool>, std::vector<std::size_t>>;

GuaranteedOn guaranteed_on(const Problem& problem, std::size_t r) {
  GuaranteedOn on;
  for (std::size_t node = 1; node < problem.tree().size(); ++node) {
    const Member member = member_at(problem, node);
    if (!member.quota.guarantee || (*member.quota.guarantee)[r].is_zero()) continue;
    const std::vector<std::size_t> users = users_below(problem.tree(), node);
    std::vector<bool> servers(problem.server_count());
    for (std::size_t i = 0; i < servers.size(); ++i) {
      servers[i] =
          !problem.servers()[i].capacity[r].is_zero() &&
          std::any_of(users.begin(), users.end(), [&](std::size_t n) { return problem.eligible(n, i); });
    }
    on[std::move(servers)].push_back(node);
  }
  return on;
}

bool is_within(const std::vector<bool>& some, const std::vector<bool>& all) {
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (some[i] && !all[i]) return false;
  }
  return true;
}

// Without those below another of them, whose guarantee is in that one's.
std::vector<std::size_t> outermost(const Tree& tree, std::vector<std::size_t> nodes) {
  std::sort(nodes.begin(), nodes.end());
  const std::vector<std::size_t> all = nodes;
  std::erase_if(nodes, [&](std::size_t node) {
    const std::vector<std::size_t> path = tree.path(node);
    return std::any_of(path.begin(), path.end(), [&](std::size_t around) {
      return around != node && std::binary_search(all.begin(), all.end(), around);
    });
  });
  return nodes;
}

}  // namespace

std::vector<Error> guarantees_unheld_together(const Problem& problem) {
  constexpr double kRounding = 1e-9;  // of sums
  constexpr std::size_t kMostNames = 4;
  std::vector<Error> notices;
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    const GuaranteedOn on = guaranteed_on(problem, r);
    for (const auto& [servers, alike] : on) {
      std::vector<std::size_t> nodes;
      for (const auto& [some, others] : on) {
        if (is_within(some, servers)) nodes.insert(nodes.end(), others.begin(), others.end());
      }
      nodes = outermost(problem.tree(), std::move(nodes));
      double has = 0, sum = 0;
      for (std::size_t i = 0; i < servers.size(); ++i) {
        if (servers[i])
          has += problem.servers()[i].capacity[r].value() * static_cast<double>(problem.servers()[i].count);
      }
      std::vector<std::string_view> names;
      for (const std::size_t node : nodes) {
        const double guarantee = (*member_at(problem, node).quota.guarantee)[r].value();
        if (guarantee > has * (1 + kRounding)) continue;  // too large alone: it has its own note
        sum += guarantee;
        names.push_back(member_at(problem, node).name);
      }
      if (names.size() < 2 || sum <= has * (1 + kRounding)) continue;
      notices.push_back(
          {.message = fmt::format("{} are guaranteed {} {} together, and the servers on which they may run "
                                  "have {}: they cannot all have it at once",
                                  first_names(names, kMostNames), report::amount(sum), problem.resources()[r],
                                  report::amount(has)),
           .key = fmt::format("{}.guarantee.{}", member_at(problem, nodes.front()).key,
                              problem.resources()[r])});
    }
  }
  return notices;
}

std::vector<std::string> first_notices(const std::vector<Error>& notices) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(notices.size(), kNoticesShown); ++i)
    words.push_back(notices[i].message);
  if (notices.size() > kNoticesShown)
    words.push_back(fmt::format("and {} more of this kind", notices.size() - kNoticesShown));
  return words;
}

void print_cluster_notices(const ClusterFiles& files, const std::vector<Error>& notices) {
  std::vector<Error> placed = notices;
  for (std::size_t i = 0; i < std::min(placed.size(), kNoticesShown); ++i)
    placed[i].message = describe(with_cluster_position(files, notices[i]));
  for (const std::string& words : first_notices(placed))
    fmt::print(stderr, "mirab: note: {}\n", report::printable(words));
}

void print_guarantee_slips(const ClusterFiles& files, const Problem& problem) {
  print_cluster_notices(files, unusable_guarantees(problem));
  print_cluster_notices(files, unheld_guarantees(problem));
  print_cluster_notices(files, guarantees_unheld_together(problem));
}

void print_slips(const ClusterFiles& files, const Problem& problem) {
  print_cluster_notices(files, missing_units(problem));
  print_cluster_notices(files, waiting_users(problem));
  print_cluster_notices(files, unplaceable_tasks(problem));
  print_guarantee_slips(files, problem);
  print_cluster_notices(files, unreachable_limits(problem));
  print_cluster_notices(files, unusable_servers(problem));
}

}  // namespace mirab::cli
