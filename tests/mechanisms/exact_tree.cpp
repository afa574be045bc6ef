#include "mechanisms/exact_tree.hpp"

#include <algorithm>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/CoinPackedVector.hpp>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <stdexcept>

#include "model/exact.hpp"

namespace mirab::testing {
namespace {

using Amounts = std::vector<mpq_class>;

struct Node {
  std::size_t parent = 0;
  std::vector<std::size_t> members = {};
  mpq_class weight = 1;
  Amounts guarantee, reserve;                        // effective, in parts of the pool
  std::vector<std::optional<mpq_class>> limit = {};  // in parts of the pool
  std::optional<std::size_t> user = {};
};

// What a node would use, per unit of some parameter of its own: rates of the users below, and Σ rate d / C.
struct Direction {
  Amounts rate;  // [n]
  Amounts use;   // [r]
};

constexpr double kClpTolerance = 1e-10;
constexpr double kNothing = 1e-7;  // of what a user has alone: it can have no more

class Filling {
 public:
  Filling(const Problem& problem, TreeOver over) : problem_(problem), over_(over) {
    resources_ = problem.resource_count();
    for (std::size_t r = 0; r < resources_; ++r) {
      mpq_class sum = 0;
      for (const Server& server : problem.servers())
        sum += rational(server.capacity[r]) * static_cast<long>(server.count);
      pool_.push_back(sum);
    }
    build();
    tasks_.resize(problem.user_count());
    frozen_.resize(problem.user_count());
  }

  std::vector<mpq_class> run() {
    for (covered_only_ = true;; covered_only_ = false) {
      while (step()) {
      }
      if (!covered_only_) return tasks_;
    }
  }

 private:
  std::size_t leaf(std::size_t n) const { return leaf_[n]; }
  mpq_class demand(std::size_t n, std::size_t r) const { return rational(problem_.users()[n].demand[r]); }
  mpq_class part(std::size_t n, std::size_t r) const {
    return pool_[r] > 0 ? mpq_class(demand(n, r) / pool_[r]) : mpq_class(0);
  }
  bool takes(std::size_t n, std::size_t r) const { return !problem_.users()[n].demand[r].is_zero(); }

  std::size_t add(const Quota& quota, const mpq_class& weight, std::size_t parent) {
    Node node{.parent = parent, .weight = weight, .guarantee = {}, .reserve = {}};
    node.limit.resize(resources_);
    given_.push_back(quota.guarantee.has_value());
    for (std::size_t r = 0; r < resources_; ++r) {
      const auto of_pool = [&](const Quantity& amount) {
        return pool_[r] > 0 ? mpq_class(rational(amount) / pool_[r]) : mpq_class(0);
      };
      node.guarantee.push_back(quota.guarantee ? of_pool((*quota.guarantee)[r]) : mpq_class(0));
      node.reserve.push_back(quota.reserved.empty() ? mpq_class(0) : of_pool(quota.reserved[r]));
      if (!quota.limit.empty() && quota.limit[r]) node.limit[r] = of_pool(*quota.limit[r]);
    }
    nodes_.push_back(std::move(node));
    if (nodes_.size() > 1) nodes_[parent].members.push_back(nodes_.size() - 1);
    return nodes_.size() - 1;
  }

  void build() {
    add({}, 1, 0);
    std::map<std::string, std::size_t> node_of;
    for (const Group& group : problem_.groups()) {
      const std::size_t parent = group.parent ? node_of.at(*group.parent) : 0;
      node_of[group.name] = add(group.quota, rational(group.weight), parent);
    }
    for (std::size_t n = 0; n < problem_.user_count(); ++n) {
      const User& user = problem_.users()[n];
      leaf_.push_back(add(user.quota, rational(user.weight), user.group ? node_of.at(*user.group) : 0));
      nodes_.back().user = n;
    }
    for (std::size_t v = nodes_.size(); v-- > 0;) {
      Amounts guarantee(resources_), reserve(resources_);
      for (const std::size_t m : nodes_[v].members) {
        for (std::size_t r = 0; r < resources_; ++r) {
          guarantee[r] += nodes_[m].guarantee[r];
          reserve[r] += nodes_[m].reserve[r];
        }
      }
      for (std::size_t r = 0; r < resources_; ++r) {
        if (!given_[v]) nodes_[v].guarantee[r] = guarantee[r];
        nodes_[v].reserve[r] = std::max(nodes_[v].reserve[r], reserve[r]);
      }
    }
  }

