#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {

/// Whom a server knows from the start.
struct ServerSetting {
  NodeId self = 0;
  Amounts capacity;  ///< c_l, units. [m]
  Amounts total;     ///< C, units; all 0 when it is to be estimated (Total::push_sum). [m]
  NodeId bootstrap = 0;
  NodeId gateway = 0;
  std::optional<NodeId> central = {};   ///< the central server, when there is one
  std::vector<NodeId> neighbours = {};  ///< fixed ones (probes, DDRF random); empty: those that gossip finds
  Duration tick{};                      ///< between allocation ticks, > 0
  std::size_t load = 0;  ///< the resource by whose use probes rank servers: the CPUs (Östman, eq. 4.1)
};

/// What a server is made of: src/overlay/server_state.hpp.
struct ServerState;

/// A resource node: gossip, the users that belong to it (its home part), and the tasks that run on it (its
/// host part), under one scheduler. A pure state machine: messages, ticks and shuffles in, effects out; the
/// time and the random numbers are passed in. Time does not go back. A message that makes no sense here (a
/// user's, for a central server's) is ignored, and so is one that comes late or twice, from any sender; what
/// it keeps of others' messages is bounded (docs/reference/overlay-messages.md).
///
/// All calls append to `effects`. Spans are valid until the next call. Source: Östman, chapters 3 and 4;
/// docs/explanation/overlay.md says where it goes beyond.
///
/// Cost: O(P²) a shuffle and a gossip message with views of P; O(users at home + reservations) a tick; some
/// 2 KB with P = 10.
class Server {
 public:
  /// `start` becomes its incarnation: a server that lost its memory is a new one with a later start. Requires
  /// capacity and total of the same length m > 0, and a tick > 0.
  Server(ServerSetting setting, Scheduler scheduler, const OverlayOptions& options, Time start);
  ~Server();
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;

  /// Registers with the bootstrap server and the gateway. Call it once, and again after a pause.
  void on_start(Effects& effects);
  void on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects);
  /// A round of gossip: peer sampling, gradients, push-sum.
  void on_shuffle(Time now, Random& random, Effects& effects);
  /// An allocation tick: timers, then at most one task is served.
  void on_tick(Time now, Random& random, Effects& effects);
  /// It leaves in peace: tells its users and the bootstrap server, takes no task any more; what runs here
  /// ends or is given up by its users (their tasks are stopped and submitted again elsewhere).
  void leave(Time now, Effects& effects);

  // It will be called soon: fetches what it needs into the cache, and nothing else changes. First the state,
  // a little later the views, which the state knows the place of.
  void prefetch_state() const;
  void prefetch_views() const;

  // For observers.
  NodeId self() const;
  double utility() const;                      ///< eq. 4.2; −∞ without users
  std::span<const Descriptor> view() const;    ///< the gradient view, best first
  std::span<const Descriptor> peers() const;   ///< the view of peer sampling, in no order
  std::span<const std::int64_t> free() const;  ///< capacity − held − running. [m]

 private:
  std::unique_ptr<ServerState> state_;
};

}  // namespace mirab::overlay
