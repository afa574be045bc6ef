#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <mirab/model/time.hpp>
#include <mirab/scheduling/engine.hpp>

#include "lab/simulation/replay/input.hpp"

namespace mirab::simulation {

/// The expected part of what is free that a typical task could not use,
///
///   Σ_i Σ_w p_w Σ_{r ∈ U_w(f_i)} f_{i,r} / C_r  /  Σ_i Σ_r f_{i,r} / C_r,
///
/// U_w(f) every r where w does not fit or may not run, else the r that w does not demand: the fragmentation
/// of Weng et al. (FGD, USENIX ATC 2023, section 4.1), as a part of what is free. The engine knows what is
/// free; this remembers each server's terms. Outlived by its input and the engine.
class ReplayFragmentation {
 public:
  ReplayFragmentation(const ReplayInput& input, const scheduling::Engine& engine)
      : input_(input), engine_(engine) {}

  // What has happened in the engine. Servers have its numbers.
  void server_added(scheduling::ServerId server, std::uint32_t kind);
  void server_removed() { pool_changed_ = true; }
  void task_changed(std::uint32_t server) { touch(server); }  ///< one has started or ended there

  /// 0 when nothing is free. O(servers), and O(typical tasks × m) for each server where something has changed
  /// since it was asked; for all when the pool has.
  double now();

 private:
  struct Room {
    double free = 0;      // Σ_r f_r / C_r
    double unusable = 0;  // of it, expected
  };
  struct Row {
    scheduling::ServerId id;
    std::uint32_t kind;
    Room room = {};  // as of the latest question
    bool is_touched = false;
  };

  void touch(std::uint32_t server);
  Room room(const Row& server) const;

  const ReplayInput& input_;
  const scheduling::Engine& engine_;
  std::vector<Row> rows_;  // [server], the latest with this number
  std::vector<std::uint32_t> touched_;
  bool pool_changed_ = false;  // since the latest question
};

/// The part of the cluster to which each user is entitled: e_n = Π_v φ_v / W_v over the nodes v on its path,
/// the user and its teams, W_v the weights of v and those of its siblings below which some user has demand.
/// Where all these weights are 0, each counts as 1. It is the part of every resource that n would have if
/// each team divided what it has by weight among those present (Ghodsi et al., DRF, NSDI 2011, section 3, for
/// weights section 4.3; of a tree Bhattacharya et al., H-DRF, SoCC 2013: its share guarantee). Guarantees and
/// limits do not count.
class EntitledParts {
 public:
  explicit EntitledParts(const ReplayInput& input);

  // The user has demand from now on, or none any more. O(depth).
  void come(std::uint32_t user) { count(user, 1); }
  void go(std::uint32_t user) { count(user, -1); }
  double of(std::uint32_t user) const;  ///< O(depth). Requires that it has demand

 private:
  struct Node {
    double weight = 1;
    std::size_t parent = 0;
    std::size_t present = 0;   // of its children, those below which some user has demand
    std::size_t weighted = 0;  // of these, those with a weight above 0
    double weights = 0;        // theirs
  };
  void count(std::uint32_t user, int more);  // one user more or one less
  double part(double weight, std::size_t parent) const;

  std::vector<Node> nodes_;        // [team], and the cluster behind them
  std::vector<std::size_t> team_;  // [user], the node whose member it is
  std::vector<double> weight_;     // [user]
};

/// How many tasks of users wait and run during a replay, and integrals over time of what they have, exact,
/// since nothing changes between two instants. What they have is asked of the engine. Report first everything
/// that happens at an instant, then call settle(). Outlived by its input and the engine.
///
/// Unfairness: e_n · max(0, e_n − s_n) of a user n with waiting tasks, the dominant share s_n and the
/// entitled part e_n (EntitledParts); 0 of a user without waiting tasks.
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

  ReplayUsers(const ReplayInput& input, const scheduling::Engine& engine);

  void add(scheduling::UserId user) { ids_.push_back(user); }  ///< the next one of the input
  void submit(std::uint32_t user, std::int64_t tasks) { count(user, tasks, 0); }
  void start(std::uint32_t user) { count(user, -1, 1); }
  void finish(std::uint32_t user) { count(user, 0, -1); }
  /// A task has ended with its server, or for another one, and waits again.
  void lose(std::uint32_t user) { count(user, 1, -1); }

