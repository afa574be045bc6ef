#include "scheduling/reclaim_oracle.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace mirab::scheduling::oracle {
namespace {

mpq_class part(std::int64_t amount, std::int64_t of) {
  mpq_class part(amount, of);
  part.canonicalize();
  return part;
}

Amounts sum(Amounts a, const Amounts& b) {
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::plus<>());
  return a;
}

Amounts difference(Amounts a, const Amounts& b) {
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::minus<>());
  return a;
}

Amounts larger(Amounts a, const Amounts& b) {
  std::transform(a.begin(), a.end(), b.begin(), a.begin(),
                 [](std::int64_t x, std::int64_t y) { return std::max(x, y); });
  return a;
}

std::int64_t sum_of_members(const Cluster& cluster, const std::vector<Amounts>& amounts, std::size_t node,
                            std::size_t r) {
  std::int64_t sum = 0;
  for (const std::size_t member : cluster.members[node]) sum += amounts[member][r];
  return sum;
}

Key key_of(const Cluster& cluster, std::size_t node, const std::vector<mpq_class>& e) {
  const mpq_class& most = *std::max_element(e.begin(), e.end());
  const mpq_class& weight = cluster.nodes[node].weight;
  if (weight == 0) return {most > 0, most};
  return {false, most / weight};
}

/// The same where what runs is compared: a node of weight 0 is last, whatever it holds.
Key key_of_running(const Cluster& cluster, std::size_t node, const std::vector<mpq_class>& e) {
  return {cluster.nodes[node].weight == 0, key_of(cluster, node, e).second};
}

/// full: what tasks of y hold that began at or below the level t, the last one whole, if all are of the kind
/// s: n of s, or the level itself.
std::vector<mpq_class> whole_tasks(const Cluster& cluster, std::size_t y, const Amounts& s,
                                   const mpq_class& t) {
  const std::size_t resources = cluster.pool.size();
  std::vector<mpq_class> a(resources);
  std::optional<mpz_class> tasks;  // ⌊a/s⌋, the least
  for (std::size_t r = 0; r < resources; ++r) {
    a[r] = cluster.nodes[y].weight * t * mpq_class(cluster.pool[r]) + cluster.guarantees[y][r];
    if (s[r] == 0) continue;
    mpz_class there;
    mpz_fdiv_q(there.get_mpz_t(), a[r].get_num_mpz_t(), mpz_class(a[r].get_den() * s[r]).get_mpz_t());
    tasks = tasks ? std::min(*tasks, there) : there;
  }
  std::vector<mpq_class> full(resources);
  for (std::size_t r = 0; r < resources; ++r) {
    if (cluster.pool[r] == 0) continue;
    mpq_class held = a[r];
    if (tasks) held = std::max(held, mpq_class((*tasks + 1) * s[r]));
    full[r] = std::max<mpq_class>(0, held - cluster.guarantees[y][r]) / cluster.pool[r];
  }
  return full;
}

/// The most of all kinds of tasks below y.
std::vector<mpq_class> whole_tasks(const Cluster& cluster, std::size_t y, const mpq_class& t) {
  std::vector<mpq_class> full(cluster.pool.size());
  if (cluster.nodes[y].weight == 0) return full;
  for (const Amounts& kind : cluster.nodes[y].seen) {
    const std::vector<mpq_class> of_kind = whole_tasks(cluster, y, kind, t);
    for (std::size_t r = 0; r < full.size(); ++r) full[r] = std::max(full[r], of_kind[r]);
  }
  return full;
}

}  // namespace

/// Puts a kind of task among those of a node: the first sixteen, and one with the largest of all others.
void see(Node& node, const Amounts& demand) {
  if (std::find(node.seen.begin(), node.seen.end(), demand) != node.seen.end()) return;
  if (node.seen.size() < 17) {
    node.seen.push_back(demand);
  } else {
    node.seen.back() = larger(node.seen.back(), demand);
  }
}

