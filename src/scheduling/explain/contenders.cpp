// What a step would find and do, computed without a step: the queues that wait, and the tasks that it would
// end by force. Both explanations, of waiting and of placed tasks, read it.
#include <algorithm>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

// All who wait, as the next step would find them: nothing in the engine changes, so that the question may be
// put at any time, and as often as one likes. What a step would bring up to date first, the prices, what
// tasks would run alone, the lanes and the usage, is brought up to date in a copy.

/// The standing as a step at this time would see it; nothing when it is that already.
std::optional<Standing> Engine::State::refreshed_standing(Time at) const {
  const bool usage_is_due = standing.usage && standing.usage->is_due(at);
  if (!usage_is_due && !keys_are_stale) return {};
  std::optional<Standing> fresh(standing);
  if (usage_is_due) fresh->usage->refresh(at);
  if (keys_are_stale && whom.discipline->priced) fresh->prices = pool_prices(accounts);
  // Task classes that have gone since may have been the last ones.
  const std::size_t shapes = std::min<std::size_t>(fresh->alone.size(), accounts.shapes.end());
  for (std::uint32_t shape = 0; keys_are_stale && shape < shapes; ++shape) {
    if (accounts.shapes.ways(shape).empty()) continue;
    fresh->alone[shape] = tasks_alone(accounts, kinds, shape);
    fresh->alone_value[shape] = fresh->alone[shape].get_d();
  }
  return fresh;
}

bool Engine::State::has_room_in_lane(std::uint32_t shape, std::uint32_t lane, const OpenServers& open) const {
  if (whom.discipline->lanes != Lanes::kinds) return fits_somewhere(shape, open);
  const std::span<const Way> ways = accounts.shapes.ways(shape);
  return std::any_of(ways.begin(), ways.end(), [&](const Way& way) {
    const ServerSet among = kinds.admitted(lane, way.servers, accounts.shapes.eligibility);
    return open.any_with_room({.demand = way.demand, .among = &among});
  });
}

/// The lanes in which the queue waits, and whether its next task has room there, or all that start together.
std::vector<Engine::State::LaneRoom> Engine::State::rooms_of(std::uint32_t queue,
                                                             const OpenServers& open) const {
  const std::uint32_t shape = accounts.queues[queue].shape;
  const std::uint32_t job = accounts.queues[queue].first_job;
  std::vector<LaneRoom> rooms;
  for (const std::uint32_t lane : lanes_of(shape)) {
    if (accounts.shapes.terms(shape) != nullptr) {
      rooms.push_back({.lane = lane, .has_room = batch_fits(job, kind_of_lane(lane), open)});
      continue;
    }
    rooms.push_back({.lane = lane, .has_room = has_room_in_lane(shape, lane, open)});
  }
  return rooms;
}

std::vector<Contender> Engine::State::contenders(const Precedence& precedence,
                                                 const OpenServers& open) const {
  std::vector<std::optional<std::vector<LaneRoom>>> rooms(accounts.shapes.end());
  // With freeze the queue with the lowest key is next, with room or without.
  const auto is_better = [&](const Contender& a, const Contender& b) {
    if (whom.blocking == Blocking::skip && a.has_room != b.has_room) return a.has_room;
    return precedence.before(a.keyed, b.keyed);
  };
  std::vector<Contender> all;
  for (std::uint32_t queue = 0; queue < accounts.queues.size(); ++queue) {
    if (!race.holds(queue)) continue;
    const std::uint32_t shape = accounts.queues[queue].shape;
    if (!rooms[shape]) rooms[shape] = rooms_of(queue, open);
    std::optional<Contender> best;
    for (const auto& [lane, has_room] : *rooms[shape]) {
      const Entry entry{.queue = queue, .lane = lane};
      const double key = whom.discipline->key(*precedence.standing, entry);
      const Contender here{.keyed = {.entry = entry, .key = key}, .has_room = has_room};
      if (!best || is_better(here, *best)) best = here;
    }
    if (best) all.push_back(*best);
  }
  return all;
}

WhyWaiting::Other Engine::State::named(const Contender& contender) const {
  const QueueRow& queue = accounts.queues[contender.keyed.entry.queue];
  return {.user = accounts.users.id(queue.user),
          .user_name = accounts.users[queue.user].name,
          .job = accounts.jobs.id(queue.first_job),
          .key = contender.keyed.key};
}

// What a step would end by force, and by which level: the keys of who gains and of everybody who loses,
// before and after. The search is that of the step (preemption.cpp); what it remembers is a copy.

namespace {

/// Levels count shares in a unit in which all s_r are whole; keys do not. The unit.
double unit_of(const ShareScale& scale) {
  const auto counts =
      std::find_if(scale.whole.begin(), scale.whole.end(), [](std::uint64_t whole) { return whole > 0; });
  const auto r = static_cast<std::size_t>(counts - scale.whole.begin());
  return scale.rounded[r] / static_cast<double>(scale.whole[r]);
}

}  // namespace

ByForce Engine::State::by_force(const Gain& gain, const Precedence& precedence) const {
  const auto key = [&](const Holding& holding) {
    const Standing& found = *precedence.standing;
    return whom.discipline->level->rounded(found, holding) * unit_of(found.scale);
  };
  const std::uint32_t server = gain.victims.server;
  const QueueRow& queue = accounts.queues[gain.queue];
  Holding gainer = Holding::of(accounts, queue.user);
  ByForce force{.server = accounts.servers.id(server),
                .server_name = name_of_server(server),
                .key_before = key(gainer),
                .key_after = 0,
                .losers = {},
                .ends = {}};
  gainer.add(queue.shape, accounts.demand(queue, server), 1);
  force.key_after = key(gainer);

  std::vector<Holding> left;  // of the losers
  for (const std::uint32_t task : gain.victims.tasks) {
    const std::uint32_t job = accounts.tasks[task].job;
    const QueueRow& of = accounts.queues[accounts.jobs[job].queue];
    auto holding =
        std::find_if(left.begin(), left.end(), [&](const Holding& each) { return each.user == of.user; });
    const auto loser = static_cast<std::size_t>(holding - left.begin());
    if (holding == left.end()) {
      left.push_back(Holding::of(accounts, of.user));
      force.losers.push_back({.user = accounts.users.id(of.user),
                              .user_name = accounts.users[of.user].name,
                              .key_before = key(left.back()),
                              .key_after = 0,
                              .tasks = 0});
    }
    left[loser].add(of.shape, accounts.demand(of, server), -1);
    ++force.losers[loser].tasks;
    force.losers[loser].key_after = key(left[loser]);
    force.ends.push_back({.task = accounts.tasks.id(task), .job = accounts.jobs.id(job)});
  }
  return force;
}

/// Requires that nothing else can be placed.
std::optional<Engine::State::Gain> Engine::State::foreseen_gain(const Precedence& precedence,
                                                                const ReservationPreview& step) const {
  Preemption remembered = *preemption;
  if (!step.ended_for.empty()) remembered.something_changed();
  if (remembered.is_futile(step.at)) return {};
  const std::int64_t left = remembered.left(step.at);
  if (left == 0) return {};
  VictimSearch search(*precedence.standing, *whom.discipline->level, reservations ? &*reservations : nullptr,
                      step.at);
  return first_gain(search, left, precedence, step.open, step.kept());
}

}  // namespace mirab::scheduling
