// The auditor: mechanisms against properties, on one cluster or on random ones, and every violation on the
// smallest cluster that shows it.
#include <algorithm>
#include <fmt/format.h>

#include <mirab/audit/audit.hpp>

#include "audit/counterexamples.hpp"
#include "audit/findings.hpp"
#include "audit/what_if.hpp"
#include "numerics/base/threads.hpp"

namespace mirab {
namespace {

// A violation by the same change, or for lack of one by the same property.
std::optional<Witness> violation(Property property, const Rule& rule, const Witness& known,
                                 const Tolerances& tolerances, const Problem& problem) {
  if (known.again) return known.again(problem);
  const Result<Outcome> outcome = rule.divide(problem);
  if (!outcome) return {};
  return check(property, {problem, *outcome, rule.scope}, rule, {.tolerances = tolerances}).witness;
}

// With smaller clusters tried, as many as `how` says and while it is not over.
Witness smallest(const Verdict& verdict, const Rule& rule, const Search& how, std::size_t tries) {
  const Witness& known = *verdict.witness;
  return shrink(
      known,
      [&](const Problem& problem) -> std::optional<Witness> {
        if (how.is_over && how.is_over()) return {};
        return violation(verdict.property, rule, known, how.tolerances, problem);
      },
      tries);
}

// Shares the time that is left among the searches that are left.
class TimeShares {
 public:
  TimeShares(const std::function<double()>& left, std::size_t searches) : left_(left), searches_(searches) {
    if (left_) kept_ = std::max(0.0, left_()) / 4;
  }

  /// Is the time of the next search over? Empty where time has no end.
  std::function<bool()> next() {
    if (!left_) return {};
    MIRAB_ASSERT(searches_ > 0, "a share for each search");
    const double now = left_();
    const double end = now - std::max(0.0, now - kept_) / static_cast<double>(searches_--);
    return [this, end] { return left_() <= end; };
  }

 private:
  const std::function<double()>& left_;
  std::size_t searches_;
  double kept_ = 0;  // for smaller clusters
};

std::size_t searches_among(const std::vector<Property>& list) {
  return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), is_searched));
}

// What each searched property of each mechanism gets.
std::uint64_t share_of_budget(const AuditOptions& options, const std::vector<Property>& list,
                              std::size_t mechanisms) {
  return std::max<std::uint64_t>(
      1, options.budget / std::max<std::uint64_t>(1, searches_among(list) * mechanisms));
}

// Counts what is done over many searches.
class Progress {
 public:
  Progress(const AuditProgress& tell, std::uint64_t of) : tell_(tell), of_(of) {}

  AuditProgress within() const {
    if (!tell_) return {};
    return [this](std::uint64_t done, std::uint64_t) { tell_(std::min(of_, done_ + done), of_); };
  }
  void add(std::uint64_t done) {
    done_ += done;
    if (tell_) tell_(std::min(of_, done_), of_);
  }

 private:
  const AuditProgress& tell_;
  std::uint64_t of_;
  std::uint64_t done_ = 0;
};

// Rules are asked about changed clusters, on which what runs would no longer fit.
Problem without_running(const Problem& problem) {
  if (!problem.running()) return problem;
  Cluster cluster = problem.cluster();
  cluster.running.reset();
  Result<Problem> without = Problem::from(std::move(cluster));
  MIRAB_ASSERT(static_cast<bool>(without), "less can only be wrong where more was");
  return *std::move(without);
}

// A mechanism is held to its word on the servers that it was given: as they count.
Problem as_counted(const Problem& problem) {
  if (!problem.cluster().merged) return problem;
  Cluster cluster = problem.cluster();
  cluster.merged.reset();
  Result<Problem> counted = Problem::from(std::move(cluster));
  MIRAB_ASSERT(static_cast<bool>(counted), "the same servers are as good");
  return *std::move(counted);
}

struct PendingVerdict {
  Verdict* verdict;
  Rule rule;
};

