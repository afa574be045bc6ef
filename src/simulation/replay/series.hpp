#pragma once

#include <cstdint>
#include <vector>

#include "simulation/replay/servers.hpp"
#include "simulation/replay/usage.hpp"
#include "simulation/replay/users.hpp"

namespace mirab::simulation {

/// What is sampled over time: at k · span / samples for k = 0, 1, …, the state after all that happened up to
/// then. When there are twice as many samples as were asked for, every second one is left out, and from then
/// on half as many are taken. Outlived by its input.
class ReplaySeries {
 public:
  ReplaySeries(const ReplayInput& input, std::size_t samples);

  Duration next() const { return instant(next_); }  ///< when the next sample is to be taken

  /// Takes it. O(users log users + servers), and what the latter's fragmentation costs.
  void sample(const ReplayUsers& users, ReplayServers& servers, const ReplayUsage& usage);

  /// The series, moved into the outcome.
  void write(ReplayOutcome& outcome);

 private:
  Duration instant(std::size_t k) const;
  void sample_fairness(const ReplayUsers& users);
  void sample_shares(const ReplayUsers& users);
  void sample_use(const ReplayServers& servers, const ReplayUsage& usage, Duration now);
  void thin_out();

  const ReplayInput& input_;
  std::size_t samples_;
  std::size_t next_ = 0, stride_ = 1;
  std::vector<double> times_;
  std::vector<double> waiting_, running_, users_, jain_, gini_, min_share_, unfairness_, fragmentation_;
  std::vector<Series> granted_, used_;  // [m]
  std::vector<Series> shares_;          // of the largest users
  std::vector<Series> bands_;           // of the others
  std::vector<bool> is_largest_;        // [user]
};

}  // namespace mirab::simulation
