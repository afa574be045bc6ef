#include "traces/google2011_events.hpp"

#include <utility>

namespace mirab::traces::google2011 {

namespace {

Result<MachineChange> machine_change(const Row& row) {
  namespace column = machine_column;
  const auto time = time_of(row, column::time);
  if (!time) return time.error();
  const auto id = row.whole(column::id);
  if (!id) return id.error();
  const auto event = row.whole(column::event);
  if (!event) return event.error();
  const auto cpu = row.amount(column::cpu);
  if (!cpu) return cpu.error();
  const auto memory = row.amount(column::memory);
  if (!memory) return memory.error();

  if (*event > 2) return row.error(column::event, "is not 0 (add), 1 (remove) or 2 (update)");
  return MachineChange{
      *time, *id, MachineEvent{*event}, {std::string(row.text(column::platform)), *cpu, *memory}};
}

TaskUser& user_of(TaskUsers& users, std::string_view hash) {
  if (const auto known = users.by_hash.find(hash); known != users.by_hash.end()) {
    return users.users[known->second];
  }
  users.by_hash.emplace(hash, users.users.size());
  return users.users.emplace_back(TaskUser{.hash = std::string(hash), .requests = {}});
}

Check count_task(const Row& row, TaskUsers& users) {
  namespace column = task_column;
  const auto job = row.whole(column::job);
  if (!job) return job.error();
  const auto index = row.whole(column::index);
  if (!index) return index.error();
  const auto cpu = row.amount(column::cpu);
  if (!cpu) return cpu.error();
  const auto memory = row.amount(column::memory);
  if (!memory) return memory.error();

  const std::string_view hash = row.text(column::user);
  if (hash.empty()) {
    ++users.without_request;
    return std::nullopt;
  }
  TaskUser& user = user_of(users, hash);
  if (!cpu->has_value() || !memory->has_value()) {
    ++users.without_request;
    return std::nullopt;
  }
  const Amounts request{**cpu, **memory};
  if (request == Amounts{}) {
    ++users.zero_requests;
    return std::nullopt;
  }
  if (users.tasks.insert({*job, *index}).second) ++user.requests[request];
  return std::nullopt;
}

}  // namespace

void follow(const MachineChange& change, Machines& machines) {
  switch (change.event) {
    case MachineEvent::add:
      machines.insert_or_assign(change.id, change.machine);
      break;
    case MachineEvent::remove:
      machines.erase(change.id);
      break;
    case MachineEvent::update:
      if (const auto known = machines.find(change.id); known != machines.end()) {
        Machine& machine = known->second;
        if (!change.machine.platform.empty()) machine.platform = change.machine.platform;
        if (change.machine.cpu) machine.cpu = change.machine.cpu;
        if (change.machine.memory) machine.memory = change.machine.memory;
      }
      break;
  }
}

Result<MachineEvents> read_machine_events(const TraceFiles& files, Bytes& bytes) {
  MachineEvents events;
  const auto on_row = [&](const Row& row) -> Check {
    Result<MachineChange> change = machine_change(row);
    if (!change) return change.error();
    if (!events.later.empty() && change->time < events.later.back().time) {
      return row.error(machine_column::time, "is before the time of an earlier row");
    }
    if (change->time == 0) {
      follow(*change, events.at_start);
    } else {
      events.later.push_back(*std::move(change));
    }
    return std::nullopt;
  };
  if (Check failed = read_table(files.machine_events, machine_column::count, on_row, bytes)) return *failed;
  return events;
}

Result<Trace> read_trace(const TraceFiles& files, const ReadProgress& progress) {
  Bytes bytes(files, progress);
  Result<MachineEvents> machines = read_machine_events(files, bytes);
  if (!machines) return machines.error();
  Trace trace{.machines = std::move(machines->at_start), .task_users = {}};
  const auto on_task = [&](const Row& row) { return count_task(row, trace.task_users); };
  if (Check failed = read_table(files.task_events, task_column::count, on_task, bytes)) return *failed;
  return trace;
}

}  // namespace mirab::traces::google2011
