// The data centre that serves the Bitbrains machines, and these machines: what `psdsf-bitbrains` and
// `psdsf-time` share. Paper 001 (Ravi Kiran and Srinuvas), "Adjusting the resource utilization".
//
// Printed: three types of servers, storage by place, two kinds of network. Not in our text: how many servers
// there are, which place has which network, and whether storage and network are a server's or a place's.
// Taken: 40 servers a place, as many of each type as can be, storage and network of each server its own, and
// the three places all different.
#include "experiments/psdsf/bitbrains_cluster.hpp"

#include <array>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>

#include "experiments/data.hpp"

namespace mirab::experiments {
namespace {

struct ServerType {
  std::int64_t cpu_ghz, memory_gb;
};
constexpr std::array<ServerType, 3> kTypes = {{{4, 12}, {8, 8}, {16, 4}}};

struct Place {
  std::int64_t storage_mb_s, out_mbit_s, in_mbit_s;
  std::array<std::int64_t, 3> servers;  // of each type
};
constexpr std::array<Place, 3> kPlaces = {{
    {.storage_mb_s = 32, .out_mbit_s = 100, .in_mbit_s = 1000, .servers = {14, 13, 13}},
    {.storage_mb_s = 100, .out_mbit_s = 100, .in_mbit_s = 1000, .servers = {13, 14, 13}},
    {.storage_mb_s = 32, .out_mbit_s = 1000, .in_mbit_s = 2000, .servers = {13, 13, 14}},
}};

// The columns of the table.
enum Column : std::size_t {
  instant_of,
  cpu_mhz,
  memory_mb,
  read_kbs,
  write_kbs,
  received_kbs,
  transmitted_kbs
};

Quantity amount(double value) {
  const Result<Quantity> quantity = Quantity::from(value);
  MIRAB_ASSERT(static_cast<bool>(quantity), "amounts of the table are decimals");
  return *quantity;
}

ResourceVector used_by(const std::vector<double>& row) {
  constexpr double kMbitPerKb = 8.0 / 1000;
  return {amount(row[cpu_mhz] / 1000), amount(row[memory_mb] / 1024),
          amount((row[read_kbs] + row[write_kbs]) / 1024), amount(row[transmitted_kbs] * kMbitPerKb),
          amount(row[received_kbs] * kMbitPerKb)};
}

}  // namespace

std::vector<std::string> bitbrains_resources() { return {"cpu", "memory", "storage", "out", "in"}; }

std::vector<Server> bitbrains_servers(std::int64_t times) {
  std::vector<Server> servers;
  for (std::size_t p = 0; p < kPlaces.size(); ++p) {
    const Place& place = kPlaces[p];
    for (std::size_t t = 0; t < kTypes.size(); ++t) {
      servers.push_back(
          {.name = fmt::format("place {} type {}", p + 1, t + 1),
           .capacity = {Quantity(kTypes[t].cpu_ghz), Quantity(kTypes[t].memory_gb),
                        Quantity(place.storage_mb_s), Quantity(place.out_mbit_s), Quantity(place.in_mbit_s)},
           .count = place.servers[t] * times});
    }
  }
  return servers;
}

std::vector<User> bitbrains_users(std::size_t instant) {
  MIRAB_ASSERT(instant < kBitbrainsInstants, "an instant of the table");
  std::vector<User> users;
  for (const std::vector<double>& row : data_rows("bitbrains_instants.csv.gz")) {
    if (row[instant_of] != static_cast<double>(instant)) continue;
    users.push_back({.name = fmt::format("machine {}", users.size() + 1), .demand = used_by(row)});
  }
  return users;
}

}  // namespace mirab::experiments
