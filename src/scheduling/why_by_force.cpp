// What a step would end by force, and by which level: the keys of who gains and of everybody who loses,
// before and after. The search is that of the step (preemption.cpp); what it remembers is a copy.
#include <algorithm>

#include "scheduling/gain.hpp"

namespace mirab::scheduling {
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

/// Requires the reservations to be as that step would find them, and that nothing else can be placed.
std::optional<Engine::State::Gain> Engine::State::foreseen_gain(const Precedence& precedence,
                                                                bool some_reservation_ended) const {
  Preemption remembered = *preemption;
  if (some_reservation_ended) remembered.something_changed();
  if (remembered.is_futile(now)) return {};
  const std::int64_t left = remembered.left(now);
  if (left == 0) return {};
  VictimSearch search(*precedence.standing, *whom.discipline->level, reservations ? &*reservations : nullptr,
                      now);
  return first_gain(search, left, precedence);
}

}  // namespace mirab::scheduling
