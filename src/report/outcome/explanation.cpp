// The explanation of a user's share as a table and JSON.
#include "report/outcome/explanation.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "audit/cluster_view.hpp"
#include "audit/what_if.hpp"
#include "model/eligibility.hpp"
#include "model/names.hpp"
#include "report/outcome/comparison.hpp"
#include "report/outcome/groups.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

// Why a user has its share, in three tables: where its tasks run, what is full there, and what would change.

namespace {

constexpr std::size_t kMaxRows = 10;
constexpr std::size_t kMostLosers = 2;  // of a change are named
constexpr double kDust = 1e-7;          // of a user's tasks: beneath what converged outcomes are known to

// `0.0025` has three digits where amount() would keep one or none.
std::string amount_words(double value, double all) {
  return value > 0 && value < 0.01 ? fmt::format("{:.3g}", value) : amount(value, all);
}

std::string amount_words(double value) { return amount_words(value, value); }

std::string tasks_words(double tasks) {
  const std::vector<double> one{tasks};
  return tasks == 0 ? "no tasks"
                    : fmt::format("{} task{}", tasks_fixed(tasks, decimals_for(one)), tasks == 1 ? "" : "s");
}

// `'compute'`, or `'m-1' and 3 alike`.
std::string entry_words(const std::string& name, std::size_t entries) {
  const std::string quoted = shorten(name, kNameWidth);
  return entries > 1 ? fmt::format("{} and {} alike", quoted, entries - 1) : quoted;
}

std::string place_words(const ExplanationReport& explained, const Binding& binding) {
  const Allocation& allocation = explained.explanation.outcome.allocation;
  return entry_words(allocation.servers[binding.servers[0]].name, binding.servers.size());
}

std::string and_more(std::size_t all, const std::string& what) {
  return all > kMaxRows ? fmt::format("and {} more {}\n", all - kMaxRows, what) : "";
}

const std::string& dominant_resource(const ExplanationReport& explained) {
  const Explanation& explanation = explained.explanation;
  const auto dominant = dominant_resources(explained.problem, explanation.outcome.allocation);
  return explained.problem.resources()[dominant[explanation.user]];
}

std::string summary(const ExplanationReport& explained, const Terminal& terminal) {
  const Explanation& explanation = explained.explanation;
  const User& user = explained.problem.users()[explanation.user];
  std::vector<std::string> demand;
  for (std::size_t r = 0; r < user.demand.size(); ++r) {
    if (!user.demand[r].is_zero())
      demand.push_back(explained.problem.resources()[r] + " " + amount_words(user.demand[r].value()));
  }
  const std::string limit =
      user.tasks ? fmt::format("{} to run", tasks_words(user.tasks->value())) : "endless tasks";
  const std::string has = tasks_words(explanation.outcome.allocation.tasks[explanation.user]);
  const bool is_short = user.tasks && !explanation.has_all_tasks;
  return broken(fmt::format("{}: {} has {} under {}", printable(explained.title), user.name,
                            terminal.bold && is_short ? in_bold(has) : has, explanation.outcome.mechanism),
                terminal.width) +
         choice_lines(explanation.outcome, terminal.width) + "\n" +
         broken(fmt::format("A task takes {}; {}, weight {}. Its share is {}, of {}.",
                            fmt::join(demand, ", "), limit, user.weight.text(),
                            percent(explanation.dominant_share, 2), dominant_resource(explained)),
                terminal.width, "");
}

std::string placement_table(const ExplanationReport& explained, std::size_t width) {
  const Explanation& explanation = explained.explanation;
  const Allocation& allocation = explanation.outcome.allocation;
  const double dust = kDust * allocation.tasks[explanation.user];
  std::vector<Grant> grants;
  for (const Grant& grant : allocation.grants.of(explanation.user)) {
    if (grant.tasks > dust) grants.push_back(grant);
  }
  if (grants.empty()) return "\nIt has no tasks anywhere.\n";
  std::stable_sort(grants.begin(), grants.end(),
                   [](const Grant& a, const Grant& b) { return a.tasks > b.tasks; });
  const std::size_t all = grants.size();
  grants.erase(grants.begin() + static_cast<std::ptrdiff_t>(std::min(all, kMaxRows)), grants.end());

  Table table;
  table.columns = {{.shortest = kNameWidth}, {Align::decimal}};
  table.rows = {{{"where it runs"}, {"tasks", 1, Align::right}}};
  std::vector<double> tasks;
  tasks.reserve(grants.size());
  for (const std::string& resource : explained.problem.resources()) {
    table.columns.push_back({Align::decimal});
    table.rows[0].push_back({shorten(resource, kResourceWidth), 1, Align::right});
  }
  table.add_rule();
  for (const Grant& grant : grants) tasks.push_back(grant.tasks);
  const int decimals = decimals_for(tasks);
  for (const Grant& grant : grants) {
    auto& row = table.rows.emplace_back(
        std::vector<Cell>{{allocation.servers[grant.server].name}, {tasks_fixed(grant.tasks, decimals)}});
    for (std::size_t r = 0; r < grant.resources.size(); ++r)
      row.push_back({amount_words(grant.resources[r], explained.problem.pool()[r])});
  }
  return "\n" + render(table, width) + and_more(all, "servers");
}

std::string others_words(const ExplanationReport& explained, const Binding& binding, std::size_t most) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(most, binding.others.size()); ++i) {
    const Holding& other = binding.others[i];
    words.push_back(fmt::format("{} {}", shorten(explained.problem.users()[other.user].name, kNameWidth),
                                percent(other.amount / binding.capacity, 1)));
  }
  return words.empty() ? "–" : fmt::format("{}", fmt::join(words, ", "));
}

