#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <mirab/model/time.hpp>

#include "lab/simulation/replay/input.hpp"

namespace mirab::simulation {

/// What is free on each server during a replay, and what all have and grant together. Servers have the
/// numbers of the engine. Outlived by its input.
class ReplayServers {
 public:
  explicit ReplayServers(const ReplayInput& input);

  void add(std::uint32_t server, std::uint32_t kind);
  /// Requires that nothing is taken there.
  void remove(std::uint32_t server);
  void take(std::uint32_t server, std::span<const std::int64_t> demand);
  void give(std::uint32_t server, std::span<const std::int64_t> demand);

  std::span<const std::int64_t> pool() const { return pool_; }        ///< C_r of all that are there, units
  std::span<const std::int64_t> granted() const { return granted_; }  ///< what runs takes of it, units

  /// The expected part of what is free that a typical task could not use,
  ///
  ///   Σ_i Σ_w p_w Σ_{r ∈ U_w(f_i)} f_{i,r} / C_r  /  Σ_i Σ_r f_{i,r} / C_r,
  ///
  /// U_w(f) every r where w does not fit or may not run, else the r that w does not demand: the fragmentation
  /// of Weng et al. (FGD, USENIX ATC 2023, section 4.1), as a part of what is free. 0 when nothing is.
  /// O(servers), and O(typical tasks × m) for each server where something has changed since it was asked; for
  /// all when the pool has.
  double fragmentation();

 private:
  static constexpr std::uint32_t kGone = UINT32_MAX;
  struct Room {
    double free = 0;      // Σ_r f_r / C_r
    double unusable = 0;  // of it, expected
  };

  std::span<std::int64_t> free(std::uint32_t server) {
    return std::span(free_).subspan(server * pool_.size(), pool_.size());
  }
  void touch(std::uint32_t server);
  Room room(std::uint32_t server);

  const ReplayInput& input_;
  Amounts pool_, granted_;            // [m]
  std::vector<std::uint32_t> kinds_;  // [server], or kGone
  Amounts free_;                      // [server × m]
  std::vector<Room> rooms_;           // [server], as of the latest question
  std::vector<std::uint32_t> touched_;
  std::vector<bool> is_touched_;  // [server]
  bool pool_changed_ = false;     // since the latest question
};

/// What users have, and what they wait for, during a replay; and integrals of it over time, exact, since
/// nothing changes between two instants. Report first everything that happens at an instant, then call
/// settle(). Outlived by its input.
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

/// What became of tasks during a replay, by user.
class ReplayTasks {
 public:
  explicit ReplayTasks(const ReplayInput& input) : users_(input.users.size()) {}

  void submitted(std::uint32_t user, std::int64_t tasks) { users_[user].tally.submitted += tasks; }
  void started_first(std::uint32_t user) { ++users_[user].tally.started; }
  void lost(std::uint32_t user) { ++users_[user].tally.lost; }
  void finished(std::uint32_t user, Duration waiting, Duration runtime);

  // At the end of the replay.
  void still_running(std::uint32_t user, Duration waiting);
  void still_waiting(std::uint32_t user, Duration waiting_so_far, std::int64_t tasks);

  /// With quantiles. O(tasks log tasks); the times are used up by tally_all().
  ReplayTally tally(std::uint32_t user) const { return with_quantiles(users_[user]); }
  ReplayTally tally_all();

 private:
  struct Times {
    ReplayTally tally;  // counts alone
    std::vector<double> waiting, slowdown, completion, waiting_so_far;
  };
  static ReplayTally with_quantiles(const Times& times);

  std::vector<Times> users_;
};

/// What running tasks really use beyond what they are granted (mostly below 0), for those whose job tells it.
/// Amounts in the files' own unit. Outlived by its input.
class ReplayUsage {
 public:
  explicit ReplayUsage(const ReplayInput& input);

  bool is_known() const { return !input_.usages.empty(); }  ///< of any job

  /// A task of the job starts, or ends. `task` is any number that no other running task has.
  void start(std::uint32_t task, const ReplayJob& job, Duration now);
  void end(std::uint32_t task, Duration now);

  /// Of the tasks that run now. [m]. O(tasks with a usage)
  std::vector<double> surplus(Duration now) const;

  /// ∫ surplus dt from the beginning until now, in seconds. [m]. O(tasks with a usage)
  std::vector<double> surplus_integral(Duration now) const;

 private:
  struct Running {
    std::uint32_t usage, request;
    Duration since;
  };
  double granted(const Running& task, std::size_t r) const {
    return static_cast<double>(input_.requests[task.request].demand[r]) * input_.unit[r];
  }
  void integrate(const Running& task, Duration now, std::vector<double>& integral) const;

  const ReplayInput& input_;
  std::vector<std::vector<std::vector<double>>>
      before_;                                // [usage][step][m], ∫ of the steps before it, seconds
  std::map<std::uint32_t, Running> running_;  // by task
  std::vector<double> integral_;              // [m], of the tasks that have ended
};

}  // namespace mirab::simulation