  /// Nothing more happens at this instant. O(users that changed), O(users with waiting tasks) more when a
  /// user with demand came or went, O(users) when the pool changed.
  void settle(Duration now);

  /// The replay is over: integrals and starvation reach to its end. O(users).
  void close(Duration end);

  const std::vector<User>& users() const { return users_; }
  std::int64_t waiting() const { return waiting_; }  ///< tasks
  std::int64_t running() const { return running_; }

 private:
  void touch(std::uint32_t user);
  void count(std::uint32_t user, std::int64_t waiting, std::int64_t running);  ///< more of them
  double share_of(std::uint32_t user) const;
  void settle_user(std::uint32_t user, Duration now);
  void follow_waiting(std::uint32_t user);
  static void integrate(User& user, Duration now);

  const scheduling::Engine& engine_;
  std::vector<scheduling::UserId> ids_;  // [user]
  std::vector<User> users_;
  Amounts pool_;  // [m], as of the latest settle()
  EntitledParts entitled_;
  bool population_changed_ = false;         // the users with demand did, since the latest settle()
  std::vector<std::uint32_t> touched_;      // since then
  std::vector<bool> is_touched_;            // [user]
  std::vector<std::uint32_t> waiters_;      // users with waiting tasks, as of then
  std::vector<std::uint32_t> waiter_at_;    // [user], where it stands in waiters_; or kNone
  std::int64_t waiting_ = 0, running_ = 0;  // tasks
};

/// What the teams hold during a replay: dominant shares of all their users together, and integrals over time.
/// They are counted here, so that they are the same of disciplines that honour no groups. Report what happens
/// at an instant, then call settle(). Outlived by its input and the engine.
class ReplayTeams {
 public:
  ReplayTeams(const ReplayInput& input, const scheduling::Engine& engine);

  /// A task of the job starts (1) or ends (-1). O(depth m).
  void change(const ReplayJob& job, std::int64_t tasks);
  /// Nothing more happens at this instant. O(m) for each team that changed; for all when the pool has.
  void settle(Duration now);

  std::size_t size() const { return teams_.size(); }
  double share(std::size_t team) const { return teams_[team].share; }  ///< as of the latest settle()
  /// Its mean from the beginning until `end`, which is now. Requires that nothing has changed since settle().
  double mean_share(std::size_t team, Duration end) const;

 private:
  struct Team {
    Amounts used;  // [m]
    double share = 0, integral = 0;
    Duration since{};  // the integral reaches until then
    bool is_touched = false;
  };

  const ReplayInput& input_;
  const scheduling::Engine& engine_;
  std::vector<Team> teams_;
  std::vector<std::size_t> touched_;
  Amounts pool_;  // [m], as of the latest settle()
};

/// What became of tasks during a replay, by user.
class ReplayTasks {
 public:
  explicit ReplayTasks(const ReplayInput& input) : users_(input.users.size()) {}

  void submitted(std::uint32_t user, std::int64_t tasks) { users_[user].tally.submitted += tasks; }
  void started_first(std::uint32_t user) { ++users_[user].tally.started; }
  void lost(std::uint32_t user) { ++users_[user].tally.lost; }
  void preempted(std::uint32_t user) { ++users_[user].tally.preempted; }
  void finished(std::uint32_t user, Duration waiting, Duration runtime);

  // At the end of the replay.
  void still_running(std::uint32_t user, Duration waiting);
  void still_waiting(std::uint32_t user, Duration waiting_so_far, std::int64_t tasks);

  /// With quantiles. O(tasks log tasks); the times are used up by tally_all().
  ReplayTally tally(std::uint32_t user) const { return with_quantiles(users_[user], kCdfStepsOfUser); }
  /// Of several users together.
  ReplayTally tally(std::span<const std::uint32_t> users) const;
  ReplayTally tally_all();

 private:
  struct Times {
    ReplayTally tally;  // counts alone
    std::vector<double> waiting, slowdown, completion, waiting_so_far;
  };
  static void add(const Times& user, Times& sum);
  static ReplayTally with_quantiles(const Times& times, std::size_t cdf_steps);

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
