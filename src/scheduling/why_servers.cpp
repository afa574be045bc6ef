// Why a task does not go to a server. What is in the way is named in one order, the lasting reasons before
// those that pass: the job's own wishes, its size, a drained server, a full one. So each server counts once.
//
// How near a full server is to having room is max_r (d_r − f_r) / d_r, the largest part of the task's demand
// that is not free there. Freeing d_r − f_r of every resource is then enough, and less of any is not.
#include "scheduling/why_servers.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace mirab::scheduling {
namespace {

/// One thing that a job asks of its servers.
struct Wish {
  std::string label;  ///< empty: the names
  Selection selection;
};

std::vector<Wish> wishes_of(const Shapes& shapes, std::uint32_t shape) {
  const JobSubmitted job = shapes.job_of(shape);
  std::vector<Wish> wishes;
  if (job.servers) wishes.push_back({.label = {}, .selection = {.servers = job.servers}});
  for (const auto& [label, values] : job.select)
    wishes.push_back({.label = label, .selection = {.select = {{label, values}}}});
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
  Look(const Accounts& accounts, std::uint32_t shape)
      : accounts_(accounts), shape_(shape), wishes_(wishes_of(accounts.shapes, shape)) {}

  const std::vector<Wish>& wishes() const { return wishes_; }

  bool holds(const Wish& wish, std::uint32_t server) const {
    const auto& [name, labels] =
        accounts_.shapes.eligibility.description(accounts_.servers[server].description);
    return wish.selection.admits(name, labels);
  }

  WhyNotOn on(std::uint32_t server) const {
    const Way* const way = accounts_.shapes.way_on(shape_, server);
    if (way == nullptr) return first_wish_broken(server);
    if (Amounts missing = shortfall(way->demand, accounts_.park.capacity(server)); !is_nothing(missing))
      return {.reason = InTheWay::too_small, .label = {}, .missing = std::move(missing)};
    if (!accounts_.park.is_open(server)) return {.reason = InTheWay::drained, .label = {}, .missing = {}};
    if (Amounts missing = shortfall(way->demand, accounts_.park.free(server)); !is_nothing(missing))
      return {.reason = InTheWay::full, .label = {}, .missing = std::move(missing)};
    return {};
  }

 private:
  WhyNotOn first_wish_broken(std::uint32_t server) const {
    const auto broken =
        std::find_if(wishes_.begin(), wishes_.end(), [&](const Wish& wish) { return !holds(wish, server); });
    MIRAB_ASSERT(broken != wishes_.end(), "a server is not allowed, and no wish keeps the task from it");
    return {.reason = broken->label.empty() ? InTheWay::name : InTheWay::label,
            .label = broken->label,
            .missing = {}};
  }

  const Accounts& accounts_;
  std::uint32_t shape_;
  std::vector<Wish> wishes_;
};

class Count {
 public:
  Count(const Accounts& accounts, std::uint32_t shape)
      : accounts_(accounts), shape_(shape), look_(accounts, shape) {
    found_.servers.lacking.assign(accounts.resource_count(), 0);
    found_.servers.too_small_in.assign(accounts.resource_count(), 0);
    for (const Wish& wish : look_.wishes())
      found_.constraints.push_back({.label = wish.label, .excludes = 0, .alone = 0});
    for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
      if (accounts.servers.holds(server)) count(server);
    }
  }

  ServersFor found() && { return std::move(found_); }

 private:
  void count(std::uint32_t server) {
    const WhyNotOn why = look_.on(server);
    WhyWaiting::Servers& servers = found_.servers;
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
    for (const std::size_t wish : broken) ++found_.constraints[wish].excludes;
    if (broken.size() == 1) ++found_.constraints[broken.front()].alone;
  }

  static void add(const Amounts& missing, std::vector<std::int64_t>& counts) {
    for (std::size_t r = 0; r < counts.size(); ++r) counts[r] += missing[r] > 0 ? 1 : 0;
  }

  void remember_if_nearest(std::uint32_t server, const Amounts& missing) {
    const double part = missing_part(missing, accounts_.shapes.demand_on(shape_, server));
    if (part >= least_) return;
    least_ = part;
    found_.nearest_miss = {
        .server = accounts_.servers.id(server),
        .name = accounts_.shapes.eligibility.description(accounts_.servers[server].description).name,
        .to_free = missing};
  }

  const Accounts& accounts_;
  std::uint32_t shape_;
  Look look_;
  ServersFor found_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

ServersFor servers_for(const Accounts& accounts, std::uint32_t shape) {
  return Count(accounts, shape).found();
}

WhyNotOn why_not_on(const Accounts& accounts, std::uint32_t shape, std::uint32_t server) {
  return Look(accounts, shape).on(server);
}

}  // namespace mirab::scheduling
