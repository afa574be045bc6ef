// The tree in the reference: every sum from scratch, and who is next by the definition of
// docs/explanation/teams.md with rational numbers: all candidates, and at each node of the tree, from the
// users up, the member whose candidate has the lowest key.
#include <algorithm>
#include <map>
#include <set>

#include "model/exact.hpp"
#include "scheduling/reference_candidate.hpp"

namespace mirab::scheduling {
namespace {

using Sums = std::vector<mpz_class>;

mpz_class amount(const std::optional<Amounts>& amounts, std::size_t r) {
  return amounts ? mpz_class((*amounts)[r]) : mpz_class(0);
}

}  // namespace

const ReferenceEngine::Team& ReferenceEngine::team(GroupId id) const {
  return *std::find_if(teams_.begin(), teams_.end(), [&](const Team& each) { return each.id == id; });
}

const ReferenceEngine::User& ReferenceEngine::user(UserId id) const {
  return *std::find_if(users_.begin(), users_.end(), [&](const User& each) { return each.id == id; });
}

bool ReferenceEngine::is_known(GroupId id) const {
  return std::any_of(teams_.begin(), teams_.end(), [&](const Team& each) { return each.id == id; });
}

bool ReferenceEngine::needs_tree(const mpq_class& weight, const Bounds& bounds) const {
  return weight == 0 || bounds.guarantee || bounds.limit || bounds.reserved;
}

/// Is there more than users with a weight?
bool ReferenceEngine::has_tree() const {
  return teams_.size() > 1 || std::any_of(users_.begin(), users_.end(), [&](const User& user) {
           return user.tier != 0 || needs_tree(user.weight, user.bounds);
         });
}

/// The key of the error with which a tree is refused.
std::optional<std::string> ReferenceEngine::no_tree() const {
  static const std::set<std::string> kWith = {"drf", "asset", "round-robin", "tsf", "ps-dsf"};
  if (!kWith.contains(options_.discipline.name)) return "discipline";
  if (options_.half_life) return "half_life";
  return {};
}

// --- nodes

std::vector<ReferenceEngine::Node> ReferenceEngine::members(GroupId of) const {
  std::vector<Node> members;
  for (const Team& team : teams_) {
    if (team.id != kCluster && team.parent == of) members.push_back({.is_user = false, .team = team.id});
  }
  for (const User& user : users_) {
    if (user.group == of) members.push_back({.is_user = true, .user = user.id});
  }
  return members;
}

GroupId ReferenceEngine::parent(const Node& node) const {
  return node.is_user ? user(node.user).group : team(node.team).parent;
}

const mpq_class& ReferenceEngine::weight(const Node& node) const {
  return node.is_user ? user(node.user).weight : team(node.team).weight;
}

const ReferenceEngine::Bounds& ReferenceEngine::bounds(const Node& node) const {
  return node.is_user ? user(node.user).bounds : team(node.team).bounds;
}

/// The nodes from the user up, without the cluster.
std::vector<ReferenceEngine::Node> ReferenceEngine::path(UserId id) const {
  std::vector<Node> path{{.is_user = true, .user = id}};
  for (GroupId up = user(id).group; up != kCluster; up = team(up).parent)
    path.push_back({.is_user = false, .team = up});
  return path;
}

std::vector<UserId> ReferenceEngine::users_below(const Node& node) const {
  if (node.is_user) return {node.user};
  std::vector<UserId> users;
  for (const Node& member : members(node.team)) {
    const std::vector<UserId> below = users_below(member);
    users.insert(users.end(), below.begin(), below.end());
  }
  return users;
}

std::vector<const ReferenceEngine::Task*> ReferenceEngine::tasks_below(const Node& node) const {
  const std::vector<UserId> users = users_below(node);
  std::vector<const Task*> tasks;
  for (const Task& task : tasks_) {
    if (std::find(users.begin(), users.end(), task.user) != users.end()) tasks.push_back(&task);
  }
  return tasks;
}

mpz_class ReferenceEngine::used(const Node& node, std::size_t r) const {
  mpz_class used = 0;
  for (const Task* const task : tasks_below(node)) used += task->demand[r];
  return used;
}

/// ĝ
mpz_class ReferenceEngine::guarantee(const Node& node, std::size_t r) const {
  const Bounds& of = bounds(node);
  if (of.guarantee) return amount(of.guarantee, r);
  mpz_class sum = 0;
  if (!node.is_user) {
    for (const Node& member : members(node.team)) sum += guarantee(member, r);
  }
  return sum;
}

/// q, with `more` of the user.
mpz_class ReferenceEngine::charged(const Node& node, std::size_t r, UserId user,
                                   const mpz_class& more) const {
  mpz_class sum = 0;
  if (node.is_user) {
    sum = used(node, r) + (node.user == user ? more : mpz_class(0));
  } else {
    for (const Node& member : members(node.team)) sum += charged(member, r, user, more);
  }
  return std::max<mpz_class>(sum, amount(bounds(node).reserved, r));
}

// --- what is refused

/// Amounts that are none.
std::optional<std::string> ReferenceEngine::refused(const Bounds& bounds) const {
  if (bounds.guarantee) {
    if (auto key = refused(*bounds.guarantee, "guarantee")) return key;
  }
  if (bounds.limit) {
    if (auto key = refused(*bounds.limit, "limit")) return key;
  }
  if (bounds.reserved) return refused(*bounds.reserved, "reserved");
  return {};
}

/// A node's own bounds, whose members are guaranteed these sums.
std::optional<std::string> ReferenceEngine::refused_by_itself(const Bounds& bounds, const Sums& sums) const {
  const auto guarantee = [&](std::size_t r) {
    return bounds.guarantee ? amount(bounds.guarantee, r) : sums[r];
  };
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (guarantee(r) < sums[r]) return "guarantee." + options_.resources[r];
  }
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (amount(bounds.reserved, r) > guarantee(r)) return "reserved." + options_.resources[r];
  }
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (bounds.limit && (*bounds.limit)[r] < guarantee(r)) return "limit." + options_.resources[r];
  }
  return {};
}

