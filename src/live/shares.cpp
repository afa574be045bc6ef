// Fair shares of the live state: what any mechanism of the registry would give each queue for what it runs
// and waits for, compared with what it has. Divided is what takes tasks: the servers without those that an
// operator drained. Shares are parts of the whole cluster, as they are everywhere.
#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/problem.hpp>

#include "live/views.hpp"
#include "model/alike_servers.hpp"
#include "model/counted_together.hpp"
#include "model/names.hpp"
#include "model/unit_quotas.hpp"

namespace mirab::live {
namespace {

constexpr std::size_t kMostMechanisms = 16;

/// The live state as a problem, and which users of it are whose.
struct Division {
  Cluster cluster;
  std::vector<std::string> queue_of_user;  // [n]
  std::vector<const Job*> left_out;        // that the open servers cannot hold
  std::size_t jobs = 0;                    // that were looked at
  bool is_whole = true;                    // else there was no time for all jobs
  std::int64_t drained = 0;                // servers that are not divided
  bool cuts_guarantees = false;            // which together are more than the open servers have
};

bool is_divided(const Server& server) { return server.id && !server.drained; }

ResourceVector vector_of(const Units& units, const Amounts& amounts) {
  ResourceVector vector;
  for (std::size_t r = 0; r < amounts.size(); ++r) vector.push_back(units.quantity(amounts[r], r));
  return vector;
}

mirab::Quota quota_for(const Units& units, const QuotaContent& content) {
  mirab::Quota quota;
  if (content.guarantee) quota.guarantee = vector_of(units, *content.guarantee);
  if (content.reserved) quota.reserved = vector_of(units, *content.reserved);
  if (content.limit) {
    for (std::size_t r = 0; r < content.limit->size(); ++r) {
      const std::int64_t most = (*content.limit)[r];
      quota.limit.push_back(most == scheduling::kNoLimit ? std::nullopt
                                                         : std::optional(units.quantity(most, r)));
    }
  }
  return quota;
}

/// A set of servers as a label that they have: a problem knows no sets. No label of a server has such a name.
std::string label_of_set(const std::string& set) { return "\nset " + set; }

/// Tasks of a queue that ask for the same.
struct Shape {
  scheduling::JobSubmitted terms;
  std::int64_t tasks = 0;
};

struct AsksLess {
  static auto asked(const scheduling::JobSubmitted& terms) {
    return std::tie(terms.demand, terms.servers, terms.select, terms.demand_on, terms.within);
  }
  bool operator()(const scheduling::JobSubmitted& a, const scheduling::JobSubmitted& b) const {
    return asked(a) < asked(b);
  }
};

/// The shapes of a queue, in the order of the first job of each.
struct Shapes {
  std::vector<Shape> list = {};
  std::map<scheduling::JobSubmitted, std::size_t, AsksLess> places = {};  ///< in the list
};

void add_tasks(Shapes& shapes, const State& state, scheduling::JobSubmitted terms, std::int64_t tasks) {
  const auto is_there = [&](const std::string& server) {
    const Server* const found = state.server(server);
    return found != nullptr && is_divided(*found);
  };
  if (terms.servers)
    terms.servers->erase(std::remove_if(terms.servers->begin(), terms.servers->end(),
                                        [&](const auto& server) { return !is_there(server); }),
                         terms.servers->end());
  for (auto each = terms.demand_on.begin(); each != terms.demand_on.end();)
    each = is_there(each->first) ? std::next(each) : terms.demand_on.erase(each);
  const auto [place, is_new] = shapes.places.try_emplace(terms, shapes.list.size());
  if (is_new) shapes.list.push_back({.terms = std::move(terms)});
  shapes.list[place->second].tasks += tasks;
}

/// Do all tasks of a job run where a job without wishes may? Of one that runs no other set is known.
bool runs_in_common_set(const State& state, const Job& job) {
  const auto common = state.common_set ? state.sets.find(*state.common_set) : state.sets.end();
  if (common == state.sets.end() || job.running == 0) return false;
  bool all = true;
  state.engine.for_each_task(*job.id, [&](const Engine::TaskState& task) {
    all = all && common->second.contains(state.name_of(task.server));
  });
  return all;
}

/// What each set is divided as: of sets with the same servers the first, of one with all servers none.
using SetNames = std::map<std::string, std::optional<std::string>>;

SetNames distinct_sets(const State& state) {
  const auto divided = std::count_if(state.servers.begin(), state.servers.end(),
                                     [](const auto& each) { return is_divided(each.second); });
  SetNames names;
  std::map<std::set<std::string>, std::string> first;
  for (const auto& [name, members] : state.sets) {
    std::set<std::string> servers;
    for (const std::string& member : members) {
      const Server* const server = state.server(member);
      if (server != nullptr && is_divided(*server)) servers.insert(servers.end(), member);
    }
    if (std::cmp_equal(servers.size(), divided)) {
      names[name] = std::nullopt;
    } else {
      names[name] = first.try_emplace(servers, name).first->second;
    }
  }
  return names;
}

std::vector<Shape> shapes_of(const State& state, const Queue& queue, const SetNames& sets,
                             const std::function<bool()>& is_late, Division& division) {
  Shapes shapes;
  for (const auto& [name, job] : queue.jobs) {
    if (!job.id) continue;
    ++division.jobs;
    division.is_whole = division.is_whole && !(is_late && is_late());
    if (!division.is_whole) break;
    scheduling::JobSubmitted terms = content_of(state, job).terms;
    if (!terms.within && runs_in_common_set(state, job)) terms.within = state.common_set;
    // What waits for room that no open server has, demands nothing that could be given to others.
    if (!may_hold(state, terms, job.running > 0 ? Holds::some : Holds::start, Among::open)) {
      division.left_out.push_back(&job);
      continue;
    }
    if (const auto set = terms.within ? sets.find(*terms.within) : sets.end(); set != sets.end())
      terms.within = set->second;
    const std::vector<scheduling::JobSubmitted> by_role = terms_by_role(terms);
    for (RoleNumber k = 0; k < by_role.size(); ++k) {
      const std::int64_t tasks = job.roles[k].waiting + job.roles[k].running;
      if (tasks > 0) add_tasks(shapes, state, by_role[k], tasks);
    }
  }
  return std::move(shapes.list);
}

User user_of(const Units& units, const Shape& shape) {
  User user{.name = {}, .demand = vector_of(units, shape.terms.demand), .tasks = Quantity(shape.tasks)};
  user.servers = shape.terms.servers;
  user.select = {shape.terms.select.begin(), shape.terms.select.end()};
  if (shape.terms.within) user.select[label_of_set(*shape.terms.within)] = {"in"};
  for (const auto& [server, demand] : shape.terms.demand_on)
    user.demand_on[server] = vector_of(units, demand);
  return user;
}

/// Equal servers that no shape names are one entry: a grant on each of ten thousand would cost seconds.
std::vector<mirab::Server> servers_of(const State& state, const std::set<std::string>& named) {
  std::vector<mirab::Server> servers;
  std::map<std::pair<Amounts, Labels>, std::size_t> equal;  // where in `servers`
  for (const auto& [name, server] : state.servers) {
    if (!is_divided(server)) continue;
    Labels labels = server.content.labels;
    for (const auto& [set, members] : state.sets) {
      if (members.contains(name)) labels[label_of_set(set)] = "in";
    }
    if (!named.contains(name)) {
      const auto [found, is_new] = equal.try_emplace({server.content.capacity, labels}, servers.size());
      if (!is_new) {
        ++servers[found->second].count;
        continue;
      }
    }
    servers.push_back({.name = name,
                       .capacity = vector_of(state.settings.units, server.content.capacity),
                       .labels = std::move(labels)});
  }
  return servers;
}

/// The servers that shapes name.
void add_named(const std::vector<Shape>& shapes, std::set<std::string>& named) {
  for (const Shape& shape : shapes) {
    if (shape.terms.servers) named.insert(shape.terms.servers->begin(), shape.terms.servers->end());
    for (const auto& [server, demand] : shape.terms.demand_on) named.insert(server);
  }
}

/// What the members of each group are guaranteed together, idle ones too; of a group with a guarantee that.
/// Without the idle ones a group could reserve more than it has.
std::map<std::string, Amounts> guarantees_of_groups(const State& state,
                                                    const std::vector<std::string>& parents_first) {
  std::map<std::string, Amounts> sums;
  const auto add = [&](const std::string& group, const std::optional<Amounts>& guarantee) {
    Amounts& sum = sums[group];
    sum.resize(state.settings.units.resources().size());
    for (std::size_t r = 0; guarantee && r < sum.size(); ++r) sum[r] += (*guarantee)[r];
  };
  for (const auto& [name, queue] : state.queues) add(queue.content.group, queue.content.quota.guarantee);
  for (auto name = parents_first.rbegin(); name != parents_first.rend(); ++name) {
    const GroupContent& content = state.groups.at(*name).content;
    add(*name, {});
    if (content.quota.guarantee) sums[*name] = *content.quota.guarantee;
    add(content.parent, Amounts(sums[*name]));
  }
  return sums;
}

/// A group without a user below it gets nothing, and a problem has none.
void drop_idle_groups(Cluster& cluster) {
  std::set<std::string> busy;
  for (const User& user : cluster.users) {
    if (user.group) busy.insert(*user.group);
  }
  // Each group stands after its parent, but for those of queues, which stand last.
  for (auto group = cluster.groups.rbegin(); group != cluster.groups.rend(); ++group) {
    if (busy.contains(group->name) && group->parent) busy.insert(*group->parent);
  }
  std::erase_if(cluster.groups, [&](const mirab::Group& group) { return !busy.contains(group.name); });
}

/// The quotas of those that are divided among. After the loss of a server guarantees may be more than there
/// is.
void set_quotas(const State& state, const std::map<std::string, QuotaContent>& quotas, Division& division) {
  Cluster& cluster = division.cluster;
  Amounts pool(state.settings.units.size(), 0);
  for (const auto& [name, server] : state.servers) {
    for (std::size_t r = 0; is_divided(server) && r < pool.size(); ++r) pool[r] += server.content.capacity[r];
  }
  std::vector<UnitQuota> unit_quotas;
  std::map<std::string, std::size_t> places;
  const auto add = [&](const std::string& name, const std::optional<std::string>& parent) {
    const QuotaContent& content = quotas.at(name);
    places.emplace(name, unit_quotas.size());
    unit_quotas.push_back({.parent = parent ? places.at(*parent) : UnitQuota::kTop,
                           .guarantee = content.guarantee,
                           .limit = content.limit,
                           .reserved = content.reserved});
  };
  for (const mirab::Group& group : cluster.groups) add(group.name, group.parent);
  for (const User& user : cluster.users) {
    if (quotas.contains(user.name)) add(user.name, user.group);
  }
  division.cuts_guarantees = cut_guarantees(unit_quotas, pool);
  const auto quota_of = [&](const std::string& name) {
    const UnitQuota& cut = unit_quotas[places.at(name)];
    return quota_for(state.settings.units,
                     {.guarantee = cut.guarantee, .limit = cut.limit, .reserved = cut.reserved});
  };
  for (mirab::Group& group : cluster.groups) group.quota = quota_of(group.name);
  for (User& user : cluster.users) {
    if (quotas.contains(user.name)) user.quota = quota_of(user.name);
  }
}

/// Names of queues and groups are kept apart: a problem has one set of them.
Division division_of(const State& state, const std::function<bool()>& is_late) {
  const Units& units = state.settings.units;
  Division division;
  Cluster& cluster = division.cluster;
  cluster.resources = units.names();
  std::set<std::string> named;
  const auto group_name = [](const std::string& name) -> std::optional<std::string> {
    if (name.empty()) return {};
    return "group " + name;
  };
  std::set<std::string> done = {""};
  std::vector<std::string> parents_first;
  while (done.size() <= state.groups.size()) {
    for (const auto& [name, group] : state.groups) {
      if (done.contains(name) || !done.contains(group.content.parent)) continue;
      parents_first.push_back(name);
      done.insert(name);
    }
  }
  const std::map<std::string, Amounts> guarantees = guarantees_of_groups(state, parents_first);
  std::map<std::string, QuotaContent> quotas;  // by the name in the division
  for (const std::string& name : parents_first) {
    const GroupContent& content = state.groups.at(name).content;
    QuotaContent quota = content.quota;
    if (quota.reserved && !quota.guarantee) quota.guarantee = guarantees.at(name);
    cluster.groups.push_back(
        {.name = *group_name(name), .parent = group_name(content.parent), .weight = quota.weight});
    quotas.emplace(*group_name(name), std::move(quota));
  }
  const SetNames sets = distinct_sets(state);
  for (const auto& [name, queue] : state.queues) {
    const std::vector<Shape> shapes = shapes_of(state, queue, sets, is_late, division);
    if (shapes.empty()) continue;
    add_named(shapes, named);
    quotas.emplace("queue " + name, queue.content.quota);
    if (shapes.size() == 1) {
      User user = user_of(units, shapes[0]);
      user.name = "queue " + name;
      user.weight = queue.content.quota.weight;
      user.group = group_name(queue.content.group);
      cluster.users.push_back(std::move(user));
      division.queue_of_user.push_back(name);
      continue;
    }
    cluster.groups.push_back({.name = "queue " + name,
                              .parent = group_name(queue.content.group),
                              .weight = queue.content.quota.weight,
                              .is_user = true});
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      User user = user_of(units, shapes[i]);
      user.shape = fmt::format("{}", i + 1);
      user.name = fmt::format("queue {}/{}", name, i + 1);
      user.group = "queue " + name;
      cluster.users.push_back(std::move(user));
      division.queue_of_user.push_back(name);
    }
  }
  drop_idle_groups(cluster);
  set_quotas(state, quotas, division);
  division.drained = std::count_if(state.servers.begin(), state.servers.end(),
                                   [](const auto& each) { return each.second.id && each.second.drained; });
  cluster.servers = servers_of(state, named);
  return division;
}

Json outcome_json(const Reading& reading, const Division& division, const mirab::Problem& problem,
                  const Outcome& outcome) {
  const State& state = reading.state;
  const auto bundles = mirab::bundles(problem, outcome.allocation);
  std::map<std::string, std::vector<double>> has;
  std::map<std::string, double> tasks;
  for (std::size_t n = 0; n < bundles.size(); ++n) {
    std::vector<double>& sum = has[division.queue_of_user[n]];
    sum.resize(problem.resource_count());
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += bundles[n][r];
    tasks[division.queue_of_user[n]] += outcome.allocation.tasks[n];
  }
  std::vector<double> whole_pool;
  for (std::size_t r = 0; r < problem.resource_count(); ++r)
    whole_pool.push_back(state.settings.units.quantity(state.engine.pool()[r], r).value());
  Json queues = Json::array();
  for (const auto& [name, queue] : state.queues) {
    const bool whole = reading.owns(queue) || reading.others == Others::all;
    if (reading.queue_view(name, queue).is_null()) continue;
    double share = 0;
    for (std::size_t r = 0; has.contains(name) && r < whole_pool.size(); ++r) {
      if (whole_pool[r] > 0) share = std::max(share, has[name][r] / whole_pool[r]);
    }
    Json row = {{"queue", name}, {"fair_share", share}, {"share", use_of(state, queue).share}};
    if (whole) {
      row["fair_tasks"] = tasks[name];
      row["running"] = queue.running;
      row["waiting"] = queue.waiting;
    }
    queues.push_back(std::move(row));
  }
  Json notices = Json::array();
  if (reading.sees_all()) notices = outcome.notices;
  return {{"mechanism", outcome.mechanism},
          {"status", status_name(outcome.status)},
          {"certificate", {{"kind", outcome.certificate.kind}, {"value", outcome.certificate.value}}},
          {"notices", std::move(notices)},
          {"queues", std::move(queues)}};
}

// Servers that are alike count as one, so that thousands of them are divided within the time of a question;
// but not where guarantees take all that there is.
Result<mirab::Problem> counted(const Cluster& cluster) {
  Result<mirab::Problem> problem = mirab::Problem::from(cluster);
  if (!problem) return problem;
  Result<mirab::Problem> together = mirab::Problem::from(counted_together(*problem, kAlike).cluster);
  return together ? together : problem;
}

}  // namespace

