#pragma once

// What a node said and did, for tests.

#include <variant>
#include <vector>

#include <mirab/overlay/effects.hpp>

namespace mirab::overlay {

/// The messages of this kind that were sent to a node, in order.
template <class Kind>
std::vector<Kind> said(const Effects& effects, NodeId to) {
  std::vector<Kind> messages;
  for (const Send& send : effects.sends) {
    const auto* message = std::get_if<Kind>(&send.message);
    if (send.to == to && message != nullptr) messages.push_back(*message);
  }
  return messages;
}

/// The facts of this kind, in order.
template <class Kind>
std::vector<Kind> facts(const Effects& effects) {
  std::vector<Kind> found;
  for (const Fact& fact : effects.facts) {
    if (const auto* one = std::get_if<Kind>(&fact)) found.push_back(*one);
  }
  return found;
}

}  // namespace mirab::overlay
