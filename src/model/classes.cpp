// Exact merging. A user's key is its direction (all its demands as integers without a common divisor), its
// eligibility, and its cap per weight in units of that direction (of a user of weight 0, which has none per
// weight: its size and its cap); a server's key is its capacity or
// the direction of it, its eligibility column, and the demands that some users have on it alone. Equal keys
// make a class.
#include <limits>
#include <map>
#include <tuple>

#include <mirab/model/classes.hpp>

#include "model/exact.hpp"

namespace mirab {
namespace {

// The greatest rational of which every given amount is a whole multiple.
mpq_class common_measure(const std::vector<const ResourceVector*>& demands) {
  mpz_class numerator = 0;
  mpz_class denominator = 1;
  for (const ResourceVector* demand : demands) {
    for (const Quantity& amount : *demand) {
      const mpq_class value = rational(amount);
      numerator = gcd(numerator, value.get_num());
      denominator = lcm(denominator, value.get_den());
    }
  }
  mpq_class measure(numerator, denominator);
  measure.canonicalize();
  return measure;
}

struct UserKey {
  std::size_t eligibility;
  std::vector<mpq_class> direction;         // demand / size, then the same for each server of demand_on
  std::vector<std::string> demand_on;       // the names of these servers
  std::optional<mpq_class> size;            // with MergeUsers::equal, and of a user of weight 0
  std::optional<mpq_class> cap_per_weight;  // in units of the direction; the cap where the weight is 0
  bool weightless;

  bool operator<(const UserKey& other) const {
    const auto members = [](const UserKey& k) {
      return std::tie(k.eligibility, k.direction, k.demand_on, k.size, k.cap_per_weight, k.weightless);
    };
    return members(*this) < members(other);
  }
};

struct SizedKey {
  UserKey key;
  mpq_class size;
};

SizedKey key_of(const Problem& problem, std::size_t n, MergeUsers merge_users) {
  const User& user = problem.users()[n];
  std::vector<const ResourceVector*> demands = {&user.demand};
  UserKey key{.eligibility = problem.eligibility_class(n),
              .direction = {},
              .demand_on = {},
              .size = {},
              .cap_per_weight = {},
              .weightless = user.weight.is_zero()};
  for (const auto& [server, demand] : user.demand_on) {
    key.demand_on.push_back(server);
    demands.push_back(&demand);
  }
  const mpq_class size = common_measure(demands);
  for (const ResourceVector* demand : demands) {
    for (const Quantity& amount : *demand) key.direction.emplace_back(rational(amount) / size);
  }
  if (merge_users == MergeUsers::equal || key.weightless) key.size = size;
  const mpq_class weight = key.weightless ? mpq_class(1) : rational(user.weight);
  if (user.tasks) key.cap_per_weight = rational(*user.tasks) * size / weight;
  return {std::move(key), size};
}

std::vector<UserClass> merge_users(const Problem& problem, MergeUsers how) {
  std::map<UserKey, std::size_t> class_of;
  std::vector<UserClass> classes;
  std::vector<mpq_class> first_size;
  std::vector<std::vector<double>> relative_size;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    SizedKey sized = key_of(problem, n, how);
    const std::size_t j = class_of.emplace(std::move(sized.key), classes.size()).first->second;
    if (j == classes.size()) {
      classes.emplace_back();
      first_size.push_back(sized.size);
      relative_size.emplace_back();
    }
    classes[j].members.push_back(n);
    classes[j].weight += problem.users()[n].weight.value();
    relative_size[j].push_back(mpq_class(sized.size / first_size[j]).get_d());
  }
  for (std::size_t j = 0; j < classes.size(); ++j) {
    UserClass& users = classes[j];
    for (std::size_t member = 0; member < users.members.size(); ++member) {
      const User& user = problem.users()[users.members[member]];
      const double of_class = users.weight > 0 ? user.weight.value() / users.weight
                                               : 1 / static_cast<double>(users.members.size());
      users.part.push_back(of_class / relative_size[j][member]);
      const double cap = user.tasks ? user.tasks->value() : std::numeric_limits<double>::infinity();
      users.tasks += cap * relative_size[j][member];
    }
  }
  return classes;
}

// The demands that users have on this server alone: (user, demand).
using SpecialDemands = std::vector<std::pair<std::size_t, ResourceVector>>;

std::map<std::string, SpecialDemands> special_demands(const Problem& problem) {
  std::map<std::string, SpecialDemands> by_server;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    for (const auto& [server, demand] : problem.users()[n].demand_on)
      by_server[server].emplace_back(n, demand);
  }
  return by_server;
}

// One user of each eligibility class.
std::vector<std::size_t> representatives(const Problem& problem) {
  std::map<std::size_t, std::size_t> first;
  for (std::size_t n = 0; n < problem.user_count(); ++n) first.emplace(problem.eligibility_class(n), n);
  std::vector<std::size_t> users;
  users.reserve(first.size());
  for (const auto& [eligibility, user] : first) users.push_back(user);
  return users;
}

