// The scale of shares, and which resources dominate.
#include "fairness/share.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace mirab::fairness {

Result<ShareScale> ShareScale::from(std::span<const Quantity> scales, std::size_t resources) {
  ShareScale scale(resources);
  if (scales.empty()) return scale;
  const auto error = [](std::string message) {
    return Error{.message = std::move(message), .key = "share_scale"};
  };
  if (scales.size() != resources)
    return error(fmt::format("{} scales for {} resources", scales.size(), resources));
  if (std::all_of(scales.begin(), scales.end(), [](const Quantity& each) { return each.is_zero(); }))
    return error("no resource counts");
  int unit = INT32_MAX;
  for (const Quantity& each : scales) {
    if (!each.is_zero()) unit = std::min(unit, each.exponent());
  }
  for (std::size_t r = 0; r < resources; ++r) {
    const std::optional<std::int64_t> whole = count_units(scales[r], unit, Rounding::down);
    if (!whole) return error("the scales are too far apart to be compared exactly");
    scale.whole[r] = static_cast<std::uint64_t>(*whole);
    scale.rounded[r] = scales[r].value();
  }
  return scale;
}

bool is_dominant(std::size_t most, const ExactVector& amounts, const ExactVector& capacity) {
  if (amounts[most] == 0) return false;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[most] * capacity[r] < amounts[r] * capacity[most]) return false;
  }
  return true;
}

}  // namespace mirab::fairness
