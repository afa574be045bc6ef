#include "scheduling/parks.hpp"

#include <algorithm>
#include <array>

namespace mirab::scheduling {
namespace {

constexpr std::array<std::int64_t, 5> kLargest = {3, 40'000, 1'000'000, 1'000'000'007, std::int64_t{1} << 52};
constexpr std::array<std::size_t, 4> kMaxServers = {3, 70, 200, 700};

template <class Table>
auto one_of(const Table& table, Random& random) {
  return table[random.below(table.size())];
}

std::int64_t up_to(std::int64_t most, Random& random) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
}

}  // namespace

RandomPark::RandomPark(Random& random)
    : random_(random),
      resources_(random.below(5) == 0 ? 9 + random.below(3) : 1 + random.below(4)),
      most_servers_(one_of(kMaxServers, random)),
      largest_(one_of(kLargest, random)),
      server_pool_(resources_) {
  for (std::size_t k = 0; k < most_servers_ / 2; ++k) add();
}

std::int64_t RandomPark::amount() {
  switch (random_.below(4)) {
    case 0:
      return largest_;
    case 1:
      return random_.below(4) == 0 ? 0 : largest_ / 2 + 1;
    default:
      return up_to(largest_, random_);
  }
}

Amounts RandomPark::amounts() {
  Amounts amounts(resources_);
  for (std::int64_t& each : amounts) each = amount();
  return amounts;
}

void RandomPark::step() {
  const std::uint64_t kind = random_.below(100);
  if (kind < 3 && servers_.size() < most_servers_) return add();
  if (kind < 40) return end();
  const ServerIndex server = some_server();
  if (!servers_[server]) return kind < 50 ? add() : void();
  if (kind < 42) return remove(server);
  if (kind < 44) return resize(server);
  if (kind < 50) return set_open(server, random_.below(3) != 0);
  start(server);
}

void RandomPark::add() {
  const Amounts capacity = amounts();
  const auto vacant =
      std::find_if(servers_.begin(), servers_.end(), [](const auto& each) { return !each.has_value(); });
  const ServerIndex expected(static_cast<std::uint32_t>(vacant - servers_.begin()));
  servers_.cover(expected);
  servers_[expected] = {.capacity = capacity, .free = capacity};
  MIRAB_ASSERT(server_pool_.add(capacity) == expected, "a new server has not the lowest vacant number");
}

void RandomPark::remove(ServerIndex server) {
  if (servers_[server]->free != servers_[server]->capacity) return;
  server_pool_.remove(server);
  servers_[server].reset();
}

void RandomPark::resize(ServerIndex server) {
  PlainServer& plain = *servers_[server];
  Amounts capacity = amounts();
  if (random_.below(20) == 0) capacity[0] *= 3;
  for (std::size_t r = 0; r < resources_; ++r) {
    const std::int64_t taken = plain.capacity[r] - plain.free[r];
    capacity[r] = std::max(capacity[r], taken);
    plain.free[r] = capacity[r] - taken;
  }
  plain.capacity = capacity;
  server_pool_.resize(server, capacity);
}

void RandomPark::set_open(ServerIndex server, bool open) {
  servers_[server]->open = open;
  open ? server_pool_.open(server) : server_pool_.close(server);
}

void RandomPark::start(ServerIndex server) {
  Amounts demand = this->demand();
  const bool takes_nothing = demand == Amounts(resources_, 0);
  if (takes_nothing || !has_room(server, demand)) return;
  for (std::size_t r = 0; r < resources_; ++r) servers_[server]->free[r] -= demand[r];
  server_pool_.take(server, demand);
  tasks_.push_back({.server = server, .demand = std::move(demand)});
}

void RandomPark::end() {
  if (tasks_.empty()) return;
  std::swap(tasks_[random_.below(tasks_.size())], tasks_.back());
  const PlacedTask& task = tasks_.back();
  for (std::size_t r = 0; r < resources_; ++r) servers_[task.server]->free[r] += task.demand[r];
  server_pool_.give(task.server, task.demand);
  tasks_.pop_back();
}

Amounts RandomPark::demand() {
  const std::uint64_t kind = random_.below(8);
  const auto& server = servers_[some_server()];
  if (kind == 0 && server) return server->free;
  if (kind == 1) return Amounts(resources_, 0);
  Amounts demand = amounts();
  for (std::int64_t& each : demand) each = random_.below(4) == 0 ? 0 : each / (1 + up_to(8, random_));
  return demand;
}

ServerIndex RandomPark::some_server() {
  return ServerIndex(static_cast<std::uint32_t>(random_.below(servers_.size())));
}

ServerSet RandomPark::some_servers() {
  ServerSet some;
  for (const ServerIndex server : Indices<ServerIndex>(servers_.size() + 100)) {
    if (random_.below(3) != 0) some.insert(server);
  }
  const std::uint64_t cut = random_.below(2 * servers_.size());
  for (const ServerIndex server : Indices<ServerIndex>(cut / 2)) some.erase(server);
  return some;
}

bool RandomPark::has_room(ServerIndex server, const Amounts& demand) const {
  if (!servers_.holds(server) || !servers_[server] || !servers_[server]->open) return false;
  return std::equal(demand.begin(), demand.end(), servers_[server]->free.begin(), std::less_equal<>());
}

}  // namespace mirab::scheduling