namespace {

/// q: what nodes are charged, with the part of guarantees that is not lent.
Amounts charged(const Cluster& cluster, const Use& use, std::size_t node) {
  Amounts charged = use.used[node];
  if (!cluster.nodes[node].is_user) {
    std::fill(charged.begin(), charged.end(), 0);
    for (const std::size_t member : cluster.members[node])
      charged = sum(charged, oracle::charged(cluster, use, member));
  }
  return larger(charged, cluster.reserves[node]);
}

/// A move, with what is used before and after it.
struct Moved {
  const Cluster& cluster;
  const Running& running;
  const Move& move;
  std::vector<std::size_t> missing;  // M
  std::set<std::size_t> losers;
  Use before, after;
};

std::vector<std::size_t> missing_on(const Amounts& free, const Amounts& demand) {
  std::vector<std::size_t> missing;
  for (std::size_t r = 0; r < demand.size(); ++r)
    if (demand[r] > 0 && free[r] < demand[r]) missing.push_back(r);
  return missing;
}

Moved moved(const Cluster& cluster, const Running& running, const Move& move) {
  Moved moved{.cluster = cluster,
              .running = running,
              .move = move,
              .missing = missing_on(free_on(cluster, running, move.server), move.gains.demand),
              .losers = {},
              .before = use(cluster, running),
              .after = use(cluster, after(running, move))};
  for (const std::size_t task : move.ended) moved.losers.insert(running[task].user);
  return moved;
}

/// The children, towards the two users, of their lowest common node.
std::pair<std::size_t, std::size_t> parting(const Cluster& cluster, std::size_t b, std::size_t q) {
  for (const std::size_t c : cluster.paths[b])
    for (const std::size_t of_q : cluster.paths[q])
      if (c != of_q && cluster.nodes[c].parent == cluster.nodes[of_q].parent) return {c, of_q};
  return {b, q};  // not reached: they are two users
}

std::vector<std::size_t> path_up_to(const Cluster& cluster, std::size_t user, std::size_t last) {
  std::vector<std::size_t> path = cluster.paths[user];
  path.erase(std::next(std::find(path.begin(), path.end(), last)), path.end());
  return path;
}

bool is_below(const Cluster& cluster, std::size_t user, std::size_t node) {
  const auto& path = cluster.paths[user];
  return std::find(path.begin(), path.end(), node) != path.end();
}

bool fits_after(const Cluster& cluster, const Running& running, const Move& move) {
  Amounts free = free_on(cluster, running, move.server);
  for (const std::size_t task : move.ended) free = sum(free, running[task].demand);
  return is_within(move.gains.demand, free);
}

/// It makes room, and no task could be left out of those that end.
bool makes_just_room(const Cluster& cluster, const Running& running, const Move& move) {
  for (const std::size_t spared : move.ended) {
    Move without = move;
    std::erase(without.ended, spared);
    if (fits_after(cluster, running, without)) return false;
  }
  return !move.ended.empty() && fits_after(cluster, running, move);
}

bool keeps_limits_and_reserves(const Moved& moved) {
  for (const std::size_t v : moved.cluster.paths[moved.move.gains.user]) {
    const std::optional<Amounts>& limit = moved.cluster.nodes[v].limit;
    for (std::size_t r = 0; limit && r < limit->size(); ++r)
      if (moved.move.gains.demand[r] > 0 && moved.after.used[v][r] > (*limit)[r]) return false;
  }
  const Amounts before = charged(moved.cluster, moved.before, 0);
  const Amounts after = charged(moved.cluster, moved.after, 0);
  for (std::size_t r = 0; r < after.size(); ++r)
    if (after[r] > moved.cluster.pool[r] && after[r] > before[r]) return false;
  return true;
}

bool has_right_by_guarantee(const Moved& moved, std::size_t q) {
  const std::size_t b = moved.move.gains.user;
  for (const std::size_t v : path_up_to(moved.cluster, b, parting(moved.cluster, b, q).first)) {
    const Amounts& used = moved.after.used[v];
    if (std::all_of(moved.missing.begin(), moved.missing.end(),
                    [&](std::size_t r) { return used[r] <= moved.cluster.guarantees[v][r]; }))
      return true;
  }
  return false;
}

Key key_in_view(const Cluster& cluster, const Use& use, std::size_t user, std::size_t node, View how) {
  return view(cluster, use, user, how)[path_up_to(cluster, user, node).size() - 1];
}

bool has_right_by_share(const Moved& moved, std::size_t q) {
  const Cluster& cluster = moved.cluster;
  const std::size_t b = moved.move.gains.user;
  const auto [c, of_q] = parting(cluster, b, q);
  const mpq_class& weight = cluster.nodes[c].weight;
  const mpq_class& weight_of_q = cluster.nodes[of_q].weight;
  if (weight == 0) return false;
  if (weight_of_q != 0) {
    bool is_ahead = false;
    for (const std::size_t r : moved.missing)
      is_ahead = is_ahead || moved.after.over[c][r] / weight > moved.after.over[of_q][r] / weight_of_q;
    if (is_ahead && whole_key(cluster, moved.after, c) > whole_key(cluster, moved.after, of_q)) return false;
  }
  return key_in_view(cluster, moved.after, b, c, View::exact) <=
         key_in_view(cluster, moved.after, q, of_q, View::task);
}

/// By which each user loses tasks; nothing where some has none.
std::optional<std::vector<std::pair<std::size_t, Right>>> condition_3(const Moved& moved) {
  std::vector<std::pair<std::size_t, Right>> rights;
  for (const std::size_t q : moved.losers) {
    if (q == moved.move.gains.user) return {};
    if (has_right_by_guarantee(moved, q)) {
      rights.emplace_back(q, Right::guarantee);
    } else if (has_right_by_share(moved, q)) {
      rights.emplace_back(q, Right::share);
    } else {
      return {};
    }
  }
  return rights;
}

bool is_protected(const Moved& moved, std::size_t v, std::size_t r, bool by_guarantee_alone) {
  const std::int64_t guarantee = moved.cluster.guarantees[v][r];
  const std::int64_t lacks = guarantee - moved.after.used[v][r];
  if (lacks <= 0) return true;
  std::int64_t largest_lost = 0;
  for (const std::size_t task : moved.move.ended) {
    if (is_below(moved.cluster, moved.running[task].user, v))
      largest_lost = std::max(largest_lost, moved.running[task].demand[r]);
  }
  if (largest_lost == 0) return true;
  return by_guarantee_alone && moved.before.used[v][r] > guarantee && lacks < largest_lost;
}

bool condition_2(const Moved& moved, bool by_guarantee_alone) {
  for (const std::size_t q : moved.losers) {
    const std::size_t of_q = parting(moved.cluster, moved.move.gains.user, q).second;
    for (const std::size_t v : path_up_to(moved.cluster, q, of_q))
      for (const std::size_t r : moved.missing)
        if (!is_protected(moved, v, r, by_guarantee_alone)) return false;
  }
  return true;
}

bool is_by_guarantee_alone(const std::vector<std::pair<std::size_t, Right>>& rights) {
  return std::all_of(rights.begin(), rights.end(),
                     [](const auto& each) { return each.second == Right::guarantee; });
}

bool condition_4(const Moved& moved) {
  const mpq_class before = satisfaction(moved.cluster, moved.before);
  const mpq_class after = satisfaction(moved.cluster, moved.after);
  if (before != after) return after > before;
  const std::size_t b = moved.move.gains.user;
  const Keys k = standing(moved.cluster, moved.before, b);
  if (standing(moved.cluster, moved.after, b) <= k) return false;
  return std::all_of(moved.cluster.users.begin(), moved.cluster.users.end(), [&](std::size_t user) {
    const Keys then = standing(moved.cluster, moved.after, user);
    return then > k || then >= standing(moved.cluster, moved.before, user);
  });
}

bool condition_5(const Running& running, const Move& move) {
  return std::all_of(move.ended.begin(), move.ended.end(),
                     [&](std::size_t task) { return running[task].may_end; });
}

Keys whole_keys(const Cluster& cluster, const Use& use, std::size_t user) {
  Keys keys;
  for (const std::size_t node : cluster.paths[user]) keys.insert(keys.begin(), whole_key(cluster, use, node));
  keys.resize(cluster.depth, keys.back());
  return keys;
}

/// The whole keys of the owner of the task, as they are after the move and the end of the task.
Keys keys_left(const Cluster& cluster, const Running& running, Move move, std::size_t task) {
  move.ended.push_back(task);
  return whole_keys(cluster, oracle::use(cluster, oracle::after(running, move)), running[task].user);
}

/// Of the losers after the move the keys of the one that stands lowest.
Keys poorest(const Cluster& cluster, const Running& running, const Move& move) {
  const Use use = oracle::use(cluster, oracle::after(running, move));
  std::optional<Keys> lowest;
  for (const std::size_t task : move.ended) {
    Keys keys = whole_keys(cluster, use, running[task].user);
    if (!lowest || keys < *lowest) lowest = std::move(keys);
  }
  return *lowest;
}

std::optional<Move> greedy_on(const Cluster& cluster, const Running& running, const Waiting& waiting,
                              std::size_t server) {
  Move move{.gains = waiting, .server = server, .ended = {}};
  const auto missing = missing_on(free_on(cluster, running, server), waiting.demand);
  if (missing.empty()) return {};
  while (!fits_after(cluster, running, move)) {
    std::optional<std::pair<Keys, std::size_t>> best;  // of equals the newest is the last
    for (std::size_t place = 0; place < running.size(); ++place) {
      const Task& task = running[place];
      const bool frees =
          std::any_of(missing.begin(), missing.end(), [&](std::size_t r) { return task.demand[r] > 0; });
      if (task.server != server || !task.may_end || !frees || task.user == waiting.user ||
          std::find(move.ended.begin(), move.ended.end(), place) != move.ended.end())
        continue;
      Move more = move;
      more.ended.push_back(place);
      const Moved moved = oracle::moved(cluster, running, more);
      const auto rights = condition_3(moved);
      if (!rights || !condition_2(moved, is_by_guarantee_alone(*rights))) continue;
      std::pair found(keys_left(cluster, running, move, place), place);
      if (!best || found > *best) best = std::move(found);
    }
    if (!best) return {};
    move.ended.push_back(best->second);
  }
  for (const std::size_t task : std::vector(move.ended)) {
    Move without = move;
    std::erase(without.ended, task);
    if (fits_after(cluster, running, without)) move = without;
  }
  if (judged(cluster, running, move).broken != 0) return {};
  return move;
}

// Who is next.

/// The keys of a node on the path of a task that waits, and with the task.
struct Level {
  std::vector<mpq_class> e, e_with;
  Key kappa, kappa_with;
  mpq_class rho;
};

Level level_of_user(const Cluster& cluster, const Use& use, const Use& with, const Waiting& waiting) {
  const std::size_t n = waiting.user;
  Level level{.e = use.over[n], .e_with = with.over[n], .kappa = {}, .kappa_with = {}, .rho = 0};
  for (std::size_t r = 0; r < cluster.pool.size(); ++r)
    if (cluster.pool[r] > 0) level.rho = std::max(level.rho, part(use.used[n][r], cluster.pool[r]));
  return level;
}

Level level_of_group(const Cluster& cluster, const Use& use, const Use& with, const Waiting& waiting,
                     std::size_t v, std::size_t c, const Level& below) {
  Level level{.e = below.e, .e_with = below.e_with, .kappa = {}, .kappa_with = {}, .rho = 0};
  for (std::size_t r = 0; r < cluster.pool.size(); ++r) {
    for (const std::size_t other : cluster.members[v]) {
      if (other == c) continue;
      const mpq_class& over = use.over[other][r];
      const mpq_class most = cluster.nodes[other].weight * below.kappa_with.second;
      const mpq_class counts = below.kappa_with.first ? over : std::min(over, most);
      level.e[r] += counts;
      level.e_with[r] += counts;
    }
    level.e[r] = std::min(level.e[r], use.over[v][r]);
    level.e_with[r] = std::min(level.e_with[r], with.over[v][r]);
    if (waiting.demand[r] > 0) level.rho = std::max(level.rho, part(use.used[v][r], cluster.pool[r]));
  }
  return level;
}

/// (κ, ρ) of each node on the path, from the user up. A node of weight 0 is last if the task takes it beyond
/// its guarantee.
std::vector<std::pair<Key, mpq_class>> keys_of(const Cluster& cluster, const Use& use,
                                               const Waiting& waiting) {
  Use with = use;
  for (const std::size_t v : cluster.paths[waiting.user]) {
    with.used[v] = sum(with.used[v], waiting.demand);
    for (std::size_t r = 0; r < cluster.pool.size(); ++r) {
      if (cluster.pool[r] > 0)
        with.over[v][r] =
            part(std::max<std::int64_t>(0, with.used[v][r] - cluster.guarantees[v][r]), cluster.pool[r]);
    }
  }
  std::vector<std::pair<Key, mpq_class>> keys;
  Level level;
  const auto& path = cluster.paths[waiting.user];
  for (std::size_t i = 0; i < path.size(); ++i) {
    level = i == 0 ? level_of_user(cluster, use, with, waiting)
                   : level_of_group(cluster, use, with, waiting, path[i], path[i - 1], level);
    const mpq_class& weight = cluster.nodes[path[i]].weight;
    level.kappa = key_of(cluster, path[i], level.e);
    level.kappa_with = key_of(cluster, path[i], level.e_with);
    level.kappa.first = level.kappa_with.first;
    keys.emplace_back(level.kappa, weight == 0 ? level.rho : mpq_class(level.rho / weight));
  }
  return keys;
}

/// Among those below the node: from the leaves up, the child with the lowest keys.
std::optional<std::size_t> next_below(const Cluster& cluster, const std::vector<Waiting>& waiting,
                                      const std::vector<std::vector<std::pair<Key, mpq_class>>>& keys,
                                      const std::vector<std::size_t>& among, std::size_t node) {
  if (cluster.nodes[node].is_user) {
    for (const std::size_t each : among)
      if (waiting[each].user == node) return each;
    return {};
  }
  std::optional<std::pair<std::pair<Key, mpq_class>, std::size_t>> best;
  for (const std::size_t member : cluster.members[node]) {
    const auto each = next_below(cluster, waiting, keys, among, member);
    if (!each) continue;
    const std::size_t place = path_up_to(cluster, waiting[*each].user, member).size() - 1;
    if (!best || keys[*each][place] < best->first) best = {keys[*each][place], *each};
  }
  if (!best) return {};
  return best->second;
}

}  // namespace

