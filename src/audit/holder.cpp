// At which node on its path a user is held back, and by what (docs/how-to/teams.md).
//
// A full resource is passed on from the cluster down the path: a node has a part of what its parent has, and
// the user has the product of these parts. The least of them is where most is lost, so this is the node that
// holds the user back; the siblings there have the rest. Of several full resources it is the one of which the
// user has the largest part. Example: of 40 GPUs
// research has 29.33, of these vision 8.53 and language 20.8, and alice has all GPUs of vision: 73 %, 29 %,
// 100 %. It is vision that holds alice back.
#include "audit/holder.hpp"

#include <algorithm>
#include <cmath>

#include <mirab/audit/metrics.hpp>

#include "audit/cluster_view.hpp"
#include "fairness/share.hpp"

namespace mirab {
namespace {

constexpr double kLevelWithin = 1e-6;  // of a key: beyond what a converged outcome leaves
constexpr double kSumsWithin = 1e-9;   // of what there is: beyond what sums are rounded to

bool demands_any(const User& user, const std::vector<std::size_t>& resources) {
  return resources.empty() || std::any_of(resources.begin(), resources.end(),
                                          [&](std::size_t r) { return !user.demand[r].is_zero(); });
}

// The part of a node in what its parent holds of a resource; 1 where its parent holds nothing.
double part_of_parent(const std::vector<std::vector<double>>& held, std::size_t node, std::size_t parent,
                      std::size_t r) {
  return held[parent][r] > 0 ? std::min(1.0, held[node][r] / held[parent][r]) : 1;
}

}  // namespace

std::string_view hold_name(HoldKind kind) {
  switch (kind) {
    case HoldKind::limit:
      return "limit";
    case HoldKind::reserve:
      return "reserve";
    case HoldKind::no_weight:
      return "no-weight";
    case HoldKind::guarantee:
      return "guarantee";
    case HoldKind::sibling:
      return "sibling";
    case HoldKind::capacity:
      return "capacity";
    case HoldKind::order:
      return "order";
  }
  return {};
}

Paths::Paths(const Problem& problem, const Mechanism& mechanism, const Outcome& outcome,
             const Bindings& bindings)
    : problem_(problem), outcome_(outcome), bindings_(bindings) {
  const Stops stops(problem, outcome);
  for (std::size_t n = 0; n < problem.user_count(); ++n) stops_.push_back(stops.of(n));
  if (mechanism.accepts.groups && !problem.tree().is_flat())
    figures_ = group_figures(problem, outcome.allocation);
}

// Has it a user below who is short, may run somewhere, is not at a limit, and needs one of the resources?
bool Paths::can_grow(std::size_t node, const std::vector<std::size_t>& resources) const {
  const Tree& tree = problem_.tree();
  if (!tree.is_user(node)) {
    const auto members = tree.members(node);
    return std::any_of(members.begin(), members.end(),
                       [&](std::size_t member) { return can_grow(member, resources); });
  }
  const std::size_t user = tree.user_at(node);
  const Stop& stop = stops_[user];
  return stop.kind != StopKind::tasks && !is_at_limit(stop) && !stop.is_missing &&
         demands_any(problem_.users()[user], resources);
}

// Is there a user at or below the node who could grow while its use lies below what `guaranteed` is
// guaranteed, of all that it demands?
bool Paths::grows_within(std::size_t guaranteed, std::size_t node,
                         const std::vector<std::size_t>& resources) const {
  const Tree& tree = problem_.tree();
  if (!tree.is_user(node)) {
    const auto members = tree.members(node);
    return std::any_of(members.begin(), members.end(),
                       [&](std::size_t member) { return grows_within(guaranteed, member, resources); });
  }
  if (!can_grow(node, resources)) return false;
  const ResourceVector& demand = problem_.users()[tree.user_at(node)].demand;
  const GroupFigures& has = figures_[guaranteed];
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (!demand[r].is_zero() && has.unused[r] <= kSumsWithin * problem_.pool()[r]) return false;
  }
  return true;
}

// Is its weight 0, and would it be beyond its guarantee if it grew? Then it gets what no sibling with a
// weight can take, whatever it holds now.
bool Paths::comes_last(std::size_t node, const std::vector<std::size_t>& resources) const {
  return problem_.tree().weight(node) <= 0 && !grows_within(node, node, resources);
}

bool Paths::comes_before(std::size_t node, std::size_t other,
                         const std::vector<std::size_t>& resources) const {
  const bool is_last = comes_last(node, resources), is_other_last = comes_last(other, resources);
  return is_last == is_other_last ? figures_[node].key < figures_[other].key : is_other_last;
}

std::optional<std::size_t> Paths::lowest_sibling(std::size_t node,
                                                 const std::vector<std::size_t>& resources) const {
  std::optional<std::size_t> lowest;
  for (const std::size_t sibling : problem_.tree().members(problem_.tree().parent(node))) {
    if (sibling == node || !can_grow(sibling, resources)) continue;
    if (!lowest || comes_before(sibling, *lowest, resources)) lowest = sibling;
  }
  return lowest;
}

std::vector<PathNode> Paths::of(std::size_t user) const {
  if (figures_.empty()) return {};
  const Tree& tree = problem_.tree();
  const Stop& stop = stops_[user];
  const std::vector<std::size_t> resources =
      stop.kind == StopKind::capacity ? stop.resources : std::vector<std::size_t>{};
  std::vector<PathNode> path;
  for (const std::size_t node : tree.path(tree.node_of_user(user))) {
    PathNode& on = path.emplace_back(
        PathNode{.node = node, .has = figures_[node], .lowest = lowest_sibling(node, resources)});
    if (!on.lowest) continue;
    on.lowest_key = figures_[*on.lowest].key;
    on.lowest_is_last = comes_last(*on.lowest, resources);
  }
  return path;
}

