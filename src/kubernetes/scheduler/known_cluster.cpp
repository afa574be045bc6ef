// The engine that follows a cluster of Kubernetes: its nodes, and how it is made again.
#include "kubernetes/scheduler/known_cluster.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
namespace {

using scheduling::Engine;

constexpr Units kMostHeld = Units{1} << 60;

void must_hold(const Check& check) { MIRAB_ASSERT(!check, "an event that the engine cannot refuse"); }

// What pods take together. Requests that no node can fulfil do not make it overflow.
void add(Amounts& sum, const Amounts& amounts) {
  for (const auto& [resource, units] : amounts) {
    if (units == 0) continue;
    Units& mine = sum[resource];
    mine = std::min(kMostHeld, mine + units);
  }
}

}  // namespace

Result<KnownCluster> KnownCluster::from(Policy policy, std::uint64_t seed,
                                        scheduling::LoggedEngine::Write log) {
  KnownCluster cluster(std::move(policy), seed, std::move(log));
  if (Check wrong = cluster.make_engine()) return *std::move(wrong);
  // Some disciplines know no tiers: then priority counts within a namespace only.
  Engine scratch = cluster.engine().copy();
  cluster.has_tiers_ =
      static_cast<bool>(scratch.apply(scheduling::UserAdded{.name = "critical", .tier = 1}, Time()));
  if (!cluster.teams_.has_groups()) return cluster;
  const Result<scheduling::GroupId> group = scratch.apply(scheduling::GroupAdded{.name = "team"}, Time());
  if (!group) return Error{.message = "teams: " + group.error().message, .key = "--discipline"};
  if (Check wrong = cluster.teams_.begin(*cluster.engine_, Time())) return *std::move(wrong);
  return cluster;
}

Check KnownCluster::make_engine() {
  scheduling::EngineOptions options{.resources = resources_,
                                    .discipline = policy_.discipline,
                                    .placement = policy_.placement,
                                    .oversized = scheduling::Oversized::wait,
                                    .preemption = policy_.preempting};
  if (!policy_.share_scale.empty()) {
    for (const std::string& resource : resources_) {
      const auto found = policy_.share_scale.find(resource);
      options.share_scale.push_back(found == policy_.share_scale.end() ? Quantity(1) : found->second);
    }
  }
  Result<scheduling::LoggedEngine> engine = scheduling::LoggedEngine::from(std::move(options), seed_, log_);
  if (!engine) return engine.error();
  engine_.emplace(*std::move(engine));
  return {};
}

// With another list of resources: servers, held amounts, then pods where they are, then those that wait.
void KnownCluster::make_again(Time now) {
  must_hold(make_engine());
  if (changed_) {
    for (const std::string& name : sets_.names()) changed_->sets.insert(name);
  }
  must_hold(teams_.begin(*engine_, now));
  sets_ = NodeSets();
  users_.clear();
  job_pods_.clear();
  server_nodes_.clear();
  for (auto& [name, node] : nodes_) {
    node.server.reset();
    node.held.clear();
    node.pods.clear();
    if (node.row) add_server(name, node, now);
  }
  std::vector<PodRecord*> bound, unbound;
  std::vector<std::pair<PodRecord*, Standing>> placed;
  for (PodRecord* pod : pods_where([](const PodRecord&) { return true; })) {
    pod->job.reset();
    pod->task.reset();
    pod->set.clear();
    pod->is_together = false;
    if (pod->standing == Standing::placed || pod->standing == Standing::nominated ||
        pod->standing == Standing::ending) {
      placed.emplace_back(pod, pod->standing);
    } else if (!pod->seen.node.empty()) {
      bound.push_back(pod);
      pod->on.clear();
    } else if (pod->standing != Standing::resting) {
      unbound.push_back(pod);
    }
    set_standing(*pod, Standing::resting);
  }
  for (PodRecord* pod : bound) enter(*pod, now);
  for (const auto& [pod, standing] : placed) {
    if (standing == Standing::ending) {
      nodes_[pod->on].pods.insert(pod->seen.uid);
      if (!pod->seen.repels.empty()) tell(sets_.repel(pod->seen.repels, pod->on).changes, now);
      set_standing(*pod, standing);
    } else {
      adopt(*pod, standing, now);
    }
  }
  for (const auto& [pod, standing] : placed) {
    if (standing == Standing::ending) hold(*pod, true, now);
  }
  for (PodRecord* pod : unbound) enter(*pod, now);
}

