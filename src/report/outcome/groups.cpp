// Groups and users of a tree under one outcome (docs/explanation/teams.md): who has what, what is guaranteed,
// what is borrowed and lent, and what stopped a user.
#include "report/outcome/groups.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include <mirab/audit/teams.hpp>
#include <mirab/mechanisms/mechanism.hpp>

#include "audit/cluster_view.hpp"
#include "model/eligibility.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

namespace {

const Quantity& weight_of(const Problem& problem, std::size_t node) {
  const Tree& tree = problem.tree();
  return tree.is_user(node) ? problem.users()[tree.user_at(node)].weight
                            : problem.groups()[tree.group_at(node)].weight;
}

// All nodes but the root, each before its members, which come in their order.
void for_each_below(const Tree& tree, std::size_t node, std::size_t depth,
                    const std::function<void(std::size_t node, std::size_t depth)>& visit) {
  for (const std::size_t member : tree.members(node)) {
    visit(member, depth);
    for_each_below(tree, member, depth + 1, visit);
  }
}

// An amount in a column of the table, where there is one, of `all` of the resource.
std::string held_words(double value, double all) {
  return value > 0 ? amount(std::round(value * 1e4) / 1e4, all) : "0";
}

}  // namespace

namespace {

std::string room_words(const Allocation& allocation, const Room& room) {
  const ServerUse& server = allocation.servers[room.server];
  const std::string name = shorten(server.name, kNameWidth);
  switch (room.kind) {
    case Room::Kind::server:
      return server.count > 1 ? fmt::format("nothing: there is room on a server of {}", name)
                              : fmt::format("nothing: there is room on {}", name);
    case Room::Kind::unknown:
      return fmt::format("perhaps fragments of {}", name);
    case Room::Kind::fragments:
      return "room in fragments only";
  }
  return {};
}

}  // namespace

std::vector<std::string> node_names(const Problem& problem, const std::vector<std::size_t>& nodes) {
  std::vector<std::string> names;
  for (const std::size_t node : nodes) names.push_back(node_name(problem, node));
  return names;
}

std::string stop_words(const Problem& problem, const Outcome& outcome, const Stop& stop) {
  std::vector<std::string_view> names;
  for (const std::size_t r : stop.resources) names.push_back(problem.resources()[r]);
  const std::string resources = fmt::format("{}", fmt::join(names, ", "));
  switch (stop.kind) {
    case StopKind::tasks:
      return "its tasks";
    case StopKind::limit:
      return fmt::format("{} of {}: {}", stop.also.empty() ? "limit" : "limits",
                         fmt::join(node_names(problem, nodes_of(stop)), " and "), resources);
    case StopKind::capacity:
      if (stop.is_missing) {
        const std::string lack = lack_words(problem, {stop.resources, stop.is_together});
        return "lack of " + (lack.empty() ? "a server that it may use" : lack);
      }
      return resources.empty() ? "no room" : resources;
    case StopKind::reserve:
      return "reserved: " + resources;
    case StopKind::order:
      return stop.room ? room_words(outcome.allocation, *stop.room) : "others come first";
  }
  return {};
}

bool honours_groups(const Outcome& outcome) {
  if (outcome.filling) return outcome.filling->groups;
  const Result<Choice> choice = choose_mechanism(outcome.mechanism);
  return choice && mechanism_of(*choice).accepts.groups;
}

