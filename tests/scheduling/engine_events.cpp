#include "scheduling/engine_events.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fmt/std.h>

namespace mirab::scheduling {

Amounts EventMaker::amounts(std::uint64_t below) {
  Amounts amounts;
  for (std::size_t r = 0; r < resources_; ++r) {
    const auto units = static_cast<std::int64_t>(random_.below(below)) * unit_;
    amounts.push_back(units > 0 && one_in(8) ? units + 1 : units);
  }
  return amounts;
}

/// Below zero, too many to be counted, or one amount more or less than there are resources.
void EventMaker::spoil(Amounts& amounts) {
  switch (random_.below(4)) {
    case 0:
      amounts.push_back(1);
      break;
    case 1:
      amounts.pop_back();
      break;
    case 2:
      amounts[random_.below(amounts.size())] = INT64_MAX - static_cast<std::int64_t>(random_.below(2));
      break;
    default:
      amounts[random_.below(amounts.size())] = -1 - static_cast<std::int64_t>(random_.below(2));
  }
}

Amounts EventMaker::capacity() {
  Amounts capacity = even_ || one_in(2) ? Amounts(resources_, 6 * unit_) : amounts(9);
  if (one_in(30)) spoil(capacity);
  return capacity;
}

ServerAdded EventMaker::server() {
  return {.name = fmt::format("s{}", random_.below(3)), .capacity = capacity(), .labels = labels()};
}

std::map<std::string, std::string> EventMaker::labels() {
  std::map<std::string, std::string> labels;
  if (!one_in(5)) labels["zone"] = one_in(2) ? "a" : "b";
  if (!one_in(5)) labels["rack"] = fmt::format("{}", random_.below(3));
  return labels;
}

Quantity EventMaker::weight() {
  if (even_) return Quantity(1);
  static constexpr const char* kWeights[] = {"1", "1", "1", "2", "0.5", "3", "1.000000000000000001"};
  if (one_in(40)) return *Quantity::parse(one_in(2) ? "0" : "1e-21");
  return *Quantity::parse(kWeights[random_.below(std::size(kWeights))]);
}

JobSubmitted EventMaker::job(UserId user) {
  JobSubmitted job{
      .user = user, .demand = amounts(4), .tasks = 1 + static_cast<std::int64_t>(random_.below(6))};
  if (even_ || one_in(3)) job.demand = Amounts(resources_, unit_);
  if (even_) {  // of one resource, or of all
    for (std::size_t r = 0, one = random_.below(resources_ + 1); r < resources_; ++r)
      job.demand[r] = one == resources_ || r == one ? unit_ : 0;
    return job;
  }
  if (one_in(6)) {
    job.servers.emplace();
    for (std::uint64_t count = random_.below(3); count > 0; --count)
      job.servers->push_back(fmt::format("s{}", random_.below(4)));
  }
  if (one_in(8))
    job.select["zone"] = one_in(3) ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"a"};
  if (one_in(10)) job.demand_on[fmt::format("s{}", random_.below(4))] = amounts(4);
  if (one_in(30)) spoil(job.demand);
  if (one_in(30)) job.tasks = one_in(3) ? INT64_MAX : -static_cast<std::int64_t>(random_.below(2));
  if (one_in(30)) spoil(job.demand_on["s1"] = amounts(4));
  if (one_in(3)) add_terms(job);
  if (one_in(4)) add_roles(job);
  if (one_in(8)) job.within = set();
  if (one_in(3))
    job.rank = Rank{.priority = static_cast<std::int64_t>(random_.below(3)) - 1,
                    .time = Time(Duration(static_cast<std::int64_t>(random_.below(3)))),
                    .tie = static_cast<std::int64_t>(random_.below(2))};
  job.may_be_preempted = !one_in(5);
  return job;
}

Amounts EventMaker::held() {
  Amounts held = one_in(3) ? Amounts(resources_, 0) : amounts(5);
  if (one_in(30)) spoil(held);
  return held;
}

std::string EventMaker::set() { return one_in(2) ? "x" : "y"; }

