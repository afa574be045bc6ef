// mirab/allocate.h: mechanisms and explanations behind plain functions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <mirab/allocate.h>
#include <mirab/audit/explanation.hpp>
#include <mirab/audit/metrics.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "c_api/boundary.hpp"

struct mirab_allocation {
  mirab::Problem problem;
  mirab::Outcome outcome;
  std::vector<double> shares;    // [N]
  std::vector<double> tasks_on;  // [N][S]
  std::vector<double> used;      // [S][m]
};

// The mechanisms behind plain functions: arrays become a problem, and its outcome arrays.

namespace {

using mirab::Cluster;
using mirab::Error;
using mirab::Problem;
using mirab::Quantity;
using mirab::Result;

/// Rows of exact numbers, or the first error, kept until the caller asks at the end.
class Numbers {
 public:
  Quantity exact(double number, const std::string& key) {
    Result<Quantity> quantity = Quantity::from(number);
    if (quantity) return *quantity;
    fail(quantity.error().message, key);
    return {};
  }

  mirab::ResourceVector row(const double* matrix, std::size_t i, std::size_t m, const char* key) {
    mirab::ResourceVector row;
    for (std::size_t r = 0; r < m; ++r)
      row.push_back(exact(matrix[i * m + r], fmt::format("{}[{}][{}]", key, i, r)));
    return row;
  }

  /// The group whose member something is; nothing where it is the cluster. `before`: those that it may name.
  std::optional<std::string> group(const std::int64_t* groups, std::size_t at, std::size_t before,
                                   const char* key) {
    if (groups == nullptr || groups[at] == -1) return {};
    if (groups[at] >= 0 && std::cmp_less(groups[at], before)) return fmt::format("g{}", groups[at]);
    fail(fmt::format("an index below {}, or -1 for the cluster, is expected, not {}", before, groups[at]),
         fmt::format("{}[{}]", key, at));
    return {};
  }

  /// Rows `at` of amounts of the whole cluster, each of which may be NULL.
  struct Rows {
    const char* of;  ///< "group" or "user"
    const double* guarantee;
    const double* limit;
    const double* reserved;
  };
  mirab::Quota quota(const Rows& rows, std::size_t at, std::size_t m) {
    mirab::Quota quota;
    const auto key = [&](const char* which) { return fmt::format("{}_{}", rows.of, which); };
    const auto is_nan = [](double amount) { return std::isnan(amount); };
    const double* const guarantee = rows.guarantee != nullptr ? rows.guarantee + at * m : nullptr;
    if (guarantee != nullptr && !std::all_of(guarantee, guarantee + m, is_nan))
      quota.guarantee = row(rows.guarantee, at, m, key("guarantee").c_str());
    if (rows.reserved != nullptr) quota.reserved = row(rows.reserved, at, m, key("reserved").c_str());
    for (std::size_t r = 0; rows.limit != nullptr && r < m; ++r) {
      const double limit = rows.limit[at * m + r];
      quota.limit.emplace_back();
      if (limit != INFINITY)
        quota.limit.back() = exact(limit, fmt::format("{}[{}][{}]", key("limit"), at, r));
    }
    return quota;
  }

  const mirab::Check& wrong() const { return wrong_; }

 private:
  void fail(std::string message, std::string key) {
    if (!wrong_) wrong_ = Error{.message = std::move(message), .key = std::move(key)};
  }

  mirab::Check wrong_;
};

std::vector<std::string> eligible_servers(const mirab_cluster& plain, std::size_t user) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plain.server_count; ++i) {
    if (plain.eligible[user * plain.server_count + i] != 0) names.push_back(fmt::format("s{}", i));
  }
  return names;
}

mirab::Server server(const mirab_cluster& plain, std::size_t i, Numbers& numbers) {
  return {.name = fmt::format("s{}", i),
          .capacity = numbers.row(plain.capacity, i, plain.resource_count, "capacity"),
          .count = plain.count != nullptr ? plain.count[i] : 1};
}

