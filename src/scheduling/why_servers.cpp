// Why a task does not go to a server. What is in the way is named in one order, the lasting reasons before
// those that pass: the job's own wishes, its size, a drained server, one that is kept for another task, the
// terms of the job (pack, per_server, spread), a full one. So each server counts once.
//
// How near a full server is to having room is max_r (d_r − f_r) / d_r, the largest part of the task's demand
// that is not free there. Freeing d_r − f_r of every resource is then enough, and less of any is not: terms
// that admit one more task to a server admit it whatever is free (openings.cpp).
#include "scheduling/why_servers.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "scheduling/openings.hpp"

namespace mirab::scheduling {
namespace {

/// One thing that a job asks of its servers.
struct Wish {
  std::string label;        ///< empty: the names
  bool is_for_any = false;  ///< any value of the label will do
  Selection selection = {};
};

std::vector<Wish> wishes_of(const Shapes& shapes, std::uint32_t shape) {
  const JobSubmitted job = shapes.job_of(shape);
  std::vector<Wish> wishes;
  if (job.servers) wishes.push_back({.label = {}, .selection = {.servers = job.servers}});
  for (const auto& [label, values] : job.select)
    wishes.push_back({.label = label, .selection = {.select = {{label, values}}}});
  const auto wish_for_any = [&](const std::string& label) {
    if (!job.select.contains(label)) wishes.push_back({.label = label, .is_for_any = true});
  };
  if (job.spread) wish_for_any(job.spread->label);
  if (job.pack) wish_for_any(*job.pack);
  return wishes;
}

/// max(0, d_r − of_r), [m]
Amounts shortfall(std::span<const std::int64_t> demand, std::span<const std::int64_t> of) {
  Amounts missing;
  for (std::size_t r = 0; r < demand.size(); ++r)
    missing.push_back(std::max<std::int64_t>(0, demand[r] - of[r]));
  return missing;
}

bool is_nothing(const Amounts& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](std::int64_t units) { return units == 0; });
}

/// max_r missing_r / d_r
double missing_part(const Amounts& missing, std::span<const std::int64_t> demand) {
  double part = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (missing[r] > 0)
      part = std::max(part, static_cast<double>(missing[r]) / static_cast<double>(demand[r]));
  }
  return part;
}

class Look {
 public:
  Look(const Accounts& accounts, const Reservations* reservations, std::uint32_t job)
      : accounts_(accounts),
        reservations_(reservations),
        queue_(accounts.jobs[job].queue),
        job_(job),
        shape_(accounts.queues[queue_].shape),
        wishes_(wishes_of(accounts.shapes, shape_)) {
    if (accounts.shapes.terms(shape_) != nullptr) openings_.emplace(accounts, job);
  }

  const std::vector<Wish>& wishes() const { return wishes_; }
  const std::optional<Openings>& openings() const { return openings_; }  ///< with terms
  std::span<const std::int64_t> demand_on(std::uint32_t server) const {
    return accounts_.shapes.demand_on(shape_, server);
  }

  bool holds(const Wish& wish, std::uint32_t server) const {
    const auto& [name, labels] = accounts_.shapes.eligibility.description_of(server);
    return wish.is_for_any ? labels.contains(wish.label) : wish.selection.admits(name, labels);
  }

  WhyNotOn on(std::uint32_t server) const {
    if (const Wish* const broken = first_broken_wish(server)) {
      return {.reason = broken->label.empty() ? InTheWay::name : InTheWay::label, .label = broken->label};
    }
    const Way* const way = accounts_.shapes.way_on(shape_, server);
    MIRAB_ASSERT(way != nullptr, "a server is not allowed, and no wish keeps the task from it");
    if (Amounts missing = shortfall(way->demand, accounts_.park.capacity(server)); !is_nothing(missing))
      return {.reason = InTheWay::too_small, .missing = std::move(missing)};
    if (accounts_.servers[server].drained) return {.reason = InTheWay::drained};
    if (const Reservations::Kept* const kept = kept_for_another(server))
      return {.reason = InTheWay::kept, .kept = kept_server(accounts_, *kept)};
    if (WhyNotOn term = broken_term(server); term.reason != InTheWay::nothing) return term;
    if (Amounts missing = shortfall(way->demand, accounts_.park.free(server)); !is_nothing(missing))
      return {.reason = InTheWay::full, .missing = std::move(missing)};
    return {};
  }

 private:
  const Wish* first_broken_wish(std::uint32_t server) const {
    const auto broken =
        std::find_if(wishes_.begin(), wishes_.end(), [&](const Wish& wish) { return !holds(wish, server); });
    return broken == wishes_.end() ? nullptr : &*broken;
  }

  const Reservations::Kept* kept_for_another(std::uint32_t server) const {
    const Reservations::Kept* const kept = reservations_ ? reservations_->on_server(server) : nullptr;
    if (kept == nullptr) return nullptr;
    const bool is_its = kept->queue == queue_ && accounts_.queues[queue_].first_job == job_;
    return is_its ? nullptr : kept;
  }

