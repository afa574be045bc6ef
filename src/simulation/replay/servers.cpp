#include "simulation/replay/servers.hpp"

namespace mirab::simulation {

ReplayServers::ReplayServers(const ReplayInput& input)
    : input_(input), pool_(input.resources.size(), 0), granted_(pool_) {}

void ReplayServers::add(std::uint32_t server, std::uint32_t kind) {
  if (server >= kinds_.size()) {
    kinds_.resize(server + 1, kGone);
    free_.resize(kinds_.size() * pool_.size(), 0);
    rooms_.resize(kinds_.size());
    is_touched_.resize(kinds_.size(), false);
  }
  kinds_[server] = kind;
  for (std::size_t r = 0; r < pool_.size(); ++r) {
    free(server)[r] = input_.capacity[kind][r];
    pool_[r] += input_.capacity[kind][r];
  }
  pool_changed_ = true;
}

void ReplayServers::remove(std::uint32_t server) {
  for (std::size_t r = 0; r < pool_.size(); ++r) {
    MIRAB_ASSERT(free(server)[r] == input_.capacity[kinds_[server]][r], "a server goes with its tasks");
    pool_[r] -= free(server)[r];
    free(server)[r] = 0;
  }
  kinds_[server] = kGone;
  pool_changed_ = true;
}

void ReplayServers::take(std::uint32_t server, std::span<const std::int64_t> demand) {
  const std::span<std::int64_t> room = free(server);
  for (std::size_t r = 0; r < room.size(); ++r) {
    room[r] -= demand[r];
    granted_[r] += demand[r];
  }
  touch(server);
}

void ReplayServers::give(std::uint32_t server, std::span<const std::int64_t> demand) {
  const std::span<std::int64_t> room = free(server);
  for (std::size_t r = 0; r < room.size(); ++r) {
    room[r] += demand[r];
    granted_[r] -= demand[r];
  }
  touch(server);
}

void ReplayServers::touch(std::uint32_t server) {
  if (is_touched_[server]) return;
  is_touched_[server] = true;
  touched_.push_back(server);
}

ReplayServers::Room ReplayServers::room(std::uint32_t server) {
  const std::uint32_t kind = kinds_[server];
  if (kind == kGone) return {};
  const std::span<const std::int64_t> f = free(server);
  const auto part = [&](std::size_t r) {
    return pool_[r] > 0 ? static_cast<double>(f[r]) / static_cast<double>(pool_[r]) : 0.0;
  };
  Room room;
  for (std::size_t r = 0; r < f.size(); ++r) room.free += part(r);
  for (const TypicalTask& w : input_.typical) {
    bool fits = w.may_use[kind];
    double not_demanded = 0;
    for (std::size_t r = 0; r < f.size(); ++r) {
      if (w.demand[r] > f[r]) fits = false;
      if (w.demand[r] == 0) not_demanded += part(r);
    }
    room.unusable += w.popularity * (fits ? not_demanded : room.free);
  }
  return room;
}

double ReplayServers::fragmentation() {
  if (pool_changed_) {
    for (std::uint32_t server = 0; server < kinds_.size(); ++server) touch(server);
  }
  pool_changed_ = false;
  for (const std::uint32_t server : touched_) {
    rooms_[server] = room(server);
    is_touched_[server] = false;
  }
  touched_.clear();
  Room all;
  for (const Room& room : rooms_) {
    all.free += room.free;
    all.unusable += room.unusable;
  }
  return all.free > 0 ? all.unusable / all.free : 0;
}

}  // namespace mirab::simulation
