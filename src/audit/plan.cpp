// What to buy, or which weight to give, so that a user gets a number of tasks: a search over changed
// clusters, each divided by the mechanism.
//
// f(n) is what the user gets with n_k servers more of each kind, as a part of what is wanted (the least part
// of any of its task shapes). It need not grow with n: under DRF more
// memory can serve others who then take CPUs from the user. So the search does not halve to find the least:
// it tries purchases in the order of their price, from a heap in which each has one parent (the same with one
// server less of its last kind). What bounds f from above for any mechanism is the user alone with all
// servers:
//
//   tasks ≤ Σ_i γ_i + Σ_k n_k γ_k,   γ the tasks that fit on a server,
//
// and for a pool min_r (C_r + Σ_k n_k c_{k,r}) / d_r: purchases below the goal by this bound are not solved.
// Server entries that no user can tell apart are put together first, so that a purchase costs what the
// cluster's classes of servers cost, not its servers.
//
// Example: C = (9, 18), A (1, 4) and B (3, 1) under DRF; A has 3 tasks. For 5 a second server of the same
// size is bought: it has 6 then. Known failure: kinds by the dozen have more cheap purchases than can be
// tried; the plan then says how much cheaper another could be at most.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <span>

#include <mirab/audit/plan.hpp>

#include "audit/cluster_view.hpp"
#include "audit/findings.hpp"
#include "audit/planning.hpp"
#include "model/eligibility.hpp"
#include "model/names.hpp"
#include "numerics/base/threads.hpp"

namespace mirab {
namespace {

using Purchase = std::vector<std::int64_t>;  // [k]

constexpr std::int64_t kMostServers = std::int64_t{1} << 20;  // of a kind
constexpr std::size_t kMostSteps = 2'000'000;                 // purchases that are looked at, solved or not
constexpr std::size_t kPurchasesAtOnce = 16;                  // purchases solved together; not by threads
constexpr std::size_t kSolves = 1000;                         // that may prove a plan, and where they do
constexpr std::size_t kSolvesWithoutProof = 200;              // not, those that are worth the time

Result<Problem> with_purchase(const Problem& problem, const std::vector<ServerKind>& kinds,
                              const Purchase& counts) {
  Cluster cluster = problem.cluster();
  cluster.running.reset();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (counts[k] == 0) continue;
    if (kinds[k].fresh) {
      Server server = *kinds[k].fresh;
      server.name = kinds[k].name;
      server.count = counts[k];
      add_server(cluster, problem, std::move(server));
      continue;
    }
    const auto entry = std::find_if(cluster.servers.begin(), cluster.servers.end(),
                                    [&](const Server& server) { return server.name == kinds[k].name; });
    MIRAB_ASSERT(entry != cluster.servers.end(), "a kind without a capacity is a server entry");
    entry->count += counts[k];
  }
  return Problem::from(std::move(cluster));
}

// The most that the user could have with a purchase, alone with all servers.
class AloneBound {
 public:
  // `all` has one more server of each kind than `problem`.
  AloneBound(const Problem& problem, const Problem& all, Scope scope, std::size_t user,
             const std::vector<ServerKind>& kinds)
      : pool_(scope == Scope::pool) {
    const ResourceVector& demand = problem.users()[user].demand;
    for (const Quantity& amount : demand) demand_.push_back(amount.value());
    capacity_ = problem.pool();
    const ClusterView now(problem, Scope::servers);
    for (std::size_t i = 0; i < now.places(); ++i) tasks_ += now.tasks_with(user, i, now.capacity(i));
    const ClusterView then(all, Scope::servers);
    for (const ServerKind& kind : kinds) {
      const auto entry = std::find_if(all.servers().begin(), all.servers().end(),
                                      [&](const Server& server) { return server.name == kind.name; });
      const auto i = static_cast<std::size_t>(entry - all.servers().begin());
      std::vector<double>& one = more_.emplace_back();
      for (const Quantity& amount : entry->capacity) one.push_back(amount.value());
      more_tasks_.push_back(then.tasks_with(user, i, one));
    }
  }

