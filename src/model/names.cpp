#include "model/names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mirab/model/choice.hpp>

namespace mirab {

std::string_view status_name(Status status) {
  switch (status) {
    case Status::exact:
      return "exact";
    case Status::converged:
      return "converged";
    case Status::not_converged:
      return "not_converged";
  }
  return {};
}

std::string first_names(std::span<const std::string_view> names, std::size_t most) {
  const auto first = names.first(std::min(most, names.size()));
  const std::size_t others = names.size() - first.size();
  return fmt::format("{}{}", fmt::join(first, ", "), others > 0 ? fmt::format(" and {} more", others) : "");
}

std::string known_names(std::string_view written, std::span<const std::string_view> known) {
  constexpr std::size_t kMostKnown = 8;
  const std::string nearest = nearest_names(written, known);
  return fmt::format("{} are {}", nearest.empty() ? "; known" : nearest + " Known",
                     first_names(known, kMostKnown));
}

}  // namespace mirab
