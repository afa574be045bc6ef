// Times as people write them: a number, and perhaps a unit behind it.
#include "model/time_units.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace mirab {

namespace {

struct Unit {
  std::string_view name;
  Duration length;
};

constexpr std::array<Unit, 5> kUnits = {{{"ms", std::chrono::milliseconds(1)},
                                         {"min", std::chrono::minutes(1)},
                                         {"s", std::chrono::seconds(1)},
                                         {"h", std::chrono::hours(1)},
                                         {"d", std::chrono::days(1)}}};

}  // namespace

TimeText split_time(std::string_view text, Duration unit) {
  const auto of =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& each) { return text.ends_with(each.name); });
  if (of == kUnits.end()) return {text, unit};
  return {text.substr(0, text.size() - of->name.size()), of->length};
}

bool is_without_suffix(std::string_view text) {
  return text.find_first_not_of("+-.0123456789eE") == std::string_view::npos && !text.ends_with('E');
}

}  // namespace mirab
