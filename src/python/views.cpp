// How a mirab.Allocation is shown, and mirab.diff: who gains and who loses between two of them.
#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include <mirab/audit/difference.hpp>
#include <mirab/audit/metrics.hpp>

#include "model/names.hpp"
#include "python/cluster.hpp"
#include "python/conversion.hpp"
#include "python/module.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

constexpr std::size_t kRowsShown = 60;

std::string as_html(std::string_view words) {
  std::string escaped;
  for (const char byte : words) {
    switch (byte) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += byte;
    }
  }
  return escaped;
}

/// `hdrfh: 2 users on 1 server, exact; 1 of 2 get all they ask for`
std::string headline(const Division& division) {
  const Problem& problem = *division.problem;
  std::int64_t servers = 0;
  for (const Server& server : problem.servers()) servers += server.count;
  const Satisfaction enough = satisfaction(problem, division.outcome);
  std::string line = fmt::format("{}: {} user{} on {} server{}, {}", division.outcome.mechanism, enough.users,
                                 enough.users == 1 ? "" : "s", servers, servers == 1 ? "" : "s",
                                 status_name(division.outcome.status));
  if (enough.any_asked())
    line += fmt::format("; {} of {} get all they ask for", enough.satisfied_users, enough.users);
  return line;
}

std::string html_of(const Division& division) {
  const Problem& problem = *division.problem;
  const std::vector<double> shares = dominant_shares(problem, division.allocation());
  const Satisfaction enough = satisfaction(problem, division.outcome);
  std::string table = fmt::format("<table><caption>{}</caption><thead><tr>", as_html(headline(division)));
  for (const char* head : {"user", "tasks", "asked", "share"})
    table += fmt::format("<th scope=col>{}</th>", head);
  table += "</tr></thead><tbody>";
  const std::size_t shown = std::min(problem.user_count(), kRowsShown);
  for (std::size_t n = 0; n < shown; ++n) {
    const std::optional<double>& asked = enough.asked[n];
    table += fmt::format("<tr><th scope=row>{}</th><td>{:.6g}</td><td>{}</td><td>{:.2f}%</td></tr>",
                         as_html(problem.users()[n].name), division.allocation().tasks[n],
                         asked ? fmt::format("{:.6g}", *asked) : "endless", 100 * shares[n]);
  }
  table += "</tbody></table>";
  if (shown < problem.user_count())
    table += fmt::format("<p>{} more users</p>", problem.user_count() - shown);
  return table;
}

/// One row a user: what it got, what it asked for, and what it holds of each resource.
py::object frame_of(const Division& division) {
  const Problem& problem = *division.problem;
  const Metrics measured = measure(problem, division.allocation());
  const Satisfaction enough = satisfaction(problem, division.outcome);
  const std::vector<std::vector<double>> held = bundles(problem, division.allocation());
  py::list users, tasks, asked, satisfied, shares, dominant;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    users.append(text(problem.users()[n].name));
    tasks.append(division.allocation().tasks[n]);
    asked.append(enough.asked[n].value_or(std::numeric_limits<double>::infinity()));
    satisfied.append(static_cast<bool>(enough.satisfied[n]));
    shares.append(measured.dominant_shares[n]);
    dominant.append(text(problem.resources()[measured.dominant_resources[n]]));
  }
  py::dict columns("tasks"_a = tasks, "asked"_a = asked, "satisfied"_a = satisfied, "share"_a = shares,
                   "dominant"_a = dominant);
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    py::list of_resource;
    for (const std::vector<double>& bundle : held) of_resource.append(bundle[r]);
    columns[text(problem.resources()[r])] = of_resource;
  }
  const py::module_ pandas = py::module_::import("pandas");
  return pandas.attr("DataFrame")(columns, "index"_a = pandas.attr("Index")(users, "name"_a = "user"));
}

struct DifferenceRecords {
  Record difference, change, share, use;

  py::object share_of(const std::optional<UserShare>& of) const {
    if (!of) return py::none();
    return share(of->tasks, of->dominant_share, of->share_of_before);
  }
  py::list changes_of(const std::vector<UserChange>& users) const {
    py::list list;
    for (const UserChange& each : users)
      list.append(
          change(each.user, share_of(each.before), share_of(each.after), each.change, each.same_task));
    return list;
  }
};

DifferenceRecords difference_records(py::module_& module) {
  return {
      .difference = Record(module, "mirab.Difference", "Who gains and who loses.",
                           {{"users", "those on both sides, the greatest gain first: UserChange each"},
                            {"gone", "those that are only before"},
                            {"come", "those that are only after"},
                            {"gainers", "how many of `users` gain more than a millionth"},
                            {"losers", "how many of them lose more than a millionth"},
                            {"tasks_before", "of all users together"},
                            {"tasks_after", "of all users together"},
                            {"used", "how much of each resource is in use: UseChange each"}}),
      .change = Record(module, "mirab.UserChange", "What a user has before and after.",
                       {{"user", "its name"},
                        {"before", "UserShare, or None"},
                        {"after", "UserShare, or None"},
                        {"change", "tasks after over tasks before, less 1; inf from nothing"},
                        {"same_task", "does a task demand the same on both sides?"}}),
      .share = Record(module, "mirab.UserShare", "What a user has on one side.",
                      {{"tasks", "that it can run"},
                       {"share", "the largest part of any one resource of its own cluster"},
                       {"share_of_before", "the same in parts of the cluster before"}}),
      .use = Record(module, "mirab.UseChange", "How much of a resource is in use, in parts of its capacity.",
                    {{"resource", "its name"}, {"before", "or None"}, {"after", "or None"}})};
}

}  // namespace

void add_views(py::class_<Division>& allocation) {
  allocation.def("__repr__",
                 [](const Division& d) { return fmt::format("<mirab.Allocation {}>", headline(d)); });
  allocation.def("_repr_html_", &html_of, "A table of the users, for notebooks.");
  allocation.def(
      "to_frame", &frame_of,
      "A pandas.DataFrame with a row for each user: tasks, asked (inf for endless), satisfied, share, the "
      "dominant resource, and what it holds of each resource. Needs pandas.");
}

void add_difference(py::module_& module) {
  module.def(
      "diff",
      [records = difference_records(module)](const Division& before, const Division& after) {
        const Difference found =
            difference({*before.problem, before.allocation()}, {*after.problem, after.allocation()});
        py::list used;
        for (const UseChange& each : found.resources)
          used.append(records.use(each.resource, each.before, each.after));
        return records.difference(records.changes_of(found.users), records.changes_of(found.gone),
                                  records.changes_of(found.come), found.gainers, found.losers,
                                  found.tasks_before, found.tasks_after, used);
      },
      "before"_a, "after"_a,
      "Compares two Allocations user by user, of one cluster or of two: Difference. Users and resources are "
      "known by their names.");
}

}  // namespace mirab::python
