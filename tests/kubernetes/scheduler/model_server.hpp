// An API server of a few lines, for the scheduler's tests: it keeps nodes and pods, does what requests ask,
// and tells what happens some time later. Requests and replies may be lost on the way.
#pragma once

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/scheduler/scheduler.hpp"

namespace mirab::kubernetes::testing {

/// The wall clock of the tests, and their steady clock in seconds.
inline const Wall kWall = *wall_of("2027-03-01T08:00:00Z");
inline Time at(double seconds) {
  return Time() + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

struct ModelPod {
  SeenPod seen;
  std::map<std::string, std::string> conditions = {};  // of PodScheduled: message by reason
  std::vector<std::string> events = {};                // `Scheduled: …`
  int binds = 0;
  std::string nominated = {};           // status.nominatedNodeName
  std::vector<std::string> since = {};  // lastTransitionTime of PodScheduled, as it was written
  std::optional<double> gone_at = {};   // it was evicted, and ends then
};

/// What becomes of a request.
enum class Fate { done, lost_before, lost_after, refused, unauthorized, too_many, budget, invalid };

/// As the API server answers where a disruption budget allows no eviction.
inline constexpr std::string_view kBudgetSaysNo =
    R"({"kind":"Status","code":429,"reason":"TooManyRequests",)"
    R"("message":"Cannot evict pod as it would violate the pod's disruption budget.",)"
    R"("details":{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget b needs 4 pods"}]}})";

class ModelServer {
 public:
  std::map<std::string, NodeRow> nodes = {};
  std::map<std::string, ModelPod> pods = {};  // by uid
  std::vector<std::string> decisions = {};    // annotations, in the order of the binds
  std::map<Budgets::Key, Budget> budgets = {};
  std::vector<std::string> evicted = {};  // uids, in their order
  std::set<std::string> stuck = {};       // uids of pods that never end
  double clock = 0;

  void put_node(NodeRow row) {
    nodes[row.name] = row;
    news_.push_back({.node = std::move(row)});
  }
  void delete_node(const std::string& name) {
    nodes.erase(name);
    news_.push_back({.gone_node = name});
  }
  void put_pod(SeenPod pod) {
    pods[pod.uid].seen = pod;
    news_.push_back({.pod = std::move(pod)});
  }
  void delete_pod(const std::string& uid) {
    pods.erase(uid);
    news_.push_back({.gone_pod = uid});
  }

  void put_space(SeenSpace space) { news_.push_back({.space = std::move(space)}); }
  void put_budget(Budget budget) {
    budgets[{budget.space, budget.name}] = budget;
    news_.push_back({.budget = std::move(budget)});
  }

  /// Time goes on: pods that were evicted end after their grace.
  void pass(double time) {
    clock = time;
    std::vector<std::string> over;
    for (const auto& [uid, pod] : pods) {
      if (pod.gone_at && *pod.gone_at <= clock) over.push_back(uid);
    }
    for (const std::string& uid : over) delete_pod(uid);
  }

  /// Does what a request asks, as far as its fate lets it; none: no reply comes. Where a look comes first,
  /// the fate meets the look of every other request, and what comes after the look of the others.
  Reply take(const Request& request, Fate fate) {
    const bool has_look = !request.looks_for.empty();
    const bool meets_look = has_look && request.id % 2 == 0;
    return deliver(request, [&](const Request& each) {
      const bool is_look = has_look && each.method == "GET";
      return is_look == meets_look ? met(each, fate) : done(each);
    });
  }

  /// Tells the scheduler the next thing that happened; false when there is none.
  bool tell(Scheduler& scheduler, Time now) {
    if (news_.empty()) return false;
    News news = std::move(news_.front());
    news_.pop_front();
    if (news.node) scheduler.put_node(*std::move(news.node), now);
    if (!news.gone_node.empty()) scheduler.remove_node(news.gone_node, now);
    if (news.pod) scheduler.put_pod(*std::move(news.pod), now);
    if (!news.gone_pod.empty()) scheduler.remove_pod(news.gone_pod, now);
    if (news.space) scheduler.put_space(*news.space, now);
    if (news.budget) scheduler.put_budget(*std::move(news.budget), now);
    return true;
  }

  /// A list of all there is; what was to be told is contained in it.
  void list(Scheduler& scheduler, Time now) {
    std::erase_if(news_, [](const News& each) { return !each.space; });
    scheduler.begin_spaces();
    scheduler.end_spaces(now);
    scheduler.begin_budgets();
    for (const auto& [key, budget] : budgets) scheduler.put_budget(budget, now);
    scheduler.end_budgets(now);
    scheduler.begin_nodes();
    for (const auto& [name, node] : nodes) scheduler.put_node(node, now);
    scheduler.end_nodes(now);
    scheduler.begin_pods();
    for (const auto& [uid, pod] : pods) scheduler.put_pod(pod.seen, now);
    scheduler.end_pods(now);
  }

  ModelPod* find(const std::string& space, const std::string& name) {
    for (auto& [uid, pod] : pods) {
      if (pod.seen.space == space && pod.seen.name == name) return &pod;
    }
    return nullptr;
  }

 private:
  struct News {
    std::optional<NodeRow> node = {};
    std::string gone_node = {};
    std::optional<SeenPod> pod = {};
    std::string gone_pod = {};
    std::optional<SeenSpace> space = {};
    std::optional<Budget> budget = {};
  };

