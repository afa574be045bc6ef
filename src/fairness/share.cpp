// Weights and shares as exact fractions, the scale of shares, which resources dominate, how unequal shares
// are.
#include "fairness/share.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace mirab::fairness {

Result<Weight> weight_from(const Quantity& quantity) {
  if (quantity.is_zero()) return Error{.message = "a weight must be above 0", .key = "weight"};
  const mpq_class exact = rational(quantity);
  if (!exact.get_num().fits_ulong_p() || !exact.get_den().fits_ulong_p()) {
    return Error{
        .message =
            "the weight has more digits than shares can be compared with; round it to at most 18 digits",
        .key = "weight"};
  }
  return Weight{.numerator = exact.get_num().get_ui(), .denominator = exact.get_den().get_ui()};
}

Part::operator mpq_class() const {
  mpq_class part(numerator, denominator);
  part.canonicalize();
  return part * mpq_class(scale);
}

mpq_class per_weight(const mpq_class& share, const Weight& weight) {
  return share * mpq_class(weight.denominator, weight.numerator);
}

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

// With s sorted ascending, Σ_i Σ_j |s_i - s_j| = 2 Σ_i (2 i - N + 1) s_i, i from 0.
double gini(std::span<const double> x) {
  std::vector<double> s(x.begin(), x.end());
  std::sort(s.begin(), s.end());
  const double total = std::accumulate(s.begin(), s.end(), 0.0);
  if (total <= 0) return 0;
  if (s.front() == s.back()) return 0;  // rounding would leave a difference
  const auto count = static_cast<double>(s.size());
  double differences = 0;
  for (std::size_t i = 0; i < s.size(); ++i) differences += (2 * static_cast<double>(i) - count + 1) * s[i];
  return std::max(0.0, differences / (count * total));  // of nearly equal values it may round below 0
}

std::vector<std::vector<double>> used_below(const Tree& tree, const std::vector<std::vector<double>>& held) {
  const std::size_t resources = held.empty() ? 0 : held[0].size();
  std::vector<std::vector<double>> used(tree.size(), std::vector<double>(resources, 0.0));
  for (std::size_t v = used.size(); v-- > 0;) {
    if (tree.is_user(v)) used[v] = held[tree.user_at(v)];
    if (v == 0) continue;
    std::vector<double>& parent = used[tree.parent(v)];
    for (std::size_t r = 0; r < resources; ++r) parent[r] += used[v][r];
  }
  return used;
}

}  // namespace mirab::fairness
