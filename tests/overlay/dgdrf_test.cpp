#include <chrono>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include "overlay/turn_rules.hpp"

namespace mirab::overlay {
namespace {

constexpr double kDgdrfNobody = -std::numeric_limits<double>::infinity();

Descriptor dgdrf_server(NodeId node, double share) { return {.node = node, .utility = -share}; }

const Descriptor r = dgdrf_server(5, 0.1);
const std::vector<Descriptor> view_of_r{dgdrf_server(7, 0.3), dgdrf_server(2, 0.4), dgdrf_server(9, 0.2)};

Dgdrf started(Confirm confirm = Confirm::lowest) { return {confirm, Time{std::chrono::seconds(3)}}; }

/// The question that was asked last, and of whom.
const Send& last_of(const Effects& effects) { return effects.sends.back(); }
const ConfirmRequest& question(const Effects& effects) {
  return std::get<ConfirmRequest>(last_of(effects).message);
}

/// Who was asked, and about whom.
using Questions = std::map<NodeId, std::vector<NodeId>>;
Questions asked(const Effects& effects) {
  Questions questions;
  for (const Send& send : effects.sends)
    questions[send.to] = std::get<ConfirmRequest>(send.message).neighbours;
  return questions;
}

// Eq. 3.11.
TEST(Dgdrf, TheCentreRanksBeforeAllItsNeighbours) {
  EXPECT_TRUE(is_centre(r, view_of_r));
  EXPECT_FALSE(is_centre(dgdrf_server(5, 0.25), view_of_r));
}

TEST(Dgdrf, OfEqualSharesTheLowerAddressIsTheCentre) {
  EXPECT_TRUE(is_centre(dgdrf_server(1, 0), std::vector{dgdrf_server(2, 0)}));
  EXPECT_FALSE(is_centre(dgdrf_server(2, 0), std::vector{dgdrf_server(1, 0)}));
}

TEST(Dgdrf, AServerWithoutUsersIsNeverTheCentre) {
  const Descriptor nobody{.node = 1, .utility = kDgdrfNobody};
  EXPECT_FALSE(is_centre(nobody, {}));
  EXPECT_FALSE(is_centre(nobody, std::vector{Descriptor{.node = 2, .utility = kDgdrfNobody}}));
  EXPECT_TRUE(is_centre(r, std::vector{nobody}));
}

// 3.3.1, steps 1 and 2: p has the lowest utility; msg_r = (S_r \ {p}) ∪ {r}.
TEST(Dgdrf, AsksTheLowestNeighbourForTheOthersAndItself) {
  EXPECT_EQ(lowest(view_of_r), 2U);
  EXPECT_EQ(expected_view(5, view_of_r, 2), (std::vector<NodeId>{5, 7, 9}));
  Dgdrf dgdrf = started();
  Effects effects;
  EXPECT_FALSE(dgdrf.on_tick(r, view_of_r, effects));
  EXPECT_EQ(last_of(effects).to, 2U);
  EXPECT_EQ(question(effects).neighbours, (std::vector<NodeId>{5, 7, 9}));
}

// Step 3. Views may hold servers without users: they are compared like others.
TEST(Dgdrf, ConfirmsWhenTheSetsAreEqual) {
  const std::vector<Descriptor> view_of_p{dgdrf_server(9, 0), dgdrf_server(7, 0), dgdrf_server(5, 0)};
  EXPECT_TRUE(confirms(view_of_p, {.round = 1, .neighbours = {5, 7, 9}}));
  EXPECT_FALSE(confirms(view_of_p, {.round = 1, .neighbours = {5, 7, 8}}));
  EXPECT_FALSE(confirms(view_of_p, {.round = 1, .neighbours = {5, 7}}));
  EXPECT_FALSE(confirms(view_of_p, {.round = 1, .neighbours = {5, 7, 9, 11}}));
  EXPECT_FALSE(confirms(view_of_p, {.round = 1, .neighbours = {5, 5, 5}}));
}

TEST(Dgdrf, ServesOnceForAConfirmation) {
  Dgdrf dgdrf = started();
  Effects effects;
  dgdrf.on_tick(r, view_of_r, effects);
  const ConfirmAnswer yes{.round = question(effects).round, .confirmed = true};
  EXPECT_TRUE(dgdrf.on_answer(2, yes, r, view_of_r));
  EXPECT_FALSE(dgdrf.on_answer(2, yes, r, view_of_r)) << "the answer was doubled on its way";
}

TEST(Dgdrf, DoesNotServeWithoutTheConfirmation) {
  Dgdrf dgdrf = started();
  Effects effects;
  dgdrf.on_tick(r, view_of_r, effects);
  const std::uint64_t round = question(effects).round;
  EXPECT_FALSE(dgdrf.on_answer(7, {.round = round, .confirmed = true}, r, view_of_r)) << "not p";
  EXPECT_FALSE(dgdrf.on_answer(2, {.round = round - 1, .confirmed = true}, r, view_of_r)) << "another round";
  EXPECT_FALSE(dgdrf.on_answer(2, {.round = round, .confirmed = false}, r, view_of_r));
  EXPECT_FALSE(dgdrf.on_answer(2, {.round = round, .confirmed = true}, r, view_of_r)) << "after a no";
}

TEST(Dgdrf, AnAnswerToAQuestionThatNoLongerStandsIsWorthNothing) {
  std::vector<Descriptor> later = view_of_r;
  later[0] = dgdrf_server(8, 0.3);  // another neighbour
  for (const auto& [own, view] : {std::pair{r, later}, std::pair{dgdrf_server(5, 0.25), view_of_r}}) {
    Dgdrf dgdrf = started();
    Effects effects;
    dgdrf.on_tick(r, view_of_r, effects);
    EXPECT_FALSE(dgdrf.on_answer(2, {.round = question(effects).round, .confirmed = true}, own, view));
  }
}

TEST(Dgdrf, WhatIsNotAnsweredIsAskedAgainUnderTheSameRound) {
  Dgdrf dgdrf = started();
  Effects effects;
  dgdrf.on_tick(r, view_of_r, effects);
  const std::uint64_t round = question(effects).round;
  dgdrf.on_tick(r, view_of_r, effects);
  EXPECT_EQ(question(effects).round, round);
  dgdrf.on_answer(2, {.round = round, .confirmed = false}, r, view_of_r);
  dgdrf.on_tick(r, view_of_r, effects);
  EXPECT_GT(question(effects).round, round) << "after a no all are asked again";
}

// Confirm::all: each p of S_r is asked for (S_r \ {p}) ∪ {r}.
TEST(Dgdrf, AsksAllItsNeighboursEachForTheOthersAndItself) {
  Dgdrf dgdrf = started(Confirm::all);
  Effects effects;
  EXPECT_FALSE(dgdrf.on_tick(r, view_of_r, effects));
  EXPECT_EQ(asked(effects), (Questions{{2, {5, 7, 9}}, {7, {2, 5, 9}}, {9, {2, 5, 7}}}));
}

TEST(Dgdrf, OfAllTheLastThatConfirmsGivesTheTurn) {
  Dgdrf dgdrf = started(Confirm::all);
  Effects effects;
  dgdrf.on_tick(r, view_of_r, effects);
  const ConfirmAnswer yes{.round = question(effects).round, .confirmed = true};
  EXPECT_FALSE(dgdrf.on_answer(2, yes, r, view_of_r));
  EXPECT_FALSE(dgdrf.on_answer(9, yes, r, view_of_r));
  EXPECT_FALSE(dgdrf.on_answer(9, yes, r, view_of_r)) << "the answer was doubled on its way";
  EXPECT_TRUE(dgdrf.on_answer(7, yes, r, view_of_r));
  EXPECT_FALSE(dgdrf.on_answer(7, yes, r, view_of_r)) << "the turn is taken";
}

// With two neighbours r asks p alone in the thesis, and q may know of a poorer server.
TEST(Dgdrf, OneOfAllThatDoesNotConfirmIsEnough) {
  Dgdrf dgdrf = started(Confirm::all);
  Effects effects;
  dgdrf.on_tick(r, view_of_r, effects);
  const std::uint64_t round = question(effects).round;
  EXPECT_FALSE(dgdrf.on_answer(2, {.round = round, .confirmed = true}, r, view_of_r));
  EXPECT_FALSE(dgdrf.on_answer(7, {.round = round, .confirmed = false}, r, view_of_r));
  EXPECT_FALSE(dgdrf.on_answer(9, {.round = round, .confirmed = true}, r, view_of_r));
  effects.sends.clear();
  dgdrf.on_tick(r, view_of_r, effects);
  EXPECT_EQ(effects.sends.size(), 3U) << "all are asked again";
  EXPECT_GT(question(effects).round, round);
}

TEST(Dgdrf, OfAllOnlyWhoHasNotAnsweredIsAskedAgain) {
  Dgdrf dgdrf = started(Confirm::all);
  Effects effects;
  dgdrf.on_tick(r, view_of_r, effects);
  const std::uint64_t round = question(effects).round;
  dgdrf.on_answer(7, {.round = round, .confirmed = true}, r, view_of_r);
  effects.sends.clear();
  dgdrf.on_tick(r, view_of_r, effects);
  EXPECT_EQ(asked(effects), (Questions{{2, {5, 7, 9}}, {9, {2, 5, 7}}}));
  EXPECT_EQ(question(effects).round, round);
}

TEST(Dgdrf, WhoIsNotTheCentreAsksNobody) {
  Dgdrf dgdrf = started();
  Effects effects;
  EXPECT_FALSE(dgdrf.on_tick(dgdrf_server(5, 0.25), view_of_r, effects));
  EXPECT_TRUE(effects.sends.empty());
}

TEST(Dgdrf, AloneItServes) {
  Dgdrf dgdrf = started();
  Effects effects;
  EXPECT_TRUE(dgdrf.on_tick(r, {}, effects));
  EXPECT_FALSE(dgdrf.on_tick({.node = 5}, {}, effects));
}

// One service a tick: the answer to what was asked before comes too late.
TEST(Dgdrf, WhatWasAskedBeforeItServedAloneIsNoTurnOfItsOwn) {
  Dgdrf dgdrf = started();
  Effects effects;
  dgdrf.on_tick(r, view_of_r, effects);
  const std::uint64_t round = question(effects).round;
  dgdrf.on_tick(r, {}, effects);
  EXPECT_FALSE(dgdrf.on_answer(2, {.round = round, .confirmed = true}, r, view_of_r));
}

// A server that lost its memory begins above all rounds of its former life.
TEST(Dgdrf, RoundsAreNeverRepeated) {
  Effects effects;
  Dgdrf before = started();
  before.on_tick(r, view_of_r, effects);
  const std::uint64_t round = question(effects).round;
  Dgdrf after(Confirm::lowest, Time{std::chrono::seconds(4)});
  after.on_tick(r, view_of_r, effects);
  EXPECT_GT(question(effects).round, round);
}

}  // namespace
}  // namespace mirab::overlay