struct ServerKey {
  std::vector<mpq_class> capacity;  // of one server, or its direction
  std::vector<bool> eligible;
  SpecialDemands demands;

  bool operator<(const ServerKey& other) const {
    return std::tie(capacity, eligible, demands) < std::tie(other.capacity, other.eligible, other.demands);
  }
};

std::vector<ServerClass> merge_servers(const Problem& problem, MergeServers how) {
  const std::vector<std::size_t> users = representatives(problem);
  const std::map<std::string, SpecialDemands> special = special_demands(problem);
  std::map<ServerKey, std::size_t> class_of;
  std::vector<ServerClass> classes;
  std::vector<mpq_class> size_of;  // [k], of all members together
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    const Server& server = problem.servers()[i];
    const mpq_class measure = how == MergeServers::equal ? 0 : common_measure({&server.capacity});
    const mpq_class size = measure == 0 ? mpq_class(1) : measure;
    ServerKey key{.capacity = {}, .eligible = {}, .demands = {}};
    for (const Quantity& amount : server.capacity) key.capacity.emplace_back(rational(amount) / size);
    for (const std::size_t user : users) key.eligible.push_back(problem.eligible(user, i));
    if (const auto demands = special.find(server.name); demands != special.end())
      key.demands = demands->second;
    const std::size_t k = class_of.emplace(std::move(key), classes.size()).first->second;
    if (k == classes.size()) {
      classes.push_back(
          {.members = {}, .part = {}, .capacity = std::vector<double>(problem.resource_count())});
      size_of.emplace_back(0);
    }
    const mpq_class size_of_entry = size * rational(Quantity(server.count));
    classes[k].members.push_back(i);
    classes[k].part.push_back(size_of_entry.get_d());
    size_of[k] += size_of_entry;
  }
  for (std::size_t k = 0; k < classes.size(); ++k) {
    ServerClass& servers = classes[k];
    const double size = size_of[k].get_d();
    const double first = servers.part[0];
    const Server& member = problem.servers()[servers.members[0]];
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      servers.capacity[r] = size / first * static_cast<double>(member.count) * member.capacity[r].value();
    }
    for (double& part : servers.part) part /= size;
  }
  return classes;
}

}  // namespace

Classes merge(const Problem& problem, MergeUsers users, MergeServers servers) {
  return {.servers = merge_servers(problem, servers), .users = merge_users(problem, users)};
}

Allocation split(const Problem& problem, const Classes& classes,
                 const std::vector<std::vector<double>>& tasks) {
  const std::size_t resources = problem.resource_count();
  MIRAB_ASSERT(tasks.size() == classes.users.size(), "one row of tasks for each user class");
  Allocation allocation;
  allocation.tasks.assign(problem.user_count(), 0.0);
  for (const Server& server : problem.servers()) {
    ServerUse use{.name = server.name,
                  .count = server.count,
                  .capacity = {},
                  .used = std::vector<double>(resources),
                  .prices = {}};
    for (const Quantity& amount : server.capacity) {
      use.capacity.push_back(static_cast<double>(server.count) * amount.value());
    }
    allocation.servers.push_back(std::move(use));
  }

  struct Membership {
    std::size_t in_class;
    double part;
  };
  std::vector<Membership> user_in(problem.user_count());
  for (std::size_t j = 0; j < classes.users.size(); ++j) {
    MIRAB_ASSERT(tasks[j].size() == classes.servers.size(), "one number of tasks for each server class");
    const UserClass& users = classes.users[j];
    for (std::size_t member = 0; member < users.members.size(); ++member) {
      user_in[users.members[member]] = {j, users.part[member]};
    }
  }
  std::vector<Membership> server_in(problem.server_count());
  for (std::size_t k = 0; k < classes.servers.size(); ++k) {
    const ServerClass& servers = classes.servers[k];
    for (std::size_t member = 0; member < servers.members.size(); ++member) {
      server_in[servers.members[member]] = {k, servers.part[member]};
    }
  }

  std::vector<double> bundle(resources);
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const auto [j, part_of_users] = user_in[n];
    for (std::size_t i = 0; i < problem.server_count(); ++i) {
      const auto [k, part_of_servers] = server_in[i];
      if (tasks[j][k] <= 0) continue;
      const double here = tasks[j][k] * part_of_users * part_of_servers;
      const ResourceVector& demand = problem.demand(n, i);
      for (std::size_t r = 0; r < resources; ++r) {
        bundle[r] = here * demand[r].value();
        allocation.servers[i].used[r] += bundle[r];
      }
      allocation.tasks[n] += here;
      allocation.grants.add(n, i, here, bundle);
    }
  }
  return allocation;
}

}  // namespace mirab
