// Keys are rationals, as a sum of task sizes over capacities and weights is one, and are compared exactly:
// two users tie when their shares are equal, not when they look equal. Sizes are 63-bit numbers, weights and
// counts come on top, so a cross product needs some 250 bits, more than the compiler's integers have; GMP's
// rationals have no such limit. Most keys differ by far more than rounding, so doubles decide first and only
// near ties pay for the exact comparison.
#include "scheduling/race.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace mirab::scheduling {
namespace {

/// mpq_class::get_d cuts off, so a normal double is within 2^-52 of the key. No filter for what no double is
/// near.
double near(const mpq_class& key) {
  const double value = key.get_d();
  return std::isnormal(value) || key == 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

/// Certainly less, whatever was cut off. False for NaN.
bool clearly_below(double a, double b) { return a < b * (1 - 0x1p-50); }

}  // namespace

Race::Race(std::vector<mpq_class> keys, Tie tie) : keys_(std::move(keys)), tie_(tie), order_(Before{this}) {
  for (const mpq_class& key : keys_) near_.push_back(near(key));
  for (std::size_t user = 0; user < keys_.size(); ++user) order_.insert(user);
}

bool Race::is_below(std::size_t a, std::size_t b) const {
  if (clearly_below(near_[a], near_[b])) return true;
  if (clearly_below(near_[b], near_[a])) return false;
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
  near_[user] = near(keys_[user]);
  order_.insert(std::move(node));
}

void Race::leave(std::size_t user) { order_.erase(user); }

}  // namespace mirab::scheduling
