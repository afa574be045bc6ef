#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/scheduling/events.hpp>

#include "scheduling/ledger/columns.hpp"
#include "scheduling/ledger/domains.hpp"

namespace mirab::scheduling {

/// Which servers may be used, in the words of a job.
struct Selection {
  std::optional<std::vector<std::string>> servers = {};         ///< by name; else all
  std::map<std::string, std::vector<std::string>> select = {};  ///< by label: any of the values
  std::vector<std::string> except = {};                         ///< by name
  std::optional<std::string> within = {};                       ///< only those of this set
  friend bool operator==(const Selection&, const Selection&) = default;
  friend auto operator<=>(const Selection&, const Selection&) = default;

  /// Whatever set it is within.
  bool admits(const std::string& name, const std::map<std::string, std::string>& labels) const;
};

/// The servers that each selection in use admits, kept up to date while servers come and go, get other
/// labels, and enter and leave sets.
class Eligibility {
 public:
  /// What selections know of a server: its name and labels.
  struct Description {
    std::string name;
    std::map<std::string, std::string> labels;
    friend auto operator<=>(const Description&, const Description&) = default;
  };

  /// Index 0 admits all servers.
  Eligibility();
  Eligibility(const Eligibility& other);
  Eligibility(Eligibility&&) noexcept = default;
  Eligibility& operator=(Eligibility&&) noexcept = default;
  ~Eligibility() = default;

  /// The index of the selection, held once more; it means nothing else as long as it is held. O(log
  /// selections); for a new one O(servers).
  SelectionIndex hold(const Selection& selection);
  void release(SelectionIndex index);

  const Selection& selection(SelectionIndex index) const { return rows_[index].selection; }

  /// How many selections came before it: distinguishes it from earlier ones with the same index.
  std::uint64_t sequence(SelectionIndex index) const { return rows_[index].sequence; }

  /// O(selections + log descriptions).
  void server_added(ServerIndex server, const Description& description);
  void server_removed(ServerIndex server);
  /// O(selections + log descriptions).
  void server_relabelled(ServerIndex server, const std::map<std::string, std::string>& labels);

  /// The server is in the set from now on, or is not. O(log sets + selections within it): a word of each.
  void enter_set(const std::string& set, ServerIndex server);
  void leave_set(const std::string& set, ServerIndex server);

  /// Those that have a server, or that selections are within: all others are empty.
  struct NamedSet {
    ServerSet servers = {};
    std::size_t count = 0;                        ///< of them
    std::vector<SelectionIndex> selections = {};  ///< that are within it
  };
  const std::map<std::string, NamedSet>& sets() const { return sets_; }
  bool in_set(const std::string& set, ServerIndex server) const {
    const auto named = sets_.find(set);
    return named != sets_.end() && named->second.servers.contains(server);
  }

  /// How often an admitted server may have become another: shows whether what was computed from them still
  /// holds.
  std::uint64_t changes() const { return changes_; }

  const Description& description_of(ServerIndex server) const {
    return *descriptions_[description_of_[server]].description;
  }

  bool contains(SelectionIndex index, ServerIndex server) const {
    return index == kAll || rows_[index].servers->contains(server);
  }

  /// The servers by the values of these labels are held once more, if one is given. O(log held); for new
  /// labels O(servers log domains).
  void hold_domains(const DomainLabels& labels);
  void release_domains(const DomainLabels& labels);
  /// Those that are held, which stay where they are; nullptr when no label is given. O(log held).
  const Domains* domains(const DomainLabels& labels) const {
    return labels == DomainLabels{} ? nullptr : &domains_.at(labels).domains;
  }
  /// The same, owned by the caller. O(servers log domains).
  Domains domains_by(const DomainLabels& labels) const;

  /// Does each selection admit just the servers that it should? O(selections × servers).
  bool holds_what_is_admitted() const;

  /// The set to search; nullptr when all may be used. It stays where it is.
  const ServerSet* servers(SelectionIndex index) const { return rows_[index].servers.get(); }