mirab::User user(const mirab_cluster& plain, std::size_t n, Numbers& numbers) {
  mirab::User user{.name = fmt::format("u{}", n),
                   .demand = numbers.row(plain.demand, n, plain.resource_count, "demand")};
  if (plain.weight != nullptr) user.weight = numbers.exact(plain.weight[n], fmt::format("weight[{}]", n));
  if (plain.tasks != nullptr && plain.tasks[n] != INFINITY)
    user.tasks = numbers.exact(plain.tasks[n], fmt::format("tasks[{}]", n));
  if (plain.eligible != nullptr) user.servers = eligible_servers(plain, n);
  user.may_fit_nowhere = plain.may_fit_nowhere != nullptr && plain.may_fit_nowhere[n] != 0;
  user.group = numbers.group(plain.user_group, n, plain.group_count, "user_group");
  user.quota = numbers.quota({.of = "user",
                              .guarantee = plain.user_guarantee,
                              .limit = plain.user_limit,
                              .reserved = plain.user_reserved},
                             n, plain.resource_count);
  return user;
}

mirab::Group group(const mirab_cluster& plain, std::size_t g, Numbers& numbers) {
  mirab::Group group{.name = fmt::format("g{}", g),
                     .parent = numbers.group(plain.group_parent, g, g, "group_parent")};
  if (plain.group_weight != nullptr)
    group.weight = numbers.exact(plain.group_weight[g], fmt::format("group_weight[{}]", g));
  group.quota = numbers.quota({.of = "group",
                               .guarantee = plain.group_guarantee,
                               .limit = plain.group_limit,
                               .reserved = plain.group_reserved},
                              g, plain.resource_count);
  return group;
}

/// Bytes of the first version of mirab_cluster.
constexpr std::size_t kFirstCluster = offsetof(mirab_cluster, eligible) + sizeof(mirab_cluster::eligible);

Result<Problem> problem_of(const mirab_cluster& given) {
  const std::optional<mirab_cluster> known = mirab::c_api::read_sized(given, kFirstCluster);
  if (!known) return Error{.message = "sizeof(mirab_cluster) is expected", .key = "size"};
  const mirab_cluster& plain = *known;
  if (plain.capacity == nullptr && plain.server_count > 0 && plain.resource_count > 0)
    return mirab::c_api::null_argument("capacity");
  if (plain.demand == nullptr && plain.user_count > 0 && plain.resource_count > 0)
    return mirab::c_api::null_argument("demand");
  Numbers numbers;
  Cluster cluster;
  for (std::size_t r = 0; r < plain.resource_count; ++r) cluster.resources.push_back(fmt::format("r{}", r));
  for (std::size_t i = 0; i < plain.server_count; ++i) cluster.servers.push_back(server(plain, i, numbers));
  for (std::size_t n = 0; n < plain.user_count; ++n) cluster.users.push_back(user(plain, n, numbers));
  for (std::size_t g = 0; g < plain.group_count; ++g) cluster.groups.push_back(group(plain, g, numbers));
  if (numbers.wrong()) return *numbers.wrong();
  return Problem::from(std::move(cluster));
}

Result<Problem> problem_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  return read_cluster_text(text, is_json ? mirab::Syntax::json : mirab::Syntax::yaml, "");
}

Result<mirab_allocation*> divided(Result<Problem> problem, const char* mechanism) {
  if (!problem) return std::move(problem).error();
  Result<mirab::Outcome> outcome = mirab::allocate(*problem, mechanism);
  if (!outcome) return std::move(outcome).error();
  const mirab::Allocation& allocation = outcome->allocation;
  const std::size_t servers = allocation.servers.size();
  std::vector<double> tasks_on(problem->user_count() * servers, 0.0), used;
  for (const mirab::Grant& grant : allocation.grants)
    tasks_on[grant.user * servers + grant.server] = grant.tasks;
  for (const mirab::ServerUse& use : allocation.servers)
    used.insert(used.end(), use.used.begin(), use.used.end());
  std::vector<double> shares = dominant_shares(*problem, allocation);
  return new mirab_allocation{.problem = *std::move(problem),
                              .outcome = *std::move(outcome),
                              .shares = std::move(shares),
                              .tasks_on = std::move(tasks_on),
                              .used = std::move(used)};
}

}  // namespace