Cluster cluster(std::vector<Amounts> servers, std::vector<Node> nodes) {
  Cluster cluster{.servers = std::move(servers), .nodes = std::move(nodes)};
  const std::size_t count = cluster.nodes.size();
  cluster.pool.resize(cluster.servers.front().size(), 0);
  for (const Amounts& capacity : cluster.servers) cluster.pool = sum(cluster.pool, capacity);
  const Amounts nothing(cluster.pool.size(), 0);
  cluster.members.resize(count);
  cluster.paths.resize(count);
  cluster.guaranteed_together.resize(count);
  cluster.guarantees.assign(count, nothing);
  cluster.reserves.assign(count, nothing);
  for (std::size_t v = 1; v < count; ++v) {
    Node& node = cluster.nodes[v];
    cluster.members[node.parent].push_back(v);
    cluster.paths[v] = cluster.paths[node.parent];
    cluster.paths[v].insert(cluster.paths[v].begin(), v);
    cluster.depth = std::max(cluster.depth, cluster.paths[v].size());
    if (node.is_user) cluster.users.push_back(v);
  }
  for (std::size_t v = count; v-- > 0;) {
    const Node& node = cluster.nodes[v];
    for (std::size_t r = 0; r < cluster.pool.size(); ++r) {
      cluster.guarantees[v][r] =
          node.guarantee ? (*node.guarantee)[r] : sum_of_members(cluster, cluster.guarantees, v, r);
      cluster.reserves[v][r] =
          std::max(node.reserved ? (*node.reserved)[r] : 0, sum_of_members(cluster, cluster.reserves, v, r));
    }
  }
  for (const std::size_t user : cluster.users) {
    for (const Amounts& demand : cluster.nodes[user].kinds) {
      for (const std::size_t v : cluster.paths[user]) {
        see(cluster.nodes[v], demand);
        std::vector<std::size_t> together;
        for (std::size_t r = 0; r < demand.size(); ++r)
          if (demand[r] > 0 && cluster.guarantees[v][r] > 0) together.push_back(r);
        if (!together.empty()) cluster.guaranteed_together[v].insert(together);
      }
    }
  }
  return cluster;
}

