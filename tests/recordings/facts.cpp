#include "recordings/facts.hpp"

namespace mirab::recordings {

using scheduling::ByForce;
using scheduling::InTheWay;
using scheduling::KeptServer;
using scheduling::Lost;
using scheduling::WhyNotOn;
using scheduling::WhyPlaced;
using scheduling::WhyWaiting;

namespace {

void add(Facts& facts, const std::string& key, const KeptServer& kept) {
  facts.add(key + ".server", kept.server);
  facts.add(key + ".server_name", kept.server_name);
  facts.add(key + ".user", kept.user);
  facts.add(key + ".user_name", kept.user_name);
  facts.add(key + ".job", kept.job);
  facts.add(key + ".since", kept.since);
}

void add(Facts& facts, const std::string& key, const WhyWaiting::Other& other) {
  facts.add(key + ".user", other.user);
  facts.add(key + ".user_name", other.user_name);
  facts.add(key + ".job", other.job);
  facts.add_number(key + ".key", other.key);
}

void add(Facts& facts, const std::string& key, const ByForce& force) {
  facts.add(key + ".server", force.server);
  facts.add(key + ".server_name", force.server_name);
  facts.add_number(key + ".key_before", force.key_before);
  facts.add_number(key + ".key_after", force.key_after);
  for (std::size_t i = 0; i < force.losers.size(); ++i) {
    const std::string loser = key + ".loser" + std::to_string(i);
    facts.add(loser + ".user", force.losers[i].user);
    facts.add(loser + ".user_name", force.losers[i].user_name);
    facts.add(loser + ".tasks", force.losers[i].tasks);
    facts.add_number(loser + ".key_before", force.losers[i].key_before);
    facts.add_number(loser + ".key_after", force.losers[i].key_after);
  }
  for (const scheduling::Preempted& lost : force.ends) {
    facts.add(key + ".ends", lost.task);
    facts.add(key + ".ends_of", lost.job);
  }
}

void add(Facts& facts, const WhyWaiting::Servers& servers) {
  facts.add("with_room", servers.with_room);
  facts.add("not_allowed", servers.not_allowed);
  facts.add("too_small", servers.too_small);
  facts.add("drained", servers.drained);
  facts.add("kept", servers.kept);
  facts.add("pack", servers.pack);
  facts.add("per_server", servers.per_server);
  facts.add("spread", servers.spread);
  facts.add("full", servers.full);
  facts.add("lacking", servers.lacking);
  facts.add("too_small_in", servers.too_small_in);
}

/// The kept servers, what the gang lacks, the constraints and the nearest miss.
void add_places(Facts& facts, const WhyWaiting& why) {
  add(facts, why.servers);
  for (const KeptServer& kept : why.kept_for_others) add(facts, "kept_for_others", kept);
  if (why.kept_for_it) {
    facts.add("kept_for_it.server", why.kept_for_it->server);
    facts.add("kept_for_it.name", why.kept_for_it->name);
    facts.add("kept_for_it.since", why.kept_for_it->since);
    facts.add("kept_for_it.missing", why.kept_for_it->missing);
  }
  if (why.gang) {
    facts.add("gang.together", why.gang->together);
    facts.add("gang.room", why.gang->room);
  }
  for (const WhyWaiting::Constraint& constraint : why.constraints) {
    facts.add("constraint", constraint.label);
    facts.add("excludes", constraint.excludes);
    facts.add("alone", constraint.alone);
  }
  if (why.nearest_miss) {
    facts.add("nearest_miss.server", why.nearest_miss->server);
    facts.add("nearest_miss.name", why.nearest_miss->name);
    facts.add("nearest_miss.to_free", why.nearest_miss->to_free);
  }
}

/// Whose turn it is.
void add_turns(Facts& facts, const WhyWaiting& why) {
  if (why.key) facts.add_number("key", *why.key);
  facts.add("older_jobs", why.older_jobs);
  facts.add("own_ahead", why.own_ahead);
  facts.add("users_ahead", why.users_ahead);
  facts.add("users_tied", why.users_tied);
  if (why.next) add(facts, "next", *why.next);
  if (why.with_weight) facts.add_number("with_weight", *why.with_weight);
  if (why.blocked_by) add(facts, "blocked_by", *why.blocked_by);
  if (why.served_first) add(facts, "served_first", *why.served_first);
  if (why.forced_first) add(facts, "forced_first", *why.forced_first);
  if (why.by_force) add(facts, "by_force", *why.by_force);
  facts.add("is_next", why.is_next());
}

std::string_view name_of(InTheWay reason) {
  switch (reason) {
    case InTheWay::nothing:
      return "nothing";
    case InTheWay::name:
      return "name";
    case InTheWay::label:
      return "label";
    case InTheWay::too_small:
      return "too_small";
    case InTheWay::drained:
      return "drained";
    case InTheWay::kept:
      return "kept";
    case InTheWay::pack:
      return "pack";
    case InTheWay::per_server:
      return "per_server";
    case InTheWay::spread:
      return "spread";
    case InTheWay::set:
      return "set";
    case InTheWay::full:
      return "full";
  }
  return "unknown";
}

}  // namespace

void Facts::add(const std::string& key, std::string_view value) {
  line_ += " " + key + "=" + std::string(value);
}

void Facts::add(const std::string& key, const std::vector<std::int64_t>& amounts) {
  std::string text;
  for (const std::int64_t amount : amounts) text += (text.empty() ? "" : ",") + std::to_string(amount);
  add(key, text);
}

void Facts::add(const std::string& key, Time time) { add(key, time.time_since_epoch().count()); }

void Facts::add_number(const std::string& key, double value) {
  line_ += " " + key;
  numbers_.emplace_back(key, value);
}

void add(Facts& facts, const WhyWaiting& why) {
  facts.add("user", why.user);
  facts.add("user_name", why.user_name);
  facts.add("job", why.job);
  facts.add("waiting", why.waiting);
  add_places(facts, why);
  add_turns(facts, why);
}

void add(Facts& facts, const WhyNotOn& why) {
  facts.add("reason", name_of(why.reason));
  facts.add("label", why.label);
  facts.add("missing", why.missing);
  facts.add("running", why.running);
  facts.add("at_most", why.at_most);
  if (why.kept) add(facts, "kept", *why.kept);
}

void add(Facts& facts, const WhyPlaced& why) {
  facts.add("user", why.user);
  facts.add("user_name", why.user_name);
  facts.add("job", why.job);
  facts.add_number("key", why.key);
  facts.add("users_waiting", why.users_waiting);
  facts.add("users_fitting", why.users_fitting);
  facts.add("users_tied", why.users_tied);
  if (why.runner_up) add(facts, "runner_up", *why.runner_up);
  if (why.line) {
    facts.add("line.resource", why.line->resource);
    facts.add("line.round", why.line->round);
  }
  if (why.kind) facts.add("kind", *why.kind);
  if (why.kept_since) facts.add("kept_since", *why.kept_since);
  if (why.by_force) add(facts, "by_force", *why.by_force);
  facts.add("together", why.together);
  facts.add("server", why.server);
  facts.add("server_name", why.server_name);
  facts.add("servers_with_room", why.servers_with_room);
  if (why.runner_up_server) facts.add("runner_up_server", *why.runner_up_server);
  facts.add("runner_up_server_name", why.runner_up_server_name);
  if (why.measure) facts.add_number("measure", why.measure->chosen);
  if (why.measure && why.measure->runner_up) facts.add_number("measure.runner_up", *why.measure->runner_up);
  facts.add("free_before", why.free_before);
  facts.add("free_after", why.free_after);
  facts.add("was_freed", why.was_freed);
}

}  // namespace mirab::recordings