std::string sentence(std::string words) {
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return broken(words + ".", kPageWidth, "");
}

// `gpu`, `cpu and gpu`.
std::string resources_words(const Problem& problem, const std::vector<std::size_t>& resources) {
  std::vector<std::string_view> names;
  for (const std::size_t r : resources) names.push_back(problem.resources()[r]);
  return fmt::format("{}", fmt::join(names, " and "));
}

// `nothing that it needs is full; there is room …`: what runs, as given, is no decision of a mechanism.
std::string order_words(const ExplanationReport& explained) {
  const std::optional<Room>& room = explained.explanation.stop.room;
  if (!room) return "nothing that it needs is full: the mechanism itself gives it no more";
  const ServerUse& server = explained.explanation.outcome.allocation.servers[room->server];
  const std::string name = shorten(server.name, kNameWidth);
  switch (room->kind) {
    case Room::Kind::server:
      return fmt::format("there is room for a task of it on {}{}, and it is not placed there",
                         server.count > 1 ? "a server of " : "", name);
    case Room::Kind::unknown:
      return fmt::format(
          "a task of it fits into what is free on the {} servers of {} together; whether one of them has "
          "room "
          "for it, the cluster file does not say",
          server.count, name);
    case Room::Kind::fragments:
      return "room for it exists only in fragments: no server where it may run has room for a whole task";
  }
  return {};
}

std::string missing_words(const ExplanationReport& explained) {
  const Explanation& explanation = explained.explanation;
  const Stop& stop = explanation.stop;
  if (stop.resources.empty()) return fits_nowhere(explained.problem.cluster(), explanation.user).message;
  return fmt::format("no server on which it may run has all that it asks for; missing: {}",
                     lack_words(explained.problem, {stop.resources, stop.is_together}));
}

// `its limit on cpu is reached`, `its limit on cpu and the limits of research on cpu and gpu are reached`.
std::string limit_words(const Problem& problem, const Stop& stop) {
  const std::vector<std::size_t> nodes = nodes_of(stop);
  std::vector<std::string> words;
  std::size_t limits = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<std::size_t>& reached = stop.reached[i];
    limits += reached.size();
    const std::string what = reached.size() == 1 ? "limit" : "limits";
    const std::string whose =
        i == 0 ? "its " + what
               : fmt::format("the {} of {}", what, shorten(node_name(problem, nodes[i]), kNameWidth));
    words.push_back(fmt::format("{} on {}", whose, resources_words(problem, reached)));
  }
  return fmt::format("{} {} reached", fmt::join(words, " and "), limits == 1 ? "is" : "are");
}

