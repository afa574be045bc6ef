// mirab.Cluster: a cluster from a file, a text or numpy arrays.
#include "python/cluster.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include <mirab/model/cluster_file.hpp>

#include "python/conversion.hpp"
#include "python/module.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

using Names = std::vector<std::string>;

ClusterValue shared(Problem problem) {
  return {.problem = std::make_shared<const Problem>(std::move(problem))};
}

void expect(bool right, const char* key, std::string message) {
  if (!right) throw Refusal({.message = std::move(message), .key = key});
}

/// The names given, or the letter with 0, 1, ….
Names names_or(const std::optional<Names>& names, const char* key, char letter, std::size_t count) {
  if (!names) {
    Names numbered;
    for (std::size_t i = 0; i < count; ++i) numbered.push_back(fmt::format("{}{}", letter, i));
    return numbered;
  }
  expect(names->size() == count, key, fmt::format("{} names are expected, not {}", count, names->size()));
  return *names;
}

/// A list of `count` numbers; empty when it is left out.
std::vector<Quantity> list_or_none(py::handle value, const char* key, std::size_t count) {
  if (value.is_none()) return {};
  Matrix list = matrix_of(value, 1, key);
  expect(list.columns == count, key, fmt::format("{} numbers are expected, not {}", count, list.columns));
  return std::move(list.values);
}

/// How many tasks each user has, infinity standing for no limit.
std::vector<std::optional<Quantity>> limits_of(py::handle value, std::size_t count) {
  std::vector<std::optional<Quantity>> limits(count);
  if (value.is_none()) return limits;
  const py::list each = py::module_::import("numpy").attr("asarray")(value).attr("tolist")();
  expect(each.size() == count, "tasks", fmt::format("{} numbers are expected, not {}", count, each.size()));
  for (std::size_t n = 0; n < count; ++n) {
    const py::handle limit = each[n];
    if (!limit.equal(py::float_(INFINITY))) limits[n] = quantity_of(limit, fmt::format("tasks[{}]", n));
  }
  return limits;
}

/// A table of numbers in which some rows, or amounts, may be left out: nothing where the number is `none`.
std::vector<std::vector<std::optional<Quantity>>> table_with_gaps(py::handle value, const char* key,
                                                                  std::size_t rows, std::size_t columns,
                                                                  bool (*is_none)(double)) {
  if (value.is_none()) return {};
  const py::object array = py::module_::import("numpy").attr("asarray")(value);
  const auto shape = array.attr("shape").cast<std::vector<std::size_t>>();
  expect(shape == std::vector<std::size_t>{rows, columns}, key,
         fmt::format("an array of shape ({}, {}) is expected", rows, columns));
  const py::list lists = array.attr("tolist")();
  std::vector<std::vector<std::optional<Quantity>>> table(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const py::list row = lists[i];
    for (std::size_t k = 0; k < columns; ++k) {
      const py::handle cell = row[k];
      const bool is_left_out = py::isinstance<py::float_>(cell) && is_none(cell.cast<double>());
      table[i].push_back(is_left_out
                             ? std::nullopt
                             : std::optional(quantity_of(cell, fmt::format("{}[{}][{}]", key, i, k))));
    }
  }
  return table;
}

/// What groups, or users, are promised and what bounds them, with the keys of their arguments.
struct QuotaArrays {
  py::handle guarantees, limits, reserved;
  const char *guarantees_key, *limits_key, *reserved_key;
};

