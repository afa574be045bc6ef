#pragma once

#include <cstdint>
#include <vector>

#include "lab/simulation/replay/input.hpp"
#include "lab/simulation/replay/measures.hpp"

namespace mirab::simulation {

/// What is sampled over time: at k · span / samples for k = 0, 1, …, the state after all that happened up to
/// then. When there are twice as many samples as were asked for, every second one is left out, and from then
/// on half as many are taken. Outlived by its input and the engine.
class ReplaySeries {
 public:
  ReplaySeries(const ReplayInput& input, const scheduling::Engine& engine, std::size_t samples);

  Duration next() const { return instant(next_); }  ///< when the next sample is to be taken

  /// Takes it. O(users log users + servers), and what the latter's fragmentation costs.
  void sample(const ReplayUsers& users, const ReplayTeams& teams, ReplayFragmentation& fragmentation,
              const ReplayUsage& usage);

  /// The series, moved into the outcome.
  void write(ReplayOutcome& outcome);

 private:
  Duration instant(std::size_t k) const;
  void sample_fairness(const ReplayUsers& users);
  void sample_shares(const ReplayUsers& users);
  void sample_use(const ReplayUsage& usage, Duration now);
  void thin_out();

  const ReplayInput& input_;
  const scheduling::Engine& engine_;
  std::size_t samples_;
  std::size_t next_ = 0, stride_ = 1;
  std::vector<double> times_;
  std::vector<double> waiting_, running_, users_, jain_, gini_, min_share_, unfairness_, fragmentation_;
  std::vector<Series> granted_, used_;  // [m]
  std::vector<Series> shares_;          // of the largest users
  std::vector<Series> bands_;           // of the others
  std::vector<Series> teams_;
  std::vector<bool> is_largest_;  // [user]
};

/// A task that runs.
struct RunningTask {
  std::uint32_t number = 0;  ///< of no other running task
  std::uint32_t job = 0;
  std::uint32_t server = 0;
  Duration started{};
};

/// All that is measured during one contender's replay. Report that time passes, then what has happened in the
/// engine, then that the instant is over; and at the end what still runs and waits. Who has what and what is
/// free is asked of the engine. Outlived by its input and the engine.
class ReplayRecord {
 public:
  ReplayRecord(const ReplayInput& input, const scheduling::Engine& engine, std::size_t samples);

  Duration now() const { return now_; }
  std::int64_t waiting() const { return users_.waiting(); }  ///< tasks
  std::int64_t running() const { return users_.running(); }

  /// Nothing happens until then: the state is sampled and integrated.
  void pass_until(Duration now);

  // What happens now.
  void add_user(scheduling::UserId user) { users_.add(user); }  ///< in their order
  void add_server(scheduling::ServerId server, std::uint32_t kind) {
    fragmentation_.server_added(server, kind);
  }
  void remove_server() { fragmentation_.server_removed(); }
  void server_changes() { ++events_; }  ///< one has come or gone, after the beginning
  void submit(std::uint32_t job);       ///< in their order
  void start(const RunningTask& task);
  void finish(const RunningTask& task);
  void lose(const RunningTask& task);     ///< with its server
  void preempt(const RunningTask& task);  ///< for another task
  void settle() {
    users_.settle(now_);
    teams_.settle(now_);
  }

  // At the end.
  void still_running(const RunningTask& task);
  void still_waiting(std::uint32_t job, std::int64_t tasks);
  ReplayOutcome outcome(const ReplayContender& contender, bool with_jobs);

 private:
  void take_off(const RunningTask& task);
  void wait_again(const RunningTask& task);
  ReplayUser user(std::uint32_t n) const;
  std::vector<ReplayTeam> teams() const;
  ReplayJobOutcome job(std::uint32_t index) const;
  ReplayJobTally tally_jobs() const;
  void add_up_users(ReplayOutcome& outcome) const;
  void add_means(ReplayOutcome& outcome) const;

  const ReplayInput& input_;
  const scheduling::Engine& engine_;
  Duration now_{};
  ReplayUsers users_;
  ReplayTeams teams_;
  ReplayFragmentation fragmentation_;
  ReplayTasks tasks_;
  ReplayUsage usage_;
  ReplaySeries series_;
  /// What has happened to a job so far.
  struct OfJob {
    std::int64_t to_restart = 0;  // tasks that were lost, or ended for others, and wait
    std::int64_t started = 0, finished = 0;
    Duration first_start{}, last_end{};
  };
  std::vector<OfJob> jobs_;                               // [job]
  std::vector<double> granted_integral_, pool_integral_;  // [m], units × seconds
  double waiting_integral_ = 0, running_integral_ = 0;    // tasks × seconds
  std::int64_t events_ = 0, placements_ = 0;
};

}  // namespace mirab::simulation
