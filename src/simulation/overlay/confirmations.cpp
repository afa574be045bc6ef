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

/// Whose confirmation a turn needs.
std::vector<NodeId> needed(overlay::Confirm confirm, Confirmations::View view) {
  if (confirm == overlay::Confirm::all) return nodes_of(view);
  return {std::ranges::max_element(view, overlay::ranks_before)->node};
}

}  // namespace

void Confirmations::on_message(NodeId from, NodeId to, const overlay::Message& message, View view) {
  if (const auto* request = std::get_if<overlay::ConfirmRequest>(&message)) {
    Round& round = rounds_[from];
    if (request->round < round.number) return;  // an old one, late
    if (request->round > round.number) round = {request->round, {}};
    Question& question = round.asked[to];
    if (question.neighbours != request->neighbours) question = {.neighbours = request->neighbours};
    question.true_there |= nodes_of(view) == request->neighbours;
  } else if (const auto* answer = std::get_if<overlay::ConfirmAnswer>(&message)) {
    const auto round = rounds_.find(to);
    if (round == rounds_.end() || round->second.number != answer->round) return;
    const auto question = round->second.asked.find(from);
    if (question != round->second.asked.end()) question->second.confirmed |= answer->confirmed;
  }
}

void Confirmations::on_served(Time now, NodeId server, const overlay::Served& served, View view,
                              Findings& findings) const {
  const char* what = view.empty() ? nullptr : wrong(server, served.round, view);
  if (what == nullptr) return;
  findings.add("confirmed",
               fmt::format("server {} gives {} its turn in round {}, {}", server, in_words(served.task),
                           served.round, what),
               now);
}

const char* Confirmations::wrong(NodeId server, std::uint64_t number, View view) const {
  constexpr const char* kNotConfirmed = "which a neighbour that must confirm it did not";
  const auto round = rounds_.find(server);
  if (round == rounds_.end() || round->second.number != number) return kNotConfirmed;
  for (const NodeId p : needed(confirm_, view)) {
    const auto question = round->second.asked.find(p);
    if (question == round->second.asked.end() || !question->second.confirmed) return kNotConfirmed;
    if (!question->second.true_there) return "which a neighbour confirmed whose view was another";
    if (question->second.neighbours != asked_about(view, server, p))
      return "though its view is no longer the one that was confirmed";
  }
  return nullptr;
}

}  // namespace mirab::simulation