std::vector<Quota> quotas_of(const QuotaArrays& arrays, std::size_t count, std::size_t resources) {
  const auto guarantees = table_with_gaps(arrays.guarantees, arrays.guarantees_key, count, resources,
                                          [](double amount) { return std::isnan(amount); });
  const auto limits = table_with_gaps(arrays.limits, arrays.limits_key, count, resources,
                                      [](double amount) { return amount == INFINITY; });
  const auto reserved = table_with_gaps(arrays.reserved, arrays.reserved_key, count, resources,
                                        [](double /*amount*/) { return false; });
  std::vector<Quota> quotas(count);
  for (std::size_t i = 0; i < count; ++i) {
    Quota& quota = quotas[i];
    if (!limits.empty()) quota.limit = limits[i];
    for (std::size_t r = 0; !reserved.empty() && r < resources; ++r)
      quota.reserved.push_back(*reserved[i][r]);
    const auto is_given = [](const std::optional<Quantity>& amount) { return amount.has_value(); };
    if (guarantees.empty() || std::none_of(guarantees[i].begin(), guarantees[i].end(), is_given)) continue;
    quota.guarantee.emplace();
    for (const std::optional<Quantity>& amount : guarantees[i]) {
      expect(amount.has_value(), arrays.guarantees_key, fmt::format("nan in a part of row {}", i));
      quota.guarantee->push_back(*amount);
    }
  }
  return quotas;
}

/// The groups of which something is a member, by their names; none where it is -1, the cluster. Those of
/// groups come before them.
std::vector<std::optional<std::string>> members_of(py::handle value, const char* key, std::size_t count,
                                                   const Names& groups, bool are_groups) {
  std::vector<std::optional<std::string>> of(count);
  if (value.is_none()) return of;
  const py::list each = py::module_::import("numpy").attr("asarray")(value).attr("tolist")();
  expect(each.size() == count, key, fmt::format("{} numbers are expected, not {}", count, each.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = are_groups ? i : groups.size();
    const bool is_number = py::isinstance<py::int_>(each[i]);
    const auto number = is_number ? each[i].cast<std::int64_t>() : -2;
    expect(number == -1 || (number >= 0 && std::cmp_less(number, before)), key,
           fmt::format("an index below {}, or -1 for the cluster, is expected at {}", before, i));
    if (number >= 0) of[i] = groups[static_cast<std::size_t>(number)];
  }
  return of;
}

/// Groups of users and groups, of the arguments of Cluster().
struct GroupArrays {
  const py::object &parents, &weights, &guarantees, &limits, &reserved;
  const std::optional<Names>& names;
  const py::object &of_users, &user_guarantees, &user_limits, &user_reserved;
};

void add_groups(const GroupArrays& arrays, Cluster& cluster) {
  const std::size_t resources = cluster.resources.size();
  const std::size_t count = arrays.parents.is_none() ? 0 : py::len(arrays.parents);
  const Names names = names_or(arrays.names, "groups", 'g', count);
  const auto parents = members_of(arrays.parents, "group_parents", count, names, true);
  const std::vector<Quantity> weights = list_or_none(arrays.weights, "group_weights", count);
  std::vector<Quota> quotas = quotas_of({.guarantees = arrays.guarantees,
                                         .limits = arrays.limits,
                                         .reserved = arrays.reserved,
                                         .guarantees_key = "group_guarantees",
                                         .limits_key = "group_limits",
                                         .reserved_key = "group_reserved"},
                                        count, resources);
  for (std::size_t g = 0; g < count; ++g) {
    Group& group = cluster.groups.emplace_back(
        Group{.name = names[g], .parent = parents[g], .quota = std::move(quotas[g])});
    if (!weights.empty()) group.weight = weights[g];
  }
  const auto of_users = members_of(arrays.of_users, "user_groups", cluster.users.size(), names, false);
  std::vector<Quota> of_each = quotas_of({.guarantees = arrays.user_guarantees,
                                          .limits = arrays.user_limits,
                                          .reserved = arrays.user_reserved,
                                          .guarantees_key = "user_guarantees",
                                          .limits_key = "user_limits",
                                          .reserved_key = "user_reserved"},
                                         cluster.users.size(), resources);
  for (std::size_t n = 0; n < cluster.users.size(); ++n) {
    cluster.users[n].group = of_users[n];
    cluster.users[n].quota = std::move(of_each[n]);
  }
}

/// Which servers a user may use, where not all.
using Eligible = py::array_t<bool, py::array::c_style>;
using Flags = py::array_t<bool, py::array::c_style>;

std::optional<Names> eligible_servers(const Eligible& eligible, std::size_t user, const Cluster& cluster) {
  Names names;
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    if (eligible.at(user, i)) names.push_back(cluster.servers[i].name);
  }
  if (names.size() == cluster.servers.size()) return {};
  return names;
}

