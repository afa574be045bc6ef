#include "kube/mirror.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>

#include "kubernetes/placement_rules.hpp"
#include "kubernetes/scheduler/reasons.hpp"
#include "live/content.hpp"

namespace mirab::kube {
namespace {

using kubernetes::Standing;

// On which a pod without wishes may run. No set of NodeSets has such a name.
constexpr const char* kCommonSet = "\nwithout wishes";

using Phase = Mirror::Phase;

Phase phase_of(Standing standing) {
  switch (standing) {
    case Standing::foreign:
      return Phase::absent;
    case Standing::gated:
    case Standing::refused:
    case Standing::lacking:
    case Standing::resting:
    case Standing::gathering:
    case Standing::waiting:
      return Phase::waits;
    case Standing::nominated:
    case Standing::placed:
      return Phase::placed;
    case Standing::bound:
    case Standing::ending:
    case Standing::homeless:
      return Phase::runs;
  }
  return Phase::absent;
}

/// As an explanation: it ends without a point.
std::string says(std::string report) {
  if (report.ends_with('.')) report.pop_back();
  return report;
}

std::optional<live::Aside> aside_of(const Picture::Pod& pod) {
  switch (pod.standing) {
    case Standing::refused:
      return live::Aside{"not-supported", says(pod.report),
                         "the field taken away, or another scheduler (spec.schedulerName)"};
    case Standing::lacking:
      return live::Aside{"no-such-resource", says(pod.report), "a node that has the resource"};
    case Standing::gated:
      return live::Aside{"gated", "a scheduling gate of the pod is left",
                         "the controller that set the gate takes it away"};
    case Standing::resting:
      if (pod.is_ending)
        return live::Aside{"ending", "it was deleted before it was placed", "nothing: it ends"};
      return live::Aside{"resting", "the API server refused to bind it; it is tried again after a while",
                         "what the events of the pod name"};
    case Standing::homeless:
      return live::Aside{
          "nothing-waits",
          fmt::format("it is bound to node {}, which is not known or cannot hold it", pod.node),
          {}};
    case Standing::gathering:
      return live::Aside{"gathering", says(pod.report),
                         "the pods of its gang that are missing, or equal ones"};
    case Standing::ending:
      return live::Aside{"nothing-waits", fmt::format("it ends on node {} for another pod", pod.node), {}};
    case Standing::nominated:
    case Standing::placed:
      if (pod.job) break;
      return live::Aside{
          "nothing-waits", fmt::format("it is decided for node {}, which cannot be counted", pod.node), {}};
    case Standing::foreign:
    case Standing::waiting:
    case Standing::bound:
      break;
  }
  return {};
}

/// A pod is a job of its own name. Pods of a gang that start together are one job, whose name no pod can
/// have.
std::string job_name_of(const Picture::Pod& pod) { return pod.gang.empty() ? pod.name : "gang:" + pod.gang; }

live::Resource resource_of(const std::string& name) {
  if (name == "cpu") return {.name = name, .unit = "milli", .exponent = -3};
  if (kubernetes::counts_bytes(name)) return {.name = name, .unit = "bytes"};
  return {.name = name};
}

std::string word_of(const std::optional<scheduling::TaskId>& task) {
  if (!task) return {};
  return live::text_of(live::TaskKey{.number = static_cast<std::uint64_t>(*task)});
}

scheduling::Amounts vector_of(const live::Units& units, const kubernetes::Amounts& amounts) {
  scheduling::Amounts vector;
  for (const live::Resource& resource : units.resources()) {
    const auto found = amounts.find(resource.name);
    vector.push_back(found == amounts.end() ? 0 : found->second);
  }
  return vector;
}

}  // namespace

std::optional<Picture> take_picture(kubernetes::Scheduler& scheduler, Time now, Wall wall) {
  const kubernetes::KnownCluster::Changed changed = scheduler.take_changed();
  const kubernetes::KnownCluster& cluster = scheduler.cluster();
  if (changed.is_nothing()) return {};
  Picture picture{.engine = cluster.engine().copy(), .now = now, .wall = wall};
  for (const std::string& name : changed.nodes) {
    Picture::Node node{.name = name, .known = {}};
    if (const auto* known = cluster.node(name); known != nullptr && known->row)
      node.known = {.row = known->row,
                    .server = known->server,
                    .is_leaving = known->is_leaving,
                    .held = known->held,
                    .rests_until = known->rests_until};
    picture.nodes.push_back(std::move(node));
  }
  for (const std::string& set : changed.sets) picture.sets[set] = cluster.sets().nodes_of(set);
  for (const std::string& uid : changed.pods) {
    Picture::Pod pod{.uid = uid};
    const kubernetes::PodRecord* known = cluster.pod(uid);
    if (known != nullptr && known->standing != Standing::foreign) {
      pod = {.uid = uid,
             .is_known = true,
             .space = known->seen.space,
             .name = known->seen.name,
             .node = known->on,
             .set = known->set,
             .standing = known->standing,
             .is_ending = known->seen.is_ending,
             .priority = known->seen.priority,
             .created = known->seen.created,
             .requests = known->seen.requests,
             .gang = known->is_together ? known->seen.gang : std::string(),
             .job = known->job,
             .task = known->task};
      if (pod.standing == Standing::refused || pod.standing == Standing::lacking ||
          pod.standing == Standing::gathering) {
        if (auto report = report_of(uid, cluster, now)) {
          pod.reason = std::move(report->reason);
          pod.report = std::move(report->text);
        }
      }
    }
    if (pod.standing == Standing::waiting && !pod.set.empty())
      picture.rules.try_emplace(pod.set, known->seen.rule);
    picture.pods.push_back(std::move(pod));
  }
  picture.users = cluster.users();
  picture.groups = cluster.groups();
  return picture;
}

Result<Mirror> Mirror::from(std::string cluster_id, live::Revision first) {
  Result<live::Settings> settings =
      live::make_settings({"cpu:milli", "memory"}, "drf", "first-fit", 0, std::move(cluster_id));
  if (!settings) return settings.error();
  Result<live::State> state = live::State::from(*std::move(settings));
  if (!state) return state.error();
  Mirror mirror(*std::move(state));
  mirror.state_.last.revision = first;
  mirror.state_.other_wishes = "a toleration, or another node selector or affinity";
  mirror.state_.for_gangs.clear();
  return mirror;
}

std::vector<live::Change> Mirror::follow(Picture picture) {
  state_.engine = std::move(picture.engine);
  stand_at(picture.now, picture.wall);
  follow_resources();
  for (auto& [name, nodes] : picture.sets) {
    if (nodes.empty()) {
      state_.sets.erase(name);
    } else {
      state_.sets[name] = std::move(nodes);
    }
  }
  for (Picture::Node& node : picture.nodes) follow_node(std::move(node));
  follow_common_set();
  // A pod may have the name of one that is gone.
  for (const Picture::Pod& pod : picture.pods) {
    if (!pod.is_known) forget(pod.uid);
  }
  std::vector<const Picture::Pod*> known;
  for (const Picture::Pod& pod : picture.pods) {
    if (pod.is_known) known.push_back(&pod);
  }
  std::sort(known.begin(), known.end(), [](const auto* a, const auto* b) {
    return std::tie(a->created, a->uid) < std::tie(b->created, b->uid);
  });
  for (const Picture::Pod* pod : known) follow_pod(*pod);
  follow_groups(picture);
  follow_users(picture);
  for (auto& [set, rule] : picture.rules) rules_.insert_or_assign(set, std::move(rule));
  forget_rules();
  state_.index();
  has_picture_ = true;
  return std::exchange(changes_, {});
}

void Mirror::stand_at(Time now, Wall wall) {
  state_.stand_at({.revision = state_.last.revision, .now = now, .wall = wall});
}

void Mirror::follow_resources() {
  state_.settings.options = state_.engine.options();
  std::vector<live::Resource> resources;
  for (const std::string& name : state_.engine.options().resources) resources.push_back(resource_of(name));
  state_.settings.units = live::Units(std::move(resources));
}

void Mirror::say(std::vector<live::Event> events) {
  ++state_.last.revision;
  if (has_picture_)
    changes_.push_back(
        {.revision = state_.last.revision, .at = state_.last.wall, .events = std::move(events)});
}

// Nodes.

void Mirror::follow_node(Picture::Node node) {
  const auto found = state_.servers.find(node.name);
  const bool was_there = found != state_.servers.end();
  if (!node.known || !node.known->server) {
    rows_.erase(node.name);
    if (!was_there) return;
    state_.servers.erase(found);
    return say({{.kind = "server-removed", .server = node.name}});
  }
  const kubernetes::KnownCluster::KnownNode& known = *node.known;
  const live::Units& units = state_.settings.units;
  live::Server server;
  server.id = known.server;
  server.drained = known.is_leaving || known.row->is_closed || known.rests_until;
  server.content = {.capacity = vector_of(units, known.row->allocatable), .labels = known.row->labels};
  server.held = vector_of(units, known.held);
  const bool was_drained = was_there && found->second.drained;
  const std::string kind = !was_there                      ? "server-added"
                           : server.drained == was_drained ? "server-changed"
                           : server.drained                ? "server-drained"
                                                           : "server-reopened";
  say({{.kind = kind, .server = node.name}});
  server.changed = state_.last.revision;
  state_.servers[node.name] = std::move(server);
  if (known.is_leaving) {
    rows_.erase(node.name);
  } else {
    rows_[node.name] = *std::move(node.known->row);
  }
}

void Mirror::follow_common_set() {
  scheduling::SetChanged event{.set = kCommonSet};
  std::set<std::string> names;
  for (const auto& [name, row] : rows_) {
    if (!kubernetes::allows({}, name, row.labels, row.taints)) continue;
    names.insert(name);
    event.add.push_back(*state_.servers.at(name).id);
  }
  state_.common_set = kCommonSet;
  if (!event.add.empty()) {
    const Check wrong = state_.engine.apply(event, state_.last.now);
    MIRAB_ASSERT(!wrong, "a set of servers that are there");
  }
  state_.sets[kCommonSet] = std::move(names);
}

// Pods.

// A task of the job, in its queue and its tenant too: one more, or one less.
void Mirror::count(live::Job& job, Phase phase, std::int64_t sign) {
  live::Queue& queue = state_.queues.at(job.queue);
  live::Tenant& tenant = state_.tenants.at(job.queue);
  live::JobRole& role = job.roles.front();
  job.tasks += sign;
  if (phase == Phase::waits) {
    for (std::int64_t* each : {&job.waiting, &role.waiting, &queue.waiting, &tenant.waiting}) *each += sign;
    queue.note_waiting(job);
  } else {
    for (std::int64_t* each : {&job.running, &role.running, &queue.running}) *each += sign;
  }
}

// The job goes with its last task.
void Mirror::take_out(const Known& known) {
  live::Job& job = *known.job;
  count(job, phase_of(known.standing), -1);
  if (known.task) job.begun.erase({.number = static_cast<std::uint64_t>(*known.task)});
  job.changed = state_.last.revision;
  if (job.tasks > 0) return;
  live::Queue& queue = state_.queues.at(job.queue);
  queue.live -= 1;
  state_.tenants.at(job.queue).jobs -= 1;
  queue.jobs.erase(queue.jobs.find(job.name));
}

void Mirror::forget(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  const Known known = found->second;
  pods_.erase(found);
  conditions_.erase(uid);
  const std::string& space = known.space();
  const std::string label = known.job->label();
  std::vector<live::Event> events;
  if (phase_of(known.standing) != Phase::waits)
    events.push_back({.kind = "task-ended",
                      .tenant = space,
                      .queue = space,
                      .job = label,
                      .task = word_of(known.task),
                      .server = known.node,
                      .why = "gone"});
  if (known.job->tasks == 1)
    events.push_back({.kind = "job-ended", .tenant = space, .queue = space, .job = label, .why = "gone"});
  say(std::move(events));
  state_.queues.at(space).changed = state_.last.revision;
  take_out(known);
}

void Mirror::follow_pod(const Picture::Pod& pod) {
  const live::Units& units = state_.settings.units;
  const Phase phase = phase_of(pod.standing);
  auto known = pods_.find(pod.uid);
  if (known != pods_.end() && (known->second.space() != pod.space || known->second.pod_name() != pod.name)) {
    forget(pod.uid);
    known = pods_.end();
  }
  const std::optional<Known> old = known == pods_.end() ? std::nullopt : std::optional(known->second);
  const Phase before = old ? phase_of(old->standing) : Phase::absent;
  const std::string name = job_name_of(pod);
  const std::string task = word_of(pod.task);

  std::vector<live::Event> events;
  const auto add = [&](std::string kind, const std::string& of_task, const std::string& server,
                       std::string why) {
    events.push_back({.kind = std::move(kind),
                      .tenant = pod.space,
                      .queue = pod.space,
                      .job = pod.space + "/" + name,
                      .task = of_task,
                      .server = server,
                      .why = std::move(why)});
  };
  state_.tenants.try_emplace(pod.space);
  live::Queue& queue = state_.queues[pod.space];
  live::Tenant& tenant = state_.tenants.at(pod.space);
  const bool was_there = queue.jobs.contains(name);
  if (old && old->job->name != name && old->job->tasks == 1)
    events.push_back({.kind = "job-ended",
                      .tenant = pod.space,
                      .queue = pod.space,
                      .job = old->job->label(),
                      .why = "goes on as " + name});
  if (!was_there) add("job-submitted", {}, {}, {});
  if (before < Phase::placed && phase >= Phase::placed) add("task-placed", task, pod.node, {});
  if (before < Phase::runs && phase == Phase::runs) add("task-started", task, pod.node, {});
  if (before >= Phase::placed && phase == Phase::waits)
    add("task-ended", word_of(old->task), old->node, "not bound");
  if (events.empty()) {
    ++state_.last.revision;
  } else {
    say(std::move(events));
  }

  queue.content.tenant = pod.space;
  queue.changed = state_.last.revision;
  const live::Revision created = was_there ? queue.jobs.at(name).created : state_.last.revision;
  if (old) take_out(*old);
  const auto [place, is_new] = queue.jobs.try_emplace(name);
  live::Job& job = place->second;
  scheduling::JobSubmitted terms{.user = {}, .demand = vector_of(units, pod.requests)};
  if (is_new) {
    job = {.queue = pod.space,
           .name = name,
           .form = {},
           .sha256 = {},
           .created = created,
           .created_at = pod.created,
           .priority = pod.priority,
           .roles = {live::JobRole{.demand = terms.demand, .inside = 0}}};
    queue.live += 1;
    tenant.jobs += 1;
  }
  count(job, phase, 1);
  terms.tasks = job.tasks;
  if (!pod.gang.empty()) terms.gang = job.tasks;
  if (pod.priority != 0) terms.rank = scheduling::Rank{.priority = pod.priority};
  job.form = live::normal_form(live::JobContent{.terms = terms}, units).dump();
  job.changed = state_.last.revision;
  job.id = pod.job;
  job.aside = aside_of(pod);
  job.within.reset();
  if (pod.standing == Standing::waiting && !pod.set.empty()) job.within = pod.set;
  if (pod.standing == Standing::bound && pod.task)
    job.begun.insert({.number = static_cast<std::uint64_t>(*pod.task)});
  pods_[pod.uid] = {.job = &job,
                    .name = pod.name == name ? std::string() : pod.name,
                    .standing = pod.standing,
                    .node = pod.node,
                    .task = pod.task};
  conditions_.erase(pod.uid);
  if (!pod.report.empty()) conditions_[pod.uid] = {.reason = pod.reason, .message = pod.report};
}

// Guarantees and limits as they are cut to what the cluster has now.
void Mirror::follow_groups(const Picture& picture) {
  std::map<std::string, live::Group> groups;
  for (const kubernetes::KnownTeam& team : picture.groups) {
    live::Group group{.content = {.parent = team.parent,
                                  .quota = {.weight = team.weight,
                                            .guarantee = team.guarantee,
                                            .limit = team.limit,
                                            .reserved = team.reserved}},
                      .id = team.id};
    const auto before = state_.groups.find(team.name);
    const bool was_there = before != state_.groups.end();
    if (was_there && before->second.content == group.content) {
      group.changed = before->second.changed;
    } else {
      say({{.kind = was_there ? "group-changed" : "group-added", .name = team.name}});
      group.changed = state_.last.revision;
    }
    groups[team.name] = std::move(group);
  }
  for (const auto& [name, group] : state_.groups) {
    if (!groups.contains(name)) say({{.kind = "group-removed", .name = name}});
  }
  state_.groups = std::move(groups);
}

// A namespace is a queue as long as it has pods.
void Mirror::follow_users(const Picture& picture) {
  constexpr live::UserId kNone{~std::uint64_t{0}};
  for (auto each = state_.queues.begin(); each != state_.queues.end();) {
    auto& [name, queue] = *each;
    if (queue.jobs.empty()) {
      state_.tenants.erase(name);
      each = state_.queues.erase(each);
      continue;
    }
    const auto common = picture.users.find({name, false});
    const auto critical = picture.users.find({name, true});
    queue.critical.reset();
    queue.is_critical = common == picture.users.end() && critical != picture.users.end();
    const auto any = common != picture.users.end() ? common : critical;
    if (any != picture.users.end()) queue.content.group = name_of_group(any->second.group);
    if (common != picture.users.end()) {
      queue.id = common->second.id;
      if (critical != picture.users.end()) queue.critical = critical->second.id;
    } else {
      queue.id = critical == picture.users.end() ? kNone : critical->second.id;
    }
    ++each;
  }
}

std::string Mirror::name_of_group(scheduling::GroupId id) const {
  for (const auto& [name, group] : state_.groups) {
    if (group.id == id) return name;
  }
  return {};
}

// Each time that twice as many are there as were needed: O(1) for each rule.
void Mirror::forget_rules() {
  constexpr std::size_t kFew = 64;
  if (rules_.size() <= std::max(kFew, most_rules_)) return;
  std::set<std::string_view> needed;
  for (const auto& [name, queue] : state_.queues) {
    for (const auto& [job_name, job] : queue.jobs) {
      if (job.within) needed.insert(*job.within);
    }
  }
  std::erase_if(rules_, [&](const auto& each) { return !needed.contains(each.first); });
  most_rules_ = 2 * rules_.size();
}

const kubernetes::PlacementRule* Mirror::rule_of(const std::string& space, const std::string& name) const {
  const live::Job* const job = state_.job(space, name);
  if (job == nullptr || !job->within) return nullptr;
  const auto found = rules_.find(*job->within);
  return found == rules_.end() ? nullptr : &found->second;
}

std::string Mirror::wishes_of(const std::string& space, const std::string& name) const {
  const kubernetes::PlacementRule* const rule = rule_of(space, name);
  return rule == nullptr ? std::string() : describe(*rule);
}

std::string Mirror::objection(const std::string& space, const std::string& name,
                              const std::string& node) const {
  const kubernetes::PlacementRule* const rule = rule_of(space, name);
  const auto row = rows_.find(node);
  if (rule == nullptr || row == rows_.end()) return {};
  std::string text = kubernetes::objection(*rule, node, row->second.labels, row->second.taints);
  if (!text.empty()) return text;
  const auto set = state_.sets.find(*state_.job(space, name)->within);
  if (set != state_.sets.end() && set->second.contains(node)) return {};
  return "a pod on the node, or in its domain, has a required anti-affinity against this pod";
}

std::string Mirror::job_called(const std::string& space, const std::string& name) const {
  if (state_.job(space, name) != nullptr) return name;
  for (const auto& [uid, known] : pods_) {
    if (known.space() == space && known.pod_name() == name) return known.job->name;
  }
  return name;
}

live::Json Mirror::condition_of(const std::string& space, const std::string& name) const {
  const live::Job* const job = state_.job(space, name);
  if (job == nullptr || job->waiting == 0) return {};
  if (job->id) {
    const auto why = state_.engine.why_waiting(*job->id, state_.last.now);
    if (!why) return {};
    return {{"reason", "Unschedulable"},
            {"message", kubernetes::waiting_text(*why, state_.engine.options().resources).text}};
  }
  for (const auto& [uid, condition] : conditions_) {
    if (pods_.at(uid).job == job) return {{"reason", condition.reason}, {"message", condition.message}};
  }
  return {};
}

}  // namespace mirab::kube