/// Whether the tree would be sound after a change, but for the node that changes: what groups promise is
/// enough for their members, within their limits, no less than they reserve; and where it rises no more than
/// the cluster has. The first resource where it is not.
std::optional<std::size_t> ReferenceEngine::unsound(const ReferenceEngine& after) const {
  for (std::size_t r = 0; r < options_.resources.size(); ++r) {
    for (const Team& team : after.teams_) {
      const Node node{.is_user = false, .team = team.id};
      mpz_class sum = 0, before = 0;
      for (const Node& member : after.members(team.id)) sum += after.guarantee(member, r);
      if (is_known(team.id)) {
        for (const Node& member : members(team.id)) before += guarantee(member, r);
      }
      if (team.id == kCluster) {
        if (sum > before && sum > mpz_class(pool()[r])) return r;
        continue;
      }
      const mpz_class own = after.guarantee(node, r);
      if (sum > own || amount(team.bounds.reserved, r) > own) return r;
      if (team.bounds.limit && mpz_class((*team.bounds.limit)[r]) < own) return r;
    }
  }
  return {};
}

std::optional<std::string> ReferenceEngine::refused_after(const Event& event, const std::string& key) const {
  ReferenceEngine after = *this;
  std::visit([&](const auto& each) { after.happen(each, UINT64_MAX); }, event);
  const std::optional<std::size_t> r = unsound(after);
  if (!r) return {};
  return key == "guarantee" ? "guarantee." + options_.resources[*r] : key;
}

namespace {

std::optional<std::string> refused_weight(const Quantity& weight) {
  const mpq_class exact = rational(weight);
  if (!exact.get_num().fits_ulong_p() || !exact.get_den().fits_ulong_p()) return "weight";
  return {};
}

template <class Event>
auto bounds_of(const Event& event) {
  return ReferenceEngine::Bounds{
      .guarantee = event.guarantee, .limit = event.limit, .reserved = event.reserved};
}

}  // namespace

std::optional<std::string> ReferenceEngine::refusal(const UserAdded& event) const {
  if (!is_known(event.group)) return "group";
  if (auto key = refused_weight(event.weight)) return key;
  if (event.tier < 0) return "tier";
  const Bounds bounds = bounds_of(event);
  if (auto key = refused(bounds)) return key;
  if (event.tier == 0 && !needs_tree(rational(event.weight), bounds)) return {};
  if (auto key = no_tree()) return key;
  if (auto key = refused_by_itself(bounds, Sums(options_.resources.size()))) return key;
  return refused_after(event, "guarantee");
}