Use use(const Cluster& cluster, const Running& running) {
  const std::size_t count = cluster.nodes.size();
  Use use{.used = std::vector(count, Amounts(cluster.pool.size(), 0)),
          .over = std::vector(count, std::vector<mpq_class>(cluster.pool.size()))};
  for (const Task& task : running) {
    for (const std::size_t v : cluster.paths[task.user]) use.used[v] = sum(use.used[v], task.demand);
    use.used[0] = sum(use.used[0], task.demand);
  }
  for (std::size_t v = 1; v < count; ++v)
    for (std::size_t r = 0; r < cluster.pool.size(); ++r)
      if (const std::int64_t over = use.used[v][r] - cluster.guarantees[v][r];
          over > 0 && cluster.pool[r] > 0)
        use.over[v][r] = part(over, cluster.pool[r]);
  return use;
}

Key whole_key(const Cluster& cluster, const Use& use, std::size_t node) {
  return key_of_running(cluster, node, use.over[node]);
}

Keys view(const Cluster& cluster, const Use& use, std::size_t user, View how) {
  const std::vector<std::size_t>& path = cluster.paths[user];
  std::vector<mpq_class> e = use.over[user];
  Keys levels = {key_of_running(cluster, user, e)};
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto [is_last, t] = levels.back();
    const bool counts_all = is_last && t > 0;
    for (const std::size_t y : cluster.members[path[i]]) {
      if (y == path[i - 1]) continue;
      const std::vector<mpq_class> full = how == View::task
                                              ? whole_tasks(cluster, y, t)
                                              : std::vector<mpq_class>(e.size(), cluster.nodes[y].weight * t);
      for (std::size_t r = 0; r < e.size(); ++r)
        e[r] += counts_all ? use.over[y][r] : std::min(use.over[y][r], full[r]);
    }
    for (std::size_t r = 0; r < e.size(); ++r) e[r] = std::min(e[r], use.over[path[i]][r]);
    levels.push_back(key_of_running(cluster, path[i], e));
  }
  return levels;
}

