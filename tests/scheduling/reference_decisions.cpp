// The next decision of the reference: all keys, then all servers.
#include <algorithm>
#include <cmath>
#include <set>

#include "model/exact.hpp"
#include "numerics/pool/dual.hpp"
#include "scheduling/reference_candidate.hpp"

namespace mirab::scheduling {
namespace {

/// ‖d / Σ d − f / Σ f‖₁, or relative to the first resource, amounts as parts of the pool; as published
/// without a value where it divides by zero.
std::optional<double> distance(const Amounts& demand, const Amounts& free, const Amounts& pool,
                               bool published) {
  std::vector<double> d, f;
  double d_all = 0, f_all = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    d.push_back(pool[r] > 0 ? static_cast<double>(demand[r]) / static_cast<double>(pool[r]) : 0);
    f.push_back(pool[r] > 0 ? static_cast<double>(free[r]) / static_cast<double>(pool[r]) : 0);
    d_all += d[r], f_all += f[r];
  }
  if (published) d_all = d[0], f_all = f[0];
  if (d_all == 0 || f_all == 0) return {};
  double h = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) h += std::abs(d[r] / d_all - f[r] / f_all);
  return h;
}

}  // namespace

namespace {

const Amounts& first_demand(const JobSubmitted& look) { return demand_anywhere(look, {}, 0); }

bool reference_decisions_is_within(const Amounts& demand, const Amounts& room) {
  return std::equal(demand.begin(), demand.end(), room.begin(), std::less_equal<>());
}

}  // namespace

/// s_r
mpq_class ReferenceEngine::scale(std::size_t r) const {
  return options_.share_scale.empty() ? mpq_class(1) : rational(options_.share_scale[r]);
}

std::size_t ReferenceEngine::dominant_resource(const Amounts& demand) const {
  const Amounts pool = this->pool();
  std::optional<std::size_t> dominant;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] == 0) continue;
    if (!dominant || ratio(demand[r], pool[r]) > ratio(demand[*dominant], pool[*dominant])) dominant = r;
  }
  return dominant.value_or(0);
}

/// u: the tasks that run when the user has the whole cluster, and may use all of it.
mpq_class ReferenceEngine::alone(const JobSubmitted& look) const {
  mpq_class alone = 0;
  if (!look.roles.empty()) {  // of whole jobs, that many tasks each
    mpz_class tasks = 0;
    std::vector<mpz_class> all(options_.resources.size());
    for (const Role& role : look.roles) {
      tasks += role.tasks;
      for (std::size_t r = 0; r < all.size(); ++r) all[r] += mpz_class(role.demand[r]) * role.tasks;
    }
    for (const Server& server : servers_) {
      std::optional<mpq_class> jobs;
      for (std::size_t r = 0; r < all.size(); ++r) {
        if (all[r] == 0) continue;
        const mpq_class part = mpq_class(server.added.capacity[r]) / mpq_class(all[r]);
        jobs = jobs ? std::min(*jobs, part) : part;
      }
      alone += *jobs * tasks;
    }
    return alone > 0 ? alone : mpq_class(1);
  }
  for (const Server& server : servers_) {
    const auto named = look.demand_on.find(server.added.name);
    const Amounts& demand = named == look.demand_on.end() ? look.demand : named->second;
    std::optional<mpq_class> there;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r] == 0) continue;
      const mpq_class tasks = ratio(server.added.capacity[r], demand[r]);
      there = there ? std::min(*there, tasks) : tasks;
    }
    alone += *there;
  }
  return alone > 0 ? alone : mpq_class(1);
}

/// The prices of the divisible allocation, from the same solver, whose rows stand as the engine numbers its
/// users: so equal means equal doubles here too.
std::vector<double> ReferenceEngine::prices() const {
  const Amounts pool = this->pool();
  std::vector<std::pair<std::uint32_t, const User*>> present;
  for (const User& user : users_) {
    const auto oldest = std::find_if(groups_.begin(), groups_.end(),
                                     [&](const Group& group) { return group.user == user.id; });
    if (oldest == groups_.end()) continue;
    bool can_run = true;
    for (std::size_t r = 0; r < pool.size(); ++r)
      can_run = can_run && (pool[r] > 0 || demand_anywhere(oldest->look, {}, 0)[r] == 0);
    if (can_run) present.emplace_back(static_cast<std::uint32_t>(user.id), &user);
  }
  std::sort(present.begin(), present.end());
  std::vector<std::size_t> resources;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] > 0) resources.push_back(r);
  }
  std::vector<double> prices(pool.size(), 0.0);
  if (present.empty() || resources.empty()) return prices;

  using Eigen::Index;
  Eigen::ArrayXXd demand(static_cast<Index>(present.size()), static_cast<Index>(resources.size()));
  Eigen::ArrayXd weight(demand.rows());
  for (Index n = 0; n < demand.rows(); ++n) {
    const User& user = *present[static_cast<std::size_t>(n)].second;
    const auto oldest = std::find_if(groups_.begin(), groups_.end(),
                                     [&](const Group& group) { return group.user == user.id; });
    weight[n] = user.weight.get_num().get_d() / user.weight.get_den().get_d();
    for (Index k = 0; k < demand.cols(); ++k) {
      const std::size_t r = resources[static_cast<std::size_t>(k)];
      demand(n, k) =
          static_cast<double>(demand_anywhere(oldest->look, {}, 0)[r]) / static_cast<double>(pool[r]);
    }
  }
  const numerics::PricedAmounts priced =
      numerics::solve_dual({demand, Eigen::ArrayXd::Ones(demand.cols()), weight, Eigen::ArrayXd(0), 1.0},
                           {.target = 1e-12, .accepted = 1e-9});
  for (Index k = 0; k < demand.cols(); ++k)
    prices[resources[static_cast<std::size_t>(k)]] = std::exp(priced.log_price[k]);
  return prices;
}

