// Misreports: what a user could report instead of the truth.
//
// Source: docs/explanation/mathematics.md, section 12. On random clusters of two users some fifty such moves
// expose proportional fairness and time division in every fourth to fifth; against DRF they find nothing.
#include "audit/properties/strategy_proofness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <mirab/model/classes.hpp>

#include "audit/cluster_view.hpp"
#include "audit/counterexamples.hpp"
#include "audit/findings.hpp"
#include "fairness/share.hpp"

namespace mirab {
namespace {

// Factors of one demand: small ones for gains that are near the truth, large ones for rules that can be
// turned around.
constexpr std::array kGrid = {0.125, 0.25, 0.5, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 2.0, 4.0, 8.0};
// Of two demands at a time, so that there are half as many for each.
constexpr std::array kTrades = {0.25, 0.5, 0.8, 1.25, 2.0, 4.0};
// Of what is not demanded at all, as parts of the dominant share.
constexpr std::array kLittle = {0.01, 0.1, 0.5};
// In a group also more than half: a claim can make the resource the one of which the group has most.
constexpr std::array kMuch = {0.6, 1.0};
// Of a reported amount, so that it can be read; a gain of 1e-3 does not need more.
constexpr int kReportedDigits = 4;

bool misreport(const Problem& problem, const Factors& factors, ResourceVector& demand) {
  const double part = fairness::dominant_share<double>(demand, problem.pool());
  for (std::size_t r = 0; r < demand.size(); ++r) {
    const auto factor = factors.find(problem.resources()[r]);
    if (factor == factors.end()) continue;
    const std::optional<Quantity> reported =
        demand[r].is_zero() ? times(Quantity(1), factor->second * part * problem.pool()[r], kReportedDigits)
                            : times(demand[r], factor->second, kReportedDigits);
    if (!reported) return false;
    demand[r] = *reported;
  }
  return true;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNamed = 3;  // in one line
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMaxNamed ? fmt::format("{} and {} more", text, names.size() - kMaxNamed) : text;
}

std::string words_for(const Problem& problem, const Misreport& lie, const std::vector<std::string>& concealed,
                      const std::vector<User>& reported, const User& truth) {
  const auto amounts = [&](const User& user) { return amounts_words(problem.resources(), user.demand); };
  if (reported.size() == 2)
    return fmt::format("by appearing as two of half the weight, of {} and of {}, instead of one of {}",
                       amounts(reported[0]), amounts(reported[1]), amounts(truth));
  if (!concealed.empty()) return fmt::format("by saying that it may not run on {}", list_of(concealed));
  if (lie.tasks)
    return reported[0].tasks ? fmt::format("by claiming {} tasks instead of {}", reported[0].tasks->text(),
                                           truth.tasks->text())
                             : fmt::format("by claiming endless tasks instead of {}", truth.tasks->text());
  return fmt::format("by reporting {} instead of {}", amounts(reported[0]), amounts(truth));
}

struct ReportedServers {
  std::vector<std::string> offered;    // the servers on which the user reports that it may run
  std::vector<std::string> concealed;  // the others on which it may
};

ReportedServers reported_without(const Problem& problem, std::size_t user,
                                 const std::vector<std::string>& hidden) {
  ReportedServers offer;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (!problem.eligible(user, i)) continue;
    const std::string& name = problem.servers()[i].name;
    const bool hides = std::find(hidden.begin(), hidden.end(), name) != hidden.end();
    (hides ? offer.concealed : offer.offered).push_back(name);
  }
  return offer;
}

// False when the product cannot be represented.
bool scale(Quantity& amount, double factor) {
  const std::optional<Quantity> scaled = times(amount, factor);
  if (scaled) amount = *scaled;
  return scaled.has_value();
}

// Of a user who appears as two.
bool halve(Quota& quota) {
  bool counts = true;
  const auto halve_each = [&](ResourceVector& amounts) {
    for (Quantity& amount : amounts) counts = counts && scale(amount, 0.5);
  };
  if (quota.guarantee) halve_each(*quota.guarantee);
  halve_each(quota.reserved);
  for (std::optional<Quantity>& limit : quota.limit) counts = counts && (!limit || scale(*limit, 0.5));
  return counts;
}

bool claim_tasks(double factor, User& reported) {
  if (!reported.tasks) return false;
  if (!std::isinf(factor)) return scale(*reported.tasks, factor);
  reported.tasks.reset();
  return true;
}

Misreport misreport_of(const Problem& problem, std::size_t user, Factors factors) {
  return {.user = problem.users()[user].name, .demands = {std::move(factors)}};
}

// A misreport in a few bytes: a search makes those that it comes to, of all users' moves. Resources are
// indices, and so are classes of servers.
struct Move {
  enum class Kind : std::uint8_t {
    one_demand,    // of `first`, by `factor`
    two_demands,   // of `first` by `factor`, of `second` by its inverse
    hides,         // servers of class `first`
    hides_others,  // servers of all classes but `first`
    apart,         // appears as two, one of which demands `first` alone
    large_small,   // appears as two, with twice and half of the demand of `first`
    tasks          // times `factor`
  };
  Kind kind;
  std::size_t user;
  std::size_t first = 0;
  std::size_t second = 0;
  double factor = 1;

