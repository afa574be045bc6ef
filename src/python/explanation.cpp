// mirab.explain: what `mirab explain` says, with names for users, servers and resources.
#include <mirab/audit/explanation.hpp>

#include "model/names.hpp"
#include "python/cluster.hpp"
#include "python/conversion.hpp"
#include "python/module.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

struct Records {
  Record explanation;
  Record binding;
  Record holding;
  Record what_if;
};

Records records_of(py::module_& module) {
  return {
      .explanation =
          Record(module, "mirab.Explanation", "Why a user has what it has.",
                 {{"user", "its name"},
                  {"mechanism", "as it was asked for"},
                  {"status", "\"exact\", \"converged\" or \"not_converged\""},
                  {"tasks", "that the user can run"},
                  {"dominant_share", "the largest part of any one resource that it holds"},
                  {"has_all_tasks", "does it run all it has? Then nothing else holds it back"},
                  {"bindings", "the full resources that it needs where it may run: Binding each"},
                  {"what_ifs", "what would change its share, the greatest gain first: WhatIf each"},
                  {"untried", "how many changes were left out"},
                  {"notices", "what the reader should know"}}),
      .binding = Record(module, "mirab.Binding", "A full resource that a user needs where it may run.",
                        {{"servers", "names of the entries, equal ones together"},
                         {"resource", "its name"},
                         {"capacity", "of those servers together"},
                         {"held", "by the user"},
                         {"level", "the highest share per weight of those who hold some of it"},
                         {"price", "per unit, or None where the mechanism has none"},
                         {"others", "who else holds most of it: Holding each, at most three"}}),
      .holding = Record(module, "mirab.Holding", "Some of a resource that a user has.",
                        {{"user", "its name"}, {"amount", "of the resource"}}),
      .what_if = Record(
          module, "mirab.WhatIf", "A change and its effect: the mechanism was run on the changed cluster.",
          {{"change",
            "\"server\", \"unit\", \"weight\" or \"task\"; with groups also \"group-weight\", \"limit\", "
            "\"guarantee\" or \"reserve\""},
           {"servers", "names of the entries to which it applies alike"},
           {"resource", "its name, for a unit, a limit, a guarantee or a reserve; else None"},
           {"amount",
            "how many servers, how much of the resource; the new weight, number of tasks, limit or "
            "guarantee; "
            "what was reserved"},
           {"tasks", "of the user then"},
           {"gain", "over what it has now; negative when the change would hurt it"},
           {"status", "of the changed cluster's outcome"}})};
}

std::vector<std::string> names_at(const auto& rows, const std::vector<std::size_t>& indices) {
  std::vector<std::string> names;
  for (const std::size_t i : indices) names.push_back(rows[i].name);
  return names;
}

py::object binding_of(const Records& records, const Problem& problem, const Explanation& explanation,
                      const Binding& binding) {
  py::list others;
  for (const Holding& other : binding.others)
    others.append(records.holding(problem.users()[other.user].name, other.amount));
  return records.binding(names_at(explanation.outcome.allocation.servers, binding.servers),
                         problem.resources()[binding.resource], binding.capacity, binding.held, binding.level,
                         binding.price, others);
}

py::object what_if_of(const Records& records, const Problem& problem, const WhatIf& what_if) {
  const Change& change = what_if.change;
  return records.what_if(
      change_name(change.kind), names_at(problem.servers(), change.servers),
      is_of_resource(change.kind) ? std::optional(problem.resources()[change.resource]) : std::nullopt,
      change.amount.value(), what_if.tasks, what_if.gain, status_name(what_if.status));
}

std::size_t index_of(const Problem& problem, const std::string& user) {
  std::vector<std::string_view> names;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (problem.users()[n].name == user) return n;
    names.push_back(problem.users()[n].name);
  }
  throw Refusal({.message = "there is no user '" + user + "'" + known_names(user, names), .key = "user"});
}

py::object explained(const Records& records, const py::object& cluster_or_path, const std::string& user,
                     const std::string& mechanism, std::size_t what_ifs, int threads) {
  const ClusterValue cluster = cluster_of(cluster_or_path);
  const Problem& problem = *cluster.problem;
  const Choice choice = value_of(choose_mechanism(mechanism));
  const ExplainOptions options{.what_ifs = what_ifs, .execution = execution_of(threads)};
  const std::size_t index = index_of(problem, user);
  const Explanation explanation = value_of([&] {
    const py::gil_scoped_release others_may_run;
    return explain(problem, choice, index, options);
  }());
  py::list bindings, tried;
  for (const Binding& binding : explanation.bindings)
    bindings.append(binding_of(records, problem, explanation, binding));
  for (const WhatIf& what_if : explanation.what_ifs) tried.append(what_if_of(records, problem, what_if));
  return records.explanation(user, explanation.outcome.mechanism, status_name(explanation.outcome.status),
                             explanation.outcome.allocation.tasks[index], explanation.dominant_share,
                             explanation.has_all_tasks, bindings, tried, explanation.untried,
                             explanation.outcome.notices);
}

}  // namespace

void add_explanation(py::module_& module) {
  module.def(
      "explain",
      [records = records_of(module)](const py::object& cluster, const std::string& user,
                                     const std::string& mechanism, std::size_t what_ifs, int threads) {
        return explained(records, cluster, user, mechanism, what_ifs, threads);
      },
      "cluster"_a, "user"_a, "mechanism"_a = "drf", py::kw_only(), "what_ifs"_a.noconvert() = 20,
      "threads"_a.noconvert() = 1,
      "Divides a Cluster, or the one in a cluster file, and says why the user of that name gets its share "
      "and "
      "what would change it (docs/how-to/explain.md): Explanation. At most `what_ifs` changes are tried, "
      "each by "
      "running "
      "the mechanism on the changed cluster. Raises Refused.");
}

}  // namespace mirab::python