  double operator()(const Purchase& counts) const {
    const auto sum = [&](double start, const auto& one) {
      for (std::size_t k = 0; k < counts.size(); ++k) start += static_cast<double>(counts[k]) * one(k);
      return start;
    };
    if (!pool_) return sum(tasks_, [&](std::size_t k) { return more_tasks_[k]; });
    double tasks = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < demand_.size(); ++r) {
      if (demand_[r] <= 0) continue;
      tasks = std::min(tasks, sum(capacity_[r], [&](std::size_t k) { return more_[k][r]; }) / demand_[r]);
    }
    return tasks;
  }

  bool any_kind_helps() const {
    return pool_ ||
           std::any_of(more_tasks_.begin(), more_tasks_.end(), [](double tasks) { return tasks > 0; });
  }

 private:
  bool pool_;
  double tasks_ = 0;                       // Σ γ_i now
  std::vector<double> more_tasks_;         // γ_k, [k]
  std::vector<double> demand_, capacity_;  // [r]
  std::vector<std::vector<double>> more_;  // c_{k,r}
};

// The same of a goal: the least part of any of its users.
class GoalBound {
 public:
  GoalBound(const Problem& problem, const Problem& all, Scope scope, const PlanGoal& goal,
            const std::vector<ServerKind>& kinds)
      : goal_(goal) {
    for (const WantedTasks& wanted : goal.tasks) alone_.emplace_back(problem, all, scope, wanted.user, kinds);
  }

  bool may_be_enough(const Purchase& counts) const {
    for (std::size_t k = 0; k < alone_.size(); ++k) {
      if (!is_enough(alone_[k](counts) / goal_.tasks[k].tasks.value())) return false;
    }
    return true;
  }

  // Each of its users may run on one of the kinds.
  bool any_kind_helps() const {
    return std::all_of(alone_.begin(), alone_.end(),
                       [](const AloneBound& each) { return each.any_kind_helps(); });
  }

 private:
  const PlanGoal& goal_;
  std::vector<AloneBound> alone_;
};

struct Solved {
  double part = 0;          // of the goal
  bool is_certain = false;  // divided, to the accuracy of the mechanism
};

// Kinds that are one server entry with another that is cheaper, or as cheap and stands before. [k]
std::vector<bool> copies_among(const std::vector<ServerKind>& kinds) {
  std::vector<bool> copies(kinds.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (std::size_t other = 0; other < kinds.size() && !copies[k]; ++other) {
      const bool is_first =
          kinds[other].price < kinds[k].price || (kinds[other].price == kinds[k].price && other < k);
      copies[k] = other != k && is_first && kinds[other].name == kinds[k].name;
    }
  }
  return copies;
}

// f, and how often it was asked. Remembers its answers.
class PurchaseSearch {
 public:
  PurchaseSearch(const Problem& problem, const Choice& choice, const PlanGoal& goal,
                 const std::vector<ServerKind>& kinds, const PlanOptions& options, const GoalBound& bound)
      : problem_(problem),
        choice_(choice),
        goal_(goal),
        kinds_(kinds),
        options_(options),
        bound_(bound),
        copies_(copies_among(kinds)) {}

  double price(const Purchase& counts) const {
    double sum = 0;
    for (std::size_t k = 0; k < counts.size(); ++k)
      sum += static_cast<double>(counts[k]) * kinds_[k].price.value();
    return sum;
  }

  bool may_be_enough(const Purchase& counts) const { return bound_.may_be_enough(counts); }

  // What is known without a search.
  void learn(const Purchase& counts, const Outcome& outcome) {
    known_.emplace(counts, Solved{part_of_goal(goal_, outcome.allocation.tasks),
                                  outcome.status != Status::not_converged});
  }