std::optional<std::string> ReferenceEngine::refusal(const UserReweighted& event) const {
  if (std::none_of(users_.begin(), users_.end(), [&](const User& each) { return each.id == event.user; }))
    return "user";
  if (auto key = refused_weight(event.weight)) return key;
  return event.weight.is_zero() ? no_tree() : std::nullopt;
}

std::optional<std::string> ReferenceEngine::refusal(const UserChanged& event) const {
  if (std::none_of(users_.begin(), users_.end(), [&](const User& each) { return each.id == event.user; }))
    return "user";
  if (auto key = refused_weight(event.weight)) return key;
  const Bounds bounds = bounds_of(event);
  if (auto key = refused(bounds)) return key;
  if (needs_tree(rational(event.weight), bounds)) {
    if (auto key = no_tree()) return key;
  }
  if (auto key = refused_by_itself(bounds, Sums(options_.resources.size()))) return key;
  return refused_after(event, "guarantee");
}

std::optional<std::string> ReferenceEngine::refusal(const UserMoved& event) const {
  if (std::none_of(users_.begin(), users_.end(), [&](const User& each) { return each.id == event.user; }))
    return "user";
  if (!is_known(event.group)) return "group";
  return refused_after(event, "group");
}

std::optional<std::string> ReferenceEngine::refusal(const GroupAdded& event) const {
  if (!is_known(event.parent)) return "parent";
  if (auto key = refused_weight(event.weight)) return key;
  const Bounds bounds = bounds_of(event);
  if (auto key = refused(bounds)) return key;
  if (auto key = no_tree()) return key;
  if (auto key = refused_by_itself(bounds, Sums(options_.resources.size()))) return key;
  return refused_after(event, "guarantee");
}

std::optional<std::string> ReferenceEngine::refusal(const GroupChanged& event) const {
  if (!is_known(event.group) || event.group == kCluster) return "group";
  if (auto key = refused_weight(event.weight)) return key;
  const Bounds bounds = bounds_of(event);
  if (auto key = refused(bounds)) return key;
  Sums sums(options_.resources.size());
  for (std::size_t r = 0; r < sums.size(); ++r) {
    for (const Node& member : members(event.group)) sums[r] += guarantee(member, r);
  }
  if (auto key = refused_by_itself(bounds, sums)) return key;
  return refused_after(event, "guarantee");
}

std::optional<std::string> ReferenceEngine::refusal(const GroupMoved& event) const {
  if (!is_known(event.group) || event.group == kCluster) return "group";
  if (!is_known(event.parent)) return "parent";
  for (GroupId up = event.parent; up != kCluster; up = team(up).parent) {
    if (up == event.group) return "parent";
  }
  return refused_after(event, "parent");
}

std::optional<std::string> ReferenceEngine::refusal(const GroupRemoved& event) const {
  if (!is_known(event.group) || event.group == kCluster || !members(event.group).empty()) return "group";
  return refused_after(event, "group");
}

// --- what happens

std::vector<Lost> ReferenceEngine::happen(const UserAdded& event, std::uint64_t id) {
  users_.push_back({.id = UserId{id},
                    .order = users_before_++,
                    .weight = rational(event.weight),
                    .group = event.group,
                    .bounds = bounds_of(event),
                    .tier = event.tier});
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const UserChanged& event, std::uint64_t /*id*/) {
  User& changed = const_cast<User&>(user(event.user));
  changed.weight = rational(event.weight);
  changed.bounds = bounds_of(event);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const UserMoved& event, std::uint64_t /*id*/) {
  const_cast<User&>(user(event.user)).group = event.group;
  const std::vector<Amounts> kinds = user(event.user).kinds;
  for (const Amounts& kind : kinds) note_demand(event.user, kind);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const GroupAdded& event, std::uint64_t id) {
  teams_.push_back({.id = GroupId{id},
                    .parent = event.parent,
                    .weight = rational(event.weight),
                    .bounds = bounds_of(event)});
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const GroupChanged& event, std::uint64_t /*id*/) {
  Team& changed = const_cast<Team&>(team(event.group));
  changed.weight = rational(event.weight);
  changed.bounds = bounds_of(event);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const GroupMoved& event, std::uint64_t /*id*/) {
  const_cast<Team&>(team(event.group)).parent = event.parent;
  for (GroupId up = event.parent; up != kCluster; up = team(up).parent) {
    for (const Amounts& kind : team(event.group).kinds) note_kind(const_cast<Team&>(team(up)).kinds, kind);
  }
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const GroupRemoved& event, std::uint64_t /*id*/) {
  std::erase_if(teams_, [&](const Team& each) { return each.id == event.group; });
  return {};
}

