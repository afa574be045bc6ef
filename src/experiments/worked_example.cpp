// Worked examples: small clusters whose outcome a paper prints in numbers.
#include "experiments/worked_example.hpp"

#include <cmath>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>

namespace mirab::experiments {
namespace {

ResourceVector exact(const std::vector<double>& amounts) {
  ResourceVector quantities;
  for (const double amount : amounts) quantities.push_back(*Quantity::from(amount));
  return quantities;
}

}  // namespace

Problem worked_example(std::vector<std::string> resources, const std::vector<NamedAmounts>& servers,
                       const std::vector<NamedAmounts>& users) {
  Cluster cluster{.resources = std::move(resources), .servers = {}, .users = {}};
  for (const NamedAmounts& server : servers)
    cluster.servers.push_back({.name = server.name, .capacity = exact(server.amounts)});
  for (const NamedAmounts& user : users)
    cluster.users.push_back({.name = user.name, .demand = exact(user.amounts)});
  return *Problem::from(std::move(cluster));
}

Allocation divided(const Problem& problem, std::string_view mechanism, int threads) {
  Result<Outcome> outcome = allocate(problem, mechanism, {.threads = threads});
  MIRAB_ASSERT(outcome && outcome->status != Status::not_converged, "a worked example that can be solved");
  return std::move(outcome->allocation);
}

double rounding_of(int decimals) { return 0.5 * std::pow(10.0, -decimals); }

Finding compared(std::string what, double printed, double ours, double tolerance) {
  return {.what = std::move(what),
          .printed = printed,
          .ours = ours,
          .holds = std::abs(ours - printed) <= tolerance};
}

Finding corrected(std::string what, double printed, double right, double ours, double tolerance,
                  std::string why) {
  return {.what = std::move(what),
          .printed = printed,
          .ours = ours,
          .holds = std::abs(ours - right) <= tolerance,
          .note = std::move(why),
          .corrected = true};
}

Finding required(std::string what, double ours, bool holds) {
  return {.what = std::move(what), .ours = ours, .holds = holds};
}

}  // namespace mirab::experiments
