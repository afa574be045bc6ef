#include "overlay/task_world.hpp"

#include <chrono>
#include <utility>

namespace mirab::overlay {
namespace {

OverlayOptions options_of(const Patience& patience) {
  return {.gossip = {}, .idle = Idle::skip, .stuck = Stuck::leave, .patience = patience};
}

}  // namespace

TaskWorld::TaskWorld(const TaskPlan& plan)
    : plan_(plan),
      patience_{.again = 5, .held = 20, .walk = 50, .home = 20, .user = 100, .lease = plan.lease},
      random_(plan.seed),
      gateway_(Direction::home, std::nullopt, patience_, kTick) {
  sites_.resize(plan.servers);
  now_ = start_of(0);
  for (NodeId node = 0; node <= gateway_id(); ++node)
    ahead_.push_back(kTick * static_cast<int>(random_.below(plan.skew + 1)));
  for (NodeId server = 0; server < plan.servers; ++server) start(server);
  for (NodeId user = 0; user < plan.users; ++user) {
    const UserSetting setting{
        .self = user_id(user),
        .gateway = gateway_id(),
        .demand = {1 + static_cast<std::int64_t>(user % 2)},
        .tasks = plan.tasks,
        .tick = kTick,
        .runtime = [=, this](std::uint64_t number) { return runtime_of(user, number); }};
    Effects effects;
    users_.emplace_back(setting, patience_, kLifetime + plan.allowed * kTick)
        .on_start(clock(user_id(user)), effects);
    carry_out(user_id(user), effects);
  }
}

Duration TaskWorld::runtime_of(NodeId user, std::uint64_t number) const {
  return plan_.runtime == 0 ? Duration::zero()
                            : static_cast<std::int64_t>(1 + (7 * user + 3 * number) % plan_.runtime) * kTick;
}

void TaskWorld::start(NodeId server) {
  const OverlayOptions options = options_of(patience_);
  Site& site = sites_[server];
  site.server = std::make_unique<Server>(
      Server{Host({kRoom}, clock(server), patience_, kTick), Coordinator(options, kTick)});
}

// A tick: staggered over its length, letters between; then promises are checked.
void TaskWorld::tick() {
  ++now_tick_;
  const Time begin = start_of(now_tick_);
  crash_some();
  cut_some();
  const NodeId nodes = plan_.servers + plan_.users;
  for (NodeId node = 0; node < nodes; ++node) {
    deliver_until(begin + kTick * node / nodes);
    node < plan_.servers ? tick_server(node) : tick_user(node - plan_.servers);
  }
  check_users();
  if (faults_) return;
  note_offers();
  check_offered();
}

void TaskWorld::crash_some() {
  if (plan_.leaves && faults_ && now_tick_ == plan_.faulty / 2 && plan_.servers > 1 && sites_.back().up) {
    Server& server = *sites_.back().server;
    Effects effects;
    server.left = true;
    server.host.close(clock(plan_.servers - 1), effects);
    for (const UserEntry& resident : server.home.user_entries())
      effects.sends.push_back({resident.user, Received{.number = 0, .gone = true}});
    carry_out(plan_.servers - 1, effects);
  }
  for (NodeId server = 0; server < plan_.servers; ++server) {
    Site& site = sites_[server];
    if (!site.up && site.back_at && (*site.back_at <= now_tick_ || !faults_)) {
      if (site.server == nullptr) start(server);
      site.up = true;
    } else if (site.up && chance(plan_.crash)) {
      site.up = false;
      site.back_at = now_tick_ + 1 + static_cast<std::uint32_t>(random_.below(2 * plan_.lease + 40));
      if (server > 0 && chance(plan_.gone_for_good)) site.back_at.reset();
      if (chance(plan_.memory_lost)) {
        site.server.reset();
        site.places.clear();
        site.leased_until.clear();
      }
    }
  }
}

// A way from one node to another loses everything for a while; the way back need not.
void TaskWorld::cut_some() {
  if (!faults_) cuts_.clear();
  if (!chance(plan_.cut)) return;
  const auto server = static_cast<NodeId>(random_.below(plan_.servers));
  const NodeId user = user_id(static_cast<NodeId>(random_.below(plan_.users)));
  const auto until = now_tick_ + static_cast<std::uint32_t>(random_.below(3 * plan_.lease + 60));
  cuts_[random_.below(3) == 0 ? std::pair(user, server) : std::pair(server, user)] = until;
}

void TaskWorld::tick_server(NodeId self) {
  Site& site = sites_[self];
  if (!site.up) return;
  Server& server = *site.server;
  const Time now = clock(self);
  Effects effects;
  server.host.on_tick(now, effects);
  server.home.on_tick(now, effects);
  if (now_tick_ % (patience_.user / 4) == self && !server.left)
    effects.sends.push_back({gateway_id(), Register{}});
  const std::vector<double> total = {static_cast<double>(kRoom * plan_.servers)};
  const UserEntry* poorest = server.home.poorest(total);
  if (poorest != nullptr && poorest->waits()) {
    const UserEntry& served = server.home.serve(now, poorest->user, 0, effects);
    if (!server.host.propose(now, served.task, effects)) {
      const auto next = static_cast<NodeId>(random_.below(plan_.servers));
      effects.sends.push_back({next, Walk{served.task, self, served.attempt, 4}});
    }
  }
  carry_out(self, effects);
}

void TaskWorld::tick_user(NodeId user) {
  Effects effects;
  const Time now = clock(user_id(user));
  if (chance(plan_.pause)) {
    users_[user].paused() ? users_[user].resume(now, effects) : users_[user].pause(now, effects);
  }
  if (!faults_) users_[user].resume(now, effects);
  users_[user].on_tick(now, effects);
  carry_out(user_id(user), effects);
}

void TaskWorld::on_server(NodeId self, NodeId from, const Message& message, Effects& effects) {
  Server& server = *sites_[self].server;
  const Time now = clock(self);
  server.host.on_message(now, from, message, effects);
  const auto* submit = std::get_if<Submit>(&message);
  const auto* pause = std::get_if<Pause>(&message);
  if ((submit || pause) && server.left)
    effects.sends.push_back({from, Received{.number = 0, .gone = true}});
  else if (submit)
    server.home.on_submit(now, *submit, effects);
  else if (pause)
    server.home.on_pause(now, from, *pause, effects);
  if (const auto* no_room = std::get_if<NoRoom>(&message))
    server.home.on_no_room(no_room->task, no_room->attempt, effects);
  if (const auto* walk = std::get_if<Walk>(&message)) {
    if (server.host.propose(now, walk->task, effects)) return;
    if (walk->hops_left == 0) {
      effects.sends.push_back({walk->home, NoRoom{walk->task.id, walk->attempt}});
      return;
    }
    Walk on = *walk;
    --on.hops_left;
    effects.sends.push_back({static_cast<NodeId>(random_.below(plan_.servers)), std::move(on)});
  }
}

void TaskWorld::deliver_until(Time end) {
  while (!bag_.empty() && bag_.top().arrives <= end) {
    const AddressedMessage letter = bag_.top();
    bag_.pop();
    now_ = letter.arrives;
    deliver(letter);
  }
  now_ = end;
}

// Dropped when it is too old by the clocks of sender and receiver, as on the wire.
void TaskWorld::deliver(const AddressedMessage& letter) {
  const Time now = clock(letter.to);
  if (now - letter.sent > kLifetime) return;
  Effects effects;
  if (letter.to < plan_.servers) {
    if (!sites_[letter.to].up) return;
    on_server(letter.to, letter.from, letter.message, effects);
  } else if (letter.to < gateway_id()) {
    users_[letter.to - plan_.servers].on_message(now, letter.from, letter.message, effects);
  } else {
    gateway_.on_message(now, letter.from, letter.message, random_, effects);
  }
  carry_out(letter.to, effects);
}

void TaskWorld::carry_out(NodeId self, Effects& effects) {
  for (const Fact& fact : effects.facts) self < plan_.servers ? book(self, fact) : book_user(self, fact);
  if (self < plan_.servers && sites_[self].server != nullptr) check_server(self);
  for (const Send& send : effects.sends) post(self, send);
}

// Every copy for itself: lost, late by anything that clocks may hide, or quick.
void TaskWorld::post(NodeId from, const Send& send) {
  if (const auto* submit = std::get_if<Submit>(&send.message))
    runtimes_[submit->task.id] = submit->task.runtime;
  const auto cut = cuts_.find({from, send.to});
  if (cut != cuts_.end() && now_tick_ < cut->second) return;
  const std::uint64_t copies = chance(plan_.duplicate) ? 2 : 1;
  for (std::uint64_t copy = 0; copy < copies; ++copy) {
    if (chance(plan_.loss)) continue;
    const Duration most = chance(plan_.late) ? longest() : std::chrono::milliseconds(20);
    const Duration delay(1 +
                         static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most.count()))));
    bag_.push({now_ + delay, ++order_, from, send.to, clock(from), send.message});
  }
}

void TaskWorld::run(std::uint32_t ticks) {
  for (std::uint32_t k = 0; k < ticks && !broken_; ++k) tick();
}

void TaskWorld::run_all() {
  run(plan_.faulty);
  faults_ = false;
  run(believed_for());
  check_hosts_of_known();
  run(offered_for() - believed_for());
  const std::uint32_t turn = patience_.walk + 2 * patience_.again + 4;
  const auto all = static_cast<std::uint32_t>(plan_.tasks) * plan_.users;
  for (std::uint32_t k = 0; k < all && !all_over() && !broken_; ++k) run(turn + plan_.runtime);
  run(patience_.held + patience_.again);
  if (!broken_) check_end();
}

}  // namespace mirab::overlay