  // [v][r] of what these tasks use.
  std::vector<Amounts> use_of(const Amounts& tasks) const {
    std::vector<Amounts> use(nodes_.size(), Amounts(resources_));
    for (std::size_t n = 0; n < tasks.size(); ++n) {
      for (std::size_t v = leaf(n);; v = nodes_[v].parent) {
        for (std::size_t r = 0; r < resources_; ++r) use[v][r] += tasks[n] * part(n, r);
        if (v == 0) break;
      }
    }
    return use;
  }

  // Σ q of the members, or what a user uses, [v][r]; with its slope.
  struct Charges {
    std::vector<Amounts> inner, slope;
  };
  Charges charges(const std::vector<Amounts>& use, const std::vector<Amounts>& slope) const {
    Charges c{std::vector<Amounts>(nodes_.size(), Amounts(resources_)),
              std::vector<Amounts>(nodes_.size(), Amounts(resources_))};
    for (std::size_t v = nodes_.size(); v-- > 0;) {
      if (nodes_[v].user) c.inner[v] = use[v], c.slope[v] = slope[v];
      if (v == 0) break;
      const std::size_t p = nodes_[v].parent;
      for (std::size_t r = 0; r < resources_; ++r) {
        const bool kept = c.inner[v][r] < nodes_[v].reserve[r];
        c.inner[p][r] += kept ? nodes_[v].reserve[r] : c.inner[v][r];
        if (!kept) c.slope[p][r] += c.slope[v][r];
      }
    }
    return c;
  }

  mpq_class beyond(std::size_t v, std::size_t r) const { return use_[v][r] - nodes_[v].guarantee[r]; }
  mpq_class raw_key(std::size_t v) const {
    mpq_class key = 0;
    for (std::size_t r = 0; r < resources_; ++r) key = std::max<mpq_class>(key, beyond(v, r));
    return key;
  }
  mpq_class weight(std::size_t v) const { return nodes_[v].weight > 0 ? nodes_[v].weight : mpq_class(1); }
  mpq_class key(std::size_t v) const { return raw_key(v) / weight(v); }

  // Of max(0, max e), to the right.
  mpq_class key_slope(std::size_t v, const Amounts& use) const {
    const mpq_class now = raw_key(v);
    mpq_class slope = 0;
    for (std::size_t r = 0; r < resources_; ++r) {
      if (beyond(v, r) == now) slope = std::max<mpq_class>(slope, use[r]);
    }
    return slope / weight(v);
  }
  mpq_class height(std::size_t v, const Amounts& use) const {
    mpq_class most = 0;
    for (std::size_t r = 0; r < resources_; ++r) {
      if (use[r] > 0) most = std::max<mpq_class>(most, use_[v][r]);
    }
    return most / weight(v);
  }
  mpq_class height_slope(std::size_t v, const Amounts& use) const {
    const mpq_class now = height(v, use) * weight(v);
    mpq_class slope = 0;
    for (std::size_t r = 0; r < resources_; ++r) {
      if (use_[v][r] == now) slope = std::max<mpq_class>(slope, use[r]);
    }
    return slope / weight(v);
  }

  bool is_covered(std::size_t n) const {
    for (std::size_t v = leaf(n); v != 0; v = nodes_[v].parent) {
      bool all = true;
      for (std::size_t r = 0; r < resources_; ++r) all = all && (!takes(n, r) || beyond(v, r) < 0);
      if (all) return true;
    }
    return false;
  }
  bool may_grow(std::size_t v) const {
    if (nodes_[v].user) {
      const std::size_t n = *nodes_[v].user;
      return !frozen_[n] && (!covered_only_ || is_covered(n));
    }
    return std::any_of(nodes_[v].members.begin(), nodes_[v].members.end(),
                       [&](std::size_t m) { return may_grow(m); });
  }

  struct Candidate {
    std::size_t node;
    Direction direction;
    mpq_class slope;  // of κ
    int rank = 0;
  };

