#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <mirab/audit/properties.hpp>

namespace mirab {

/// Attempts are made in rounds of so many; what is found ends the search after its round.
inline constexpr std::size_t kRound = 64;

/// Calls body(k) for k from first to before last, on so many threads at most. The body must not throw, and
/// may touch what belongs to its own k.
template <class Body>
void for_each_attempt(std::size_t first, std::size_t last, int threads, const Body& body) {
  std::atomic<std::size_t> next = first;
  const auto work = [&] {
    for (std::size_t k = next++; k < last; k = next++) body(k);
  };
  std::vector<std::jthread> others;
  const auto most = std::min<std::size_t>(static_cast<std::size_t>(threads), last - first);
  for (std::size_t worker = 1; worker < most; ++worker) others.emplace_back(work);
  work();
}

/// What a search found: the greatest violation of the first round that had one.
struct Sought {
  std::uint64_t tried = 0;
  std::optional<Witness> worst;
  std::size_t attempt = 0;  ///< that led to `worst`
};

/// Makes attempts 0 … count - 1; `attempt(k)` gives a witness when it finds a violation. The same with any
/// number of threads. The body must not throw.
template <class Attempt>
Sought seek(std::size_t count, const Search& search, const Attempt& attempt) {
  Sought sought;
  while (sought.tried < count && !sought.worst) {
    const std::size_t first = sought.tried;
    const std::size_t last = std::min(count, first + kRound);
    std::vector<std::optional<Witness>> found(last - first);
    for_each_attempt(first, last, search.threads, [&](std::size_t k) { found[k - first] = attempt(k); });
    for (std::size_t k = first; k < last; ++k) {
      std::optional<Witness>& witness = found[k - first];
      if (!witness || (sought.worst && witness->size <= sought.worst->size)) continue;
      sought.worst = std::move(witness);
      sought.attempt = k;
    }
    sought.tried = last;
    if (search.progress) search.progress(sought.tried, count);
  }
  return sought;
}

}  // namespace mirab