int mirab_allocate_version() { return MIRAB_ALLOCATE_VERSION; }

mirab_allocation* mirab_allocate(const mirab_cluster* cluster, const char* mechanism, char* error,
                                 size_t size) {
  return mirab::c_api::made(
      [&]() -> Result<mirab_allocation*> {
        if (auto wrong = mirab::c_api::check_arguments({{"cluster", cluster}, {"mechanism", mechanism}}))
          return *std::move(wrong);
        return divided(problem_of(*cluster), mechanism);
      },
      error, size);
}

mirab_allocation* mirab_allocate_text(const char* cluster, const char* mechanism, char* error, size_t size) {
  return mirab::c_api::made(
      [&]() -> Result<mirab_allocation*> {
        if (auto wrong = mirab::c_api::check_arguments({{"cluster", cluster}, {"mechanism", mechanism}}))
          return *std::move(wrong);
        return divided(problem_of(std::string_view(cluster)), mechanism);
      },
      error, size);
}

void mirab_allocation_free(mirab_allocation* allocation) { delete allocation; }

mirab_quality mirab_allocation_quality(const mirab_allocation* allocation) {
  static_assert(static_cast<int>(mirab::Status::not_converged) == MIRAB_NOT_CONVERGED);
  if (allocation == nullptr) return MIRAB_NOT_CONVERGED;
  return static_cast<mirab_quality>(allocation->outcome.status);
}

double mirab_allocation_certificate(const mirab_allocation* allocation, const char** kind) {
  if (allocation == nullptr) return std::nan("");
  const mirab::Certificate& certificate = allocation->outcome.certificate;
  if (kind != nullptr) *kind = certificate.kind.c_str();
  return certificate.value;
}

size_t mirab_allocation_resource_count(const mirab_allocation* allocation) {
  return allocation != nullptr ? allocation->problem.resource_count() : 0;
}
size_t mirab_allocation_user_count(const mirab_allocation* allocation) {
  return allocation != nullptr ? allocation->problem.user_count() : 0;
}
size_t mirab_allocation_server_count(const mirab_allocation* allocation) {
  return allocation != nullptr ? allocation->outcome.allocation.servers.size() : 0;
}

const char* mirab_allocation_user(const mirab_allocation* allocation, size_t user) {
  if (user >= mirab_allocation_user_count(allocation)) return nullptr;
  return allocation->problem.users()[user].name.c_str();
}
const char* mirab_allocation_server(const mirab_allocation* allocation, size_t server) {
  if (server >= mirab_allocation_server_count(allocation)) return nullptr;
  return allocation->outcome.allocation.servers[server].name.c_str();
}

const double* mirab_allocation_tasks(const mirab_allocation* allocation) {
  return allocation != nullptr ? allocation->outcome.allocation.tasks.data() : nullptr;
}
const double* mirab_allocation_shares(const mirab_allocation* allocation) {
  return allocation != nullptr ? allocation->shares.data() : nullptr;
}
const double* mirab_allocation_tasks_on(const mirab_allocation* allocation) {
  return allocation != nullptr ? allocation->tasks_on.data() : nullptr;
}
const double* mirab_allocation_used(const mirab_allocation* allocation) {
  return allocation != nullptr ? allocation->used.data() : nullptr;
}

// Why a user has what it has, behind plain functions: what was found, and structs that point into it.

struct mirab_explanation {
  mirab::Explanation found;
  std::vector<std::vector<mirab_holding>> others = {};  // of each binding
  std::vector<mirab_binding> bindings = {};
  std::vector<mirab_what_if> what_ifs = {};
};

