#include "engine/churn.hpp"

#include <cmath>

#include "servers/instances.hpp"

namespace mirab::bench {
namespace {

Units in_units(const ResourceVector& vector) {
  Units units;
  for (const Quantity& each : vector) units.push_back(std::llround(std::ceil(each.value() * 1e6)));
  return units;
}

}  // namespace

Churn google_churn(std::size_t machines, std::size_t users, std::uint64_t seed) {
  const Problem google = google_servers(users, seed);
  std::vector<Units> all;
  for (const Server& server : google.servers())
    all.insert(all.end(), static_cast<std::size_t>(server.count), in_units(server.capacity));
  Churn churn;
  Random random(seed);
  while (churn.machines.size() < machines) churn.machines.push_back(all[random.below(all.size())]);
  for (const User& user : google.users()) churn.demands.push_back(in_units(user.demand));
  return churn;
}

Churn even_churn(std::size_t machines, std::size_t users, std::uint64_t seed) {
  Random random(seed);
  Churn churn{.machines = std::vector<Units>(machines, Units{16, 64}), .demands = {}};
  for (std::size_t user = 0; user < users; ++user)
    churn.demands.push_back({1, 1 + static_cast<std::int64_t>(random.below(6))});
  return churn;
}

Taken::Taken(const Churn& churn) : most_(churn.machines.front().size(), 0), taken_(most_) {
  for (const Units& machine : churn.machines) {
    for (std::size_t r = 0; r < machine.size(); ++r) most_[r] += machine[r];
  }
  for (std::int64_t& units : most_) units = units / 10 * 9;
}

bool Taken::is_filled() const {
  for (std::size_t r = 0; r < taken_.size(); ++r) {
    if (taken_[r] >= most_[r]) return true;
  }
  return false;
}

void Taken::take(const Units& demand) {
  for (std::size_t r = 0; r < taken_.size(); ++r) taken_[r] += demand[r];
}

void Taken::give(const Units& demand) {
  for (std::size_t r = 0; r < taken_.size(); ++r) taken_[r] -= demand[r];
}

}  // namespace mirab::bench
