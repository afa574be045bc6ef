// The scheduler as a whole: what the API server says in, requests out.
#include "kubernetes/scheduler/scheduler.hpp"

#include <algorithm>
#include <utility>

namespace mirab::kubernetes {
namespace {

// Of an unlimited rate nothing is taken.
Rate rate_of_binds(double per_s) { return {per_s, 2 * per_s}; }

constexpr Duration kRestOfNode = std::chrono::seconds(30);  // after its kubelet has refused a pod
constexpr std::size_t kMostEvents = 1000;                   // that wait to be sent; those beyond are left out

}  // namespace

Scheduler::Scheduler(SchedulerOptions options, KnownCluster cluster)
    : options_(std::move(options)),
      cluster_(std::move(cluster)),
      binding_(
          {.in_flight = options_.in_flight, .looks_first = options_.looks_first, .holder = options_.holder}),
      evicting_(options_.eviction_version),
      reporting_({.reporter = options_.policy.scheduler, .instance = options_.holder}),
      binds_(rate_of_binds(options_.binds_per_s)) {}

Result<Scheduler> Scheduler::from(SchedulerOptions options) {
  Result<KnownCluster> cluster = KnownCluster::from(options.policy, options.seed, options.log);
  if (!cluster) return std::move(cluster).error();
  return Scheduler(std::move(options), *std::move(cluster));
}

void Scheduler::begin_nodes() { listed_nodes_.emplace(); }

void Scheduler::put_node(NodeRow node, Time now) {
  if (listed_nodes_) listed_nodes_->insert(node.name);
  cluster_.see_node(std::move(node), now);
  take_notices();
}

void Scheduler::remove_node(const std::string& name, Time now) { cluster_.lose_node(name, now); }

void Scheduler::end_nodes(Time now) {
  const std::set<std::string> listed =
      std::exchange(listed_nodes_, std::nullopt).value_or(std::set<std::string>());
  for (const std::string& name : cluster_.nodes()) {
    if (!listed.contains(name)) cluster_.lose_node(name, now);
  }
  if (!std::exchange(has_nodes_, true)) cluster_.note_unknown_resources();
  take_notices();
}

void Scheduler::begin_pods() {
  listed_pods_.emplace();
  cluster_.begin_list();
}

void Scheduler::put_pod(SeenPod pod, Time now) {
  if (listed_pods_) listed_pods_->insert(pod.uid);
  const std::string uid = pod.uid;
  const PodRecord* before = cluster_.pod(uid);
  const std::optional<Standing> stood = before == nullptr ? std::nullopt : std::optional(before->standing);
  cluster_.see_pod(std::move(pod), now);
  const PodRecord* after = cluster_.pod(uid);
  if (after == nullptr) {
    binding_.forget(uid);
    reporting_.forget(uid);
  } else if (after->standing != stood && !options_.is_dry_run &&
             (after->standing == Standing::waiting || after->standing == Standing::refused ||
              after->standing == Standing::lacking || after->standing == Standing::gathering)) {
    reporting_.changed(uid, now);
  }
}

void Scheduler::remove_pod(const std::string& uid, Time now) {
  cluster_.lose_pod(uid, now);
  binding_.forget(uid);
  reporting_.forget(uid);
}

void Scheduler::reject_pod(const std::string& uid, Time now) {
  const PodRecord* pod = cluster_.pod(uid);
  if (pod == nullptr || pod->standing == Standing::foreign) return remove_pod(uid, now);
  const std::string node = pod->on;
  happenings_.push_back({.what = Happening::What::notice,
                         .pod = pod->seen.label(),
                         .node = node,
                         .why = "the kubelet refused it; its node rests for 30 s"});
  ++rejected_;
  remove_pod(uid, now);
  cluster_.rest_node(node, now + kRestOfNode, now);
}

void Scheduler::end_pods(Time now) {
  const std::unordered_set<std::string> listed =
      std::exchange(listed_pods_, std::nullopt).value_or(std::unordered_set<std::string>());
  std::vector<std::string> gone;
  for (const auto& [uid, pod] : cluster_.pods()) {
    if (!listed.contains(uid)) gone.push_back(uid);
  }
  std::sort(gone.begin(), gone.end());
  for (const std::string& uid : gone) remove_pod(uid, now);
  cluster_.end_list(now);
  has_pods_ = true;
}

void Scheduler::put_space(const SeenSpace& space, Time now) {
  if (listed_spaces_) listed_spaces_->insert(space.name);
  cluster_.see_space(space, now);
}

void Scheduler::remove_space(const std::string& name, Time now) { cluster_.lose_space(name, now); }

void Scheduler::end_spaces(Time now) {
  const std::set<std::string> listed =
      std::exchange(listed_spaces_, std::nullopt).value_or(std::set<std::string>());
  for (const std::string& name : cluster_.labelled_spaces()) {
    if (!listed.contains(name)) cluster_.lose_space(name, now);
  }
  has_spaces_ = true;
}

void Scheduler::put_budget(Budget budget, Time now) {
  if (listed_budgets_) listed_budgets_->insert({budget.space, budget.name});
  cluster_.see_budget(std::move(budget), now);
}

void Scheduler::remove_budget(const std::string& space, const std::string& name, Time now) {
  cluster_.lose_budget(space, name, now);
}

void Scheduler::end_budgets(Time now) {
  const std::set<Budgets::Key> listed =
      std::exchange(listed_budgets_, std::nullopt).value_or(std::set<Budgets::Key>());
  for (const Budgets::Key& key : cluster_.budgets().all()) {
    if (!listed.contains(key)) cluster_.lose_budget(key.first, key.second, now);
  }
  has_budgets_ = true;
}

void Scheduler::answer(const Reply& reply, Time now, Wall wall) {
  if (evicting_.expects(reply.id)) return evicting_.answer(reply, cluster_, now);
  if (!binding_.expects(reply.id)) return reporting_.answer(reply, now);
  const std::optional<BindOutcome> outcome = binding_.answer(reply, cluster_, now);
  if (!outcome) return;
  ++(outcome->what == BindOutcome::What::bound ? bound_ : failed_);
  take_outcome(*outcome, wall);
}

void Scheduler::take_outcome(const BindOutcome& outcome, Wall wall) {
  happenings_.push_back({.what = outcome.what == BindOutcome::What::bound    ? Happening::What::bound
                                 : outcome.what == BindOutcome::What::parked ? Happening::What::parked
                                                                             : Happening::What::refused,
                         .pod = outcome.pod.space + "/" + outcome.pod.name,
                         .node = outcome.node,
                         .why = outcome.why});
  if (events_.size() < kMostEvents) events_.push_back(reporting_.outcome_event(outcome, wall, number_));
}

void Scheduler::decide(Time now) {
  while (binding_.has_room()) {
    if (not_before_ > now) return;
    if (cluster_.waiting() == 0) return;
    if (const std::optional<double> wait =
            options_.binds_per_s <= 0 ? std::nullopt
                                      : binds_.take(rate_of_binds(options_.binds_per_s), 0.999, now)) {
      not_before_ =
          now + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*wait)) + Duration(1);
      return;
    }
    const std::vector<KnownCluster::Decision> decisions = cluster_.decide(now);
    if (decisions.empty()) return;
    // A gang is paid for afterwards.
    if (options_.binds_per_s > 0 && decisions.size() > 1)
      static_cast<void>(
          binds_.take(rate_of_binds(options_.binds_per_s), static_cast<double>(decisions.size() - 1), now));
    for (const KnownCluster::Decision& each : decisions) take(each, now);
  }
}

