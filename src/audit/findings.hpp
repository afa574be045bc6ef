#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <mirab/audit/properties.hpp>

#include "numerics/base/threads.hpp"

namespace mirab {

/// What the outcome's certificate leaves open, and the least that counts: from here on a relative difference
/// is a violation. A gap or regret bounds an objective; amounts may be off by its square root.
double slack(const Outcome& outcome, const Tolerances& tolerances);

/// A relative violation by how much `low` falls short of `high`; 0 when it does not.
double shortfall(double low, double high);

/// A number of tasks or an amount in a sentence: `15.0`, `1.368`.
std::string number_words(double value);

/// The two of them with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> distinct_words(double a, double b);

/// `its half of`, `its third of`, `its 28.6% of`.
std::string part_words(double part);

/// `cpu 1, memory 4`.
std::string amounts_words(const std::vector<std::string>& resources, const ResourceVector& amounts);

/// The verdict that a property does not hold.
Verdict violated(Property property, Witness witness);

/// The verdict that a property asks for nothing here.
Verdict vacuous(Property property, std::string why);

/// The verdict that it cannot be decided.
Verdict undecided(Property property, std::string why);

/// Attempts in a round. A search ends after the round in which something was found.
inline constexpr std::size_t kRound = 64;

/// Between the seeds of attempts that draw: odd, so that they differ.
inline constexpr std::uint64_t kSeedStep = 0x9E3779B97F4A7C15;

/// What an attempt came to.
struct Trial {
  std::uint64_t compared = 0;  ///< divisions; none when the changed cluster could not be divided
  std::optional<Witness> violation = {};
};

/// What a search found: the greatest violation of the first round that had one.
struct SearchResult {
  std::uint64_t tried = 0;  ///< divisions that were compared
  std::optional<Witness> worst = {};
  std::size_t attempt = 0;   ///< that led to `worst`
  bool ended_early = false;  ///< before all attempts
};

/// Makes attempts 0, 1, …, `most` at most, until as many divisions were compared as the search asks for:
/// `attempt(k)` gives a Trial. The same with any number of threads, unless the search is over before its
/// attempts are made. The body must not throw.
template <class Attempt>
SearchResult run_search(std::size_t most, const Search& search, const Attempt& attempt) {
  SearchResult sought;
  for (std::size_t first = 0;
       first < most && sought.tried < search.attempts && !sought.worst && !sought.ended_early;) {
    const std::size_t last =
        first + std::min<std::size_t>({kRound, most - first, search.attempts - sought.tried});
    std::vector<std::optional<Trial>> trials(last - first);  // none: the search was over
    numerics::for_each_index(first, last, search.threads, [&](std::size_t k) {
      if (!search.is_over || !search.is_over()) trials[k - first] = attempt(k);
    });
    for (std::size_t k = first; k < last; ++k) {
      std::optional<Trial>& trial = trials[k - first];
      sought.ended_early = sought.ended_early || !trial;
      if (!trial) continue;
      sought.tried += trial->compared;
      if (!trial->violation || (sought.worst && trial->violation->size <= sought.worst->size)) continue;
      sought.worst = std::move(trial->violation);
      sought.attempt = k;
    }
    first = last;
    if (search.progress) search.progress(std::min<std::uint64_t>(first, search.attempts), search.attempts);
  }
  return sought;
}

/// How the rule divides a cluster, when it does and the outcome has its certificate.
std::optional<Outcome> comparable(const Rule& rule, const Problem& problem);

/// The verdict on a cluster whose own division has no certificate, so that nothing can be compared with it.
Verdict incomparable(Property property);

/// The verdict on what was sought; not decided when nothing could be compared.
Verdict verdict_on(Property property, SearchResult sought);

}  // namespace mirab