  // Nothing when it cannot be divided: an amount beyond what can be counted.
  bool reaches(const Purchase& counts) {
    if (!may_be_enough(counts)) return false;
    solve(std::span(&counts, 1));
    const bool enough = is_enough(known_.at(counts).part);
    if (enough && (!best_ || price(counts) < price(*best_))) best_ = counts;
    return enough;
  }

  // Solves those of them that are not known, on several threads.
  void solve(std::span<const Purchase> asked) {
    std::vector<Purchase> fresh;
    for (const Purchase& counts : asked) {
      if (!known_.contains(counts)) fresh.push_back(counts);
    }
    std::vector<Solved> answers(fresh.size());
    numerics::for_each_index(0, fresh.size(), options_.execution.threads, [&](std::size_t i) {
      const Result<Problem> other = with_purchase(problem_, kinds_, fresh[i]);
      if (!other) return;
      const Result<Outcome> outcome = allocate(*other, choice_);
      if (outcome)
        answers[i] = {part_of_goal(goal_, outcome->allocation.tasks),
                      outcome->status != Status::not_converged};
    });
    for (std::size_t i = 0; i < fresh.size(); ++i) known_.emplace(fresh[i], answers[i]);
    if (options_.progress && !fresh.empty()) options_.progress(known_.size());
  }

  // Is it one server entry with another kind, which is no dearer? It would be listed a second time.
  bool is_copy(std::size_t k) const { return copies_[k]; }

  bool knows(const Purchase& counts) const { return known_.contains(counts); }
  std::size_t solved() const { return known_.size(); }
  const std::optional<Purchase>& best() const { return best_; }
  double most() const {
    double most = 0;
    for (const auto& [counts, answer] : known_) most = std::max(most, answer.part);
    return most;
  }

  // The prices of those that are cheaper than the best and of which it is not known whether they are enough.
  std::vector<double> uncertain_prices() const {
    std::vector<double> prices;
    for (const auto& [counts, answer] : known_) {
      const double each = price(counts);
      if (!answer.is_certain && each < price(*best_)) prices.push_back(each);
    }
    return prices;
  }

  // Do more servers still bring more where the search stops? Also when this cannot be divided.
  bool grows_at_most_servers() {
    const Purchase most(kinds_.size(), kMostServers);
    const Purchase half(kinds_.size(), kMostServers / 2);
    solve(std::array{half, most});
    return !known_.at(most).is_certain || is_less(known_.at(half).part, known_.at(most).part);
  }

  // Of one kind: a count after which one more brings less.
  std::optional<std::int64_t> falls_after() const {
    for (const auto& [counts, answer] : known_) {
      if (counts.size() != 1) return {};
      const auto next = known_.find({counts[0] + 1});
      if (next == known_.end() || !answer.is_certain || !next->second.is_certain) continue;
      if (is_less(next->second.part, answer.part)) return counts[0];
    }
    return {};
  }

  // Halves the count of one kind towards the least that is enough with the others as they are.
  void lessen(Purchase& counts, std::size_t k) {
    std::int64_t few = -1;  // not enough, or none
    std::int64_t many = counts[k];
    while (many - few > 1) {
      const std::int64_t half = few + (many - few) / 2;
      Purchase tried = counts;
      tried[k] = half;
      (reaches(tried) ? many : few) = half;
    }
    counts[k] = many;
  }

  // Purchases that are enough, by doubling: of each kind alone and of all together, and each lessened. A kind
  // is doubled alone as long as half as many, which are not enough, cost less than the best.
  void double_up() {
    const std::size_t kinds = kinds_.size();
    std::vector<std::size_t> dearest(kinds);
    for (std::size_t k = 0; k < kinds; ++k) dearest[k] = k;
    std::stable_sort(dearest.begin(), dearest.end(),
                     [&](std::size_t a, std::size_t b) { return kinds_[a].price > kinds_[b].price; });
    std::vector<bool> done(kinds + 1, false);  // the last is all together
    done[kinds] = kinds == 1;
    for (std::int64_t count = 1; count <= kMostServers; count *= 2) {
      for (std::size_t alone = 0; alone <= kinds; ++alone) {
        Purchase counts(kinds, alone == kinds ? count : 0);
        if (alone < kinds) counts[alone] = count / 2;
        done[alone] = done[alone] || (alone < kinds && best_ && price(counts) >= price(*best_));
        if (done[alone]) continue;
        if (alone < kinds) counts[alone] = count;
        if (!reaches(counts)) continue;
        for (const std::size_t k : dearest) lessen(counts, k);
        reaches(counts);
        done[alone] = true;
      }
    }
  }

