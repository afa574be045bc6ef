#pragma once

// From machines and tasks as a scheduler lists them to a cluster file: equal machines become one server
// entry, equal tasks of a team one shape, and what runs becomes the present state.

#include <cstdint>
#include <gmpxx.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

namespace mirab::inventory {

/// A machine, or several equal ones.
struct Machine {
  std::string name;
  ResourceVector capacity;
  std::map<std::string, std::string> labels = {};
  std::vector<Taint> taints = {};
  std::string kind = {};   ///< what machines like it are called; may be empty
  bool is_closed = false;  ///< takes no new tasks; its count is 1
  std::int64_t count = 1;  ///< ≥ 1
};

/// Where tasks may run.
struct Rule {
  std::vector<bool> allowed;  ///< [machine]
  std::optional<std::map<std::string, LabelCondition>> select =
      {};  ///< what it asks of labels, if that can be said
  std::vector<Toleration> tolerates = {};
};

/// Equal tasks of a team.
struct Tasks {
  std::string team;
  std::string name;  ///< what their owner calls them
  ResourceVector demand;
  std::size_t rule = 0;
  std::optional<std::int64_t> count = 1;    ///< without a value: without end
  std::optional<std::size_t> machine = {};  ///< where they run; without a value: they wait
};

struct Inventory {
  std::vector<std::string> resources;
  std::vector<Machine> machines;
  std::vector<Rule> rules;
  std::vector<Tasks> tasks;
  std::map<std::string, Quantity> weights = {};  ///< of teams; 1 for those left out
  std::map<std::string, std::vector<std::optional<Quantity>>> limits = {};  ///< of teams; [r], none without
  mpq_class tolerance = 0;              ///< by which machines that count as alike may differ (alike_servers)
  bool is_state_known = true;           ///< what runs and what waits; or else `machine` is never given
  std::string name_label = {};          ///< the label that is a machine's own name; no `select` asks for it
  bool are_names_shapes = false;        ///< tasks of another name are another shape
  std::string task_word = "task";       ///< as notices call a task: `pod`, `job`
  std::string machine_word = "server";  ///< as notices call a machine: `node`
};

/// What a notice counts, and by which names people find it.
struct Tally {
  std::int64_t count = 0;
  std::set<std::string> names = {};

  void add(std::string name, std::int64_t more = 1);

  /// `left out, done: 2 pods: shop/a, shop/b`
  std::string notice(std::string_view what, std::string_view word) const;
};

/// An inventory as a cluster.
struct Description {
  Cluster cluster;                                 ///< valid: Problem::from takes it
  std::vector<std::vector<std::size_t>> machines;  ///< of each server entry, by their number
  std::vector<std::string> entries;  ///< which machines the entries with several are, a line each
  std::vector<std::string> notices;  ///< what could not be said, a sentence each
};

/// A team's tasks of equal demand that may run on the same machines are one shape, named after the most
/// frequent name of its tasks, with `+1` when there is another name; a team with one shape is a user without
/// shapes. Machines are one entry when they have the same capacity and the same tasks may run on them, or are
/// of one kind besides and differ by no more than the tolerance: then each counts with the least of them, and
/// a notice says so. Labels stay where a `select` needs them, and so do taints that keep tasks off.
///
/// A rule is written as its `select` and what it tolerates where that allows the same machines, so that a
/// machine that comes later is judged by its labels and taints; closed machines that it would allow are
/// excluded by name. Any other rule is a list of servers: those of strays, those that ask for a host by name
/// or for a label with many values, those that cannot be said. Tasks that run where their rule allows none,
/// or on a closed machine, are strays: a shape of their own, `-stray`, that may run on the machines where
/// they run. A closed machine has the capacity of what runs there, and the taint `closed` if it has none. A
/// machine, with a notice, has what runs there of each resource of which more is in use than it has, and its
/// entry is overfull. With a tolerance, overfull machines that are alike in what they really have are one
/// entry, with the mean of what runs on them.
///
/// Left out, with a notice: tasks that demand nothing, tasks that no machine may run, closed machines that
/// run nothing. Tasks that a machine may run stay where none of these has all the resources that they ask
/// for, as long as some other task fits.
///
/// Errors (without file): nothing is left, with the notices; a name that a cluster file does not take; too
/// many machines and rules; use that is beyond all amounts. O(tasks · log tasks + machines · rules).
Result<Description> describe(const Inventory& inventory);

}  // namespace mirab::inventory
