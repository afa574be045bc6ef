#include "audit/cluster_view.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "model/eligibility.hpp"

namespace mirab {
namespace {

std::vector<double> values(const ResourceVector& amounts, double times = 1) {
  std::vector<double> numbers;
  numbers.reserve(amounts.size());
  for (const Quantity& amount : amounts) numbers.push_back(amount.value() * times);
  return numbers;
}

}  // namespace

ClusterView::ClusterView(const Problem& problem, Scope scope)
    : problem_(problem), is_pool_(scope == Scope::pool) {
  if (is_pool_) {
    capacity_.push_back(problem.pool());
    in_pool_ = eligible_somewhere(problem);
  } else {
    for (const Server& server : problem.servers())
      capacity_.push_back(values(server.capacity, static_cast<double>(server.count)));
  }
  for (const User& user : problem.users()) {
    demand_.push_back(values(user.demand));
    total_weight_ += user.weight.value();
  }
  if (is_pool_ || !problem.has_demand_on()) return;
  for (std::size_t i = 0; i < places(); ++i) {
    for (std::size_t n = 0; n < users(); ++n) {
      const User& user = problem.users()[n];
      const auto special = user.demand_on.find(problem.servers()[i].name);
      if (special != user.demand_on.end()) demand_on_.emplace(std::pair(n, i), values(special->second));
    }
  }
}

std::string ClusterView::place_name(std::size_t i) const {
  return is_pool_ ? "the pool" : problem_.servers()[i].name;
}

const std::vector<double>& ClusterView::demand(std::size_t n, std::size_t i) const {
  if (demand_on_.empty()) return demand_[n];
  const auto special = demand_on_.find({n, i});
  return special == demand_on_.end() ? demand_[n] : special->second;
}

bool ClusterView::eligible(std::size_t n, std::size_t i) const {
  return is_pool_ ? in_pool_[n] : problem_.eligible(n, i);
}

double ClusterView::cap(std::size_t n) const {
  const std::optional<Quantity>& tasks = problem_.users()[n].tasks;
  return tasks ? tasks->value() : std::numeric_limits<double>::infinity();
}

double ClusterView::tasks_with(std::size_t n, std::size_t i, std::span<const double> bundle) const {
  if (!eligible(n, i)) return 0;
  const std::vector<double>& d = demand(n, i);
  double tasks = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < d.size(); ++r) {
    if (d[r] > 0) tasks = std::min(tasks, bundle[r] / d[r]);
  }
  return tasks;
}

double ClusterView::alone_everywhere(std::size_t n) const {
  double tasks = 0;
  for (std::size_t i = 0; i < places(); ++i) tasks += tasks_with(n, i, capacity_[i]);
  return tasks;
}

std::string names_of(const ClusterView& ground, const std::vector<std::size_t>& users) {
  std::string text = ground.user_name(users[0]);
  if (users.size() > 1) text += fmt::format(" and {} like it", users.size() - 1);
  return text;
}

bool is_rounding(const Division& division, std::size_t user, double tasks) {
  return tasks < kDustOfTasks * ClusterView(division.problem, division.scope).alone_everywhere(user);
}

std::vector<std::vector<double>> charged(const Tree& tree, const std::vector<std::vector<double>>& used) {
  std::vector<std::vector<double>> charge(used.size());
  for (std::size_t v = used.size(); v-- > 0;) {
    if (tree.is_user(v)) charge[v] = used[v];
    if (charge[v].empty()) charge[v].assign(used[v].size(), 0.0);
    const std::span<const double> reserve = tree.reserve(v);
    for (std::size_t r = 0; r < reserve.size(); ++r) charge[v][r] = std::max(charge[v][r], reserve[r]);
    if (v == 0) break;
    std::vector<double>& above = charge[tree.parent(v)];
    above.resize(used[v].size());
    for (std::size_t r = 0; r < above.size(); ++r) above[r] += charge[v][r];
  }
  return charge;
}

bool has_some(std::span<const double> amounts) {
  return std::any_of(amounts.begin(), amounts.end(), [](double amount) { return amount > 0; });
}

std::vector<double> parts_of_the_tree(const Tree& tree) {
  std::vector<double> part(tree.size(), 1.0);
  for (std::size_t v = 0; v < tree.size(); ++v) {
    double weights = 0;
    for (const std::size_t c : tree.members(v)) weights += tree.weight(c);
    for (const std::size_t c : tree.members(v))
      part[c] = weights > 0 ? part[v] * tree.weight(c) / weights : 0;
  }
  return part;
}

std::vector<std::size_t> parents_of_teams(const Problem& problem) {
  const Tree& tree = problem.tree();
  std::vector<std::size_t> parents{0};
  for (std::size_t g = 0; g < tree.group_count(); ++g) {
    if (!problem.groups()[g].is_user) parents.push_back(tree.node_of_group(g));
  }
  return parents;
}

std::vector<std::size_t> users_below(const Tree& tree, std::size_t node) {
  std::vector<std::size_t> users;
  std::vector<std::size_t> open{node};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (tree.is_user(next)) users.push_back(tree.user_at(next));
    const std::span<const std::size_t> members = tree.members(next);
    open.insert(open.end(), members.begin(), members.end());
  }
  std::sort(users.begin(), users.end());
  return users;
}

std::vector<std::size_t> users_of_team(const Problem& problem, const std::string& team) {
  const Tree& tree = problem.tree();
  for (std::size_t g = 0; g < tree.group_count(); ++g) {
    if (problem.groups()[g].name == team) return users_below(tree, tree.node_of_group(g));
  }
  return {};
}

const std::string& node_name(const Problem& problem, std::size_t node) {
  const Tree& tree = problem.tree();
  return tree.is_user(node) ? problem.users()[tree.user_at(node)].name
                            : problem.groups()[tree.group_at(node)].name;
}

}  // namespace mirab