  bool is_split() const { return kind == Kind::apart || kind == Kind::large_small; }
};

// Servers that are alike, and what a user may make of them.
class ServerKinds {
 public:
  // On a pool no server can be hidden.
  ServerKinds(const Problem& problem, Scope scope) : problem_(problem) {
    if (scope != Scope::pool) servers_ = merge(problem, MergeUsers::equal, MergeServers::equal).servers;
  }

  std::vector<std::size_t> of(std::size_t user) const {
    std::vector<std::size_t> kinds;
    for (std::size_t k = 0; k < servers_.size(); ++k) {
      if (problem_.eligible(user, servers_[k].members[0])) kinds.push_back(k);
    }
    return kinds;
  }
  void add_names(std::size_t kind, std::vector<std::string>& names) const {
    for (const std::size_t i : servers_[kind].members) names.push_back(problem_.servers()[i].name);
  }

 private:
  const Problem& problem_;
  std::vector<ServerClass> servers_;
};

void add_demands(const Problem& problem, std::size_t user, std::vector<Move>& moves) {
  const ResourceVector& demand = problem.users()[user].demand;
  const auto add = [&](std::size_t r, double factor) {
    moves.push_back({.kind = Move::Kind::one_demand, .user = user, .first = r, .factor = factor});
  };
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r].is_zero()) {
      for (const double part : kLittle) add(r, part);
      for (const double part : kMuch) {
        if (problem.users()[user].group) add(r, part);
      }
      continue;
    }
    add(r, 0.0);
    for (const double factor : kGrid) add(r, factor);
    for (std::size_t k = 0; k < r; ++k) {
      for (const double factor : kTrades)
        moves.push_back(
            {.kind = Move::Kind::two_demands, .user = user, .first = r, .second = k, .factor = factor});
    }
  }
}

void add_servers(const ServerKinds& server_kinds, std::size_t user, std::vector<Move>& moves) {
  const std::vector<std::size_t> kinds = server_kinds.of(user);
  if (kinds.size() < 2) return;
  for (const std::size_t kind : kinds) {
    moves.push_back({.kind = Move::Kind::hides, .user = user, .first = kind});
    if (kinds.size() > 2) moves.push_back({.kind = Move::Kind::hides_others, .user = user, .first = kind});
  }
}

// All but the demand for `kept` is concealed.
Factors conceals_others(const Problem& problem, std::size_t user, std::size_t kept) {
  Factors only;
  for (std::size_t k = 0; k < problem.resource_count(); ++k) {
    if (k != kept && !problem.users()[user].demand[k].is_zero()) only[problem.resources()[k]] = 0.0;
  }
  return only;
}

void add_splits(const Problem& problem, std::size_t user, std::vector<Move>& moves) {
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    if (problem.users()[user].demand[r].is_zero()) continue;
    if (!conceals_others(problem, user, r).empty())
      moves.push_back({.kind = Move::Kind::apart, .user = user, .first = r});
    moves.push_back({.kind = Move::Kind::large_small, .user = user, .first = r});
  }
}

void add_moves(const Problem& problem, const ServerKinds& kinds, std::size_t user, std::vector<Move>& moves) {
  add_demands(problem, user, moves);
  add_servers(kinds, user, moves);
  add_splits(problem, user, moves);
  if (!problem.users()[user].tasks) return;
  for (const double factor : {2.0, 10.0, std::numeric_limits<double>::infinity()})
    moves.push_back({.kind = Move::Kind::tasks, .user = user, .factor = factor});
}

Misreport misreport_of(const Problem& problem, const ServerKinds& kinds, const Move& move) {
  const auto resource = [&](std::size_t r) { return problem.resources()[r]; };
  Misreport made = misreport_of(problem, move.user, {});
  switch (move.kind) {
    case Move::Kind::one_demand:
      made.demands = {{{resource(move.first), move.factor}}};
      break;
    case Move::Kind::two_demands:
      made.demands = {{{resource(move.first), move.factor}, {resource(move.second), 1 / move.factor}}};
      break;
    case Move::Kind::hides:
      kinds.add_names(move.first, made.hidden);
      break;
    case Move::Kind::hides_others:
      for (const std::size_t kind : kinds.of(move.user)) {
        if (kind != move.first) kinds.add_names(kind, made.hidden);
      }
      break;
    case Move::Kind::apart:
      made.demands = {conceals_others(problem, move.user, move.first), {{resource(move.first), 0.0}}};
      break;
    case Move::Kind::large_small:
      made.demands = {{{resource(move.first), 2.0}}, {{resource(move.first), 0.5}}};
      break;
    case Move::Kind::tasks:
      made.tasks = move.factor;
      break;
  }
  return made;
}

}  // namespace