// Shrinks side by side. An allocation that was given is shown as it is: on a smaller cluster it would be
// another one.
void shrink_all(const std::vector<PendingVerdict>& open, const AuditOptions& options) {
  numerics::for_each_index(0, open.size(), options.threads, [&](std::size_t k) {
    Verdict& verdict = *open[k].verdict;
    Search how{.tolerances = options.tolerances};
    if (const auto& left = options.seconds_left) {
      const double now = left();
      how.is_over = [&left, end = now - std::max(0.0, now) / static_cast<double>(open.size() - k)] {
        return left() <= end;
      };
    }
    verdict.smallest = smallest(verdict, open[k].rule, how, options.shrink_tries);
  });
}

}  // namespace

std::vector<Choice> all_mechanisms() {
  std::vector<Choice> choices;
  for (const Mechanism& row : mechanisms()) {
    if (!row.is_rule) continue;
    std::string text(row.name);
    char joint = ':';
    for (const OptionInfo& option : row.options) {
      if (!option.fallback.empty()) continue;
      text += fmt::format("{}{}=2", joint, option.name);
      joint = ',';
    }
    Result<Choice> choice = choose_mechanism(text);
    MIRAB_ASSERT(static_cast<bool>(choice), "an option that must be given takes 2");
    choices.push_back(*std::move(choice));
  }
  return choices;
}

std::vector<Property> asked_properties(const AuditOptions& options, bool groups) {
  if (!options.properties.empty()) return options.properties;
  std::vector<Property> list(properties().begin(), properties().end());
  if (!groups) std::erase_if(list, is_of_groups);
  return list;
}

bool any_honours_groups(const std::vector<Choice>& mechanisms) {
  return std::any_of(mechanisms.begin(), mechanisms.end(),
                     [](const Choice& choice) { return mechanism_of(choice).accepts.groups; });
}

namespace {

struct NamedRule {
  std::string name;
  Rule rule;
};

std::vector<MechanismAudit> audit_rules(const Problem& given, const std::vector<NamedRule>& rules,
                                        const AuditOptions& options) {
  const Problem problem = as_counted(given);
  const Problem unplaced = without_running(problem);
  const std::vector<Property> list = asked_properties(options, !problem.tree().is_flat());
  const std::uint64_t attempts = share_of_budget(options, list, rules.size());
  Progress progress(options.progress, list.size() * rules.size() * attempts);
  const auto searching = static_cast<std::size_t>(
      std::count_if(rules.begin(), rules.end(), [](const NamedRule& each) { return each.rule.is_rule; }));
  TimeShares time(options.seconds_left, searches_among(list) * searching);
  std::vector<MechanismAudit> audits;
  for (const auto& [name, rule] : rules) {
    MechanismAudit& found =
        audits.emplace_back(MechanismAudit{.mechanism = name, .refused = {}, .verdicts = {}});
    const Problem& divided = rule.is_rule ? unplaced : problem;
    const Result<Outcome> outcome = rule.divide(divided);
    if (!outcome) {
      found.refused = outcome.error();
      progress.add(attempts * list.size());
      for (std::size_t k = rule.is_rule ? searches_among(list) : 0; k > 0; --k) time.next();
      continue;
    }
    found.status = outcome->status;
    for (const Property property : list) {
      found.verdicts.push_back(
          check(property, {divided, *outcome, rule.scope}, rule,
                {.attempts = attempts,
                 .seed = options.seed,
                 .threads = options.threads,
                 .tolerances = options.tolerances,
                 .progress = progress.within(),
                 .is_over = is_searched(property) && rule.is_rule ? time.next() : nullptr}));
      progress.add(attempts);
    }
  }
  std::vector<PendingVerdict> open;
  for (std::size_t m = 0; m < audits.size(); ++m) {
    for (Verdict& verdict : audits[m].verdicts) {
      if (verdict.witness && rules[m].rule.is_rule) open.push_back({&verdict, rules[m].rule});
    }
  }
  shrink_all(open, options);
  return audits;
}

}  // namespace

std::vector<MechanismAudit> audit(const Problem& problem, const std::vector<Choice>& mechanisms,
                                  const AuditOptions& options) {
  std::vector<NamedRule> rules;
  for (const Choice& choice : mechanisms) rules.push_back({.name = choice.text, .rule = rule_of(choice)});
  return audit_rules(problem, rules, options);
}

MechanismAudit audit(const Problem& problem, const std::string& name, const Rule& rule,
                     const AuditOptions& options) {
  return audit_rules(problem, {{.name = name, .rule = rule}}, options).front();
}

