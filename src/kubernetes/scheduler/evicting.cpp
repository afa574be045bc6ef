// Decisions for which other pods are to end.
//
// Source: Kubernetes, "API-initiated Eviction"; a dry run of an eviction looks at the budgets and changes
// nothing, so several of them do not add up.
#include "kubernetes/scheduler/evicting.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLeftAlone = minutes(5);       // a pod that the dry run refused
constexpr Duration kNodeLeftAlone = minutes(10);  // a node where a pod was refused, or did not end
constexpr Duration kBeyondGrace = seconds(60);
constexpr Duration kAskAgain = seconds(2);
constexpr int kMostTries = 5;       // of a dry run without an answer
constexpr int kMostBusyTries = 60;  // of a dry run of which the server says that it is busy

bool is_gone(int status) { return status == 404; }
// 409: it changed meanwhile, or has another uid; then the watch says that it is gone.
bool is_unanswered(int status) { return status == 0 || status == 409 || status >= 500; }

}  // namespace

void Evicting::begin(const KnownCluster::Decision& decision, KnownCluster& cluster, Time now) {
  const SeenPod& seen = cluster.pod(decision.uid)->seen;
  Claim claim{.pod = {.space = seen.space, .name = seen.name, .uid = decision.uid},
              .label = seen.label(),
              .node = decision.node,
              .victims = {}};
  std::map<const Budget*, std::int64_t> of_budget;
  for (const auto& [uid, other] : claims_) {
    for (const Victim& victim : other.victims) {
      const PodRecord* pod = cluster.pod(victim.pod.uid);
      if (pod == nullptr || victim.is_evicted) continue;
      for (const Budget* budget : cluster.budgets().of(pod->seen.space, pod->seen.labels))
        ++of_budget[budget];
    }
  }
  std::vector<std::string> too_many;
  for (const std::string& uid : decision.victims) {
    const SeenPod& victim = cluster.pod(uid)->seen;
    claim.victims.push_back({.pod = {.space = victim.space, .name = victim.name, .uid = uid}});
    for (const Budget* budget : cluster.budgets().of(victim.space, victim.labels)) {
      if (++of_budget[budget] > budget->allowed) too_many.push_back(uid);
    }
  }
  Claim& own = claims_.insert_or_assign(decision.uid, std::move(claim)).first->second;
  for (Victim& victim : own.victims) {
    if (std::find(too_many.begin(), too_many.end(), victim.pod.uid) != too_many.end())
      refuse(own, victim, "its disruption budget allows no more", cluster, now);
  }
}

// The victim is left alone, and the claim is over.
void Evicting::refuse(Claim& claim, Victim& victim, const std::string& why, KnownCluster& cluster, Time now) {
  ended_.push_back({.what = Ended::What::spared,
                    .pod = victim.pod,
                    .node = claim.node,
                    .newcomer = claim.label,
                    .why = why});
  cluster.protect_pod(victim.pod.uid, now + (claim.is_asking ? kLeftAlone : kNodeLeftAlone), now);
  if (!claim.is_asking) cluster.protect_node(claim.node, now + kNodeLeftAlone, now);
  claim.is_over = true;
}

void Evicting::nominate(const Claim& claim, const std::string& node, Time now) {
  Nomination& nomination =
      nominations_.try_emplace(claim.pod.uid, Nomination{.pod = claim.pod}).first->second;
  nomination.node = node;
  nomination.again = now;
}

void Evicting::answer_nomination(const Reply& reply, Time now) {
  const auto asked = naming_.find(reply.id);
  const auto found = nominations_.find(asked->second);
  naming_.erase(asked);
  MIRAB_ASSERT(found != nominations_.end() && found->second.asked, "a reply to no nomination");
  Nomination& nomination = found->second;
  const bool is_latest = *std::exchange(nomination.asked, std::nullopt) == nomination.node;
  if (reply.status == 0 || reply.status == kTooMany || reply.status >= 500) {
    nomination.again = now + std::max<Duration>(kAskAgain, reply.retry_after);
  } else if (is_latest) {
    nominations_.erase(found);
  }
}

void Evicting::answer(const Reply& reply, KnownCluster& cluster, Time now) {
  if (naming_.contains(reply.id)) return answer_nomination(reply, now);
  const auto found = asked_.find(reply.id);
  MIRAB_ASSERT(found != asked_.end(), "a reply to no request");
  const Asked asked = std::move(found->second);
  asked_.erase(found);
  const auto known = claims_.find(asked.newcomer);
  if (known == claims_.end()) return;
  Claim& claim = known->second;
  const auto victim = std::find_if(claim.victims.begin(), claim.victims.end(),
                                   [&](const Victim& each) { return each.pod.uid == asked.victim; });
  if (victim == claim.victims.end()) return;
  victim->is_asking = false;
  const bool is_good = (reply.status >= 200 && reply.status < 300) || is_gone(reply.status);
  if (is_good) {
    if (!claim.is_asking && !victim->is_evicted) {
      victim->is_evicted = true;
      ++victims_;
      ended_.push_back(
          {.what = Ended::What::evicted, .pod = victim->pod, .node = claim.node, .newcomer = claim.label});
    }
    victim->is_allowed = true;
    return;
  }
  const bool is_busy = reply.status == kTooMany && !is_of_budget(reply);
  const int most = is_busy ? kMostBusyTries : kMostTries;
  if ((is_busy || is_unanswered(reply.status)) && (!claim.is_asking || ++victim->tries < most)) {
    victim->again = now + std::max<Duration>(kAskAgain, is_busy ? reply.retry_after : Duration{});
    return;
  }
  refuse(claim, *victim, fmt::format("{}: {}", reply.status, message_of(reply)), cluster, now);
}