// What holds it back besides full resources.
std::string stop_sentence(const ExplanationReport& explained) {
  const Stop& stop = explained.explanation.stop;
  if (stop.is_missing) return sentence(missing_words(explained));
  const std::string resources = resources_words(explained.problem, stop.resources);
  return stop.kind == StopKind::reserve
             ? fmt::format("What is free of {} is reserved for others.\n", resources)
             : fmt::format("The limit of {} on {} is reached.\n", node_name(explained.problem, stop.node),
                           resources);
}

// Which of the siblings that want more of a resource comes first; none where all have as much.
std::string order_of_siblings(const Holder& holder, const std::string& first, const std::string& resource) {
  const std::string key = percent(holder.key, 2);
  if (holder.level == holder.wanting)
    return fmt::format("all {} that want more {} have the same {} beyond/weight", holder.wanting, resource,
                       key);
  const std::string least = percent(holder.sibling_key, 2);
  return least == key
             ? fmt::format("{} of the {} that want more {} have the same {} beyond/weight", holder.level,
                           holder.wanting, resource, key)
             : fmt::format("{} wants more of it too and comes first, with {} beyond/weight against {}", first,
                           least, key);
}

// Why the node holds the user back.
std::string hold_reason(const ExplanationReport& explained, const Holder& holder) {
  const Problem& problem = explained.problem;
  const Tree& tree = problem.tree();
  const auto name = [&](std::size_t node) { return shorten(node_name(problem, node), kNameWidth); };
  const std::string resources = resources_words(problem, holder.resources);
  const std::string sibling = holder.sibling ? name(*holder.sibling) : "";
  const std::string parent = tree.parent(holder.node) == 0 ? "the cluster" : name(tree.parent(holder.node));
  const std::string part = fmt::format("{} is used up, and {} has {} of what {} has of it", resources,
                                       name(holder.node), percent(holder.part, 1), parent);
  switch (holder.kind) {
    case HoldKind::limit:
      return limit_words(problem, explained.explanation.stop);
    case HoldKind::reserve: {
      std::vector<std::string> owners{sibling};
      for (const std::size_t other : holder.others) owners.push_back(name(other));
      return fmt::format("what is free of {} is reserved for {}", resources, fmt::join(owners, " and "));
    }
    case HoldKind::no_weight:
      return fmt::format(
          "{}; its weight is 0, so beyond its guarantee it gets what no sibling with a weight can take, and "
          "{} has most of the rest",
          part, sibling);
    case HoldKind::guarantee:
      return fmt::format("{}; {} has most of the rest, within its guarantee", part, sibling);
    case HoldKind::sibling:
      return part + "; " + order_of_siblings(holder, sibling, resources);
    case HoldKind::capacity:
      if (explained.explanation.stop.is_missing) return missing_words(explained);
      return holder.sibling ? fmt::format("{}; {} has most of the rest", part, sibling)
                            : fmt::format("{} is used up, and no other user has any of it", resources);
    case HoldKind::order:
      return order_words(explained);
  }
  return {};
}

// `It is held back at vision: gpu is used up, …`.
std::string holder_words(const ExplanationReport& explained) {
  const Holder& holder = *explained.explanation.holder;
  return fmt::format("It is held back at {}: {}.", node_name(explained.problem, holder.node),
                     hold_reason(explained, holder));
}

std::string no_weight_words(const std::string& name) {
  return fmt::format(
      "The weight of {} is 0: beyond its guarantee it gets what no sibling with a weight can take.", name);
}

std::string path_table(const ExplanationReport& explained, std::size_t width) {
  const Problem& problem = explained.problem;
  const std::vector<PathNode>& path = explained.explanation.path;
  if (path.empty()) return {};
  const std::size_t page = std::min(width, kPageWidth);  // of sentences
  Table table;
  table.columns = {
      {.shortest = kNameWidth}, {Align::right}, {Align::decimal}, {Align::decimal}, {.shortest = kNameWidth}};
  table.rows = {{{"on its path"},
                 {"weight"},
                 {"share", 1, Align::right},
                 {"beyond/weight", 1, Align::right},
                 {"the lowest sibling that wants more"}}};
  table.add_rule();
  std::string last;
  for (const PathNode& on : path) {
    const double weight = problem.tree().weight(on.node);
    table.rows.push_back(
        {{node_name(problem, on.node)},
         {fmt::format("{}", weight)},
         {percent(on.has.share, 2)},
         {percent(on.has.key, 2)},
         {on.lowest ? fmt::format("{} {}{}", percent(on.lowest_key, 2), node_name(problem, *on.lowest),
                                  on.lowest_is_last ? ", of weight 0: last" : "")
                    : kNone}});
    if (weight == 0) last += broken(no_weight_words(node_name(problem, on.node)), page);
  }
  const std::optional<Holder>& holder = explained.explanation.holder;
  if (holder && holder->kind != HoldKind::order) last = broken(holder_words(explained), page) + last;
  return "\n" + render(table, width) +
         broken("beyond/weight: the share of what it uses beyond its guarantee; siblings are compared by it",
                page) +
         last;
}