Keys standing(const Cluster& cluster, const Use& use, std::size_t user) {
  Keys keys = view(cluster, use, user, View::task);
  std::reverse(keys.begin(), keys.end());
  keys.resize(cluster.depth, keys.back());
  return keys;
}

mpq_class satisfaction(const Cluster& cluster, const Use& use) {
  mpq_class sum = 0;
  for (std::size_t v = 1; v < cluster.nodes.size(); ++v) {
    for (const std::vector<std::size_t>& together : cluster.guaranteed_together[v]) {
      mpq_class most = 0;
      for (const std::size_t r : together)
        most = std::max(most, part(use.used[v][r], cluster.guarantees[v][r]));
      sum += std::min<mpq_class>(1, most);
    }
  }
  return sum;
}

Potential potential(const Cluster& cluster, const Use& use) {
  Potential potential{satisfaction(cluster, use), {}};
  for (const std::size_t user : cluster.users) potential.second.push_back(standing(cluster, use, user));
  std::sort(potential.second.begin(), potential.second.end());
  return potential;
}

Verdict judged(const Cluster& cluster, const Running& running, const Move& move) {
  if (!condition_5(running, move)) return {.broken = 5};
  if (!makes_just_room(cluster, running, move)) return {.broken = 1};
  const Moved moved = oracle::moved(cluster, running, move);
  if (!keeps_limits_and_reserves(moved)) return {.broken = 1};
  const auto rights = condition_3(moved);
  if (!rights) return {.broken = 3};
  if (!condition_2(moved, is_by_guarantee_alone(*rights))) return {.broken = 2, .rights = *rights};
  if (!condition_4(moved)) return {.broken = 4, .rights = *rights};
  return {.broken = 0, .rights = *rights};
}

