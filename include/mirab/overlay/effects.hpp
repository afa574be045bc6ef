#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

/// A message to a node, perhaps the sender itself. The node's caller delivers it; it may get lost.
struct Send {
  NodeId to = 0;
  Message message;
};

// What has just happened inside a node, for observers: metrics, checks, pictures. Nothing depends on it.

/// A home gave the task its turn; from a host's proposal on it counts in its user's share.
struct Served {
  TaskId task;
  /// DGDRF: the round whose confirmation allowed it; 0 for the other schedulers.
  std::uint64_t round = 0;
};
/// Its turn is taken back: it counts no longer.
struct Unserved {
  enum class Why : std::uint8_t {
    no_room,  ///< its walk found nothing
    unheard,  ///< its walk, the proposal or the answer got lost: its user still wants a place
    paused,   ///< its user has no task for now
    silent,   ///< its user was not heard of, and may have another home
  };
  TaskId task;
  Why why = Why::no_room;
};
/// A host holds room for it; for longer, since it was proposed again; gives it back; runs it; it is over.
struct Held {
  TaskId task;
  ProposalId proposal;
};
struct Prolonged {
  TaskId task;
  ProposalId proposal;
};
struct GivenBack {
  TaskId task;
  ProposalId proposal;
};
struct Started {
  TaskId task;
  ProposalId proposal;
};
struct Stopped {
  TaskId task;
  ProposalId proposal;
  bool by_itself = false;  ///< it came to its end; otherwise its lease ran out, or its server left
};
/// The tasks of this user that run here may run until then, unless a later one says longer. The
/// supervisor of the server's tasks stops them then, also while the server itself is down
/// (docs/explanation/overlay-safety.md). Told only when Patience::lease > 0, at every start and renewal.
struct Leased {
  NodeId user = 0;
  Time until{};
};
/// A user has a new present task; knows that it runs; knows that it ended; has lost it and will submit it
/// again.
struct Wanted {
  TaskId task;
};
struct Known {
  TaskId task;
  NodeId host = 0;
};
struct Over {
  TaskId task;
};
struct Lost {
  TaskId task;
};

using Fact = std::variant<Served, Unserved, Held, Prolonged, GivenBack, Started, Stopped, Leased, Wanted,
                          Known, Over, Lost>;

/// What a node wants done, in this order. Appended to, never read, by the node.
struct Effects {
  std::vector<Send> sends;
  std::vector<Fact> facts;
};

}  // namespace mirab::overlay
