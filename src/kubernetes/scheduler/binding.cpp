// From a decision to a pod that is known to be bound.
#include "kubernetes/scheduler/binding.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
namespace {

using std::chrono::seconds;

constexpr int kMostRounds = 3;    // binds without an answer that settles them: then it counts as refused
constexpr int kMostRefusals = 5;  // then the pod is parked
constexpr Duration kParked = std::chrono::minutes(10);
constexpr Duration kLongestRest = seconds(300);
constexpr Duration kLongestRestOfGang = seconds(30);  // while others of its gang hold their nodes
// Between two tries. After an outage, or with other credentials, it goes on soon; who is asked to be slower
// is, and nothing is decided while a question is open.
constexpr Duration kLongestPause = seconds(5);
constexpr Duration kLongestPauseOfBusy = seconds(30);
constexpr Duration kFirstPause = std::chrono::milliseconds(800);
constexpr int kUnauthorized = 401;

// 1, 2, 4 … seconds.
Duration rest_after(int refusals, Duration longest) {
  return std::min<Duration>(longest, seconds(1LL << std::min(refusals - 1, 16)));
}

Duration pause_after(int tries, Duration longest) {
  Duration pause = kFirstPause;
  for (int i = 1; i < tries && pause < longest; ++i) pause *= 2;
  return std::min(pause, longest);
}

bool is_unknown(int status) { return status == 0 || status >= 500; }

}  // namespace

void Binding::begin(const KnownCluster::Decision& decision, const KnownCluster& cluster) {
  const PodRecord* pod = cluster.pod(decision.uid);
  MIRAB_ASSERT(pod != nullptr, "a decision about an unknown pod");
  go({.uid = decision.uid,
      .pod = {.space = pod->seen.space, .name = pod->seen.name, .uid = decision.uid},
      .node = decision.node,
      .looks_first = options_.looks_first && !pod->seen.has_generated_name,
      .decision = ++decisions_},
     Step::bind);
}

void Binding::go(Flight flight, Step step) {
  flight.step = step;
  if (step == Step::ask) ++doubts_;
  begun_.push_back(std::move(flight));
}

// No answer that settles it: the same once more, after a pause.
void Binding::again(Flight flight, Step step, Time now, const Reply& reply) {
  flight.tries = flight.step == step ? flight.tries + 1 : 1;
  flight.step = step;
  if (step == Step::ask) ++doubts_;
  const bool is_busy = reply.status == kTooMany && step != Step::ask;
  const Duration pause = pause_after(flight.tries, is_busy ? kLongestPauseOfBusy : kLongestPause);
  const Time when = now + std::max<Duration>(pause, reply.retry_after);
  later_.emplace(when, std::move(flight));
}

std::vector<Request> Binding::take_requests(std::uint64_t& number) {
  std::vector<Request> requests;
  std::vector<Flight> left;
  for (Flight& flight : begun_) {
    if (flights_.size() >= options_.in_flight) {
      left.push_back(std::move(flight));
      continue;
    }
    Request request =
        flight.step == Step::bind
            ? bind_request(flight.pod, flight.node, fmt::format("{}/{}", options_.holder, flight.decision))
            : look_request(flight.pod);
    if (flight.step == Step::bind && flight.looks_first) request.looks_for = flight.uid;
    request.id = ++number;
    flights_.emplace(request.id, std::move(flight));
    requests.push_back(std::move(request));
  }
  begun_ = std::move(left);
  return requests;
}

BindOutcome Binding::succeed(const Flight& flight, KnownCluster& cluster, Time now) {
  cluster.confirm(flight.uid, now);
  rests_.erase(flight.uid);
  return {.what = BindOutcome::What::bound, .uid = flight.uid, .pod = flight.pod, .node = flight.node};
}

