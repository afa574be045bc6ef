// mirab.allocate: the outcome of a mechanism as numpy arrays, which are the caller's own.
#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include <mirab/audit/metrics.hpp>
#include <mirab/mechanisms/mechanism.hpp>

#include "audit/figures.hpp"
#include "model/names.hpp"
#include "python/cluster.hpp"
#include "python/conversion.hpp"
#include "python/module.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

using Doubles = py::array_t<double>;

Division divided(const py::object& cluster_or_path, const py::object& mechanism, int threads) {
  const ClusterValue cluster = cluster_of(cluster_or_path);
  if (py::isinstance<py::function>(mechanism))
    return {.problem = cluster.problem,
            .outcome = divided_by(mechanism.cast<py::function>(), *cluster.problem)};
  const Choice choice = value_of(choose_mechanism(mechanism.cast<std::string>()));
  const Execution execution = execution_of(threads);
  const auto outcome = [&] {
    const py::gil_scoped_release others_may_run;
    return allocate(*cluster.problem, choice, execution);
  }();
  return {.problem = cluster.problem, .outcome = value_of(outcome)};
}

Doubles list_of(const std::vector<double>& values) {
  return Doubles(static_cast<py::ssize_t>(values.size()), values.data());
}

Doubles zeros(std::size_t rows, std::size_t columns) {
  Doubles array({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)});
  std::fill_n(array.mutable_data(), array.size(), 0.0);
  return array;
}

/// What `member` says of every server entry: [S, m].
Doubles of_servers(const Division& division, std::vector<double> ServerUse::*member) {
  const std::vector<ServerUse>& servers = division.allocation().servers;
  Doubles array = zeros(servers.size(), division.problem->resource_count());
  auto cells = array.mutable_unchecked<2>();
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const std::vector<double>& row = servers[i].*member;
    for (std::size_t r = 0; r < row.size(); ++r)
      cells(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(r)) = row[r];
  }
  return array;
}

bool has_prices(const Division& division) {
  const std::vector<ServerUse>& servers = division.allocation().servers;
  return !servers.empty() && !servers.front().prices.empty();
}

Doubles tasks_on(const Division& division) {
  Doubles array = zeros(division.problem->user_count(), division.allocation().servers.size());
  auto cells = array.mutable_unchecked<2>();
  for (const Grant& grant : division.allocation().grants)
    cells(static_cast<py::ssize_t>(grant.user), static_cast<py::ssize_t>(grant.server)) = grant.tasks;
  return array;
}

Doubles bundles(const Division& division) {
  Doubles array = zeros(division.problem->user_count(), division.problem->resource_count());
  double* cells = array.mutable_data();
  for (const std::vector<double>& bundle : mirab::bundles(*division.problem, division.allocation()))
    cells = std::copy(bundle.begin(), bundle.end(), cells);
  return array;
}

std::vector<std::string> server_names(const Division& division) {
  std::vector<std::string> names;
  for (const ServerUse& server : division.allocation().servers) names.push_back(server.name);
  return names;
}

using DivisionClass = py::class_<Division>;

void add_how(py::module_& module, DivisionClass& allocation) {
  const Record certificate(module, "mirab.Certificate",
                           "How far an outcome is from what its mechanism defines.",
                           {{"kind", "what the value measures"}, {"value", "0 when exact"}});
  allocation.def_property_readonly(
      "mechanism", [](const Division& d) { return d.outcome.mechanism; }, "As it was asked for.");
  allocation.def_property_readonly(
      "status", [](const Division& d) { return status_name(d.outcome.status); },
      "\"exact\", \"converged\" or \"not_converged\".");
  allocation.def_property_readonly(
      "certificate",
      [certificate](const Division& d) {
        return certificate(d.outcome.certificate.kind, d.outcome.certificate.value);
      },
      "How far the outcome is from what the mechanism defines: Certificate(kind, value).");
  allocation.def_property_readonly(
      "seconds", [](const Division& d) { return d.outcome.seconds; }, "Spent in the solver.");
  allocation.def_property_readonly(
      "notices", [](const Division& d) { return d.outcome.notices; }, "What the reader should know.");
}