/// docs/explanation/mathematics.md, section 8.
mpq_class ReferenceEngine::key(const Group& group, const std::vector<double>& prices) const {
  const User& user =
      *std::find_if(users_.begin(), users_.end(), [&](const User& each) { return each.id == group.user; });
  const std::string& discipline = options_.discipline.name;
  const Amounts pool = this->pool();
  const Amounts used = this->used(user.id);
  mpq_class key = 0;
  if (discipline == "round-robin") {
    key = state(user).running;
  } else if (discipline == "drf") {
    for (std::size_t r = 0; r < pool.size(); ++r)
      if (pool[r] > 0) key = std::max<mpq_class>(key, scale(r) * ratio(used[r], pool[r]));
  } else if (discipline == "asset") {
    for (std::size_t r = 0; r < pool.size(); ++r)
      if (pool[r] > 0) key += scale(r) * ratio(used[r], pool[r]);
  } else if (discipline == "tsf") {
    for (const Task& task : tasks_) {
      if (task.user != user.id) continue;
      const Job& job =
          *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == task.job; });
      key += 1 / alone(this->group(job).look);
    }
  } else if (discipline == "pf") {
    double spent = 0;  // in the order of the engine's sum: the prices are doubles
    for (std::size_t r = 0; r < pool.size(); ++r)
      if (pool[r] > 0) spent += static_cast<double>(used[r]) / static_cast<double>(pool[r]) * prices[r];
    return spent / (user.weight.get_num().get_d() / user.weight.get_den().get_d());
  }
  return key / user.weight;
}

/// max_r s_r (a_r / c_r) / φ over the demanded resources, where a is what the user would use if all tasks of
/// the group took this demand.
mpq_class ReferenceEngine::virtual_share(const Group& group, const Amounts& capacity,
                                         const Amounts& demand) const {
  std::vector<mpq_class> amounts(capacity.size());
  for (const Task& task : tasks_) {
    if (task.user != group.user) continue;
    const Job& job =
        *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == task.job; });
    const bool takes_it = job.group == group.number && group.look.roles.empty();
    const Amounts& takes = takes_it ? demand : task.demand;
    for (std::size_t r = 0; r < amounts.size(); ++r) amounts[r] += takes[r];
  }
  mpq_class share = 0;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (demand[r] > 0 && capacity[r] > 0)
      share = std::max<mpq_class>(share, scale(r) * amounts[r] / mpq_class(capacity[r]));
  }
  return share / std::find_if(users_.begin(), users_.end(), [&](const User& each) {
                   return each.id == group.user;
                 })->weight;
}

/// What a task may take on the servers that the job admits, each demand once: the default first, then by
/// name.
std::vector<Amounts> ReferenceEngine::demands(const JobSubmitted& look) const {
  std::vector<Amounts> demands;
  for (const Role& role : look.roles) {
    if (std::find(demands.begin(), demands.end(), role.demand) == demands.end())
      demands.push_back(role.demand);
  }
  if (look.roles.empty()) demands.push_back(look.demand);
  for (const auto& [name, demand] : look.demand_on) {
    const bool is_admitted =
        !look.servers || std::find(look.servers->begin(), look.servers->end(), name) != look.servers->end();
    if (is_admitted && std::find(demands.begin(), demands.end(), demand) == demands.end())
      demands.push_back(demand);
  }
  return demands;
}

