// Why this task, and why there: what the decision was made of, put together between the decision and the
// placement, and only where it is asked.
//
// The second choice of server is what the placement itself finds when the chosen server is left out of those
// that it may look at.
#include <algorithm>

#include "scheduling/explain/explainer.hpp"

namespace mirab::scheduling {
namespace {

/// The servers that a way to run may use but for one.
ServerSet without(ServerIndex server, const ServerSet* among, Indices<ServerIndex> all) {
  ServerSet others;
  if (among != nullptr) {
    others = *among;
  } else {
    for (const ServerIndex each : all) others.insert(each);
  }
  others.erase(server);
  return others;
}

void explain_user(const EngineView& view, TournamentEntry served, const OpenServers& open, WhyPlaced& why) {
  const Ledger& ledger = view.ledger;
  if (ledger.has_tree()) return explain_in_tree(view, served, open, why);
  const Precedence before = view.dispatcher.precedence();
  const std::vector<Contender> all = contenders(view, before, open);
  const auto user_of = [&](const Contender& contender) {
    return ledger.queues[contender.keyed.entry.queue].user;
  };
  const UserIndex own_user = ledger.queues[served.queue].user;
  const Keyed own{.entry = served, .key = before.discipline->key->rounded(*before.context, served)};
  const std::size_t users = ledger.users.index_count();
  IndexedVector<UserIndex, bool> waits(users), fits(users), ties(users);
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
  if (runner_up != nullptr) why.runner_up = other_of(ledger, *runner_up);
  const TournamentRules& tournaments = view.shares.tournaments;
  if (const std::optional<std::size_t> line = tournaments.line(served.tournament))
    why.line = {.resource = static_cast<std::uint32_t>(*line), .round = before.context->rounds.of(*line)};
  if (const std::optional<ServerClassIndex> server_class = tournaments.server_class(served.tournament))
    why.kind = ledger.server_classes.capacities()[*server_class];
}

void explain_server(const EngineView& view, const Dispatch& dispatch, Random random, WhyPlaced& why) {
  const ServerIndex server = dispatch.server;
  const std::span<const SearchAlternative> alternatives = view.room_search.alternatives();
  const ServerPool& pool = view.ledger.server_pool;
  std::vector<SearchAlternative> others;
  std::vector<ServerSet> sets;
  sets.reserve(alternatives.size());  // the alternatives point to them
  for (const SearchAlternative& alternative : alternatives) {
    pool.any_with_room(alternative, kFirstServer, [&](ServerIndex /*server*/) {
      ++why.servers_with_room;
      return false;
    });
    sets.push_back(without(server, alternative.among, pool.indices()));
    others.push_back({.demand = alternative.demand, .among = &sets.back()});
  }
  const QueueRow& queue = view.ledger.queues[dispatch.entry.queue];
  if (view.ledger.task_classes.has_roles(queue.task_class)) return;  // by first fit, whatever the placement
  std::vector<Wanted> mix;
  view.placement.write_mix(mix);
  const Search search = view.placement.search_of(alternatives, mix, random);
  const std::optional<ServerIndex> second =
      view.placement.find(view.placement.search_of(others, mix, random));
  if (second) {
    why.runner_up_server = view.ledger.servers.id(*second);
    why.runner_up_server_name = name_of_server(view.ledger, *second);
  }
  const Measure measure = view.placement.measure();
  if (measure == nullptr) return;
  why.measure = {.what = view.placement.measured(), .chosen = measure(search, server), .runner_up = {}};
  if (second) why.measure->runner_up = measure(search, *second);
}

/// What is known of every task that is placed.
WhyPlaced placed_on(const EngineView& view, QueueIndex queue, ServerIndex server, std::uint32_t role = 0) {
  const Ledger& ledger = view.ledger;
  const std::span<const std::int64_t> free = ledger.server_pool.free(server);
  const QueueRow& row = ledger.queues[queue];
  WhyPlaced why{.user = ledger.users.id(row.user),
                .user_name = ledger.users[row.user].name,
                .job = ledger.jobs.id(row.first_job),
                .server = ledger.servers.id(server),
                .server_name = name_of_server(ledger, server),
                .free_before = Amounts(free.begin(), free.end()),
                .free_after = Amounts(free.begin(), free.end()),
                .was_freed = view.dispatcher.released().contains(server)};
  const std::span<const std::int64_t> demand = ledger.demand(row, server, role);
  for (std::size_t r = 0; r < demand.size(); ++r) why.free_after[r] -= demand[r];
  return why;
}

}  // namespace

WhyPlaced why_placed(const EngineView& view, const Dispatch& dispatch, Random random) {
  WhyPlaced why = placed_on(view, dispatch.entry.queue, dispatch.server, dispatch.role);
  why.together = dispatch.batch;
  explain_server(view, dispatch, random, why);
  explain_user(view, dispatch.entry, OpenServers(view.ledger.server_pool), why);
  return why;
}

WhyPlaced why_placed_where_kept(const EngineView& view, const Reservations::Kept& kept) {
  WhyPlaced why = placed_on(view, kept.queue, kept.server);
  why.kept_since = kept.since;
  why.servers_with_room = 1;
  explain_user(view, entry_on(view.ledger, view.shares.tournaments, kept.queue, kept.server),
               OpenServers(view.ledger.server_pool), why);
  return why;
}

WhyPlaced why_placed_where_kept(const EngineView& view, const Reservations::Kept& kept,
                                const Dispatch& dispatch, const OpenServers& open, Random random) {
  WhyPlaced why = placed_on(view, kept.queue, dispatch.server, dispatch.role);
  why.kept_since = kept.since;
  why.together = dispatch.batch;
  explain_server(view, dispatch, random, why);
  explain_user(view, dispatch.entry, open, why);
  return why;
}

WhyPlaced why_placed_by_force(const EngineView& view, const PreemptionCandidate& candidate) {
  const ServerIndex server = candidate.victims.server;
  WhyPlaced why = placed_on(view, candidate.queue, server);
  why.by_force = by_force(candidate, view.dispatcher.precedence());
  explain_user(view, entry_on(view.ledger, view.shares.tournaments, candidate.queue, server),
               OpenServers(view.ledger.server_pool), why);
  return why;
}

}  // namespace mirab::scheduling