std::optional<ReportedCluster> report(const Problem& problem, const Misreport& lie) {
  ReportedCluster reported{.cluster = problem.cluster(), .liars = {}, .words = {}};
  const auto found = std::find_if(problem.users().begin(), problem.users().end(),
                                  [&](const User& user) { return user.name == lie.user; });
  if (found == problem.users().end()) return {};
  const auto user = static_cast<std::size_t>(found - problem.users().begin());
  const ReportedServers offer =
      lie.hidden.empty() ? ReportedServers{} : reported_without(problem, user, lie.hidden);
  if (!lie.hidden.empty() && (offer.offered.empty() || offer.concealed.empty())) return {};
  std::vector<User> liars;
  for (const Factors& factors : lie.demands) {
    User& liar = liars.emplace_back(*found);
    if (!misreport(problem, factors, liar.demand)) return {};
    for (auto& [server, demand] : liar.demand_on) {
      if (!misreport(problem, factors, demand)) return {};
    }
    if (!offer.concealed.empty()) {
      liar.select.clear();
      liar.not_servers.clear();
      liar.servers = offer.offered;
    }
    if (lie.tasks && !claim_tasks(*lie.tasks, liar)) return {};
    if (lie.demands.size() == 1) continue;
    if (!scale(liar.weight, 0.5) || (liar.tasks && !scale(*liar.tasks, 0.5)) || !halve(liar.quota)) return {};
  }
  reported.words = words_for(problem, lie, offer.concealed, liars, *found);
  reported.cluster.users[user] = liars[0];
  reported.liars = {user};
  if (liars.size() == 2) {
    liars[1].name += "'";
    if (liars[1].shape) *liars[1].shape += "'";
    reported.liars.push_back(reported.cluster.users.size());
    reported.cluster.users.push_back(liars[1]);
  }
  return reported;
}

std::vector<Misreport> misreports_of(const Problem& problem, Scope scope, std::size_t user) {
  const ServerKinds kinds(problem, scope);
  std::vector<Move> moves;
  add_moves(problem, kinds, user, moves);
  std::vector<Misreport> made;
  for (const Move& move : moves) made.push_back(misreport_of(problem, kinds, move));
  return made;
}

Misreport random_misreport(const Problem& problem, Random& random) {
  const double log_most = std::log(kGrid.back());
  const std::size_t user = random.below(problem.user_count());
  Factors factors;
  for (const std::string& resource : problem.resources())
    factors[resource] = std::exp(log_most * (2 * random.unit() - 1));
  return misreport_of(problem, user, std::move(factors));
}

// Strategy-proofness: no user can run more of its tasks by a report other than the truth. What a lie
// brings is what the true tasks make of the bundle that the reported ones get.
//
// Source: Ghodsi et al. 2011, section 3; the search is that of docs/explanation/mathematics.md, section 12.
// First the moves of all users in random order, then random lies, in rounds; the best lie is refined, factor
// by factor. Both divisions must have their certificates, and the gain must exceed what these leave open. A
// lie that makes no cluster, breaks the conditions or cannot be divided is no attempt; others take its place.

