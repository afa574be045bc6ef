#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <mirab/model/result.hpp>
#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

/// Whom an answer of a gradient names besides oneself and one's entries.
enum class Introduce {
  nobody,      ///< the thesis' (eq. 4.5)
  last_asker,  ///< who asked before: so those meet that no view holds any more
};

/// Gossip: views and shuffles. The defaults are the thesis' (4.4), but for `introduce`: without it a gradient
/// of 10,000 servers takes some seven times as long to converge.
struct GossipOptions {
  std::size_t view = 10;         ///< P, entries of a gradient view
  std::size_t shuffle = 0;       ///< entries that are sent besides oneself; 0: all of the view
  std::size_t peers = 10;        ///< entries of the peer-sampling view
  std::size_t peer_shuffle = 5;  ///< ℓ, entries of a Cyclon exchange
  /// The partner of a gradient shuffle is drawn by softmax over the ranks of preference at this temperature;
  /// ∞: uniformly (the thesis').
  double temperature = std::numeric_limits<double>::infinity();
  std::uint32_t oldest = 50;  ///< shuffles after which an entry that was not renewed is dropped
  /// Servers that fell out of a gradient view whose latest news is remembered, so that what they were before
  /// does not come back while it still goes round; 0: none (the thesis').
  std::size_t remember = 0;
  Introduce introduce = Introduce::last_asker;
};

/// Whom the centre asks before it serves (DGDRF).
enum class Confirm {
  lowest,  ///< its neighbour of lowest utility (the thesis' 3.3.1)
  all,     ///< all its neighbours
};

/// How a task that its home cannot host finds a server.
enum class Search {
  walk,      ///< the first on a random walk where it fits (the thesis')
  best_fit,  ///< the best of every `best_of` servers on the walk, by DRFH's distance
  directed,  ///< along a second gradient, of free capacity
};

/// Does a user without a present task count among the poorest?
enum class Idle {
  block,  ///< yes (the thesis'): no user is served while it has the lowest share
  skip,
};

/// What becomes of a user whose task fits nowhere.
enum class Stuck {
  block,  ///< it stays the poorest (the thesis')
  leave,  ///< it does not count until its share or its task changes
};

/// How a server whose utility rose (a task ended, a user came) becomes known.
enum class Rise {
  gossip,  ///< by shuffles alone (the thesis')
  climb,   ///< also by Climb, from neighbour to better neighbour
};

/// C_r, which shares are relative to.
enum class Total {
  known,     ///< given to every node
  push_sum,  ///< estimated by gossip (Algorithm 2)
};

/// What a node does without an answer, in allocation ticks (> 0). A lease of 0 is none: a task runs until
/// its end whatever becomes of its user, and a user waits for its host without end.
struct Patience {
  std::uint32_t again = 10;  ///< a request is sent again after this many
  std::uint32_t held = 40;   ///< a host holds room for a proposal that is not answered
  std::uint32_t walk = 100;  ///< a home waits for news of a task that walks
  std::uint32_t home = 40;   ///< a user waits for a sign of its home, then asks the gateway for another
  std::uint32_t user = 400;  ///< a home, or the gateway, remembers who is silent
  std::uint32_t lease = 0;   ///< a host lets a task run whose user is silent
};

struct OverlayOptions {
  GossipOptions gossip;
  std::uint32_t hops = 400;   ///< of a walk, at the most
  std::uint32_t best_of = 8;  ///< servers on a best-fit walk, whether it fits there or not, that are compared
  Confirm confirm = Confirm::all;
  Search search = Search::walk;
  Idle idle = Idle::block;
  Stuck stuck = Stuck::block;
  Rise rise = Rise::gossip;
  Total total = Total::known;
  std::uint32_t push_sum_epoch = 64;  ///< rounds of an epoch
  double slack = 1;  ///< of `level` only: tasks of its own that a served user may be above the level
  Patience patience;
};

/// Who decides whose turn it is.
enum class Scheduler {
  centralised_drf,
  centralised_fifo,
  probes,
  ddrf_random,
  ddrf_gradient,
  dgdrf,
  pdgdrf,
  level,  ///< ours: many at once up to a common level
};

/// A row of the table of schedulers: the command line, the docs and the experiments read it.
struct SchedulerRow {
  Scheduler scheduler;
  std::string_view name;     ///< "ddrf-random"
  std::string_view summary;  ///< one sentence
  std::string_view source;   ///< "Östman, 4.3"
  bool is_central = false;   ///< one server that knows all decides
};

/// All schedulers, in the order of the thesis.
std::span<const SchedulerRow> schedulers();

const SchedulerRow& row_of(Scheduler scheduler);

/// By name. Errors: an unknown name, with the nearest ones.
Result<Scheduler> find_scheduler(std::string_view name);

}  // namespace mirab::overlay
