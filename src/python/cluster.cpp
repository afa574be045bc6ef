// mirab.Cluster: a cluster from a file, a text or numpy arrays.
#include "python/cluster.hpp"

#include <cmath>
#include <fmt/format.h>

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

/// Which servers a user may use, where not all.
using Eligible = py::array_t<bool, py::array::c_style>;

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
                         const std::optional<Eligible>& eligible, const std::optional<Names>& resources,
                         const std::optional<Names>& servers, const std::optional<Names>& users) {
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
      "tasks"_a = py::none(), "counts"_a = py::none(), "eligible"_a = py::none(), "resources"_a = py::none(),
      "servers"_a = py::none(), "users"_a = py::none(),
      "From arrays of whole numbers or floats. K servers, N users, m resources. `capacities` [K, m]: of one "
      "server of an entry. `demands` [N, m]: of each task. `weights` [N]: 1 unless given. `tasks` [N]: how "
      "many "
      "a user has, inf for no limit. `counts` [K]: how many servers an entry stands for, 1 unless given. "
      "`eligible` [N, K], bool: where a user may run. `resources`, `servers`, `users`: names; r0, s0, u0, … "
      "unless given. Raises Refused with the key, and TypeError for other arrays.");
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
