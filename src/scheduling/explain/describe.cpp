// Explanations in words: a line for each fact, the weightiest first, in amounts of the caller's units.
#include "scheduling/explain/describe.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mirab/model/assert.hpp>

#include "model/names.hpp"
#include "model/seconds.hpp"

namespace mirab::scheduling {
namespace {

using Names = std::span<const std::string>;

std::string number(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string_view is(std::int64_t count) { return count == 1 ? "is" : "are"; }
std::string_view has(std::int64_t count) { return count == 1 ? "has" : "have"; }
std::string_view comes(std::int64_t count) { return count == 1 ? "comes" : "come"; }

std::string list(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// `500 millicpu, 20 MiB`: those above 0, in the units of the engine.
AmountWords words_in(Names resources) {
  return [resources](const Amounts& amounts) {
    std::vector<std::string> words;
    for (std::size_t r = 0; r < amounts.size(); ++r) {
      if (amounts[r] > 0) words.push_back(fmt::format("{} {}", amounts[r], printable(resources[r])));
    }
    return words.empty() ? std::string("nothing") : list(words);
  };
}

/// `4 are full (too little millicpu on 3, MiB on 1)`
std::string lacking(std::int64_t servers, std::string_view what, const std::vector<std::int64_t>& on,
                    Names resources) {
  std::vector<std::string> words;
  for (std::size_t r = 0; r < on.size(); ++r) {
    if (on[r] > 0) words.push_back(fmt::format("{} on {}", printable(resources[r]), on[r]));
  }
  return fmt::format("{} {} {} (too little {})", servers, is(servers), what, list(words));
}

std::string servers(const WhyWaiting::Servers& of, Names resources) {
  const std::int64_t all = of.with_room + of.not_allowed + of.too_small + of.drained + of.kept + of.pack +
                           of.per_server + of.spread + of.full;
  std::vector<std::string> words;
  if (of.full > 0) words.push_back(lacking(of.full, "full", of.lacking, resources));
  if (of.drained > 0) words.push_back(fmt::format("{} {} drained", of.drained, is(of.drained)));
  if (of.too_small > 0) words.push_back(lacking(of.too_small, "too small", of.too_small_in, resources));
  if (of.not_allowed > 0)
    words.push_back(fmt::format("{} {} not allowed", of.not_allowed, is(of.not_allowed)));
  if (of.kept > 0) words.push_back(fmt::format("{} {} kept for others", of.kept, is(of.kept)));
  if (of.pack > 0)
    words.push_back(fmt::format("{} {} in another domain than what runs of it", of.pack, is(of.pack)));
  if (of.per_server > 0)
    words.push_back(fmt::format("{} {} as much of it as it allows", of.per_server, has(of.per_server)));
  if (of.spread > 0)
    words.push_back(fmt::format("{} {} in a domain too far ahead", of.spread, is(of.spread)));
  std::string text =
      fmt::format("{} of {} {} room", of.with_room == 0 ? "none" : fmt::to_string(of.with_room),
                  number(all, "server"), has(std::max<std::int64_t>(of.with_room, 1)));
  if (!words.empty()) text += ": " + list(words);
  return text + "\n";
}

std::string constraint(const WhyWaiting::Constraint& of) {
  if (of.excludes == 0) return {};
  const std::string by = of.set             ? fmt::format("the set {}", printable(*of.set))
                         : of.label.empty() ? "name"
                                            : fmt::format("the label {}", printable(of.label));
  return fmt::format("{} {} excluded by {}, {} by that alone\n", number(of.excludes, "server"),
                     is(of.excludes), by, of.alone);
}

std::string kept(const WhyWaiting& why, const AmountWords& words) {
  std::string text;
  if (why.kept_for_it) {
    const Amounts& missing = why.kept_for_it->missing;
    const std::string with =
        why.kept_for_it->others.empty()
            ? ""
            : fmt::format(" and {}", number(std::ssize(why.kept_for_it->others), "more server"));
    text += fmt::format(
        "{}{} {} kept for it, {}\n", printable(why.kept_for_it->name), with,
        why.kept_for_it->others.empty() ? "is" : "are",
        missing.empty() ? "and has room" : fmt::format("with {} still to come free", words(missing)));
  }
  for (const KeptServer& other : why.kept_for_others)
    text += fmt::format("{} is kept for a task of {}\n", printable(other.server_name),
                        printable(other.user_name));
  return text;
}

/// What the next step places instead of what has the lowest key.
std::string exception(const WhyWaiting& why) {
  if (why.served_first && !why.is_next()) {
    return fmt::format("the next step places a task of {}, for which {} is kept and has room\n",
                       printable(why.served_first->user_name), printable(why.served_first->server_name));
  }
  if (why.forced_first && !why.by_force)
    return fmt::format("the next step ends tasks for one of {}\n", printable(why.forced_first->user_name));
  if (!why.blocked_by || why.is_next()) return {};
  return fmt::format("nothing is placed until there is room for the task of {} (blocking=freeze)\n",
                     printable(why.blocked_by->user_name));
}

const char* by_right(Right right) {
  switch (right) {
    case Right::share:
      return "";
    case Right::guarantee:
      return " by a guarantee";
    case Right::rank:
      return " by its lower priority";
    case Right::tier:
      return " by its lower tier";
  }
  return "";
}

/// What preemption would do, were its budget not in the way.
std::string over_budget(const WhyWaiting& why) {
  if (!why.over_budget) return {};
  const WhyWaiting::OverBudget& of = *why.over_budget;
  const std::string whom =
      of.first.job == why.job ? "it" : fmt::format("a task of {} first", printable(of.first.user_name));
  return fmt::format("{} would end for {} by force, {}\n", number(of.tasks, "task"), whom,
                     of.free_at
                         ? fmt::format("but the budget of preemption {}; it allows that at {} s",
                                       of.left == 0 ? "is used up" : fmt::format("has only {} left", of.left),
                                       seconds_text(of.free_at->time_since_epoch()))
                         : "which is more than the budget of preemption ever allows");
}

/// The key; in a tree those of the nodes on the path, from the top.
std::string goes(double before, double after, const std::vector<double>& standing_before,
                 const std::vector<double>& standing_after) {
  const auto list = [](const std::vector<double>& keys) {
    std::string text;
    for (const double key : keys) text += fmt::format("{}{:.4g}", text.empty() ? "" : ", ", key);
    return text;
  };
  if (standing_before.size() < 2) return fmt::format("key goes from {:.4g} to {:.4g}\n", before, after);
  return fmt::format("standing goes from ({}) to ({})\n", list(standing_before), list(standing_after));
}

std::string losses(const ByForce& force, const std::string& gainer) {
  std::string text;
  for (const ByForce::Loser& loser : force.losers) {
    text +=
        fmt::format("{} of {} {} on {}{}, whose {}", number(loser.tasks, "task"), printable(loser.user_name),
                    loser.tasks == 1 ? "ends" : "end", printable(force.server_name), by_right(loser.right),
                    goes(loser.key_before, loser.key_after, loser.standing_before, loser.standing_after));
  }
  if (force.standing_before.size() < 2)
    return text + fmt::format("the key of {} goes from {:.4g} to {:.4g}\n", gainer, force.key_before,
                              force.key_after);
  return text +
         fmt::format("{}, whose {}", gainer,
                     goes(force.key_before, force.key_after, force.standing_before, force.standing_after));
}

std::string order(const WhyWaiting& why) {
  std::string text;
  if (why.older_jobs > 0) {
    text += fmt::format("{} of {} for the same {} before it\n", number(why.older_jobs, "older job"),
                        printable(why.user_name), comes(why.older_jobs));
  }
  if (why.own_ahead > 0) {
    text += fmt::format("{} of {} for something else {} before it\n", number(why.own_ahead, "queue"),
                        printable(why.user_name), comes(why.own_ahead));
  }
  if (why.users_ahead > 0)
    text += fmt::format("{} {} before it\n", number(why.users_ahead, "user"), comes(why.users_ahead));
  if (why.users_tied > 0)
    text += fmt::format("lots are drawn with {} whose key is equal\n", number(why.users_tied, "user"));
  if (why.next && (why.key == why.next->key || why.tree))  // in a tree keys of users are not compared
    text += fmt::format("first of all comes {}\n", printable(why.next->user_name));
  if (why.next && why.key != why.next->key && !why.tree) {
    text += fmt::format("first of all comes {}, whose key is {:.4g} against {:.4g}\n",
                        printable(why.next->user_name), why.next->key, *why.key);
  }
  return text;
}

std::string level(const InTree::Level& of) {
  return fmt::format("{} with {:.4g}{}{}", printable(of.name), of.key,
                     of.whole > of.key * (1 + 1e-9) ? fmt::format(" (of {:.4g} in all)", of.whole) : "",
                     of.is_last ? " (after all with a weight, since its own is 0)" : "");
}

/// What is in the way, by which guarantee it comes first, and the keys by which it is compared.
std::string in_tree(const InTree& tree, Names resources) {
  std::string text;
  if (tree.limit) {
    text +=
        fmt::format("the limit of {} is in the way: {} of {} {} are in use\n", printable(tree.limit->name),
                    tree.limit->held, tree.limit->allowed, printable(resources[tree.limit->resource]));
  }
  if (tree.reserve) {
    text +=
        fmt::format("what is reserved is in the way, most of it for {}: {} of {} {} are in use or reserved\n",
                    printable(tree.reserve->name), tree.reserve->held, tree.reserve->allowed,
                    printable(resources[tree.reserve->resource]));
  }
  if (!tree.covered_by.empty())
    text += fmt::format("the guarantee of {} covers it, so that it comes before tasks that none covers\n",
                        printable(tree.covered_by));
  std::vector<std::string> levels;
  for (const InTree::Level& each : tree.path) levels.push_back(level(each));
  text += fmt::format("from the top: {}\n", list(levels));
  if (tree.parting) {
    text += fmt::format("in {} it is compared by {}, the other by {}\n",
                        tree.parting->group.empty() ? "the cluster" : printable(tree.parting->group),
                        level(tree.parting->own), level(tree.parting->other));
  }
  return text;
}

/// Why it was the user's turn.
std::string turn(const WhyPlaced& why, Names resources) {
  if (why.kept_since && why.together > 1) return "for whose tasks servers were kept, which have room now";
  if (why.kept_since)
    return fmt::format("for whom {} is kept, which has room now", printable(why.server_name));
  if (why.by_force) return "for whom tasks end, since nothing else can be placed";
  if (why.line) {
    return fmt::format("the head of the line of {}, in round {}", resources[why.line->resource],
                       why.line->round);
  }
  if (why.tree) return fmt::format("whose turn it is in the tree, with the key {:.4g}", why.key);
  return fmt::format("whose key {:.4g} is the lowest", why.key);
}

}  // namespace

std::string describe(const WhyWaiting& why, Names resources) {
  const AmountWords words = words_in(resources);
  std::string text = fmt::format("{} of {} {}\n", number(why.waiting, "task"), printable(why.user_name),
                                 why.waiting == 1 ? "waits" : "wait");
  if (why.is_next()) text += why.gang ? "the next step places them\n" : "the next step places one\n";
  if (why.by_force) text += losses(*why.by_force, printable(why.user_name));
  text += exception(why) + over_budget(why);
  if (why.gang) {
    text += fmt::format("{} of them have to start together, and there is room for {}\n", why.gang->together,
                        why.gang->room);
    for (std::size_t role = 0; role < why.gang->roles.size(); ++role)
      text += fmt::format("role {}: {} of {} found room\n", role, why.gang->roles[role].room,
                          why.gang->roles[role].together);
  }
  text += servers(why.servers, resources) + kept(why, words);
  for (const WhyWaiting::Constraint& each : why.constraints) text += constraint(each);
  if (why.nearest_miss) {
    text += fmt::format("nearest is {}, with {} to free{}\n", printable(why.nearest_miss->name),
                        words(why.nearest_miss->to_free), why.gang ? " for one of them" : "");
  }
  text += order(why);
  if (why.tree) text += in_tree(*why.tree, resources);
  if (why.with_weight)
    text += fmt::format("with a weight above {:.6g} {} comes first\n", *why.with_weight,
                        printable(why.user_name));
  return text;
}

std::string describe(const WhyNotOn& why, const AmountWords& words) {
  switch (why.reason) {
    case InTheWay::nothing:
      return "it has room\n";
    case InTheWay::name:
      return "its name is not among those asked for\n";
    case InTheWay::label:
      return fmt::format("its label {} is not what is asked for\n", printable(why.label));
    case InTheWay::too_small:
      return fmt::format("it is too small by {}\n", words(why.missing));
    case InTheWay::drained:
      return "it is drained\n";
    case InTheWay::kept:
      return fmt::format("it is kept for a task of {}\n", printable(why.kept->user_name));
    case InTheWay::pack:
      return fmt::format("what runs of the job is in another domain of {}\n", printable(why.label));
    case InTheWay::per_server:
      return fmt::format("it has {} of the job, of at most {}\n", number(why.running, "task"), why.at_most);
    case InTheWay::spread:
      return fmt::format("its domain of {} has {} of the job, of at most {} now\n", printable(why.label),
                         number(why.running, "task"), why.at_most);
    case InTheWay::full:
      return fmt::format("it is full: {} to free\n", words(why.missing));
    case InTheWay::set:
      return fmt::format("it is not in the set {}\n", printable(why.label));
  }
  MIRAB_ASSERT(false, "another reason");
}

std::string describe(const WhyPlaced& why, Names resources, const AmountWords& words) {
  std::string text = fmt::format("{} is served, {}; {} of {} that {} {} a task that fits\n",
                                 printable(why.user_name), turn(why, resources), why.users_fitting,
                                 number(why.users_waiting, "user"), why.users_waiting == 1 ? "waits" : "wait",
                                 why.users_fitting == 1 || why.users_waiting == 1 ? "has" : "have");
  if (why.by_force) text += losses(*why.by_force, printable(why.user_name));
  if (why.users_tied > 0 && !why.kept_since)
    text += fmt::format("{} with an equal key: the tie rule decides\n", number(why.users_tied, "more user"));
  if (why.kind) text += fmt::format("the key is that for servers of {}\n", words(*why.kind));
  if (why.runner_up) {
    text += fmt::format("next would be {}", printable(why.runner_up->user_name));
    text += why.line ? "\n" : fmt::format(", with {:.4g}\n", why.runner_up->key);
  }
  if (why.tree) text += in_tree(*why.tree, resources);
  if (why.together > 1) text += fmt::format("{} tasks start together; of the first:\n", why.together);
  text += fmt::format("it goes to {}{}{}\n", printable(why.server_name),
                      why.kept_since || why.by_force
                          ? ""
                          : fmt::format(", of {} with room", number(why.servers_with_room, "server")),
                      why.was_freed ? "; something was freed there" : "");
  if (why.runner_up_server)
    text += fmt::format("the second choice would be {}\n", printable(why.runner_up_server_name));
  if (why.measure) {
    text += fmt::format("{}: {:.4g}", why.measure->what, why.measure->chosen);
    text += why.measure->runner_up ? fmt::format(" against {:.4g}\n", *why.measure->runner_up) : "\n";
  }
  return text + fmt::format("it leaves {} there, of {}\n", words(why.free_after), words(why.free_before));
}

std::string describe(const WhyNotOn& why, Names resources) { return describe(why, words_in(resources)); }
std::string describe(const WhyPlaced& why, Names resources) {
  return describe(why, resources, words_in(resources));
}

}  // namespace mirab::scheduling
