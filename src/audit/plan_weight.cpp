// Which weight gives a user a number of tasks: by doubling and halving, and a sample of others as a test.
//
// Example: DRF on one resource of capacity 10, weights w and 1: the first user has 10 w / (w + 1) tasks, 8 of
// them with w = 4. Known failure: the tasks need not grow with the weight, so a smaller weight that was not
// tried may be enough.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "audit/cluster_view.hpp"
#include "audit/findings.hpp"
#include "audit/planning.hpp"

namespace mirab {

namespace {

// w in units of 10^exponent.
Quantity weight_of(std::int64_t units, int exponent) {
  const Result<Quantity> weight = Quantity::parse(fmt::format("{}e{}", units, exponent));
  MIRAB_ASSERT(static_cast<bool>(weight), "some digits are a weight");
  return *weight;
}

// Of several users of the problem: task shapes, or all below a group.
bool is_of_several(const Problem& problem, const PlanGoal& goal) {
  return goal.user != problem.users()[goal.tasks[0].user].name;
}

// Of a user with task shapes, or a group, its node in the tree, below which those of the goal are.
std::size_t node_of(const Problem& problem, const PlanGoal& goal) {
  const Tree& tree = problem.tree();
  std::size_t node = tree.node_of_user(goal.tasks[0].user);
  while (node_name(problem, node) != goal.user) node = tree.parent(node);
  return node;
}

Quantity weight_now(const Problem& problem, const PlanGoal& goal) {
  if (!is_of_several(problem, goal)) return problem.users()[goal.tasks[0].user].weight;
  return problem.groups()[problem.tree().group_at(node_of(problem, goal))].weight;
}

Result<Problem> with_weight(const Problem& problem, const PlanGoal& goal, const Quantity& weight) {
  const ChangeKind kind = is_of_several(problem, goal) ? ChangeKind::group_weight : ChangeKind::weight;
  return changed(problem, goal.tasks[0].user,
                 {.kind = kind, .node = node_of(problem, goal), .amount = weight});
}

class WeightSearch {
 public:
  WeightSearch(const Problem& problem, const Choice& choice, const PlanGoal& goal, const PlanOptions& options)
      : problem_(problem), choice_(choice), goal_(goal), options_(options) {}

  bool reaches(const Quantity& weight) {
    const auto known = parts_.find(weight);
    if (known != parts_.end()) return is_enough(known->second);
    double part = 0;
    if (const Result<Problem> other = with_weight(problem_, goal_, weight)) {
      const Result<Outcome> outcome = allocate(*other, choice_, options_.execution);
      if (outcome) part = part_of_goal(goal_, outcome->allocation.tasks);
    }
    parts_.emplace(weight, part);
    if (options_.progress) options_.progress(parts_.size());
    return is_enough(part);
  }

  // The least number of units that is enough, between one that is not and one that is.
  std::int64_t halve(std::int64_t few, std::int64_t many, int exponent) {
    while (many - few > 1) {
      const std::int64_t half = few + (many - few) / 2;
      (reaches(weight_of(half, exponent)) ? many : few) = half;
    }
    return many;
  }

  // In all that were tried, more weight never brought less.
  bool is_steady() const {
    double most = 0;
    for (const auto& [weight, part] : parts_) {
      if (is_less(part, most)) return false;
      most = std::max(most, part);
    }
    return true;
  }

  double most() const {
    double most = 0;
    for (const auto& [weight, part] : parts_) most = std::max(most, part);
    return most;
  }

  std::size_t solved() const { return parts_.size(); }

