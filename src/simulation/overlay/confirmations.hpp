#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

#include "simulation/overlay/findings.hpp"

namespace mirab::simulation {

/// DGDRF's promise (Östman, 3.3.1): a server r gives a turn only when its neighbour p of lowest utility, or
/// each of its neighbours p (Confirm), has confirmed, in that very round, that (S_r \ {p}) ∪ {r} is its view;
/// when that was so as p was asked; and when r's view is still the one that it asked about. A server that
/// knows nobody needs no confirmation. Keeps the last round of each server.
class Confirmations {
 public:
  using View = std::span<const overlay::Descriptor>;

  explicit Confirmations(overlay::Confirm confirm) : confirm_(confirm) {}

  /// A node is about to act on this message; its gradient view as it is then.
  void on_message(overlay::NodeId from, overlay::NodeId to, const overlay::Message& message, View view);
  /// It gave a turn; its view as it did.
  void on_served(Time now, overlay::NodeId server, const overlay::Served& served, View view,
                 Findings& findings) const;
  void on_lost_memory(overlay::NodeId server) { rounds_.erase(server); }

 private:
  struct Question {
    std::vector<overlay::NodeId> neighbours;  ///< (S_r \ {p}) ∪ {r}, ascending
    bool true_there = false;                  ///< that was p's view
    bool confirmed = false;                   ///< r heard p say so
  };
  struct Round {
    std::uint64_t number = 0;
    std::map<overlay::NodeId, Question> asked;  ///< by p
  };
  /// What is wrong with a turn of this round; null: nothing.
  const char* wrong(overlay::NodeId server, std::uint64_t number, View view) const;

  overlay::Confirm confirm_;
  std::map<overlay::NodeId, Round> rounds_;  // by r
};

}  // namespace mirab::simulation