template <class Event>
void EventMaker::add_quota(Event& event) {
  if (even_ && !one_in(4)) return;
  if (one_in(2)) event.guarantee = amounts(one_in(3) ? 9 : 4);
  if (one_in(3)) {
    event.limit = amounts(12);
    for (std::size_t r = 0; r < resources_; ++r) {
      std::int64_t& limit = (*event.limit)[r];
      if (one_in(2)) limit = kNoLimit;
      if (event.guarantee && !one_in(8)) limit = std::max(limit, (*event.guarantee)[r]);
    }
  }
  if (event.guarantee && one_in(3)) {
    event.reserved = amounts(4);
    for (std::size_t r = 0; r < resources_ && !one_in(20); ++r)
      (*event.reserved)[r] = std::min((*event.reserved)[r], (*event.guarantee)[r]);
  }
  if (event.guarantee && one_in(40)) spoil(*event.guarantee);
  if (event.limit && one_in(40)) spoil(*event.limit);
  if (event.reserved && one_in(40)) spoil(*event.reserved);
}

UserAdded EventMaker::user(GroupId group, bool in_tree) {
  UserAdded user{.name = "u", .weight = weight()};
  if (!in_tree) return user;
  user.group = group;
  if (!even_ && one_in(6)) user.weight = Quantity(0);
  if (one_in(4)) add_quota(user);
  if (one_in(6)) user.tier = one_in(10) ? -1 : 1;
  return user;
}

GroupAdded EventMaker::group(GroupId parent) {
  GroupAdded group{.name = "g", .weight = weight(), .parent = parent};
  if (!even_ && one_in(8)) group.weight = Quantity(0);
  if (one_in(2)) add_quota(group);
  return group;
}

GroupChanged EventMaker::change(GroupId group) {
  GroupChanged changed{.group = group, .weight = weight()};
  if (!even_ && one_in(8)) changed.weight = Quantity(0);
  if (!one_in(4)) add_quota(changed);
  return changed;
}

UserChanged EventMaker::change(UserId user) {
  UserChanged changed{.user = user, .weight = weight()};
  if (!even_ && one_in(8)) changed.weight = Quantity(0);
  if (one_in(2)) add_quota(changed);
  return changed;
}

void EventMaker::add_terms(JobSubmitted& job) {
  const auto some = [&](std::uint64_t most) {
    if (one_in(30)) return -static_cast<std::int64_t>(random_.below(2));
    return 1 + static_cast<std::int64_t>(random_.below(most));
  };
  const auto label = [&] { return std::string(one_in(2) ? "zone" : "rack"); };
  if (!one_in(3)) job.gang = some(std::clamp<std::int64_t>(job.tasks, 1, 6));
  if (one_in(30)) job.gang = job.tasks;
  if (job.gang > 7) job.gang = 7;
  if (one_in(3)) job.per_server = some(3);
  if (one_in(2)) job.spread = Spread{.label = label(), .most_apart = some(2)};
  if (job.spread && one_in(20)) job.spread->most_apart = INT64_MAX;
  if (one_in(3)) job.pack = label();
}

/// In place of what stands there, but for now and then.
void EventMaker::add_roles(JobSubmitted& job) {
  const std::uint64_t count = 1 + random_.below(3);
  for (std::uint64_t role = 0; role < count; ++role) {
    const auto tasks = static_cast<std::int64_t>(one_in(40) ? 0 : 1 + random_.below(3));
    Amounts demand = amounts(4);
    if (one_in(2)) demand[random_.below(resources_)] = unit_;
    if (one_in(60)) spoil(demand);
    job.roles.push_back({.tasks = tasks, .demand = std::move(demand)});
  }
  if (one_in(60)) job.roles.front().tasks = INT64_MAX;
  if (!one_in(40)) job.demand.clear();
  if (!one_in(40)) job.tasks = 1;
  if (!one_in(40)) job.gang = 1;
  if (!one_in(40)) job.demand_on.clear();
}