std::string binding_table(const ExplanationReport& explained, std::size_t named) {
  const Explanation& explanation = explained.explanation;
  if (explanation.has_all_tasks) return "\nIt runs all the tasks it has: no resource holds it back.\n";
  const Stop& stop = explanation.stop;
  if (stop.kind == StopKind::limit || stop.kind == StopKind::reserve || stop.is_missing)
    return explanation.holder ? "" : "\n" + stop_sentence(explained);
  const std::string room = sentence(order_words(explained));
  if (explanation.bindings.empty()) return "\n" + room;
  const bool priced = explanation.bindings.front().price.has_value();
  Table table;
  table.columns = {{}, {}, {Align::decimal}, {Align::decimal}, {Align::decimal}};
  table.rows = {{{"full"},
                 {"resource"},
                 {"capacity", 1, Align::right},
                 {"it holds", 1, Align::right},
                 {"level", 1, Align::right}}};
  if (priced) {
    table.columns.push_back({Align::right});
    table.rows[0].push_back({"price"});
  }
  if (named > 0) {
    table.columns.push_back({});
    table.rows[0].push_back({"others who hold most"});
  }
  table.add_rule();
  for (std::size_t i = 0; i < std::min(kMaxRows, explanation.bindings.size()); ++i) {
    const Binding& binding = explanation.bindings[i];
    auto& row = table.rows.emplace_back(
        std::vector<Cell>{{place_words(explained, binding)},
                          {shorten(explained.problem.resources()[binding.resource], kResourceWidth)},
                          {amount_words(binding.capacity, explained.problem.pool()[binding.resource])},
                          {percent(binding.held / binding.capacity, 2)},
                          {fmt::format("{:.4g}", binding.level)}});
    if (priced) row.push_back({fmt::format("{:.4g}", binding.price.value_or(0))});
    if (named > 0) row.push_back({others_words(explained, binding, named)});
  }
  const std::string below = stop.room ? room : "";
  return "\n" + render(table) + and_more(explanation.bindings.size(), "full resources") + below;
}

// As many of the others are named as the width holds.
std::string binding_table_within(const ExplanationReport& explained, std::size_t width) {
  std::size_t named = 3;
  std::string text = binding_table(explained, named);
  while (named > 0 && widest_line(text) > width) text = binding_table(explained, --named);
  return text;
}

// A gain that the decimals hide is given by its size.
std::string gain_words(double gain, int decimals) {
  if (gain == 0) return "0";
  if (std::abs(gain) < std::pow(10, -decimals)) return fmt::format("{:+.1g}", gain);
  return (gain > 0 ? "+" : "") + fixed(gain, decimals);
}

// Of several users together their share's.
double gain_shown(const WhatIf& what_if) { return what_if.share ? what_if.share_gain : what_if.gain; }

// The change that brings most, where one brings anything.
const WhatIf* best_change(std::span<const WhatIf> what_ifs) {
  const auto best = std::max_element(what_ifs.begin(), what_ifs.end(), [](const WhatIf& a, const WhatIf& b) {
    return gain_shown(a) < gain_shown(b);
  });
  return best == what_ifs.end() || gain_shown(*best) <= 0 ? nullptr : &*best;
}

std::string what_ifs(const ExplanationReport& explained, const Terminal& terminal) {
  const Explanation& explanation = explained.explanation;
  std::vector<WhatIf> shown;
  for (const WhatIf& what_if : explanation.what_ifs) {
    if (!explanation.has_all_tasks || what_if.gain != 0) shown.push_back(what_if);
  }
  if (shown.empty()) return {};
  std::string text = "\n" + what_if_table(explained.problem, explanation.user, shown,
                                          "what if (solved each time)", terminal);
  if (explanation.untried > 0) {
    text += fmt::format("and {} more, not tried: --what-ifs {} tries all\n", explanation.untried,
                        explanation.untried + explanation.what_ifs.size());
  }
  return text;
}