  Direction direction(std::size_t v) const {
    Direction found{Amounts(tasks_.size()), Amounts(resources_)};
    if (nodes_[v].user) {
      found.rate[*nodes_[v].user] = 1;
      for (std::size_t r = 0; r < resources_; ++r) found.use[r] = part(*nodes_[v].user, r);
      return found;
    }
    std::vector<Candidate> candidates;
    for (const std::size_t m : nodes_[v].members) {
      if (!may_grow(m)) continue;
      Candidate candidate{.node = m, .direction = direction(m), .slope = 0};
      candidate.slope = key_slope(m, candidate.direction.use);
      const bool beyond_guarantee = raw_key(m) > 0 || candidate.slope > 0;
      candidate.rank = nodes_[m].weight == 0 && beyond_guarantee ? 1 : 0;
      candidates.push_back(std::move(candidate));
    }
    const auto keep_lowest = [&](const auto& value) {
      auto lowest = value(candidates[0]);
      for (const Candidate& c : candidates) lowest = std::min(lowest, value(c));
      std::erase_if(candidates, [&](const Candidate& c) { return value(c) > lowest; });
    };
    keep_lowest([](const Candidate& c) { return mpq_class(c.rank); });
    keep_lowest([&](const Candidate& c) { return key(c.node); });
    const bool flat =
        std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.slope == 0; });
    if (flat) {
      std::erase_if(candidates, [](const Candidate& c) { return c.slope > 0; });
      keep_lowest([&](const Candidate& c) { return height(c.node, c.direction.use); });
    }
    for (const Candidate& c : candidates) {
      const mpq_class slope = flat ? height_slope(c.node, c.direction.use) : c.slope;
      for (std::size_t n = 0; n < found.rate.size(); ++n) found.rate[n] += c.direction.rate[n] / slope;
      for (std::size_t r = 0; r < resources_; ++r) found.use[r] += c.direction.use[r] / slope;
    }
    return found;
  }

  // Who could not have more while all others keep what they have.
  void freeze_stopped() {
    const Charges now = charges(use_, use_);
    for (std::size_t n = 0; n < tasks_.size(); ++n) {
      if (frozen_[n]) continue;
      const auto& cap = problem_.users()[n].tasks;
      bool stops = cap && tasks_[n] == rational(*cap);
      for (std::size_t r = 0; r < resources_; ++r) {
        if (!takes(n, r)) continue;
        bool charged = true;
        for (std::size_t v = leaf(n); v != 0; v = nodes_[v].parent) {
          if (nodes_[v].limit[r] && use_[v][r] >= *nodes_[v].limit[r]) stops = true;
          charged = charged && now.inner[v][r] >= nodes_[v].reserve[r];
        }
        if (charged && now.inner[0][r] >= 1) stops = true;
      }
      frozen_[n] = stops;
    }
  }

