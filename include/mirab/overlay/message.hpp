#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <variant>
#include <vector>

#include <mirab/model/time.hpp>

namespace mirab::overlay {

/// A participant by its address: a server, a user, the gateway, the bootstrap server or the central server.
/// The caller assigns the addresses.
using NodeId = std::uint32_t;

/// What a node tells of a server: how old the news is, in shuffles, and its utility (Östman, eq. 4.2), −∞ for
/// a server without users.
struct Descriptor {
  NodeId node = 0;
  std::uint32_t age = 0;
  double utility = -std::numeric_limits<double>::infinity();

  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

/// Is a before b in the order of utility? A total order: of equal utilities the lower address comes first
/// (docs/explanation/overlay.md says why `<` alone would deadlock when all shares are 0).
inline bool ranks_before(const Descriptor& a, const Descriptor& b) {
  return a.utility != b.utility ? a.utility > b.utility : a.node < b.node;
}

/// A task: the number'th of its user, from 1 on.
struct TaskId {
  NodeId user = 0;
  std::uint64_t number = 0;

  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

/// What a task takes of a server, in whole units of each resource (scheduling's units). [m]
using Amounts = std::vector<std::int64_t>;

/// A task as it travels.
struct Task {
  TaskId id;
  Amounts demand;      ///< ≥ 0, one of them > 0
  Duration runtime{};  ///< how long it runs; zero: without end
  std::uint64_t running =
      0;  ///< tasks of the user that run when this one is submitted: G_i = running · max_r D_ir / C_r

  friend bool operator==(const Task&, const Task&) = default;
};

/// How a server that holds room for a task calls that: the host's start in nanoseconds and a count, so that
/// no host ever gives a name twice, not even after it lost its memory.
struct ProposalId {
  std::uint64_t incarnation = 0;  ///< the host's start, nanoseconds since the origin
  std::uint64_t number = 0;