std::string remarks(const ExplanationReport& explained, const Terminal& terminal) {
  const std::size_t width = terminal.width;
  const Outcome& outcome = explained.explanation.outcome;
  std::string legend = "share: the largest part of any one resource that the user holds";
  if (!explained.explanation.bindings.empty()) {
    const bool each_server = explained.explanation.scope == Scope::each_server;
    legend += fmt::format(
        "; level: the {} per weight at which the resource stops users, the highest of those who hold "
        "some of it",
        each_server ? "virtual share (tasks over those that fit alone on these servers)" : "share");
  }
  std::string text = broken(legend, width);
  if (terminal.bold)
    text += broken("bold: fewer tasks than the user asks for; the change that brings most", width);
  if (outcome.status == Status::not_converged) {
    text +=
        fmt::format("NOT CONVERGED: {} {}\n", outcome.certificate.kind, magnitude(outcome.certificate.value));
  }
  for (const std::string& notice : outcome.notices) {
    if (!is_of_choice(notice))
      text += broken(fmt::format("{}: {}", notice_kind(notice), printable(notice)), width, "      ");
  }
  return "\n" + text;
}

}  // namespace

namespace {

std::string also_words(const Problem& problem, const std::vector<std::size_t>& nodes) {
  std::vector<std::string> names;
  for (const std::size_t node : nodes) names.push_back(shorten(node_name(problem, node), kNameWidth));
  return names.empty() ? "" : fmt::format(", as much more for {}", fmt::join(names, ", "));
}

// `limit of research at 8 gpu`, `limit of vision at 4 gpu, as much more for research, and limit of …`.
std::string limits_words(const Problem& problem, const Change& change) {
  std::string words = fmt::format(
      "limit of {} at {} {}{}", shorten(node_name(problem, change.node), kNameWidth),
      amount_words(change.amount.value()), shorten(problem.resources()[change.resource], kResourceWidth),
      also_words(problem, change.also));
  for (const Change& other : change.with)
    words += (change.also.empty() ? " and " : ", and ") + limits_words(problem, other);
  return words;
}

}  // namespace

std::string change_words(const Problem& problem, std::size_t n, const Change& change) {
  const User& user = problem.users()[n];
  const auto entry = [&] {
    return entry_words(problem.servers()[change.servers[0]].name, change.servers.size());
  };
  const auto more = [&] {
    return fmt::format("{} more {}", amount_words(change.amount.value()),
                       shorten(problem.resources()[change.resource], kResourceWidth));
  };
  switch (change.kind) {
    case ChangeKind::server:
      return fmt::format("one more server: {}", entry());
    case ChangeKind::unit:
      return change.servers.empty() ? more() + " in the pool"
                                    : fmt::format("{} on one server: {}", more(), entry());
    case ChangeKind::weight:
      return fmt::format("weight {} instead of {}", change.amount.text(), user.weight.text());
    case ChangeKind::task:
      return fmt::format("{} tasks to run instead of {}", change.amount.text(), user.tasks->text());
    case ChangeKind::group_weight:
      return fmt::format("weight {} instead of {} for {}", change.amount.text(),
                         problem.groups()[problem.tree().group_at(change.node)].weight.text(),
                         shorten(node_name(problem, change.node), kNameWidth));
    case ChangeKind::limit:
      return limits_words(problem, change);
    case ChangeKind::guarantee: {
      std::vector<std::string> amounts;
      for (std::size_t r = 0; r < change.guarantee.size(); ++r) {
        if (!change.guarantee[r].is_zero())
          amounts.push_back(fmt::format("{} {}", shorten(problem.resources()[r], kResourceWidth),
                                        amount_words(change.guarantee[r].value())));
      }
      return fmt::format("guarantee of {} at {}", shorten(node_name(problem, change.node), kNameWidth),
                         fmt::join(amounts, ", "));
    }
    case ChangeKind::reserve:
      return fmt::format("nothing reserved for {}", shorten(node_name(problem, change.node), kNameWidth));
  }
  return {};
}