  bool step() {
    if (steps_++ > 3'000) throw std::logic_error("the reference does not end");
    use_ = use_of(tasks_);
    freeze_stopped();
    if (!may_grow(0)) return false;
    const Direction found = direction(0);
    mpq_class length = crossing(found);
    if (over_ == TreeOver::servers) length = within_servers(found, length);
    for (std::size_t n = 0; n < tasks_.size(); ++n) tasks_[n] += length * found.rate[n];
    return true;
  }

  // The first moment at which any two lines cross that decide something.
  mpq_class crossing(const Direction& found) const {
    std::optional<mpq_class> first;
    const auto meet = [&](const mpq_class& distance, const mpq_class& speed) {
      if (speed == 0) return;
      const mpq_class time = distance / speed;
      if (time > 0 && (!first || time < *first)) first = time;
    };
    const std::vector<Amounts> slope = use_of(found.rate);
    const Charges charge = charges(use_, slope);
    for (std::size_t n = 0; n < tasks_.size(); ++n) {
      if (const auto& cap = problem_.users()[n].tasks) meet(rational(*cap) - tasks_[n], found.rate[n]);
    }
    for (std::size_t r = 0; r < resources_; ++r) meet(1 - charge.inner[0][r], charge.slope[0][r]);
    for (std::size_t v = 1; v < nodes_.size(); ++v) {
      for (std::size_t r = 0; r < resources_; ++r) {
        if (nodes_[v].limit[r]) meet(*nodes_[v].limit[r] - use_[v][r], slope[v][r]);
        meet(nodes_[v].reserve[r] - charge.inner[v][r], charge.slope[v][r]);
        meet(-beyond(v, r), slope[v][r]);
        for (std::size_t s = 0; s < r; ++s) {
          meet(beyond(v, r) - beyond(v, s), slope[v][s] - slope[v][r]);
          meet(use_[v][r] - use_[v][s], slope[v][s] - slope[v][r]);
        }
      }
      for (const std::size_t w : nodes_[nodes_[v].parent].members) {
        if (w >= v) continue;
        meet(key(v) - key(w), key_slope(w, slope[w]) - key_slope(v, slope[v]));
        for (std::size_t r = 0; r < resources_; ++r) {
          for (std::size_t s = 0; s < resources_; ++s)
            meet(use_[v][r] / weight(v) - use_[w][s] / weight(w),
                 slope[w][s] / weight(w) - slope[v][r] / weight(v));
        }
      }
    }
    return first.value();
  }

  // ------------------------------------------------------------------------------------------ servers

  // The largest sum of `more` times one variable, with totals x_n + that variable times more_n on the
  // servers.
  double most(const Amounts& more) const {
    const auto users = static_cast<int>(tasks_.size());
    CoinPackedMatrix matrix(true, 0, 0);
    const auto servers = static_cast<int>(problem_.server_count());
    const auto resources = static_cast<int>(resources_);
    matrix.setDimensions(users + servers * resources, 0);
    std::vector<double> size;
    for (int n = 0; n < users; ++n) size.push_back(alone(static_cast<std::size_t>(n)));
    for (int n = 0; n < users; ++n) {
      for (int i = 0; i < servers; ++i) {
        const auto user = static_cast<std::size_t>(n), server = static_cast<std::size_t>(i);
        if (!problem_.eligible(user, server)) continue;
        CoinPackedVector column;
        column.insert(n, 1);
        for (int r = 0; r < resources; ++r) {
          const auto resource = static_cast<std::size_t>(r);
          const Server& at = problem_.servers()[server];
          const double capacity = at.capacity[resource].value() * static_cast<double>(at.count);
          const double demand = problem_.users()[user].demand[resource].value();
          if (demand > 0)
            column.insert(users + i * resources + r, demand * size[user] / std::max(capacity, 1e-30));
        }
        matrix.appendCol(column);
      }
    }
    CoinPackedVector variable;
    for (int n = 0; n < users; ++n) {
      const auto user = static_cast<std::size_t>(n);
      if (more[user] != 0) variable.insert(n, -more[user].get_d() / size[user]);
    }
    matrix.appendCol(variable);
    std::vector<double> objective(static_cast<std::size_t>(matrix.getNumCols()), 0.0);
    objective.back() = -1;
    // Totals may be a little above what servers hold; a program that is found infeasible for it has more
    // room.
    for (const double room : {1e-11, 2e-9, 2e-8}) {
      std::vector<double> lower(static_cast<std::size_t>(matrix.getNumRows()), -COIN_DBL_MAX);
      std::vector<double> upper(lower.size(), 1.0);
      for (std::size_t n = 0; n < tasks_.size(); ++n)
        lower[n] = upper[n] = tasks_[n].get_d() / size[n] * (1 - room);
      ClpSimplex model;
      model.setLogLevel(0);
      model.loadProblem(matrix, nullptr, nullptr, objective.data(), lower.data(), upper.data());
      model.setPrimalTolerance(kClpTolerance);
      model.setDualTolerance(kClpTolerance);
      model.primal();
      if (model.isProvenOptimal()) return std::max(0.0, -model.objectiveValue());
    }
    throw std::logic_error("Clp found no optimum");
  }

  double alone(std::size_t n) const {
    mpq_class share = 0;
    for (std::size_t r = 0; r < resources_; ++r) share = std::max(share, part(n, r));
    return mpq_class(1 / share).get_d();
  }

  // The step, cut where servers end it; then who can have no more is frozen.
  mpq_class within_servers(const Direction& found, const mpq_class& length) {
    Amounts more = found.rate;
    bool is_rounding = true;  // of a former program
    for (std::size_t n = 0; n < more.size(); ++n) {
      more[n] *= length;
      is_rounding = is_rounding && more[n] < alone(n) * 1e-12;
    }
    if (is_rounding) return length;
    const double part_of_it = most(more);
    if (part_of_it >= 1) return length;
    for (std::size_t n = 0; n < tasks_.size(); ++n) tasks_[n] += mpq_class(part_of_it) * more[n];
    std::vector<double> left(tasks_.size(), 1);
    for (std::size_t n = 0; n < tasks_.size(); ++n) {
      if (frozen_[n]) continue;
      Amounts one(tasks_.size());
      one[n] = mpq_class(alone(n));
      left[n] = most(one);
    }
    double nearest = 1;
    for (std::size_t n = 0; n < left.size(); ++n) {
      if (!frozen_[n] && found.rate[n] > 0) nearest = std::min(nearest, left[n]);
    }
    for (std::size_t n = 0; n < left.size(); ++n)
      frozen_[n] = frozen_[n] || left[n] <= std::max(kNothing, found.rate[n] > 0 ? nearest : 0);
    return 0;
  }

  const Problem& problem_;
  TreeOver over_;
  std::size_t resources_ = 0;
  Amounts pool_;
  std::vector<Node> nodes_;
  std::vector<bool> given_;  // a guarantee of its own
  std::vector<std::size_t> leaf_;
  Amounts tasks_;
  std::vector<bool> frozen_;
  std::vector<Amounts> use_;  // at the beginning of the step
  bool covered_only_ = true;
  int steps_ = 0;
};

Quantity whole(Random& random, std::int64_t from, std::int64_t to) {
  return Quantity(from + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(to - from + 1))));
}

