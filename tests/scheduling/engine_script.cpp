#include "scheduling/engine_script.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "scheduling/engine_events.hpp"

namespace mirab::scheduling {
namespace {

/// Label of nobody.
constexpr std::uint32_t kNobody = UINT32_MAX;

const char* const kTies[] = {"first", "last", "random"};

std::size_t index(auto what) { return static_cast<std::size_t>(what); }

std::string listed(const std::vector<Preempted>& lost) {
  std::string text;
  for (const Preempted& each : lost)
    text += fmt::format("{}{:#x} by {}", text.empty() ? "" : " ", id_number(each.task),
                        kWords<Right>[index(each.right)]);
  return text.empty() ? "nothing" : text;
}

Reserving random_reserving(Random& random) {
  static constexpr std::int64_t kAfter[] = {1, 5, 20, 300};
  Reserving rule{.after = Duration(kAfter[random.below(std::size(kAfter))]), .servers = 1 + random.below(2)};
  if (random.below(2) == 0) rule.at_most = Duration(1 + random.below(30));
  return rule;
}

/// At least one of them counts.
std::vector<Quantity> random_scale(Random& random, std::size_t resources) {
  static constexpr const char* kScales[] = {"0", "0.5", "1", "3"};
  std::vector<Quantity> scale;
  for (std::size_t r = 0; r < resources; ++r) scale.push_back(*Quantity::parse(kScales[random.below(4)]));
  Quantity& counts = scale[random.below(resources)];
  if (counts.is_zero()) counts = Quantity(2);
  return scale;
}

std::string describe(const EngineOptions& options) {
  std::string text;
  for (const Quantity& scale : options.share_scale)
    text += fmt::format("{} {}", text.empty() ? ", scaled by" : "", scale.value());
  if (options.reservations)
    text += fmt::format(", keeps {} after {} for {}", options.reservations->servers,
                        options.reservations->after.count(),
                        options.reservations->at_most.value_or(Duration(0)).count());
  if (options.preemption)
    text += fmt::format(", preempts {} per {}", options.preemption->tasks, options.preemption->per.count());
  return text;
}

}  // namespace

Setting random_setting(const std::string& discipline, std::uint64_t seed) {
  static constexpr const char* kPlacements[] = {"first-fit",          "best-fit", "best-fit:published=true",
                                                "worst-fit",          "next-fit", "random",
                                                "least-fragmentation"};
  static constexpr std::int64_t kUnits[] = {1, 1, 1'000, 10'000'000'000'000'003};
  Random random(seed);
  Setting setting{.options = {}, .unit = kUnits[random.below(std::size(kUnits))], .seed = seed};
  for (std::uint64_t r = 0, m = 1 + random.below(3); r < m; ++r)
    setting.options.resources.push_back(fmt::format("r{}", r));
  const bool freeze = random.below(4) == 0;
  setting.options.discipline = {.name = discipline, .options = {}, .text = discipline};
  if (freeze) setting.options.discipline.options["blocking"] = "freeze";
  const std::string placement = kPlacements[random.below(std::size(kPlacements))];
  setting.options.placement = {
      .name = placement.substr(0, placement.find(':')), .options = {}, .text = placement};
  if (placement.ends_with("published=true")) setting.options.placement.options["published"] = "true";
  setting.options.tie = static_cast<Tie>(random.below(3));
  setting.options.oversized = random.below(2) == 0 ? Oversized::refuse : Oversized::wait;
  if (random.below(3) != 0) setting.options.reservations = random_reserving(random);
  const bool preempts = discipline == "round-robin" || discipline == "drf" || discipline == "asset" ||
                        discipline == "pf" || discipline == "tsf";
  if (preempts && random.below(3) != 0) {
    static constexpr std::int64_t kPer[] = {1, 10, 100, INT64_MAX};
    setting.options.preemption = {.tasks = static_cast<std::int64_t>(1 + random.below(5)),
                                  .per = Duration(kPer[random.below(std::size(kPer))])};
  }
  setting.in_tree = seed % 2 == 0;
  if (setting.in_tree && random.below(3) == 0) setting.options.preemption.reset();
  const bool may_be_scaled = discipline == "drf" || discipline == "asset" || discipline == "ps-dsf";
  if (may_be_scaled && random.below(3) == 0)
    setting.options.share_scale = random_scale(random, setting.options.resources.size());
  return setting;
}

Setting even_setting(const std::string& discipline, std::uint64_t seed) {
  Setting setting = random_setting(discipline, seed);
  setting.even = true;
  return setting;
}

std::string describe(const Setting& setting) {
  const EngineOptions& options = setting.options;
  return fmt::format("{} blocking={} {} tie {}, {} resources, {}, in units of {}{}{}",
                     options.discipline.text, options.discipline.options.empty() ? "skip" : "freeze",
                     options.placement.text, kTies[index(options.tie)], options.resources.size(),
                     options.oversized == Oversized::refuse ? "refuses" : "waits", setting.unit,
                     describe(options), setting.even ? ", most keys tie" : "");
}

Play::Play(const Setting& setting)
    : setting_(setting),
      engine_(*Engine::from(setting.options)),
      reference_(setting.options),
      draws_of_engine_(setting.seed),
      draws_of_reference_(setting.seed) {}

Play::What Play::subject_of(Act act) {
  switch (act) {
    case Act::reweight:
    case Act::remove_user:
    case Act::submit:
    case Act::change_user:
    case Act::move_user:
      return What::user;
    case Act::change_group:
    case Act::move_group:
    case Act::remove_group:
      return What::group;
    case Act::cancel:
    case Act::adopt:
      return What::job;
    case Act::finish:
    case Act::fail_task:
      return What::task;
    default:
      return What::server;
  }
}

std::uint32_t Play::label_of(What what, std::uint64_t id) const { return labels_[index(what)].at(id); }

/// An identifier that was never given for who never came.
std::uint64_t Play::id_of(What what, std::uint32_t label) const {
  const auto known = ids_[index(what)].find(label);
  return known == ids_[index(what)].end() ? std::uint64_t{label} << 32 | 0xabcdef : known->second;
}

void Play::came(What what, std::uint32_t label, std::uint64_t id) {
  labels_[index(what)].emplace(id, label);
  ids_[index(what)].emplace(label, id);
}

std::uint32_t Play::some_subject(Act act, Random& random) const {
  const auto one_of = [&](What what, const auto& rows) {
    return rows.empty() ? kNobody : label_of(what, id_number(rows[random.below(rows.size())].id));
  };
  switch (subject_of(act)) {
    case What::server:
      return one_of(What::server, reference_.servers());
    case What::user:
      return one_of(What::user, reference_.users());
    case What::job:
      return one_of(What::job, reference_.jobs());
    case What::task:
      return one_of(What::task, reference_.tasks());
    case What::group: {
      const std::size_t at = random.below(reference_.teams().size());
      return at == 0 ? kNobody : label_of(What::group, id_number(reference_.teams()[at].id));
    }
  }
  return kNobody;
}

Line Play::next_line(std::uint32_t label, Random& random) const {
  struct Weighted {
    Act act;
    std::uint64_t weight;
  };
  const bool crowded = reference_.jobs().size() > 16;
  const bool in_tree = setting_.in_tree;
  const std::array acts = {Weighted{Act::step, 40},
                           Weighted{Act::add_server, reference_.servers().size() < 6 ? 4U : 0U},
                           Weighted{Act::change, 2},
                           Weighted{Act::drain, 1},
                           Weighted{Act::reopen, 3},
                           Weighted{Act::remove, 1},
                           Weighted{Act::fail_server, 1},
                           Weighted{Act::add_user, reference_.users().size() < 6 ? 4U : 0U},
                           Weighted{Act::reweight, 2},
                           Weighted{Act::remove_user, 3},
                           Weighted{Act::submit, crowded ? 2U : 14U},
                           Weighted{Act::cancel, crowded ? 10U : 2U},
                           Weighted{Act::finish, 18},
                           Weighted{Act::fail_task, 4},
                           Weighted{Act::hold, 3},
                           Weighted{Act::relabel, 1},
                           Weighted{Act::change_set, 3},
                           Weighted{Act::adopt, 4},
                           Weighted{Act::add_group, in_tree && reference_.teams().size() < 6 ? 5U : 0U},
                           Weighted{Act::change_group, in_tree ? 3U : 0U},
                           Weighted{Act::move_group, in_tree ? 2U : 0U},
                           Weighted{Act::remove_group, in_tree ? 2U : 0U},
                           Weighted{Act::change_user, in_tree ? 3U : 0U},
                           Weighted{Act::move_user, in_tree ? 4U : 0U}};
  std::uint64_t sum = 0;
  for (const Weighted& each : acts) sum += each.weight;
  std::uint64_t drawn = random.below(sum);
  std::size_t at = 0;
  while (drawn >= acts[at].weight) drawn -= acts[at++].weight;
  Line line{.act = acts[at].act, .label = label, .subject = kNobody, .seed = random.bits()};
  // Now and then about who is gone, or never was.
  line.subject = random.below(30) == 0 ? static_cast<std::uint32_t>(random.below(label + 1))
                                       : some_subject(line.act, random);
  if (line.act == Act::adopt) line.server = some_subject(Act::hold, random);
  return line;
}

Time Play::time_of(const Line& line) const {
  Random random(~line.seed);
  if (random.below(60) == 0) return now_ - Duration(1);
  return now_ + Duration(static_cast<std::int64_t>(random.below(3)));
}

/// A group that came before the line, at times one that has gone; or the cluster.
GroupId Play::some_group(const Line& line) const {
  Random random(line.seed + 1);
  if (!setting_.in_tree || random.below(4) == 0) return kCluster;
  const auto before = static_cast<std::uint32_t>(random.below(std::uint64_t{line.label} + 1));
  std::optional<std::uint32_t> latest;
  for (const auto& [label, id] : ids_[index(What::group)]) {
    if (label <= before) latest = std::max(latest.value_or(label), label);
  }
  return latest ? GroupId{id_of(What::group, *latest)} : kCluster;
}

Event Play::event_of(const Line& line) const {
  EventMaker make(setting_.options.resources.size(), setting_.unit, line.seed, setting_.even);
  const std::uint64_t id = id_of(subject_of(line.act), line.subject);
  switch (line.act) {
    case Act::add_server:
      return make.server();
    case Act::change:
      return ServerChanged{
          .server = ServerId{id}, .capacity = make.capacity(), .allow_below_use = make.one_in(2)};
    case Act::drain:
      return ServerDrained{.server = ServerId{id}};
    case Act::reopen:
      return ServerReopened{.server = ServerId{id}};
    case Act::remove:
      return ServerRemoved{.server = ServerId{id}};
    case Act::fail_server:
      return ServerFailed{.server = ServerId{id}};
    case Act::add_user:
      return make.user(some_group(line), setting_.in_tree);
    case Act::reweight:
      return UserReweighted{.user = UserId{id}, .weight = make.weight()};
    case Act::remove_user:
      return UserRemoved{.user = UserId{id}};
    case Act::add_group:
      return make.group(some_group(line));
    case Act::change_group:
      return make.change(GroupId{id});
    case Act::move_group:
      return GroupMoved{.group = GroupId{id}, .parent = some_group(line)};
    case Act::remove_group:
      return GroupRemoved{.group = GroupId{id}};
    case Act::change_user:
      return make.change(UserId{id});
    case Act::move_user:
      return UserMoved{.user = UserId{id}, .group = some_group(line)};
    case Act::submit:
      return make.job(UserId{id});
    case Act::cancel:
      return JobCancelled{.job = JobId{id}};
    case Act::finish:
      return TaskFinished{.task = TaskId{id}};
    case Act::hold:
      return ServerHeld{.server = ServerId{id}, .amounts = make.held()};
    case Act::relabel:
      return ServerRelabelled{.server = ServerId{id}, .labels = make.labels()};
    case Act::change_set: {
      SetChanged changed{.set = make.set()};
      if (!make.one_in(3)) changed.add.push_back(ServerId{id});
      if (changed.add.empty() || make.one_in(20)) changed.remove.push_back(ServerId{id});
      return changed;
    }
    case Act::adopt:
      return TaskAdopted{.job = JobId{id},
                         .server = ServerId{id_of(What::server, line.server)},
                         .since = now_ - Duration(make.one_in(20)  ? -9
                                                  : make.one_in(2) ? 0
                                                                   : 5),
                         .role = make.one_in(3) ? 1 : 0};
    default:
      return TaskFailed{.task = TaskId{id}};
  }
}

std::string Play::describe(const Line& line) const {
  return line.act == Act::step ? "step" : scheduling::describe(event_of(line));
}

std::optional<std::string> Play::perform(const Line& line) {
  const std::optional<std::string> here = line.act == Act::step ? step(line) : happen(line);
  if (here) return here;
  if (is_remembered(line)) return "who has gone is still known";
  return difference();
}

std::optional<std::string> Play::step(const Line& line) {
  const Time now = time_of(line);
  reference_.pass(now);
  const ReferenceEngine::Options expected = reference_.next(draws_of_reference_);
  const std::optional<Placed> placed = engine_.step(now, draws_of_engine_);
  now_ = std::max(now_, now);
  if (!placed) {
    reference_.nothing();
    if (expected.or_nothing) return {};
    return fmt::format("nothing is placed, and job {:#x} could be", id_number(expected.options.front().job));
  }
  const auto allowed = std::any_of(
      expected.options.begin(), expected.options.end(), [&](const ReferenceEngine::Option& option) {
        return option.job == placed->job && option.user == placed->user && option.role == placed->role &&
               option.preempted == placed->preempted &&
               std::find(option.servers.begin(), option.servers.end(), placed->server) !=
                   option.servers.end();
      });
  if (!allowed) {
    std::string message = fmt::format("job {:#x} goes to server {:#x} instead of {};", id_number(placed->job),
                                      id_number(placed->server), listed(placed->preempted));
    for (const ReferenceEngine::Option& option : expected.options) {
      message += fmt::format(" expected job {:#x} on", id_number(option.job));
      for (const ServerId server : option.servers) message += fmt::format(" {:#x}", id_number(server));
      message += " instead of " + listed(option.preempted);
    }
    return message;
  }
  if (labels_[index(What::task)].contains(id_number(placed->task)))
    return "the identifier of a task comes again";
  came(What::task, line.label, id_number(placed->task));
  const std::int64_t batch = reference_.batch(placed->job);
  if (std::cmp_not_equal(placed->with.size() + 1, batch))
    return fmt::format("{} tasks start together, not {}", placed->with.size() + 1, batch);
  reference_.place(*placed);
  return start_companions(line, *placed);
}

std::optional<std::string> Play::start_companions(const Line& line, const Placed& placed) {
  auto left = static_cast<std::int64_t>(placed.with.size());
  for (const Companion& companion : placed.with) {
    const std::vector<ServerId> expected = reference_.next_of_gang(placed.job, left, draws_of_reference_);
    if (std::find(expected.begin(), expected.end(), companion.server) == expected.end() ||
        reference_.next_role(placed.job) != companion.role) {
      return fmt::format("job {:#x}: another of its gang goes to server {:#x}", id_number(placed.job),
                         id_number(companion.server));
    }
    if (labels_[index(What::task)].contains(id_number(companion.task)))
      return "the identifier of a task comes again";
    // A label of its own, which no line has.
    came(What::task, line.label | static_cast<std::uint32_t>(left) << 24, id_number(companion.task));
    reference_.place_companion(placed.job, companion);
    --left;
  }
  return {};
}

namespace {

/// What an event brought: an identifier or lost tasks, or the key of the error.
struct Brought {
  std::optional<Error> error;
  std::uint64_t id = 0;
  std::vector<Lost> lost = {};
};
Brought brought(const Check& check) { return {.error = check}; }
Brought brought(const Result<std::vector<Lost>>& lost) {
  return lost ? Brought{.error = {}, .lost = *lost} : Brought{.error = lost.error()};
}
template <class Id>
Brought brought(const Result<Id>& id) {
  return id ? Brought{.error = {}, .id = id_number(*id)} : Brought{.error = id.error()};
}

}  // namespace

std::optional<std::string> Play::happen(const Line& line) {
  const Event event = event_of(line);
  const Time now = time_of(line);
  const std::optional<std::string> key = reference_.refusal(event, now);
  const Brought brought =
      std::visit([&](const auto& each) { return scheduling::brought(engine_.apply(each, now)); }, event);
  if (brought.error) {
    if (brought.error->message.empty()) return "an error without a message";
    if (brought.error->key == key) return {};
    return fmt::format("refused: {}; expected {}", mirab::describe(*brought.error),
                       key ? "an error at " + *key : "no error");
  }
  if (key) return fmt::format("applied, and should be refused at {}", *key);
  now_ = now;
  const std::vector<Lost> lost = reference_.apply(event, now, brought.id);
  if (lost != brought.lost) return fmt::format("{} tasks are lost, not {}", brought.lost.size(), lost.size());
  const auto arrives = [&](What what) -> std::optional<std::string> {
    if (labels_[index(what)].contains(brought.id)) return "an identifier comes again";
    came(what, line.label, brought.id);
    return {};
  };
  if (line.act == Act::add_server) return arrives(What::server);
  if (line.act == Act::add_user) return arrives(What::user);
  if (line.act == Act::submit) return arrives(What::job);
  if (line.act == Act::adopt) return arrives(What::task);
  if (line.act == Act::add_group) return arrives(What::group);
  return {};
}

/// Is the subject of the line gone, and the engine speaks of it?
bool Play::is_remembered(const Line& line) const {
  const std::uint64_t id = id_of(subject_of(line.act), line.subject);
  const auto is_gone = [&](const auto& rows) {
    return std::none_of(rows.begin(), rows.end(), [&](const auto& row) { return id_number(row.id) == id; });
  };
  switch (subject_of(line.act)) {
    case What::server:
      return is_gone(reference_.servers()) && engine_.server(ServerId{id});
    case What::user:
      return is_gone(reference_.users()) && engine_.user(UserId{id});
    case What::job:
      return is_gone(reference_.jobs()) && (engine_.job(JobId{id}) || engine_.fits(JobId{id}));
    case What::group:
      return is_gone(reference_.teams()) && engine_.group(GroupId{id});
    case What::task:
      return false;
  }
  return false;
}

/// Of all that can be asked.
std::optional<std::string> Play::difference() const {
  if (engine_.server_count() != reference_.servers().size()) return "the number of servers";
  if (engine_.user_count() != reference_.users().size()) return "the number of users";
  if (engine_.job_count() != reference_.jobs().size()) return "the number of jobs";
  if (engine_.running_count() != reference_.tasks().size()) return "the number of running tasks";
  for (const ReferenceEngine::Server& server : reference_.servers()) {
    const auto there = engine_.server(server.id);
    const Engine::ServerState expected = reference_.state(server);
    if (!there || there->capacity != expected.capacity || there->free != expected.free ||
        there->drained != expected.drained)
      return fmt::format("the state of server {:#x}", id_number(server.id));
  }
  for (const ReferenceEngine::User& user : reference_.users()) {
    const auto there = engine_.user(user.id);
    const Engine::UserState expected = reference_.state(user);
    if (!there || there->used != expected.used || there->running != expected.running ||
        there->dominant_share != expected.dominant_share)
      return fmt::format("the state of user {:#x}", id_number(user.id));
  }
  if (engine_.group_count() + 1 != reference_.teams().size()) return "the number of groups";
  for (const ReferenceEngine::Team& team : reference_.teams()) {
    const auto there = engine_.group(team.id);
    if (!there) return fmt::format("group {:#x} is unknown", id_number(team.id));
    if (const auto wrong = reference_.wrong_in(*there, team))
      return fmt::format("{} {:#x}", *wrong, id_number(team.id));
  }
  for (const ReferenceEngine::Job& job : reference_.jobs()) {
    const auto there = engine_.job(job.id);
    const Engine::JobState expected = reference_.state(job);
    if (!there || there->user != expected.user || there->waiting != expected.waiting ||
        there->running != expected.running)
      return fmt::format("the state of job {:#x}", id_number(job.id));
    if (engine_.fits(job.id) != reference_.fits(job))
      return fmt::format("whether a task of job {:#x} fits", id_number(job.id));
  }
  if (engine_.reservations() != reference_.reservations()) return "which servers are kept";
  const std::string broken = engine_.broken_invariant();
  return broken.empty() ? std::nullopt : std::optional(broken);
}

}  // namespace mirab::scheduling
