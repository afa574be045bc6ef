// Strategy-proofness: nobody can run more of its tasks by telling something else than the truth. What a lie
// brings is what the true tasks make of the bundle that the told ones get.
//
// Source: Ghodsi et al. 2011, section 3; the search is that of docs/mathematics.md, section 11. First the
// moves of all users in random order, then random lies, in rounds; the best lie is refined, factor by factor.
// Both divisions must have their certificates, and the gain must exceed what these leave open. A lie that
// makes no cluster, breaks the conditions or cannot be divided is no attempt; others take its place.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "audit/attempts.hpp"
#include "audit/finding.hpp"
#include "audit/ground.hpp"
#include "audit/lies.hpp"

namespace mirab {
namespace {

constexpr std::size_t kLiesForAnAttempt = 4;  // are told at most

void shuffle(std::vector<Lie>& lies, Random& random) {
  for (std::size_t left = lies.size(); left > 1; --left) std::swap(lies[left - 1], lies[random.below(left)]);
}

// The moves of all users, those that are easiest to grasp first: splits come after lies of one user.
std::vector<Lie> all_moves(const Division& division, const Search& search) {
  const Problem& problem = division.problem;
  Random random(search.seed);
  std::vector<Lie> lies;
  std::vector<Lie> splits;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    for (Lie& lie : moves_of(problem, division.scope, n))
      (lie.demands.size() == 1 ? lies : splits).push_back(std::move(lie));
  }
  shuffle(lies, random);
  shuffle(splits, random);
  std::move(splits.begin(), splits.end(), std::back_inserter(lies));
  return lies;
}

// The k-th lie, whoever asks for it.
Lie drawn_lie(const Problem& problem, std::uint64_t seed, std::size_t k) {
  Random random(seed + k * kSeedStep);
  return random_lie(problem, random);
}

// The tasks of the truth that the liars' bundles run.
double true_tasks(const Ground& ground, std::size_t user, const std::vector<std::size_t>& liars,
                  const Allocation& allocation) {
  std::vector<std::vector<double>> bundle(ground.places());
  for (const Grant& grant : allocation.grants) {
    if (std::find(liars.begin(), liars.end(), grant.user) == liars.end()) continue;
    std::vector<double>& here = bundle[grant.server];
    here.resize(ground.resources());
    for (std::size_t r = 0; r < here.size(); ++r) here[r] += grant.resources[r];
  }
  double tasks = 0;
  for (std::size_t i = 0; i < bundle.size(); ++i) {
    if (!bundle[i].empty()) tasks += ground.tasks_with(user, i, bundle[i]);
  }
  return std::min(tasks, ground.cap(user));
}

struct FoundLie {
  Lie lie;
  Witness witness;
};

bool meets(const Conditions& conditions, const Problem& problem) {
  const bool demands_all = std::all_of(problem.users().begin(), problem.users().end(), [](const User& user) {
    return std::none_of(user.demand.begin(), user.demand.end(),
                        [](const Quantity& d) { return d.is_zero(); });
  });
  return (demands_all || !conditions.positive_demands) &&
         !(conditions.no_placement && problem.has_placement_constraints());
}

// What the lie brings its user, if that is a gain that counts.
Trial try_lie(const Division& division, const Rule& rule, const Lie& lie, const Search& search) {
  const Tolerances& tolerances = search.tolerances;
  std::optional<Told> told = tell(division.problem, lie);
  if (!told) return {};
  const Result<Problem> problem = Problem::from(told->cluster);
  if (!problem || !meets(search.conditions, *problem)) return {};
  const std::optional<Outcome> outcome = comparable(rule, *problem);
  if (!outcome) return {};
  const Ground ground(division.problem, division.scope);
  const double honest = division.outcome.allocation.tasks[told->liars[0]];
  const double gained = true_tasks(ground, told->liars[0], told->liars, outcome->allocation);
  const double least =
      std::max(tolerances.least_gain, slack(division.outcome, tolerances) + slack(*outcome, tolerances));
  const double size = shortfall(honest, gained);
  if (!(size > least)) return {.compared = 1};
  const auto [has, could] = told_apart(honest, gained);
  return {.compared = 1,
          .violation = Witness{.words = fmt::format("{} runs {} tasks under {}, and {} {}", lie.user, has,
                                                    division.outcome.mechanism, could, told->words),
                               .problem = cluster_of(division.problem),
                               .changed = std::move(told->cluster),
                               .user = lie.user,
                               .numbers = {{"tasks", honest}, {"tasks_by_lying", gained}},
                               .size = size}};
}

// A lie with other factors that brings more, or the same one.
FoundLie refine(const Division& division, const Rule& rule, FoundLie found, const Search& search) {
  for (const double step : {1.3, 1.1, 1.03}) {
    bool better = true;
    for (int round = 0; better && round < 6; ++round) {
      better = false;
      for (std::size_t who = 0; who < found.lie.demands.size(); ++who) {
        for (const auto& [resource, factor] : Factors(found.lie.demands[who])) {
          for (const double by : {step, 1 / step}) {
            Lie lie = found.lie;
            lie.demands[who][resource] = factor * by;
            std::optional<Witness> witness = try_lie(division, rule, lie, search).violation;
            if (!witness || witness->size <= found.witness.size) continue;
            found = {std::move(lie), *std::move(witness)};
            better = true;
          }
        }
      }
    }
  }
  return found;
}

// The same lie on another cluster.
std::function<std::optional<Witness>(const Problem&)> again(const Rule& rule, const Lie& lie,
                                                            const Search& search) {
  return [rule, lie, how = Search{.tolerances = search.tolerances, .conditions = search.conditions}](
             const Problem& problem) -> std::optional<Witness> {
    const std::optional<Outcome> outcome = comparable(rule, problem);
    if (!outcome) return {};
    return try_lie({problem, *outcome, rule.scope}, rule, lie, how).violation;
  };
}

}  // namespace

Verdict check_strategy_proofness(const Division& division, const Rule& rule, const Search& search) {
  if (division.outcome.status == Status::not_converged) return incomparable(Property::strategy_proofness);
  const std::vector<Lie> moves = all_moves(division, search);
  const auto lie = [&](std::size_t k) {
    return k < moves.size() ? moves[k] : drawn_lie(division.problem, search.seed, k);
  };
  Sought sought = seek(kLiesForAnAttempt * search.attempts, search,
                       [&](std::size_t k) { return try_lie(division, rule, lie(k), search); });
  if (sought.worst) {
    FoundLie best = refine(division, rule, {lie(sought.attempt), *std::move(sought.worst)}, search);
    best.witness.again = again(rule, best.lie, search);
    sought.worst = std::move(best.witness);
  }
  return verdict_on(Property::strategy_proofness, std::move(sought));
}

}  // namespace mirab