std::string losers_words(const Losers& losers, std::size_t named) {
  const std::size_t shown = std::min(named, losers.most.size());
  std::vector<std::string> words;
  for (std::size_t i = 0; i < shown; ++i) {
    const Loser& loser = losers.most[i];
    const std::string points = signed_points(loser.before.share_of_before, loser.after.share_of_before);
    const double tasks = loser.before.tasks - loser.after.tasks;
    words.push_back(fmt::format(
        "{} {}", shorten(loser.user, kNameWidth),
        loser.lost_share() > kSameWithin ? points + " points" : "-" + amount_words(tasks) + " tasks"));
  }
  std::string text = fmt::format("{}", fmt::join(words, ", "));
  if (losers.count > shown) text += fmt::format(" and {} more", losers.count - shown);
  return text;
}

namespace {

// What-ifs of one row: the same change on other servers, which reads the same.
struct EqualWhatIfs {
  const WhatIf* first;
  std::string has, gain, losers;  // tasks, or of several users together the share, as they read
  std::int64_t servers = 0;
  std::size_t entries = 0;
};

bool helps(const WhatIf& what_if) { return what_if.gain > 0 || what_if.share_gain > 0; }

// A kind of server that brings nothing is not offered.
bool is_server_in_vain(const WhatIf& what_if) {
  return what_if.change.kind == ChangeKind::server && what_if.status != Status::not_converged &&
         what_if.gain == 0 && what_if.share_gain == 0;
}

std::string in_vain_words(const Problem& problem, const std::vector<WhatIf>& what_ifs) {
  if (what_ifs.empty()) return {};
  const std::string first = shorten(problem.servers()[what_ifs.front().change.servers[0]].name, kNameWidth);
  return what_ifs.size() == 1 ? fmt::format("one more server like {} brings nothing\n", first)
                              : fmt::format("one more server of {} kinds brings nothing, such as {}\n",
                                            what_ifs.size(), first);
}

bool is_on_servers(const Change& change) { return !change.servers.empty(); }

std::vector<EqualWhatIfs> equal_together(const Problem& problem, std::span<const WhatIf> what_ifs) {
  std::vector<double> tasks;
  for (const WhatIf& what_if : what_ifs) tasks.push_back(what_if.tasks);
  const int decimals = std::min(decimals_for(tasks) + 1, 6);
  std::vector<EqualWhatIfs> rows;
  for (const WhatIf& what_if : what_ifs) {
    const Change& change = what_if.change;
    EqualWhatIfs row{
        .first = &what_if,
        .has = what_if.share ? percent(*what_if.share, 2) : tasks_fixed(what_if.tasks, decimals),
        .gain = what_if.share ? gain_words(100 * what_if.share_gain, 2) : gain_words(what_if.gain, decimals),
        .losers = losers_words(what_if.losers, kMostLosers),
        .entries = change.servers.size()};
    for (const std::size_t i : change.servers) row.servers += problem.servers()[i].count;
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const EqualWhatIfs& other) {
      const Change& one = other.first->change;
      return one.kind == change.kind && is_on_servers(one) && is_on_servers(change) &&
             one.resource == change.resource && one.amount == change.amount && other.has == row.has &&
             other.gain == row.gain && other.losers == row.losers && helps(*other.first) == helps(what_if) &&
             other.first->status == what_if.status;
    });
    if (same == rows.end()) {
      rows.push_back(std::move(row));
    } else {
      same->servers += row.servers;
      same->entries += row.entries;
    }
  }
  return rows;
}

// `one more of 9 servers like ip-…`, `1 more gpu on one of 9 servers like ip-…`.
std::string equal_words(const Problem& problem, std::size_t user, const EqualWhatIfs& row) {
  const Change& change = row.first->change;
  if (row.entries == change.servers.size()) return change_words(problem, user, change);
  const std::string like = fmt::format("of {} servers like {}", row.servers,
                                       shorten(problem.servers()[change.servers[0]].name, kNameWidth));
  return change.kind == ChangeKind::server
             ? "one more " + like
             : fmt::format("{} more {} on one {}", amount_words(change.amount.value()),
                           shorten(problem.resources()[change.resource], kResourceWidth), like);
}

}  // namespace

