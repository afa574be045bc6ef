// Clusters drawn from the Google trace. Östman, 5.1: "X amount of machines are picked at random from the
// google cluster trace, and Y amount of users … If a user contains several different tasks, one will be
// picked at random". The thesis' own draws are not published.
#include "experiments/ostman/google_cluster.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>

#include "experiments/data.hpp"
#include "simulation/streams.hpp"

namespace mirab::experiments {
namespace {

Quantity amount(double value) {
  const Result<Quantity> quantity = Quantity::from(value);
  MIRAB_ASSERT(static_cast<bool>(quantity), "amounts of the tables are decimals");
  return *quantity;
}

// One of the rows, each as likely as its last column says, which then counts one less when it is taken.
std::size_t draw_row(const std::vector<std::vector<double>>& rows, Random& random) {
  std::uint64_t all = 0;
  for (const std::vector<double>& row : rows) all += static_cast<std::uint64_t>(row.back());
  std::uint64_t draw = random.below(all);
  for (std::size_t i = 0;; ++i) {
    const auto count = static_cast<std::uint64_t>(rows[i].back());
    if (draw < count) return i;
    draw -= count;
  }
}

std::vector<Server> machines_drawn(std::size_t count, Random random) {
  std::vector<std::vector<double>> kinds = data_rows("google2011_machines.csv");  // cpu, memory, machines
  std::vector<Server> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double>& kind = kinds[draw_row(kinds, random)];
    kind.back() -= 1;
    drawn.push_back({.name = fmt::format("m{}", i + 1), .capacity = {amount(kind[0]), amount(kind[1])}});
  }
  return drawn;
}

// The requests of each user: cpu, memory, tasks.
std::vector<std::vector<std::vector<double>>> requests_by_user() {
  std::vector<std::vector<std::vector<double>>> users;
  for (const std::vector<double>& row : data_rows("google2011_users.csv.gz")) {
    users.resize(std::max(users.size(), static_cast<std::size_t>(row[0])));
    users.back().push_back({row[1], row[2], row[3]});
  }
  return users;
}

std::vector<User> users_drawn(std::size_t count, Random random) {
  std::vector<std::vector<std::vector<double>>> all = requests_by_user();
  MIRAB_ASSERT(count <= all.size(), "the trace has 505 users");
  std::vector<User> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(all[i], all[i + random.below(all.size() - i)]);
    const std::vector<double>& request = all[i][draw_row(all[i], random)];
    drawn.push_back({.name = fmt::format("u{}", i + 1), .demand = {amount(request[0]), amount(request[1])}});
  }
  return drawn;
}

}  // namespace

Problem google_cluster(std::size_t machines, std::size_t users, std::uint64_t seed) {
  Result<Problem> problem = Problem::from(
      {.resources = {"cpu", "memory"},
       .servers = machines_drawn(machines, simulation::stream(seed, "ostman-machines", {machines})),
       .users = users_drawn(users, simulation::stream(seed, "ostman-users"))});
  MIRAB_ASSERT(static_cast<bool>(problem), "machines and requests of the trace make a cluster");
  return *std::move(problem);
}

}  // namespace mirab::experiments
