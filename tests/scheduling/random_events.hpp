#pragma once

#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/event_log.hpp>

namespace mirab::scheduling {

/// Any discipline, placement, tie rule and so on.
EngineOptions random_options(Random& random);

/// Does nobody but the engine put tasks on servers, or do others too: then amounts are held, labels and sets
/// change, tasks are adopted, and jobs have ranks.
enum class Others { none, some };

/// Random events and steps, few of which cannot be applied. Amounts are small, so that shares tie and tasks
/// fit exactly.
class RandomEvents {
 public:
  RandomEvents(Random& random, std::size_t resources, Others others = Others::none)
      : random_(random), resources_(resources), others_(others) {}

  /// From now on groups and quotas come and go, too.
  void draw_trees() { in_tree_ = true; }

  LogEntry next();
  /// What came of it, from which later events take their identifiers.
  void learn(const Outcome& outcome);

 private:
  std::variant<Event, StepAsked> something();
  Event server_event();
  Event user_event();
  Event tree_event();
  GroupId group();
  template <class Each>
  void add_quota(Each& event);
  Event job_event();
  Event event_of_others();
  Amounts amounts(std::uint64_t most);
  std::string name();

  Random& random_;
  std::size_t resources_;
  Others others_;
  Time now_ = Time(Duration(-5));
  std::vector<ServerId> servers_;
  std::vector<UserId> users_;
  std::vector<JobId> jobs_;
  std::vector<TaskId> tasks_;
  std::vector<GroupId> groups_;
  bool in_tree_ = false;
};

/// The event or step, on an engine; a step draws from `draws`. Errors as for apply().
Result<Outcome> tell(Engine& engine, const LogEntry& entry, Random& draws);

}  // namespace mirab::scheduling