  WhyNotOn broken_term(std::uint32_t server) const {
    using Term = Openings::Objection::Term;
    if (!openings_) return {};
    const Terms& terms = *accounts_.shapes.terms(shape_);
    const Openings::Objection objection = openings_->objection(server);
    switch (objection.term) {
      case Term::none:
        return {};
      case Term::pack:
        return {.reason = InTheWay::pack, .label = *terms.pack};
      case Term::per_server:
        return {.reason = InTheWay::per_server, .running = objection.running, .at_most = objection.at_most};
      case Term::spread:
        return {.reason = InTheWay::spread,
                .label = terms.spread->label,
                .running = objection.running,
                .at_most = objection.at_most};
    }
    MIRAB_ASSERT(false, "another term");
  }

  const Accounts& accounts_;
  const Reservations* reservations_;
  std::uint32_t queue_;
  std::uint32_t job_;
  std::uint32_t shape_;
  std::vector<Wish> wishes_;
  std::optional<Openings> openings_;
};

class Count {
 public:
  Count(const Accounts& accounts, const Look& look, WhyWaiting& why)
      : accounts_(accounts), look_(look), why_(why) {
    why_.servers.lacking.assign(accounts.resource_count(), 0);
    why_.servers.too_small_in.assign(accounts.resource_count(), 0);
    for (const Wish& wish : look_.wishes())
      why_.constraints.push_back({.label = wish.label, .excludes = 0, .alone = 0});
    for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
      if (accounts.servers.holds(server)) count(server);
    }
  }

 private:
  void count(std::uint32_t server) {
    const WhyNotOn why = look_.on(server);
    WhyWaiting::Servers& servers = why_.servers;
    switch (why.reason) {
      case InTheWay::nothing:
        ++servers.with_room;
        return;
      case InTheWay::name:
      case InTheWay::label:
        ++servers.not_allowed;
        return count_wishes(server);
      case InTheWay::too_small:
        ++servers.too_small;
        return add(why.missing, servers.too_small_in);
      case InTheWay::drained:
        ++servers.drained;
        return;
      case InTheWay::kept:
        ++servers.kept;
        return why_.kept_for_others.push_back(*why.kept);
      case InTheWay::pack:
        ++servers.pack;
        return;
      case InTheWay::per_server:
        ++servers.per_server;
        return;
      case InTheWay::spread:
        ++servers.spread;
        return;
      case InTheWay::full:
        ++servers.full;
        add(why.missing, servers.lacking);
        return remember_if_nearest(server, why.missing);
    }
  }

  void count_wishes(std::uint32_t server) {
    std::vector<std::size_t> broken;
    for (std::size_t wish = 0; wish < look_.wishes().size(); ++wish) {
      if (!look_.holds(look_.wishes()[wish], server)) broken.push_back(wish);
    }
    for (const std::size_t wish : broken) ++why_.constraints[wish].excludes;
    if (broken.size() == 1) ++why_.constraints[broken.front()].alone;
  }

  static void add(const Amounts& missing, std::vector<std::int64_t>& counts) {
    for (std::size_t r = 0; r < counts.size(); ++r) counts[r] += missing[r] > 0 ? 1 : 0;
  }

  void remember_if_nearest(std::uint32_t server, const Amounts& missing) {
    const double part = missing_part(missing, look_.demand_on(server));
    if (part >= least_) return;
    least_ = part;
    why_.nearest_miss = {.server = accounts_.servers.id(server),
                         .name = accounts_.shapes.eligibility.description_of(server).name,
                         .to_free = missing};
  }

  const Accounts& accounts_;
  const Look& look_;
  WhyWaiting& why_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void explain_servers(const Accounts& accounts, const Reservations* reservations, std::uint32_t job,
                     WhyWaiting& why) {
  const Look look(accounts, reservations, job);
  Count(accounts, look, why);
  if (!look.openings()) return;
  const std::int64_t batch = batch_of(accounts, job);
  if (batch == 1) return;
  why.gang = {.together = batch, .room = std::min(look.openings()->most(), accounts.jobs[job].waiting)};
}

WhyNotOn why_not_on(const Accounts& accounts, const Reservations* reservations, std::uint32_t job,
                    std::uint32_t server) {
  return Look(accounts, reservations, job).on(server);
}

KeptServer kept_server(const Accounts& accounts, const Reservations::Kept& kept) {
  const QueueRow& queue = accounts.queues[kept.queue];
  return {.server = accounts.servers.id(kept.server),
          .server_name = accounts.shapes.eligibility.description_of(kept.server).name,
          .user = accounts.users.id(queue.user),
          .user_name = accounts.users[queue.user].name,
          .job = accounts.jobs.id(queue.first_job),
          .since = kept.since};
}

}  // namespace mirab::scheduling