// Who was not evicted runs on; who was holds its room until it is gone.
void Evicting::end(Claim& claim, KnownCluster& cluster, Time now) {
  for (const Victim& victim : claim.victims) {
    const PodRecord* pod = cluster.pod(victim.pod.uid);
    if (pod != nullptr && !victim.is_evicted && !pod->seen.is_ending) cluster.spare(victim.pod.uid, now);
  }
  cluster.give_up(claim.pod.uid, now);
  if (!claim.is_asking) nominate(claim, {}, now);
}

// False: nothing is to be done for the claim any more.
bool Evicting::look(Claim& claim, KnownCluster& cluster, Time now) {
  const PodRecord* pod = cluster.pod(claim.pod.uid);
  const bool is_there =
      pod != nullptr && pod->standing == Standing::nominated && cluster.may_stay(claim.pod.uid, now);
  if (!is_there || claim.is_over) return false;
  if (claim.is_asking) {
    const bool all = std::all_of(claim.victims.begin(), claim.victims.end(),
                                 [](const Victim& each) { return each.is_allowed; });
    if (!all) return true;
    claim.is_asking = false;
    Duration grace{0};
    for (Victim& victim : claim.victims) {
      victim.again = now;
      const PodRecord* its = cluster.pod(victim.pod.uid);
      if (its != nullptr) grace = std::max<Duration>(grace, its->seen.grace);
    }
    claim.until = now + grace + kBeyondGrace;
    nominate(claim, claim.node, now);
  }
  if (claim.until > now) return true;
  cluster.protect_node(claim.node, now + kNodeLeftAlone, now);
  return false;
}

std::vector<KnownCluster::Decision> Evicting::work(KnownCluster& cluster, Time now,
                                                   std::vector<std::string>& returned) {
  std::vector<KnownCluster::Decision> decisions;
  for (auto each = claims_.begin(); each != claims_.end();) {
    Claim& claim = each->second;
    const bool goes_on = look(claim, cluster, now);
    if (goes_on && !cluster.victims_of(claim.pod.uid).empty()) {
      ++each;
      continue;
    }
    if (goes_on) {
      cluster.take_room(claim.pod.uid);
      decisions.push_back({.uid = claim.pod.uid, .node = claim.node});
    } else {
      end(claim, cluster, now);
      returned.push_back(claim.pod.uid);
    }
    each = claims_.erase(each);
  }
  return decisions;
}

std::optional<Time> Evicting::due() const {
  std::optional<Time> first;
  const auto consider = [&](Time time) {
    if (time != Time::max() && (!first || time < *first)) first = time;
  };
  for (const auto& [uid, nomination] : nominations_) {
    if (!nomination.asked) consider(nomination.again);
  }
  for (const auto& [uid, claim] : claims_) {
    consider(claim.is_over ? Time() : claim.until);
    if (claim.is_over) continue;
    for (const Victim& victim : claim.victims) {
      if (!victim.is_asking && !victim.is_evicted && !(claim.is_asking && victim.is_allowed))
        consider(victim.again);
    }
  }
  return first;
}

std::vector<Request> Evicting::take_requests(std::uint64_t& number, Time now) {
  std::vector<Request> requests;
  for (auto each = nominations_.begin(); each != nominations_.end();) {
    auto& [uid, nomination] = *each;
    const bool is_over = !nomination.node.empty() && !claims_.contains(uid);  // bound by now
    if (is_over && !nomination.asked) {
      each = nominations_.erase(each);
      continue;
    }
    ++each;
    if (nomination.asked || nomination.again > now) continue;
    requests.push_back(nomination_request(nomination.pod, nomination.node));
    requests.back().id = ++number;
    nomination.asked = nomination.node;
    naming_.emplace(number, uid);
  }
  for (auto& [uid, claim] : claims_) {
    if (claim.is_over) continue;
    for (Victim& victim : claim.victims) {
      if (victim.is_asking || victim.is_evicted || (claim.is_asking && victim.is_allowed) ||
          victim.again > now)
        continue;
      victim.is_asking = true;
      requests.push_back(
          eviction_request(victim.pod, version_, claim.is_asking ? EvictionRun::dry : EvictionRun::real));
      requests.back().id = ++number;
      asked_.emplace(number, Asked{.newcomer = uid, .victim = victim.pod.uid});
    }
  }
  return requests;
}

}  // namespace mirab::kubernetes
