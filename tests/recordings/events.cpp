#include "recordings/events.hpp"

#include <algorithm>

namespace mirab::recordings {

using scheduling::Amounts;
using scheduling::Companion;
using scheduling::Event;
using scheduling::JobCancelled;
using scheduling::JobId;
using scheduling::JobSubmitted;
using scheduling::LogEntry;
using scheduling::Lost;
using scheduling::Outcome;
using scheduling::Placed;
using scheduling::ServerAdded;
using scheduling::ServerChanged;
using scheduling::ServerDrained;
using scheduling::ServerFailed;
using scheduling::ServerId;
using scheduling::ServerRemoved;
using scheduling::ServerReopened;
using scheduling::Spread;
using scheduling::TaskFailed;
using scheduling::TaskFinished;
using scheduling::TaskId;
using scheduling::UserAdded;
using scheduling::UserId;
using scheduling::UserRemoved;
using scheduling::UserReweighted;

namespace {

const std::vector<std::string> kNames = {"a", "b", "c"};
const std::vector<std::string> kRacks = {"1", "2", "3", "4"};
const std::vector<std::string> kWeights = {"1", "2", "3", "0.3", "0.75", "1.0001", "12.5", "1e-3"};

/// Identifiers that were given may be named again: some events are about what has gone.
constexpr std::size_t kRemembered = 60;

/// So large that one unit more is less than a double can tell.
constexpr std::int64_t kEnormous = std::int64_t{1} << 55;

template <class Id>
void remember(std::vector<Id>& ids, Id id) {
  ids.push_back(id);
  if (ids.size() > kRemembered) ids.erase(ids.begin());
}

}  // namespace

std::string Events::server_name() { return draws_.of(kNames); }

Amounts Events::capacity() {
  if (mix_.near_ties) return Amounts(resources_, kEnormous * 8);
  if (!mix_.large) {
    Amounts amounts;
    for (std::size_t r = 0; r < resources_; ++r)
      amounts.push_back(r == 2 ? draws_.between(0, 4) : draws_.between(4, 14));
    return amounts;
  }
  const std::int64_t kept_by_system = draws_.between(0, 700'000'000);  // of the bytes
  const Amounts amounts = {draws_.between(4, 96) * 1'000,              // millicpu
                           draws_.between(8, 512) * 1'073'741'824 - kept_by_system,
                           draws_.one_in(3) ? draws_.between(1, 8) : 0};  // GPUs
  return {amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(resources_)};
}

Amounts Events::demand() {
  if (mix_.near_ties) {
    Amounts amounts;
    for (std::size_t r = 0; r < resources_; ++r) {
      const std::int64_t parts = draws_.between(0, 3);
      amounts.push_back(parts * kEnormous + draws_.between(0, 2));
    }
    return amounts;
  }
  if (!mix_.large) {
    Amounts amounts;
    for (std::size_t r = 0; r < resources_; ++r)
      amounts.push_back(r == 2 && !draws_.one_in(3) ? 0 : draws_.between(0, r == 2 ? 2 : 5));
    return amounts;  // now and then all are 0, which is refused
  }
  const Amounts amounts = {draws_.between(1, 80) * 50, draws_.between(1, 20'000'000'000),
                           draws_.one_in(4) ? draws_.between(1, 2) : 0};
  return {amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(resources_)};
}

Quantity Events::weight() { return mix_.weights ? *Quantity::parse(draws_.of(kWeights)) : Quantity(1); }

ServerAdded Events::server_added() {
  ServerAdded added{.name = server_name(), .capacity = capacity()};
  if (mix_.labels || mix_.terms) {
    if (!draws_.one_in(6)) added.labels["zone"] = draws_.of(kNames);
    if (!draws_.one_in(4)) added.labels["rack"] = draws_.of(kRacks);
  }
  return added;
}

UserAdded Events::user_added() {
  return {.name = "u" + std::to_string(draws_.below(100)), .weight = weight()};
}

std::vector<Event> Events::opening() {
  std::vector<Event> events;
  for (std::size_t i = 0; i < mix_.servers; ++i) events.emplace_back(server_added());
  for (std::size_t n = 0; n < mix_.users; ++n) events.emplace_back(user_added());
  return events;
}

Event Events::server_event() {
  if (servers_.empty() || draws_.one_in(3)) return server_added();
  const ServerId server = draws_.of(servers_);
  switch (draws_.below(6)) {
    case 0:
      return ServerChanged{.server = server, .capacity = capacity()};
    case 1:
      return ServerDrained{.server = server};
    case 2:
      return ServerRemoved{.server = server};
    case 3:
      return ServerFailed{.server = server};
    default:
      return ServerReopened{.server = server};
  }
}

Event Events::user_event() {
  if (users_.empty() || draws_.one_in(3)) return user_added();
  const UserId user = draws_.of(users_);
  if (mix_.ends && draws_.one_in(2)) return UserRemoved{.user = user};
  if (mix_.weights) return UserReweighted{.user = user, .weight = weight()};
  return user_added();
}

Event Events::job_submitted() {
  JobSubmitted job{.user = users_.empty() ? UserId{} : draws_.of(users_),
                   .demand = demand(),
                   .tasks = draws_.between(1, mix_.servers > 50 ? 40 : 7)};
  if (mix_.labels) {
    if (draws_.one_in(4)) job.servers = {server_name(), server_name()};
    if (draws_.one_in(4)) job.select["zone"] = {draws_.of(kNames)};
    if (draws_.one_in(8)) job.select["rack"] = {draws_.of(kRacks), draws_.of(kRacks)};
  }
  if (mix_.demand_on) {
    if (draws_.one_in(2)) job.demand_on[server_name()] = demand();
    if (draws_.one_in(3)) job.demand_on[server_name()] = demand();
    if (draws_.one_in(8)) job.servers = {server_name()};
  }
  if (mix_.gangs && draws_.one_in(2)) job.gang = draws_.between(1, job.tasks);
  if (mix_.terms) {
    if (draws_.one_in(4)) job.per_server = draws_.between(1, 2);
    const std::uint64_t apart = draws_.below(8);
    if (apart == 0 || apart == 1) job.spread = Spread{.label = "zone"};
    if (apart == 2) job.spread = Spread{.label = "rack", .most_apart = 2};
    if (draws_.one_in(5)) job.pack = draws_.one_in(3) ? "zone" : "rack";
  }
  return job;
}

Event Events::something() {
  const std::uint64_t draw = draws_.below(100);
  if (draw < 8 && mix_.server_changes) return server_event();
  if (draw < 12) return user_event();
  if (draw < 16 && mix_.ends && !jobs_.empty()) return JobCancelled{.job = draws_.of(jobs_)};
  if (draw < 20 && mix_.ends && !tasks_.empty()) return TaskFailed{.task = draws_.of(tasks_)};
  if (draw < 46 || tasks_.empty()) return job_submitted();
  return TaskFinished{.task = draws_.of(tasks_)};
}

LogEntry Events::next() {
  if (!draws_.one_in(3)) now_ += Duration(draws_.between(0, 800));
  const bool goes_back = draws_.one_in(80);  // which is refused
  return {.now = goes_back ? now_ - Duration(900) : now_, .what = something()};
}

void Events::forget(TaskId task) {
  const auto found = std::find(tasks_.begin(), tasks_.end(), task);
  if (found != tasks_.end()) tasks_.erase(found);
}

void Events::learn(const Event& event, const Outcome& outcome) {
  if (const auto* const server = std::get_if<ServerId>(&outcome)) remember(servers_, *server);
  if (const auto* const user = std::get_if<UserId>(&outcome)) remember(users_, *user);
  if (const auto* const job = std::get_if<JobId>(&outcome)) remember(jobs_, *job);
  if (const auto* const lost = std::get_if<std::vector<Lost>>(&outcome))
    for (const Lost& each : *lost) forget(each.task);
  if (const auto* const finished = std::get_if<TaskFinished>(&event)) forget(finished->task);
  if (const auto* const failed = std::get_if<TaskFailed>(&event)) forget(failed->task);
}

void Events::learn(const Placed& placed) {
  for (const scheduling::Preempted& each : placed.preempted) forget(each.task);
  tasks_.push_back(placed.task);
  for (const Companion& companion : placed.with) tasks_.push_back(companion.task);
}

}  // namespace mirab::recordings
