// Changes of a cluster that keep it in order.
#include "audit/alter.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace mirab {
namespace {

template <class List>
void erase_at(List& list, std::size_t position) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(position));
}

}  // namespace

std::optional<Quantity> times(const Quantity& amount, double factor, int digits) {
  const Result<Quantity> product = Quantity::parse(fmt::format("{:.{}g}", amount.value() * factor, digits));
  return product ? std::optional(*product) : std::nullopt;
}

void remove_user(Cluster& cluster, std::size_t user) { erase_at(cluster.users, user); }

void remove_server(Cluster& cluster, std::size_t server) {
  const std::string name = cluster.servers[server].name;
  for (User& user : cluster.users) {
    user.demand_on.erase(name);
    if (user.servers) std::erase(*user.servers, name);
  }
  erase_at(cluster.servers, server);
}

void remove_resource(Cluster& cluster, std::size_t resource) {
  erase_at(cluster.resources, resource);
  for (Server& server : cluster.servers) erase_at(server.capacity, resource);
  for (User& user : cluster.users) {
    erase_at(user.demand, resource);
    for (auto& [server, demand] : user.demand_on) erase_at(demand, resource);
  }
}

}  // namespace mirab