  // As the API server does: a budget that allows none refuses, and two budgets are an error of its own.
  Reply evict(const Request& request, const nlohmann::json& body, ModelPod& pod) {
    if (body["deleteOptions"]["preconditions"]["uid"] != pod.seen.uid)
      return {.id = request.id, .status = 409};
    Budgets known;
    for (const auto& [key, budget] : budgets) known.put(budget);
    const std::vector<const Budget*> of_it = known.of(pod.seen.space, pod.seen.labels);
    if (of_it.size() > 1) return {.id = request.id, .status = 500, .body = R"({"message":"two budgets"})"};
    if (!pod.gone_at && !of_it.empty() && of_it.front()->allowed == 0)
      return {.id = request.id, .status = 429, .body = std::string(kBudgetSaysNo)};
    if (body["deleteOptions"].contains("dryRun") || pod.gone_at)
      return {.id = request.id, .status = 201, .body = "{}"};
    evicted.push_back(pod.seen.uid);
    if (!of_it.empty()) {
      Budget less = *of_it.front();
      --less.allowed;
      put_budget(less);
    }
    pod.gone_at = stuck.contains(pod.seen.uid) ? 1e9 : clock + static_cast<double>(pod.seen.grace.count());
    pod.seen.is_ending = true;
    news_.push_back({.pod = pod.seen});
    return {.id = request.id, .status = 201, .body = "{}"};
  }

  Reply met(const Request& request, Fate fate) {
    switch (fate) {
      case Fate::done:
        return done(request);
      case Fate::lost_before:
        return {.id = request.id};
      case Fate::lost_after:
        done(request);
        return {.id = request.id};
      case Fate::refused:
        return {.id = request.id, .status = 403, .body = R"({"message":"webhook says no"})"};
      case Fate::unauthorized:
        return {.id = request.id, .status = 401, .body = R"({"message":"Unauthorized"})"};
      case Fate::too_many:  // as API priority and fairness says it
        return {.id = request.id, .status = 429, .body = "Too many requests, please try again later.\n"};
      case Fate::budget:
        return {.id = request.id, .status = 429, .body = std::string(kBudgetSaysNo)};
      case Fate::invalid:
        return {.id = request.id, .status = 422, .body = R"({"message":"no such field"})"};
    }
    return {.id = request.id};
  }

  Reply done(const Request& request) {
    // /api/v1/namespaces/NS/pods/NAME[/WHAT], or …/namespaces/NS/events
    std::vector<std::string> parts;
    for (std::size_t at = 0; at != std::string::npos && at < request.path.size();) {
      const std::size_t end = request.path.find('/', at + 1);
      parts.push_back(request.path.substr(at + 1, end - at - 1));
      at = end;
    }
    const nlohmann::json body = request.body.empty() ? nlohmann::json() : nlohmann::json::parse(request.body);
    if (parts.back() == "events") {
      for (auto& [uid, pod] : pods) {
        if (uid == body["regarding"]["uid"].get<std::string>())
          pod.events.push_back(body["reason"].get<std::string>() + ": " + body["note"].get<std::string>());
      }
      return {.id = request.id, .status = 201, .body = "{}"};
    }
    ModelPod* pod = find(parts.at(3), parts.at(5));
    if (pod == nullptr) return {.id = request.id, .status = 404, .body = R"({"message":"not found"})"};
    if (request.method == "GET") {
      const nlohmann::json found = {{"metadata", {{"uid", pod->seen.uid}}},
                                    {"spec", {{"nodeName", pod->seen.node}}}};
      return {.id = request.id, .status = 200, .body = found.dump()};
    }
    if (parts.back() == "eviction") return evict(request, body, *pod);
    if (parts.back() == "status") {
      if (body["metadata"]["uid"] != pod->seen.uid) return {.id = request.id, .status = 409, .body = "{}"};
      if (body["status"].contains("nominatedNodeName")) {
        pod->nominated = body["status"]["nominatedNodeName"];
        return {.id = request.id, .status = 200, .body = "{}"};
      }
      const nlohmann::json& condition = body["status"]["conditions"][0];
      pod->conditions[condition["reason"]] = condition["message"];
      pod->since.push_back(condition["lastTransitionTime"]);
      pod->seen.unscheduled_since = pod->since.back();
      news_.push_back({.pod = pod->seen});
      return {.id = request.id, .status = 200, .body = "{}"};
    }
    // A server of 1.23 or later: the uid is compared.
    if (body["metadata"]["uid"] != pod->seen.uid || !pod->seen.node.empty())
      return {.id = request.id, .status = 409, .body = R"({"message":"conflict"})"};
    ++pod->binds;
    decisions.push_back(body["metadata"]["annotations"]["mirab.io/decision"]);
    pod->seen.node = body["target"]["name"];
    news_.push_back({.pod = pod->seen});
    return {.id = request.id, .status = 201, .body = "{}"};
  }

  std::deque<News> news_ = {};
};

/// A node with these thousandths of a CPU, MB, and pods.
inline NodeRow node_row(const std::string& name, Units cpu, Units memory, Units pods = 110,
                        NodeLabels labels = {}) {
  labels.emplace("kubernetes.io/hostname", name);
  return {.name = name,
          .labels = std::move(labels),
          .allocatable = {{"cpu", cpu}, {"memory", memory}, {"pods", pods}}};
}

inline SeenPod waiting_pod(const std::string& space, const std::string& name, Units cpu, Units memory,
                           int version = 0) {
  SeenPod seen{.uid = space + "-" + name + "-" + std::to_string(version),
               .space = space,
               .name = name,
               .scheduler = "mirab"};
  seen.requests = {{"cpu", cpu}, {"memory", memory}, {"pods", 1}};
  std::erase_if(seen.requests, [](const auto& each) { return each.second == 0; });
  return seen;
}

inline SchedulerOptions options(const std::string& discipline = "drf") {
  SchedulerOptions options;
  options.policy.discipline = *choose_discipline(discipline);
  options.policy.placement = *choose_placement("best-fit");
  options.holder = "test";
  return options;
}

}  // namespace mirab::kubernetes::testing