 private:
  static constexpr SelectionIndex kAll{0};

  /// Is it in the set that the selection is within, if that is one?
  bool is_within(const Selection& selection, ServerIndex server) const;
  void admit(ServerIndex server, const Description& description);
  void describe(ServerIndex server, const Description& description);
  void forget_description(ServerIndex server);
  void forget_set_if_unused(const std::string& set);

  struct Row {
    Selection selection = {};
    OwnCopy<ServerSet> servers = {};  // none for all
    std::uint64_t holders = 0;
    std::uint64_t sequence = 0;
  };
  struct Described {
    const Description* description = nullptr;  // the key of known_descriptions_
    std::uint64_t servers = 0;                 // that share it
  };

  IndexedVector<SelectionIndex, Row> rows_;
  std::map<Selection, SelectionIndex> known_;
  std::vector<SelectionIndex> vacant_;
  std::uint64_t selections_before_ = 1;
  std::map<Description, DescriptionIndex> known_descriptions_;
  IndexedVector<DescriptionIndex, Described> descriptions_;
  std::vector<DescriptionIndex> vacant_descriptions_;
  IndexedVector<ServerIndex, DescriptionIndex> description_of_;  // kNone where there is no server
  std::map<std::string, NamedSet> sets_;
  struct HeldDomains {
    Domains domains;
    std::uint64_t holders;
  };
  std::map<DomainLabels, HeldDomains> domains_;
  std::uint64_t changes_ = 0;
};

/// What a job asks for beyond room for each of its tasks: see JobSubmitted.
struct PlacementConstraints {
  std::int64_t gang = 1;
  std::optional<std::int64_t> per_server = {};
  std::optional<Spread> spread = {};
  std::optional<std::string> pack = {};
  std::vector<std::int64_t> roles = {};  ///< the tasks of each; empty: all tasks take the same
  friend bool operator==(const PlacementConstraints&, const PlacementConstraints&) = default;
};

DomainLabels labels_of(const PlacementConstraints& terms);

/// Nothing when the job's tasks start one by one, wherever there is room.
std::optional<PlacementConstraints> constraints_of(const JobSubmitted& job);

void set_constraints(JobSubmitted& job, const PlacementConstraints& terms);

/// The largest gang: what bounds how long one step takes.
inline constexpr std::int64_t kMaxGang = 100'000;

/// Errors: a gang below 1, above the tasks or above kMaxGang, numbers below 1, pack and spread by one label.
Check check_constraints(const JobSubmitted& job);

/// One way to run a task of a task class: what it takes, and on which servers it may. Of a job with roles
/// each role has one, and all have the same servers.
struct DemandAlternative {
  Amounts demand;
  SelectionIndex servers;
  friend bool operator==(const DemandAlternative&, const DemandAlternative&) = default;
  friend auto operator<=>(const DemandAlternative&, const DemandAlternative&) = default;
};

/// What tasks ask for, each different wish once: tasks of equal task class fit or do not fit together,
/// whichever user they belong to. A job with terms has a task class of its own: whether its tasks fit depends
/// on what runs of it.
class TaskClasses {
 public:
  /// The task class of the job's tasks; counts one more holder of it. O(log task classes) amortised.
  TaskClassIndex hold(const JobSubmitted& job);
  void retain(TaskClassIndex task_class) { ++rows_[task_class].holders; }  ///< one holder more
  /// One holder less; the last one takes it along. O(log task classes) amortised.
  void release(TaskClassIndex task_class);

  /// A job that has the task class, of no user.
  JobSubmitted job_of(TaskClassIndex task_class) const;
  std::uint32_t holders(TaskClassIndex task_class) const {
    return rows_[task_class].holders;
  }  ///< 0: there is none

  /// The indices that are given again, the last one first. O(their number).
  std::vector<TaskClassIndex> vacant() const;
  void add_vacant() { rows_.push_back({}); }  ///< the next index has no task class
  void set_vacant(std::vector<TaskClassIndex> indices) { vacant_ = std::move(indices); }