std::vector<Server> servers_of(const Matrix& capacities, Names names, const std::vector<Quantity>& counts) {
  std::vector<Server> servers;
  for (std::size_t i = 0; i < capacities.rows; ++i) {
    Server& server = servers.emplace_back(Server{.name = std::move(names[i]), .capacity = capacities.row(i)});
    if (counts.empty()) continue;
    const std::optional<std::int64_t> count = count_units(counts[i], 0, Rounding::down);
    expect(count && Quantity(*count) == counts[i], "counts", "whole numbers are expected");
    server.count = *count;
  }
  return servers;
}

std::vector<User> users_of(const Matrix& demands, Names names, const std::vector<Quantity>& weights,
                           std::vector<std::optional<Quantity>> tasks) {
  std::vector<User> users;
  for (std::size_t n = 0; n < demands.rows; ++n) {
    User& user = users.emplace_back(
        User{.name = std::move(names[n]), .demand = demands.row(n), .tasks = std::move(tasks[n])});
    if (!weights.empty()) user.weight = weights[n];
  }
  return users;
}

ClusterValue from_arrays(const py::object& capacities, const py::object& demands, const py::object& weights,
                         const py::object& tasks, const py::object& counts,
                         const std::optional<Eligible>& eligible, const std::optional<Flags>& may_fit_nowhere,
                         const std::optional<Names>& resources, const std::optional<Names>& servers,
                         const std::optional<Names>& users, const py::object& group_parents,
                         const py::object& group_weights, const py::object& group_guarantees,
                         const py::object& group_limits, const py::object& group_reserved,
                         const std::optional<Names>& groups, const py::object& user_groups,
                         const py::object& user_guarantees, const py::object& user_limits,
                         const py::object& user_reserved) {
  const Matrix capacity = matrix_of(capacities, 2, "capacities");
  const Matrix demand = matrix_of(demands, 2, "demands");
  expect(capacity.columns == demand.columns, "demands",
         fmt::format("{} resources stand in the capacities, not {}", capacity.columns, demand.columns));
  Cluster cluster{
      .resources = names_or(resources, "resources", 'r', capacity.columns),
      .servers = servers_of(capacity, names_or(servers, "servers", 's', capacity.rows),
                            list_or_none(counts, "counts", capacity.rows)),
      .users = users_of(demand, names_or(users, "users", 'u', demand.rows),
                        list_or_none(weights, "weights", demand.rows), limits_of(tasks, demand.rows))};
  if (eligible) {
    expect(eligible->ndim() == 2 && eligible->shape(0) == static_cast<py::ssize_t>(demand.rows) &&
               eligible->shape(1) == static_cast<py::ssize_t>(capacity.rows),
           "eligible", fmt::format("an array of shape ({}, {}) is expected", demand.rows, capacity.rows));
    for (std::size_t n = 0; n < demand.rows; ++n)
      cluster.users[n].servers = eligible_servers(*eligible, n, cluster);
  }
  if (may_fit_nowhere) {
    expect(may_fit_nowhere->ndim() == 1 && may_fit_nowhere->shape(0) == static_cast<py::ssize_t>(demand.rows),
           "may_fit_nowhere", fmt::format("an array of shape ({},) is expected", demand.rows));
    for (std::size_t n = 0; n < demand.rows; ++n) cluster.users[n].may_fit_nowhere = may_fit_nowhere->at(n);
  }
  add_groups({.parents = group_parents,
              .weights = group_weights,
              .guarantees = group_guarantees,
              .limits = group_limits,
              .reserved = group_reserved,
              .names = groups,
              .of_users = user_groups,
              .user_guarantees = user_guarantees,
              .user_limits = user_limits,
              .user_reserved = user_reserved},
             cluster);
  return shared(value_of(Problem::from(std::move(cluster))));
}

