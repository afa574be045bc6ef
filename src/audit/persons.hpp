// Who is compared with whom when shares are: persons. A user with several task shapes is one person, with
// what its shapes have together and the weight of the whole user, whatever the weights of its shapes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// A user, or all the task shapes of one.
struct Person {
  std::string name;                ///< of the whole user
  std::vector<std::size_t> users;  ///< at least one, ascending
  double weight = 0;               ///< φ ≥ 0
  double share = 0;                ///< the largest part of any one resource that they hold together
  bool is_eligible = false;        ///< may one of them run on some server?
};

/// In the order of their first users. Shares are parts of `capacity`, [m], where that is above 0. Dominant
/// shares of shapes do not add up: one may hold mostly CPU, the other memory. O(N + grants · m).
std::vector<Person> persons(const Problem& problem, const Allocation& allocation,
                            std::span<const double> capacity);

/// The same in parts of the problem's own pool.
std::vector<Person> persons(const Problem& problem, const Allocation& allocation);

/// Those who may run somewhere: no division could give the others anything.
std::vector<Person> eligible_persons(const Problem& problem, const Allocation& allocation);

/// Are all its users satisfied? `satisfied`, [n], is that of a Satisfaction.
bool has_all(const Person& person, const std::vector<bool>& satisfied);

}  // namespace mirab
