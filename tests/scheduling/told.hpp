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

  /// A user with nothing but a job.
  void newcomer();

  /// Steps, until the next one places nothing, or places by force or where a server is kept.
  void place_what_fits();

  /// Some random events, at times a newcomer or room for many; the time of the next question.
  Time live_until_asked();

  bool is_frozen() const { return options.discipline.options.contains("blocking"); }
  /// What is counted here knows one demand of a job; roles_test.cpp asks about those with roles.
  bool has_roles(JobId job) const { return !jobs.at(job).roles.empty(); }
  bool has_terms(JobId job) const {
    const JobSubmitted& asked = jobs.at(job);
    return asked.gang > 1 || asked.per_server || asked.spread || asked.pack;
  }
  bool draws_lots() const { return options.tie == Tie::random; }

  /// What is in the way of the job on the server, from the reported facts alone: with these servers kept, and
  /// these additional tasks of it on servers.
  using Kept = std::map<ServerId, JobId>;
  using More = std::map<ServerId, std::int64_t>;
  InTheWay in_the_way(JobId job, ServerId server, const Kept& kept, const More& more = {}) const;
  WhyWaiting::Servers count_servers(JobId job, const Kept& kept) const;

  /// How many of the job's tasks, up to `most`, start when one after the other is put wherever it may go.
  std::int64_t count_starts(JobId job, const Kept& kept, std::int64_t most) const;

  /// The servers that are kept now.
  Kept kept() const;
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
  std::map<TaskId, std::pair<JobId, ServerId>> running;

 private:
  void remember(const LogEntry& entry, const Outcome& outcome);
  const Amounts& demand_on(JobId job, ServerId server) const;
  std::vector<std::string> broken_wishes(JobId job, ServerId server) const;
  std::optional<std::string> label_of(ServerId server, const std::string& label) const;
  bool is_domain(JobId job, ServerId server) const;
  InTheWay broken_term(JobId job, ServerId server, const More& more) const;
};

/// Every discipline, as parameters and names of tests.
inline const std::vector<std::string> kEveryDiscipline = {"fifo", "round-robin", "drf",     "asset", "pf",
                                                          "tsf",  "ps-dsf",      "mlf-drs", "mrfs"};
std::string test_name(const std::string& discipline);

}  // namespace mirab::scheduling
