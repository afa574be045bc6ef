// Progressive filling with whole tasks: serve the user with the lowest key, place one task, repeat (Ghodsi et
// al. 2011, algorithm 1; on many servers Östman, section 4.1).
//
// Nothing is freed on the way, so a server where a user's task does not fit will never have room for it
// again, and a user whose task fits nowhere is done. Each user's first server that still fits therefore only
// moves on, and all these walks together look at every server once for each user.
//
// Where a discipline makes users wait in lines, only the heads race; the next of a line enters in the round
// in which its head leaves.
#include "scheduling/plain/fill.hpp"

#include <fmt/format.h>
#include <utility>

#include <mirab/scheduling/fill.hpp>

#include "scheduling/counted_problem.hpp"
#include "scheduling/limits.hpp"
#include "scheduling/oversized.hpp"
#include "scheduling/plain/allocation_of.hpp"
#include "scheduling/plain/disciplines.hpp"
#include "scheduling/plain/ledger.hpp"
#include "scheduling/plain/lines.hpp"
#include "scheduling/plain/mrfs.hpp"
#include "scheduling/plain/placements.hpp"
#include "scheduling/plain/race.hpp"
#include "scheduling/plain/share.hpp"

namespace mirab::plain {
namespace {

/// What one task adds, [task], and where the users start, [n].
struct Keys {
  std::vector<mpq_class> starts;
  std::vector<mpq_class> steps;
};

Keys keys_of(Key (*key)(const CountedProblem&, std::size_t), const CountedProblem& cluster) {
  Keys keys;
  for (std::size_t task = 0; task < cluster.task_count(); ++task) {
    Key of_task = key(cluster, task);
    keys.steps.push_back(std::move(of_task.step));
    if (task < cluster.user_count()) keys.starts.push_back(std::move(of_task.start));
  }
  return keys;
}

constexpr std::int64_t kProgressEvery = 8192;  // placements; about a second at the slowest

class Filling {
 public:
  Filling(const CountedProblem& cluster, const Whom& whom, const Where& where, const FillOptions& options,
          Random& random)
      : cluster_(cluster),
        ledger_(cluster),
        blocking_(whom.blocking),
        where_(where),
        lines_(whom.discipline->line, cluster),
        trace_(options.trace),
        random_(random),
        keys_(keys_of(whom.discipline->key, cluster)),
        shares_(keys_of(drf_key, cluster)),
        race_(keys_.starts, options.tie),
        poorest_(shares_.starts, Tie::first),
        first_fits_(cluster.user_count(), 0),
        left_(cluster.user_count()) {
    if (whom.discipline->places) balance_.emplace(ledger_);
    for (std::size_t n = 0; n < left_.size(); ++n) {
      if (!lines_.is_head(n)) race_.leave(n);
    }
    for (std::size_t n = 0; n < left_.size(); ++n) {
      left_[n] = cluster.task_limit(n);
      if (left_[n] == 0) leave(n);
    }
  }

  FillOutcome run(const FillProgress& progress) {
    while (!race_.empty()) {
      const std::size_t user = race_.next(random_);
      if (has_room(user)) {
        serve(user);
        if (progress && placed_ % kProgressEvery == 0) progress(placed_);
      } else if (blocking_ == Blocking::freeze) {
        break;
      } else {
        leave(user);
      }
    }
    MIRAB_ASSERT(ledger_.balances(), "what is free and what was placed do not make up the capacity");
    MIRAB_ASSERT(shares_balance(), "a user's share is not that of its placed tasks");
    return outcome();
  }

 private:
  void leave(std::size_t user) {
    race_.leave(user);
    poorest_.leave(user);
    if (const std::optional<std::size_t> next = lines_.leave(user))
      race_.enter(*next, keys_.starts[*next] + keys_.steps[*next] * mpq_class{lines_.served(*next)});
  }

  std::size_t server_for(std::size_t user) {
    const Search search{.ledger = ledger_,
                        .user = user,
                        .first_fit = first_fits_[user],
                        .last_used = last_used_,
                        .random = random_};
    return balance_ ? balance_->place(search) : where_.server(search);
  }

  /// Does the user's next task fit anywhere? Moves first_fits_ on to the server where it does.
  bool has_room(std::size_t user) {
    first_fits_[user] = ledger_.first_fit(user, first_fits_[user]).value_or(ledger_.server_count());
    return first_fits_[user] < ledger_.server_count();
  }