 private:
  const Problem& problem_;
  const Choice& choice_;
  const PlanGoal& goal_;
  const std::vector<ServerKind>& kinds_;
  const PlanOptions& options_;
  const GoalBound& bound_;
  std::vector<bool> copies_;  // [k]
  std::map<Purchase, Solved> known_;
  std::optional<Purchase> best_;
};

struct Candidate {
  double price;
  Purchase counts;
  std::size_t last;  // the kind of which one was added last: later ones add to it or to those after it

  friend bool operator>(const Candidate& a, const Candidate& b) {
    return a.price != b.price ? a.price > b.price : a.counts < b.counts;
  }
};

// Purchases in the order of their price: those that may be enough, cheaper than the best that is known;
// `most` of which are not solved yet.
struct Cheaper {
  std::vector<Purchase> purchases = {};
  std::optional<double> next_price = {};  // of the first that is not listed; of none where all are
};

Cheaper cheaper_purchases(const PurchaseSearch& search, std::size_t kinds, std::size_t most) {
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> heap;
  heap.push({0, Purchase(kinds, 0), 0});
  Cheaper cheaper;
  std::size_t fresh = 0;
  for (std::size_t step = 0; !heap.empty(); ++step) {
    const Candidate next = heap.top();
    heap.pop();
    if (search.best() && next.price >= search.price(*search.best())) break;
    if (fresh >= most || step >= kMostSteps) {
      cheaper.next_price = next.price;
      break;
    }
    for (std::size_t k = next.last; k < kinds; ++k) {
      if (next.counts[k] >= kMostServers || search.is_copy(k)) continue;
      Candidate child{0, next.counts, k};
      ++child.counts[k];
      child.price = search.price(child.counts);
      heap.push(std::move(child));
    }
    if (!search.may_be_enough(next.counts)) continue;
    cheaper.purchases.push_back(next.counts);
    if (!search.knows(next.counts)) ++fresh;
  }
  return cheaper;
}

// Tries purchases in the order of their price. Returns the price below which none is enough, and whether the
// best that is known is thereby the cheapest. Of one kind all below a best that is known are tried, whatever
// `solves` says.
std::pair<double, bool> prove(PurchaseSearch& search, std::size_t kinds, std::optional<std::size_t> solves) {
  const bool to_the_end = kinds == 1 && search.best();
  Cheaper cheaper = cheaper_purchases(search, kinds, to_the_end ? SIZE_MAX : solves.value_or(kSolves));
  const bool in_vain = search.best() && cheaper.next_price && !solves;
  if (in_vain) cheaper = cheaper_purchases(search, kinds, kSolvesWithoutProof);
  for (std::size_t first = 0; first < cheaper.purchases.size(); first += kPurchasesAtOnce) {
    const std::size_t last = std::min(first + kPurchasesAtOnce, cheaper.purchases.size());
    const std::span<const Purchase> batch(&cheaper.purchases[first], last - first);
    search.solve(batch);
    for (const Purchase& counts : batch) {
      if (search.reaches(counts)) return {search.price(counts), true};
    }
  }
  if (cheaper.next_price) return {*cheaper.next_price, false};
  return {search.best() ? search.price(*search.best()) : 0, true};
}