std::vector<Move> legal_moves(const Cluster& cluster, const Running& running, const Waiting& waiting) {
  constexpr std::size_t kMost = 4;
  std::vector<Move> legal;
  for (std::size_t server = 0; server < cluster.servers.size(); ++server) {
    if (is_within(waiting.demand, free_on(cluster, running, server))) continue;
    std::map<std::pair<std::size_t, Amounts>, std::vector<std::size_t>> alike;  // the newest first
    for (std::size_t place = running.size(); place-- > 0;) {
      const Task& task = running[place];
      if (task.server == server && task.may_end && task.user != waiting.user)
        alike[{task.user, task.demand}].push_back(place);
    }
    const std::vector<std::pair<std::pair<std::size_t, Amounts>, std::vector<std::size_t>>> classes(
        alike.begin(), alike.end());
    Move move{.gains = waiting, .server = server, .ended = {}};
    const std::function<void(std::size_t)> choose = [&](std::size_t from) {
      if (fits_after(cluster, running, move)) {  // with more tasks one could be left out
        if (judged(cluster, running, move).broken == 0) legal.push_back(move);
        return;
      }
      for (std::size_t i = from; i < classes.size() && move.ended.size() < kMost; ++i) {
        const auto& places = classes[i].second;
        const auto taken =
            static_cast<std::size_t>(std::count_if(places.begin(), places.end(), [&](std::size_t place) {
              return std::find(move.ended.begin(), move.ended.end(), place) != move.ended.end();
            }));
        if (taken == places.size()) continue;
        move.ended.push_back(places[taken]);
        choose(i);
        move.ended.pop_back();
      }
    };
    choose(0);
  }
  return legal;
}

