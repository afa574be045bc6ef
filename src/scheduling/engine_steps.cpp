// The steps of the engine: what is decided by its parts is done here, and here alone one part's decision
// reaches the others. First a step, which places a task, then what events have in common.
//
// A step asks in this order: which reservations end or begin; whether a kept server has room for what it is
// kept for; the dispatcher; and when nothing can be placed otherwise, the preemption.
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {
namespace {

Amounts free_on(const Ledger& ledger, ServerIndex server) {
  const std::span<const std::int64_t> free = ledger.server_pool.free(server);
  return {free.begin(), free.end()};
}

}  // namespace

EngineView Engine::State::view() const {
  return {.ledger = ledger,
          .shares = shares,
          .placement = placement,
          .room_search = room_search,
          .dispatcher = dispatcher,
          .reservations = reservations ? &*reservations : nullptr,
          .preemption = preemption ? &*preemption : nullptr};
}

std::optional<Placed> Engine::State::step(Random& random, WhyPlaced* why) {
  dispatcher.refresh(now);
  if (reservations) {
    apply_reservations();
    if (std::optional<Placed> placed = place_where_kept(random, why)) return placed;
  }
  if (const std::optional<Dispatch> next = dispatcher.next(random)) return place(*next, random, why);
  return preemption ? preempt(why) : std::nullopt;
}

std::optional<Placed> Engine::State::place(const Dispatch& next, Random& random, WhyPlaced* why) {
  const JobIndex job = ledger.queues[next.entry.queue].first_job;
  if (why != nullptr) *why = why_placed(view(), next, random);
  std::optional<Placed> placed = place(next.entry, next.server, next.role);
  if (next.has_terms) place_companions(next, job, random, *placed);
  if (why != nullptr) why->free_after = free_on(ledger, next.server);
  return placed;
}

void Engine::State::apply_reservations() {
  if (!reservations->may_intend(now)) return;
  const ReservationPreview intended = reservations->preview(ledger, dispatcher.waiting(), now);
  for (const Reservations::Kept& kept : intended.ended) {
    ledger.queues[kept.queue].since = now;  // it has to wait for as long again
    end_reservation(reservations->present().on_server(kept.server));
  }
  for (const Reservations::Kept& kept : intended.too_few)
    end_reservation(reservations->present().on_server(kept.server));
  for (const Reservations::Kept& kept : intended.begun) {
    ledger.server_pool.close(kept.server);
    dispatcher.room_taken(kept.server);
  }
  reservations->begun(intended);
  if (!intended.begun.empty()) dispatcher.all_taken();
}

std::optional<Placed> Engine::State::place_where_kept(Random& random, WhyPlaced* why) {
  if (reservations->present().kept.empty()) return {};
  const Reservations::Kept* const kept =
      first_with_room(ledger, reservations->present(), open_servers(), reservations->asks_gangs());
  if (kept == nullptr) {
    reservations->gangs_have_no_room();
    return {};
  }
  if (ledger.task_classes.terms(ledger.queues[kept->queue].task_class) != nullptr)
    return place_kept_batch(*kept, random, why);
  if (why != nullptr) *why = why_placed_where_kept(view(), *kept);
  return place(entry_on(ledger, shares.tournaments, kept->queue, kept->server), kept->server);
}

/// The batch fits on the servers that are kept for it and the open ones: the placement chooses among them.
std::optional<Placed> Engine::State::place_kept_batch(Reservations::Kept kept, Random& random,
                                                      WhyPlaced* why) {
  OpenServers open = open_servers();
  const std::vector<ServerIndex> servers = reservations->present().servers_of(kept.queue);
  for (const ServerIndex server : servers) open.close(server);
  end_reservation(reservations->present().of_queue(kept.queue));
  const std::optional<Dispatch> next = room_search.find_in_any(kept.queue, servers, random);
  MIRAB_ASSERT(next.has_value(), "a gang has room on kept servers and finds none");
  const JobIndex job = ledger.queues[kept.queue].first_job;
  if (why != nullptr) *why = why_placed_where_kept(view(), kept, *next, open, random);
  std::optional<Placed> placed = place(next->entry, next->server, next->role);
  place_companions(*next, job, random, *placed);
  if (why != nullptr) why->free_after = free_on(ledger, next->server);
  reservations->started_there(*ledger.tasks.find(placed->task));
  for (const Companion& each : placed->with) reservations->started_there(*ledger.tasks.find(each.task));
  return placed;
}

/// The first task of a batch has been placed, one turn in the rounds of lines: the others follow. What is
/// compared by shares is brought up to date after the first task and after the last one.
void Engine::State::place_companions(const Dispatch& dispatch, JobIndex job, Random& random, Placed& placed) {
  const bool has_roles = ledger.task_classes.has_roles(ledger.queues[dispatch.entry.queue].task_class);
  for (std::int64_t at = 1; at < dispatch.batch; ++at) {
    const auto [role, server] = has_roles ? room_search.place_of_role(static_cast<std::size_t>(at))
                                          : RolePlace{0, room_search.server_of_companion(job, random)};
    const TaskIndex task = ledger.start(job, server, now, role);
    placement.task_started(task);
    dispatcher.room_taken(server);
    if (preemption) preemption->task_started(task);
    placed.with.push_back({.task = ledger.tasks.id(task), .server = ledger.servers.id(server), .role = role});
  }
  user_changed(ledger.queues[dispatch.entry.queue].user);
  dispatcher.batch_placed(dispatch.entry);
  dispatcher.all_taken();
}

std::optional<Placed> Engine::State::preempt(WhyPlaced* why) {
  static const Reservations kNoReservations;
  static const std::set<TaskIndex> kNoTasks;
  const OpenServers open = open_servers();
  const std::optional<PreemptionCandidate> candidate =
      preemption->intend({.waiting = dispatcher.waiting(),
                          .tournaments = shares.tournaments,
                          .precedence = dispatcher.precedence(),
                          .blocking = dispatcher.choice().blocking,
                          .open = open,
                          .reservations = reservations ? reservations->present() : kNoReservations,
                          .spared = reservations ? reservations->spared() : kNoTasks},
                         now);
  if (!candidate) return {};
  if (why != nullptr) *why = why_placed_by_force(view(), *candidate);
  std::optional<Placed> placed = place_instead_of(candidate->victims, candidate->queue);
  if (why != nullptr) why->free_after = free_on(ledger, candidate->victims.server);
  return placed;
}

std::optional<Placed> Engine::State::place_instead_of(const Victims& victims, QueueIndex queue) {
  std::vector<Preempted> ended;
  for (std::size_t at = 0; at < victims.tasks.size(); ++at) {
    const Lost lost = end_and_wait_again(victims.tasks[at]);
    ended.push_back({.task = lost.task, .job = lost.job, .right = victims.rights[at]});
  }
  preemption->ended(static_cast<std::int64_t>(ended.size()), now);
  std::optional<Placed> placed =
      place(entry_on(ledger, shares.tournaments, queue, victims.server), victims.server);
  placed->preempted = std::move(ended);
  return placed;
}

std::optional<Placed> Engine::State::place(TournamentEntry entry, ServerIndex server, std::uint32_t role) {
  const QueueRow& queue = ledger.queues[entry.queue];
  const JobIndex job = queue.first_job;
  const TaskIndex task = ledger.start(job, server, now, role);
  placement.task_started(task);
  user_changed(queue.user);
  shares.task_placed(entry);
  dispatcher.room_taken(server);
  dispatcher.task_placed(entry);
  if (reservations) reservation_met(entry.queue, task);
  if (preemption) preemption->task_started(task);
  dispatcher.all_taken();
  return Placed{.task = ledger.tasks.id(task),
                .job = ledger.jobs.id(job),
                .user = ledger.users.id(queue.user),
                .server = ledger.servers.id(server),
                .role = role};
}

/// The queue has got the task. A closed server takes none but one that it is kept for.
void Engine::State::reservation_met(QueueIndex queue, TaskIndex task) {
  reservations->task_started();
  const Reservations::Kept* const kept = reservations->present().of_queue(queue);
  if (kept != nullptr && kept->server == ledger.tasks[task].server) reservations->started_there(task);
  end_reservation(kept);
}

/// A task of the job is known to run there. No line has had its turn: nobody was served.
TaskId Engine::State::adopt(JobIndex job, ServerIndex server, Time since, std::uint32_t role) {
  const QueueRow& queue = ledger.queues[ledger.jobs[job].queue];
  const TournamentEntry entry{.queue = ledger.jobs[job].queue};
  const TaskIndex task = ledger.adopt(job, server, since, now, role);
  placement.task_started(task);
  dispatcher.room_taken(server);
  user_changed(queue.user);
  if (ledger.task_classes.terms(queue.task_class) == nullptr) {
    dispatcher.task_placed(entry);
  } else {
    dispatcher.batch_placed(entry);
  }
  if (reservations) end_reservation(reservations->present().of_queue(entry.queue));
  dispatcher.all_taken();
  return ledger.tasks.id(task);
}

void Engine::State::happens(Time time) {
  now = time;
  if (reservations) reservations->something_changed();
  if (preemption) preemption->event_happened();
}

/// An event that starts and ends tasks, and changes nothing else that users are compared by.
void Engine::State::happens_to_tasks(Time time) {
  now = time;
  if (reservations) reservations->something_changed();
  if (preemption) preemption->tasks_changed();
}

/// An event by which a job comes.
void Engine::State::job_comes(UserIndex user, Time time) {
  now = time;
  if (reservations) reservations->something_changed();
  if (preemption) preemption->job_comes(ledger, user);
}

/// What the user has is another.
void Engine::State::user_changed(UserIndex user) {
  shares.user_changed(user, now);
  if (preemption) preemption->user_changed(user);
}

void Engine::State::tree_changed() { dispatcher.tree_changed(); }

void Engine::State::wait(QueueIndex queue) {
  ledger.queues[queue].arrival = ledger.waits_before++;
  ledger.queues[queue].since = now;
  dispatcher.queue_waits(queue);
}

void Engine::State::end(TaskIndex task) {
  const ServerIndex server = ledger.tasks[task].server;
  const QueueRow& queue = ledger.queues[ledger.jobs[ledger.tasks[task].job].queue];
  placement.task_ends(task);
  ledger.end(task);
  if (reservations) reservations->task_ended(task);
  if (preemption) preemption->task_ended(task);
  user_changed(queue.user);
  dispatcher.task_ended(queue.user, queue.task_class, server);
}

Lost Engine::State::end_and_wait_again(TaskIndex task) {
  const JobIndex job = ledger.tasks[task].job;
  const QueueIndex queue = ledger.jobs[job].queue;
  const Lost lost{.task = ledger.tasks.id(task), .job = ledger.jobs.id(job)};
  const std::uint32_t role = ledger.role_of(task);
  end(task);
  ledger.wait_again(job, role);
  if (dispatcher.waiting().holds(queue)) {
    dispatcher.queue_changed(queue);
  } else {
    wait(queue);
  }
  return lost;
}

void Engine::State::drop_if_over(JobIndex job) {
  const JobRow& row = ledger.jobs[job];
  if (row.waiting > 0 || row.running > 0) return;
  const QueueIndex queue = row.queue;
  ledger.remove_job(job);
  if (--ledger.queues[queue].jobs > 0) return;
  const TaskClassIndex task_class = ledger.queues[queue].task_class;
  ledger.remove_queue(queue);
  ledger.task_classes.release(task_class);
  shares.population_changed();
}

void Engine::State::end_reservation(const Reservations::Kept* kept) {
  if (kept == nullptr) return;
  const std::vector<ServerIndex> servers = reservations->present().servers_of(kept->queue);
  reservations->ended(kept->queue);
  bool any_opened = false;
  for (const ServerIndex server : servers) {
    if (ledger.servers[server].drained) continue;
    ledger.server_pool.open(server);
    dispatcher.room_released(server);
    any_opened = true;
  }
  if (!any_opened) return;
  dispatcher.servers_changed();
  if (preemption) preemption->something_changed();
}

/// The server cannot hold the task that it is kept for, or may not be used for it any longer.
void Engine::State::end_reservation_that_cannot_be_met(ServerIndex server) {
  const auto* const kept = reservations ? reservations->present().on_server(server) : nullptr;
  if (kept != nullptr && !fits_without_tasks(ledger, ledger.queues[kept->queue].task_class, server))
    end_reservation(kept);
}

void Engine::State::remove_server(ServerIndex server) {
  if (reservations) end_reservation(reservations->present().on_server(server));
  ledger.remove_server(server);
  placement.server_removed(server);
  dispatcher.server_removed(server);
  capacities_changed();
}

/// Shares are of other capacities from now on, and the server classes may be others.
void Engine::State::capacities_changed() {
  dispatcher.servers_changed();
  shares.capacities_changed(now);
}

/// Domains, and the servers of a server class that take tasks, may be others from now on.
void Engine::State::open_servers_changed() {
  dispatcher.servers_changed();
  shares.open_servers_changed();
}

}  // namespace mirab::scheduling
