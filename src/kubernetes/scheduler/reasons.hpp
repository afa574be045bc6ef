#pragma once

#include <span>
#include <string>

#include <mirab/scheduling/why.hpp>

namespace mirab::kubernetes {

/// Why a pod waits, in the words that people know from kube-scheduler: `0/40 nodes are available: 30
/// Insufficient cpu, 10 node(s) didn't match …`; then who is before it and with what share, and what would
/// have to be freed where. `resources` are those of the engine, in units of Kubernetes.
struct WaitingText {
  std::string reason;  ///< the first sentence: the same as long as the same kinds of reason hold
  std::string text;    ///< all of it
};
WaitingText waiting_text(const scheduling::WhyWaiting& why, std::span<const std::string> resources);

}  // namespace mirab::kubernetes