std::vector<ReferenceEngine::Candidate> ReferenceEngine::candidates() const {
  const std::string& discipline = options_.discipline.name;
  const std::vector<double> prices = discipline == "pf" ? this->prices() : std::vector<double>{};
  const bool is_flat = !has_tree();  // else keys are those of the tree: reference_tree.cpp
  std::vector<Candidate> candidates;
  for (const Group& group : groups_) {
    if (!waits(group.number)) continue;
    const Job* const waiting = &first_waiting(group);
    const auto user =
        std::find_if(users_.begin(), users_.end(), [&](const User& each) { return each.id == group.user; });
    const auto add = [&](std::size_t place, const mpq_class& key, const Amounts& demand = {}) {
      candidates.push_back({.group = &group,
                            .job = waiting,
                            .place = place,
                            .demand = demand,
                            .key = key,
                            .user_order = user->order});
    };
    if (discipline == "fifo") {
      add(0, mpq_class(waiting->sequence));
    } else if (discipline == "mlf-drs" || discipline == "mrfs") {
      const std::size_t line = dominant_resource(first_demand(group.look));
      // Round first, then arrival: no two arrivals are the same.
      add(line, mpq_class(std::max(next_round_[line], present_round_)) +
                    mpq_class(group.arrival) / mpq_class(waits_before_ + 1));
    } else if (discipline == "ps-dsf") {
      for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        for (const Amounts& demand : demands(group.look)) {
          if (std::any_of(servers_.begin(), servers_.end(), [&](const Server& server) {
                if (server.drained || server.added.capacity != kinds_[kind]) return false;
                if (!group.look.roles.empty())
                  return may_run(group.look, 0, server) &&
                         reference_decisions_is_within(demand, server.added.capacity);
                return can_ever_run(group.look, server) && demand_on(group.look, server) == demand;
              })) {
            add(kind, is_flat ? virtual_share(group, *kinds_[kind], demand) : mpq_class(0), demand);
          }
        }
      }
    } else {
      add(0, is_flat ? key(group, prices) : mpq_class(0));
    }
  }
  const bool last = options_.tie == Tie::last;
  // Of one job the place where the fewest groups wait comes first; then the tournaments are in order.
  const auto waiting_at = [&](std::size_t place) {
    std::set<std::uint64_t> groups;
    for (const Candidate& each : candidates) {
      if (each.place == place) groups.insert(each.group->number);
    }
    return groups.size();
  };
  std::vector<std::size_t> waiting;  // [place]
  for (const Candidate& each : candidates) {
    waiting.resize(std::max(waiting.size(), each.place + 1));
    waiting[each.place] = waiting_at(each.place);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.key != b.key) return a.key < b.key;
    if (a.user_order != b.user_order) return last ? a.user_order > b.user_order : a.user_order < b.user_order;
    if (a.job != b.job) return is_before(*a.job, *b.job);
    return waiting[a.place] < waiting[b.place];
  });
  return candidates;
}

/// Where the placement may put it: one server, or several where chance or rounding decides.
std::vector<ServerId> ReferenceEngine::servers_for(const Candidate& candidate) const {
  if (const JobSubmitted& look = candidate.group->look; !look.roles.empty()) {
    const std::vector<RoleOn> places = places_of_roles(look, candidate.job->id);
    if (places.empty()) return {};
    const auto& [role, server] = places.front();
    if (options_.discipline.name == "ps-dsf" &&
        (server->added.capacity != kinds_[candidate.place] ||
         look.roles[static_cast<std::size_t>(role)].demand != candidate.demand))
      return {};
    return {server->id};
  }
  std::vector<const Server*> fitting =
      first_of_batch(candidate.group->look, candidate.job->id, batch(candidate.job->id));
  std::erase_if(fitting, [&](const Server* server) {
    return options_.discipline.name == "ps-dsf" &&
           (server->added.capacity != kinds_[candidate.place] ||
            demand_on(candidate.group->look, *server) != candidate.demand);
  });
  if (!fitting.empty()) fitting = best_of(std::move(fitting), candidate.group->look);
  std::vector<ServerId> ids;
  for (const Server* server : fitting) ids.push_back(server->id);
  return ids;
}