// The capacity of an overfull server is what runs there, which no server that is sold has.
Check check_kinds(const Problem& problem, const std::vector<ServerKind>& kinds) {
  for (const ServerKind& kind : kinds) {
    const bool is_overfull =
        std::any_of(problem.servers().begin(), problem.servers().end(),
                    [&](const Server& server) { return server.is_overfull && server.name == kind.name; });
    if (is_overfull)
      return Error{.message = fmt::format("'{}' is overfull: its capacity is what runs there, more than such "
                                          "a server has; name one that is not, or a new kind with its "
                                          "capacity",
                                          kind.name),
                   .key = "--kind"};
  }
  return {};
}

// What keeps a user off a server: `it does not tolerate the taints of 'gpu' (dedicated=ml)`.
std::string what_keeps_off(const Problem& problem, const User& user, const Server& server) {
  if (!is_named(user, server)) return fmt::format("its `servers` leave out '{}'", server.name);
  if (!is_selected(user, server)) return fmt::format("its `select` leaves out '{}'", server.name);
  if (!is_let_in(user, server))
    return fmt::format("it does not tolerate the taints of '{}' ({})", server.name,
                       untolerated_taints(user, server));
  return fmt::format("'{}' has no {}", server.name,
                     problem.resources()[*lacking(demand_on(user, server), server)]);
}

// The same of all kinds, for the first user of the goal who may run on none; and where all on which it may
// run are overfull, that. `all` has a server of each kind.
std::string what_keeps_off_kinds(const Problem& all, const Mechanism& row, const PlanGoal& goal,
                                 const std::vector<ServerKind>& kinds) {
  for (const WantedTasks& wanted : goal.tasks) {
    std::vector<std::string> reasons;
    for (const ServerKind& kind : kinds) {
      for (std::size_t i = 0; i < all.server_count(); ++i) {
        if (all.servers()[i].name == kind.name && !all.eligible(wanted.user, i))
          reasons.push_back(what_keeps_off(all, all.users()[wanted.user], all.servers()[i]));
      }
    }
    if (reasons.size() < kinds.size()) continue;
    constexpr std::size_t kMostReasons = 3;
    const std::vector<std::string_view> words(reasons.begin(), reasons.end());
    const std::optional<std::string> overfull = unchanged_servers(all, row, std::span(&wanted.user, 1));
    return first_names(words, kMostReasons) + (overfull ? "; " + *overfull : "");
  }
  return {};
}

// The same purchase, or less: while one server less of some kind is enough.
Purchase lessened(const Problem& problem, const Choice& choice, const PlanGoal& goal,
                  const std::vector<ServerKind>& kinds, Purchase counts, const PlanOptions& options) {
  const auto is_enough_with = [&](const Purchase& tried) {
    const Result<Problem> other = with_purchase(problem, kinds, tried);
    if (!other) return false;
    const Result<Outcome> outcome = allocate(*other, choice, options.execution);
    return outcome && is_enough(part_of_goal(goal, outcome->allocation.tasks));
  };
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (counts[k] == 0) continue;
    Purchase less = counts;
    --less[k];
    if (!is_enough_with(less)) continue;
    counts = less;
    k = SIZE_MAX;  // from the first kind again
  }
  return counts;
}

// What still stops the goal with the most servers that are tried, if these are limits.
std::string limits_beyond(const Problem& problem, const Choice& choice, const PlanGoal& goal,
                          const std::vector<ServerKind>& kinds, const PlanOptions& options) {
  const Result<Problem> most = with_purchase(problem, kinds, Purchase(kinds.size(), kMostServers));
  if (!most) return {};
  const Result<Outcome> outcome = allocate(*most, choice, options.execution);
  if (!outcome || outcome->status == Status::not_converged) return {};
  return limits_that_hold(*most, *outcome, goal);
}

