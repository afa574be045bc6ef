// Decisions for which other pods are to end: those are asked, and when all are gone the pod is bound.
//
//   decided ─▶ asks for all with dryRun ─▶ evicts all ─▶ all are gone ─▶ to be bound
//                  │ one is refused            │ one is refused, or one does not end
//                  ▼                           ▼
//              none is touched, it waits again; who was refused is left alone for a while
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/scheduler/known_cluster.hpp"
#include "kubernetes/scheduler/requests.hpp"

namespace mirab::kubernetes {

/// What became of a pod that was to end.
struct Ended {
  enum class What { evicted, spared };
  What what;
  PodName pod;
  std::string node;
  std::string newcomer;  ///< `ml/train-0`
  std::string why = {};  ///< of one that is spared
};

class Evicting {
 public:
  /// `version` of policy: `v1` or `v1beta1`.
  explicit Evicting(std::string version) : version_(std::move(version)) {}

  /// Where budgets do not let all of them end at once, none is asked, and the pod waits again.
  void begin(const KnownCluster::Decision& decision, KnownCluster& cluster, Time now);

  bool expects(std::uint64_t request) const { return asked_.contains(request) || naming_.contains(request); }
  void answer(const Reply& reply, KnownCluster& cluster, Time now);

  /// Decisions whose room is free now, and with `returned` the uids of pods that wait again.
  std::vector<KnownCluster::Decision> work(KnownCluster& cluster, Time now,
                                           std::vector<std::string>& returned);
  std::optional<Time> due() const;

  /// The requests since the last call; the caller numbers them by `number`.
  std::vector<Request> take_requests(std::uint64_t& number, Time now);
  std::vector<Ended> take_ended() { return std::exchange(ended_, {}); }

  std::size_t size() const { return claims_.size(); }
  std::uint64_t victims() const { return victims_; }  ///< evicted since the beginning

 private:
  struct Victim {
    PodName pod;
    bool is_allowed = false;  ///< by the dry run
    bool is_evicted = false;
    bool is_asking = false;
    int tries = 0;
    Time again = {};
  };
  struct Claim {
    PodName pod;
    std::string label;
    std::string node;
    std::vector<Victim> victims;
    bool is_asking = true;  ///< with dryRun
    Time until = Time::max();
    bool is_over = false;
  };
  /// What is to be written as the node where room is made for a pod.
  struct Nomination {
    PodName pod;
    std::string node = {};                  ///< empty: none any more
    std::optional<std::string> asked = {};  ///< it is being written
    Time again = {};
  };
  struct Asked {
    std::string newcomer;
    std::string victim;
  };

  void refuse(Claim& claim, Victim& victim, const std::string& why, KnownCluster& cluster, Time now);
  void nominate(const Claim& claim, const std::string& node, Time now);
  void answer_nomination(const Reply& reply, Time now);
  void end(Claim& claim, KnownCluster& cluster, Time now);
  bool look(Claim& claim, KnownCluster& cluster, Time now);

  std::string version_;
  std::map<std::string, Claim> claims_ = {};  // by the uid of the newcomer
  std::map<std::uint64_t, Asked> asked_ = {};
  std::map<std::string, Nomination> nominations_ = {};  // by uid, until they are known to be written
  std::map<std::uint64_t, std::string> naming_ = {};    // requests of those
  std::vector<Ended> ended_ = {};
  std::uint64_t victims_ = 0;
};

}  // namespace mirab::kubernetes
