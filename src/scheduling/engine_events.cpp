// What events have in common.
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

void Engine::State::happens(Time time) {
  now = time;
  if (preemption) preemption->something_changed();
}

void Engine::State::wait(std::uint32_t queue) {
  accounts.queues[queue].arrival = waits_before++;
  accounts.queues[queue].since = now;
  // All queues of a shape stand in the same lanes: those of the servers that are there now.
  if (keys_are_stale && whom.discipline->lanes != Lanes::one) refresh();
  race.enter(queue, lanes_of(accounts.queues[queue].shape));
}

void Engine::State::population_changed() { keys_are_stale = keys_are_stale || whom.discipline->priced; }

void Engine::State::end(std::uint32_t task) {
  const std::uint32_t server = accounts.tasks[task].server;
  const QueueRow& queue = accounts.queues[accounts.jobs[accounts.tasks[task].job].queue];
  const std::uint32_t user = queue.user;
  if (balance) balance->task_ended(accounts.park, task, server, accounts.demand(queue, server));
  accounts.end(task);
  if (reservations) reservations->met.erase(task);
  share_changed(user);
  freed.add(server);
  race.rekey(accounts.users[user].queues);
  if (race.has_terms_aside()) bring_back_terms(queue.shape, server);
}

void Engine::State::end_and_wait_again(std::uint32_t task) {
  const std::uint32_t job = accounts.tasks[task].job;
  const std::uint32_t queue = accounts.jobs[job].queue;
  end(task);
  if (accounts.jobs[job].waiting++ == 0) accounts.enqueue(job);
  if (race.holds(queue)) {
    race.rekey(std::span(&queue, 1));
  } else {
    wait(queue);
  }
}

void Engine::State::drop_if_over(std::uint32_t job) {
  const JobRow& row = accounts.jobs[job];
  if (row.waiting > 0 || row.running > 0) return;
  const std::uint32_t queue = row.queue;
  accounts.jobs.remove(job);
  if (--accounts.queues[queue].jobs > 0) return;
  const std::uint32_t shape = accounts.queues[queue].shape;
  accounts.remove_queue(queue);
  accounts.shapes.release(shape);
  population_changed();
}

}  // namespace mirab::scheduling