// The node that has the least part of what its parent has, and who has the rest.
std::optional<Holder> Paths::at_capacity(std::size_t user) const {
  const Tree& tree = problem_.tree();
  if (stops_[user].is_missing)
    return Holder{
        .node = tree.node_of_user(user), .kind = HoldKind::capacity, .resources = stops_[user].resources};
  const std::vector<std::vector<double>> held = bindings_.held_below(user);
  const std::size_t end = tree.node_of_user(user);
  const std::vector<std::size_t>& full = stops_[user].resources;
  MIRAB_ASSERT(!full.empty(), "some resource is used up");
  const auto part_of_all = [&](std::size_t r) { return held[0][r] > 0 ? held[end][r] / held[0][r] : 0; };
  const std::size_t r = *std::max_element(full.begin(), full.end(), [&](std::size_t a, std::size_t b) {
    return part_of_all(a) < part_of_all(b);
  });
  Holder holder{.node = end, .kind = HoldKind::capacity, .resources = {r}};
  for (const std::size_t node : tree.path(end)) {
    const double part = part_of_parent(held, node, tree.parent(node), r);
    if (part >= holder.part * (1 - kLevelWithin)) continue;
    holder.node = node;
    holder.part = part;
  }
  if (holder.part == 1) return holder;  // no other user has any of it

  const std::size_t node = holder.node;
  std::optional<std::size_t> most;
  for (const std::size_t sibling : tree.members(tree.parent(node))) {
    if (sibling != node && (!most || held[sibling][r] > held[*most][r])) most = sibling;
  }
  MIRAB_ASSERT(most.has_value(), "a sibling has what the node lacks");
  holder.sibling = most;
  const std::optional<std::size_t> lowest = lowest_sibling(node, {r});
  if (tree.weight(node) <= 0 && tree.weight(*most) > 0) {
    holder.kind = HoldKind::no_weight;
  } else if (figures_[*most].guarantee[r] > 0 &&
             figures_[*most].borrowed[r] <= kSumsWithin * problem_.pool()[r]) {
    holder.kind = HoldKind::guarantee;
  } else if (lowest && held[*lowest][r] > 0 && comes_last(*lowest, {r}) == comes_last(node, {r}) &&
             figures_[*lowest].key <= figures_[node].key * (1 + kLevelWithin)) {
    holder.kind = HoldKind::sibling;
    holder.sibling = lowest;
  }
  holder.key = figures_[node].key;
  holder.sibling_key = figures_[*holder.sibling].key;
  if (holder.kind != HoldKind::sibling) return holder;
  for (const std::size_t member : tree.members(tree.parent(node))) {
    if (member != node && (!can_grow(member, {r}) || comes_last(member, {r}) != comes_last(node, {r})))
      continue;
    ++holder.wanting;
    if (std::abs(figures_[member].key - holder.key) <= kLevelWithin * holder.key) ++holder.level;
  }
  return holder;
}

// At the outermost node that has a sibling for which some of it is reserved, and for whom else some is.
std::optional<Holder> Paths::at_reserve(std::size_t user) const {
  const Tree& tree = problem_.tree();
  const std::vector<std::size_t>& resources = stops_[user].resources;
  std::vector<std::size_t> owners = unused_reserves(problem_, outcome_.allocation, user);
  std::erase_if(owners, [&](std::size_t owner) {
    return std::none_of(resources.begin(), resources.end(),
                        [&](std::size_t r) { return tree.reserve(owner)[r] > 0; });
  });
  const std::size_t end = tree.node_of_user(user);
  if (owners.empty()) return Holder{.node = end, .kind = HoldKind::order};
  const std::vector<std::size_t> path = tree.path(end);
  const auto node = std::find_if(path.begin(), path.end(), [&](std::size_t on) {
    return tree.parent(on) == tree.parent(owners.front());
  });
  return Holder{.node = *node,
                .kind = HoldKind::reserve,
                .resources = resources,
                .sibling = owners.front(),
                .others = {owners.begin() + 1, owners.end()}};
}

std::optional<Holder> Paths::holder(std::size_t user) const {
  const Stop& stop = stops_[user];
  if (figures_.empty()) return {};
  switch (stop.kind) {
    case StopKind::tasks:
      return {};
    case StopKind::limit:
      return Holder{.node = stop.node, .kind = HoldKind::limit, .resources = stop.resources};
    case StopKind::capacity:
      return at_capacity(user);
    case StopKind::reserve:
      return at_reserve(user);
    case StopKind::order:
      break;
  }
  return Holder{.node = problem_.tree().node_of_user(user), .kind = HoldKind::order};
}

std::vector<std::size_t> unused_reserves(const Problem& problem, const Allocation& allocation,
                                         std::size_t user) {
  const Tree& tree = problem.tree();
  const ResourceVector& demand = problem.users()[user].demand;
  const std::vector<std::vector<double>> used = fairness::used_below(tree, bundles(problem, allocation));
  const std::vector<std::vector<double>> charge = charged(tree, used);
  std::vector<std::size_t> owners;
  for (const std::size_t next : tree.path(tree.node_of_user(user))) {
    for (const std::size_t node : tree.members(tree.parent(next))) {
      if (node == next || tree.reserve(node).empty()) continue;
      for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r].is_zero() || charge[node][r] - used[node][r] <= kSumsWithin * problem.pool()[r])
          continue;
        owners.push_back(node);
        break;
      }
    }
  }
  return owners;
}

}  // namespace mirab
