#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/overlay/effects.hpp>

#include "lab/simulation/overlay.hpp"
#include "lab/simulation/overlay/roster.hpp"

namespace mirab::simulation {

/// Promises that were broken: the first few, and how many there were.
struct ViolationLog {
  static constexpr std::size_t kKept = 10;  // the first shows the cause, the others what follows from it

  Time origin{};  ///< from which their times count
  std::vector<Violation> first = {};
  std::int64_t count = 0;

  void add(std::string promise, std::string what, Time at) {
    ++count;
    if (first.size() < kKept) first.push_back({std::move(promise), std::move(what), at - origin});
  }
};

/// How host and user see a task differently.
enum class Disagreement {
  none,
  unknown,    ///< it runs, and its user does not know
  forgotten,  ///< its user knows that it runs, and it does not
};

/// One task, as it truly is and as its user believes.
struct TaskRecord {
  std::optional<overlay::NodeId> runs = {};  ///< on this server
  overlay::ProposalId proposal = {};
  std::optional<overlay::NodeId> believed = {};  ///< on this one, its user was told
  Disagreement disagreement = Disagreement::none;
  Time since{};  ///< of the disagreement
};

/// A reservation, by server and name.
struct HeldKey {
  overlay::NodeId host = 0;
  overlay::ProposalId proposal;
  friend auto operator<=>(const HeldKey&, const HeldKey&) = default;
};

struct HeldRecord {
  overlay::TaskId task;
  Time since{};  ///< it was proposed last
};

/// What truly is held and runs, kept from what nodes say that they do (overlay/effects.hpp) to check it; what
/// a run tells of shares and room is counted apart (record.hpp). Finds at once when a server has more than
/// its capacity ("capacity"), when a task runs at two places ("one place"), and when one is wanted, starts or
/// ends again after its user took its end ("once"). O(log tasks) a fact; what runs on a server is found by
/// looking through all.
class AuditLedger {
 public:
  /// The roster must outlive it.
  explicit AuditLedger(const Roster& roster)
      : roster_(roster), free_(roster.capacity), task_numbers_(roster.users()) {}

  void on_fact(Time now, overlay::NodeId node, const overlay::Fact& fact, ViolationLog& findings);
  /// The server lost its memory: what it held is free, what ran on it is dead.
  void on_lost_memory(Time now, overlay::NodeId server);
  /// The supervisor of the servers' tasks stops those whose lease is over, whether or not the server is up
  /// (overlay::Leased): what it stops until now. Call it before any fact of a later time.
  std::vector<overlay::TaskId> expire(Time now);

  const overlay::Amounts& free(overlay::NodeId server) const { return free_[server]; }
  bool fits(overlay::NodeId user, overlay::NodeId server) const;

  const std::map<overlay::TaskId, TaskRecord>& tasks() const { return tasks_; }
  const std::map<HeldKey, HeldRecord>& held() const { return held_; }
  /// Tasks that the user has wanted and that are not over.
  std::size_t open(overlay::NodeId user) const { return task_numbers_[user - roster_.servers()].open.size(); }

 private:
  /// A user wants its tasks in the order of their numbers: one up to the highest that is not open is over.
  struct TaskNumbers {
    std::uint64_t highest = 0;
    std::set<std::uint64_t> open;

    bool is_over(std::uint64_t number) const { return number <= highest && !open.contains(number); }
  };

  void want(Time now, const overlay::TaskId& task, ViolationLog& findings);
  void end(Time now, const overlay::TaskId& task, ViolationLog& findings);
  void expect_open(Time now, const overlay::TaskId& task, std::string_view what, ViolationLog& findings);
  void take(Time now, overlay::NodeId server, overlay::NodeId user, ViolationLog& findings);
  void give(overlay::NodeId server, overlay::NodeId user);
  void on_leased(overlay::NodeId server, const overlay::Leased& leased);
  void on_started(Time now, overlay::NodeId server, const overlay::Started& started, ViolationLog& findings);
  void on_stopped(Time now, overlay::NodeId server, const overlay::Stopped& stopped);
  void believe(Time now, const overlay::TaskId& task, std::optional<overlay::NodeId> host);
  void settle(Time now, std::map<overlay::TaskId, TaskRecord>::iterator task);

  const overlay::Amounts& demand(overlay::NodeId user) const {
    return roster_.demand[user - roster_.servers()];
  }

  const Roster& roster_;
  std::vector<overlay::Amounts> free_;           // [K][m]
  std::map<overlay::TaskId, TaskRecord> tasks_;  // those that run or are believed to
  std::map<HeldKey, HeldRecord> held_;
  std::vector<TaskNumbers> task_numbers_;  // [N]
  struct Expiry {
    Time until;
    overlay::NodeId server = 0, user = 0;
    friend auto operator<=>(const Expiry&, const Expiry&) = default;
  };
  std::map<std::pair<overlay::NodeId, overlay::NodeId>, Time> leases_;         // by server and user
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>> expiries_;  // of which some were renewed
};

/// "task 3 of user 105": users and servers by their addresses.
std::string in_words(const overlay::TaskId& task);

}  // namespace mirab::simulation
