// From a decision to a pod that is known to be bound: the calls, what comes back, and what is done when
// the outcome is unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/scheduler/known_cluster.hpp"
#include "kubernetes/scheduler/requests.hpp"

namespace mirab::kubernetes {

/// What became of a decision.
struct BindOutcome {
  enum class What {
    bound,    ///< it is known to be bound to the node
    refused,  ///< the API server said no: it rests, and tries again
    parked,   ///< it said no several times: it rests for long
  };
  What what;
  std::string uid;
  PodName pod;
  std::string node;
  std::string why = {};  ///< in the API server's words
};

/// Pods whose bind is under way, and pods that rest because theirs was refused. Decided pods hold their room
/// in the cluster's ledger until it is known what became of them.
class Binding {
 public:
  struct Options {
    std::size_t in_flight = 64;  ///< binds under way, at most
    /// Look at a pod before it is bound. A server before 1.23 does not compare the uid of a binding. Where
    /// the name was generated, the next pod of its kind has it with a chance of 1 in 14 million: it is not
    /// looked at.
    bool looks_first = false;
    std::string holder = {};  ///< the process that decides, for the annotation of its decisions
  };
  explicit Binding(Options options) : options_(std::move(options)) {}

  /// May another decision be taken? Not while too many binds are under way, and not while it is unknown what
  /// became of one. Those of a gang are sent as far as there is room, the others after them.
  bool has_room() const { return under_way() < options_.in_flight && doubts_ == 0; }

  void begin(const KnownCluster::Decision& decision, const KnownCluster& cluster);

  /// Is it the reply to a request of these?
  bool expects(std::uint64_t request) const { return flights_.contains(request); }
  std::optional<BindOutcome> answer(const Reply& reply, KnownCluster& cluster, Time now);

  /// What is due: requests to be sent again, and pods that have rested, whose uids are returned. O(due).
  std::vector<std::string> work(KnownCluster& cluster, Time now);
  std::optional<Time> due() const;
  /// Pods that were parked since the last call, since one of their gang was.
  std::vector<BindOutcome> take_parked() { return std::exchange(parked_, {}); }

  /// The requests since the last call; the caller numbers them by `number`.
  std::vector<Request> take_requests(std::uint64_t& number);

  /// The pod is gone, so is its count of refusals.
  void forget(const std::string& uid) { rests_.erase(uid); }

  std::size_t under_way() const { return flights_.size() + later_.size() + begun_.size(); }
  std::size_t in_doubt() const { return doubts_; }
  /// The API server refuses the credentials, as far as the latest of the binds under way shows.
  bool is_locked_out() const { return is_locked_out_ && under_way() > 0; }
  std::size_t resting() const { return resting_.size() + kept_.size(); }

 private:
  enum class Step {
    bind,  ///< after a look, where that is wanted: is it still that pod?
    ask    ///< after a bind of unknown fate: is it bound?
  };
  struct Flight {
    std::string uid;
    PodName pod;
    std::string node;
    bool looks_first = false;
    Step step = Step::bind;
    std::uint64_t decision = 0;
    int tries = 0;         ///< of this step without an answer
    int rounds = 0;        ///< binds after which it was found not to be bound
    std::string why = {};  ///< the latest answer to a bind, where it was none that settles it
    bool is_parked = false;
  };
  struct Rest {
    int refusals = 0;
    Time until = {};
  };

  void go(Flight flight, Step step);
  void again(Flight flight, Step step, Time now, const Reply& reply);
  BindOutcome refuse(Flight flight, const std::string& why, bool parks, KnownCluster& cluster, Time now);
  BindOutcome succeed(const Flight& flight, KnownCluster& cluster, Time now);
  void leave_to_watch(const Flight& flight, KnownCluster& cluster, Time now);
  void park_gang(const Flight& refused, Time until, KnownCluster& cluster, Time now);

  Options options_;
  std::uint64_t decisions_ = 0;
  std::size_t doubts_ = 0;  // flights that ask
  bool is_locked_out_ = false;
  std::vector<Flight> begun_ = {};
  std::map<std::uint64_t, Flight> flights_ = {};  // by request
  std::multimap<Time, Flight> later_ = {};
  std::multimap<Time, Flight> kept_ = {};          // refused, of gangs that have begun: they keep their room
  std::map<std::string, Rest> rests_ = {};         // by uid
  std::multimap<Time, std::string> resting_ = {};  // until when, uid
  std::vector<BindOutcome> parked_ = {};
};

}  // namespace mirab::kubernetes