Answer shares_of(const Reading& reading, const Query& query) {
  std::vector<std::string> asked;
  const auto [first, last] = query.given.equal_range("mechanism");
  for (auto each = first; each != last; ++each) asked.push_back(each->second);
  if (asked.size() > kMostMechanisms)
    return reading.refuse(bad_request(
        "/mechanism", fmt::format("at most {} mechanisms are compared at once", kMostMechanisms)));
  for (const std::string& text : asked) {
    if (const Result<Choice> choice = choose_mechanism(text); !choice)
      return reading.refuse(bad_request("/mechanism", choice.error().message));
  }
  const Division division = division_of(reading.state, query.is_late);
  if (!division.is_whole)
    return reading.refuse(
        too_large({}, "there are too many jobs to be divided within the time of a question"));
  std::size_t looks = division.jobs;
  const auto charged = [&](Answer answer) {
    answer.looks = static_cast<std::int64_t>(1 + looks);
    return answer;
  };
  Json body = {{"mechanisms", Json::array()}};
  body["drained"] = division.drained;
  body["guarantees_cut"] = division.cuts_guarantees;
  body["left_out"] = Json::array();
  for (const Job* const job : division.left_out) {
    if (reading.queue(job->queue) != nullptr) body["left_out"].push_back(job->label());
  }
  if (division.cluster.users.empty() || division.cluster.servers.empty()) {
    body["note"] = "no job that an open server can hold waits or runs";
    return charged(reading.found(std::move(body), reading.state.last.revision));
  }
  const Result<mirab::Problem> problem = counted(division.cluster);
  if (!problem)
    return charged(reading.refuse(
        unprocessable("no-division", {}, reading.sees_all() ? describe(problem.error()) : "")));
  if (asked.empty()) asked.push_back(recommended(*problem).choice.text);
  for (const std::string& text : asked) {
    if (!body["mechanisms"].empty() && query.is_late && query.is_late()) {
      body["mechanisms"].push_back(
          {{"mechanism", text}, {"refused", "the others took the time of a question: ask for it alone"}});
      continue;
    }
    looks += division.cluster.users.size();
    const Result<Outcome> outcome = allocate(*problem, text);
    if (outcome) {
      body["mechanisms"].push_back(outcome_json(reading, division, *problem, *outcome));
    } else {
      body["mechanisms"].push_back(
          {{"mechanism", text},
           {"refused", reading.sees_all() ? outcome.error().message : "it cannot divide this cluster"}});
    }
  }
  return charged(reading.found(std::move(body), reading.state.last.revision));
}