namespace {

struct Words {
  std::string operator()(const ServerAdded& e) const {
    return fmt::format("ServerAdded {} {} {}", e.name, e.capacity, e.labels);
  }
  std::string operator()(const ServerChanged& e) const {
    return fmt::format("ServerChanged {:#x} {}{}", id_number(e.server), e.capacity,
                       e.allow_below_use ? " or below its use" : "");
  }
  std::string operator()(const ServerDrained& e) const {
    return fmt::format("ServerDrained {:#x}", id_number(e.server));
  }
  std::string operator()(const ServerReopened& e) const {
    return fmt::format("ServerReopened {:#x}", id_number(e.server));
  }
  std::string operator()(const ServerRemoved& e) const {
    return fmt::format("ServerRemoved {:#x}", id_number(e.server));
  }
  std::string operator()(const ServerFailed& e) const {
    return fmt::format("ServerFailed {:#x}", id_number(e.server));
  }
  template <class E>
  static std::string quota(const E& e) {
    std::string text = fmt::format(" φ = {}", e.weight.text());
    if (e.guarantee) text += fmt::format(" guarantee {}", *e.guarantee);
    if (e.limit) text += fmt::format(" limit {}", *e.limit);
    if (e.reserved) text += fmt::format(" reserved {}", *e.reserved);
    return text;
  }
  std::string operator()(const UserAdded& e) const {
    return fmt::format("UserAdded to {:#x} tier {}{}", id_number(e.group), e.tier, quota(e));
  }
  std::string operator()(const UserChanged& e) const {
    return fmt::format("UserChanged {:#x}{}", id_number(e.user), quota(e));
  }
  std::string operator()(const UserMoved& e) const {
    return fmt::format("UserMoved {:#x} to {:#x}", id_number(e.user), id_number(e.group));
  }
  std::string operator()(const GroupAdded& e) const {
    return fmt::format("GroupAdded to {:#x}{}", id_number(e.parent), quota(e));
  }
  std::string operator()(const GroupChanged& e) const {
    return fmt::format("GroupChanged {:#x}{}", id_number(e.group), quota(e));
  }
  std::string operator()(const GroupMoved& e) const {
    return fmt::format("GroupMoved {:#x} to {:#x}", id_number(e.group), id_number(e.parent));
  }
  std::string operator()(const GroupRemoved& e) const {
    return fmt::format("GroupRemoved {:#x}", id_number(e.group));
  }
  std::string operator()(const UserReweighted& e) const {
    return fmt::format("UserReweighted {:#x} φ = {}", id_number(e.user), e.weight.text());
  }
  std::string operator()(const UserRemoved& e) const {
    return fmt::format("UserRemoved {:#x}", id_number(e.user));
  }
  std::string operator()(const JobSubmitted& e) const {
    std::string text = fmt::format("JobSubmitted of {:#x}: {} × {}", id_number(e.user), e.tasks, e.demand);
    if (e.servers) text += fmt::format(" servers {}", *e.servers);
    if (!e.select.empty()) text += fmt::format(" select {}", e.select);
    if (!e.demand_on.empty()) text += fmt::format(" demand_on {}", e.demand_on);
    if (e.gang != 1) text += fmt::format(" gang {}", e.gang);
    if (e.per_server) text += fmt::format(" per_server {}", *e.per_server);
    if (e.spread) text += fmt::format(" spread {} {}", e.spread->label, e.spread->most_apart);
    if (e.pack) text += fmt::format(" pack {}", *e.pack);
    if (e.within) text += fmt::format(" within {}", *e.within);
    if (e.rank)
      text += fmt::format(" rank {} {} {}", e.rank->priority, e.rank->time.time_since_epoch().count(),
                          e.rank->tie);
    for (const Role& role : e.roles) text += fmt::format(" role {} × {}", role.tasks, role.demand);
    if (!e.may_be_preempted) text += " not to be preempted";
    return text;
  }
  std::string operator()(const JobCancelled& e) const {
    return fmt::format("JobCancelled {:#x}", id_number(e.job));
  }
  std::string operator()(const TaskFinished& e) const {
    return fmt::format("TaskFinished {:#x}", id_number(e.task));
  }
  std::string operator()(const TaskFailed& e) const {
    return fmt::format("TaskFailed {:#x}", id_number(e.task));
  }
  std::string operator()(const ServerHeld& e) const {
    return fmt::format("ServerHeld {:#x} {}", id_number(e.server), e.amounts);
  }
  std::string operator()(const ServerRelabelled& e) const {
    return fmt::format("ServerRelabelled {:#x} {}", id_number(e.server), e.labels);
  }
  std::string operator()(const SetChanged& e) const {
    std::string text = fmt::format("SetChanged {}", e.set);
    for (const ServerId server : e.add) text += fmt::format(" +{:#x}", id_number(server));
    for (const ServerId server : e.remove) text += fmt::format(" -{:#x}", id_number(server));
    return text;
  }
  std::string operator()(const TaskAdopted& e) const {
    return fmt::format("TaskAdopted of {:#x} on {:#x} since {} role {}", id_number(e.job),
                       id_number(e.server), e.since.time_since_epoch().count(), e.role);
  }
};

}  // namespace

std::string describe(const Event& event) { return std::visit(Words{}, event); }

}  // namespace mirab::scheduling
