// The rules by which a server decides whose turn it is: probes, DDRF, DGDRF, PDGDRF and the common level.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/message.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {

/// A task that waits at a server.
struct Probe {
  Task task;
  double share = 0;       ///< t.dominantShare
  bool proposed = false;  ///< its user was asked; it waits for the answer
  Time heard_at{};        ///< when it was last submitted or copied
  std::vector<NodeId> copies =
      {};  ///< of a task whose primary handler this is: the neighbours that have it too
};

/// The first task in ascending order of (share, user) that fits in what is free and was not proposed
/// (Algorithm 4, ONTICK; a task that fits exactly fits). None: null. Cost: O(tasks · m).
const Probe* next_probe(std::span<const Probe> waiting, std::span<const std::int64_t> free);

/// The two neighbours of least load, fewer when there are fewer (4.2); of equal loads the lower addresses.
/// Cost: O(P).
std::vector<NodeId> two_least_loaded(std::span<const Descriptor> neighbours);

/// Sparrow's batch of probes with late binding (Ousterhout et al. 2013; Östman, 4.2, Algorithm 4): the server
/// that the gateway drew queues the task, two neighbours queue copies of it, and the user takes the first
/// proposal. A server hosts on itself only. What no user has asked for during Patience::user is forgotten:
/// its user's answer was lost, or the user has gone. Known failure: a task whose three servers are full waits
/// without end.
class Probes {
 public:
  /// `forgotten`: Patience::user.
  Probes(std::vector<NodeId> neighbours, Duration forgotten);

  /// ONREQUEST: queues the task and copies it to two neighbours; said again, to the same two.
  void on_submit(Time now, const Task& task, double share, Effects& effects);
  /// ONTASKFROMSERVER.
  void on_copy(Time now, const Task& task, double share);
  /// Forgets users for whom no request comes any more. O(tasks).
  void forget_silent(Time now);
  /// Asks all neighbours for their loads.
  void ask(Effects& effects) const;
  void hear(NodeId from, const LoadAnswer& answer);
  /// ONTICK: the task to propose now. None: nothing that waits fits.
  std::optional<Task> next(std::span<const std::int64_t> free);
  /// The user has answered a proposal of this task: it waits here no longer.
  void answered(const TaskId& task);
  /// A neighbour that left.
  void forget(NodeId node);

 private:
  Probe* queue(Time now, const Task& task, double share);

  Duration forgotten_;
  std::vector<Descriptor> neighbours_;  ///< utility: −load as last known, 0 while unknown
  std::vector<Probe> waiting_;
};

/// May the server l serve its user with the lowest share (Östman, eq. 3.8; Algorithm 5)?
///
///     ∀ q ∈ S_l:  min_{i ∈ U_l} G_i < min_{i ∈ U_q} G_i
///
/// `own` has the utility U_l = −min_{i ∈ U_l} G_i, `neighbours` what is last known of S_l. Equal shares are
/// ordered by address: with the plain < no server would begin while all shares are 0, with the ≤ of Algorithm
/// 5 figure 3.2 would come out otherwise. A neighbour without users, or of which nothing is known, has U = −∞
/// and hinders no other. A server without users never serves.
///
/// Cost: O(|S_l|). Known failure: what the neighbours do not know, the rule does not see (figure 3.1).
bool ddrf_may_serve(const Descriptor& own, std::span<const Descriptor> neighbours);

/// The fixed neighbours S_l, asked for their lowest shares every tick. An unknown one does
/// not hinder.
class Ddrf {
 public:
  /// How they are found: a random graph, or a gradient that has converged before the first task (4.3).
  enum class Neighbours { random, gradient };
  explicit Ddrf(Neighbours kind) : kind_(kind) {}
  Neighbours kind() const { return kind_; }

  /// From now on these are the neighbours.
  void choose(std::span<const NodeId> neighbours);
  bool chosen() const { return chosen_; }
  /// Asks all of them (Algorithm 5, ONTICK).
  void ask(Effects& effects) const;
  /// ONRESOURCEUPDATERESP; who is no neighbour is not heard.
  void hear(NodeId from, const ShareAnswer& answer);
  /// A neighbour that left hinders no more.
  void forget(NodeId node);

