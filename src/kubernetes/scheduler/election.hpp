// Which of several processes acts: a Lease of coordination.k8s.io/v1, as client-go's leader election keeps
// it. Pure: requests out, answers in, the caller's steady clock.
//
// A leader acts until `deadline` after it asked for its latest renewal that was granted; another takes the
// lease when it has seen no change of it for `duration`. Since deadline < duration, and each counts by its
// own steady clock from a moment that lies before the other's, no two act at a time: a Lease has no fence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <mirab/model/time.hpp>

#include "kubernetes/scheduler/requests.hpp"

namespace mirab::kubernetes {

class Election {
 public:
  struct Options {
    std::string space = "kube-system";
    std::string name = "mirab";
    std::string holder = {};  ///< of this process alone
    Duration duration = std::chrono::seconds(15);
    Duration deadline() const { return duration * 2 / 3; }
    Duration retry() const { return std::min<Duration>(duration * 2 / 15, std::chrono::seconds(2)); }
    /// How long the answer to a renewal may take.
    Duration renewal_time() const { return std::min<Duration>(duration / 5, std::chrono::seconds(3)); }
    /// How long the answer to any other request may take: less than lies between `deadline` and `duration`,
    /// so that what is sent at the last moment is done, or given up, before another process decides.
    Duration answer_time() const { return std::min<Duration>(duration * 4 / 15, std::chrono::seconds(4)); }
  };
  explicit Election(Options options);

  /// When next() has something to ask. While a request is under way: never.
  Time due() const { return due_; }
  /// The request that is due. Requires due() ≤ now, and no request under way.
  Request next(Time now, Wall wall);
  /// What came of it. A status of 0: unknown.
  void answer(int status, std::string_view body, Time now);
  /// Gives the lease back; nothing where it is not held.
  std::optional<Request> release(Wall wall);

  /// May this process act?
  bool leads(Time now) const { return now < leads_until_; }
  Time leads_until() const { return leads_until_; }
  /// How often the lease went to another; of the latest time that it was seen.
  std::int64_t term() const { return transitions_; }
  /// Who holds it, as far as is known.
  const std::string& holder() const { return seen_holder_; }
  /// What went wrong with the latest request; empty: nothing.
  const std::string& trouble() const { return trouble_; }

 private:
  std::string path() const;
  Request write(Wall wall, const std::string& holder) const;
  void read(std::string_view body, Time now);

  Options options_;
  enum class Asked { nothing, look, create, renew } asked_ = Asked::nothing;
  Time asked_at_ = {};
  Time due_ = {};
  Time leads_until_ = Time::min();
  bool exists_ = true;  // until the server says otherwise
  std::string version_ = {};
  std::string seen_holder_ = {};
  std::string seen_renewed_ = {};
  std::string acquired_ = {};
  Duration seen_duration_ = {};
  std::int64_t transitions_ = 0;
  Time changed_ = {};  // when the lease was last seen to change
  std::string trouble_ = {};
};

}  // namespace mirab::kubernetes