/// A figure of the whole outcome, or by resource.
py::object figure_of(const Division& /*division*/, double value) { return py::cast(value); }
template <class Value>
py::object figure_of(const Division& division, const std::vector<Value>& values) {
  py::dict by_resource;
  for (std::size_t r = 0; r < values.size(); ++r)
    by_resource[text(division.problem->resources()[r])] = values[r];
  return by_resource;
}

/// The figures of audit/figures.hpp as a named tuple.
void add_metrics(py::module_& module, DivisionClass& allocation) {
  const auto each = [](const auto& visit) {
    for_each_figure<Per::outcome, Per::resource>([&](const auto& figure) {
      if constexpr (!kIsIn<FillRecord, decltype(figure)>) visit(figure);
    });
  };
  std::vector<std::pair<const char*, const char*>> fields;
  each([&](const auto& figure) { fields.emplace_back(figure.name.data(), figure.meaning.data()); });
  const Record metrics(module, "mirab.Metrics", "The figures of an outcome.", fields);
  allocation.def_property_readonly(
      "metrics",
      [metrics, each](const Division& d) {
        const Metrics measured = measure(*d.problem, d.allocation());
        const GroupMetrics of_groups = measure_groups(*d.problem, d.allocation());
        std::vector<py::object> values;
        each([&](const auto& figure) {
          if constexpr (kIsIn<Metrics, decltype(figure)>) {
            values.push_back(figure_of(d, measured.*figure.member));
          } else {
            values.push_back(figure_of(d, of_groups.*figure.member));
          }
        });
        return metrics.with(std::move(values));
      },
      "Its figures, Metrics: numbers, and dictionaries by resource.");
}

void add_what(DivisionClass& allocation) {
  allocation.def_property_readonly(
      "servers", &server_names,
      "Names of the S server entries as the mechanism saw them: [\"pool\"] where it "
      "pours all into one.");
  allocation.def_property_readonly(
      "tasks", [](const Division& d) { return list_of(d.allocation().tasks); },
      "How many tasks each user can run, [N].");
  allocation.def_property_readonly(
      "shares", [](const Division& d) { return list_of(dominant_shares(*d.problem, d.allocation())); },
      "The largest part of any one resource that each user holds, [N].");
  allocation.def_property_readonly("tasks_on", &tasks_on, "How many of them on each server entry, [N, S].");
  allocation.def_property_readonly("bundles", &bundles, "How much of each resource each user holds, [N, m].");
  allocation.def_property_readonly(
      "capacity", [](const Division& d) { return of_servers(d, &ServerUse::capacity); },
      "Of all servers of an entry together, [S, m].");
  allocation.def_property_readonly(
      "used", [](const Division& d) { return of_servers(d, &ServerUse::used); }, "Of it, [S, m].");
  allocation.def_property_readonly(
      "prices",
      [](const Division& d) {
        return has_prices(d) ? std::optional(of_servers(d, &ServerUse::prices)) : std::nullopt;
      },
      "Per unit, [S, m]; None where the mechanism has none.");
}

}  // namespace

void add_allocation(py::module_& module) {
  DivisionClass allocation(
      module, "Allocation",
      "Who gets what: N users, S server entries, m resources, in the order of the cluster. "
      "Each access makes a new array.");
  allocation.def_property_readonly(
      "cluster", [](const Division& d) { return ClusterValue{.problem = d.problem}; }, "What was divided.");
  add_how(module, allocation);
  add_metrics(module, allocation);
  add_what(allocation);
  add_views(allocation);
  module.def(
      "allocate", &divided, "cluster"_a, "mechanism"_a = "drf", py::kw_only(), "threads"_a.noconvert() = 1,
      "Divides a Cluster, or the one in the cluster file whose path is given, among its users. "
      "`mechanism`: as on the command line (\"alpha-fair:alpha=2\"), \"given\" for what runs now, or a "
      "function that takes a Cluster and returns the tasks of each user on each server entry, [N, S]. "
      "Not converged is a result, see `status`. Raises Refused, and what the function raises.");
}

}  // namespace mirab::python