BindOutcome Binding::refuse(Flight flight, const std::string& why, bool parks, KnownCluster& cluster,
                            Time now) {
  const KnownCluster::Companions companions = cluster.companions(flight.uid);
  Rest& rest = rests_[flight.uid];
  ++rest.refusals;
  // A gang that runs in part does not wait for the rest of it longer than it must.
  flight.is_parked = companions.bound == 0 && (parks || rest.refusals >= kMostRefusals);
  flight.why = why;
  const Duration longest = companions.bound > 0 ? kLongestRestOfGang : kLongestRest;
  rest.until = now + (flight.is_parked ? kParked : rest_after(rest.refusals, longest));
  if (flight.is_parked) rest.refusals = 0;
  const BindOutcome outcome{.what = flight.is_parked ? BindOutcome::What::parked : BindOutcome::What::refused,
                            .uid = flight.uid,
                            .pod = flight.pod,
                            .node = flight.node,
                            .why = why};
  // A part of a gang never waits for room that others took: it keeps its own, until all of it is parked.
  if (companions.bound > 0 || !companions.under_way.empty()) {
    kept_.emplace(rest.until, std::move(flight));
  } else {
    resting_.emplace(rest.until, flight.uid);
    cluster.put_aside(flight.uid, now);
  }
  return outcome;
}

// One of a gang is parked. Where none is bound yet, all of them are, as soon as no bind of theirs is under
// way; until then none of theirs is sent. Where one is bound after all, the refused one is tried again soon.
void Binding::park_gang(const Flight& refused, Time until, KnownCluster& cluster, Time now) {
  const PodRecord* own = cluster.pod(refused.uid);
  if (own == nullptr || own->standing != Standing::placed || own->on != refused.node) return;
  const KnownCluster::Companions companions = cluster.companions(refused.uid);
  if (companions.bound > 0) {
    std::erase_if(kept_, [&](const auto& each) { return each.second.uid == refused.uid; });
    Flight flight = refused;
    flight.is_parked = false;
    kept_.emplace(now + rest_after(1, kLongestRest), std::move(flight));
    return;
  }
  std::set<std::string> gang(companions.under_way.begin(), companions.under_way.end());
  gang.insert(refused.uid);
  const auto is_sent = [&](const Flight& flight) { return gang.contains(flight.uid); };
  const auto is_asked = [&](const Flight& flight) {
    return gang.contains(flight.uid) && flight.step == Step::ask;
  };
  const bool is_open =
      std::any_of(flights_.begin(), flights_.end(), [&](const auto& each) { return is_sent(each.second); }) ||
      std::any_of(later_.begin(), later_.end(), [&](const auto& each) { return is_asked(each.second); }) ||
      std::any_of(begun_.begin(), begun_.end(), is_asked);
  const auto is_held_back = [&](const Flight& flight) {
    return gang.contains(flight.uid) && flight.step != Step::ask;
  };
  if (is_open) {
    for (Flight& flight : begun_) {
      if (is_held_back(flight)) later_.emplace(now + kFirstPause, flight);
    }
    std::erase_if(begun_, is_held_back);
    return;
  }
  const auto is_of_gang = [&](const auto& each) { return gang.contains(each.second.uid); };
  std::erase_if(begun_, is_held_back);
  std::erase_if(later_, is_of_gang);
  std::erase_if(kept_, is_of_gang);
  for (const std::string& uid : gang) {
    const PodRecord* pod = cluster.pod(uid);
    if (pod == nullptr || pod->standing != Standing::placed) continue;
    if (uid != refused.uid) {
      parked_.push_back(
          {.what = BindOutcome::What::parked,
           .uid = uid,
           .pod = {.space = pod->seen.space, .name = pod->seen.name, .uid = uid},
           .node = pod->on,
           .why = fmt::format("of its gang {} was refused: {}", refused.pod.name, refused.why)});
    }
    rests_[uid] = {.refusals = 0, .until = until};
    resting_.emplace(until, uid);
    cluster.put_aside(uid, now);
  }
}

// Gone, or bound by somebody else: the watch says so in a moment. If it does not, the pod comes back.
void Binding::leave_to_watch(const Flight& flight, KnownCluster& cluster, Time now) {
  cluster.put_aside(flight.uid, now);
  Rest& rest = rests_[flight.uid];
  rest.until = now + seconds(5);
  resting_.emplace(rest.until, flight.uid);
}

