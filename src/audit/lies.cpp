// Misreports: what a user could tell instead of the truth.
//
// Source: docs/mathematics.md, section 11. On random clusters of two users some fifty such moves expose
// proportional fairness and time division in every fourth to fifth; against DRF they find nothing.
#include "audit/lies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <mirab/model/classes.hpp>

#include "audit/alter.hpp"
#include "audit/finding.hpp"

namespace mirab {
namespace {

constexpr std::array kGrid = {0.125, 0.25, 0.5, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 2.0, 4.0, 8.0};
constexpr std::array kTrades = {0.25, 0.5, 0.8, 1.25, 2.0, 4.0};
constexpr std::array kLittle = {0.01, 0.1, 0.5};
constexpr int kDigits = 4;

// max_r d_r / C_r
double largest_part(const Problem& problem, const ResourceVector& demand) {
  double largest = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (problem.pool()[r] > 0) largest = std::max(largest, demand[r].value() / problem.pool()[r]);
  }
  return largest;
}

bool misreport(const Problem& problem, const Factors& factors, ResourceVector& demand) {
  const double part = largest_part(problem, demand);
  for (std::size_t r = 0; r < demand.size(); ++r) {
    const auto factor = factors.find(problem.resources()[r]);
    if (factor == factors.end()) continue;
    const std::optional<Quantity> told =
        demand[r].is_zero() ? times(Quantity(1), factor->second * part * problem.pool()[r], kDigits)
                            : times(demand[r], factor->second, kDigits);
    if (!told) return false;
    demand[r] = *told;
  }
  return true;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMostNamed ? fmt::format("{} and {} more", text, names.size() - kMostNamed) : text;
}

std::string words_for(const Problem& problem, const Lie& lie, const std::vector<std::string>& concealed,
                      const std::vector<User>& told, const User& truth) {
  const auto amounts = [&](const User& user) { return amounts_words(problem.resources(), user.demand); };
  if (told.size() == 2)
    return fmt::format("by appearing as two of half the weight, of {} and of {}, instead of one of {}",
                       amounts(told[0]), amounts(told[1]), amounts(truth));
  if (!concealed.empty()) return fmt::format("by saying that it may not run on {}", list_of(concealed));
  if (lie.tasks)
    return told[0].tasks
               ? fmt::format("by claiming {} tasks instead of {}", told[0].tasks->text(), truth.tasks->text())
               : fmt::format("by claiming endless tasks instead of {}", truth.tasks->text());
  return fmt::format("by reporting {} instead of {}", amounts(told[0]), amounts(truth));
}

struct Offer {
  std::vector<std::string> told;       // the servers on which the user says that it may run
  std::vector<std::string> concealed;  // the others on which it may
};

Offer offer_without(const Problem& problem, std::size_t user, const std::vector<std::string>& hidden) {
  Offer offer;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (!problem.eligible(user, i)) continue;
    const std::string& name = problem.servers()[i].name;
    const bool hides = std::find(hidden.begin(), hidden.end(), name) != hidden.end();
    (hides ? offer.concealed : offer.told).push_back(name);
  }
  return offer;
}

bool claim_tasks(double factor, User& told) {
  if (!told.tasks) return false;
  told.tasks = std::isinf(factor) ? std::nullopt : times(*told.tasks, factor);
  return true;
}

Lie lie_of(const Problem& problem, std::size_t user, Factors factors) {
  return {.user = problem.users()[user].name, .demands = {std::move(factors)}};
}

void add_demands(const Problem& problem, std::size_t user, std::vector<Lie>& lies) {
  const std::vector<std::string>& names = problem.resources();
  for (std::size_t r = 0; r < names.size(); ++r) {
    if (problem.users()[user].demand[r].is_zero()) {
      for (const double part : kLittle) lies.push_back(lie_of(problem, user, {{names[r], part}}));
      continue;
    }
    lies.push_back(lie_of(problem, user, {{names[r], 0.0}}));
    for (const double factor : kGrid) lies.push_back(lie_of(problem, user, {{names[r], factor}}));
    for (std::size_t k = 0; k < r; ++k) {
      for (const double factor : kTrades)
        lies.push_back(lie_of(problem, user, {{names[r], factor}, {names[k], 1 / factor}}));
    }
  }
}

