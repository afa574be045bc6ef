// Max-min fairness in one resource over servers, decided by who could hand over to whom: n may run on i, k
// holds some of i, k may run on j, and so on. An allocation is lexicographically max-min in the amounts per
// weight when no such chain leads from a user below its cap to a free place, or to a user with more per
// weight: bounded flows from users to servers are a polymatroid, where improving by one exchange at a time
// finds the optimum (Megiddo 1974). A chain through users who keep their totals matters where one of them has
// all its tasks. O(N (N + grants + N K)).
#include "audit/max_min_in.hpp"

#include <fmt/format.h>
#include <limits>

#include "audit/finding.hpp"

namespace mirab {
namespace {

struct Held {
  std::vector<double> amount;                // of ρ, by user
  std::vector<double> free;                  // of ρ, by server
  std::vector<std::vector<std::size_t>> on;  // who holds some of each server
};

// What is less than `least` of a server is what a solver left there, and nobody's.
Held held(const Division& division, const Ground& ground, std::size_t resource, double least) {
  Held held{.amount = std::vector<double>(ground.users(), 0.0), .free = {}, .on = {}};
  held.on.resize(ground.places());
  for (std::size_t i = 0; i < ground.places(); ++i) held.free.push_back(ground.capacity(i)[resource]);
  for (const Grant& grant : division.outcome.allocation.grants) {
    const double tasks = ground.tasks_with(grant.user, grant.server, grant.resources);
    const double amount = tasks * ground.demand(grant.user, grant.server)[resource];
    held.amount[grant.user] += amount;
    held.free[grant.server] -= amount;
    if (amount > least * ground.capacity(grant.server)[resource]) held.on[grant.server].push_back(grant.user);
  }
  return held;
}

// What user n could have more from: a free server, or another user.
struct Source {
  double level = 0;  // amount per weight of the one that would lose; infinite for a free server
  std::size_t server = 0;
  std::size_t user = 0;
};

// The best source that chains lead to from n: over users of any level, since those in between lose nothing.
Source best_source(const Ground& ground, const Held& held, std::size_t resource, std::size_t n,
                   double least) {
  std::vector<bool> seen_user(ground.users());
  std::vector<bool> seen_server(ground.places());
  std::vector<std::size_t> queue{n};
  seen_user[n] = true;
  Source best;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (std::size_t i = 0; i < ground.places(); ++i) {
      if (seen_server[i] || !ground.eligible(queue[at], i)) continue;
      seen_server[i] = true;
      if (held.free[i] > least * ground.capacity(i)[resource])
        return {.level = std::numeric_limits<double>::infinity(), .server = i};
      for (const std::size_t k : held.on[i]) {
        if (seen_user[k]) continue;
        seen_user[k] = true;
        queue.push_back(k);
        const double level = held.amount[k] / ground.weight(k);
        if (level > best.level) best = {.level = level, .server = i, .user = k};
      }
    }
  }
  return best;
}

}  // namespace

Verdict max_min_in(Property property, const Division& division, const Ground& ground, std::size_t resource,
                   const Tolerances& tolerances) {
  const double least = slack(division.outcome, tolerances);
  const Held has = held(division, ground, resource, least);
  const std::string& name = division.problem.resources()[resource];
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < ground.users(); ++n) {
    const double tasks = division.outcome.allocation.tasks[n];
    if (tasks >= ground.cap(n) * (1 - least)) continue;
    const Source source = best_source(ground, has, resource, n, least);
    const double level = has.amount[n] / ground.weight(n);
    const double size =
        source.level == std::numeric_limits<double>::infinity() ? 1 : shortfall(level, source.level);
    if (size <= least || (worst && size <= worst->size)) continue;
    const bool idle = source.level == std::numeric_limits<double>::infinity();
    const double other = idle ? has.free[source.server] : has.amount[source.user];
    const auto [little, much] = told_apart(has.amount[n], other);
    worst = Witness{.words = idle ? fmt::format("{} holds {} {} under {}, while {} of {} is free",
                                                ground.user_name(n), little, name, division.outcome.mechanism,
                                                much, ground.place_name(source.server))
                                  : fmt::format("{} holds {} {} under {} and could have some of the {} of "
                                                "{}, who has more for its weight",
                                                ground.user_name(n), little, name, division.outcome.mechanism,
                                                much, ground.user_name(source.user)),
                    .problem = {},
                    .user = ground.user_name(n),
                    .other = idle ? "" : ground.user_name(source.user),
                    .numbers = {{"holds", has.amount[n]}, {idle ? "free" : "other_holds", other}},
                    .size = size};
  }
  if (!worst) return {.property = property};
  worst->problem = cluster_of(division.problem);
  return violated(property, *std::move(worst));
}

}  // namespace mirab
