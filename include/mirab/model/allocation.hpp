#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>

namespace mirab {

/// Is the outcome exact, converged to its certificate, or neither? `not_converged` is a result too, and says
/// so.
enum class Status { exact, converged, not_converged };

/// A number that bounds how far an outcome is from what its mechanism defines.
struct Certificate {
  std::string kind;  ///< what the value measures, e.g. `duality-gap`
  double value = 0;  ///< 0 when exact
};

/// What one user has on one server entry (all servers of the entry together).
struct Grant {
  std::size_t user;
  std::size_t server;                 ///< an index into Allocation::servers
  double tasks;                       ///< that can run with it
  std::span<const double> resources;  ///< the granted bundle, [m]; of the Grants that it was taken from
};

/// All grants, ordered by user and those of a user as they were added (by server, from mechanisms): a sparse
/// matrix, compressed by rows. Memory: 12 + 8 m bytes for each grant, 8 for each user.
class Grants {
 public:
  /// Goes through grants in their order, and makes each on the way.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;
    using value_type = Grant;
    using difference_type = std::ptrdiff_t;
    using reference = Grant;
    using pointer = void;

    Iterator() = default;
    Grant operator*() const { return grants_->grant(user_, index_); }
    Iterator& operator++() {
      ++index_;
      find_user();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    friend class Grants;
    Iterator(const Grants& grants, std::size_t user, std::size_t index)
        : grants_(&grants), user_(user), index_(index) {
      find_user();
    }
    void find_user() {
      while (user_ + 1 < grants_->first_.size() && grants_->first_[user_ + 1] <= index_) ++user_;
    }

    const Grants* grants_ = nullptr;
    std::size_t user_ = 0;
    std::size_t index_ = 0;
  };

  /// Some grants, one after the other.
  struct Range {
    Iterator first, last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };

  /// Adds one after the others. Requires: no user before the last one; as many resources as the first.
  void add(std::size_t user, std::size_t server, double tasks, std::span<const double> resources);
  void add(std::size_t user, std::size_t server, double tasks, std::initializer_list<double> resources) {
    add(user, server, tasks, std::span(resources.begin(), resources.size()));
  }

  std::size_t size() const { return tasks_.size(); }
  bool empty() const { return tasks_.empty(); }
  Iterator begin() const { return {*this, 0, 0}; }
  Iterator end() const { return {*this, first_.size(), size()}; }
  /// Requires index < size(). O(log N).
  Grant operator[](std::size_t index) const;
  /// Those of one user.
  Range of(std::size_t user) const;

 private:
  Grant grant(std::size_t user, std::size_t index) const {
    return {.user = user,
            .server = servers_[index],
            .tasks = tasks_[index],
            .resources = std::span(resources_).subspan(index * resource_count_, resource_count_)};
  }

  std::size_t resource_count_ = 0;
  std::vector<std::size_t> first_;      // [n], where the grants of user n begin, up to the last user with one
  std::vector<std::uint32_t> servers_;  // [grant]
  std::vector<double> tasks_;           // [grant]
  std::vector<double> resources_;       // [grant][m]
};

/// A server entry as the mechanism saw it, or the single `pool` of a pool mechanism.
struct ServerUse {
  std::string name;
  std::int64_t count = 1;
  std::vector<double> capacity;  ///< of all `count` together, [m]
  std::vector<double> used;      ///< [m]
  std::vector<double> prices;    ///< λ_r per unit, [m]; empty where the mechanism has none
};

/// Who gets what. N users, m resources.
struct Allocation {
  std::vector<double> tasks;  ///< X_n, [n]
  Grants grants;              ///< only those with something in them
  std::vector<ServerUse> servers;
};

/// What every user holds on all servers together. [n][r], of the problem's users and resources.
/// O((N + grants) m).
std::vector<std::vector<double>> bundles(const Problem& problem, const Allocation& allocation);

/// Which of several users with equal keys is served: the first declared, the last declared, or one drawn at
/// random.
enum class Tie { first, last, random };

/// Why a user has no more tasks placed.
enum class Unplaced {
  nothing,  ///< all its tasks are placed
  no_room,  ///< the next task fits on no eligible server
  blocked,  ///< it would fit, but the discipline waits for another user's task (blocking=freeze)
};

/// One placed task.
struct FillStep {
  std::size_t user;
  std::size_t server;     ///< the server entry
  std::int64_t instance;  ///< which of the entry's servers, from 0
  double share;  ///< G_n / φ_n, the user's global dominant share over its weight, after the placement
};

/// What an outcome has beyond an allocation when it was filled task by task.
struct FillRecord {
  std::string discipline;  ///< as asked for
  std::string placement;   ///< as asked for, or the discipline where that chooses the servers
  Tie tie = Tie::first;
  std::uint64_t seed = 0;
  std::int64_t placed = 0;  ///< tasks, all users together
  bool groups = false;      ///< did it honour the groups, guarantees, limits and reserves of the problem?

  /// Wrong allocations: placements whose user had not the lowest G_n / φ_n of all users who had a task left
  /// that fitted somewhere, whatever the discipline. Source: Östman, section 5.3.
  std::int64_t errors = 0;

  std::vector<Unplaced> unplaced = {};  ///< [n]
  std::vector<FillStep> steps = {};     ///< with FillOptions::trace only, and not of more than kMaxSteps
};

/// A level of an outcome in which servers that are alike count together, and what that may cost: how far the
/// division of the servers as they are may be from it. Parts, of the larger of the two: from 0 to 1.
struct MergedLevel {
  std::vector<std::size_t> users;  ///< who are at it, ascending
  double bound;                    ///< of the level: of what all of these have at least, for their weights
  double user_bound;               ///< of the tasks of any one of them, who may rise alone
};

/// An allocation with how it came about.
struct Outcome {
  std::string mechanism;  ///< as it was asked for, with its options: `alpha-fair:alpha=2`; of a filling
                          ///< `discipline/placement`
  Status status = Status::exact;
  Certificate certificate;
  double seconds = 0;     ///< spent in the solver; of a filling for the caller to fill in, who has a clock
  Allocation allocation;  ///< tasks are whole numbers after a filling
  std::vector<std::string> notices;             ///< what the reader of the result should know
  std::optional<FillRecord> filling = {};       ///< of what was filled task by task
  std::vector<MergedLevel> merged_levels = {};  ///< of Cluster::merged, from the lowest; empty: not known
};

}  // namespace mirab
