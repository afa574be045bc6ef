#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {

/// The centralised solutions (4.1): a server that all users submit to, which hears from all servers what they
/// have free, and each tick places one task: of the poorest user (DRFH), or the one that came first (FIFO),
/// on the first server where it fits; with Search::best_fit on the one of least DRFH distance (2.1.4). A pure
/// state machine, as Server.
///
/// Cost: O(N + K) a Submit, O(N m + K m) a tick, of N users and K servers; 131,072 users at the most. A tick
/// whose task fits nowhere takes O(N (K + sent)) more, of the tasks sent and not answered, and with FIFO
/// every tick O(N) for each task that arrived and was not served.
class CentralScheduler {
 public:
  struct Setting {
    NodeId self = 0;
    std::vector<Amounts> capacity;  ///< of the servers, whose addresses are 0 … K - 1. [K][m]
    Amounts total;                  ///< C. [m]
    Duration tick{};                ///< between allocation ticks, > 0
  };
  /// `scheduler`: centralised_drf or centralised_fifo.
  CentralScheduler(Setting setting, Scheduler scheduler, const OverlayOptions& options);
  ~CentralScheduler();
  CentralScheduler(CentralScheduler&&) noexcept;
  CentralScheduler& operator=(CentralScheduler&&) noexcept;

  /// Submit and Pause of users; Free, Placed and NoRoom of servers; others are ignored. Appends to `effects`.
  void on_message(Time now, NodeId from, const Message& message, Effects& effects);
  /// Places at most one task that has not been sent yet.
  void on_tick(Time now, Effects& effects);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mirab::overlay
