#include "scheduling/random_events.hpp"

#include <array>

namespace mirab::scheduling {
namespace {

template <class T>
const T& one_of(const std::vector<T>& from, Random& random) {
  return from[random.below(from.size())];
}

}  // namespace

EngineOptions random_options(Random& random) {
  const std::vector<std::string> disciplines = {"fifo", "round-robin", "drf",     "asset", "pf",
                                                "tsf",  "ps-dsf",      "mlf-drs", "mrfs"};
  const std::vector<std::string> placements = {"first-fit", "best-fit", "worst-fit",
                                               "next-fit",  "random",   "least-fragmentation"};
  const auto choice = [](const std::string& name) {
    return Choice{.name = name, .options = {}, .text = name};
  };
  EngineOptions options{.resources = {"cpu", "memory"},
                        .discipline = choice(one_of(disciplines, random)),
                        .placement = choice(one_of(placements, random)),
                        .tie = static_cast<Tie>(random.below(3)),
                        .oversized = static_cast<Oversized>(random.below(2))};
  if (random.below(5) == 0) options.discipline.options["blocking"] = "freeze";
  if (random.below(2) == 0) options.resources.push_back("gpu");
  const std::string& discipline = options.discipline.name;
  const bool of_pool = discipline == "drf" || discipline == "asset";
  if ((of_pool || discipline == "ps-dsf") && random.below(2) == 0) {
    options.share_scale = {*Quantity::parse("0.5"), Quantity(3)};
    options.share_scale.resize(options.resources.size());  // GPUs do not count
  }
  if (of_pool && random.below(2) == 0) options.half_life = Duration(1 + random.below(20'000));
  if (random.below(2) == 0) {
    options.reservations = {.after = Duration(1 + random.below(4'000)), .servers = 1 + random.below(2)};
    if (random.below(2) == 0) options.reservations->at_most = Duration(1 + random.below(4'000));
  }
  const bool preempts = of_pool || discipline == "round-robin" || discipline == "pf" || discipline == "tsf";
  if (preempts && !options.half_life && random.below(2) == 0)
    options.preemption = {.tasks = static_cast<std::int64_t>(1 + random.below(4)),
                          .per = Duration(1 + random.below(4'000))};
  return options;
}

Amounts RandomEvents::amounts(std::uint64_t most) {
  Amounts amounts;
  for (std::size_t r = 0; r < resources_; ++r)
    amounts.push_back(static_cast<std::int64_t>(random_.below(most + 1)));
  return amounts;
}

std::string RandomEvents::name() { return std::string(1, static_cast<char>('a' + random_.below(3))); }

Event RandomEvents::server_event() {
  if (servers_.size() < 3 || random_.below(4) == 0) {
    ServerAdded added{.name = name(), .capacity = amounts(12)};
    if (random_.below(2) == 0) added.labels = {{"zone", name()}};
    return added;
  }
  const ServerId server = one_of(servers_, random_);
  switch (random_.below(6)) {
    case 0:
      return ServerChanged{.server = server, .capacity = amounts(15)};
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

Event RandomEvents::user_event() {
  if (users_.size() < 3 || random_.below(3) == 0)
    return UserAdded{.name = name(), .weight = Quantity(static_cast<std::int64_t>(1 + random_.below(3)))};
  const UserId user = one_of(users_, random_);
  if (random_.below(3) == 0) return UserRemoved{.user = user};
  return UserReweighted{.user = user, .weight = *Quantity::parse(random_.below(2) == 0 ? "0.3" : "2")};
}

GroupId RandomEvents::group() {
  return groups_.empty() || random_.below(3) == 0 ? kCluster : one_of(groups_, random_);
}

template <class Each>
void RandomEvents::add_quota(Each& event) {
  event.weight = Quantity(static_cast<std::int64_t>(random_.below(3)));
  if (random_.below(2) == 0) event.guarantee = amounts(4);
  if (random_.below(3) == 0)
    event.limit = Amounts(resources_, 4 + static_cast<std::int64_t>(random_.below(8)));
  if (event.guarantee && random_.below(3) == 0) event.reserved = amounts(1);
}

Event RandomEvents::tree_event() {
  const UserId user = users_.empty() ? UserId{} : one_of(users_, random_);
  switch (random_.below(6)) {
    case 0:
      return GroupMoved{.group = group(), .parent = group()};
    case 1:
      return GroupRemoved{.group = group()};
    case 2: {
      GroupChanged changed{.group = group(), .weight = {}};
      add_quota(changed);
      return changed;
    }
    case 3: {
      UserChanged changed{.user = user, .weight = {}};
      add_quota(changed);
      return changed;
    }
    case 4:
      return UserMoved{.user = user, .group = group()};
    default: {
      GroupAdded added{.name = name(), .parent = group()};
      add_quota(added);
      return added;
    }
  }
}

Event RandomEvents::job_event() {
  if (!jobs_.empty() && random_.below(6) == 0) return JobCancelled{.job = one_of(jobs_, random_)};
  JobSubmitted job{.user = users_.empty() ? UserId{} : one_of(users_, random_),
                   .demand = amounts(4),
                   .tasks = static_cast<std::int64_t>(1 + random_.below(4))};
  if (random_.below(4) == 0) job.servers = std::vector{name(), name()};
  if (random_.below(4) == 0) job.select["zone"] = {name()};
  if (random_.below(4) == 0) job.demand_on[name()] = amounts(4);
  if (random_.below(3) == 0) job.gang = 1 + static_cast<std::int64_t>(random_.below(4));
  if (random_.below(4) == 0) job.per_server = 1 + static_cast<std::int64_t>(random_.below(2));
  if (random_.below(6) == 0) job.spread = Spread{.label = "zone"};
  if (random_.below(6) == 0) job.pack = "zone";
  if (random_.below(12) == 0) {
    job.tasks = job.gang = 1;
    job.demand.clear();
    job.demand_on.clear();
    job.roles = {{.tasks = 1, .demand = amounts(4)}, {.tasks = 2, .demand = amounts(3)}};
  }
  if (others_ == Others::none) return job;
  if (random_.below(5) == 0) job.within = name();
  if (random_.below(3) == 0)
    job.rank = Rank{.priority = static_cast<std::int64_t>(random_.below(3)) - 1,
                    .time = Time(Duration(random_.below(3))),
                    .tie = -static_cast<std::int64_t>(random_.below(3))};
  job.may_be_preempted = random_.below(4) != 0;
  return job;
}

Event RandomEvents::event_of_others() {
  const ServerId server = servers_.empty() ? ServerId{} : one_of(servers_, random_);
  switch (random_.below(6)) {
    case 0:
      return ServerHeld{.server = server, .amounts = amounts(6)};
    case 1:
      return ServerRelabelled{.server = server, .labels = {{"zone", name()}}};
    case 2:
      return SetChanged{.set = name(), .add = {server}};
    case 3:
      return SetChanged{.set = name(), .remove = {server}};
    case 4:
      return ServerChanged{.server = server, .capacity = amounts(12), .allow_below_use = true};
    default:
      return TaskAdopted{.job = jobs_.empty() ? JobId{} : one_of(jobs_, random_),
                         .server = server,
                         .since = now_ - Duration(random_.below(50))};
  }
}

std::variant<Event, StepAsked> RandomEvents::something() {
  if (others_ == Others::some && random_.below(8) == 0) return event_of_others();
  if (in_tree_ && random_.below(10) == 0) return tree_event();
  const std::uint64_t draw = random_.below(100);
  if (draw < 6) return server_event();
  if (draw < 12) return user_event();
  if (draw < 32 || tasks_.empty()) return job_event();
  if (draw < 72) return StepAsked{.seed = 7};
  const std::size_t at = random_.below(tasks_.size());
  const TaskId task = tasks_[at];
  if (draw < 76) return Event(TaskFailed{task});
  tasks_[at] = tasks_.back();
  tasks_.pop_back();
  return Event(TaskFinished{task});
}

LogEntry RandomEvents::next() {
  if (random_.below(3) == 0) now_ += Duration(random_.below(1000));
  if (random_.below(3) == 0) return {.now = now_, .what = StepAsked{.seed = 7}};
  return {.now = now_, .what = something()};
}

void RandomEvents::learn(const Outcome& outcome) {
  if (const auto* const server = std::get_if<ServerId>(&outcome)) servers_.push_back(*server);
  if (const auto* const user = std::get_if<UserId>(&outcome)) users_.push_back(*user);
  if (const auto* const job = std::get_if<JobId>(&outcome)) jobs_.push_back(*job);
  if (const auto* const task = std::get_if<TaskId>(&outcome)) tasks_.push_back(*task);
  if (const auto* const group = std::get_if<GroupId>(&outcome)) groups_.push_back(*group);
  const auto* const placed = std::get_if<std::optional<Placed>>(&outcome);
  if (placed == nullptr || !*placed) return;
  tasks_.push_back((*placed)->task);
  for (const Companion& companion : (*placed)->with) tasks_.push_back(companion.task);
}

Result<Outcome> tell(Engine& engine, const LogEntry& entry, Random& draws) {
  if (const auto* const event = std::get_if<Event>(&entry.what)) return apply(engine, *event, entry.now);
  return Outcome(engine.step(entry.now, draws));
}

}  // namespace mirab::scheduling
