// Why this task, and why there: what the decision was made of, put together between the decision and the
// placement, and only for who asks.
//
// The second choice of server is what the placement itself says when the chosen server is left out of those
// that it may look at.
#include <algorithm>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {
namespace {

/// The servers that a way to run may use but for one.
ServerSet without(std::uint32_t server, const ServerSet* among, std::uint32_t servers) {
  ServerSet others;
  if (among != nullptr) {
    others = *among;
  } else {
    for (std::uint32_t each = 0; each < servers; ++each) others.insert(each);
  }
  others.erase(server);
  return others;
}

}  // namespace

std::optional<Placed> Engine::step(Time now, Random& random, WhyPlaced& why) {
  state_->now = std::max(state_->now, now);
  return state_->step(random, &why);
}

void Engine::State::explain_user(Entry served, WhyPlaced& why) {
  const Precedence before = precedence();
  const std::vector<Contender> all = contenders(before, open_servers());
  const auto user_of = [&](const Contender& contender) {
    return ledger.queues[contender.keyed.entry.queue].user;
  };
  const std::uint32_t own_user = ledger.queues[served.queue].user;
  const Keyed own{.entry = served, .key = discipline_choice.discipline->key->rounded(context, served)};
  std::vector<bool> waits(ledger.users.end()), fits(ledger.users.end()), ties(ledger.users.end());
  fits[own_user] = !why.by_force;
  const Contender* runner_up = nullptr;
  for (const Contender& each : all) {
    waits[user_of(each)] = true;
    if (!each.has_room) continue;
    fits[user_of(each)] = true;
    if (user_of(each) == own_user) continue;
    if (before.ties(each.keyed, own)) ties[user_of(each)] = true;
    if (runner_up == nullptr || before.before(each.keyed, runner_up->keyed)) runner_up = &each;
  }
  why.key = own.key;
  why.users_waiting = std::count(waits.begin(), waits.end(), true);
  why.users_fitting = std::count(fits.begin(), fits.end(), true);
  why.users_tied = std::count(ties.begin(), ties.end(), true);
  if (runner_up != nullptr) why.runner_up = named(*runner_up);
  if (const std::optional<std::uint32_t> line = tournaments.line(served.tournament))
    why.line = {.resource = *line, .round = context.rounds.of(*line)};
  if (const std::optional<std::uint32_t> kind = tournaments.server_class(served.tournament))
    why.kind = ledger.server_classes.capacities()[*kind];
}

/// Requires the variants of the search that chose the server.
void Engine::State::explain_server(std::uint32_t server, Random random, WhyPlaced& why) {
  std::vector<SearchAlternative> others;
  std::vector<ServerSet> sets;
  sets.reserve(search_alternatives.size());  // the variants point to them
  for (const SearchAlternative& alternative : search_alternatives) {
    ledger.server_pool.any_with_room(alternative, 0, [&](std::uint32_t /*server*/) {
      ++why.servers_with_room;
      return false;
    });
    sets.push_back(without(server, alternative.among, ledger.server_pool.size()));
    others.push_back({.demand = alternative.demand, .among = &sets.back()});
  }
  const Search search{.server_pool = ledger.server_pool,
                      .search_alternatives = search_alternatives,
                      .last_used = last_used,
                      .random = random,
                      .mix = where.needs_mix ? present_mix() : std::span<const Wanted>{}};
  const Search elsewhere{.server_pool = search.server_pool,
                         .search_alternatives = others,
                         .last_used = last_used,
                         .random = random,
                         .mix = search.mix};
  const std::optional<std::uint32_t> second = balance ? balance->find(elsewhere) : where.find(elsewhere);
  if (second) {
    why.runner_up_server = ledger.servers.id(*second);
    why.runner_up_server_name = name_of_server(*second);
  }
  if (where.measure == nullptr || balance) return;
  why.measure = {.what = where.measured, .chosen = where.measure(search, server), .runner_up = {}};
  if (second) why.measure->runner_up = where.measure(search, *second);
}

const std::string& Engine::State::name_of_server(std::uint32_t server) const {
  return ledger.task_classes.eligibility.description_of(server).name;
}

Amounts Engine::State::free_on(std::uint32_t server) const {
  const std::span<const std::int64_t> free = ledger.server_pool.free(server);
  return {free.begin(), free.end()};
}

WhyPlaced Engine::State::placed_on(std::uint32_t queue, std::uint32_t server) const {
  const QueueRow& row = ledger.queues[queue];
  WhyPlaced why{.user = ledger.users.id(row.user),
                .user_name = ledger.users[row.user].name,
                .job = ledger.jobs.id(row.first_job),
                .server = ledger.servers.id(server),
                .server_name = name_of_server(server),
                .free_before = free_on(server),
                .free_after = free_on(server),
                .was_freed = released.contains(server)};
  const std::span<const std::int64_t> demand = ledger.demand(row, server);
  for (std::size_t r = 0; r < demand.size(); ++r) why.free_after[r] -= demand[r];
  return why;
}

/// Requires the variants of the search that chose the server.
WhyPlaced Engine::State::why_placed(Entry served, std::uint32_t server, const Random& random) {
  WhyPlaced why = placed_on(served.queue, server);
  explain_server(server, random, why);
  explain_user(served, why);  // searches for others
  return why;
}

WhyPlaced Engine::State::why_placed_where_kept(const Reservations::Kept& kept) {
  const Entry entry{.queue = kept.queue,
                    .tournament = tournaments.of(ledger.queues[kept.queue].task_class, kept.server)};
  WhyPlaced why = placed_on(kept.queue, kept.server);
  why.kept_since = kept.since;
  why.servers_with_room = 1;
  explain_user(entry, why);
  return why;
}

WhyPlaced Engine::State::why_placed_by_force(const PreemptionCandidate& gain) {
  WhyPlaced why = placed_on(gain.queue, gain.victims.server);
  why.by_force = by_force(gain, precedence());
  explain_user({.queue = gain.queue}, why);
  return why;
}

}  // namespace mirab::scheduling