  std::span<const Descriptor> neighbours() const { return neighbours_; }

 private:
  Neighbours kind_;
  std::vector<Descriptor> neighbours_;
  bool chosen_ = false;
};

/// Does r rank before all of its view (eq. 3.11)? A server without users (U = −∞) is never the centre.
bool is_centre(const Descriptor& r, std::span<const Descriptor> view);

/// The neighbour of lowest utility: the thesis' p. Requires a view that is not empty.
NodeId lowest(std::span<const Descriptor> view);

/// (S_r \ {p}) ∪ {r}, ascending: what the view of a neighbour p is when both are right (3.3.1, step 2).
std::vector<NodeId> expected_view(NodeId r, std::span<const Descriptor> view, NodeId p);

/// Step 3 of 3.3.1: is msg_r = S_p?
bool confirms(std::span<const Descriptor> view, const ConfirmRequest& msg_r);

/// Distributed gradient-based DRF (Östman, 3.3.1 and 4.4): the centre of the living gradient asks the last of
/// its neighbours, or all of them (Confirm), whether they have the same neighbours, and serves when they say
/// so.
///
/// Every tick it asks who has not answered; after a "no" all are asked again, under a new round, at the next
/// tick. An answer counts once, and only while the question still stands. So it serves at most once from one
/// tick to the next: each turn takes a question of the last tick with it. Cost: O(P log P) a tick, two
/// messages for each who is asked; with all, O(P² log P).
class Dgdrf {
 public:
  /// Rounds count from the server's start, so that none is ever repeated.
  Dgdrf(Confirm confirm, Time start)
      : confirm_(confirm), round_(static_cast<std::uint64_t>(start.time_since_epoch().count())) {}

  /// Of a server whose user with the lowest share has a task that waits: asks, if it is the centre. The round
  /// under which it may serve now, when there is no server to ask.
  std::optional<std::uint64_t> on_tick(const Descriptor& r, std::span<const Descriptor> view,
                                       Effects& effects);
  /// The round under which it may serve now, by this answer.
  std::optional<std::uint64_t> on_answer(NodeId from, const ConfirmAnswer& answer, const Descriptor& r,
                                         std::span<const Descriptor> view);

 private:
  std::vector<NodeId> to_ask(std::span<const Descriptor> view) const;

  Confirm confirm_;
  std::uint64_t round_;
  std::vector<NodeId> neighbours_;  ///< S_r when the round began, ascending
  std::vector<NodeId> awaited_;     ///< who is asked and has not answered; empty: nothing is asked
};

/// Is no neighbour's utility above one's own (Algorithm 6, ISCENTERNODE)? Ties are centres. A server without
/// users is none.
bool is_highest(const Descriptor& own, std::span<const Descriptor> view);

/// Does the Gini coefficient over one's own lowest share and the neighbours' fall, strictly, when one's own
/// becomes `after` (eq. 4.7, Algorithm 6)? Shares are −U. The coefficient divides by the number of values,
/// where eq. 4.7 prints |U|, and leaves out neighbours with U = −∞, where Algorithm 6 prints ∞. `after`:
/// G_user(A_user + D_user).
bool gini_falls(const Descriptor& own, double after, std::span<const Descriptor> view);

/// Parallel distributed gradient-based DRF (4.5): SHOULDALLOCATE of Algorithm 6.
bool pdgdrf_may_serve(const Descriptor& own, double after, std::span<const Descriptor> view);

/// min_{q ∈ S_r ∪ {r}} −U_q: the lowest share of a server's users and of those that its gradient view tells
/// of. +∞ when no server has users. Cost: O(P).
double min_known_share(const Descriptor& own, std::span<const Descriptor> view);

/// May a user of share G be served, one task of which adds `step` to it? G ≤ least + slack · step; so who is
/// the poorest always may. Requires G, step, slack ≥ 0.
bool level_may_serve(double share, double step, double least, double slack);

}  // namespace mirab::overlay