namespace {

using mirab::ChangeKind;
using mirab::Error;
using mirab::Result;

std::vector<mirab_holding> plain(const std::vector<mirab::Holding>& holdings) {
  std::vector<mirab_holding> plain;
  for (const mirab::Holding& holding : holdings)
    plain.push_back({.user = holding.user, .amount = holding.amount});
  return plain;
}

mirab_binding plain(const mirab::Binding& binding, const std::vector<mirab_holding>& others) {
  return {.servers = binding.servers.data(),
          .server_count = binding.servers.size(),
          .resource = binding.resource,
          .capacity = binding.capacity,
          .held = binding.held,
          .level = binding.level,
          .price = binding.price.value_or(std::nan("")),
          .others = others.data(),
          .other_count = others.size()};
}

mirab_what_if plain(const mirab::WhatIf& what_if) {
  static_assert(static_cast<int>(ChangeKind::server) == MIRAB_MORE_SERVERS &&
                static_cast<int>(ChangeKind::unit) == MIRAB_MORE_UNITS &&
                static_cast<int>(ChangeKind::weight) == MIRAB_MORE_WEIGHT &&
                static_cast<int>(ChangeKind::task) == MIRAB_MORE_TASKS &&
                static_cast<int>(ChangeKind::group_weight) == MIRAB_MORE_GROUP_WEIGHT &&
                static_cast<int>(ChangeKind::limit) == MIRAB_MORE_LIMIT &&
                static_cast<int>(ChangeKind::guarantee) == MIRAB_MORE_GUARANTEE &&
                static_cast<int>(ChangeKind::reserve) == MIRAB_LESS_RESERVE);
  return {.change = static_cast<mirab_change>(what_if.change.kind),
          .servers = what_if.change.servers.data(),
          .server_count = what_if.change.servers.size(),
          .resource = what_if.change.resource,
          .amount = what_if.change.amount.value(),
          .tasks = what_if.tasks,
          .gain = what_if.gain,
          .quality = static_cast<mirab_quality>(what_if.status)};
}

mirab_explanation* handle(mirab::Explanation found) {
  auto explanation = std::make_unique<mirab_explanation>(mirab_explanation{.found = std::move(found)});
  for (const mirab::Binding& binding : explanation->found.bindings)
    explanation->others.push_back(plain(binding.others));
  for (std::size_t b = 0; b < explanation->others.size(); ++b)
    explanation->bindings.push_back(plain(explanation->found.bindings[b], explanation->others[b]));
  for (const mirab::WhatIf& what_if : explanation->found.what_ifs)
    explanation->what_ifs.push_back(plain(what_if));
  return explanation.release();
}

Result<mirab_explanation*> explained(const mirab_allocation& allocation, std::size_t user,
                                     std::size_t what_ifs) {
  if (user >= allocation.problem.user_count())
    return Error{.message = fmt::format("there is no user {}", user), .key = "user"};
  const Result<mirab::Choice> choice = mirab::choose_mechanism(allocation.outcome.mechanism);
  if (!choice) return choice.error();
  Result<mirab::Explanation> found = explain(allocation.problem, *choice, user, {.what_ifs = what_ifs});
  if (!found) return std::move(found).error();
  return handle(*std::move(found));
}

}  // namespace

mirab_explanation* mirab_explain(const mirab_allocation* allocation, size_t user, size_t what_ifs,
                                 char* error, size_t size) {
  return mirab::c_api::made(
      [&]() -> Result<mirab_explanation*> {
        if (auto wrong = mirab::c_api::check_arguments({{"allocation", allocation}}))
          return *std::move(wrong);
        return explained(*allocation, user, what_ifs);
      },
      error, size);
}

void mirab_explanation_free(mirab_explanation* explanation) { delete explanation; }

int mirab_explanation_has_all_tasks(const mirab_explanation* explanation) {
  return explanation != nullptr && explanation->found.has_all_tasks ? 1 : 0;
}

const mirab_binding* mirab_explanation_bindings(const mirab_explanation* explanation, size_t* count) {
  if (count != nullptr) *count = explanation != nullptr ? explanation->bindings.size() : 0;
  return explanation != nullptr ? explanation->bindings.data() : nullptr;
}

const mirab_what_if* mirab_explanation_what_ifs(const mirab_explanation* explanation, size_t* count) {
  if (count != nullptr) *count = explanation != nullptr ? explanation->what_ifs.size() : 0;
  return explanation != nullptr ? explanation->what_ifs.data() : nullptr;
}

size_t mirab_explanation_untried(const mirab_explanation* explanation) {
  return explanation != nullptr ? explanation->found.untried : 0;
}
