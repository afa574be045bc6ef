#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduling/ledger/index.hpp"

namespace mirab::scheduling {

/// A knock-out tournament: who comes before all others is known at any time, and when one of N entrants
/// changes only its own matches are played again, O(log N) of them and mostly fewer. Entrants are indices of
/// one kind with small numbers. `before(a, b)` is given with each call and must be a strict order.
template <class Entrant>
class Tournament {
 public:
  bool empty() const { return winner() == kNone; }
  Entrant winner() const { return rounds_.empty() ? kNone : rounds_[1]; }
  bool holds(Entrant entrant) const {
    return entrant.number() < places_ && rounds_[places_ + entrant.number()] != kNone;
  }

  /// The entrant is new, or has changed. O(log N); O(N) when the tournament has to grow.
  template <class Before>
  void play(Entrant entrant, const Before& before) {
    if (entrant.number() >= places_) grow(entrant, before);
    rounds_[places_ + entrant.number()] = entrant;
    replay(entrant, before);
  }

  /// The entrant leaves, if it is there. O(log N).
  template <class Before>
  void leave(Entrant entrant, const Before& before) {
    if (!holds(entrant)) return;
    rounds_[places_ + entrant.number()] = kNone;
    replay(entrant, before);
  }

  /// All matches again: after a change of many. O(N).
  template <class Before>
  void play_all(const Before& before) {
    for (std::size_t match = places_; match-- > 1;) rounds_[match] = better(match, before);
  }

  /// Visits the winner and all who are equal to it: whom `ties` says to tie with the winner. O(k log N).
  template <class Ties, class Visit>
  void for_each_tied(const Ties& ties, const Visit& visit) const {
    if (!empty()) visit_tied(1, ties, visit);
  }

 private:
  template <class Before>
  Entrant better(std::size_t match, const Before& before) const {
    const Entrant left = rounds_[2 * match];
    const Entrant right = rounds_[2 * match + 1];
    if (left == kNone) return right;
    if (right == kNone) return left;
    return before(right, left) ? right : left;
  }

  template <class Before>
  void replay(Entrant entrant, const Before& before) {
    for (std::size_t match = (places_ + entrant.number()) / 2; match > 0; match /= 2) {
      const Entrant old = rounds_[match];
      const Entrant now = better(match, before);
      rounds_[match] = now;
      // The changed one lost here before and loses here again: nothing changes higher up.
      if (old == now && now != entrant) return;
    }
  }

  template <class Before>
  void grow(Entrant entrant, const Before& before) {
    std::size_t places = places_ == 0 ? 1 : places_;
    while (places <= entrant.number()) places *= 2;
    std::vector<Entrant> rounds(2 * places);
    for (std::size_t i = 0; i < places_; ++i) rounds[places + i] = rounds_[places_ + i];
    rounds_ = std::move(rounds);
    places_ = places;
    play_all(before);
  }

  template <class Ties, class Visit>
  void visit_tied(std::size_t match, const Ties& ties, const Visit& visit) const {
    if (rounds_[match] == kNone || !ties(rounds_[match])) return;
    if (match >= places_) {
      visit(rounds_[match]);
      return;
    }
    visit_tied(2 * match, ties, visit);
    visit_tied(2 * match + 1, ties, visit);
  }

  std::size_t places_ = 0;       // a power of two
  std::vector<Entrant> rounds_;  // [2 places]: 1 is the final, the entrants stand from `places` on
};

}  // namespace mirab::scheduling