void add_servers(const Problem& problem, std::size_t user, std::vector<Lie>& lies) {
  std::vector<std::vector<std::string>> kinds;
  for (const ServerClass& alike : merge(problem, MergeUsers::equal, MergeServers::equal).servers) {
    if (!problem.eligible(user, alike.members[0])) continue;
    kinds.emplace_back();
    for (const std::size_t i : alike.members) kinds.back().push_back(problem.servers()[i].name);
  }
  if (kinds.size() < 2) return;
  for (std::size_t kept = 0; kept < kinds.size(); ++kept) {
    Lie one = lie_of(problem, user, {});
    Lie others = one;
    one.hidden = kinds[kept];
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (k != kept) others.hidden.insert(others.hidden.end(), kinds[k].begin(), kinds[k].end());
    }
    lies.push_back(one);
    if (kinds.size() > 2) lies.push_back(others);
  }
}

void add_splits(const Problem& problem, std::size_t user, std::vector<Lie>& lies) {
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    if (problem.users()[user].demand[r].is_zero()) continue;
    const std::string& name = problem.resources()[r];
    Factors only;
    for (std::size_t k = 0; k < problem.resource_count(); ++k) {
      if (k != r && !problem.users()[user].demand[k].is_zero()) only[problem.resources()[k]] = 0.0;
    }
    Lie apart{.user = problem.users()[user].name, .demands = {only, {{name, 0.0}}}};
    if (!only.empty()) lies.push_back(apart);
    lies.push_back({.user = apart.user, .demands = {{{name, 2.0}}, {{name, 0.5}}}});
  }
}

}  // namespace

std::optional<Told> tell(const Problem& problem, const Lie& lie) {
  Told told{.cluster = cluster_of(problem), .liars = {}, .words = {}};
  const auto found = std::find_if(problem.users().begin(), problem.users().end(),
                                  [&](const User& user) { return user.name == lie.user; });
  if (found == problem.users().end()) return {};
  const auto user = static_cast<std::size_t>(found - problem.users().begin());
  const Offer offer = lie.hidden.empty() ? Offer{} : offer_without(problem, user, lie.hidden);
  if (!lie.hidden.empty() && (offer.told.empty() || offer.concealed.empty())) return {};
  std::vector<User> liars;
  for (const Factors& factors : lie.demands) {
    User& liar = liars.emplace_back(*found);
    if (!misreport(problem, factors, liar.demand)) return {};
    for (auto& [server, demand] : liar.demand_on) {
      if (!misreport(problem, factors, demand)) return {};
    }
    if (!offer.concealed.empty()) {
      liar.select.clear();
      liar.servers = offer.told;
    }
    if (lie.tasks && !claim_tasks(*lie.tasks, liar)) return {};
    if (lie.demands.size() == 1) continue;
    liar.weight = *times(liar.weight, 0.5);
    if (liar.tasks) liar.tasks = times(*liar.tasks, 0.5);
  }
  told.words = words_for(problem, lie, offer.concealed, liars, *found);
  told.cluster.users[user] = liars[0];
  told.liars = {user};
  if (liars.size() == 2) {
    liars[1].name += "'";
    told.liars.push_back(told.cluster.users.size());
    told.cluster.users.push_back(liars[1]);
  }
  return told;
}

std::vector<Lie> moves_of(const Problem& problem, Scope scope, std::size_t user) {
  std::vector<Lie> lies;
  add_demands(problem, user, lies);
  if (scope != Scope::pool) add_servers(problem, user, lies);
  add_splits(problem, user, lies);
  if (problem.users()[user].tasks) {
    for (const double factor : {2.0, 10.0, std::numeric_limits<double>::infinity()}) {
      lies.push_back(lie_of(problem, user, {}));
      lies.back().tasks = factor;
    }
  }
  return lies;
}

Lie random_lie(const Problem& problem, Random& random) {
  constexpr double kLogMost = 2.0794415416798357;  // ln 8
  const std::size_t user = random.below(problem.user_count());
  Factors factors;
  for (const std::string& resource : problem.resources())
    factors[resource] = std::exp(kLogMost * (2 * random.unit() - 1));
  return lie_of(problem, user, std::move(factors));
}

}  // namespace mirab