scheduling::Amounts KnownCluster::amounts_of(const Amounts& amounts) const {
  scheduling::Amounts vector;
  for (const std::string& resource : resources_) {
    const auto found = amounts.find(resource);
    vector.push_back(found == amounts.end() ? 0 : found->second);
  }
  return vector;
}

bool KnownCluster::knows_resources(const Amounts& amounts) const {
  return std::all_of(amounts.begin(), amounts.end(), [&](const auto& each) {
    return each.second == 0 ||
           std::find(resources_.begin(), resources_.end(), each.first) != resources_.end();
  });
}

void KnownCluster::add_server(const std::string& name, KnownNode& node, Time now) {
  if (changed_) changed_->nodes.insert(name);
  const Result<scheduling::ServerId> server = engine_->apply(
      scheduling::ServerAdded{.name = name, .capacity = amounts_of(node.row->allocatable)}, now);
  if (!server) {
    notices_.push_back(fmt::format("node {} is left out: {}", name, server.error().message));
    return;
  }
  node.server = *server;
  server_nodes_.emplace(*server, name);
  if (node.is_leaving || node.rests_until) must_hold(engine_->apply(scheduling::ServerDrained{*server}, now));
  if (!node.is_leaving) tell(sets_.put(*node.row), now);
}

void KnownCluster::tell_held(const KnownNode& node, Time now) {
  if (node.server)
    must_hold(engine_->apply(scheduling::ServerHeld{*node.server, amounts_of(node.held)}, now));
}

void KnownCluster::tell(const std::vector<NodeSetChange>& changes, Time now) {
  for (const NodeSetChange& change : changes) {
    if (changed_) changed_->sets.insert(change.set);
    scheduling::SetChanged event{.set = change.set};
    for (const auto& [names, servers] :
         {std::pair(&change.add, &event.add), std::pair(&change.remove, &event.remove)}) {
      for (const std::string& name : *names) {
        const auto node = nodes_.find(name);
        if (node != nodes_.end() && node->second.server) servers->push_back(*node->second.server);
      }
    }
    if (!event.add.empty() || !event.remove.empty()) must_hold(engine_->apply(event, now));
  }
}

void KnownCluster::see_node(NodeRow row, Time now) {
  const std::string name = row.name;
  if (name.empty()) {
    notices_.emplace_back("a node without a name is left out");
    return;
  }
  KnownNode& node = nodes_[name];
  if (node.row == row && !node.is_leaving) return;
  if (changed_) changed_->nodes.insert(name);
  const bool was_known = node.row && node.server;
  const bool was_leaving = node.is_leaving;
  const bool same_capacity = node.row && node.row->allocatable == row.allocatable;
  node.row = std::move(row);
  node.is_leaving = false;

  std::set<std::string> resources(resources_.begin() + 3, resources_.end());
  for (const auto& [resource, units] : node.row->allocatable) {
    if (units > 0 &&
        std::find(resources_.begin(), resources_.begin() + 3, resource) == resources_.begin() + 3)
      resources.insert(resource);
  }
  if (resources.size() > resources_.size() - 3) {
    resources_.resize(3);
    resources_.insert(resources_.end(), resources.begin(), resources.end());
    make_again(now);
    return;
  }
  if (!was_known) {
    add_server(name, node, now);
    if (!node.server) return;
    tell_held(node, now);
    const std::set<std::string> standing = node.pods;
    for (const std::string& uid : standing) {
      PodRecord& pod = pods_.at(uid);
      const bool is_decided = pod.standing == Standing::placed || pod.standing == Standing::nominated;
      if (is_decided && !pod.task) adopt(pod, pod.standing, now);
      if (pod.standing != Standing::homeless) continue;
      leave(pod, now);
      enter(pod, now);
    }
    node.held = held_on(node, {});  // less, where a pod for which others end has joined the engine
    tell_held(node, now);
    return;
  }
  if (!same_capacity) {
    const Check wrong = engine_->apply(
        scheduling::ServerChanged{
            .server = *node.server, .capacity = amounts_of(node.row->allocatable), .allow_below_use = true},
        now);
    if (wrong) notices_.push_back(fmt::format("node {} keeps its old size: {}", name, wrong->message));
  }
  if (was_leaving && !node.rests_until)
    must_hold(engine_->apply(scheduling::ServerReopened{*node.server}, now));
  tell(sets_.put(*node.row), now);
}