Verdict audit_random(const Choice& mechanism, const RandomStyle& style, std::uint64_t clusters,
                     const Search& search, std::size_t shrink_tries) {
  const Rule rule = rule_of(mechanism);
  const std::uint64_t attempts =
      std::max<std::uint64_t>(1, search.attempts / std::max<std::uint64_t>(1, clusters));
  Search over_clusters = search;
  over_clusters.attempts = clusters * attempts;
  SearchResult sought = run_search(clusters, over_clusters, [&](std::size_t k) -> Trial {
    Random random(search.seed + k * kSeedStep);
    const Problem problem = random_cluster(style, random);
    const std::optional<Outcome> outcome = comparable(rule, problem);
    if (!outcome) return {};
    Verdict verdict = check(style.property, {problem, *outcome, rule.scope}, rule,
                            {.attempts = attempts,
                             .seed = random.bits(),
                             .tolerances = search.tolerances,
                             .conditions = style.conditions,
                             .is_over = search.is_over});
    return {.compared = verdict.tried, .violation = std::move(verdict.witness)};
  });
  Verdict verdict = verdict_on(style.property, std::move(sought));
  if (verdict.witness)
    verdict.smallest =
        smallest(verdict, rule, {.tolerances = search.tolerances, .is_over = search.is_over}, shrink_tries);
  return verdict;
}

std::vector<MechanismAudit> audit_random(const std::vector<Choice>& mechanisms, std::uint64_t clusters,
                                         const AuditOptions& options) {
  const std::vector<Property> list = asked_properties(options, any_honours_groups(mechanisms));
  Progress progress(options.progress, list.size() * mechanisms.size() * clusters);
  TimeShares time(options.seconds_left, list.size() * mechanisms.size());
  std::vector<MechanismAudit> audits;
  for (const Choice& choice : mechanisms) {
    const Mechanism& row = mechanism_of(choice);
    MechanismAudit& found =
        audits.emplace_back(MechanismAudit{.mechanism = choice.text, .refused = {}, .verdicts = {}});
    for (const Property property : list) {
      const RandomStyle style{
          .accepts = row.accepts, .scope = row.scope, .conditions = options.conditions, .property = property};
      const Search search{.attempts = share_of_budget(options, list, mechanisms.size()),
                          .seed = options.seed,
                          .threads = options.threads,
                          .tolerances = options.tolerances,
                          .progress = progress.within(),
                          .is_over = time.next()};
      found.verdicts.push_back(audit_random(choice, style, clusters, search, options.shrink_tries));
      progress.add(clusters);
    }
  }
  return audits;
}

std::vector<ClaimAudit> audit_claims(const std::vector<Choice>& mechanisms, std::uint64_t clusters,
                                     const AuditOptions& options) {
  const std::vector<Property> list = asked_properties(options, true);
  std::vector<ClaimAudit> audits;
  for (const Choice& choice : mechanisms) {
    for (const Claim& claim : mechanism_of(choice).claims) {
      if (std::find(list.begin(), list.end(), claim.property) == list.end()) continue;
      const std::string of =
          claim.options.empty() ? choice.text : fmt::format("{}:{}", choice.name, claim.options);
      audits.push_back({.mechanism = of, .claim = claim, .verdict = {.property = claim.property}});
    }
  }
  Progress progress(options.progress, audits.size() * clusters);
  TimeShares time(options.seconds_left, audits.size());
  const auto searched = static_cast<std::uint64_t>(std::count_if(
      audits.begin(), audits.end(), [](const ClaimAudit& each) { return is_searched(each.claim.property); }));
  for (ClaimAudit& each : audits) {
    const Choice choice = *choose_mechanism(each.mechanism);
    const Mechanism& row = mechanism_of(choice);
    const RandomStyle style{.accepts = row.accepts,
                            .scope = row.scope,
                            .conditions = each.claim.conditions,
                            .property = each.claim.property};
    const Search search{.attempts = options.budget / std::max<std::uint64_t>(1, searched),
                        .seed = options.seed,
                        .threads = options.threads,
                        .tolerances = options.tolerances,
                        .progress = progress.within(),
                        .is_over = time.next()};
    each.verdict = audit_random(choice, style, clusters, search, options.shrink_tries);
    progress.add(clusters);
  }
  return audits;
}

}  // namespace mirab
