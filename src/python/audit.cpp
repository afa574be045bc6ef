// mirab.audit: the properties of fairness of a mechanism, of a function in Python, or of what runs now.
#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include <mirab/audit/audit.hpp>

#include "model/names.hpp"
#include "python/cluster.hpp"
#include "python/conversion.hpp"
#include "python/module.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

/// The tasks as entries of `running`.
std::vector<Running> entries_of(const Problem& problem, const Matrix& tasks) {
  std::vector<Running> running;
  for (std::size_t n = 0; n < tasks.rows; ++n) {
    const User& user = problem.users()[n];
    for (std::size_t i = 0; i < tasks.columns; ++i) {
      const Quantity& amount = tasks.values[n * tasks.columns + i];
      if (amount.is_zero()) continue;
      running.push_back({.user = user.shape ? *user.group : user.name,
                         .shape = user.shape,
                         .server = problem.servers()[i].name,
                         .tasks = amount});
    }
  }
  return running;
}

std::vector<Property> properties_of(const std::optional<std::vector<std::string>>& names) {
  std::vector<Property> list;
  if (!names) return list;
  std::vector<std::string_view> known;
  for (const Property property : properties()) known.push_back(property_name(property));
  for (const std::string& name : *names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw Refusal(
          {.message = "there is no property '" + name + "'" + known_names(name, known), .key = "properties"});
    }
    list.push_back(properties()[static_cast<std::size_t>(found - known.begin())]);
  }
  return list;
}

/// Divides by the function. What it raises is kept for Python, and the division is refused.
class FunctionRule {
 public:
  explicit FunctionRule(py::function function) : function_(std::move(function)) {}

  Result<Outcome> divide(const Problem& problem) {
    if (raised_) return Error{.message = "the function raised"};
    try {
      return divided_by(function_, problem);
    } catch (const Refusal& refusal) {
      return refusal.error();
    } catch (...) {
      raised_ = std::current_exception();
      return Error{.message = "the function raised"};
    }
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  py::function function_;
  std::exception_ptr raised_;
};

MechanismAudit audited(const Problem& problem, const py::object& mechanism, const AuditOptions& options) {
  if (!py::isinstance<py::function>(mechanism)) {
    const Choice choice = value_of(choose_mechanism(mechanism.cast<std::string>()));
    const py::gil_scoped_release others_may_run;
    return audit(problem, {choice}, options).front();
  }
  FunctionRule function(mechanism.cast<py::function>());
  const Rule rule{.scope = Scope::servers,
                  .divide = [&](const Problem& other) { return function.divide(other); }};
  MechanismAudit found = audit(problem, name_of(mechanism), rule, options);
  function.rethrow();
  return found;
}

}  // namespace

std::string name_of(const py::object& function) {
  return py::str(py::getattr(function, "__name__", py::str("function")));
}

ClusterValue with_running(const Problem& problem, py::handle tasks_on) {
  const Matrix tasks = matrix_of(tasks_on, 2, "tasks_on");
  if (tasks.rows != problem.user_count() || tasks.columns != problem.server_count()) {
    throw Refusal({.message = "an array of shape (" + std::to_string(problem.user_count()) + ", " +
                              std::to_string(problem.server_count()) +
                              ") is expected: tasks of each user on each server entry",
                   .key = "tasks_on"});
  }
  Cluster cluster = problem.cluster();
  cluster.running = entries_of(problem, tasks);
  return {.problem = std::make_shared<const Problem>(value_of(Problem::from(std::move(cluster))))};
}

Outcome divided_by(const py::function& function, const Problem& problem) {
  const ClusterValue asked{.problem = std::make_shared<const Problem>(problem)};
  const ClusterValue placed = with_running(problem, function(asked));
  Outcome outcome = value_of(allocate(*placed.problem, "given"));
  outcome.mechanism = name_of(function);
  return outcome;
}

void add_audit(py::module_& module) {
  const Record verdict(module, "mirab.Verdict", "Has an allocation or a mechanism a property of fairness?",
                       {{"property", "its name"},
                        {"holds", "None where it cannot be decided"},
                        {"searched", "no counterexample was found, which is no proof"},
                        {"tried", "how many divisions were looked at"},
                        {"note", "why it is not decided, or asks for nothing here"},
                        {"witness", "a sentence that shows why it does not hold; None where it holds"},
                        {"smallest", "the smallest Cluster that was found to show it, or None"}});
  module.def(
      "audit",
      [verdict](const py::object& cluster, const py::object& mechanism,
                const std::optional<std::vector<std::string>>& names, std::uint64_t budget,
                std::uint64_t seed) {
        const ClusterValue value = cluster_of(cluster);
        const MechanismAudit found = audited(
            *value.problem, mechanism, {.properties = properties_of(names), .budget = budget, .seed = seed});
        if (found.refused) throw Refusal(*found.refused);
        py::list verdicts;
        for (const Verdict& each : found.verdicts) {
          const std::optional<Witness>& small = each.smallest ? each.smallest : each.witness;
          py::object smallest = py::none();
          if (small) {
            smallest = py::cast(ClusterValue{
                .problem = std::make_shared<const Problem>(value_of(Problem::from(small->problem)))});
          }
          verdicts.append(
              verdict(std::string(property_name(each.property)),
                      each.decided ? std::optional(each.holds) : std::nullopt,
                      each.decided && each.holds && each.scope == VerdictScope::searched, each.tried,
                      each.note, each.witness ? std::optional(each.witness->words) : std::nullopt, smallest));
        }
        return verdicts;
      },
      "cluster"_a, "mechanism"_a = "given", py::kw_only(), "properties"_a = py::none(), "budget"_a = 1000,
      "seed"_a = 1,
      "Tests the properties of fairness: a list of Verdict. `mechanism`: as on the command line, \"given\" "
      "for what "
      "runs now, or a function that takes a Cluster and returns the tasks of each user on each server entry, "
      "[N, S]. The properties by name, or all. Raises Refused, and what the function raises.");
}

}  // namespace mirab::python
