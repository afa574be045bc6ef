// Östman, section 3.3.1: the centre asks its neighbour of lowest utility whether they see the same.
#include <gtest/gtest.h>

#include "lab/simulation/overlay/promises.hpp"

namespace mirab::simulation {
namespace {

using overlay::Descriptor;
using overlay::NodeId;

std::vector<Descriptor> view_of(const std::vector<NodeId>& nodes) {
  std::vector<Descriptor> view;
  for (const NodeId node : nodes) view.push_back({.node = node, .utility = -static_cast<double>(node)});
  return view;
}

// Server 5 sees {1, 2, 7}, and asks 7 about {1, 2, 5}.
class ConfirmationsTest : public testing::Test {
 protected:
  void ask(std::initializer_list<NodeId> view_of_7) {
    confirmations.on_message(5, 7, overlay::ConfirmRequest{3, {1, 2, 5}}, view_of(view_of_7));
  }
  void answer(bool confirmed) {
    confirmations.on_message(7, 5, overlay::ConfirmAnswer{3, confirmed}, view_of({1, 2, 7}));
  }
  std::int64_t serve(std::uint64_t round, std::initializer_list<NodeId> view) {
    ViolationLog findings;
    confirmations.on_served({}, 5, {{100, 1}, round}, view_of(view), findings);
    return findings.count;
  }

  Confirmations confirmations{overlay::Confirm::lowest};
};

TEST_F(ConfirmationsTest, ATurnWithATrueConfirmationIsRight) {
  ask({1, 2, 5});
  answer(true);
  EXPECT_EQ(serve(3, {1, 2, 7}), 0);
}

TEST_F(ConfirmationsTest, ATurnBeforeTheAnswerIsFound) {
  ask({1, 2, 5});
  EXPECT_EQ(serve(3, {1, 2, 7}), 1);
}

TEST_F(ConfirmationsTest, ATurnAfterARefusalIsFound) {
  ask({1, 2, 4});
  answer(false);
  EXPECT_EQ(serve(3, {1, 2, 7}), 1);
}

TEST_F(ConfirmationsTest, AConfirmationThatWasNotTrueIsFound) {
  ask({1, 2, 4});
  answer(true);
  EXPECT_EQ(serve(3, {1, 2, 7}), 1);
}

TEST_F(ConfirmationsTest, AConfirmationOfAnotherRoundDoesNotCount) {
  ask({1, 2, 5});
  answer(true);
  EXPECT_EQ(serve(4, {1, 2, 7}), 1);
}

TEST_F(ConfirmationsTest, AViewThatChangedSinceIsFound) {
  ask({1, 2, 5});
  answer(true);
  EXPECT_EQ(serve(3, {1, 4, 7}), 1);
}

TEST_F(ConfirmationsTest, AnOldRequestThatComesLateChangesNothing) {
  ask({1, 2, 5});
  answer(true);
  confirmations.on_message(5, 7, overlay::ConfirmRequest{2, {1, 4, 5}}, view_of({1, 2, 5}));
  EXPECT_EQ(serve(3, {1, 2, 7}), 0);
}

// A round is one question: what was confirmed of another view is nothing.
TEST_F(ConfirmationsTest, AnotherQuestionUnderTheSameRoundIsNotConfirmedYet) {
  ask({1, 2, 5});
  answer(true);
  confirmations.on_message(5, 7, overlay::ConfirmRequest{3, {1, 4, 5}}, view_of({1, 2, 5}));
  EXPECT_EQ(serve(3, {1, 4, 7}), 1);
}

TEST_F(ConfirmationsTest, WhatWasConfirmedBeforeAServerLostItsMemoryIsNothing) {
  ask({1, 2, 5});
  answer(true);
  confirmations.on_lost_memory(5);
  EXPECT_EQ(serve(3, {1, 2, 7}), 1);
}

TEST_F(ConfirmationsTest, AnotherNeighbourThanTheLowestIsNotEnough) {
  confirmations.on_message(5, 2, overlay::ConfirmRequest{3, {1, 5, 7}}, view_of({1, 5, 7}));
  confirmations.on_message(2, 5, overlay::ConfirmAnswer{3, true}, view_of({1, 2, 7}));
  EXPECT_EQ(serve(3, {1, 2, 7}), 1);
}

TEST_F(ConfirmationsTest, WhereAllAreAskedAllMustConfirm) {
  confirmations = Confirmations(overlay::Confirm::all);
  ask({1, 2, 5});
  answer(true);
  EXPECT_EQ(serve(3, {1, 2, 7}), 1);
  for (const auto& [node, others] : {std::pair<NodeId, std::vector<NodeId>>{1, {2, 5, 7}}, {2, {1, 5, 7}}}) {
    confirmations.on_message(5, node, overlay::ConfirmRequest{3, others}, view_of(others));
    confirmations.on_message(node, 5, overlay::ConfirmAnswer{3, true}, view_of({1, 2, 7}));
  }
  EXPECT_EQ(serve(3, {1, 2, 7}), 0);
}

TEST_F(ConfirmationsTest, WhoKnowsNobodyNeedsNone) { EXPECT_EQ(serve(0, {}), 0); }

}  // namespace
}  // namespace mirab::simulation