// Which limits hold with the most servers is asked only where nothing else says more.
Error unreachable(const PlanGoal& goal, PurchaseSearch& search, const std::string& kept_off,
                  const std::function<std::string()>& limits_with_most, std::size_t kinds, double now) {
  if (!kept_off.empty())
    return {.message = fmt::format(
                "'{}' may run on none of these kinds, and without them it cannot have {:.15g} {}: {}",
                goal.user, goal.all_tasks(), goal.all_tasks() == 1 ? "task" : "tasks", kept_off),
            .key = "--kind"};
  if (const std::string limits = limits_with_most(); !limits.empty())
    return {.message = fmt::format("'{}' gets at most {} in all that was tried; raise first {}", goal.user,
                                   most_words(goal, std::max(now, search.most())), limits)};
  const std::string servers =
      fmt::format("{} more servers of {}", kMostServers, kinds == 1 ? "this kind" : "each kind");
  const bool grows = search.grows_at_most_servers();
  const std::string most = most_words(goal, std::max(now, search.most()));
  if (grows)
    return {.message = fmt::format("the search stops at {}; '{}' gets at most {} in all that was tried",
                                   servers, goal.user, most)};
  return {.message = fmt::format("with up to {} '{}' gets at most {} in the {} purchases that were tried",
                                 servers, goal.user, most, search.solved())};
}

}  // namespace

Result<Plan> plan_purchase(const Problem& problem, const Choice& choice, const PlanGoal& goal,
                           const std::vector<ServerKind>& kinds, const PlanOptions& options) {
  MIRAB_ASSERT(!kinds.empty(), "kinds to buy");
  const Mechanism& row = mechanism_of(choice);
  if (Check wrong = check_kinds(problem, kinds)) return *std::move(wrong);
  if (Check wrong = check_goal(problem, row, goal)) return *std::move(wrong);
  Result<Outcome> before = allocate(problem, choice, options.execution);
  if (!before) return before.error();
  const Result<Problem> all = with_purchase(problem, kinds, Purchase(kinds.size(), 1));
  if (!all) return all.error();

  const GoalBound bound(problem, *all, row.scope, goal, kinds);
  const Result<SearchedCluster> merged = searched_cluster(problem, kinds, options.alike);
  if (!merged) return merged.error();
  PurchaseSearch search(merged->problem, choice, goal, merged->kinds, options, bound);
  const Purchase nothing(kinds.size(), 0);
  if (is_enough(part_of_goal(goal, before->allocation.tasks))) search.learn(nothing, *before);
  std::pair<double, bool> proof{0, true};
  if (!search.reaches(nothing)) {
    if (bound.any_kind_helps() || search.may_be_enough(nothing)) {
      search.double_up();
      proof = prove(search, kinds.size(), options.solves);
    }
    if (!search.best())
      return unreachable(
          goal, search, bound.any_kind_helps() ? "" : what_keeps_off_kinds(*all, row, goal, kinds),
          [&] {
            return row.accepts.groups ? limits_beyond(merged->problem, choice, goal, merged->kinds, options)
                                      : std::string();
          },
          kinds.size(), part_of_goal(goal, before->allocation.tasks));
  }
  const Purchase bought =
      options.alike ? lessened(problem, choice, goal, kinds, *search.best(), options) : *search.best();
  Result<Problem> changed = with_purchase(problem, kinds, bought);
  if (!changed) return changed.error();
  Result<Plan> plan = bought == nothing
                          ? Plan{.before = *before, .problem = *std::move(changed), .after = *before}
                          : finished_plan(choice, std::move(changed), *std::move(before), options.execution);
  if (!plan) return plan;
  if (options.alike && !is_enough(part_of_goal(goal, plan->after.allocation.tasks)))
    return plan_purchase(problem, choice, goal, kinds, as_they_are(options));
  plan->bought = bought;
  plan->price = search.price(plan->bought);
  plan->checked = options.alike.has_value();
  const std::vector<double> uncertain = search.uncertain_prices();
  plan->uncertain = uncertain.size();
  plan->exact = proof.second && uncertain.empty() && !plan->checked;
  plan->least_price = proof.second ? plan->price : proof.first;
  for (const double price : uncertain) plan->least_price = std::min(plan->least_price, price);
  if (plan->checked) plan->least_price = 0;  // what is not enough as servers count may be so as they are
  if (!plan->checked) plan->falls_after = search.falls_after();
  plan->solved = search.solved();
  return plan;
}

}  // namespace mirab
