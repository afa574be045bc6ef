// The table of mechanisms, and the way into it.
#include "mechanisms/registry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>

#include "mechanisms/eligible_users.hpp"
#include "model/merged_notice.hpp"

namespace mirab {
namespace {

constexpr double kFeasibleWithin = 1e-9;  // of a capacity. Derived: sums of a million parts in doubles.

// `; mechanisms that can: …`, the rows that accept something; empty when there are none.
template <class Accepted>
std::string names_where(Accepted accepted) {
  std::vector<std::string_view> names;
  for (const Mechanism& row : mechanisms()) {
    if (row.is_rule && accepted(row.accepts)) names.push_back(row.name);
  }
  return names.empty() ? "" : fmt::format("; mechanisms that can: {}", fmt::join(names, ", "));
}

template <class Accepted>
Error cannot_honour(const Mechanism& row, std::string_view what, const std::string& key, Accepted accepted) {
  return {.message = fmt::format("{} cannot honour {}{}", row.name, what, names_where(accepted)), .key = key};
}

bool demands_everything(const User& user) {
  return std::none_of(user.demand.begin(), user.demand.end(),
                      [](const Quantity& amount) { return amount.is_zero(); });
}

// Of the first user or group of weight 0.
Error no_weight_of_zero(const Mechanism& row, const Problem& problem) {
  const auto key = [&]() -> std::string {
    for (std::size_t g = 0; g < problem.groups().size(); ++g) {
      if (problem.groups()[g].weight.is_zero()) return fmt::format("groups[{}].weight", g);
    }
    std::size_t n = 0;
    while (!problem.users()[n].weight.is_zero()) ++n;
    return fmt::format("users[{}].weight", n);
  };
  return cannot_honour(row, "a weight of 0", key(), [](const Accepts& a) { return a.groups; });
}

// Of a mechanism for which all users are members of the cluster.
std::string groups_ignored(const Mechanism& row) {
  std::vector<std::string_view> names;
  for (const Mechanism& other : mechanisms()) {
    if (other.is_rule && other.accepts.groups) names.push_back(other.name);
  }
  return fmt::format(
      "{} ignores groups, guarantees, limits and reserves: every user counts by itself; mechanisms that "
      "honour "
      "them: {}",
      row.name, fmt::join(names, ", "));
}

void assert_feasible(const Allocation& allocation) {
  std::vector<std::vector<double>> used;
  for (const ServerUse& server : allocation.servers) used.emplace_back(server.capacity.size(), 0.0);
  for (const Grant& grant : allocation.grants) {
    for (std::size_t r = 0; r < grant.resources.size(); ++r) used[grant.server][r] += grant.resources[r];
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    for (std::size_t r = 0; r < used[i].size(); ++r) {
      MIRAB_ASSERT(used[i][r] <= allocation.servers[i].capacity[r] * (1 + kFeasibleWithin),
                   "a mechanism gave away more than there is");
    }
  }
}

}  // namespace

Check check_accepts(const Mechanism& row, const Problem& problem) {
  if (!row.is_rule) {
    if (problem.running()) return {};
    return Error{.message = "missing: it says what is placed now, as does --allocation FILE",
                 .key = "running"};
  }
  if (!row.accepts.several_servers && has_several_servers(problem)) {
    return cannot_honour(row, "several servers", "servers",
                         [](const Accepts& a) { return a.several_servers; });
  }
  if (!row.accepts.groups && problem.has_zero_weight()) return no_weight_of_zero(row, problem);
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const User& user = problem.users()[n];
    const auto key = [n](std::string_view name) { return fmt::format("users[{}].{}", n, name); };
    if (!row.accepts.demand_on && !user.demand_on.empty()) {
      Error error = cannot_honour(row, "another demand on some servers", key("demand_on"),
                                  [](const Accepts& a) { return a.demand_on; });
      error.message += "; filling task by task can: mirab fill";
      return error;
    }
    if (!row.accepts.weights && user.weight != Quantity(1)) {
      return cannot_honour(row, "weights", key("weight"), [](const Accepts& a) { return a.weights; });
    }
    if (!row.accepts.caps && user.tasks) {
      return cannot_honour(row, "a limited number of tasks", key("tasks"),
                           [](const Accepts& a) { return a.caps; });
    }
    if (!row.accepts.zero_demands && !demands_everything(user)) {
      return cannot_honour(row, "a demand of zero", key("demand"),
                           [](const Accepts& a) { return a.zero_demands; });
    }
  }
  return {};
}