namespace {

Json mechanism_json(const Mechanism& mechanism, bool whole) {
  Json json = {{"name", mechanism.name},
               {"title", mechanism.title},
               {"summary", mechanism.summary},
               {"scope", mechanism.scope == Scope::pool      ? "pool"
                         : mechanism.scope == Scope::servers ? "servers"
                                                             : "each-server"},
               {"source", mechanism.source},
               {"groups", mechanism.accepts.groups}};
  if (!whole) return json;
  json["yardstick"] = mechanism.yardstick;
  json["alpha"] = mechanism.alpha;
  json["options"] = Json::array();
  for (const OptionInfo& option : mechanism.options)
    json["options"].push_back(
        {{"name", option.name}, {"default", option.fallback}, {"meaning", option.meaning}});
  json["claims"] = Json::array();
  for (const Claim& claim : mechanism.claims)
    json["claims"].push_back(
        {{"property", property_name(claim.property)}, {"holds", claim.holds}, {"source", claim.source}});
  return json;
}

}  // namespace

Answer mechanisms_of(const Reading& reading, const Query& query) {
  if (query.what == Ask::mechanism) {
    const Result<Choice> choice = choose_mechanism(query.name);
    if (!choice) return reading.refuse(not_found());
    return reading.found(mechanism_json(mechanism_of(*choice), true), reading.state.last.revision);
  }
  Json items = Json::array();
  for (const Mechanism& mechanism : mechanisms()) items.push_back(mechanism_json(mechanism, false));
  return reading.found({{"items", std::move(items)}}, reading.state.last.revision);
}

}  // namespace mirab::live