// What was decided is begun.
void Scheduler::take(const KnownCluster::Decision& decision, Time now) {
  ++decided_;
  const std::string label = cluster_.pod(decision.uid)->seen.label();
  if (options_.is_dry_run) {
    for (const std::string& victim : decision.victims)
      happenings_.push_back({.what = Happening::What::evicted,
                             .pod = cluster_.pod(victim)->seen.label(),
                             .node = decision.node,
                             .newcomer = label});
  }
  happenings_.push_back({.what = Happening::What::decided, .pod = label, .node = decision.node});
  if (options_.is_dry_run) return;
  if (decision.victims.empty()) return binding_.begin(decision, cluster_);
  evicting_.begin(decision, cluster_, now);
}

// What became of pods that were to end for others.
void Scheduler::take_ended(Wall wall) {
  for (const Ended& each : evicting_.take_ended()) {
    const bool is_evicted = each.what == Ended::What::evicted;
    happenings_.push_back({.what = is_evicted ? Happening::What::evicted : Happening::What::spared,
                           .pod = each.pod.space + "/" + each.pod.name,
                           .node = each.node,
                           .why = each.why,
                           .newcomer = each.newcomer});
    if (is_evicted && events_.size() < kMostEvents)
      events_.push_back(reporting_.preempted_event(each, wall, number_));
  }
}

