// What the events of servers change.
#include <fmt/format.h>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

/// Shares are of other capacities from now on, and the kinds of servers may be others.
void Engine::State::capacities_changed() {
  race.bring_back_terms();
  all_shares_changed();
  keys_are_stale = true;
}

/// Domains, and the servers of a kind that take tasks, may be others from now on.
void Engine::State::open_servers_changed() {
  race.bring_back_terms();
  keys_are_stale = keys_are_stale || whom.discipline->lanes == Lanes::kinds;
}

template <class Visit>
void Engine::State::for_each_task_on(std::uint32_t server, Visit visit) const {
  for (std::uint32_t task = accounts.servers[server].first_task; task != kNone;
       task = accounts.tasks[task].next_on_server) {
    visit(task, accounts.demand(accounts.queues[accounts.jobs[accounts.tasks[task].job].queue], server));
  }
}

std::vector<Lost> Engine::State::end_all_on(std::uint32_t server) {
  std::vector<Lost> lost;
  while (accounts.servers[server].first_task != kNone) {
    const std::uint32_t task = accounts.servers[server].first_task;
    lost.push_back({.task = accounts.tasks.id(task), .job = accounts.jobs.id(accounts.tasks[task].job)});
    end_and_wait_again(task);
  }
  return lost;
}

void Engine::State::take_out(std::uint32_t server) {
  if (reservations) end_reservation(reservations->on_server(server));
  kinds.release(server, accounts.servers[server].kind);
  accounts.shapes.eligibility.server_removed(server);
  accounts.park.remove(server);
  if (balance) balance->server_emptied(server);
  accounts.servers.remove(server);
  freed.forget(server);
  capacities_changed();
}

Result<ServerId> Engine::apply(const ServerAdded& event, Time now) {
  State& s = *state_;
  if (Check bad = s.check_time(now)) return *std::move(bad);
  if (Check bad = s.check_amounts(event.capacity, "capacity")) return *std::move(bad);
  if (Check bad = s.check_pool(event.capacity, {})) return *std::move(bad);
  s.happens(now);
  const std::uint32_t server = s.accounts.park.add(event.capacity);
  s.accounts.servers.add_at(server, {.kind = s.kinds.hold(server, event.capacity)});
  s.accounts.shapes.eligibility.server_added(server, {.name = event.name, .labels = event.labels});
  s.freed.add(server);
  s.capacities_changed();
  return s.accounts.servers.id(server);
}

Check Engine::apply(const ServerChanged& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.accounts.servers, event.server, "server", now);
  if (!server) return server.error();
  if (Check bad = s.check_amounts(event.capacity, "capacity")) return bad;
  const std::span<const std::int64_t> old = s.accounts.park.capacity(*server);
  if (Check bad = s.check_pool(event.capacity, old)) return bad;
  for (std::size_t r = 0; r < old.size(); ++r) {
    const std::int64_t taken = old[r] - s.accounts.park.free(*server)[r];
    if (event.capacity[r] >= taken) continue;
    return Error{
        .message = fmt::format("{} units are taken there, {} would not hold them", taken, event.capacity[r]),
        .key = fmt::format("capacity.{}", s.options.resources[r])};
  }
  s.happens(now);
  // What dominates a task there may change with the capacity.
  s.for_each_task_on(*server, [&](std::uint32_t task, std::span<const std::int64_t> demand) {
    if (s.balance) s.balance->task_ended(s.accounts.park, task, *server, demand);
  });
  s.accounts.park.resize(*server, event.capacity);
  s.for_each_task_on(*server, [&](std::uint32_t task, std::span<const std::int64_t> demand) {
    if (s.balance) s.balance->task_started(s.accounts.park, task, *server, demand);
  });
  s.kinds.release(*server, s.accounts.servers[*server].kind);
  s.accounts.servers[*server].kind = s.kinds.hold(*server, event.capacity);
  s.freed.add(*server);
  if (const auto* const kept = s.reservations ? s.reservations->on_server(*server) : nullptr;
      kept != nullptr && !s.can_be_kept(*server, kept->queue))
    s.end_reservation(kept);
  s.capacities_changed();
  return {};
}

Check Engine::apply(const ServerDrained& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.accounts.servers, event.server, "server", now);
  if (!server) return server.error();
  s.happens(now);
  s.accounts.servers[*server].drained = true;
  s.accounts.park.close(*server);
  if (s.reservations) s.end_reservation(s.reservations->on_server(*server));
  s.open_servers_changed();
  return {};
}

Check Engine::apply(const ServerReopened& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.accounts.servers, event.server, "server", now);
  if (!server) return server.error();
  s.happens(now);
  s.accounts.servers[*server].drained = false;
  if (!s.reservations || s.reservations->on_server(*server) == nullptr) s.accounts.park.open(*server);
  s.freed.add(*server);
  s.open_servers_changed();
  return {};
}

Check Engine::apply(const ServerRemoved& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.accounts.servers, event.server, "server", now);
  if (!server) return server.error();
  if (s.accounts.servers[*server].first_task != kNone)
    return Error{.message = "tasks run there; drain it first, or let it fail", .key = "server"};
  s.happens(now);
  s.take_out(*server);
  return {};
}

Result<std::vector<Lost>> Engine::apply(const ServerFailed& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.accounts.servers, event.server, "server", now);
  if (!server) return server.error();
  s.happens(now);
  std::vector<Lost> lost = s.end_all_on(*server);
  s.take_out(*server);
  return lost;
}

}  // namespace mirab::scheduling