// --- who may start

/// What all take that start together: where that depends on the server, the most of each resource. Under
/// ps-dsf one task takes what it takes there.
std::vector<mpz_class> ReferenceEngine::taken_together(const Candidate& candidate) const {
  const std::int64_t together = batch(candidate.job->id);
  Sums taken(options_.resources.size());
  if (!candidate.group->look.roles.empty()) return taken_by_roles(*candidate.job);
  std::vector<Amounts> all = demands(candidate.group->look);
  if (together == 1 && options_.discipline.name == "ps-dsf") all = {candidate.demand};
  for (const Amounts& demand : all) {
    for (std::size_t r = 0; r < taken.size(); ++r)
      taken[r] = std::max<mpz_class>(taken[r], mpz_class(demand[r]) * mpz_class(together));
  }
  return taken;
}

/// No limit on the path and no reserve of others is in the way.
bool ReferenceEngine::is_allowed(UserId id, const std::vector<mpz_class>& taken) const {
  for (const Node& node : path(id)) {
    for (std::size_t r = 0; r < taken.size(); ++r) {
      const std::optional<Amounts>& limit = bounds(node).limit;
      if (!limit || taken[r] == 0 || (*limit)[r] == kNoLimit) continue;
      if (used(node, r) + taken[r] > mpz_class((*limit)[r])) return false;
    }
  }
  for (std::size_t r = 0; r < taken.size(); ++r) {
    if (taken[r] == 0) continue;
    mpz_class before = 0, after = 0;
    for (const Node& member : members(kCluster)) {
      before += charged(member, r, id, 0);
      after += charged(member, r, id, taken[r]);
    }
    if (any_reserved() && after > mpz_class(pool()[r]) && after != before) return false;
  }
  return true;
}

bool ReferenceEngine::any_reserved() const {
  return std::any_of(teams_.begin(), teams_.end(),
                     [](const Team& each) { return each.bounds.reserved.has_value(); }) ||
         std::any_of(users_.begin(), users_.end(),
                     [](const User& each) { return each.bounds.reserved.has_value(); });
}

bool ReferenceEngine::is_covered(UserId id, const std::vector<mpz_class>& taken) const {
  for (const Node& node : path(id)) {
    bool covers = true;
    for (std::size_t r = 0; r < taken.size(); ++r)
      covers = covers && (taken[r] == 0 || used(node, r) + taken[r] <= guarantee(node, r));
    if (covers) return true;
  }
  return false;
}

// --- keys

/// over of the node, with the candidate's tasks or without, by component.
std::vector<mpq_class> ReferenceEngine::beyond(const Node& node, const Candidate& candidate,
                                               bool with) const {
  const std::string& discipline = options_.discipline.name;
  const std::vector<mpz_class> taken = taken_together(candidate);
  const std::int64_t together = with ? batch(candidate.job->id) : 0;
  if (discipline == "round-robin") {
    return {mpq_class(static_cast<std::int64_t>(tasks_below(node).size()) + together)};
  }
  if (discipline == "tsf") {
    mpq_class sum = 0;
    for (const Task* const task : tasks_below(node)) {
      const auto job =
          std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == task->job; });
      sum += 1 / alone(group(*job).look);
    }
    const mpq_class of_cluster = alone(candidate.group->look);
    if (of_cluster > 0) sum += mpq_class(together) / of_cluster;
    return {sum};
  }
  const Amounts capacity = discipline == "ps-dsf" ? *kinds_[candidate.place] : pool();
  std::vector<mpq_class> parts(capacity.size());
  for (std::size_t r = 0; r < capacity.size(); ++r) {
    if (capacity[r] == 0 || (discipline == "ps-dsf" && taken[r] == 0)) continue;
    mpz_class over = used(node, r) - guarantee(node, r);
    if (with) over += taken[r];
    if (over > 0) parts[r] = scale(r) * mpq_class(over) / mpq_class(capacity[r]);
  }
  if (discipline != "asset") return parts;
  mpq_class sum = 0;
  for (const mpq_class& part : parts) sum += part;
  return {sum};
}

