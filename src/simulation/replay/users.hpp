#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mirab/model/time.hpp>

#include "simulation/replay/input.hpp"

namespace mirab::simulation {

/// What users have, and what they wait for, during a replay; and integrals of it over time, exact, since
/// nothing changes between two instants. First everything that happens at an instant is told, then settle().
/// Outlived by its input.
///
/// Unfairness: φ_n / Φ · max(0, φ_n / Φ − s_n) of a user n with waiting tasks and the dominant share s_n, Φ
/// the weights of the users with demand; 0 of one without. φ_n / Φ is what sharing incentive promises: the
/// part of every resource that it would have if all were divided by weight among those present (Ghodsi et
/// al., DRF, NSDI 2011, section 3; for weights section 4.3).
class ReplayUsers {
 public:
  struct User {
    std::int64_t waiting = 0, running = 0;  // tasks
    double weight = 1;
    double share = 0;                                    // dominant, as of the latest settle()
    double unfairness = 0;                               // the same
    double share_integral = 0, unfairness_integral = 0;  // seconds, up to `since`
    Duration since{};
    std::optional<Duration> hungry_since = {};  // with waiting tasks and none that runs
    Duration starvation{};                      // the longest such time that is over

    bool has_demand() const { return waiting + running > 0; }
  };

  explicit ReplayUsers(const ReplayInput& input);

  void submit(std::uint32_t user, std::int64_t tasks);
  void start(std::uint32_t user, std::span<const std::int64_t> demand);
  void finish(std::uint32_t user, std::span<const std::int64_t> demand);
  /// A task has ended with its server, and waits again.
  void lose(std::uint32_t user, std::span<const std::int64_t> demand);

  /// Nothing more happens at this instant; the servers have so much now. O(users that changed), O(users with
  /// waiting tasks) more when a user with demand came or went, O(users) when the pool changed.
  void settle(Duration now, std::span<const std::int64_t> pool);

  /// The replay is over: integrals and starvation reach to its end. O(users).
  void close(Duration end);

  const std::vector<User>& users() const { return users_; }
  std::int64_t waiting() const { return waiting_; }  ///< tasks
  std::int64_t running() const { return running_; }

 private:
  void touch(std::uint32_t user);
  void count_demand(User& user, std::int64_t waiting, std::int64_t running);
  void use(std::uint32_t user, std::span<const std::int64_t> demand, std::int64_t times);
  double share_of(std::uint32_t user) const;
  void settle_user(std::uint32_t user, Duration now);
  void follow_waiting(std::uint32_t user);
  static void integrate(User& user, Duration now);

  std::vector<User> users_;
  Amounts used_;                            // [user × m]
  Amounts pool_;                            // [m], as of the latest settle()
  double weights_ = 0;                      // Φ
  std::size_t with_demand_ = 0;             // users
  bool population_changed_ = false;         // Φ did, since the latest settle()
  std::vector<std::uint32_t> touched_;      // since then
  std::vector<bool> is_touched_;            // [user]
  std::vector<std::uint32_t> waiters_;      // users with waiting tasks, as of then
  std::vector<std::uint32_t> waiter_at_;    // [user], where it stands in waiters_; or kNone
  std::int64_t waiting_ = 0, running_ = 0;  // tasks
};

}  // namespace mirab::simulation
