#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/wall.hpp"

namespace mirab::kubernetes {

/// A call of the API server, for somebody else to make.
struct Request {
  std::uint64_t id = 0;  ///< its reply has the same
  std::string method = {};
  std::string path = {};
  std::string content_type = {};  ///< empty: no body
  std::string body = {};
  std::string looks_for = {};  ///< of a bind: the uid that the pod must still have, see deliver()
  bool wants_reply = true;     ///< else it does not matter what comes of it
  friend bool operator==(const Request&, const Request&) = default;
};

/// What came of it.
struct Reply {
  std::uint64_t id = 0;
  int status = 0;                       ///< of HTTP; 0: unknown, the server may have done it or not
  std::string body = {};                ///< of the answer: the object, or a Status that says why not
  std::chrono::seconds retry_after{0};  ///< so long it wants to be left alone; 0: it does not say
  bool is_of_look = false;              ///< the request itself was not sent, see deliver()
};

/// Sends a request by `ask`. Where it looks for a uid, the pod is read just before: if that has no answer, or
/// the pod is another by now or has a node, nothing more is sent, and the reply is that of the look.
Reply deliver(const Request& request, const std::function<Reply(const Request&)>& ask);

/// The status of a server that has too much to do, and of an eviction that a disruption budget refuses.
inline constexpr int kTooMany = 429;

/// The message of the Status that the API server sends with an error, or the text as it is.
std::string message_of(const Reply& reply);

/// Is it a disruption budget that refuses an eviction?
bool is_of_budget(const Reply& reply);

/// Whom a request is about.
struct PodName {
  std::string space;
  std::string name;
  std::string uid;
};

/// Binds the pod to the node. `decision` is kept on the pod as the annotation mirab.io/decision.
Request bind_request(const PodName& pod, const std::string& node, const std::string& decision);

/// The pod as it is.
Request look_request(const PodName& pod);

/// The condition PodScheduled=False with this reason, if it is still the pod of that uid. `since`: when it
/// became so, as it says itself; empty: now.
Request condition_request(const PodName& pod, std::string_view reason, const std::string& message,
                          const std::string& since, Wall now);

/// Names the node where room is being made for the pod; empty: nowhere any more.
Request nomination_request(const PodName& pod, const std::string& node);

/// Asks the API server to evict the pod, or whether it would. `version` of policy: `v1` or `v1beta1`.
enum class EvictionRun { dry, real };
Request eviction_request(const PodName& pod, std::string_view version, EvictionRun run);

/// An event about a pod, of events.k8s.io/v1.
struct PodEvent {
  std::string type = "Normal";  ///< or `Warning`
  std::string reason = {};      ///< `Scheduled`, `FailedScheduling`, `NotSupported`
  std::string action = {};      ///< `Binding`, `Scheduling`
  std::string note = {};        ///< what is longer than 1,024 bytes is cut off
};
/// `reporter` is the name of the scheduler, `instance` its process; `number` makes the event's name unique.
Request event_request(const PodName& pod, const PodEvent& event, const std::string& reporter,
                      const std::string& instance, std::uint64_t number, Wall now);

/// What a GET of a pod found: the uid, and the node to which it is bound, if any. Nothing where the body is
/// no pod.
struct LookedAt {
  std::string uid;
  std::string node;
};
std::optional<LookedAt> looked_at(const Reply& reply);

}  // namespace mirab::kubernetes
