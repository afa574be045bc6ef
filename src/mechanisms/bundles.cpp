// What Hamzeh's mechanisms have in common: bundles of resources that are not in proportion to what a task
// takes. A user is dominated by one resource, and holds much of it; of the others it holds little.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, chapter 4;
// docs/explanation/mathematics.md, section 7. Tasks are whole bundles of demand, so that what a bundle holds
// beyond its scarcest resource is of no use to its user (docs/reference/mechanisms/mlf-drs.md).
#include "mechanisms/bundles.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <utility>

#include "fairness/share.hpp"
#include "model/exact.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr std::array<std::string_view, 2> kUnits = {"raw", "normalised"};
constexpr std::array<std::string_view, 2> kSurplus = {"proportional", "equal"};
constexpr std::array<std::string_view, 2> kSpill = {"false", "true"};

constexpr OptionInfo kBundlesOptions[] = {
    {"units", "raw",
     "in what demands are added up for q: raw, as published (q depends on the units; of bytes Mi, and then "
     "thousandths of the others), or normalised"},
    {"surplus", "proportional",
     "what a group's part is divided by: proportional to first grants, or equal beyond demand"},
    {"spill", "false", "true: a part that has no group goes to the other group"},
};

SharedServer shared_server(const Problem& problem, std::size_t i) {
  SharedServer server;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (problem.eligible(n, i)) server.users.push_back(n);
  }
  const auto users = static_cast<Index>(server.users.size());
  const auto m = static_cast<Index>(problem.resource_count());
  server.capacity.resize(m);
  for (Index r = 0; r < m; ++r)
    server.capacity[r] = problem.servers()[i].capacity[static_cast<std::size_t>(r)].value();
  server.demand.resize(users, m);
  server.weight.resize(users);
  const ExactVector capacity = exact(problem.servers()[i].capacity);
  for (Index j = 0; j < users; ++j) {
    const std::size_t n = server.users[static_cast<std::size_t>(j)];
    server.weight[j] = problem.users()[n].weight.value();
    for (Index r = 0; r < m; ++r) {
      server.demand(j, r) = server.weight[j] * problem.demand(n, i)[static_cast<std::size_t>(r)].value();
    }
    server.dominant.push_back(
        static_cast<Index>(fairness::dominant_resource<mpq_class>(problem.demand(n, i), capacity)));
  }
  return server;
}

// 1 where the resource dominates the user, [n].
ArrayXd dominated(const SharedServer& server, Index r) {
  ArrayXd by_r(server.demand.rows());
  for (Index n = 0; n < by_r.size(); ++n) by_r[n] = server.dominant[static_cast<std::size_t>(n)] == r ? 1 : 0;
  return by_r;
}

// A part of a resource in proportion to grants; nothing when no user has one.
ArrayXd in_proportion(const ArrayXd& grants, double part) {
  const double sum = grants.sum();
  return sum > 0 ? ArrayXd(grants * (part / sum)) : ArrayXd::Zero(grants.size());
}

// Demand, and an equal part for the weight of what is left; who would have less than nothing has nothing.
ArrayXd demand_and_equal_surplus(const ArrayXd& demand, const ArrayXd& weight, double part) {
  if (weight.sum() <= 0) return ArrayXd::Zero(demand.size());
  const double surplus = part - demand.sum();
  return in_proportion((demand + weight * (surplus / weight.sum())).max(0), part);
}

// Tasks that run with a bundle of one server.
double tasks_with(const ResourceVector& demand, const ArrayXd& bundle) {
  double tasks = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (!demand[r].is_zero()) tasks = std::min(tasks, bundle[static_cast<Index>(r)] / demand[r].value());
  }
  return tasks;
}

std::vector<double> times(const ArrayXd& amounts, double count) {
  std::vector<double> all(static_cast<std::size_t>(amounts.size()));
  std::transform(amounts.begin(), amounts.end(), all.begin(), [&](double a) { return a * count; });
  return all;
}

}  // namespace

std::vector<SharedServer> shared_servers(const Problem& problem) {
  std::vector<SharedServer> servers;
  for (std::size_t i = 0; i < problem.server_count(); ++i) servers.push_back(shared_server(problem, i));
  return servers;
}

ArrayXXd first_grants(const SharedServer& server) {
  ArrayXXd grants(server.demand.rows(), server.demand.cols());
  for (Index r = 0; r < grants.cols(); ++r) {
    const ArrayXd fair = server.weight * (server.capacity[r] / server.weight.sum());
    const auto demand = server.demand.col(r);
    grants.col(r) = (dominated(server, r) > 0).select(demand.max(fair), demand.min(fair));
  }
  return grants;
}

RawUnits raw_units(const std::vector<SharedServer>& servers) {
  constexpr double kMebibyte = 1 << 20, kThousandth = 1e-3;
  RawUnits units{.unit = ArrayXd::Ones(servers[0].capacity.size())};
  ArrayXd most = ArrayXd::Zero(units.unit.size());
  for (const SharedServer& server : servers) most = most.max(server.capacity);
  units.as_given = !(most >= kMebibyte).any();
  if (!units.as_given) units.unit = (most >= kMebibyte).select(units.unit * kMebibyte, kThousandth);
  return units;
}

