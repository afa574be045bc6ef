// A net without faults, for tests of schedulers: a queue of what happens when.

#include "overlay/small_net.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace mirab::overlay {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(100);

enum class What { message, tick, shuffle };

struct Event {
  Time at;
  std::uint64_t order = 0;
  What what = What::message;
  NodeId to = 0;
  NodeId from = 0;
  Message message = {};

  friend bool operator>(const Event& a, const Event& b) {
    return std::pair(a.at, a.order) > std::pair(b.at, b.order);
  }
};

class Net {
 public:
  explicit Net(const SmallPlan& plan);
  SmallOutcome run();

 private:
  NodeId server_count() const { return static_cast<NodeId>(plan_.capacity.size()); }
  NodeId user_count() const { return static_cast<NodeId>(plan_.demand.size()); }
  NodeId gateway() const { return server_count() + user_count(); }
  NodeId bootstrap() const { return gateway() + 1; }
  NodeId central() const { return gateway() + 2; }

  void schedule(Duration after, Event event);
  void handle(const Event& event);
  void hear(const Event& event, Effects& effects);
  void tick(NodeId node, Effects& effects);
  void note(const Fact& fact);
  void note_turn(NodeId user);
  double share(std::size_t user) const { return static_cast<double>(turns_[user]) * dominant_[user]; }

  SmallPlan plan_;
  Random random_;
  Time now_{};
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  std::vector<Server> servers_;
  std::vector<User> users_;
  std::vector<Gateway> gateway_;
  std::vector<Bootstrap> bootstrap_;
  std::vector<Central> central_;
  std::vector<double> dominant_;     ///< max_r D_ir / C_r
  std::vector<std::int64_t> turns_;  ///< tasks that count in G_i
  Time last_start_{};
  SmallOutcome outcome_;
};

std::vector<NodeId> drawn_neighbours(NodeId self, NodeId servers, std::size_t count, Random& random) {
  std::vector<NodeId> drawn;
  while (drawn.size() < std::min<std::size_t>(count, servers - 1)) {
    const auto node = static_cast<NodeId>(random.below(servers));
    if (node != self && std::ranges::find(drawn, node) == drawn.end()) drawn.push_back(node);
  }
  return drawn;
}

Direction direction_of(Scheduler scheduler) {
  if (scheduler == Scheduler::probes) return Direction::any;
  const bool central = scheduler == Scheduler::centralised_drf || scheduler == Scheduler::centralised_fifo;
  return central ? Direction::central : Direction::home;
}

Net::Net(const SmallPlan& plan) : plan_(plan), random_(plan.seed), turns_(plan.demand.size(), 0) {
  Amounts total(plan_.capacity.front().size(), 0);
  for (const Amounts& capacity : plan_.capacity) {
    for (std::size_t r = 0; r < total.size(); ++r) total[r] += capacity[r];
  }
  const Direction direction = direction_of(plan_.scheduler);
  const std::optional<NodeId> centre =
      direction == Direction::central ? std::optional(central()) : std::nullopt;
  const Patience& patience = plan_.options.patience;
  gateway_.emplace_back(direction, centre, patience, kTick);
  bootstrap_.emplace_back(plan_.options.gossip.peers, patience, kTick);
  if (centre) {
    central_.emplace_back(
        Central::Setting{.self = *centre, .capacity = plan_.capacity, .total = total, .tick = kTick},
        plan_.scheduler, plan_.options);
    schedule(kTick * plan_.warm_up, {.at = {}, .what = What::tick, .to = *centre});
  }
  for (NodeId l = 0; l < server_count(); ++l) {
    servers_.emplace_back(
        ServerSetting{.self = l,
                      .capacity = plan_.capacity[l],
                      .total = plan_.options.total == Total::known ? total : Amounts(total.size(), 0),
                      .bootstrap = bootstrap(),
                      .gateway = gateway(),
                      .central = centre,
                      .neighbours = drawn_neighbours(l, server_count(), plan_.fixed_neighbours, random_),
                      .tick = kTick},
        plan_.scheduler, plan_.options, now_);
    const Duration offset{static_cast<std::int64_t>(random_.unit() * static_cast<double>(kTick.count()))};
    schedule(kTick * plan_.warm_up + offset, {.at = {}, .what = What::tick, .to = l});
    schedule(offset, {.at = {}, .what = What::shuffle, .to = l});
  }
  for (NodeId i = 0; i < user_count(); ++i) {
    double dominant = 0;
    for (std::size_t r = 0; r < total.size(); ++r)
      dominant = std::max(dominant, static_cast<double>(plan_.demand[i][r]) / static_cast<double>(total[r]));
    dominant_.push_back(dominant);
    users_.emplace_back(
        UserSetting{
            .self = server_count() + i, .gateway = gateway(), .demand = plan_.demand[i], .tick = kTick},
        patience, std::chrono::seconds(2));
  }
}