bool has_normal_exp(double l) {
  constexpr double log_max = 700;  // Derived: normal doubles are from e^-708 to e^709.
  return std::isinf(l) ? l < 0 : std::abs(l) <= log_max;
}

Status status_of(const numerics::SolveReport& report, Status when_converged) {
  return report.converged() ? when_converged : Status::not_converged;
}

std::span<const Mechanism> mechanisms() {
  static const std::array table{
      max_min_row(), drf_row(),     asset_row(),          pf_row(),      alpha_fair_row(), drfh_row(),
      tsf_row(),     cmmf_row(),    per_server_drf_row(), ps_dsf_row(),  ps_dsf_tdm_row(), alpha_pf_vds_row(),
      baa_row(),     mlf_drs_row(), ffmra_row(),          h_ffmra_row(), hdrf_row(),       hdrfh_row(),
      given_row(),
  };
  return table;
}

const Mechanism* find_mechanism(std::string_view name) {
  const std::span<const Mechanism> table = mechanisms();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const Mechanism& each) { return each.name == name; });
  return row == table.end() ? nullptr : &*row;
}

const Mechanism& mechanism_of(const Choice& choice) {
  const Mechanism* const row = find_mechanism(choice.name);
  MIRAB_ASSERT(row != nullptr, "a choice of the registry");
  return *row;
}

std::string_view property_name(Property property) {
  switch (property) {
    case Property::feasible:
      return "feasible";
    case Property::sharing_incentive:
      return "sharing-incentive";
    case Property::envy_freeness:
      return "envy-freeness";
    case Property::pareto_efficiency:
      return "pareto-efficiency";
    case Property::strategy_proofness:
      return "strategy-proofness";
    case Property::single_resource_fairness:
      return "single-resource-fairness";
    case Property::bottleneck_fairness:
      return "bottleneck-fairness";
    case Property::population_monotonicity:
      return "population-monotonicity";
    case Property::resource_monotonicity:
      return "resource-monotonicity";
    case Property::scale_invariance:
      return "scale-invariance";
    case Property::non_wastefulness:
      return "non-wastefulness";
    case Property::hierarchical_sharing_incentive:
      return "hierarchical-sharing-incentive";
    case Property::guarantee:
      return "guarantee";
    case Property::group_envy_freeness:
      return "group-envy-freeness";
    case Property::group_strategy_proofness:
      return "group-strategy-proofness";
    case Property::own_part:
      return "own-part";
  }
  MIRAB_ASSERT(false, "a property without a name");
  return {};
}

Result<Choice> choose_mechanism(std::string_view text) {
  std::vector<ChoosableRow> rows;
  for (const Mechanism& row : mechanisms()) {
    rows.push_back({.name = row.name, .aliases = row.aliases, .options = row.options});
  }
  Result<Choice> choice = choose(text, "mechanism", rows);
  if (!choice) return choice;
  const Mechanism& row = mechanism_of(*choice);
  if (row.check_options == nullptr) return choice;
  if (Check wrong = row.check_options(*choice)) return *std::move(wrong);
  return choice;
}

Result<Outcome> allocate(const Problem& problem, const Choice& choice, const Execution& execution) {
  MIRAB_ASSERT(execution.threads >= 1, "somebody has to do the work");
  const Mechanism* const row = find_mechanism(choice.name);
  if (row == nullptr) return Error{.message = fmt::format("there is no mechanism '{}'", choice.name)};
  if (Check wrong = check_accepts(*row, problem)) return *std::move(wrong);
  const std::optional<EligibleUsers> eligible = row->is_rule ? eligible_users(problem, *row) : std::nullopt;
  Result<Outcome> outcome = row->allocate(eligible ? eligible->problem : problem, choice, execution);
  if (!outcome) return outcome;
  if (eligible) outcome = with_all_users(*std::move(outcome), *eligible, problem);
  assert_feasible(outcome->allocation);
  if (row->is_rule) note_merged(problem, *outcome);  // what runs is known by server
  if (!row->accepts.groups && !problem.tree().is_flat()) outcome->notices.push_back(groups_ignored(*row));
  return outcome;
}

Result<Outcome> allocate(const Problem& problem, std::string_view mechanism, const Execution& execution) {
  Result<Choice> choice = choose_mechanism(mechanism);
  if (!choice) return std::move(choice).error();
  return allocate(problem, *choice, execution);
}

}  // namespace mirab