ClusterValue from_file(const py::object& path) {
  const auto name = py::module_::import("os").attr("fsdecode")(path).cast<std::string>();
  return shared(value_of(read_cluster_file(name)));
}

ClusterValue from_text(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && text[first] == '{';
  return shared(value_of(read_cluster_text(text, is_json ? Syntax::json : Syntax::yaml, "")));
}

template <class Rows>
Names names_of(const Rows& rows) {
  Names names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

/// Numbers in rows, each from its two indices.
template <class Value>
py::array_t<double> table(std::size_t rows, std::size_t columns, const Value& value) {
  py::array_t<double> array({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)});
  double* cell = array.mutable_data();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns; ++k) *cell++ = value(i, k);
  }
  return array;
}

template <class Value>
py::array_t<double> list(std::size_t count, const Value& value) {
  py::array_t<double> array(static_cast<py::ssize_t>(count));
  for (std::size_t i = 0; i < count; ++i) array.mutable_data()[i] = value(i);
  return array;
}

py::object running_of(const Problem& problem) {
  if (!problem.running()) return py::none();
  py::array_t<double> tasks =
      table(problem.user_count(), problem.server_count(), [](std::size_t, std::size_t) { return 0.0; });
  for (const PlacedTasks& placed : *problem.running())
    tasks.mutable_at(placed.user, placed.server) = placed.tasks;
  return tasks;
}

/// What a mechanism in Python divides.
void add_arrays(py::class_<ClusterValue>& cluster) {
  cluster.def_property_readonly(
      "capacities",
      [](const ClusterValue& c) {
        const std::vector<Server>& servers = c.problem->servers();
        return table(servers.size(), c.problem->resource_count(),
                     [&](std::size_t i, std::size_t r) { return servers[i].capacity[r].value(); });
      },
      "Of one server of each entry, [K, m].");
  cluster.def_property_readonly(
      "counts",
      [](const ClusterValue& c) {
        const std::vector<Server>& servers = c.problem->servers();
        return list(servers.size(), [&](std::size_t i) { return static_cast<double>(servers[i].count); });
      },
      "How many servers each entry stands for, [K].");
  cluster.def_property_readonly(
      "demands",
      [](const ClusterValue& c) {
        const std::vector<User>& users = c.problem->users();
        return table(users.size(), c.problem->resource_count(),
                     [&](std::size_t n, std::size_t r) { return users[n].demand[r].value(); });
      },
      "Of one task of each user, [N, m]; without what it is on some servers (`demand_on`).");
  cluster.def_property_readonly(
      "weights",
      [](const ClusterValue& c) {
        const std::vector<User>& users = c.problem->users();
        return list(users.size(), [&](std::size_t n) { return users[n].weight.value(); });
      },
      "[N].");
  cluster.def_property_readonly(
      "tasks",
      [](const ClusterValue& c) {
        const std::vector<User>& users = c.problem->users();
        return list(users.size(),
                    [&](std::size_t n) { return users[n].tasks ? users[n].tasks->value() : INFINITY; });
      },
      "How many tasks each user asks for, [N]; inf without end.");
  cluster.def_property_readonly(
      "eligible",
      [](const ClusterValue& c) {
        return table(c.problem->user_count(), c.problem->server_count(),
                     [&](std::size_t n, std::size_t i) { return c.problem->eligible(n, i) ? 1.0 : 0.0; })
            .attr("astype")("bool");
      },
      "Where each user may run, [N, K], bool.");
  cluster.def_property_readonly(
      "running", [](const ClusterValue& c) { return running_of(*c.problem); },
      "Tasks of each user that run now on each server entry, [N, K]; None where that is not known.");
}

}  // namespace