std::vector<Request> Scheduler::work(Time now, Wall wall, bool may_decide) {
  cluster_.expire(now);
  for (const std::string& uid : binding_.work(cluster_, now)) reporting_.changed(uid, now);
  for (const BindOutcome& each : binding_.take_parked()) take_outcome(each, wall);
  std::vector<std::string> returned;
  for (const KnownCluster::Decision& each : evicting_.work(cluster_, now, returned))
    binding_.begin(each, cluster_);
  for (const std::string& uid : returned) reporting_.changed(uid, now);
  may_decide_ = may_decide && has_lists() && !listed_pods_ && !listed_nodes_ && !listed_spaces_;
  if (may_decide_) decide(now);
  std::vector<Request> requests = binding_.take_requests(number_);
  for (Request& each : evicting_.take_requests(number_, now)) requests.push_back(std::move(each));
  take_ended(wall);
  requests.insert(requests.end(), std::make_move_iterator(events_.begin()),
                  std::make_move_iterator(events_.end()));
  events_.clear();
  if (has_lists() && !options_.is_dry_run) {
    for (Request& each : reporting_.work(cluster_, now, wall, number_)) requests.push_back(std::move(each));
  }
  take_notices();
  return requests;
}

std::optional<Time> Scheduler::due() const {
  std::optional<Time> first;
  const auto consider = [&](std::optional<Time> time) {
    if (time && (!first || *time < *first)) first = time;
  };
  consider(binding_.due());
  consider(evicting_.due());
  consider(cluster_.due());
  if (has_lists() && !options_.is_dry_run) consider(reporting_.due());
  if (may_decide_ && not_before_ > Time() && cluster_.waiting() > 0 && binding_.has_room())
    consider(not_before_);
  return first;
}

void Scheduler::take_notices() {
  for (std::string& each : cluster_.take_notices())
    happenings_.push_back({.what = Happening::What::notice, .why = std::move(each)});
}

std::vector<Happening> Scheduler::take_happenings() { return std::exchange(happenings_, {}); }

SchedulerGauges Scheduler::gauges() const {
  SchedulerGauges gauges{.nodes = cluster_.node_count(),
                         .pods = cluster_.pods().size(),
                         .waiting = cluster_.waiting(),
                         .under_way = binding_.under_way(),
                         .in_doubt = binding_.in_doubt(),
                         .decided = decided_,
                         .bound = bound_,
                         .failed = failed_,
                         .making_room = evicting_.size(),
                         .evicted = evicting_.victims(),
                         .rejected = rejected_};
  for (const auto& [uid, pod] : cluster_.pods()) {
    gauges.refused += pod.standing == Standing::refused ? 1 : 0;
    gauges.gathering += pod.standing == Standing::gathering ? 1 : 0;
    gauges.with_preferences += pod.standing != Standing::foreign && pod.seen.preferences > 0 ? 1 : 0;
  }
  return gauges;
}

}  // namespace mirab::kubernetes