namespace {

// Nodes with a user below who may run somewhere, or a user who may.
std::vector<bool> eligible_nodes(const Problem& problem) {
  const Tree& tree = problem.tree();
  const std::vector<bool> users = eligible_somewhere(problem);
  std::vector<bool> nodes(tree.size());
  for (std::size_t node = tree.size(); node-- > 0;) {
    if (tree.is_user(node)) nodes[node] = users[tree.user_at(node)];
    if (nodes[node]) nodes[tree.parent(node)] = true;
  }
  return nodes;
}

// The lowest share beyond its guarantee, per weight, of the members of each level that have a weight and may
// get something: the first level is that of the root's members.
std::vector<double> lowest_by_level(const Problem& problem, const std::vector<GroupFigures>& figures) {
  const std::vector<bool> is_eligible = eligible_nodes(problem);
  std::vector<double> lowest;
  for_each_below(problem.tree(), 0, 0, [&](std::size_t node, std::size_t depth) {
    if (lowest.size() <= depth) lowest.push_back(std::numeric_limits<double>::infinity());
    if (problem.tree().weight(node) > 0 && is_eligible[node])
      lowest[depth] = std::min(lowest[depth], figures[node].key);
  });
  return lowest;
}

Table tree_of(const Problem& problem, const Outcome& outcome, Leaves leaves, bool with_use) {
  const Tree& tree = problem.tree();
  const std::vector<GroupFigures> figures = group_figures(problem, outcome.allocation);
  const Stops stops(problem, outcome);
  const bool guaranteed = std::any_of(figures.begin() + 1, figures.end(), [](const GroupFigures& each) {
    return std::any_of(each.guarantee.begin(), each.guarantee.end(), [](double g) { return g > 0; });
  });
  const int task_decimals = decimals_for(outcome.allocation.tasks);

  Table table;
  std::size_t deepest = 0;
  for_each_below(tree, 0, 0, [&](std::size_t, std::size_t depth) { deepest = std::max(deepest, depth); });
  table.columns = {{.shortest = kShortNameWidth + 2 * deepest}, {Align::right}};
  std::vector<Cell> above{{"", 2}};
  std::vector<Cell> head{{"group / user"}, {"weight"}};
  const auto add_amounts = [&](const std::string& heading) {
    above.push_back({heading, problem.resource_count(), Align::right});
    for (const std::string& resource : problem.resources()) {
      table.columns.push_back({Align::decimal});
      head.push_back({shorten(resource, kResourceWidth), 1, Align::right});
    }
  };
  if (with_use) add_amounts("uses");
  if (with_use && guaranteed) add_amounts("guarantee");
  const std::string beyond = guaranteed ? "beyond/weight" : "share/weight";
  for (const std::string& column : {std::string("share"), beyond, std::string("tasks")}) {
    table.columns.push_back({Align::decimal});
    head.push_back({column, 1, Align::right});
  }
  table.columns.push_back({Align::left});
  head.push_back({"held back by"});
  if (with_use) table.rows.push_back(std::move(above));
  table.rows.push_back(std::move(head));
  table.add_rule();

  for_each_below(tree, 0, 0, [&](std::size_t node, std::size_t depth) {
    if (leaves == Leaves::teams && tree.is_user(node) && problem.users()[tree.user_at(node)].shape) return;
    const GroupFigures& has = figures[node];
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back({std::string(2 * depth, ' ') + node_name(problem, node)});
    row.push_back({weight_of(problem, node).text()});
    const bool owns = std::any_of(has.guarantee.begin(), has.guarantee.end(), [](double g) { return g > 0; });
    if (with_use) {
      for (std::size_t r = 0; r < has.used.size(); ++r)
        row.push_back({held_words(has.used[r], problem.pool()[r])});
    }
    if (with_use && guaranteed) {
      for (std::size_t r = 0; r < has.guarantee.size(); ++r)
        row.push_back({owns ? held_words(has.guarantee[r], problem.pool()[r]) : ""});
    }
    row.push_back({percent(has.share, 2)});
    row.push_back({percent(has.key, 2)});
    if (!tree.is_user(node)) return;
    const std::size_t user = tree.user_at(node);
    row.push_back({tasks_fixed(outcome.allocation.tasks[user], task_decimals)});
    row.push_back({stop_words(problem, outcome, stops.of(user))});
  });
  return table;
}

}  // namespace

bool has_groups(const Problem& problem) {
  const Tree& tree = problem.tree();
  for (std::size_t node = 1; node < tree.size(); ++node) {
    if (tree.is_group(node) && !problem.groups()[tree.group_at(node)].is_user) return true;
    if (!tree.guarantee(node).empty() || !tree.limit(node).empty() || !tree.reserve(node).empty())
      return true;
  }
  return false;
}

std::string groups_table(const Problem& problem, const Outcome& outcome, std::size_t width, Leaves leaves) {
  std::string tree = render(tree_of(problem, outcome, leaves, true), width);
  if (widest_line(tree) > width) tree = render(tree_of(problem, outcome, leaves, false), width);
  std::vector<std::string> levels;
  for (const double lowest : lowest_by_level(problem, group_figures(problem, outcome.allocation)))
    levels.push_back(std::isinf(lowest) ? "–" : percent(lowest, 2));
  const std::string legend = fmt::format(
      "beyond: the share of what it uses beyond its guarantee. The lowest beyond/weight, level by level: {}",
      fmt::join(levels, ", "));
  return "\n" + broken(outcome.mechanism + ", by group", width) + "\n" + tree + "\n" + broken(legend, width);
}

using Json = nlohmann::ordered_json;

Json held_back_json(const Problem& problem, const Outcome& outcome, const Stop& stop) {
  Json json{{"by", stop_name(stop.kind)}, {"words", stop_words(problem, outcome, stop)}};
  if (stop.kind == StopKind::limit) json["of"] = node_name(problem, stop.node);
  if (!stop.also.empty()) json["also"] = node_names(problem, stop.also);
  return json;
}

Json groups_json(const Problem& problem, const Outcome& outcome) {
  const Tree& tree = problem.tree();
  const std::vector<GroupFigures> figures = group_figures(problem, outcome.allocation);
  const auto amounts = [&](const std::vector<double>& values) {
    return by_resource(problem.resources(), values);
  };
  Json groups = Json::array();
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const Group& group = problem.groups()[g];
    const std::size_t node = tree.node_of_group(g);
    const GroupFigures& has = figures[node];
    Json entry{{"name", group.name},
               {"parent", group.parent ? Json(*group.parent) : Json(nullptr)},
               {"is_user", group.is_user},
               {"weight", tree.weight(node)},
               {"share", has.share},
               {"guarantee", amounts(has.guarantee)},
               {"beyond", has.key},
               {"used", amounts(has.used)},
               {"unused", amounts(has.unused)},
               {"lent", amounts(has.lent)},
               {"borrowed", amounts(has.borrowed)}};
    Json limits = Json::object();
    for (std::size_t r = 0; r < tree.limit(node).size(); ++r) {
      if (!std::isinf(tree.limit(node)[r])) limits[problem.resources()[r]] = tree.limit(node)[r];
    }
    if (!limits.empty()) entry["limit"] = std::move(limits);
    groups.push_back(std::move(entry));
  }
  return groups;
}

}  // namespace mirab::report