mpq_class ReferenceEngine::held(const Node& node, const Candidate& candidate) const {
  const std::string& discipline = options_.discipline.name;
  if (discipline == "round-robin" || discipline == "tsf") return beyond(node, candidate, false)[0];
  const std::vector<mpz_class> taken = taken_together(candidate);
  const Amounts capacity = discipline == "ps-dsf" ? *kinds_[candidate.place] : pool();
  mpq_class most = 0, sum = 0;
  for (std::size_t r = 0; r < capacity.size(); ++r) {
    if (capacity[r] == 0 || (discipline == "ps-dsf" && taken[r] == 0)) continue;
    const mpq_class part = scale(r) * mpq_class(used(node, r)) / mpq_class(capacity[r]);
    sum += part;
    if (discipline == "drf" && !node.is_user && taken[r] == 0) continue;
    most = std::max(most, part);
  }
  return discipline == "asset" ? sum : most;
}

ReferenceEngine::Level ReferenceEngine::finished(const Node& node, const Candidate& candidate,
                                                 std::vector<mpq_class> e,
                                                 std::vector<mpq_class> e_with) const {
  const mpq_class phi = weight(node) == 0 ? mpq_class(1) : weight(node);
  Level level{.e = std::move(e), .e_with = std::move(e_with)};
  level.kappa = *std::max_element(level.e.begin(), level.e.end()) / phi;
  level.kappa_with = *std::max_element(level.e_with.begin(), level.e_with.end()) / phi;
  level.rho = held(node, candidate) / phi;
  level.is_last = weight(node) == 0 && level.kappa_with > 0;
  level.cuts_nothing = weight(node) == 0 && level.kappa_with > 0;
  return level;
}

ReferenceEngine::Level ReferenceEngine::level(const Node& node, const Node& child, const Level& of_child,
                                              const Candidate& candidate) const {
  std::vector<mpq_class> e = beyond(node, candidate, false);
  std::vector<mpq_class> e_with = beyond(node, candidate, true);
  for (std::size_t r = 0; r < e.size(); ++r) {
    mpq_class others = 0;
    for (const Node& sibling : members(node.team)) {
      if (sibling == child) continue;
      const mpq_class over = beyond(sibling, candidate, false)[r];
      others +=
          of_child.cuts_nothing ? over : std::min<mpq_class>(over, weight(sibling) * of_child.kappa_with);
    }
    e[r] = std::min<mpq_class>(e[r], of_child.e[r] + others);
    e_with[r] = std::min<mpq_class>(e_with[r], of_child.e_with[r] + others);
  }
  return finished(node, candidate, std::move(e), std::move(e_with));
}

namespace {

int compare(const ReferenceEngine::Level& a, const ReferenceEngine::Level& b) {
  if (a.is_last != b.is_last) return a.is_last ? 1 : -1;
  return a.kappa != b.kappa ? cmp(a.kappa, b.kappa) : cmp(a.rho, b.rho);
}

}  // namespace

