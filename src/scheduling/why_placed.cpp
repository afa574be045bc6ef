// Why this task, and why there: what the decision was made of, put together between the decision and the
// placement, and only for who asks.
//
// The second choice of server is what the placement itself says when the chosen server is left out of those
// that it may look at.
#include <algorithm>

#include "scheduling/contenders.hpp"
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
  const Precedence precedence{.discipline = whom.discipline, .tie = options.tie, .standing = &standing};
  const std::vector<Contender> all = contenders(precedence);
  const auto user_of = [&](const Contender& contender) {
    return accounts.queues[contender.keyed.entry.queue].user;
  };
  const Keyed own{.entry = served, .key = whom.discipline->key(standing, served)};
  std::vector<bool> waits(accounts.users.end()), fits(accounts.users.end()), ties(accounts.users.end());
  const Contender* runner_up = nullptr;
  for (const Contender& each : all) {
    waits[user_of(each)] = true;
    if (!each.has_room) continue;
    fits[user_of(each)] = true;
    if (user_of(each) == accounts.queues[served.queue].user) continue;
    if (precedence.ties(each.keyed, own)) ties[user_of(each)] = true;
    if (runner_up == nullptr || precedence.before(each.keyed, runner_up->keyed)) runner_up = &each;
  }
  why.key = own.key;
  why.users_waiting = std::count(waits.begin(), waits.end(), true);
  why.users_fitting = std::count(fits.begin(), fits.end(), true);
  why.users_tied = std::count(ties.begin(), ties.end(), true);
  if (runner_up != nullptr) why.runner_up = named(*runner_up);
  if (whom.discipline->lanes == Lanes::lines)
    why.line = {.resource = served.lane, .round = standing.rounds.of(served.lane)};
  if (whom.discipline->lanes == Lanes::kinds) why.kind = kinds.capacities()[served.lane];
}

void Engine::State::explain_server(Entry served, std::uint32_t server, Random random, WhyPlaced& why) {
  const std::uint32_t shape = accounts.queues[served.queue].shape;
  std::vector<Variant> others;
  std::vector<ServerSet> sets;
  const std::span<const Variant> ways = variants_in_lane(shape, served.lane);
  sets.reserve(ways.size());  // the variants point to them
  for (const Variant& way : ways) {
    accounts.park.any_with_room(way, 0, [&](std::uint32_t /*server*/) {
      ++why.servers_with_room;
      return false;
    });
    sets.push_back(without(server, way.among, accounts.park.size()));
    others.push_back({.demand = way.demand, .among = &sets.back()});
  }
  const Search search{.park = accounts.park,
                      .variants = ways,
                      .last_used = last_used,
                      .random = random,
                      .mix = where.needs_mix ? present_mix() : std::span<const Wanted>{}};
  const Search elsewhere{
      .park = search.park, .variants = others, .last_used = last_used, .random = random, .mix = search.mix};
  const std::optional<std::uint32_t> second = balance ? balance->find(elsewhere) : where.find(elsewhere);
  if (second) {
    why.runner_up_server = accounts.servers.id(*second);
    why.runner_up_server_name = name_of_server(*second);
  }
  if (where.measure == nullptr || balance) return;
  why.measure = {.what = where.measured, .chosen = where.measure(search, server), .runner_up = {}};
  if (second) why.measure->runner_up = where.measure(search, *second);
}

const std::string& Engine::State::name_of_server(std::uint32_t server) const {
  return accounts.shapes.eligibility.description(accounts.servers[server].description).name;
}

WhyPlaced Engine::State::why_placed(Entry served, std::uint32_t server, const Random& random) {
  const QueueRow& queue = accounts.queues[served.queue];
  const std::span<const std::int64_t> free = accounts.park.free(server);
  WhyPlaced why{.user = accounts.users.id(queue.user),
                .user_name = accounts.users[queue.user].name,
                .job = accounts.jobs.id(queue.first_job),
                .server = accounts.servers.id(server),
                .server_name = name_of_server(server),
                .free_before = Amounts(free.begin(), free.end()),
                .free_after = Amounts(free.begin(), free.end()),
                .was_freed = freed.contains(server)};
  const std::span<const std::int64_t> demand = accounts.demand(queue, server);
  for (std::size_t r = 0; r < demand.size(); ++r) why.free_after[r] -= demand[r];
  explain_user(served, why);
  explain_server(served, server, random, why);
  return why;
}

}  // namespace mirab::scheduling
