#include "simulation/replay/users.hpp"

#include <algorithm>

#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

}  // namespace

ReplayUsers::ReplayUsers(const ReplayInput& input)
    : users_(input.users.size()),
      used_(input.users.size() * input.resources.size(), 0),
      pool_(input.resources.size(), 0),
      is_touched_(input.users.size(), false),
      waiter_at_(input.users.size(), kNone) {
  for (std::size_t n = 0; n < users_.size(); ++n) users_[n].weight = input.users[n].weight.value();
}

void ReplayUsers::submit(std::uint32_t user, std::int64_t tasks) {
  touch(user);
  count_demand(users_[user], tasks, 0);
}

void ReplayUsers::start(std::uint32_t user, std::span<const std::int64_t> demand) {
  touch(user);
  count_demand(users_[user], -1, 1);
  use(user, demand, 1);
}

void ReplayUsers::finish(std::uint32_t user, std::span<const std::int64_t> demand) {
  touch(user);
  count_demand(users_[user], 0, -1);
  use(user, demand, -1);
}

void ReplayUsers::lose(std::uint32_t user, std::span<const std::int64_t> demand) {
  touch(user);
  count_demand(users_[user], 1, -1);
  use(user, demand, -1);
}

void ReplayUsers::touch(std::uint32_t user) {
  if (is_touched_[user]) return;
  is_touched_[user] = true;
  touched_.push_back(user);
}

void ReplayUsers::count_demand(User& user, std::int64_t waiting, std::int64_t running) {
  const bool had = user.has_demand();
  user.waiting += waiting;
  user.running += running;
  waiting_ += waiting;
  running_ += running;
  if (user.has_demand() == had) return;
  population_changed_ = true;
  if (had) {
    --with_demand_;
    weights_ -= user.weight;
  } else {
    ++with_demand_;
    weights_ += user.weight;
  }
  if (with_demand_ == 0) weights_ = 0;  // what rounding left
}

void ReplayUsers::use(std::uint32_t user, std::span<const std::int64_t> demand, std::int64_t times) {
  for (std::size_t r = 0; r < demand.size(); ++r) used_[user * demand.size() + r] += times * demand[r];
}

double ReplayUsers::share_of(std::uint32_t user) const {
  double share = 0;
  for (std::size_t r = 0; r < pool_.size(); ++r) {
    if (pool_[r] > 0)
      share = std::max(share,
                       static_cast<double>(used_[user * pool_.size() + r]) / static_cast<double>(pool_[r]));
  }
  return share;
}

void ReplayUsers::integrate(User& user, Duration now) {
  const double elapsed = in_seconds(now - user.since);
  user.share_integral += user.share * elapsed;
  user.unfairness_integral += user.unfairness * elapsed;
  user.since = now;
}

void ReplayUsers::settle_user(std::uint32_t n, Duration now) {
  User& user = users_[n];
  integrate(user, now);
  user.share = share_of(n);
  const double entitled = user.waiting > 0 ? user.weight / weights_ : 0;
  user.unfairness = entitled * std::max(0.0, entitled - user.share);

  const bool is_hungry = user.waiting > 0 && user.running == 0;
  if (is_hungry && !user.hungry_since) user.hungry_since = now;
  if (!is_hungry && user.hungry_since) {
    user.starvation = std::max(user.starvation, now - *user.hungry_since);
    user.hungry_since.reset();
  }
}

/// Whether the user stands among those with waiting tasks.
void ReplayUsers::follow_waiting(std::uint32_t n) {
  if ((users_[n].waiting > 0) == (waiter_at_[n] != kNone)) return;
  if (waiter_at_[n] == kNone) {
    waiter_at_[n] = static_cast<std::uint32_t>(waiters_.size());
    waiters_.push_back(n);
    return;
  }
  waiters_[waiter_at_[n]] = waiters_.back();
  waiter_at_[waiters_.back()] = waiter_at_[n];
  waiters_.pop_back();
  waiter_at_[n] = kNone;
}

void ReplayUsers::settle(Duration now, std::span<const std::int64_t> pool) {
  if (!std::equal(pool.begin(), pool.end(), pool_.begin())) {
    std::copy(pool.begin(), pool.end(), pool_.begin());
    for (std::uint32_t n = 0; n < users_.size(); ++n) touch(n);
  }
  for (const std::uint32_t n : touched_) follow_waiting(n);
  if (population_changed_) {
    for (const std::uint32_t n : waiters_) touch(n);
  }
  for (const std::uint32_t n : touched_) {
    settle_user(n, now);
    is_touched_[n] = false;
  }
  touched_.clear();
  population_changed_ = false;
}

void ReplayUsers::close(Duration end) {
  for (User& user : users_) {
    integrate(user, end);
    if (!user.hungry_since) continue;
    user.starvation = std::max(user.starvation, end - *user.hungry_since);
    user.hungry_since.reset();
  }
}

}  // namespace mirab::simulation