std::string what_if_table(const Problem& problem, std::size_t user, std::span<const WhatIf> what_ifs,
                          const std::string& head, const Terminal& terminal) {
  constexpr std::size_t kShortestLosers = 8;  // cells
  Table table;
  table.columns = {{}, {Align::decimal}, {Align::decimal}};
  const bool by_share = !what_ifs.empty() && what_ifs.front().share;
  table.rows = {{{head},
                 {by_share ? "share" : "tasks", 1, Align::right},
                 {by_share ? "points" : "gain", 1, Align::right}}};
  std::vector<WhatIf> offered, in_vain;
  for (const WhatIf& what_if : what_ifs) (is_server_in_vain(what_if) ? in_vain : offered).push_back(what_if);
  if (offered.empty()) return in_vain_words(problem, in_vain);
  const bool any_loses = std::any_of(offered.begin(), offered.end(),
                                     [](const WhatIf& what_if) { return what_if.losers.count > 0; });
  if (any_loses) {
    table.columns.push_back({.shortest = kShortestLosers});
    table.rows[0].push_back({"who has less then"});
  }
  table.columns.push_back({});
  table.add_rule();
  const WhatIf* best = best_change(offered);
  const auto is_best = [&](const WhatIf& what_if) {
    return best != nullptr && gain_of(gain_shown(*best), gain_shown(what_if)) == 0;
  };
  for (const EqualWhatIfs& row : equal_together(problem, offered)) {
    table.rows.push_back({{equal_words(problem, user, row)},
                          {row.has},
                          {.text = row.gain, .bold = terminal.bold && is_best(*row.first)}});
    if (any_loses) table.rows.back().push_back({row.losers.empty() ? "nobody" : row.losers});
    if (row.first->status == Status::not_converged) table.rows.back().push_back({"NOT CONVERGED"});
  }
  return render(table, terminal.width) + in_vain_words(problem, in_vain);
}

std::string explanation_table(const ExplanationReport& explained, const Terminal& terminal) {
  const std::size_t width = terminal.width;
  const Terminal page{.width = std::min(width, kPageWidth), .bold = terminal.bold};
  return summary(explained, page) + placement_table(explained, width) + path_table(explained, width) +
         binding_table_within(explained, width) + what_ifs(explained, terminal) + remarks(explained, page);
}

namespace {

using Json = nlohmann::ordered_json;

Json user_json(const ExplanationReport& explained) {
  const Problem& problem = explained.problem;
  const Explanation& explanation = explained.explanation;
  const Allocation& allocation = explanation.outcome.allocation;
  const User& user = problem.users()[explanation.user];
  Json servers = Json::object();
  for (const Grant& grant : allocation.grants.of(explanation.user))
    servers[allocation.servers[grant.server].name] = grant.tasks;
  return {{"name", user.name},
          {"weight", user.weight.value()},
          {"demand", by_resource(problem.resources(), user.demand)},
          {"limit", user.tasks ? Json(user.tasks->value()) : Json()},
          {"tasks", allocation.tasks[explanation.user]},
          {"dominant_resource", dominant_resource(explained)},
          {"dominant_share", explanation.dominant_share},
          {"has_all_tasks", explanation.has_all_tasks},
          {"held_back", held_back_json(problem, explanation.outcome, explanation.stop)},
          {"servers", std::move(servers)}};
}

}  // namespace

Json binding_json(const Problem& problem, const Outcome& outcome, const Binding& binding) {
  const Allocation& allocation = outcome.allocation;
  Json servers = Json::array();
  for (const std::size_t i : binding.servers) servers.push_back(allocation.servers[i].name);
  Json others = Json::array();
  for (const Holding& other : binding.others) {
    others.push_back({{"user", problem.users()[other.user].name}, {"held", other.amount}});
  }
  Json json{{"servers", std::move(servers)},
            {"resource", problem.resources()[binding.resource]},
            {"capacity", binding.capacity},
            {"held", binding.held},
            {"level", binding.level}};
  if (binding.price) json["price"] = *binding.price;
  json["others"] = std::move(others);
  return json;
}