void KnownCluster::lose_node(const std::string& name, Time now) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.row || found->second.is_leaving) return;
  KnownNode& node = found->second;
  if (changed_) changed_->nodes.insert(name);
  tell(sets_.remove(name), now);
  node.is_leaving = true;
  if (node.server) must_hold(engine_->apply(scheduling::ServerDrained{*node.server}, now));
  remove_if_left(name, now);
}

// A node that is gone stays as long as pods stand on it.
void KnownCluster::remove_if_left(const std::string& name, Time now) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.pods.empty()) return;
  KnownNode& node = found->second;
  if (node.row && !node.is_leaving) return;
  if (changed_) changed_->nodes.insert(name);
  if (node.server) {
    must_hold(engine_->apply(scheduling::ServerRemoved{*node.server}, now));
    server_nodes_.erase(*node.server);
  }
  nodes_.erase(found);
}

// A pod of another scheduler, or one that is to end, takes its room on the node, or gives it back.
void KnownCluster::hold(PodRecord& pod, bool holds, Time now) {
  KnownNode& node = nodes_[pod.on];
  if (changed_) changed_->nodes.insert(pod.on);
  if (holds && pod.standing == Standing::foreign) {
    add(node.held, pod.seen.requests);
  } else {
    // Added up again, since a sum may have been cut.
    node.held = held_on(node, holds ? std::string() : pod.seen.uid);
  }
  tell_held(node, now);
}

// Pods that are to end hold what they take beyond what the pod takes for which they end: that one is in the
// ledger already.
Amounts KnownCluster::held_on(const KnownNode& node, const std::string& but) const {
  Amounts held;
  std::map<std::string, Amounts> ending;
  for (const std::string& uid : node.pods) {
    const PodRecord& pod = pods_.at(uid);
    if (uid == but) continue;
    if (pod.standing == Standing::foreign) add(held, pod.seen.requests);
    if (pod.standing == Standing::ending) add(ending[pod.ends_for], pod.seen.requests);
  }
  for (auto& [newcomer, amounts] : ending) {
    const PodRecord* comes = pod(newcomer);
    if (comes != nullptr && comes->task && newcomer != but && node.pods.contains(newcomer)) {
      for (const auto& [resource, units] : comes->seen.requests) {
        const auto own = amounts.find(resource);
        if (own != amounts.end()) own->second = std::max<Units>(0, own->second - units);
      }
    }
    add(held, amounts);
  }
  return held;
}

void KnownCluster::rest_node(const std::string& name, Time until, Time now) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.server) return;
  KnownNode& node = found->second;
  if (!node.rests_until && !node.is_leaving)
    must_hold(engine_->apply(scheduling::ServerDrained{*node.server}, now));
  if (changed_) changed_->nodes.insert(name);
  node.rests_until = until;
  expiry_ = std::min(expiry_.value_or(until), until);
}

