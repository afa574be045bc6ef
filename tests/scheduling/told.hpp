#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/random_events.hpp"

namespace mirab::scheduling {

/// An engine that has lived through random events, and what it was told.
struct Told {
  Told(const std::string& discipline, std::uint64_t seed);

  /// One event or step, and what came of it; nothing when it was refused.
  std::pair<LogEntry, std::optional<Outcome>> live();

  /// Two more servers alike, so that there is room, and a choice.
  void open_up();

  bool is_frozen() const { return options.discipline.options.contains("blocking"); }
  bool draws_lots() const { return options.tie == Tie::random; }

  /// What is in the way of the job on the server, from what was told alone.
  InTheWay in_the_way(JobId job, ServerId server) const;
  WhyWaiting::Servers count_servers(JobId job) const;
  std::vector<WhyWaiting::Constraint> count_constraints(JobId job) const;

  /// Of every job that waits.
  std::map<JobId, WhyWaiting> ask_all(Time now) const;

  /// The same engine once more.
  Engine twin() const;

  Random random;
  Random draws;  ///< of steps
  EngineOptions options;
  Engine engine;
  RandomEvents events;
  Time now = Time(Duration(-5));
  std::map<ServerId, ServerAdded> servers;  ///< those that have gone too
  std::map<JobId, JobSubmitted> jobs;       ///< the same
  std::vector<Placed> tasks;                ///< the same

 private:
  void remember(const LogEntry& entry, const Outcome& outcome);
  const Amounts& demand_on(JobId job, ServerId server) const;
  std::vector<std::string> broken_wishes(JobId job, ServerId server) const;
};

/// Every discipline, as parameters and names of tests.
inline const std::vector<std::string> kEveryDiscipline = {"fifo", "round-robin", "drf",     "asset", "pf",
                                                          "tsf",  "ps-dsf",      "mlf-drs", "mrfs"};
std::string test_name(const std::string& discipline);

}  // namespace mirab::scheduling