using Whole = std::vector<std::int64_t>;

// A guarantee within what is left of the parent's, and a reserve within it; limits above it.
Quota random_quota(Random& random, Whole& left, const Whole& pool) {
  Quota quota;
  Whole guarantee(left.size(), 0);
  if (random.unit() < 0.45) {
    quota.guarantee.emplace();
    for (std::size_t r = 0; r < left.size(); ++r) {
      if (random.unit() < 0.75)
        guarantee[r] = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(left[r]) + 1));
      quota.guarantee->emplace_back(guarantee[r]);
      left[r] -= guarantee[r];
    }
    if (random.unit() < 0.4) {
      for (const std::int64_t g : guarantee) quota.reserved.push_back(whole(random, 0, g));
    }
  }
  if (random.unit() >= 0.3) return quota;
  quota.limit.resize(left.size());
  for (std::size_t r = 0; r < left.size(); ++r) {
    if (random.unit() < 0.5)
      quota.limit[r] = whole(random, guarantee[r], std::max(guarantee[r], pool[r] * 2 / 3));
  }
  return quota;
}

}  // namespace

std::vector<mpq_class> exact_tree(const Problem& problem, TreeOver over) {
  return Filling(problem, over).run();
}

Problem random_tree(Random& random, const TreeStyle& style) {
  while (true) {
    Cluster cluster;
    const std::size_t m = 1 + random.below(style.resources_max);
    for (std::size_t r = 0; r < m; ++r) cluster.resources.push_back(fmt::format("r{}", r));
    Whole pool(m, 0);
    for (std::size_t i = 1 + random.below(style.servers_max); i > 0; --i) {
      Server server{.name = fmt::format("s{}", i), .capacity = {}};
      for (std::size_t r = 0; r < m; ++r) {
        const Quantity amount = whole(random, 4, 20);
        pool[r] += static_cast<std::int64_t>(amount.value());
        server.capacity.push_back(amount);
      }
      cluster.servers.push_back(std::move(server));
    }
    // Nodes with what is left of their guarantees for their members; the cluster first.
    struct Place {
      std::optional<std::string> name;
      std::size_t depth, budget;
    };
    std::vector<Place> places = {{.name = {}, .depth = 0, .budget = 0}};
    std::vector<Whole> budgets = {pool};
    const auto quota = [&](std::size_t place) {
      return style.quotas ? random_quota(random, budgets[places[place].budget], pool) : Quota{};
    };
    const auto weight = [&] {
      if (style.without_weight && random.unit() < 0.08) return Quantity(0);
      return random.unit() < 0.5 ? Quantity(1) : whole(random, 1, 4);
    };
    const std::size_t leaves = 1 + random.below(style.leaves_max);
    const std::size_t groups = random.below(leaves);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t under = random.below(places.size());
      if (places[under].depth >= 3) continue;
      Group group{.name = fmt::format("g{}", g), .parent = places[under].name, .weight = weight()};
      group.quota = quota(under);
      std::size_t budget = places[under].budget;
      if (group.quota.guarantee) {
        budget = budgets.size();
        budgets.emplace_back();
        for (const Quantity& amount : *group.quota.guarantee)
          budgets.back().push_back(static_cast<std::int64_t>(amount.value()));
      }
      places.push_back({.name = group.name, .depth = places[under].depth + 1, .budget = budget});
      cluster.groups.push_back(std::move(group));
    }
    for (std::size_t n = 0; n < leaves; ++n) {
      const std::size_t under = n < places.size() ? places.size() - 1 - n : random.below(places.size());
      User user{.name = fmt::format("u{}", n), .demand = {}, .weight = weight(), .group = places[under].name};
      for (std::size_t r = 0; r < m; ++r)
        user.demand.push_back(random.unit() < 0.35 ? Quantity(0) : whole(random, 1, 5));
      user.demand[random.below(m)] = whole(random, 1, 5);
      if (style.capped_users && random.unit() < 0.35) user.tasks = whole(random, 1, 6);
      if (style.quotas && random.unit() < 0.3) user.quota = quota(under);
      if (style.placement && random.unit() < 0.4) {
        user.servers.emplace();
        for (const Server& server : cluster.servers) {
          if (random.below(2) == 0) user.servers->push_back(server.name);
        }
      }
      cluster.users.push_back(std::move(user));
    }
    // A draw with an empty group, or a limit below what members are guaranteed, is drawn again.
    if (Result<Problem> problem = Problem::from(std::move(cluster))) return *std::move(problem);
  }
}

}  // namespace mirab::testing
