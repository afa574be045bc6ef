// Keys are rationals, as a sum of task sizes over capacities and weights is one, and are compared exactly:
// two users tie when their shares are equal, not when they look equal. Sizes are 63-bit numbers, weights and
// counts come on top, so a cross product needs some 250 bits, more than the compiler's integers have; GMP's
// rationals have no such limit.
//
// Doubles decide first. mpq_class::get_d cuts digits off, which keeps the order: where the doubles of two
// keys differ the keys differ in the same way, and only keys with the same double need the exact comparison.
#include "scheduling/plain/race.hpp"

#include <utility>

namespace mirab::plain {

Race::Race(std::vector<mpq_class> keys, Tie tie) : keys_(std::move(keys)), tie_(tie), order_(Before{this}) {
  for (const mpq_class& key : keys_) cut_off_.push_back(key.get_d());
  for (std::size_t user = 0; user < keys_.size(); ++user) order_.insert(user);
}

bool Race::is_below(std::size_t a, std::size_t b) const {
  if (cut_off_[a] != cut_off_[b]) return cut_off_[a] < cut_off_[b];
  return keys_[a] < keys_[b];
}

bool Race::Before::operator()(std::size_t a, std::size_t b) const {
  if (race->is_below(a, b)) return true;
  if (race->is_below(b, a)) return false;
  return race->tie_ == Tie::last ? a > b : a < b;
}

std::size_t Race::next(Random& random) const {
  MIRAB_ASSERT(!empty(), "nobody is left in the race");
  if (tie_ != Tie::random) return lowest();
  std::vector<std::size_t> tied;
  for (const std::size_t user : order_) {
    if (keys_[user] != keys_[lowest()]) break;
    tied.push_back(user);
  }
  return tied.size() == 1 ? tied.front() : tied[random.below(tied.size())];
}

void Race::raise(std::size_t user, const mpq_class& step) {
  auto node = order_.extract(user);
  MIRAB_ASSERT(!node.empty(), "a user that has left the race is served");
  keys_[user] += step;
  cut_off_[user] = keys_[user].get_d();
  order_.insert(std::move(node));
}

void Race::leave(std::size_t user) { order_.erase(user); }

void Race::enter(std::size_t user, mpq_class key) {
  keys_[user] = std::move(key);
  cut_off_[user] = keys_[user].get_d();
  const bool entered = order_.insert(user).second;
  MIRAB_ASSERT(entered, "a user that is in the race enters it");
}

}  // namespace mirab::plain
