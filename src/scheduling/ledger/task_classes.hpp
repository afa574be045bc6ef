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

namespace mirab::scheduling {

/// Which servers may be used, in the words of a job.
struct Selection {
  std::optional<std::vector<std::string>> servers = {};         ///< by name; else all
  std::map<std::string, std::vector<std::string>> select = {};  ///< by label: any of the values
  std::vector<std::string> except = {};                         ///< by name
  friend bool operator==(const Selection&, const Selection&) = default;
  friend auto operator<=>(const Selection&, const Selection&) = default;

  bool admits(const std::string& name, const std::map<std::string, std::string>& labels) const;
};

/// The servers that each selection in use admits, kept up to date while servers come and go.
class Eligibility {
 public:
  /// What selections know of a server: its name and labels.
  struct Description {
    std::string name;
    std::map<std::string, std::string> labels;
    friend auto operator<=>(const Description&, const Description&) = default;
  };

  /// Number 0 admits all servers.
  Eligibility();

  /// The number of the selection, held once more; it means nothing else as long as it is held. O(log
  /// selections); for a new one O(servers).
  std::uint32_t hold(const Selection& selection);
  void release(std::uint32_t number);

  const Selection& selection(std::uint32_t number) const { return rows_[number].selection; }

  /// How many selections came before it: distinguishes it from earlier ones with the same number.
  std::uint64_t sequence(std::uint32_t number) const { return rows_[number].sequence; }

  /// O(selections + log descriptions).
  void server_added(std::uint32_t server, const Description& description);
  void server_removed(std::uint32_t server);
  const Description& description_of(std::uint32_t server) const {
    return *descriptions_[present_[server]].description;
  }

  /// The number of that description: servers that share it share its number, which is given again when the
  /// last one is gone.
  std::uint32_t description_number(std::uint32_t server) const { return present_[server]; }

  bool contains(std::uint32_t number, std::uint32_t server) const {
    return number == kAll || rows_[number].servers->contains(server);
  }

  /// The set to search; nullptr when all may be used. It stays where it is.
  const ServerSet* servers(std::uint32_t number) const { return rows_[number].servers.get(); }

 private:
  static constexpr std::uint32_t kAll = 0;
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  struct Row {
    Selection selection = {};
    std::unique_ptr<ServerSet> servers = {};  // none for all
    std::uint64_t holders = 0;
    std::uint64_t sequence = 0;
  };
  struct Described {
    const Description* description = nullptr;  // the key of description_numbers_
    std::uint64_t servers = 0;                 // that share it
  };

  std::vector<Row> rows_;
  std::map<Selection, std::uint32_t> numbers_;
  std::vector<std::uint32_t> vacant_;
  std::uint64_t selections_before_ = 1;
  std::map<Description, std::uint32_t> description_numbers_;
  std::vector<Described> descriptions_;
  std::vector<std::uint32_t> vacant_descriptions_;
  std::vector<std::uint32_t> present_;  // [server], its description; kAbsent
};

/// What a job asks for beyond room for each of its tasks: see JobSubmitted.
struct PlacementConstraints {
  std::int64_t gang = 1;
  std::optional<std::int64_t> per_server = {};
  std::optional<Spread> spread = {};
  std::optional<std::string> pack = {};
  friend bool operator==(const PlacementConstraints&, const PlacementConstraints&) = default;
};

/// Nothing when the job's tasks start one by one, wherever there is room.
std::optional<PlacementConstraints> constraints_of(const JobSubmitted& job);

void set_constraints(JobSubmitted& job, const PlacementConstraints& terms);

/// Errors: a gang below 1 or above the tasks, numbers below 1, pack and spread by one label.
Check check_constraints(const JobSubmitted& job);

/// One way to run a task of a task class: what it takes, and on which servers it may.
struct DemandAlternative {
  Amounts demand;
  std::uint32_t servers;  ///< of Eligibility
  friend bool operator==(const DemandAlternative&, const DemandAlternative&) = default;
  friend auto operator<=>(const DemandAlternative&, const DemandAlternative&) = default;
};

/// What tasks ask for, each different wish once: tasks of equal task class fit or do not fit together,
/// whichever user they belong to. A job with terms has a task class of its own: whether its tasks fit depends
/// on what runs of it.
class TaskClasses {
 public:
  /// The task class of the job's tasks; counts one more holder of it. O(log task classes).
  std::uint32_t hold(const JobSubmitted& job);
  void retain(std::uint32_t task_class) { ++rows_[task_class].holders; }  ///< one holder more
  void release(std::uint32_t task_class);  ///< one holder less; the last one takes it along

  /// A job that has the task class, of no user.
  JobSubmitted job_of(std::uint32_t task_class) const;
  std::uint32_t holders(std::uint32_t task_class) const {
    return rows_[task_class].holders;
  }  ///< 0: there is none

  /// The numbers that are given again, the last one first.
  std::span<const std::uint32_t> vacant() const { return vacant_; }
  void add_vacant() { rows_.emplace_back(); }  ///< the next number has no task class
  void set_vacant(std::vector<std::uint32_t> numbers) { vacant_ = std::move(numbers); }

  std::span<const DemandAlternative> alternatives(std::uint32_t task_class) const {
    return rows_[task_class].wish.alternatives;
  }
  std::uint32_t end() const { return static_cast<std::uint32_t>(rows_.size()); }  ///< above every number

  /// What a task takes there. Requires that it may run there. [m]
  std::span<const std::int64_t> demand_on(std::uint32_t task_class, std::uint32_t server) const {
    const std::vector<DemandAlternative>& alternatives = rows_[task_class].wish.alternatives;
    if (alternatives.size() == 1) return alternatives.front().demand;
    return alternative_on(task_class, server)->demand;
  }

  /// How a task may run on the server; nothing when it may not.
  const DemandAlternative* alternative_on(std::uint32_t task_class, std::uint32_t server) const;

  /// What a task would take there if every server were allowed. O(ways). [m]
  const Amounts& demand_anywhere(std::uint32_t task_class, std::uint32_t server) const;

  /// Does what a task takes depend on the server, were every server allowed?
  bool varies(std::uint32_t task_class) const {
    return rows_[task_class].wish.alternatives.size() > 1 || !rows_[task_class].wish.elsewhere.empty();
  }

  /// Of the job that has the task class alone; nullptr when it has none.
  const PlacementConstraints* terms(std::uint32_t task_class) const { return rows_[task_class].terms.get(); }

  Eligibility eligibility;

 private:
  struct Wish {
    std::vector<DemandAlternative> alternatives;
    std::map<std::string, Amounts> elsewhere = {};  // by name: demands on servers that `servers` leaves out
    friend auto operator<=>(const Wish&, const Wish&) = default;
  };
  struct Row {
    Wish wish;
    std::unique_ptr<const PlacementConstraints> terms = {};
    std::uint32_t holders = 0;
  };
  std::vector<Row> rows_;                  // [task class]
  std::map<Wish, std::uint32_t> numbers_;  // of those without terms
  std::vector<std::uint32_t> vacant_;
};

}  // namespace mirab::scheduling