std::optional<BindOutcome> Binding::answer(const Reply& reply, KnownCluster& cluster, Time now) {
  const auto found = flights_.find(reply.id);
  MIRAB_ASSERT(found != flights_.end(), "a reply to no request");
  Flight flight = std::move(found->second);
  flights_.erase(found);
  if (flight.step == Step::ask) --doubts_;
  if (reply.status != 0) is_locked_out_ = reply.status == kUnauthorized;

  const PodRecord* pod = cluster.pod(flight.uid);
  if (pod == nullptr) return {};
  if (pod->standing != Standing::placed || pod->on != flight.node) {
    // The watch was faster: it is bound, there or elsewhere.
    if (pod->on != flight.node || pod->seen.node.empty()) return {};
    return succeed(flight, cluster, now);
  }
  if (flight.step == Step::bind && !reply.is_of_look) {
    if (reply.status >= 200 && reply.status < 300) return succeed(flight, cluster, now);
    // No fault of the pod: it keeps its place until there are other credentials.
    if (reply.status == kUnauthorized || reply.status == kTooMany)
      return again(std::move(flight), Step::bind, now, reply), std::nullopt;
    if (is_unknown(reply.status) || reply.status == 409) {
      flight.why = reply.status == 0 ? "no answer" : fmt::format("{}: {}", reply.status, message_of(reply));
      return go(std::move(flight), Step::ask), std::nullopt;
    }
    if (reply.status == 404) return leave_to_watch(flight, cluster, now), std::nullopt;
    const bool is_fault = reply.status == 400 || reply.status == 422;
    return refuse(std::move(flight), fmt::format("{}: {}", reply.status, message_of(reply)), is_fault,
                  cluster, now);
  }
  if (reply.status == 404) return leave_to_watch(flight, cluster, now), std::nullopt;
  const std::optional<LookedAt> seen = reply.status == 200 ? looked_at(reply) : std::nullopt;
  if (!seen) {
    const Step step = flight.step;
    return again(std::move(flight), step, now, reply), std::nullopt;
  }
  if (seen->uid != flight.uid) return leave_to_watch(flight, cluster, now), std::nullopt;
  if (seen->node == flight.node) return succeed(flight, cluster, now);
  if (!seen->node.empty()) return leave_to_watch(flight, cluster, now), std::nullopt;
  MIRAB_ASSERT(flight.step == Step::ask, "a look that finds the pod free is followed by its bind");
  // The bind was not done.
  if (++flight.rounds >= kMostRounds) {
    const std::string why = flight.why;
    return refuse(std::move(flight), why, false, cluster, now);
  }
  flight.tries = flight.rounds - 1;
  flight.step = Step::bind;
  return again(std::move(flight), Step::bind, now, reply), std::nullopt;
}

std::vector<std::string> Binding::work(KnownCluster& cluster, Time now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    Flight flight = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    const PodRecord* pod = cluster.pod(flight.uid);
    const bool is_settled = pod == nullptr || pod->standing != Standing::placed;
    if (flight.step == Step::ask) --doubts_;
    if (is_settled) continue;
    go(std::move(flight), flight.step);
  }
  std::vector<std::string> resumed;
  while (!kept_.empty() && kept_.begin()->first <= now) {
    Flight flight = std::move(kept_.begin()->second);
    kept_.erase(kept_.begin());
    const PodRecord* pod = cluster.pod(flight.uid);
    if (pod == nullptr || pod->standing != Standing::placed || pod->on != flight.node) continue;
    if (cluster.may_stay(flight.uid, now)) {
      flight.tries = flight.rounds = 0;
      flight.is_parked = false;
      go(std::move(flight), Step::bind);
      continue;
    }
    cluster.put_aside(flight.uid, now);
    cluster.resume(flight.uid, now);
    resumed.push_back(flight.uid);
  }
  while (!resting_.empty() && resting_.begin()->first <= now) {
    const std::string uid = std::move(resting_.begin()->second);
    resting_.erase(resting_.begin());
    const auto rest = rests_.find(uid);
    if (rest == rests_.end() || rest->second.until > now) continue;
    cluster.resume(uid, now);
    resumed.push_back(uid);
  }
  std::vector<std::pair<Time, Flight>> parked;
  std::copy_if(kept_.begin(), kept_.end(), std::back_inserter(parked),
               [](const auto& each) { return each.second.is_parked; });
  for (const auto& [until, flight] : parked) park_gang(flight, until, cluster, now);
  return resumed;
}

std::optional<Time> Binding::due() const {
  std::optional<Time> first;
  if (!later_.empty()) first = later_.begin()->first;
  if (!kept_.empty() && (!first || kept_.begin()->first < *first)) first = kept_.begin()->first;
  if (!resting_.empty() && (!first || resting_.begin()->first < *first)) first = resting_.begin()->first;
  return first;
}

}  // namespace mirab::kubernetes
