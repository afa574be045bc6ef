// Why every user has what it has, and what would help each of those who are short.
//
// A server more, or a unit more of a full resource, is the same changed cluster for all users, so it is
// solved once and all whom it may help read their tasks from it; only a user's own weight is solved for it
// alone. Changes are solved on several threads, each by one, so that the result does not depend on their
// number.
//
// Example: C = (9, 18), d = (1, 4) and (3, 1) under DRF: A has 3 tasks and B 2, both endless. Twice its
// weight brings A most (3.6), one server more brings both twice as much (6 and 4): two clusters for weights,
// one for the server, one for each of the full resources.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <mirab/audit/explanation.hpp>
#include <mirab/audit/metrics.hpp>

#include "audit/what_if.hpp"
#include "fairness/share.hpp"
#include "numerics/base/threads.hpp"

namespace mirab {
namespace {

constexpr double kNoGain = 1e-6;       // relative: what certificates and rounding leave
constexpr double kNearlyAsMuch = 0.9;  // of the greatest gain: a cheaper change is worth that little less

// What two changes have in common when they are one.
using SharedKey = std::tuple<ChangeKind, std::size_t, std::vector<std::size_t>, std::size_t>;

SharedKey key_of(const Change& change, std::size_t user) {
  const bool own = is_own(change);
  const std::size_t place = change.servers.empty() ? SIZE_MAX : change.servers[0];
  std::vector<std::size_t> raised;  // of what: a resource and a node, and of limits each that rises
  const auto add = [&](const Change& each) {
    raised.insert(raised.end(), {each.resource, each.node, each.also.size()});
    raised.insert(raised.end(), each.also.begin(), each.also.end());
  };
  add(change);
  std::for_each(change.with.begin(), change.with.end(), add);
  return {change.kind, place, std::move(raised), own ? user : SIZE_MAX};
}

// A changed cluster that is solved once.
struct SharedTrial {
  Change change;
  std::size_t user;                   // who asked first; of a weight, whose
  std::vector<std::size_t> asked_by;  // places in Survey::users
  std::vector<double> tasks = {};     // of each of these
  double together = 0;                // of all whom the survey is about
  double share = 0;                   // that these hold together, of the cluster as it is
  Losers losers = {};
  std::vector<Losers> others = {};  // beside each who asks for it
  Status status = Status::exact;
  bool possible = true;  // no amount beyond what can be counted
  std::optional<Error> error = {};
};

double share_together(const Problem& problem, const std::vector<Standing>& users,
                      const std::vector<std::vector<double>>& held) {
  std::vector<double> sum(problem.resource_count());
  for (const Standing& standing : users) {
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += held[standing.user][r];
  }
  return fairness::dominant_share<double>(sum, problem.pool());
}

void solve_shared(const Problem& problem, const Choice& choice, const Survey& survey, SharedTrial& trial) {
  const std::vector<Standing>& users = survey.users;
  const Result<Problem> other = changed(problem, trial.user, trial.change);
  if (!other) {
    trial.possible = false;
    return;
  }
  const Result<Outcome> outcome = allocate(*other, choice);
  if (!outcome) {
    trial.error = outcome.error();
    return;
  }
  trial.status = outcome->status;
  for (const std::size_t at : trial.asked_by)
    trial.tasks.push_back(outcome->allocation.tasks[users[at].user]);
  for (const Standing& standing : users) trial.together += outcome->allocation.tasks[standing.user];
  trial.share = share_together(problem, users, bundles(*other, outcome->allocation));
  const Difference made = difference({problem, survey.outcome.allocation}, {*other, outcome->allocation});
  trial.losers = losers_of(made, problem, {});
  for (const std::size_t at : trial.asked_by)
    trial.others.push_back(losers_of(made, problem, users[at].user));
}

// What a change costs, to be compared in this order.
struct Cost {
  bool others_pay = false;
  int kind = 0;     // of quotas, weights and tasks; of a resource; of a server
  double part = 0;  // of the cluster, that is added
  double lost = 0;  // of its share, by who loses most
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

Cost cost_of(const Problem& problem, const WhatIf& what_if) {
  const Change& change = what_if.change;
  Cost cost{.others_pay = what_if.losers.count > 0};
  if (cost.others_pay) cost.lost = what_if.losers.most.front().lost_share();
  const auto part = [&](std::size_t r, double amount) {
    return problem.pool()[r] > 0 ? amount / problem.pool()[r] : 0;
  };
  switch (change.kind) {
    case ChangeKind::limit:
    case ChangeKind::weight:
    case ChangeKind::group_weight:
    case ChangeKind::guarantee:
    case ChangeKind::reserve:
    case ChangeKind::task:
      break;
    case ChangeKind::unit:
      cost.kind = 1;
      cost.part = part(change.resource, change.amount.value());
      break;
    case ChangeKind::server: {
      cost.kind = 2;
      const Server& server = problem.servers()[change.servers[0]];
      for (std::size_t r = 0; r < server.capacity.size(); ++r)
        cost.part = std::max(cost.part, part(r, server.capacity[r].value()));
      break;
    }
  }
  return cost;
}

// Of those that pass.
template <typename Passes>
std::optional<std::size_t> best_of(const Problem& problem, const Standing& standing, const Passes& passes) {
  const double least = kNoGain * std::max(standing.tasks, 1.0);
  const std::vector<WhatIf>& what_ifs = standing.what_ifs;
  const auto greatest = std::find_if(what_ifs.begin(), what_ifs.end(), passes);  // the first brings most
  if (greatest == what_ifs.end() || greatest->gain <= least) return {};
  const auto brings_all = [&](const WhatIf& what_if) {
    return standing.asked && what_if.tasks >= *standing.asked * (1 - kNoGain);
  };
  const bool any_brings_all = brings_all(*greatest);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < what_ifs.size(); ++i) {
    const WhatIf& what_if = what_ifs[i];
    if (!passes(what_if)) continue;
    if (any_brings_all ? !brings_all(what_if) : what_if.gain < kNearlyAsMuch * greatest->gain) continue;
    if (!best || cost_of(problem, what_if) < cost_of(problem, what_ifs[*best])) best = i;
  }
  return best;
}

// The best remedy, what does as much at the same cost, and what does most where nobody pays.
void find_remedies(const Problem& problem, Standing& standing) {
  standing.remedy = best_of(problem, standing, [](const WhatIf& /*any*/) { return true; });
  if (!standing.remedy) return;
  const WhatIf& best = standing.what_ifs[*standing.remedy];
  for (const WhatIf& other : standing.what_ifs) {
    if (&other != &best && gain_of(best.tasks, other.tasks) == 0 &&
        cost_of(problem, other) == cost_of(problem, best))
      ++standing.ties;
  }
  if (best.losers.count == 0) return;
  standing.free_remedy =
      best_of(problem, standing, [](const WhatIf& what_if) { return what_if.losers.count == 0; });
}

// The part of what it asks for that a user has, or its share per weight where it asks without end.
double reached_part(const Problem& problem, const Standing& standing) {
  if (standing.asked) return *standing.asked > 0 ? standing.tasks / *standing.asked : 1;
  const double weight = problem.users()[standing.user].weight.value();
  return weight > 0 ? standing.dominant_share / weight : std::numeric_limits<double>::infinity();
}

std::vector<Standing> standings(const Problem& problem, const Survey& survey, const Bindings& bindings,
                                std::span<const std::size_t> whom) {
  const Satisfaction satisfied = satisfaction(problem, survey.outcome);
  const std::vector<double> shares = dominant_shares(problem, survey.outcome.allocation);
  const Stops stops(problem, survey.outcome);
  std::vector<Standing> users;
  for (const std::size_t n : whom) {
    Standing& standing = users.emplace_back(Standing{.user = n,
                                                     .tasks = survey.outcome.allocation.tasks[n],
                                                     .asked = satisfied.asked[n],
                                                     .satisfied = satisfied.satisfied[n],
                                                     .dominant_share = shares[n],
                                                     .stop = stops.of(n)});
    if (!standing.satisfied && !standing.stop.is_missing) standing.bindings = bindings.of(n);
  }
  const auto rank = [](const Standing& each) { return each.satisfied ? 2 : each.asked ? 0 : 1; };
  std::stable_sort(users.begin(), users.end(), [&](const Standing& a, const Standing& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return !a.satisfied && reached_part(problem, a) < reached_part(problem, b);
  });
  return users;
}

// Every different change once, with the users whom it may help.
std::vector<SharedTrial> trials_of(const Problem& problem, const Mechanism& row, const Allocation& allocation,
                                   const Bindings& bindings, std::size_t most, std::vector<Standing>& users) {
  std::vector<SharedTrial> trials;
  std::map<SharedKey, std::size_t> known;
  for (std::size_t at = 0; at < users.size(); ++at) {
    Standing& standing = users[at];
    if (standing.satisfied) continue;
    const std::vector<Change> changes = changes_for(problem, bindings.classes(), row, allocation,
                                                    {.user = standing.user,
                                                     .has_all_tasks = false,
                                                     .stop = standing.stop,
                                                     .bindings = standing.bindings});
    const std::size_t tries = std::min(changes.size(), most);
    standing.untried = changes.size() - tries;
    for (std::size_t i = 0; i < tries; ++i) {
      const auto [place, fresh] = known.emplace(key_of(changes[i], standing.user), trials.size());
      if (fresh) trials.push_back({.change = changes[i], .user = standing.user, .asked_by = {}});
      trials[place->second].asked_by.push_back(at);
    }
  }
  return trials;
}

// All limits that hold users of a team, in one change: those of sibling groups hold different users of it.
// Nothing where one of the changes that are tried raises them all.
std::optional<Change> all_limits(const std::vector<SharedTrial>& trials) {
  std::optional<Change> all;
  std::set<std::pair<std::size_t, std::size_t>> raised;  // a node and a resource
  std::size_t most_at_once = 0;
  const auto add = [&](Change change) {
    change.with.clear();
    if (!raised.emplace(change.node, change.resource).second) return;
    if (all) {
      all->with.push_back(std::move(change));
    } else {
      all = std::move(change);
    }
  };
  for (const SharedTrial& trial : trials) {
    if (trial.change.kind != ChangeKind::limit) continue;
    most_at_once = std::max(most_at_once, 1 + trial.change.with.size());
    add(trial.change);
    std::for_each(trial.change.with.begin(), trial.change.with.end(), add);
  }
  return raised.size() > most_at_once ? all : std::nullopt;
}

Check solve_all(const Problem& problem, const Choice& choice, const ExplainOptions& options,
                const Survey& survey, std::vector<SharedTrial>& trials) {
  constexpr std::size_t kAtOnce = 64;  // between two reports of progress
  for (std::size_t first = 0; first < trials.size(); first += kAtOnce) {
    const std::size_t last = std::min(trials.size(), first + kAtOnce);
    numerics::for_each_index(first, last, options.execution.threads,
                             [&](std::size_t i) { solve_shared(problem, choice, survey, trials[i]); });
    for (std::size_t i = first; i < last; ++i) {
      if (trials[i].error) return trials[i].error;
    }
    if (options.progress) options.progress(last, trials.size());
  }
  return {};
}

Result<Survey> survey_of(const Problem& problem, const Choice& choice, std::span<const std::size_t> whom,
                         bool is_of_team, const ExplainOptions& options) {
  Result<Outcome> outcome = allocate(problem, choice, options.execution);
  if (!outcome) return outcome.error();
  const Mechanism& row = mechanism_of(choice);
  Survey survey{.scope = row.scope, .outcome = *std::move(outcome)};
  const Bindings bindings(problem, row.scope, survey.outcome.allocation);
  survey.users = standings(problem, survey, bindings, whom);
  if (!row.is_rule) {
    survey.outcome.notices.emplace_back(kNoRule);
    return survey;
  }
  std::vector<std::size_t> short_of_tasks;
  for (const Standing& standing : survey.users) {
    if (!standing.satisfied) short_of_tasks.push_back(standing.user);
  }
  if (std::optional<std::string> notice = unchanged_servers(problem, row, short_of_tasks))
    survey.outcome.notices.push_back(*std::move(notice));
  std::vector<SharedTrial> trials =
      trials_of(problem, row, survey.outcome.allocation, bindings, options.what_ifs, survey.users);
  if (is_of_team) {
    if (std::optional<Change> limits = all_limits(trials))
      trials.push_back({.change = *std::move(limits), .user = whom.front(), .asked_by = {}});
  }
  if (Check wrong = solve_all(problem, choice, options, survey, trials)) return *std::move(wrong);
  double now = 0;
  for (const Standing& standing : survey.users) now += standing.tasks;
  const bool are_several = whom.size() > 1;
  const double share_now = share_together(problem, survey.users, bundles(problem, survey.outcome.allocation));
  for (const SharedTrial& trial : trials) {
    if (trial.possible) ++survey.solved;
    if (is_of_team && trial.possible && !is_own(trial.change)) {
      survey.together.push_back({.change = trial.change,
                                 .tasks = trial.together,
                                 .gain = gain_of(now, trial.together),
                                 .status = trial.status,
                                 .share = are_several ? std::optional(trial.share) : std::nullopt,
                                 .share_gain = are_several ? gain_of(share_now, trial.share) : 0,
                                 .losers = trial.losers});
    }
    for (std::size_t i = 0; i < trial.asked_by.size(); ++i) {
      Standing& standing = survey.users[trial.asked_by[i]];
      if (!trial.possible) {
        ++standing.untried;
        continue;
      }
      standing.what_ifs.push_back({.change = trial.change,
                                   .tasks = trial.tasks[i],
                                   .gain = gain_of(standing.tasks, trial.tasks[i]),
                                   .status = trial.status,
                                   .losers = trial.others[i]});
    }
  }
  const auto most_first = [](std::vector<WhatIf>& what_ifs) {
    std::stable_sort(what_ifs.begin(), what_ifs.end(),
                     [](const WhatIf& a, const WhatIf& b) { return a.gain > b.gain; });
  };
  std::stable_sort(survey.together.begin(), survey.together.end(), [](const WhatIf& a, const WhatIf& b) {
    return std::pair(a.share_gain, a.gain) > std::pair(b.share_gain, b.gain);
  });
  for (Standing& standing : survey.users) {
    most_first(standing.what_ifs);
    find_remedies(problem, standing);
  }
  return survey;
}

}  // namespace

Result<Survey> explain_all(const Problem& problem, const Choice& choice, const ExplainOptions& options) {
  std::vector<std::size_t> everyone(problem.user_count());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  return survey_of(problem, choice, everyone, false, options);
}

Result<Survey> explain_team(const Problem& problem, const Choice& choice, std::span<const std::size_t> team,
                            const ExplainOptions& options) {
  return survey_of(problem, choice, team, true, options);
}

}  // namespace mirab