std::optional<Move> greedy_move(const Cluster& cluster, const Running& running, const Waiting& waiting) {
  std::optional<Move> best;
  for (std::size_t server = 0; server < cluster.servers.size(); ++server) {
    const std::optional<Move> move = greedy_on(cluster, running, waiting, server);
    if (!move) continue;
    const bool is_best = !best || move->ended.size() < best->ended.size() ||
                         (move->ended.size() == best->ended.size() &&
                          poorest(cluster, running, *best) < poorest(cluster, running, *move));
    if (is_best) best = move;
  }
  return best;
}

Running after(const Running& running, const Move& move) {
  Running left;
  for (std::size_t place = 0; place < running.size(); ++place)
    if (std::find(move.ended.begin(), move.ended.end(), place) == move.ended.end())
      left.push_back(running[place]);
  left.push_back(
      {.user = move.gains.user, .server = move.server, .demand = move.gains.demand, .may_end = false});
  return left;
}

Amounts free_on(const Cluster& cluster, const Running& running, std::size_t server) {
  Amounts free = cluster.servers[server];
  for (const Task& task : running)
    if (task.server == server) free = difference(free, task.demand);
  return free;
}

bool is_within(const Amounts& demand, const Amounts& room) {
  return std::equal(demand.begin(), demand.end(), room.begin(),
                    [](std::int64_t units, std::int64_t left) { return units == 0 || units <= left; });
}

bool is_allowed(const Cluster& cluster, const Use& use, const Waiting& waiting) {
  for (const std::size_t v : cluster.paths[waiting.user]) {
    const std::optional<Amounts>& limit = cluster.nodes[v].limit;
    for (std::size_t r = 0; limit && r < limit->size(); ++r)
      if (waiting.demand[r] > 0 && use.used[v][r] + waiting.demand[r] > (*limit)[r]) return false;
  }
  Use with = use;
  for (const std::size_t v : cluster.paths[waiting.user]) with.used[v] = sum(with.used[v], waiting.demand);
  const Amounts before = charged(cluster, use, 0);
  const Amounts charged_with = charged(cluster, with, 0);
  for (std::size_t r = 0; r < before.size(); ++r)
    if (waiting.demand[r] > 0 && charged_with[r] > cluster.pool[r] && charged_with[r] > before[r])
      return false;
  return true;
}

bool is_covered(const Cluster& cluster, const Use& use, const Waiting& waiting) {
  for (const std::size_t v : cluster.paths[waiting.user]) {
    bool covers = true;
    for (std::size_t r = 0; r < cluster.pool.size(); ++r)
      covers = covers &&
               (waiting.demand[r] == 0 || use.used[v][r] + waiting.demand[r] <= cluster.guarantees[v][r]);
    if (covers) return true;
  }
  return false;
}

std::vector<Waiting> in_order(const Cluster& cluster, const Use& use, std::vector<Waiting> waiting) {
  std::vector<std::vector<std::pair<Key, mpq_class>>> keys;
  std::vector<std::size_t> left(waiting.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (const Waiting& each : waiting) keys.push_back(keys_of(cluster, use, each));
  std::vector<Waiting> order;
  while (!left.empty()) {
    std::vector<std::size_t> among;
    for (const std::size_t each : left)
      if (is_covered(cluster, use, waiting[each])) among.push_back(each);
    if (among.empty()) among = left;
    const std::size_t next = *next_below(cluster, waiting, keys, among, 0);
    order.push_back(waiting[next]);
    std::erase(left, next);
  }
  return order;
}

}  // namespace mirab::scheduling::oracle
