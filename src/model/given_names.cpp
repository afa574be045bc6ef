// Names for what is put together of several things that have names.
#include "model/given_names.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "model/names.hpp"

namespace mirab {

std::string common_beginning(std::span<const std::string_view> names) {
  if (names.empty()) return {};
  std::string_view common = names[0];
  for (const std::string_view name : names) {
    const auto end = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
    common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
  }
  common = common.substr(0, common.find_last_not_of("0123456789-_.") + 1);  // npos + 1 is 0
  return is_utf8(common) ? std::string(common) : "";
}

std::string UniqueNames::take(const std::string& wanted) {
  if (taken_.insert(wanted).second) return wanted;
  for (int& number = last_[wanted];;) {
    number = std::max(number + 1, 2);
    std::string name = fmt::format("{}-{}", wanted, number);
    if (taken_.insert(name).second) return name;
  }
}

}  // namespace mirab
