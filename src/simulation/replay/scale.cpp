// What is cut or multiplied before a replay: numbers of machines, and users.
#include "simulation/replay/scale.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace mirab::simulation {
namespace {

/// So many of 0 … n - 1, drawn without replacement: the first of a shuffle (Fisher and Yates).
std::vector<bool> drawn(std::size_t n, std::size_t so_many, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<bool> chosen(n, false);
  for (std::size_t k = 0; k < so_many; ++k) {
    std::swap(order[k], order[k + random.below(n - k)]);
    chosen[order[k]] = true;
  }
  return chosen;
}

}  // namespace

std::vector<std::int64_t> scaled_counts(std::span<const std::int64_t> counts, double factor) {
  std::vector<std::int64_t> scaled;
  std::vector<double> remainders;
  for (const std::int64_t count : counts) {
    const double exact = static_cast<double>(count) * factor;
    scaled.push_back(static_cast<std::int64_t>(exact));
    remainders.push_back(exact - std::floor(exact));
  }
  const auto total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (total == 0) return scaled;
  const std::int64_t wanted = std::max<std::int64_t>(1, std::llround(static_cast<double>(total) * factor));
  std::int64_t missing = wanted - std::accumulate(scaled.begin(), scaled.end(), std::int64_t{0});

  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (const std::size_t i : order) {
    if (missing <= 0) break;
    if (counts[i] == 0) continue;
    ++scaled[i];
    --missing;
  }
  return scaled;
}

Result<ScaledUsers> scaled_users(const std::vector<Submitter>& users, double factor, Random& random) {
  const std::size_t n = users.size();
  ScaledUsers scaled{.users = {}, .of = std::vector<std::vector<std::uint32_t>>(n)};
  if (n == 0) return scaled;
  if (factor * static_cast<double>(n) > static_cast<double>(kMostUsers))
    return Error{.message = fmt::format("makes more than {} users of {}", kMostUsers, n),
                 .key = "scale.users"};
  const auto wanted =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(factor * static_cast<double>(n))));
  const std::size_t copies = wanted / n;
  const std::vector<bool> one_more = drawn(n, wanted % n, random);

  std::set<std::string> names;
  for (std::size_t original = 0; original < n; ++original) {
    for (std::size_t copy = 1; copy <= copies + (one_more[original] ? 1 : 0); ++copy) {
      Submitter user = users[original];
      if (copy > 1) user.name = fmt::format("{}#{}", user.name, copy);
      if (!names.insert(user.name).second)
        return Error{.message = fmt::format("there are two users '{}' after copying", user.name),
                     .key = "scale.users"};
      scaled.of[original].push_back(static_cast<std::uint32_t>(scaled.users.size()));
      scaled.users.push_back(std::move(user));
    }
  }
  return scaled;
}

}  // namespace mirab::simulation