  std::span<const DemandAlternative> alternatives(TaskClassIndex task_class) const {
    return rows_[task_class].wish.alternatives;
  }
  std::size_t index_count() const { return rows_.size(); }  ///< above every index
  Indices<TaskClassIndex> indices() const { return rows_.indices(); }
  bool holds(TaskClassIndex task_class) const { return rows_.holds(task_class) && holders(task_class) > 0; }

  /// What a task, of the role in a job with roles, takes there, may it run there or not (it may have been
  /// adopted). [m]
  std::span<const std::int64_t> demand_on(TaskClassIndex task_class, ServerIndex server,
                                          std::uint32_t role) const {
    if (!varies(task_class)) return rows_[task_class].wish.alternatives.front().demand;
    if (has_roles(task_class)) return rows_[task_class].wish.alternatives[role].demand;
    return demand_anywhere(task_class, server);
  }

  /// Visits what a task may take, wherever it runs: each way once, and those on servers where it may not run.
  template <class Visit>
  void for_each_demand(TaskClassIndex task_class, Visit visit) const {
    for (const DemandAlternative& way : rows_[task_class].wish.alternatives) visit(way.demand);
    for (const auto& [name, demand] : rows_[task_class].wish.elsewhere) visit(demand);
  }

  /// How a task, of a job with roles one of its first role, may run on the server; nothing when it may not.
  const DemandAlternative* alternative_on(TaskClassIndex task_class, ServerIndex server) const;

  /// Does one of the ways to run a task on the server, in a job with roles that of each role, pass the test?
  template <class Passes>
  bool any_on(TaskClassIndex task_class, ServerIndex server, Passes passes) const {
    for (const DemandAlternative& alternative : rows_[task_class].wish.alternatives) {
      if (eligibility.contains(alternative.servers, server) && passes(alternative)) return true;
    }
    return false;
  }

  /// What a task would take there if every server were allowed. Requires that there are no roles. O(ways).
  /// [m]
  const Amounts& demand_anywhere(TaskClassIndex task_class, ServerIndex server) const;

  /// Does what a task takes depend on the server, were every server allowed, or on its role?
  bool varies(TaskClassIndex task_class) const {
    return rows_[task_class].wish.alternatives.size() > 1 || !rows_[task_class].wish.elsewhere.empty();
  }

  /// Of the job that has the task class alone; nullptr when it has none.
  const PlacementConstraints* terms(TaskClassIndex task_class) const { return rows_[task_class].terms.get(); }

  /// The tasks of each role; of a job without roles none.
  std::span<const std::int64_t> roles(TaskClassIndex task_class) const {
    const PlacementConstraints* const terms = this->terms(task_class);
    return terms == nullptr ? std::span<const std::int64_t>() : terms->roles;
  }
  bool has_roles(TaskClassIndex task_class) const { return !roles(task_class).empty(); }

  /// By the labels of its terms; nullptr when they name none.
  const Domains* domains(TaskClassIndex task_class) const {
    const PlacementConstraints* const terms = this->terms(task_class);
    return terms == nullptr ? nullptr : eligibility.domains(labels_of(*terms));
  }

  Eligibility eligibility;

 private:
  struct Wish {
    std::vector<DemandAlternative> alternatives;
    std::map<std::string, Amounts> elsewhere = {};  // by name: demands on servers that `servers` leaves out
    friend auto operator<=>(const Wish&, const Wish&) = default;
  };
  struct Row {
    Wish wish;
    OwnCopy<const PlacementConstraints> terms = {};
    std::uint32_t holders = 0;
  };
  IndexedVector<TaskClassIndex, Row> rows_;
  std::map<Wish, TaskClassIndex> known_;  // of those without terms
  // Those that are not below rows_.size() count no longer: rows are added only when no other is left, and
  // then they have been dropped.
  std::vector<TaskClassIndex> vacant_;
};

}  // namespace mirab::scheduling
