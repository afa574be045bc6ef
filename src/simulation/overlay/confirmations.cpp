// Compares what is confirmed with the views of both nodes at the moments when they act: the messages between
// them may be as late as they like.

#include "simulation/overlay/confirmations.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "simulation/overlay/books.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;

std::vector<NodeId> nodes_of(Confirmations::View view) {
  std::vector<NodeId> nodes;
  for (const overlay::Descriptor& entry : view) nodes.push_back(entry.node);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// (S_r \ {p}) ∪ {r}, ascending.
std::vector<NodeId> asked_about(Confirmations::View view, NodeId r, NodeId p) {
  std::vector<NodeId> nodes = nodes_of(view);
  std::replace(nodes.begin(), nodes.end(), p, r);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

void Confirmations::on_message(NodeId from, NodeId to, const overlay::Message& message, View view) {
  if (const auto* request = std::get_if<overlay::ConfirmRequest>(&message)) {
    Round& round = rounds_[from];
    if (request->round < round.number) return;  // an old one, late
    if (request->round > round.number) round = {request->round, to, request->neighbours};
    if (round.asked == to && round.neighbours == request->neighbours)
      round.true_there = round.true_there || nodes_of(view) == request->neighbours;
  } else if (const auto* answer = std::get_if<overlay::ConfirmAnswer>(&message)) {
    const auto round = rounds_.find(to);
    if (round != rounds_.end() && round->second.number == answer->round && round->second.asked == from)
      round->second.confirmed = round->second.confirmed || answer->confirmed;
  }
}

void Confirmations::on_served(Time now, NodeId server, const overlay::Served& served, View view,
                              Findings& findings) const {
  if (view.empty()) return;
  const auto found = rounds_.find(server);
  const Round* round =
      found != rounds_.end() && found->second.number == served.round ? &found->second : nullptr;
  const char* wrong = nullptr;
  if (round == nullptr || !round->confirmed) {
    wrong = "which no neighbour confirmed";
  } else if (!round->true_there) {
    wrong = "which a neighbour confirmed whose view was another";
  } else if (round->neighbours != asked_about(view, server, round->asked)) {
    wrong = "though its view is no longer the one that was confirmed";
  }
  if (wrong == nullptr) return;
  findings.add("confirmed",
               fmt::format("server {} gives {} its turn in round {}, {}", server, in_words(served.task),
                           served.round, wrong),
               now);
}

}  // namespace mirab::simulation