std::vector<const ReferenceEngine::Server*> ReferenceEngine::best_of(std::vector<const Server*> fitting,
                                                                     const JobSubmitted& look) const {
  if (options_.discipline.name == "mrfs") return fitting;  // it chooses for itself: see the tests of mrfs
  const std::string& placement = options_.placement.name;
  if (placement == "first-fit") return {fitting.front()};
  if (placement == "next-fit") {
    const auto next = std::find_if(fitting.begin(), fitting.end(),
                                   [&](const Server* server) { return server->slot >= last_used_; });
    return {next == fitting.end() ? fitting.front() : *next};
  }
  if (placement == "worst-fit") {
    const auto tasks_that_fit = [&](const Server* server) {
      const Amounts demand = *demand_on(look, *server);
      const Amounts free = state(*server).free;
      std::optional<mpq_class> tasks;
      for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] == 0) continue;
        const mpq_class of_r = ratio(free[r], demand[r]);
        tasks = tasks ? std::min(*tasks, of_r) : of_r;
      }
      return *tasks;
    };
    return {*std::max_element(fitting.begin(), fitting.end(), [&](const Server* a, const Server* b) {
      return tasks_that_fit(a) < tasks_that_fit(b);
    })};
  }
  if (placement == "best-fit") {
    const bool published = options_.placement.options.contains("published") &&
                           options_.placement.options.at("published") == "true";
    const auto h = [&](const Server* server) {
      return distance(*demand_on(look, *server), state(*server).free, pool(), published);
    };
    std::optional<double> least;
    for (const Server* server : fitting) {
      if (const auto here = h(server)) least = std::min(least.value_or(*here), *here);
    }
    if (!least) return {fitting.front()};
    // The rounded distances of the placement need not be these to the last digit.
    std::erase_if(fitting,
                  [&](const Server* server) { return h(server).value_or(INFINITY) > *least + 1e-9; });
  }
  return fitting;
}

ReferenceEngine::Options ReferenceEngine::next(Random& random) const {
  if (const std::optional<Option> kept = kept_with_room(random))
    return {.options = {*kept}, .or_nothing = false};
  if (has_tree()) return next_in_tree(random);
  const std::vector<Candidate> all = candidates();
  Options next{.options = {}, .or_nothing = true};
  const mpq_class* lowest = nullptr;  // key of those that may be served
  std::vector<UserId> drawn;          // who of those that tie has had its chance
  for (const Candidate& candidate : all) {
    if (lowest != nullptr && candidate.key != *lowest) break;
    const bool again = std::find(drawn.begin(), drawn.end(), candidate.group->user) != drawn.end();
    if (again) continue;
    const std::vector<ServerId> servers = servers_for(candidate);
    if (servers.empty() && !freeze_) continue;
    if (lowest == nullptr) next.or_nothing = false;
    lowest = &candidate.key;
    drawn.push_back(candidate.group->user);
    if (servers.empty()) {
      next.or_nothing = true;
    } else {
      next.options.push_back({.job = candidate.job->id,
                              .user = candidate.group->user,
                              .servers = servers,
                              .role = next_role(candidate.job->id)});
    }
    if (options_.tie != Tie::random) break;
  }
  if (next.or_nothing) {
    if (const std::optional<Option> taken = preemption()) {
      next.options.push_back(*taken);
      next.or_nothing = false;
      return next;
    }
  }
  if (options_.tie != Tie::random && options_.placement.name == "random" &&
      options_.discipline.name != "mrfs" && !next.options.empty() && !has_roles(next.options.front().job)) {
    std::vector<ServerId>& servers = next.options.front().servers;
    servers = {servers[random.below(servers.size())]};
  }
  return next;
}

bool ReferenceEngine::has_roles(JobId id) const {
  const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  return !job->waiting_by_role.empty();
}

void ReferenceEngine::run(const Job& job, TaskId task, const Server& server, std::int64_t role) {
  tasks_.push_back({.id = task,
                    .job = job.id,
                    .user = job.user,
                    .server = server.id,
                    .demand = demand_anywhere(group(job).look, server.added.name, role),
                    .started = now_,
                    .role = role});
  last_used_ = server.slot;
}

void ReferenceEngine::place(const Placed& placed) {
  for (const Preempted& lost : placed.preempted) {
    happen(TaskFailed{.task = lost.task}, 0);
    preempted_.push_back(now_);
  }
  futile_at_.reset();
  const auto job =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == placed.job; });
  const auto server = std::find_if(servers_.begin(), servers_.end(),
                                   [&](const Server& each) { return each.id == placed.server; });
  first_servers_ = servers_kept_for(*job);
  run(*job, placed.task, *server, placed.role);
  const bool is_any_kept =
      std::any_of(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.group == job->group; });
  spares_companions_ = has_terms(group(*job).look) && is_any_kept;
  if (has_roles(job->id)) spares_companions_ = !first_servers_.empty();
  tasks_.back().is_protected = spares_companions_ || kept_on(server->id) != kept_.end();
  tasks_.back().is_fresh = true;
  --job->waiting;
  if (!job->waiting_by_role.empty()) --job->waiting_by_role[static_cast<std::size_t>(placed.role)];
  const auto its = [&](const Group& group) { return group.number == job->group; };
  std::find_if(groups_.begin(), groups_.end(), its)->since = now_;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.group == job->group; });
  const std::size_t line = dominant_resource(first_demand(group(*job).look));
  present_round_ = std::max(present_round_, next_round_[line]);
  next_round_[line] = present_round_ + 1;
}

}  // namespace mirab::scheduling