double true_tasks(const ClusterView& ground, std::size_t user, const std::vector<std::size_t>& liars,
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

bool meets(const Conditions& conditions, const Problem& problem) {
  const bool demands_all = std::all_of(problem.users().begin(), problem.users().end(), [](const User& user) {
    return std::none_of(user.demand.begin(), user.demand.end(),
                        [](const Quantity& d) { return d.is_zero(); });
  });
  return (demands_all || !conditions.positive_demands) &&
         !(conditions.no_placement && problem.has_placement_constraints());
}

namespace {

// Misreports at most, so that a search ends where hardly any of them makes a cluster that can be divided.
constexpr std::size_t kMisreportsForAnAttempt = 4;

void shuffle(std::vector<Move>& moves, Random& random) {
  for (std::size_t left = moves.size(); left > 1; --left)
    std::swap(moves[left - 1], moves[random.below(left)]);
}

// The moves of all users, those that are easiest to grasp first: splits come after those of one user.
std::vector<Move> all_moves(const Problem& problem, const ServerKinds& kinds, std::uint64_t seed) {
  Random random(seed);
  std::vector<Move> whole;
  for (std::size_t n = 0; n < problem.user_count(); ++n) add_moves(problem, kinds, n, whole);
  std::vector<Move> splits;
  std::copy_if(whole.begin(), whole.end(), std::back_inserter(splits),
               [](const Move& move) { return move.is_split(); });
  std::erase_if(whole, [](const Move& move) { return move.is_split(); });
  shuffle(whole, random);
  shuffle(splits, random);
  whole.insert(whole.end(), splits.begin(), splits.end());
  return whole;
}

// The k-th misreport, the same for every caller.
Misreport drawn_misreport(const Problem& problem, std::uint64_t seed, std::size_t k) {
  Random random(seed + k * kSeedStep);
  return random_misreport(problem, random);
}

struct FoundMisreport {
  Misreport lie;
  Witness witness;
};

// What the lie brings its user, if that is a gain that counts.
Trial try_misreport(const Division& division, const Rule& rule, const Misreport& lie, const Search& search) {
  const Tolerances& tolerances = search.tolerances;
  std::optional<ReportedCluster> reported = report(division.problem, lie);
  if (!reported) return {};
  const Result<Problem> problem = Problem::from(reported->cluster);
  if (!problem || !meets(search.conditions, *problem)) return {};
  const std::optional<Outcome> outcome = comparable(rule, *problem);
  if (!outcome) return {};
  const ClusterView ground(division.problem, division.scope);
  const double honest = division.outcome.allocation.tasks[reported->liars[0]];
  const double gained = true_tasks(ground, reported->liars[0], reported->liars, outcome->allocation);
  const double least =
      std::max(tolerances.least_gain, slack(division.outcome, tolerances) + slack(*outcome, tolerances));
  const double size = shortfall(honest, gained);
  if (!(size > least) || is_rounding(division, reported->liars[0], gained)) return {.compared = 1};
  const auto [has, could] = distinct_words(honest, gained);
  return {.compared = 1,
          .violation = Witness{.words = fmt::format("{} runs {} tasks under {}, and {} {}", lie.user, has,
                                                    division.outcome.mechanism, could, reported->words),
                               .problem = division.problem.cluster(),
                               .changed = std::move(reported->cluster),
                               .user = lie.user,
                               .numbers = {{"tasks", honest}, {"tasks_by_lying", gained}},
                               .size = size}};
}

// A lie with other factors that brings more, or the same one.
FoundMisreport refine(const Division& division, const Rule& rule, FoundMisreport found,
                      const Search& search) {
  constexpr int kRounds = 6;  // Derived: 1.3^6 is nearly 5, further than to the next factor of the grid.
  for (const double step : {1.3, 1.1, 1.03}) {
    bool better = true;
    for (int round = 0; better && round < kRounds; ++round) {
      better = false;
      for (std::size_t who = 0; who < found.lie.demands.size(); ++who) {
        for (const auto& [resource, factor] : Factors(found.lie.demands[who])) {
          for (const double by : {step, 1 / step}) {
            if (search.is_over && search.is_over()) return found;
            Misreport lie = found.lie;
            lie.demands[who][resource] = factor * by;
            std::optional<Witness> witness = try_misreport(division, rule, lie, search).violation;
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
std::function<std::optional<Witness>(const Problem&)> again(const Rule& rule, const Misreport& lie,
                                                            const Search& search) {
  return [rule, lie, how = Search{.tolerances = search.tolerances, .conditions = search.conditions}](
             const Problem& problem) -> std::optional<Witness> {
    const std::optional<Outcome> outcome = comparable(rule, problem);
    if (!outcome) return {};
    return try_misreport({problem, *outcome, rule.scope}, rule, lie, how).violation;
  };
}

}  // namespace

Verdict check_strategy_proofness(const Division& division, const Rule& rule, const Search& search) {
  if (division.outcome.status == Status::not_converged) return incomparable(Property::strategy_proofness);
  const ServerKinds kinds(division.problem, division.scope);
  const std::vector<Move> moves = all_moves(division.problem, kinds, search.seed);
  const auto lie = [&](std::size_t k) {
    return k < moves.size() ? misreport_of(division.problem, kinds, moves[k])
                            : drawn_misreport(division.problem, search.seed, k);
  };
  SearchResult sought = run_search(kMisreportsForAnAttempt * search.attempts, search, [&](std::size_t k) {
    return try_misreport(division, rule, lie(k), search);
  });
  if (sought.worst) {
    FoundMisreport best = refine(division, rule, {lie(sought.attempt), *std::move(sought.worst)}, search);
    best.witness.again = again(rule, best.lie, search);
    sought.worst = std::move(best.witness);
  }
  return verdict_on(Property::strategy_proofness, std::move(sought));
}

}  // namespace mirab
