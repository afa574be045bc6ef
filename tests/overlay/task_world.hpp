#pragma once

// A small world of hosts, homes, users and a gateway, joined by a bag of letters that loses, doubles, delays
// and reorders them, under clocks that differ and servers that crash, come back and leave. No gossip and no
// rule of whose turn it is: what is tested is what becomes of tasks. It keeps its own books of what truly
// runs, from the facts alone, with a supervisor that stops what has no lease any more, and notes the first
// promise that is broken.

#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include <mirab/overlay/gateway.hpp>
#include <mirab/overlay/user.hpp>

#include "overlay/coordinator.hpp"
#include "overlay/host.hpp"
#include "overlay/task_plan.hpp"
#include "overlay/ticks.hpp"

namespace mirab::overlay {

class TaskWorld {
 public:
  explicit TaskWorld(const TaskPlan& plan);

  void tick();
  void run(std::uint32_t ticks);
  /// The faults of the plan, then none for as long as it takes until a promise must have come true.
  void run_all();

  /// The first promise that was broken, with its tick.
  const std::optional<std::string>& broken() const { return broken_; }
  std::uint64_t started() const { return started_; }
  std::uint64_t restarted() const { return restarted_; }

 private:
  static constexpr Duration kLifetime = std::chrono::seconds(2);
  static constexpr std::int64_t kRoom = 4;  ///< of a server; a task takes 1 or 2

  struct Server {
    Host host;
    Coordinator home;
    bool left = false;
  };
  struct Place {  ///< something held or running, as the facts tell
    std::int64_t size = 0;
    bool runs = false;
    Time started_at{};
  };
  struct Site {
    std::unique_ptr<Server> server;  ///< none: its memory is lost
    bool up = true;
    std::optional<std::uint32_t> back_at;
    std::map<std::pair<TaskId, ProposalId>, Place> places;
    std::map<NodeId, Time> leased_until;
  };
  struct AddressedMessage {
    Time arrives;
    std::uint64_t order;
    NodeId from, to;
    Time sent;  ///< by its sender's clock
    Message message;
    bool operator>(const AddressedMessage& other) const {
      return std::tie(arrives, order) > std::tie(other.arrives, other.order);
    }
  };
  enum class ServerEvent : std::uint8_t { wanted, known, over };

  NodeId user_id(NodeId user) const { return plan_.servers + user; }
  NodeId gateway_id() const { return plan_.servers + plan_.users; }
  Time start_of(std::uint32_t tick) const { return Time(kTick * (tick + 1)); }
  Time clock(NodeId node) const { return now_ + ahead_[node]; }
  /// The longest that a letter is under way.
  Duration longest() const { return kLifetime + plan_.skew * kTick; }
  /// docs/explanation/overlay-safety.md: this many ticks after the last fault no user believes in a host that
  /// is gone, and every task that was wanted was offered.
  std::uint32_t believed_for() const;
  std::uint32_t offered_for() const;
  bool chance(double probability) { return faults_ && random_.unit() < probability; }
  Duration runtime_of(NodeId user, std::uint64_t number) const;

  void start(NodeId server);
  void crash_some();
  void cut_some();
  void tick_server(NodeId server);
  void tick_user(NodeId user);
  void deliver_until(Time end);
  void deliver(const AddressedMessage& letter);
  void on_server(NodeId self, NodeId from, const Message& message, Effects& effects);
  void carry_out(NodeId self, Effects& effects);
  void post(NodeId from, const Send& send);

  void book(NodeId self, const Fact& fact);
  void check_ended(NodeId self, const Stopped& stopped);
  void prolong(NodeId self, const Leased& leased);
  void book_user(NodeId self, const Fact& fact);
  void check_start(NodeId self, const TaskId& task);
  void check_server(NodeId self);
  void check_users();
  void note_offers();
  void check_hosts_of_known();
  void check_offered();
  void check_end();
  bool all_over() const;
  bool is_alive(NodeId server, const std::pair<TaskId, ProposalId>& name) const;
  void broke(const std::string& promise);

  TaskPlan plan_;
  Patience patience_;
  Random random_;
  bool faults_ = true;
  std::uint32_t now_tick_ = 0;
  Time now_{};                   ///< the true time, by which the books are kept
  std::vector<Duration> ahead_;  ///< of the true time, by node
  std::uint64_t order_ = 0, started_ = 0, restarted_ = 0;
  std::vector<Site> sites_;
  std::vector<User> users_;
  Gateway gateway_;
  std::priority_queue<AddressedMessage, std::vector<AddressedMessage>, std::greater<>> bag_;
  std::map<std::pair<NodeId, NodeId>, std::uint32_t> cuts_;  ///< one way, until this tick
  std::set<std::pair<NodeId, ProposalId>> names_;            ///< of proposals, ever given
  std::map<TaskId, ServerEvent> task_numbers_;
  std::map<TaskId, NodeId> hosts_;  ///< of those that are known to run
  std::map<TaskId, Duration> runtimes_;
  std::map<TaskId, std::uint32_t> wanted_at_;  ///< tick
  std::set<TaskId> offered_;                   ///< since the last fault
  std::optional<std::string> broken_;
};

}  // namespace mirab::overlay