/// The candidates below the node that may represent it, the first one by the tie rule first: all that may be
/// drawn. Each with its key there.
std::vector<ReferenceEngine::Representative> ReferenceEngine::representatives(
    const Node& node, const std::vector<const Candidate*>& candidates) const {
  std::vector<Representative> members;  // one for each
  const auto best_of = [&](std::vector<Representative>& all) {
    std::stable_sort(all.begin(), all.end(), [&](const Representative& a, const Representative& b) {
      const int order = compare(a.level, b.level);
      if (order != 0) return order < 0;
      if (a.candidate->user_order != b.candidate->user_order) {
        const bool earlier = a.candidate->user_order < b.candidate->user_order;
        return options_.tie == Tie::last ? !earlier : earlier;
      }
      const Job& job_a = *a.candidate->job;
      const Job& job_b = *b.candidate->job;
      if (job_a.sequence != job_b.sequence) return is_before(job_a, job_b);
      return a.waiting < b.waiting;
    });
    std::size_t tied = 1;
    while (tied < all.size() && compare(all[tied].level, all[0].level) == 0) ++tied;
    return tied;
  };
  if (node.is_user) {
    for (const Candidate* const each : candidates) {
      if (each->group->user != node.user) continue;
      members.push_back(
          {.candidate = each,
           .level = finished(node, *each, beyond(node, *each, false), beyond(node, *each, true)),
           .drawable = {each},
           .waiting = waiting_at_.at(each->place)});
    }
    if (members.empty()) return {};
    best_of(members);
    return {members.front()};
  }
  for (const Node& member : this->members(node.team)) {
    const std::vector<Representative> below = representatives(member, candidates);
    if (below.empty()) continue;
    members.push_back(below.front());
    members.back().node = member;
  }
  if (members.empty()) return {};
  const std::size_t tied = options_.tie == Tie::random ? best_of(members) : (best_of(members), 1);
  Representative first = members.front();
  for (std::size_t other = 1; other < tied; ++other)
    first.drawable.insert(first.drawable.end(), members[other].drawable.begin(),
                          members[other].drawable.end());
  if (node.team != kCluster) first.level = level(node, first.node, members.front().level, *first.candidate);
  return {first};
}

ReferenceEngine::Options ReferenceEngine::next_in_tree(Random& random) const {
  const std::vector<Candidate> all = candidates();
  std::map<std::size_t, std::set<std::uint64_t>> waiting;
  for (const Candidate& each : all) waiting[each.place].insert(each.group->number);
  waiting_at_.clear();
  for (const auto& [place, groups] : waiting) waiting_at_[place] = groups.size();
  std::vector<const Candidate*> may;
  std::int64_t tier = 0;
  bool covered = false;
  for (const Candidate& each : all) {
    if (!freeze_ && servers_for(each).empty()) continue;
    const std::vector<mpz_class> taken = taken_together(each);
    if (!is_allowed(each.group->user, taken)) continue;
    const std::int64_t of = user(each.group->user).tier;
    if (may.empty() || of > tier) {
      may.clear();
      tier = of;
      covered = false;
    }
    if (of < tier) continue;
    const bool is_covered_here = is_covered(each.group->user, taken);
    if (is_covered_here && !covered) {
      may.clear();
      covered = true;
    }
    if (is_covered_here == covered) may.push_back(&each);
  }
  Options next{.options = {}, .or_nothing = true};
  const auto by_force = [&] {
    if (const std::optional<Option> taken = preemption()) {
      next.options.push_back(*taken);
      next.or_nothing = false;
    }
    return next;
  };
  const std::vector<Representative> found = representatives({.is_user = false, .team = kCluster}, may);
  if (found.empty()) return by_force();
  next.or_nothing = false;
  for (const Candidate* const each : found.front().drawable) {
    const std::vector<ServerId> servers = servers_for(*each);
    if (servers.empty()) {
      next.or_nothing = true;
    } else {
      next.options.push_back({.job = each->job->id,
                              .user = each->group->user,
                              .servers = servers,
                              .role = next_role(each->job->id)});
    }
  }
  if (next.or_nothing) return by_force();
  if (options_.tie != Tie::random && options_.placement.name == "random" &&
      !has_roles(next.options.front().job)) {
    std::vector<ServerId>& servers = next.options.front().servers;
    servers = {servers[random.below(servers.size())]};
  }
  return next;
}

std::optional<std::string> ReferenceEngine::wrong_in(const Engine::GroupState& there,
                                                     const Team& team) const {
  const Node node{.is_user = false, .team = team.id};
  for (std::size_t r = 0; r < options_.resources.size(); ++r) {
    mpz_class promised = guarantee(node, r);
    if (used(node, r) != mpz_class(there.used[r])) return "what the group uses";
    if (promised != mpz_class(there.guarantee[r])) return "the guarantee of the group";
    const mpz_class unused = std::max<mpz_class>(0, promised - used(node, r));
    if (unused != mpz_class(there.unused[r])) return "what of the guarantee is not used";
  }
  const auto running = static_cast<std::int64_t>(tasks_below(node).size());
  return running == there.running ? std::nullopt : std::optional<std::string>("what runs in the group");
}

}  // namespace mirab::scheduling