std::string units_notice(const Problem& problem, const RawUnits& units) {
  std::vector<std::string> words;
  for (Index r = 0; r < units.unit.size(); ++r)
    words.push_back(fmt::format("{} in {}", problem.resources()[static_cast<std::size_t>(r)],
                                units.unit[r] > 1 ? "Mi" : "thousandths"));
  return fmt::format("q adds up {} (units=raw); units=normalised does not depend on units",
                     fmt::join(words, " and "));
}

DemandSums demand_sums(const SharedServer& server, DemandUnits units, const RawUnits& raw) {
  DemandSums sums;
  for (Index r = 0; r < server.demand.cols(); ++r) {
    if (server.capacity[r] <= 0) continue;
    const double unit = units == DemandUnits::raw ? raw.unit[r] : server.capacity[r];
    sums.dominant += (server.demand.col(r) * dominated(server, r)).sum() / unit;
    sums.all += server.demand.col(r).sum() / unit;
  }
  return sums;
}

ArrayXXd cut_by_groups(const SharedServer& server, double q, const GroupRule& rule) {
  const ArrayXXd grants = first_grants(server);
  ArrayXXd bundles(grants.rows(), grants.cols());
  for (Index r = 0; r < grants.cols(); ++r) {
    const ArrayXd inside = dominated(server, r);
    const ArrayXd outside = (server.demand.col(r) > 0).cast<double>() * (1 - inside);
    double part = q * server.capacity[r];
    double rest = server.capacity[r] - part;
    if (rule.spill && !(outside > 0).any()) part += std::exchange(rest, 0);
    if (rule.spill && !(inside > 0).any()) rest += std::exchange(part, 0);
    const auto divided = [&](const ArrayXd& group, double of) {
      if (rule.surplus == GroupRule::Surplus::proportional) return in_proportion(grants.col(r) * group, of);
      return demand_and_equal_surplus(server.demand.col(r) * group, server.weight * group, of);
    };
    bundles.col(r) = divided(inside, part) + divided(outside, rest);
  }
  return bundles;
}

Outcome outcome_of_bundles(const Problem& problem, const Choice& choice,
                           const std::vector<SharedServer>& servers, const std::vector<ArrayXXd>& bundles) {
  Outcome outcome;
  outcome.mechanism = choice.text;
  outcome.certificate.kind = "overuse";
  Allocation& allocation = outcome.allocation;
  allocation.tasks.assign(problem.user_count(), 0);
  struct Share {
    std::size_t server;
    std::size_t row;  // of its bundles
  };
  std::vector<std::vector<Share>> shares(problem.user_count());
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const auto count = static_cast<double>(problem.servers()[i].count);
    const ArrayXd used = bundles[i].colwise().sum().transpose();
    const ArrayXd over = (servers[i].capacity > 0).select(used / servers[i].capacity - 1, 0);
    outcome.certificate.value = std::max(outcome.certificate.value, over.maxCoeff());
    allocation.servers.push_back({.name = problem.servers()[i].name,
                                  .count = problem.servers()[i].count,
                                  .capacity = times(servers[i].capacity, count),
                                  .used = times(used, count),
                                  .prices = {}});
    for (std::size_t j = 0; j < servers[i].users.size(); ++j)
      shares[servers[i].users[j]].push_back({.server = i, .row = j});
  }
  for (std::size_t n = 0; n < shares.size(); ++n) {
    for (const auto& [i, row] : shares[n]) {
      const auto count = static_cast<double>(problem.servers()[i].count);
      const ArrayXd bundle = bundles[i].row(static_cast<Index>(row)).transpose();
      if ((bundle <= 0).all()) continue;
      const double tasks = count * tasks_with(problem.demand(n, i), bundle);
      allocation.tasks[n] += tasks;
      allocation.grants.add(n, i, tasks, times(bundle, count));
    }
  }
  return outcome;
}

std::span<const OptionInfo> group_options() { return kBundlesOptions; }

Result<GroupOptions> group_options(const Choice& choice) {
  const Result<std::size_t> units = word_option(choice, "units", kUnits);
  if (!units) return units.error();
  const Result<std::size_t> surplus = word_option(choice, "surplus", kSurplus);
  if (!surplus) return surplus.error();
  const Result<std::size_t> spill = word_option(choice, "spill", kSpill);
  if (!spill) return spill.error();
  return GroupOptions{.units = static_cast<DemandUnits>(*units),
                      .rule = {.surplus = static_cast<GroupRule::Surplus>(*surplus), .spill = *spill == 1}};
}

Check check_group_options(const Choice& choice) {
  const Result<GroupOptions> options = group_options(choice);
  if (!options) return options.error();
  return {};
}

}  // namespace mirab