  friend auto operator<=>(const ProposalId&, const ProposalId&) = default;
};

}  // namespace mirab::overlay

// What nodes send to each other. Each type is a value; wire.hpp encodes them as bytes. Unanswered messages
// are resent; handling is idempotent.

namespace mirab::overlay {

// ---- gossip

/// Cyclon: descriptors offered in exchange.
struct PeerRequest {
  std::vector<Descriptor> offered;
  friend bool operator==(const PeerRequest&, const PeerRequest&) = default;
};
struct PeerAnswer {
  std::vector<Descriptor> offered;
  friend bool operator==(const PeerAnswer&, const PeerAnswer&) = default;
};

/// Which gradient: by the poorest user's share (the thesis'), or by free capacity (for directed walks).
enum class Slope : std::uint8_t { poorest, free };

/// A shuffle of a gradient: oneself and one's entries (eq. 4.5).
struct GradientRequest {
  Slope slope = Slope::poorest;
  std::vector<Descriptor> offered;
  friend bool operator==(const GradientRequest&, const GradientRequest&) = default;
};
struct GradientAnswer {
  Slope slope = Slope::poorest;
  std::vector<Descriptor> offered;
  friend bool operator==(const GradientAnswer&, const GradientAnswer&) = default;
};

/// Half of what a node has (Algorithm 2). A sum of a later epoch than the receiver's starts that
/// epoch; one of an earlier epoch is dropped.
struct PushSumShare {
  std::uint64_t epoch = 0;
  double weight = 0;         ///< w, > 0 unless the sender has none
  std::vector<double> sums;  ///< s, one for each mean. [m]
  friend bool operator==(const PushSumShare&, const PushSumShare&) = default;
};

/// A server whose utility rose tells the centre at once: handed from neighbour to better neighbour.
struct Climb {
  Descriptor risen;
  std::uint32_t hops = 0;  ///< how often it was handed on
  friend bool operator==(const Climb&, const Climb&) = default;
};

/// DDRF asks its fixed neighbours every tick for their lowest share (Algorithm 5).
struct ShareRequest {
  friend bool operator==(const ShareRequest&, const ShareRequest&) = default;
};
struct ShareAnswer {
  double utility = 0;  ///< −(lowest share of its users), −∞ without users (eq. 4.2)
  friend bool operator==(const ShareAnswer&, const ShareAnswer&) = default;
};

/// Probes ask theirs for their load (eq. 4.1).
struct LoadRequest {
  friend bool operator==(const LoadRequest&, const LoadRequest&) = default;
};
struct LoadAnswer {
  double load = 0;  ///< used / capacity of the first resource
  friend bool operator==(const LoadAnswer&, const LoadAnswer&) = default;
};

/// DGDRF, 3.3.1: is (S_r \ {p}) ∪ {r} your view?
struct ConfirmRequest {
  std::uint64_t round = 0;         ///< of the asking server, never repeated
  std::vector<NodeId> neighbours;  ///< ascending
  friend bool operator==(const ConfirmRequest&, const ConfirmRequest&) = default;
};
struct ConfirmAnswer {
  std::uint64_t round = 0;  ///< of the request
  bool confirmed = false;   ///< yes: those were all of its view at that moment
  friend bool operator==(const ConfirmAnswer&, const ConfirmAnswer&) = default;
};

// ---- joining

/// A server says that it is here; the bootstrap server answers with some that are, the gateway with nothing.
/// Said again every Patience::user / 4 ticks: both forget who is silent for Patience::user.
struct Register {
  bool leaving = false;  ///< it leaves: send no user to it any more
  friend bool operator==(const Register&, const Register&) = default;
};
/// The bootstrap server's answer.
struct Peers {
  std::vector<NodeId> servers;  ///< drawn at random; not the receiver
  friend bool operator==(const Peers&, const Peers&) = default;
};

// ---- users and servers (Algorithm 3)

/// A user asks the gateway where to go. It tells its home, so that the gateway need not remember it.
struct ServerRequest {
  std::uint64_t request = 0;  ///< of the user; repeated only when the message is resent
  NodeId home = 0;            ///< where it belongs now; itself: nowhere yet
  bool silent = false;        ///< that one does not answer, or is gone: name another
  friend bool operator==(const ServerRequest&, const ServerRequest&) = default;
};
struct ServerAnswer {
  std::uint64_t request = 0;  ///< of the request that it answers
  NodeId server = 0;          ///< where to submit
  friend bool operator==(const ServerAnswer&, const ServerAnswer&) = default;
};

/// A user's present task. Sent again now and then until it runs; the home answers with Received.
struct Submit {
  Task task;
  std::uint64_t sequence =
      0;  ///< ascending over all that the user says to homes: a late one is known as such
  friend bool operator==(const Submit&, const Submit&) = default;
};
/// A user without a task for now; sent now and then, so that its home knows that it is there.
struct Pause {
  std::uint64_t number = 0;    ///< of the task that it will submit next
  std::uint64_t running = 0;   ///< its tasks that run
  Amounts demand;              ///< of its tasks. [m]
  std::uint64_t sequence = 0;  ///< as in Submit
  friend bool operator==(const Pause&, const Pause&) = default;
};
/// The home has heard of it; `gone`: it takes no users any more, ask the gateway.
struct Received {
  std::uint64_t number = 0;  ///< of the task, or of the next, as the user reported
  bool gone = false;
  friend bool operator==(const Received&, const Received&) = default;
};

/// A task looks for a server: the random walk of 4.3, a best-fit walk, or a directed one; also how the
/// central server places.
struct Walk {
  Task task;
  NodeId home = 0;              ///< which node learns what became of it
  std::uint64_t attempt = 0;    ///< of the home: when the task set out, so that an old walk is known as such
  std::uint32_t hops_left = 0;  ///< steps that it may still go
  NodeId best = 0;  ///< best fit: the server of this leg that fits best so far, `score` its distance
  double score = std::numeric_limits<double>::infinity();
  friend bool operator==(const Walk&, const Walk&) = default;
};
/// The walk ended at a server where it fitted; the user was proposed to.
struct Placed {
  TaskId task;
  std::uint64_t attempt = 0;
  friend bool operator==(const Placed&, const Placed&) = default;
};
/// The walk ended and nothing fitted.
struct NoRoom {
  TaskId task;
  std::uint64_t attempt = 0;
  friend bool operator==(const NoRoom&, const NoRoom&) = default;
};
/// Probes: the task is copied to a neighbour's queue.
struct Copy {
  Task task;
  friend bool operator==(const Copy&, const Copy&) = default;
};
/// What a server has free, for the central server.
struct Free {
  std::uint64_t incarnation = 0;  ///< the server's start, nanoseconds since the origin
  std::uint64_t sequence = 0;     ///< ascending since then: a late one is known as such
  Amounts free;                   ///< capacity − held − running. [m]
  friend bool operator==(const Free&, const Free&) = default;
};

// Of users and hosts. `number` is the task's, among the user's; the user is who sends or receives.

/// A host holds room for the task.
struct Propose {
  std::uint64_t number = 0;
  ProposalId proposal;
  friend bool operator==(const Propose&, const Propose&) = default;
};
/// The user takes this place; sent again until Allocated or Refused.
struct Accept {
  std::uint64_t number = 0;
  ProposalId proposal;
  friend bool operator==(const Accept&, const Accept&) = default;
};
/// The user has another place, or no need of one: the room is free again.
struct Reject {
  std::uint64_t number = 0;
  ProposalId proposal;
  friend bool operator==(const Reject&, const Reject&) = default;
};
/// It runs.
struct Allocated {
  std::uint64_t number = 0;
  ProposalId proposal;
  friend bool operator==(const Allocated&, const Allocated&) = default;
};
/// The host holds and runs nothing under this proposal, and never will again: it was not accepted in time,
/// its task was stopped, or the host lost its memory. Said again until EndSeen when a server leaves in peace.
struct Refused {
  std::uint64_t number = 0;
  ProposalId proposal;
  friend bool operator==(const Refused&, const Refused&) = default;
};
/// It ended by itself; sent again until EndSeen.
struct Ended {
  std::uint64_t number = 0;
  ProposalId proposal;
  friend bool operator==(const Ended&, const Ended&) = default;
};
/// The user has heard that it is over (Ended, Refused).
struct EndSeen {
  std::uint64_t number = 0;
  ProposalId proposal;
  friend bool operator==(const EndSeen&, const EndSeen&) = default;
};
/// A user renews the lease of all its tasks on a host, which answers with those that run, and those that
/// ended by themselves as long as it does not know that the user has seen it.
struct Renew {
  std::uint64_t round = 0;  ///< of the user, ascending over all hosts
  friend bool operator==(const Renew&, const Renew&) = default;
};
struct Running {
  std::uint64_t round = 0;             ///< of the Renew that it answers
  std::uint64_t incarnation = 0;       ///< the host's start: a later one has lost its memory
  std::vector<std::uint64_t> numbers;  ///< of the tasks, ascending
  friend bool operator==(const Running&, const Running&) = default;
};

/// The alternatives in the order of their codes on the wire, from 1 on: never reordered, only added to.
using Message =
    std::variant<PeerRequest, PeerAnswer, GradientRequest, GradientAnswer, PushSumShare, Climb, ShareRequest,
                 ShareAnswer, LoadRequest, LoadAnswer, ConfirmRequest, ConfirmAnswer, Register, Peers,
                 ServerRequest, ServerAnswer, Submit, Pause, Received, Walk, Placed, NoRoom, Copy, Free,
                 Propose, Accept, Reject, Allocated, Refused, Ended, EndSeen, Renew, Running>;

inline constexpr std::size_t kMessageKinds = std::variant_size_v<Message>;

/// What counts and documents call the alternative of this index: "gradient-request".
std::string_view name_of_kind(std::size_t kind);

}  // namespace mirab::overlay