 private:
  const Problem& problem_;
  const Choice& choice_;
  const PlanGoal& goal_;
  const PlanOptions& options_;
  std::map<Quantity, double> parts_;  // of the goal, by weight
};

}  // namespace

Result<Plan> plan_weight(const Problem& problem, const Choice& choice, const PlanGoal& goal,
                         const PlanOptions& options) {
  const Mechanism& row = mechanism_of(choice);
  if (Check wrong = check_goal(problem, row, goal)) return *std::move(wrong);
  if (!row.accepts.weights)
    return Error{.message = fmt::format("{} does not look at weights", row.name), .key = "--weights"};
  if (is_of_several(problem, goal) && !row.accepts.groups) {
    return Error{
        .message = fmt::format("{} knows no groups, and takes each task shape or user of '{}' for itself; "
                               "name one of them, or a mechanism for groups, such as hdrfh",
                               row.name, goal.user),
        .key = "--user"};
  }
  Result<Outcome> before = allocate(problem, choice, options.execution);
  if (!before) return before.error();
  const Quantity weight = weight_now(problem, goal);
  if (is_enough(part_of_goal(goal, before->allocation.tasks))) {
    Result<Plan> plan = finished_plan(choice, problem, *std::move(before), options.execution);
    if (!plan) return plan;
    plan->weight = plan->weight_before = weight;
    plan->exact = false;
    plan->checked = options.alike.has_value();
    return plan;
  }

  const Result<SearchedCluster> merged = searched_cluster(problem, {}, options.alike);
  if (!merged) return merged.error();
  WeightSearch search(merged->problem, choice, goal, options);
  constexpr int kDoublings = 30;
  constexpr int kDigits = 4;
  constexpr int kSamples = 32;
  const double now = weight.is_zero() ? 1 : weight.value();
  double enough = 0;
  for (int twice = weight.is_zero() ? 0 : 1; twice <= kDoublings && enough == 0; ++twice) {
    const double tried = std::ldexp(now, twice);
    if (search.reaches(*Quantity::from(tried))) enough = tried;
  }
  if (enough == 0) {
    return Error{.message =
                     fmt::format("even a weight of {:.4g} brings '{}' no more than {}; see 'mirab explain'",
                                 std::ldexp(now, kDoublings), goal.user, most_words(goal, search.most()))};
  }
  const int exponent = static_cast<int>(std::floor(std::log10(enough))) - kDigits + 1;
  const double unit = std::pow(10, exponent);
  const auto least = static_cast<std::int64_t>(weight.is_zero() ? 0 : std::floor(now / unit));
  std::int64_t units = static_cast<std::int64_t>(std::ceil(enough / unit));
  const std::int64_t rounded = units;  // f need not be monotone: the rounded weight may not be enough
  while (units < rounded + kSamples && !search.reaches(weight_of(units, exponent))) ++units;
  const bool in_digits = search.reaches(weight_of(units, exponent));
  if (in_digits) {
    const bool has_half = !weight.is_zero() || enough > now;
    const auto half = static_cast<std::int64_t>(has_half ? enough / 2 / unit : 0);
    units = search.halve(std::max(least, half), units, exponent);
    for (int sample = 1; sample <= kSamples; ++sample) {  // a smaller one, where f is not monotone
      const std::int64_t between = least + (units - least) * sample / (kSamples + 1);
      if (between > least && between < units && search.reaches(weight_of(between, exponent)))
        units = search.halve(least, between, exponent);
    }
    while (units - 1 > least && search.reaches(weight_of(units - 1, exponent)))
      units = search.halve(least, units - 1, exponent);
  }

  const Quantity found = in_digits ? weight_of(units, exponent) : *Quantity::from(enough);
  Result<Plan> plan =
      finished_plan(choice, with_weight(problem, goal, found), *std::move(before), options.execution);
  if (!plan) return plan;
  if (options.alike && !is_enough(part_of_goal(goal, plan->after.allocation.tasks)))
    return plan_weight(problem, choice, goal, as_they_are(options));
  plan->weight = found;
  plan->weight_before = weight;
  if (in_digits && units - 1 > least && !options.alike) plan->too_little = weight_of(units - 1, exponent);
  plan->exact = false;
  plan->checked = options.alike.has_value();
  plan->steady = search.is_steady();
  plan->solved = search.solved();
  return plan;
}

}  // namespace mirab
