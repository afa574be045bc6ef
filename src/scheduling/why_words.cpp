// Explanations in words: a line for each fact, the weightiest first, in amounts of the caller's units.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mirab/model/assert.hpp>
#include <mirab/scheduling/why.hpp>

namespace mirab::scheduling {
namespace {

using Names = std::span<const std::string>;

std::string number(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string_view is(std::int64_t count) { return count == 1 ? "is" : "are"; }
std::string_view comes(std::int64_t count) { return count == 1 ? "comes" : "come"; }

std::string list(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// `500 millicpu, 20 MiB`: those above 0.
std::string amounts(const Amounts& amounts, Names resources) {
  std::vector<std::string> words;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] > 0) words.push_back(fmt::format("{} {}", amounts[r], resources[r]));
  }
  return words.empty() ? "nothing" : list(words);
}

/// `4 are full (too little millicpu on 3, MiB on 1)`
std::string lacking(std::int64_t servers, std::string_view what, const std::vector<std::int64_t>& on,
                    Names resources) {
  std::vector<std::string> words;
  for (std::size_t r = 0; r < on.size(); ++r) {
    if (on[r] > 0) words.push_back(fmt::format("{} on {}", resources[r], on[r]));
  }
  return fmt::format("{} {} {} (too little {})", servers, is(servers), what, list(words));
}

std::string servers(const WhyWaiting::Servers& of, Names resources) {
  const std::int64_t all = of.with_room + of.not_allowed + of.too_small + of.drained + of.full;
  std::vector<std::string> words;
  if (of.full > 0) words.push_back(lacking(of.full, "full", of.lacking, resources));
  if (of.drained > 0) words.push_back(fmt::format("{} {} drained", of.drained, is(of.drained)));
  if (of.too_small > 0) words.push_back(lacking(of.too_small, "too small", of.too_small_in, resources));
  if (of.not_allowed > 0)
    words.push_back(fmt::format("{} {} not allowed", of.not_allowed, is(of.not_allowed)));
  std::string text =
      fmt::format("{} of {} {} room", of.with_room == 0 ? "none" : fmt::to_string(of.with_room),
                  number(all, "server"), of.with_room > 1 ? "have" : "has");
  if (!words.empty()) text += ": " + list(words);
  return text + "\n";
}

std::string constraint(const WhyWaiting::Constraint& of) {
  if (of.excludes == 0) return {};
  return fmt::format("{} {} excluded by {}, {} by that alone\n", number(of.excludes, "server"),
                     is(of.excludes), of.label.empty() ? "name" : fmt::format("the label {}", of.label),
                     of.alone);
}

std::string order(const WhyWaiting& why) {
  std::string text;
  if (why.older_jobs > 0) {
    text += fmt::format("{} of {} for the same {} before it\n", number(why.older_jobs, "older job"),
                        why.user_name, comes(why.older_jobs));
  }
  if (why.own_ahead > 0) {
    text += fmt::format("{} of {} for something else {} before it\n", number(why.own_ahead, "queue"),
                        why.user_name, comes(why.own_ahead));
  }
  if (why.users_ahead > 0)
    text += fmt::format("{} {} before it\n", number(why.users_ahead, "user"), comes(why.users_ahead));
  if (why.users_tied > 0)
    text += fmt::format("lots are drawn with {} whose key is equal\n", number(why.users_tied, "user"));
  if (why.next && why.key == why.next->key)
    text += fmt::format("first of all comes {}\n", why.next->user_name);
  if (why.next && why.key != why.next->key) {
    text += fmt::format("first of all comes {}, whose key is {:.4g} against {:.4g}\n", why.next->user_name,
                        why.next->key, *why.key);
  }
  return text;
}

}  // namespace

std::string describe(const WhyWaiting& why, Names resources) {
  std::string text = fmt::format("{} of {} {}\n", number(why.waiting, "task"), why.user_name,
                                 why.waiting == 1 ? "waits" : "wait");
  if (why.is_next()) text += "the next step places one\n";
  if (why.blocked_by) {
    text += fmt::format("nothing is placed until there is room for the task of {} (blocking=freeze)\n",
                        why.blocked_by->user_name);
  }
  text += servers(why.servers, resources);
  for (const WhyWaiting::Constraint& each : why.constraints) text += constraint(each);
  if (why.nearest_miss) {
    text += fmt::format("nearest is {}, with {} to free\n", why.nearest_miss->name,
                        amounts(why.nearest_miss->to_free, resources));
  }
  text += order(why);
  if (why.with_weight)
    text += fmt::format("with a weight above {:.6g} {} comes first\n", *why.with_weight, why.user_name);
  return text;
}

std::string describe(const WhyNotOn& why, Names resources) {
  switch (why.reason) {
    case InTheWay::nothing:
      return "it has room\n";
    case InTheWay::name:
      return "its name is not among those asked for\n";
    case InTheWay::label:
      return fmt::format("its label {} is not what is asked for\n", why.label);
    case InTheWay::too_small:
      return fmt::format("it is too small by {}\n", amounts(why.missing, resources));
    case InTheWay::drained:
      return "it is drained\n";
    case InTheWay::full:
      return fmt::format("it is full: {} to free\n", amounts(why.missing, resources));
  }
  MIRAB_ASSERT(false, "another reason");
}

std::string describe(const WhyPlaced& why, Names resources) {
  const std::string which = why.line ? fmt::format("the head of the line of {}, in round {}",
                                                   resources[why.line->resource], why.line->round)
                                     : fmt::format("whose key {:.4g} is the lowest", why.key);
  std::string text = fmt::format("{} is served, {}; {} of {} that wait have a task that fits\n",
                                 why.user_name, which, why.users_fitting, number(why.users_waiting, "user"));
  if (why.users_tied > 0)
    text += fmt::format("{} with an equal key: the tie rule decides\n", number(why.users_tied, "more user"));
  if (why.kind) text += fmt::format("the key is that for servers of {}\n", amounts(*why.kind, resources));
  if (why.runner_up) {
    text += fmt::format("next would be {}", why.runner_up->user_name);
    text += why.line ? "\n" : fmt::format(", with {:.4g}\n", why.runner_up->key);
  }
  text += fmt::format("it goes to {}, of {} with room{}\n", why.server_name,
                      number(why.servers_with_room, "server"),
                      why.was_freed ? "; something was freed there" : "");
  if (why.runner_up_server) text += fmt::format("the second choice would be {}\n", why.runner_up_server_name);
  if (why.measure) {
    text += fmt::format("{}: {:.4g}", why.measure->what, why.measure->chosen);
    text += why.measure->runner_up ? fmt::format(" against {:.4g}\n", *why.measure->runner_up) : "\n";
  }
  return text + fmt::format("it leaves {} there, of {}\n", amounts(why.free_after, resources),
                            amounts(why.free_before, resources));
}

}  // namespace mirab::scheduling