  /// Is there a user with a lower dominant share who could be served instead?
  bool is_wrong(std::size_t user) {
    while (!has_room(poorest_.lowest())) poorest_.leave(poorest_.lowest());
    return poorest_.is_below(poorest_.lowest(), user);
  }

  /// Requires has_room(user).
  void serve(std::size_t user) {
    if (is_wrong(user)) ++placed_wrongly_;
    const std::size_t server = server_for(user);
    ledger_.take(user, server);
    last_used_ = server;
    lines_.serve(user);
    ++placed_;

    const std::size_t task = cluster_.task(user, ledger_.entry(server));
    race_.raise(user, keys_.steps[task]);
    poorest_.raise(user, shares_.steps[task]);
    if (trace_ && placed_ > kMostSteps) {
      trace_ = false;
      steps_ = {};
      too_long_ = true;
    }
    if (trace_) {
      steps_.push_back({.user = user,
                        .server = ledger_.entry(server),
                        .instance = ledger_.instance(server),
                        .share = nearest(poorest_.key(user))});
    }
    if (left_[user] != INT64_MAX && --left_[user] == 0) leave(user);
  }

  /// G_n / φ_n summed over the placed tasks is what it has grown to, exactly, for every user.
  bool shares_balance() const {
    for (std::size_t n = 0; n < cluster_.user_count(); ++n) {
      mpq_class share = 0;
      for (const auto& [i, tasks] : ledger_.placed(n))
        share += shares_.steps[cluster_.task(n, i)] * mpq_class{tasks};
      if (share != poorest_.key(n)) return false;
    }
    return true;
  }

  Unplaced why_no_more(std::size_t user) {
    if (left_[user] == 0) return Unplaced::nothing;
    return has_room(user) ? Unplaced::blocked : Unplaced::no_room;
  }

  FillOutcome outcome() {
    FillOutcome outcome;
    outcome.seed = random_.seed();
    outcome.allocation = allocation_of(ledger_);
    outcome.placed = placed_;
    outcome.errors = placed_wrongly_;
    for (std::size_t n = 0; n < cluster_.user_count(); ++n) outcome.unplaced.push_back(why_no_more(n));
    outcome.steps = std::move(steps_);
    outcome.notices = cluster_.notices();
    for (std::string& notice : scheduling::oversized_notices(cluster_))
      outcome.notices.push_back(std::move(notice));
    if (too_long_) {
      outcome.notices.push_back(
          fmt::format("more than {} tasks were placed: the steps are not recorded", kMostSteps));
    }
    return outcome;
  }

  const CountedProblem& cluster_;
  Ledger ledger_;
  Blocking blocking_;
  Where where_;
  Lines lines_;
  std::optional<DominanceBalance> balance_ = {};  // of a discipline that places
  bool trace_;
  Random& random_;
  Keys keys_;                            // of the discipline
  Keys shares_;                          // G_n / φ_n, which is the key of DRF
  Race race_;                            // who is served next
  Race poorest_;                         // who ought to be
  std::vector<std::size_t> first_fits_;  // [n], no server before it fits; K' when none does
  std::vector<std::int64_t> left_;       // [n], tasks not yet placed; INT64_MAX when without limit
  std::size_t last_used_ = 0;
  std::int64_t placed_ = 0;
  std::int64_t placed_wrongly_ = 0;
  std::vector<FillStep> steps_;
  bool too_long_ = false;  // for a trace
};

}  // namespace
Result<FillOutcome> fill(const Problem& problem, const FillOptions& options, Random& random,
                         const FillProgress& progress) {
  const Result<Whom> whom = plain::whom(options.discipline);
  if (!whom) return whom.error();
  const Result<Where> where = plain::where(options.placement);
  if (!where) return where.error();
  if (Check bad = scheduling::check_server_count(problem)) return *std::move(bad);
  const CountedProblem cluster(problem);
  if (Check bad = scheduling::check_ends_in_time(cluster)) return *std::move(bad);

  FillOutcome outcome = Filling(cluster, *whom, *where, options, random).run(progress);
  outcome.discipline = options.discipline.text;
  outcome.placement = whom->discipline->places ? options.discipline.text : options.placement.text;
  outcome.tie = options.tie;
  return outcome;
}

}  // namespace mirab::plain