void KnownCluster::expire(Time now) {
  if (!expiry_ || *expiry_ > now) return;
  std::optional<Time> next;
  const auto consider = [&](std::optional<Time> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  for (auto& [name, node] : nodes_) {
    if (node.rests_until && *node.rests_until <= now) {
      if (changed_) changed_->nodes.insert(name);
      node.rests_until.reset();
      if (!node.is_leaving) must_hold(engine_->apply(scheduling::ServerReopened{*node.server}, now));
    }
    if (node.protected_until && *node.protected_until <= now) {
      node.protected_until.reset();
      for (const std::string& uid : node.pods) ask_protection(pods_.at(uid), now);
    }
    consider(node.rests_until);
    consider(node.protected_until);
  }
  for (auto each = protected_.begin(); each != protected_.end();) {
    const auto [uid, until] = *each;
    if (until > now) {
      consider(until);
      ++each;
      continue;
    }
    each = protected_.erase(each);
    if (const auto found = pods_.find(uid); found != pods_.end()) ask_protection(found->second, now);
  }
  expiry_ = next;
}

std::vector<std::string> KnownCluster::nodes() const {
  std::vector<std::string> names;
  for (const auto& [name, node] : nodes_) {
    if (node.row && !node.is_leaving) names.push_back(name);
  }
  return names;
}

std::size_t KnownCluster::node_count() const {
  return static_cast<std::size_t>(std::count_if(nodes_.begin(), nodes_.end(), [](const auto& each) {
    return each.second.row && !each.second.is_leaving;
  }));
}

KnownCluster::Changed KnownCluster::take_changed() {
  if (changed_) return std::exchange(*changed_, {});
  Changed all{.is_everything = true};
  for (const auto& [uid, pod] : pods_) all.pods.insert(uid);
  for (const auto& [name, node] : nodes_) all.nodes.insert(name);
  for (std::string& name : sets_.names()) all.sets.insert(std::move(name));
  changed_ = Changed{};
  return all;
}

const KnownCluster::KnownNode* KnownCluster::node(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

void KnownCluster::note_unknown_resources() {
  const auto note = [&](const std::string& resource, std::string_view where) {
    if (std::find(resources_.begin(), resources_.end(), resource) == resources_.end())
      notices_.push_back(fmt::format("no node has '{}', which {} names", resource, where));
  };
  for (const auto& [resource, factor] : policy_.share_scale) note(resource, "--share-scale");
  for (const std::string& resource : teams_.resources()) note(resource, "the file of --teams");
}

std::vector<std::string> KnownCluster::take_notices() {
  std::vector<std::string> notices = std::exchange(notices_, {});
  for (std::string& each : teams_.take_notices()) notices.push_back(std::move(each));
  return notices;
}

std::string KnownCluster::broken_invariant() const {
  if (std::string broken = engine().broken_invariant(); !broken.empty()) return broken;
  std::size_t waiting = 0;
  std::map<std::string, Amounts> used;
  std::map<scheduling::JobId, std::int64_t> jobs;
  for (const auto& [uid, pod] : pods_) {
    if (pod.standing == Standing::waiting) ++waiting, ++jobs[*pod.job];
    if (const auto called = called_.find(pod.seen.label()); called == called_.end() || called->second != &pod)
      return fmt::format("pod {} is not found by its name", pod.seen.label());
    if (pod.standing == Standing::waiting) {
      const auto of_job = job_pods_.find(*pod.job);
      if (of_job == job_pods_.end() || std::count(of_job->second.begin(), of_job->second.end(), &pod) != 1)
        return fmt::format("pod {} is not found by its job", pod.seen.label());
    }
    if (pod.task) add(used[pod.on], pod.seen.requests);
    if (pod.on.empty() == (nodes_.contains(pod.on) && nodes_.at(pod.on).pods.contains(uid)))
      return fmt::format("pod {} and its node do not know each other", pod.seen.label());
    if (pod.standing != Standing::waiting || is_listing_) continue;
    if (pod.set != sets_.set_of(pod.seen)) return fmt::format("pod {} uses an old set", pod.seen.label());
    for (const auto& [name, node] : nodes_) {
      if (!node.row || node.is_leaving || !node.server) continue;
      bool may = allows(pod.seen.rule, name, node.row->labels, node.row->taints);
      for (const auto& [other_uid, other] : pods_) {
        if (other.on.empty() || other.seen.node.empty()) continue;
        for (const AntiAffinity& term : other.seen.repels) {
          const auto there = nodes_.find(other.on);
          if (!picks(term, pod.seen.space, pod.seen.labels) || !there->second.row || there->second.is_leaving)
            continue;
          const auto own = node.row->labels.find(term.topology);
          const auto its = there->second.row->labels.find(term.topology);
          if (own != node.row->labels.end() && its != there->second.row->labels.end() &&
              own->second == its->second)
            may = false;
        }
      }
      if (may != sets_.has(pod.set, name))
        return fmt::format("pod {} {} on node {} by its set", pod.seen.label(), may ? "may not" : "may",
                           name);
    }
  }
  if (waiting != waiting_) return "the count of waiting pods is wrong";
  for (const auto& [job, count] : jobs) {
    if (engine().job(job)->waiting != count || engine().job(job)->running != 0)
      return "a gang is placed in part";
  }
  if (called_.size() != pods_.size()) return "a pod that is gone is found by its name";
  for (const auto& [name, node] : nodes_) {
    if (node.held != held_on(node, {})) return fmt::format("what others hold on node {} is wrong", name);
    if (!node.server) continue;
    const scheduling::Amounts free = engine().server(*node.server)->free;
    const scheduling::Amounts capacity = engine().server(*node.server)->capacity;
    const scheduling::Amounts by_others = amounts_of(node.held), by_pods = amounts_of(used[name]);
    for (std::size_t r = 0; r < free.size(); ++r) {
      if (free[r] != std::max<Units>(0, capacity[r] - by_others[r] - by_pods[r]))
        return fmt::format("what is free of {} on node {} is wrong", resources_[r], name);
    }
  }
  return {};
}

}  // namespace mirab::kubernetes