SmallOutcome Net::run() {
  Effects effects;
  for (Server& server : servers_) {
    server.on_start(effects);
    for (Send& send : effects.sends)
      schedule({}, {.at = {}, .to = send.to, .from = server.self(), .message = std::move(send.message)});
    effects = {};
  }
  // Users come when the gateway knows the servers.
  for (NodeId i = 0; i < user_count(); ++i)
    schedule(kTick, {.at = {}, .what = What::tick, .to = server_count() + i});
  const Time begin = now_ + kTick * plan_.warm_up;
  last_start_ = begin;
  const Time end = begin + kTick * plan_.at_most;
  while (!queue_.empty() && now_ < end && now_ < last_start_ + kTick * plan_.quiet) {
    const Event event = queue_.top();
    queue_.pop();
    now_ = event.at;
    handle(event);
  }
  outcome_.ticks = std::chrono::duration<double>(last_start_ - begin) / std::chrono::duration<double>(kTick);
  for (std::size_t i = 0; i < users_.size(); ++i) {
    outcome_.running.push_back(static_cast<std::int64_t>(users_[i].running()));
    outcome_.share.push_back(static_cast<double>(outcome_.running.back()) * dominant_[i]);
  }
  return outcome_;
}

void Net::schedule(Duration after, Event event) {
  event.at = now_ + after;
  event.order = ++order_;
  queue_.push(std::move(event));
}

void Net::handle(const Event& event) {
  Effects effects;
  switch (event.what) {
    case What::message:
      hear(event, effects);
      break;
    case What::tick:
      tick(event.to, effects);
      break;
    case What::shuffle:
      servers_[event.to].on_shuffle(now_, random_, effects);
      schedule(std::chrono::duration_cast<Duration>(kTick / plan_.shuffles_per_tick),
               {.at = {}, .what = What::shuffle, .to = event.to});
      break;
  }
  for (Send& send : effects.sends) {
    const auto latency = std::chrono::microseconds(1000 + random_.below(9001));
    schedule(latency, {.at = {}, .to = send.to, .from = event.to, .message = std::move(send.message)});
  }
  for (const Fact& fact : effects.facts) note(fact);
  if (event.to < server_count()) {
    for (const std::int64_t amount : servers_[event.to].free()) outcome_.over_capacity += amount < 0 ? 1 : 0;
  }
}

void Net::hear(const Event& event, Effects& effects) {
  if (event.to < server_count())
    servers_[event.to].on_message(now_, event.from, event.message, random_, effects);
  else if (event.to < gateway())
    users_[event.to - server_count()].on_message(now_, event.from, event.message, effects);
  else if (event.to == gateway())
    gateway_.front().on_message(now_, event.from, event.message, random_, effects);
  else if (event.to == bootstrap())
    bootstrap_.front().on_message(now_, event.from, event.message, random_, effects);
  else
    central_.front().on_message(now_, event.from, event.message, effects);
}

void Net::tick(NodeId node, Effects& effects) {
  schedule(kTick, {.at = {}, .what = What::tick, .to = node});
  if (node < server_count())
    servers_[node].on_tick(now_, random_, effects);
  else if (node == central())
    central_.front().on_tick(now_, effects);
  else if (User& user = users_[node - server_count()]; now_ == Time{} + kTick)
    user.on_start(now_, effects);
  else
    user.on_tick(now_, effects);
}

void Net::note(const Fact& fact) {
  if (const auto* served = std::get_if<Served>(&fact)) note_turn(served->task.user);
  if (const auto* unserved = std::get_if<Unserved>(&fact)) --turns_[unserved->task.user - server_count()];
  if (const auto* started = std::get_if<Started>(&fact)) {
    ++outcome_.started;
    ++outcome_.places[started->task];
    last_start_ = now_;
  }
}

void Net::note_turn(NodeId user) {
  const std::size_t i = user - server_count();
  double least = share(0);
  for (std::size_t j = 1; j < users_.size(); ++j) least = std::min(least, share(j));
  ++outcome_.turns;
  if (share(i) > least) ++outcome_.wrong;
  ++turns_[i];
}

}  // namespace

double SmallOutcome::least_share() const { return *std::ranges::min_element(share); }

SmallOutcome run_small_net(const SmallPlan& plan) { return Net(plan).run(); }

}  // namespace mirab::overlay
