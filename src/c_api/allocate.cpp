// The mechanisms behind plain functions: arrays become a problem, and its outcome arrays.
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include <mirab/audit/metrics.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "c_api/allocation_handle.hpp"
#include "c_api/sized.hpp"
#include "c_api/text.hpp"

namespace {

using mirab::Cluster;
using mirab::Error;
using mirab::Problem;
using mirab::Quantity;
using mirab::Result;

/// Rows of exact numbers, or the first error, kept for whoever asks at the end.
class Numbers {
 public:
  Quantity exact(double number, const std::string& key) {
    Result<Quantity> quantity = Quantity::from(number);
    if (quantity) return *quantity;
    if (!wrong_) wrong_ = Error{.message = quantity.error().message, .key = key};
    return {};
  }

  mirab::ResourceVector row(const double* matrix, std::size_t i, std::size_t m, const char* key) {
    mirab::ResourceVector row;
    for (std::size_t r = 0; r < m; ++r)
      row.push_back(exact(matrix[i * m + r], fmt::format("{}[{}][{}]", key, i, r)));
    return row;
  }

  const mirab::Check& wrong() const { return wrong_; }

 private:
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
  return user;
}

/// Bytes of the first version of mirab_cluster.
constexpr std::size_t kFirstCluster = offsetof(mirab_cluster, eligible) + sizeof(mirab_cluster::eligible);

Result<Problem> problem_of(const mirab_cluster& given) {
  const std::optional<mirab_cluster> known = mirab::c_api::read_sized(given, kFirstCluster);
  if (!known) return Error{.message = "sizeof(mirab_cluster) is expected", .key = "size"};
  const mirab_cluster& plain = *known;
  Numbers numbers;
  Cluster cluster;
  for (std::size_t r = 0; r < plain.resource_count; ++r) cluster.resources.push_back(fmt::format("r{}", r));
  for (std::size_t i = 0; i < plain.server_count; ++i) cluster.servers.push_back(server(plain, i, numbers));
  for (std::size_t n = 0; n < plain.user_count; ++n) cluster.users.push_back(user(plain, n, numbers));
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
  return mirab::c_api::made([&] { return divided(problem_of(*cluster), mechanism); }, error, size);
}

mirab_allocation* mirab_allocate_text(const char* cluster, const char* mechanism, char* error, size_t size) {
  return mirab::c_api::made([&] { return divided(problem_of(std::string_view(cluster)), mechanism); }, error,
                            size);
}

void mirab_allocation_free(mirab_allocation* allocation) { delete allocation; }

mirab_quality mirab_allocation_quality(const mirab_allocation* allocation) {
  static_assert(static_cast<int>(mirab::Status::not_converged) == MIRAB_NOT_CONVERGED);
  return static_cast<mirab_quality>(allocation->outcome.status);
}

double mirab_allocation_certificate(const mirab_allocation* allocation, const char** kind) {
  const mirab::Certificate& certificate = allocation->outcome.certificate;
  if (kind != nullptr) *kind = certificate.kind.c_str();
  return certificate.value;
}

size_t mirab_allocation_resource_count(const mirab_allocation* allocation) {
  return allocation->problem.resource_count();
}
size_t mirab_allocation_user_count(const mirab_allocation* allocation) {
  return allocation->problem.user_count();
}
size_t mirab_allocation_server_count(const mirab_allocation* allocation) {
  return allocation->outcome.allocation.servers.size();
}

const char* mirab_allocation_user(const mirab_allocation* allocation, size_t user) {
  return allocation->problem.users()[user].name.c_str();
}
const char* mirab_allocation_server(const mirab_allocation* allocation, size_t server) {
  return allocation->outcome.allocation.servers[server].name.c_str();
}

const double* mirab_allocation_tasks(const mirab_allocation* allocation) {
  return allocation->outcome.allocation.tasks.data();
}
const double* mirab_allocation_shares(const mirab_allocation* allocation) {
  return allocation->shares.data();
}
const double* mirab_allocation_tasks_on(const mirab_allocation* allocation) {
  return allocation->tasks_on.data();
}
const double* mirab_allocation_used(const mirab_allocation* allocation) { return allocation->used.data(); }
