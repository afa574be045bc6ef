#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace mirab {

/// What all the names begin with, without digits and `-_.` at its end: `node` of node-7 and node-12. Empty
/// where that is nothing, or ends within a character.
std::string common_beginning(std::span<const std::string_view> names);

/// Names that are all different: one that is taken gets a number, `node-2`.
class UniqueNames {
 public:
  std::string take(const std::string& wanted);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> last_;
};

}  // namespace mirab