namespace {

Json limit_json(const Problem& problem, const Change& change) {
  Json json{{"resource", problem.resources()[change.resource]}, {"of", node_name(problem, change.node)}};
  if (!change.also.empty()) json["also"] = node_names(problem, change.also);
  json["amount"] = change.amount.value();
  return json;
}

// Points as in words, which counts the rest.
Json losers_json(const Losers& losers) {
  Json most = Json::array();
  for (const Loser& loser : losers.most) {
    most.push_back({{"user", loser.user},
                    {"share_before", loser.before.share_of_before},
                    {"share_after", loser.after.share_of_before},
                    {"tasks_before", loser.before.tasks},
                    {"tasks_after", loser.after.tasks}});
  }
  return {{"count", losers.count}, {"most", std::move(most)}, {"words", losers_words(losers, kMostLosers)}};
}

}  // namespace

Json what_if_json(const Problem& problem, std::size_t user, const WhatIf& what_if) {
  const Change& change = what_if.change;
  Json servers = Json::array();
  for (const std::size_t i : change.servers) servers.push_back(problem.servers()[i].name);
  Json json{{"change", change_name(change.kind)}, {"servers", std::move(servers)}};
  if (is_of_resource(change.kind)) json["resource"] = problem.resources()[change.resource];
  if (change.kind == ChangeKind::group_weight ||
      (is_of_resource(change.kind) && change.kind != ChangeKind::unit))
    json["of"] = node_name(problem, change.node);
  if (!change.also.empty()) json["also"] = node_names(problem, change.also);
  for (const Change& other : change.with) json["with"].push_back(limit_json(problem, other));
  json["amount"] = change.amount.value();
  if (!change.guarantee.empty()) json["guarantee"] = by_resource(problem.resources(), change.guarantee);
  json["tasks"] = what_if.tasks;
  json["gain"] = what_if.gain;
  if (what_if.share) {
    json["share"] = *what_if.share;
    json["share_gain"] = what_if.share_gain;
  }
  json["losers"] = losers_json(what_if.losers);
  json["status"] = status_name(what_if.status);
  json["words"] = change_words(problem, user, change);
  return json;
}

namespace {

Json holder_json(const ExplanationReport& explained) {
  const Holder& holder = *explained.explanation.holder;
  const Problem& problem = explained.problem;
  Json resources = Json::array();
  for (const std::size_t r : holder.resources) resources.push_back(problem.resources()[r]);
  return {{"name", node_name(problem, holder.node)},
          {"by", hold_name(holder.kind)},
          {"resources", std::move(resources)},
          {"part", holder.part},
          {"sibling", holder.sibling ? Json(node_name(problem, *holder.sibling)) : Json()},
          {"words", holder_words(explained)}};
}

}  // namespace

Json explanation_json(const ExplanationReport& explained) {
  const Explanation& explanation = explained.explanation;
  const Outcome& outcome = explanation.outcome;
  Json bindings = Json::array();
  for (const Binding& binding : explanation.bindings)
    bindings.push_back(binding_json(explained.problem, outcome, binding));
  Json what_ifs = Json::array();
  for (const WhatIf& what_if : explanation.what_ifs)
    what_ifs.push_back(what_if_json(explained.problem, explanation.user, what_if));
  Json json{{"version", 1},
            {"cluster", explained.title},
            {"mechanism", outcome.mechanism},
            {"status", status_name(outcome.status)},
            {"certificate", certificate_json(outcome.certificate)},
            {"seconds", outcome.seconds},
            {"user", user_json(explained)},
            {"bindings", std::move(bindings)},
            {"what_ifs", std::move(what_ifs)},
            {"untried", explanation.untried},
            {"notices", outcome.notices}};
  add_merged(json, explained.problem, outcome);
  for (const PathNode& on : explanation.path) {
    const std::string sibling = on.lowest ? node_name(explained.problem, *on.lowest) : "";
    json["path"].push_back(
        {{"name", node_name(explained.problem, on.node)},
         {"weight", explained.problem.tree().weight(on.node)},
         {"share", on.has.share},
         {"beyond", on.has.key},
         {"lowest_sibling",
          on.lowest ? Json{{"name", sibling}, {"beyond", on.lowest_key}, {"last", on.lowest_is_last}}
                    : Json()}});
  }
  if (explanation.holder) json["holder"] = holder_json(explained);
  return json;
}

}  // namespace mirab::report