ClusterValue cluster_of(py::handle cluster_or_path) {
  if (py::isinstance<ClusterValue>(cluster_or_path)) return cluster_or_path.cast<ClusterValue>();
  return from_file(py::reinterpret_borrow<py::object>(cluster_or_path));
}

void add_cluster(py::module_& module) {
  py::class_<ClusterValue> cluster(
      module, "Cluster", "Servers and users whose tasks are divisible; checked, and never changed.");
  cluster.def(
      py::init(&from_arrays), "capacities"_a, "demands"_a, py::kw_only(), "weights"_a = py::none(),
      "tasks"_a = py::none(), "counts"_a = py::none(), "eligible"_a = py::none(),
      "may_fit_nowhere"_a = py::none(), "resources"_a = py::none(), "servers"_a = py::none(),
      "users"_a = py::none(), "group_parents"_a = py::none(), "group_weights"_a = py::none(),
      "group_guarantees"_a = py::none(), "group_limits"_a = py::none(), "group_reserved"_a = py::none(),
      "groups"_a = py::none(), "user_groups"_a = py::none(), "user_guarantees"_a = py::none(),
      "user_limits"_a = py::none(), "user_reserved"_a = py::none(),
      "From arrays of whole numbers or floats. K servers, N users, m resources. `capacities` [K, m]: of one "
      "server of an entry. `demands` [N, m]: of each task. `weights` [N]: 1 unless given. `tasks` [N]: how "
      "many "
      "a user has, inf for no limit. `counts` [K]: how many servers an entry stands for, 1 unless given. "
      "`eligible` [N, K], bool: where a user may run. `may_fit_nowhere` [N], bool: where no server has what "
      "the "
      "user demands it gets nothing, instead of an error. `resources`, `servers`, `users`, `groups`: names; "
      "r0, "
      "s0, "
      "u0, g0, … unless given. `group_parents` [G]: the groups, each with the index of one before it whose "
      "member it is, -1 for the cluster; `user_groups` [N] the same. Of groups and users, in amounts of the "
      "whole cluster: `…_guarantees` (a row of nan: the sum of the members'), `…_limits` (inf for none), "
      "`…_reserved`, [G, m] and [N, m], and `group_weights` [G]. Raises Refused with the key, and TypeError "
      "for other arrays.");
  cluster.def_static(
      "read", &from_file, "path"_a,
      "From a cluster file (docs/reference/cluster-file.md), YAML or, when its name ends in .json, JSON. "
      "Raises Refused with file, line and key.");
  cluster.def_static("parse", &from_text, "text"_a, "The same for a text; JSON when it begins with a brace.");
  cluster.def_property_readonly(
      "resources", [](const ClusterValue& c) { return c.problem->resources(); }, "Names.");
  cluster.def_property_readonly(
      "servers", [](const ClusterValue& c) { return names_of(c.problem->servers()); },
      "Names of the entries.");
  cluster.def_property_readonly(
      "users", [](const ClusterValue& c) { return names_of(c.problem->users()); }, "Names.");
  cluster.def_property_readonly(
      "groups", [](const ClusterValue& c) { return names_of(c.problem->groups()); },
      "Names of the groups, each after its parent.");
  add_arrays(cluster);
  cluster.def(
      "with_running",
      [](const ClusterValue& c, py::handle tasks_on) { return with_running(*c.problem, tasks_on); },
      "tasks_on"_a,
      "The same with these tasks running now, [N, K]: of each user on each server entry, on all its servers "
      "together. For the mechanism \"given\". Raises Refused where they do not fit.");
  cluster.def(
      "__str__", [](const ClusterValue& c) { return write_cluster_yaml(c.problem->cluster()); },
      "A cluster file in YAML; `parse` reads it back.");
}

}  // namespace mirab::python
